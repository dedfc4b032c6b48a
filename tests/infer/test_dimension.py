"""Choice of the number of dimensions: against dense formulas, under the null, on block models, and by name."""

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse
from scipy.stats import binom, chi2

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.infer.dimension import _decompose, _loss, cross_validate, residual_subsampling, sign_flips
from lpgraph.spectral.dimension import by_ranks, leading
from lpgraph.spectral.whole_matrix import _sampled, flipped_entries, residual_statistics

B = [[0.3, 0.05, 0.05], [0.05, 0.3, 0.05], [0.05, 0.05, 0.3]]
BLOCKS = np.full((3, 3), 0.08) + 0.3 * np.eye(3)


@pytest.fixture(scope="module")
def three():
    return lp.stochastic_block_model([150, 100, 100], B, random_state=0)


@pytest.fixture(scope="module")
def arcs():
    return nx.gnp_random_graph(200, 0.06, seed=3, directed=True)


@pytest.mark.parametrize("symmetric", [True, False])
def test_flipped_entries_keep_sizes_and_symmetry(symmetric):
    rng = np.random.default_rng(0)
    dense = rng.random((60, 60)) * (rng.random((60, 60)) < 0.3)
    matrix = sparse.csr_array(dense + dense.T if symmetric else dense)
    flipped = flipped_entries(matrix, rng, symmetric=symmetric)
    assert (abs(flipped) != matrix).nnz == 0
    assert ((flipped != flipped.T).nnz == 0) == symmetric
    # Half of the signs are negative: within five standard deviations.
    pairs = flipped.data if not symmetric else sparse.triu(flipped).data
    assert abs((pairs < 0).mean() - 0.5) < 2.5 / np.sqrt(len(pairs))


@pytest.mark.parametrize("symmetric", [True, False])
def test_residual_statistics_agree_with_dense_sums(symmetric):
    rng = np.random.default_rng(1)
    n, K, m = 50, 4, 3.0
    dense = (rng.random((n, n)) < 0.2) * rng.random((n, n))
    dense = dense + dense.T if symmetric else dense
    if symmetric:
        values, left = np.linalg.eigh(dense)
        order = np.argsort(-np.abs(values))[:K]
        values, left = values[order], left[:, order]
        right = left
    else:
        left, values, right = np.linalg.svd(dense)
        left, values, right = left[:, :K], values[:K], right[:K].T
    found = residual_statistics(
        sparse.csr_array(dense),
        values,
        left,
        right,
        symmetric=symmetric,
        subsample=m,
        rng=np.random.default_rng(7),
    )
    rows, columns = _sampled(n, 1 / m, symmetric, np.random.default_rng(7))
    assert len(np.unique(rows * n + columns)) == len(rows)
    assert (rows < columns).all() if symmetric else (rows != columns).all()
    mask = np.zeros((n, n), dtype=bool)
    mask[rows, columns] = True
    apart = ~np.eye(n, dtype=bool)
    for k in range(K + 1):
        residual = dense - (left[:, :k] * values[:k]) @ right[:, :k].T
        if symmetric:
            # The formula of the paper: both triangles, and a root of 2.
            expected = np.sqrt(m) * 2 * residual[mask].sum() / np.sqrt(2 * (residual[apart] ** 2).sum())
        else:
            expected = np.sqrt(m) * residual[mask].sum() / np.sqrt((residual[apart] ** 2).sum())
        assert found[k] == pytest.approx(expected, abs=1e-10)


def test_residual_statistics_are_standard_normal_under_the_null():
    z = []
    for seed in range(80):
        found = residual_subsampling(lp.erdos_renyi(250, 0.2, random_state=seed), 1, random_state=seed)
        z.append(found.z[1])
    # The variance of 80 standard normal numbers is chi-squared: bounds of probability 1e-4 on either side. Errors
    # of the fit add about 1 / m = 6 % to it.
    low, high = chi2.ppf([1e-4, 1 - 1e-4], 79) / 79
    assert low < np.var(z) < 1.1 * high
    assert abs(np.mean(z)) < 4 / np.sqrt(80)


@pytest.mark.parametrize("kind", ["erdos-renyi", "heavy tails"])
def test_sign_flips_find_no_dimension_in_noise(kind):
    false, trials = 0, 10
    for seed in range(trials):
        if kind == "erdos-renyi":
            graph = lp.erdos_renyi(150, 0.1, random_state=seed)
        else:
            weights = np.random.default_rng(seed).pareto(2.5, 150) + 1
            weights *= 8 / weights.mean()
            graph = nx.expected_degree_graph(np.minimum(weights, 32), seed=seed, selfloops=False)
        false += sign_flips(graph, random_state=seed).n_components > 1
    # At most 5 % are expected; so many or more have a probability below 1e-4.
    assert false <= binom.ppf(1 - 1e-4, trials, 0.05)


def test_sign_flips_find_blocks_of_both_signs(three):
    found = sign_flips(three)
    assert (found.n_components, found.signature) == (3, (3, 0))
    core = lp.stochastic_block_model([150, 150], [[0.05, 0.25], [0.25, 0.05]], random_state=0)
    assert sign_flips(core).signature == (1, 1)
    assert sign_flips(core, which="LA").n_components == 1


def test_p_values_by_ranks(three):
    found = sign_flips(three, flips=9, level=0.1)
    assert found.n_components == 3
    assert (found.p_values[:3] == 0.1).all()
    assert (found.p_values[3:] == by_ranks(found.values[3:], found.edges)).all()
    assert leading(found.p_values, 0.1) == 3


@pytest.mark.parametrize("rule", ["sign_flips", "residual_subsampling"])
def test_functions_agree_with_names(rule, three, arcs):
    for graph in (three, arcs):
        model = lp.AdjacencySpectralEmbedding(rule).fit(graph)
        found = getattr(lp.infer.dimension, rule)(graph)
        assert model.embedding_.shape[1] == found.n_components == model.dimension_choice_.n_components
        assert np.allclose(model.dimension_choice_.values, found.values, rtol=1e-5)
    assert np.array_equal(getattr(lp.infer.dimension, rule)(arcs).p_values, found.p_values)


def test_other_embeddings(three):
    assert lp.LaplacianSpectralEmbedding("sign_flips").fit(three).embedding_.shape[1] == 3
    # The degrees are no dimension of the modularity matrix.
    assert lp.ModularityEmbedding("sign_flips").fit(three).embedding_.shape[1] == 2


def test_the_cap_is_said(three):
    assert sign_flips(three, 2).at_cap
    assert not sign_flips(three, 5).at_cap
    two = lp.stochastic_block_model([300, 100], [[0.5, 0.02], [0.02, 0.5]], random_state=0)
    assert residual_subsampling(two, 1, random_state=0).at_cap  # 148 of 150 seeds


def test_weights_are_used(three):
    weighted = lp.as_adjacency(three).matrix.astype(float) * 7.0
    assert sign_flips(weighted).n_components == 3
    assert np.allclose(residual_subsampling(weighted).z, residual_subsampling(three).z, atol=1e-3)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_is_the_expected_squared_error_over_held_out_pairs(directed, weighted):
    # Written out over the dense matrix, pair by pair.
    a = connected(30, 6, 0, directed=directed, weighted=weighted).toarray()
    np.fill_diagonal(a, 0)
    graph = lp.as_adjacency(sparse.csr_array(a), directed=directed)
    source, target, weight = graph.edge_list()
    held_out = np.random.default_rng(1).random(len(weight)) < 0.2
    kept = a.copy()
    kept[source[held_out], target[held_out]] = 0
    if not directed:
        kept[target[held_out], source[held_out]] = 0
    kept /= 0.8
    factors = _decompose(
        (source[~held_out], target[~held_out], weight[~held_out] / 0.8), 30, directed, 4, "lapack"
    )
    found = _loss(factors, (source, target, weight), held_out, 0.2, directed=directed)
    pairs = ~np.eye(30, dtype=bool) if directed else np.triu(np.ones((30, 30), dtype=bool), 1)
    for d in range(5):
        if directed:
            u, s, vt = np.linalg.svd(kept)
            foretold = (u[:, :d] * s[:d]) @ vt[:d]
        else:
            w, v = np.linalg.eigh(kept)
            lead = np.argsort(-np.abs(w))[:d]
            foretold = (v[:, lead] * w[lead]) @ v[:, lead].T
        edges = ((a - foretold)[source[held_out], target[held_out]] ** 2).sum()
        gaps = (foretold[pairs & (a == 0)] ** 2).sum()
        assert found[d] == pytest.approx(edges + 0.2 * gaps)


@pytest.mark.parametrize("seed", range(5))
def test_three_blocks_have_three_dimensions(seed):
    graph = lp.stochastic_block_model([80, 80, 80], BLOCKS, random_state=seed)
    found = lp.infer.dimension.cross_validate(graph, 10, folds=5, random_state=seed)
    assert found.best == found.smallest_good == 3
    assert found.mean[0] == 1
    assert found.losses.shape == (5, 11)


def test_negative_eigenvalues_count():
    # Disassortative: the second dimension has a negative eigenvalue.
    graph = lp.stochastic_block_model([100, 100], [[0.1, 0.5], [0.5, 0.1]], random_state=0)
    assert lp.infer.dimension.cross_validate(graph, 8).smallest_good == 2


def test_no_structure_needs_one_dimension():
    graph = lp.erdos_renyi(300, 0.1, random_state=0)
    assert lp.infer.dimension.cross_validate(graph, 8).smallest_good == 1


def test_directed_and_reproducible():
    graph = lp.stochastic_block_model([90, 90], [[0.4, 0.05], [0.3, 0.2]], directed=True, random_state=3)
    one = lp.infer.dimension.cross_validate(graph, 6)
    two = lp.infer.dimension.cross_validate(graph, 6)
    np.testing.assert_array_equal(one.losses, two.losses)
    assert one.smallest_good == 2


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        *((sign_flips, {"flips": flips}) for flips in (0, "9")),
        *((sign_flips, {"level": level}) for level in (2.0, 0.01)),
        (sign_flips, {"which": "SA"}),
        (sign_flips, {"solver": "fast"}),
        *((residual_subsampling, {"subsample": subsample}) for subsample in (0.5, 1e6)),
        (residual_subsampling, {"level": -1}),
        *((cross_validate, {"folds": folds}) for folds in (1, 10**6)),
        *((function, {"max_dimension": 10**6}) for function in (sign_flips, residual_subsampling, cross_validate)),
    ],
)
def test_wrong_arguments_are_refused(function, arguments, three):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=next(iter(arguments))):
        function(three, **arguments)


@pytest.mark.parametrize("rule", [sign_flips, residual_subsampling])
def test_graphs_without_edges(rule):
    with pytest.raises(GraphError, match="no edge"):
        rule(nx.empty_graph(10))


def test_undefined_rules_name_one_that_works(three, arcs):
    for embedding, graph in (
        (lp.RandomWalkEmbedding("sign_flips"), three),
        (lp.RandomWalkEmbedding("residual_subsampling"), three),
        (lp.LaplacianSpectralEmbedding("residual_subsampling"), three),
        (lp.ModularityEmbedding("residual_subsampling"), three),
        (lp.LaplacianSpectralEmbedding("sign_flips", regularizer=0.0), three),
        (lp.LaplacianSpectralEmbedding("residual_subsampling"), arcs),
    ):
        with pytest.raises(ArgumentError, match="n_components="):
            embedding.fit(graph)
        embedding.set_params(n_components="eigenvalue_cv").fit(graph)
