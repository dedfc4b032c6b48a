"""Choice of the number of dimensions: against dense formulas, under the null, on block models, and by name."""

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse
from scipy.stats import binom

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.infer.dimension import _decompose, _loss, cross_validate
from lpgraph.spectral.dimension import by_ranks
from lpgraph.spectral.whole_matrix import flipped_entries


def chosen(rule, graph, **options):
    """The choice of the dimension by a rule with a test."""
    return lp.AdjacencySpectralEmbedding(rule, **options).fit(graph).dimension_choice_


@pytest.fixture(scope="module")
def three():
    return lp.stochastic_block_model([150, 100, 100], 0.05 + 0.25 * np.eye(3), random_state=0)


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
    assert abs((flipped.data < 0).mean() - 0.5) < 2.5 / np.sqrt(len(flipped.data) / (1 + symmetric))


def test_sign_flips_find_no_dimension_in_noise():
    false, trials = 0, 20
    for seed in range(trials):
        weights = np.random.default_rng(seed).pareto(2.5, 150) + 1
        weights *= 8 / weights.mean()
        graph = nx.expected_degree_graph(np.minimum(weights, 32), seed=seed, selfloops=False)
        false += chosen("sign_flips", graph, random_state=seed).n_components > 1
    # At most 5 % are expected; so many or more have a probability below 1e-4.
    assert false <= binom.ppf(1 - 1e-4, trials, 0.05)


def test_sign_flips_find_blocks_of_both_signs(three):
    found = chosen("sign_flips", three)
    assert (found.n_components, found.signature) == (3, (3, 0))
    assert (found.p_values[:3] == 0.05).all()
    assert (found.p_values[3:] == by_ranks(found.values[3:], found.edges)).all()
    core = lp.stochastic_block_model([150, 150], [[0.05, 0.25], [0.25, 0.05]], random_state=0)
    assert chosen("sign_flips", core).signature == (1, 1)
    assert chosen("sign_flips", core, which="LA").n_components == 1


def test_other_embeddings(three):
    assert lp.LaplacianSpectralEmbedding("sign_flips").fit(three).embedding_.shape[1] == 3
    # The degrees are no dimension of the modularity matrix.
    assert lp.ModularityEmbedding("sign_flips").fit(three).embedding_.shape[1] == 2


def test_the_unit_of_weights_does_not_matter(three):
    weighted = lp.as_adjacency(three).matrix.astype(float) * 7.0
    assert chosen("sign_flips", weighted).n_components == 3


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
    known = source[~held_out], target[~held_out], weight[~held_out] / 0.8
    factors = _decompose(known, 30, directed, 4, "lapack")
    found = _loss(factors, (source, target, weight), held_out, 0.2, directed=directed)
    pairs = ~np.eye(30, dtype=bool) if directed else np.triu(np.ones((30, 30), dtype=bool), 1)
    u, s, vt = np.linalg.svd(kept / 0.8)
    for d in range(5):
        foretold = (u[:, :d] * s[:d]) @ vt[:d]
        edges = ((a - foretold)[source[held_out], target[held_out]] ** 2).sum()
        gaps = (foretold[pairs & (a == 0)] ** 2).sum()
        assert found[d] == pytest.approx(edges + 0.2 * gaps)


# In the second model, of edges between blocks, an eigenvalue is negative.
@pytest.mark.parametrize(
    ("sizes", "p", "count"),
    [
        ([80] * 3, 0.08 + 0.3 * np.eye(3), 3),
        ([100, 100], np.array([[0.1, 0.5], [0.5, 0.1]]), 2),
        ([90, 90], np.array([[0.6, 0.05], [0.3, 0.5]]), 2),
        ([300], np.array([[0.1]]), 1),
    ],
)
def test_dimensions_of_block_models(sizes, p, count):
    directed = not np.array_equal(p, p.T)
    for seed in range(3):
        graph = lp.stochastic_block_model(sizes, p, directed=directed, random_state=seed)
        found, again = (cross_validate(graph, 8, folds=5, random_state=seed) for _ in range(2))
        assert found.smallest_good == count
        assert found.mean[0] == 1
        assert found.losses.shape == (5, 9)
        np.testing.assert_array_equal(found.losses, again.losses)


@pytest.mark.parametrize(
    ("name", "value"), [("folds", 1), ("folds", 10**6), ("max_dimension", 10**6), ("solver", "fast")]
)
def test_wrong_arguments_are_refused(name, value, three):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=name):
        cross_validate(three, **{name: value})


def test_undefined_rules_name_one_that_works(three, arcs):
    for embedding, graph in (
        (lp.RandomWalkEmbedding("sign_flips"), three),
        (lp.LaplacianSpectralEmbedding("sign_flips", regularizer=0.0), three),
    ):
        with pytest.raises(ArgumentError, match="n_components="):
            embedding.fit(graph)
        embedding.set_params(n_components="eigenvalue_cv").fit(graph)
