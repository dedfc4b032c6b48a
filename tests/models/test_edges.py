import numpy as np
import pytest
from scipy import stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, ProbabilityError
from lpgraph.models.bernoulli import sample_edges

K = lp.kernels

# every path through the sampler: its start, all cells or events of the root pair, boxes
# split down to points, kernel blocks for full pairs, events cut into many chunks
BOXES = {"bernoulli.factor_events": lambda *_, **__: None}
PATHS = {
    "default": {},
    "boxes": BOXES | {"bernoulli._CHEAP": 16.0},
    "root": BOXES | {"bernoulli._CHEAP": np.inf},
    "points": BOXES | {"bernoulli._CHEAP": 0.0, "bernoulli._LOOSE": 1.0},
    "blocks": BOXES | {"bernoulli._CHEAP": 200.0, "bernoulli._WIDE": 1},
    "chunks": {"bernoulli._CHUNK": 97, "factors._PIECE": 97},
}


@pytest.fixture(params=PATHS)
def path(request, monkeypatch):
    for name, value in PATHS[request.param].items():
        monkeypatch.setattr(f"lpgraph.models.{name}", value)


def p_value(counts, p, repetitions, order, groups):
    """Chi-square p-value of counts of Binomial(repetitions, p) cells, summed over groups of cells in `order`.

    Group sums are independent with known mean and variance, and near normal when they expect many edges.
    """
    index = np.array_split(order, groups)
    seen = np.array([counts[g].sum() for g in index])
    mean = repetitions * np.array([p[g].sum() for g in index])
    variance = repetitions * np.array([(p[g] * (1 - p[g])).sum() for g in index])
    return stats.chi2.sf(((seen - mean) ** 2 / variance).sum(), groups)


@pytest.mark.parametrize("thinned", [True, False])
def test_edges_have_their_probabilities(case, path, thinned):
    # 13 kernels x 6 paths x 2 sparsities x 3 shapes x 2 groupings = 936 p-values: the smallest of so many
    # exceeds 1e-6 with probability 0.9991, and the seeds are fixed
    rng = np.random.default_rng(1)
    kernel, x, sparsity = case(90, rng)
    x, y = x[:55], x[55:]
    sparsity *= 0.45 if thinned else 1.0  # the largest probability: 0.43 or 0.95
    upper, off = np.triu_indices(55, 1), np.nonzero(~np.eye(55, dtype=bool))
    everything = np.indices((55, 35)).reshape(2, -1)
    repetitions = 8
    for columns, directed, cells in (None, False, upper), (None, True, off), (y, True, everything):
        other = x if columns is None else columns
        counts = np.zeros((len(x), len(other)))
        for _ in range(repetitions):
            adjacency = sample_edges(kernel, sparsity, (x, columns), rng, directed=directed)
            assert adjacency.has_canonical_format
            assert set(adjacency.data) <= {1.0}
            dense = adjacency.toarray()
            if columns is None:
                assert not dense.diagonal().any()
            if not directed:
                assert (dense == dense.T).all()
            counts += dense
        counts, p = counts[tuple(cells)], sparsity * kernel(x, other)[tuple(cells)]
        assert p_value(counts, p, repetitions, np.argsort(p), 12) > 1e-6
        assert p_value(counts, p, repetitions, rng.permutation(len(p)), 12) > 1e-6


@pytest.mark.parametrize("path", ["default", "boxes", "root", "blocks"], indirect=True)
def test_cells_are_independent(path):
    # With R samples the correlation of two independent cells is about N(0, 1/R). Of 45 pairs of cells the
    # largest |z| passes 4.5 with probability 3e-4.
    rng, repetitions = np.random.default_rng(2), 1000
    x, cells = rng.dirichlet([1, 1], 5), np.triu_indices(5, 1)
    draws = (sample_edges(K.DotProduct(), 0.5, (x, None), rng, directed=False) for _ in range(repetitions))
    seen = np.array([adjacency.toarray()[cells] for adjacency in draws])
    z = np.corrcoef(seen.T)[np.triu_indices(10, 1)] * np.sqrt(repetitions)
    assert np.abs(z).max() < 4.5


def test_arcs_of_a_pair_are_independent():
    # the share of reciprocated pairs is p^2 = 0.09 +- sqrt(.09 * .91 / 79800) = 0.001; five of these
    graph = lp.erdos_renyi(400, 0.3, directed=True, random_state=0)
    both = graph.adjacency.multiply(graph.adjacency.T).sum() / (400 * 399)
    assert abs(both - 0.09) < 0.005


def test_certain_and_impossible_edges():
    complete = np.ones((30, 30)) - np.eye(30)
    assert (lp.erdos_renyi(30, 1.0, random_state=0).adjacency.toarray() == complete).all()
    assert lp.erdos_renyi(30, 0.0, random_state=0).n_edges == 0
    assert lp.erdos_renyi(1, 1.0).n_edges == 0
    blocks = lp.stochastic_block_model([10, 20], [[0, 1], [1, 0]], random_state=0).adjacency.toarray()
    assert blocks.sum() == 2 * 10 * 20
    assert blocks[:10, 10:].all()
    # Rounding above 1 is forgiven.
    assert lp.random_dot_product_graph(np.full((40, 1), 1 + 1e-13), random_state=0).n_edges == 40 * 39 // 2


def test_rare_edges_in_a_large_graph():
    # expected edges 1e6, standard deviation 1e3, and half of them common: five of these; no n x n matrix fits in
    # memory, and no machine visits 2e10 pairs in the time of a test
    one = lp.stochastic_block_model([10**5, 10**5], [[8e-5, 2e-5], [2e-5, 8e-5]], random_state=0)
    pair = one.model.sample_pair(0.5, random_state=0)
    for graph in (one, *pair):
        assert abs(graph.n_edges - 1e6) < 5e3
        assert graph.adjacency.indices.dtype == graph.adjacency.indptr.dtype == np.int32
        assert abs(graph.adjacency[: 10**5, : 10**5].nnz / 2 - 4e5) < 5 * np.sqrt(4e5)
    assert abs(pair.first.adjacency.multiply(pair.second.adjacency).nnz / 2 - 5e5) < 4e3


@pytest.mark.parametrize("value", [1.2, -0.1])
def test_a_probability_outside_the_interval_names_the_pair(path, value):
    x = np.full((300, 1), 0.1)
    x[17], x[242] = value, 0.9
    # 1.08 of one pair, or less than 0 of all pairs of vertex 17
    words = r"pair \((17, 242|242, 17)\).*is 1\.08; scale" if value > 0 else r"pair \((17, \d+|\d+, 17)\)"
    with pytest.raises(ProbabilityError, match=words):
        sample_edges(K.DotProduct(), 1.0, (x, None), np.random.default_rng(0), directed=False)


def test_negative_probabilities_in_large_graphs():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.2, 0.8, (6000, 2))
    x[:60] *= -1  # 2 % of the pairs are negative
    with pytest.raises(ProbabilityError, match=r"numbers >= 0"):
        sample_edges(K.DotProduct(), 0.01, (x, None), rng, directed=False)
    # all are negative, in one box
    with pytest.raises(ProbabilityError, match=r"pair \(\d+, \d+\).*is -0\.25"):
        sample_edges(K.IndefiniteDotProduct(0, 1), 1.0, (np.full((6000, 1), 0.5), None), rng, directed=False)
    # signed positions of a cone: the bounds allow negative values, and there are none
    x = rng.dirichlet([1, 1, 1], 6000) @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    assert sample_edges(K.DotProduct(), 1e-3, (x, None), rng, directed=False).nnz > 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.5, 1.5])
def test_bad_values_of_a_function_name_the_pair(value):
    def function(x, y):
        return np.where(abs(x - y.T) == 4.0, np.where(x * y.T == 21.0, value, 0.5), 0.5)

    with pytest.raises(ProbabilityError, match=r"pair \(3, 7\), at the positions \[3\.\] and \[7\.\]"):
        lp.LatentPositionModel(function, np.arange(10.0)).sample(random_state=0)


def test_a_kernel_that_breaks_its_own_bound_is_refused():
    class Wrong(K.Gaussian):
        def bounds(self, *boxes):
            return tuple(0.5 * bound for bound in super().bounds(*boxes))

    with pytest.raises(ArgumentError, match="exceeds its own upper bound"):
        lp.LatentPositionModel(Wrong(30.0), np.arange(50.0)).sample(random_state=0)
