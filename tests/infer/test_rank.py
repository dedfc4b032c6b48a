"""Sign flips and residual subsampling: against dense formulas, under the null, and by name."""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom, chi2

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.infer.dimension import residual_subsampling, sign_flips
from lpgraph.spectral import residual_subsampling as subsampling
from lpgraph.spectral.rank_tests import by_ranks, leading
from lpgraph.spectral.sign_flips import flipped_entries

B = [[0.3, 0.05, 0.05], [0.05, 0.3, 0.05], [0.05, 0.05, 0.3]]


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
    found = subsampling.residual_statistics(
        sparse.csr_array(dense),
        values,
        left,
        right,
        symmetric=symmetric,
        subsample=m,
        rng=np.random.default_rng(7),
    )
    rows, columns = subsampling._sampled(n, 1 / m, symmetric, np.random.default_rng(7))
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


def test_sampled_places_have_their_probability():
    rng = np.random.default_rng(2)
    counts = [len(subsampling._sampled(100, 0.1, True, rng)[0]) for _ in range(300)]
    # 4950 pairs with probability .1: the mean of 300 counts has the standard error sqrt(445.5 / 300) = 1.2.
    assert abs(np.mean(counts) - 495) < 5
    assert 0.7 < np.var(counts) / 445.5 < 1.35


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


@pytest.mark.parametrize(
    ("embedding", "rule"),
    [
        (lp.RandomWalkEmbedding, "sign_flips"),
        (lp.RandomWalkEmbedding, "residual_subsampling"),
        (lp.LaplacianSpectralEmbedding, "residual_subsampling"),
        (lp.ModularityEmbedding, "residual_subsampling"),
    ],
)
def test_undefined_rules_name_one_that_works(embedding, rule, three, arcs):
    with pytest.raises(ArgumentError, match=f"n_components='{rule}'.*pass n_components='eigenvalue_cv'"):
        embedding(rule).fit(three)
    embedding("eigenvalue_cv").fit(three)


def test_laplacian_without_regularizer_has_no_random_signs(three):
    with pytest.raises(ArgumentError, match="pass n_components='eigenvalue_cv'"):
        lp.LaplacianSpectralEmbedding("sign_flips", regularizer=0.0).fit(three)


def test_directed_laplacian_refuses_residuals(arcs):
    with pytest.raises(ArgumentError, match="is not an adjacency matrix"):
        lp.LaplacianSpectralEmbedding("residual_subsampling").fit(arcs)


def test_the_cap_is_said(three):
    assert sign_flips(three, 2).at_cap
    assert not sign_flips(three, 5).at_cap
    two = lp.stochastic_block_model([300, 100], [[0.5, 0.02], [0.02, 0.5]], random_state=0)
    assert residual_subsampling(two, 1, random_state=0).at_cap  # 148 of 150 seeds


def test_weights_are_used(three):
    weighted = lp.as_adjacency(three).matrix.astype(float) * 7.0
    assert sign_flips(weighted).n_components == 3
    assert np.allclose(residual_subsampling(weighted).z, residual_subsampling(three).z, atol=1e-3)


def test_saved_models_keep_the_tests(three, tmp_path):
    for rule in ("sign_flips", "residual_subsampling", "eigenvalue_cv"):
        model = lp.AdjacencySpectralEmbedding(rule).fit(three)
        lp.save(model, tmp_path / "model.lpgraph")
        loaded = lp.load(tmp_path / "model.lpgraph").dimension_choice_
        assert np.array_equal(loaded.p_values, model.dimension_choice_.p_values)
        assert loaded.signature == model.dimension_choice_.signature


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"flips": 9}, "level=0.05 but the least p-value of flips=9 is 0.1; pass more flips"),
        ({"flips": 0}, "flips=0"),
        ({"level": 2.0}, "level=2"),
        ({"which": "SA"}, "which='SA'"),
        ({"max_dimension": 10**6}, "max_dimension=1000000"),
        ({"solver": "fast"}, "solver='fast'"),
    ],
)
def test_wrong_arguments_of_sign_flips(arguments, message, three):
    with pytest.raises(ArgumentError, match=message):
        sign_flips(three, **arguments)


@pytest.mark.parametrize(
    "arguments", [{"subsample": 0.5}, {"subsample": 1e6}, {"level": -1}, {"max_dimension": 0}]
)
def test_wrong_arguments_of_residual_subsampling(arguments, three):
    with pytest.raises(ArgumentError, match=next(iter(arguments))):
        residual_subsampling(three, **arguments)


@pytest.mark.parametrize("rule", [sign_flips, residual_subsampling])
def test_graphs_without_edges(rule):
    with pytest.raises(GraphError, match="no edge"):
        rule(nx.empty_graph(10))


def test_plots(three):
    for rule in (sign_flips, residual_subsampling):
        found = rule(three)
        axes = lp.plot.dimension(found)
        assert f"{found.rule}: {found.n_components}" in [text.get_text() for text in axes.get_legend().get_texts()]
        plt.close(axes.figure)
    validation = lp.infer.dimension.cross_validate(three, 6)
    axes = lp.plot.dimension(lp.AdjacencySpectralEmbedding().fit(three), validation=validation)
    assert "held-out" in axes.get_ylabel()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert f"cross-validation: {validation.smallest_good}" in labels
    beside = axes.figure.axes[1]
    assert np.allclose(beside.lines[0].get_ydata(), validation.mean[1:])
    plt.close(axes.figure)
    for wrong in (
        lp.AdjacencySpectralEmbedding(2).fit(three),
        lp.AdjacencySpectralEmbedding("elbow").fit(three),
        3,
    ):
        with pytest.raises(ArgumentError, match=r"plot\.scree"):
            lp.plot.dimension(wrong)
