"""Rules for new vertices, tested by theorems or by simulation."""

import numpy as np
import pytest
from networks import connected
from scipy import optimize

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError

B = np.array([[0.5, 0.2], [0.2, 0.4]])


@pytest.fixture(scope="module")
def sampled():
    """A graph of two blocks, its embedding, and sixty new vertices."""
    graph = lp.stochastic_block_model([150, 150], B, random_state=0)
    return graph, lp.AdjacencySpectralEmbedding(2, tol=1e-10).fit(graph), graph.new_vertices(60, random_state=1)


def test_least_squares_is_transform(sampled):
    _, ase, new = sampled
    assert np.array_equal(lp.OutOfSample(ase).transform(new), ase.transform(new))


@pytest.mark.parametrize("blocks", [[[0.1, 0.5], [0.5, 0.1]], [[0.5, 0.4], [0.4, 0.1]]])
@pytest.mark.parametrize("rule", ["least_squares", "likelihood", "batch"])
def test_disassortative_and_core_periphery_vertices_are_not_mirrored(blocks, rule):
    # Half of the vertices are new. Block positions differ by many standard deviations, so none is wrong.
    graph = lp.stochastic_block_model([250, 250], blocks, random_state=0)
    new = graph.new_vertices(500, random_state=1)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    centres = np.array([ase.embedding_[graph.labels == k].mean(axis=0) for k in (0, 1)])
    positions = lp.OutOfSample(ase, rule=rule).transform(new)
    nearest = np.linalg.norm(positions[:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == new.labels).mean() >= 0.99


def test_likelihood_position_is_near_the_maximum(sampled):
    _, ase, new = sampled
    rows = new.adjacency.toarray()
    found = lp.OutOfSample(ase, rule="likelihood").transform(new)
    spread = np.sqrt(np.trace(lp.OutOfSample(ase).covariance(new), axis1=1, axis2=2))
    design = ase.embedding_ * ase.signature_

    def loss(y, xi):
        p = design @ y
        if p.min() <= 0 or p.max() >= 1:
            return np.inf
        return -(xi * np.log(p) + (1 - xi) * np.log1p(-p)).sum()

    for i in range(10):
        best = optimize.minimize(
            loss, found[i], args=(rows[i],), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
        )
        # The step differs from the maximum by much less than both differ from the truth.
        assert np.linalg.norm(found[i] - best.x) < 0.25 * spread[i]


def test_likelihood_is_weighted_least_squares(sampled):
    graph, ase, new = sampled
    design, degrees = ase.embedding_ * ase.signature_, graph.adjacency.sum(axis=1)
    row = new.adjacency.toarray()[0]
    product = row.sum() * degrees / degrees.sum()
    p = (design @ ase.transform(new)[0] + product) / 2
    assert 0.05 < p.min() < p.max() < 0.95
    root = 1 / np.sqrt(p * (1 - p))
    expected = np.linalg.lstsq(root[:, None] * design, root * row)[0]
    np.testing.assert_allclose(lp.OutOfSample(ase, rule="likelihood").transform(new)[0], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("blocks", "bound"),
    [
        ([[0.99, 0.9], [0.9, 0.99]], 1.02),
        ([[0.6, 0.02], [0.02, 0.6]], 1.02),
        ([[0.3, 0.005], [0.005, 0.3]], 1.02),
        ([[0.5, 0.2], [0.2, 0.02]], 0.95),
    ],
)
def test_likelihood_does_not_lose_to_least_squares(blocks, bound):
    # Probabilities near 0 and 1, where absent or present edges say little; a full measurement is a benchmark.
    graph = lp.stochastic_block_model([300, 300], blocks, random_state=2)
    new = graph.new_vertices(400, random_state=3)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    centres = np.array([ase.embedding_[graph.labels == k].mean(axis=0) for k in (0, 1)])[new.labels]
    errors = {
        rule: ((lp.OutOfSample(ase, rule=rule).transform(new) - centres) ** 2).sum()
        for rule in ("likelihood", "least_squares")
    }
    assert np.sqrt(errors["likelihood"] / errors["least_squares"]) <= bound


def test_likelihood_is_defined_for_extreme_rows(sampled):
    _, ase, _ = sampled
    rows = np.vstack([np.zeros(300), np.ones(300), np.eye(300)[0]])
    assert np.isfinite(lp.OutOfSample(ase, rule="likelihood").transform(rows)).all()


def test_likelihood_works_in_both_directions():
    graph = lp.stochastic_block_model([150, 150], [[0.5, 0.1], [0.3, 0.4]], directed=True, random_state=0)
    new = graph.new_vertices(50, random_state=1)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    for direction, known in (("out", ase.embedding_), ("in", ase.embedding_in_)):
        centres = np.array([known[graph.labels == k].mean(axis=0) for k in (0, 1)])
        y = lp.OutOfSample(ase, rule="likelihood").transform(new, direction=direction)
        # Standard deviations are about 0.05, the centres are 0.3 apart.
        assert np.linalg.norm(y - centres[new.labels], axis=1).max() < 0.3


def test_batch_position_is_a_stationary_point_and_no_worse_than_least_squares(sampled):
    _, ase, new = sampled
    z, signature = ase.embedding_, ase.signature_
    c, b = new.adjacency.toarray(), new.among.toarray()

    def loss(y):
        return 2 * ((c - (y * signature) @ z.T) ** 2).sum() + ((b - (y * signature) @ y.T) ** 2).sum()

    start = ase.transform(new)
    found = lp.OutOfSample(ase, rule="batch").transform(new)
    assert loss(found) < loss(start)
    gradient = optimize.approx_fprime(found.ravel(), lambda y: loss(y.reshape(found.shape)), 1e-6)
    assert np.abs(gradient).max() < 1e-3 * loss(start)


def test_batch_uses_the_edges_among_the_new_vertices():
    # 40 known and 400 new vertices: what the new ones know of each other outweighs what they know of the old.
    graph = lp.stochastic_block_model([20, 20], [[0.6, 0.2], [0.2, 0.5]], random_state=1)
    new = graph.new_vertices(400, random_state=2)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    spread = {}
    for rule in ("least_squares", "batch"):
        y = lp.OutOfSample(ase, rule=rule).transform(new)
        spread[rule] = sum(y[new.labels == k].var(axis=0).sum() for k in (0, 1))
    assert spread["batch"] < 0.5 * spread["least_squares"]


@pytest.mark.parametrize("weighted", [False, True])
def test_covariance_is_that_of_repeated_rows(weighted):
    # 4000 independent rows of one new vertex, given the network. A sample covariance entry of N Gaussian vectors
    # has standard error at most sqrt(2 / N) times the larger variance: 2.2 %; four of them make 9 %.
    graph = lp.stochastic_block_model([200, 200], B, random_state=0)
    a = graph.adjacency * (2.0 if weighted else 1.0)
    ase = lp.AdjacencySpectralEmbedding(2).fit(a)
    rng = np.random.default_rng(5)
    rows = (rng.random((4000, 400)) < B[0][graph.labels]) * (2.0 if weighted else 1.0)
    empirical = np.cov(ase.transform(rows).T)
    estimated = lp.OutOfSample(ase).covariance(rows[:200])
    assert estimated.shape == (200, 2, 2)
    assert np.allclose(estimated, np.swapaxes(estimated, 1, 2))
    assert np.linalg.eigvalsh(estimated).min() > 0
    assert np.abs(estimated.mean(axis=0) - empirical).max() <= 0.09 * np.diag(empirical).max()


def test_a_batch_known_to_have_no_edges_among_itself_is_a_batch(sampled):
    _, ase, _ = sampled
    positions = lp.OutOfSample(ase, rule="batch").transform({"x": range(40), "y": range(100, 150)})
    assert positions.shape == (2, 2)


def test_empty_batches_come_back_empty(sampled):
    _, ase, _ = sampled
    for rule in ("least_squares", "likelihood"):
        assert lp.OutOfSample(ase, rule=rule).transform(np.zeros((0, 300))).shape == (0, 2)
    assert lp.OutOfSample(ase).covariance(np.zeros((0, 300))).shape == (0, 2, 2)


def test_wrong_uses_are_refused_with_the_remedy(sampled):
    graph, ase, new = sampled
    with pytest.raises(ArgumentError, match="rule='magic'"):
        lp.OutOfSample(ase, rule="magic").transform(new)
    with pytest.raises(ArgumentError, match="weight 1"):
        lp.OutOfSample(ase, rule="likelihood").transform(2.0 * new.adjacency)
    with pytest.raises(ArgumentError, match="among the new vertices"):
        lp.OutOfSample(ase, rule="batch").transform(new.adjacency)
    with pytest.raises(ArgumentError, match="least_squares"):
        lp.OutOfSample(ase, rule="batch").covariance(new)
    lse = lp.LaplacianSpectralEmbedding(2).fit(graph)
    assert np.array_equal(lp.OutOfSample(lse).transform(new), lse.transform(new))
    for rule in ("likelihood", "batch"):
        with pytest.raises(ArgumentError, match="LaplacianSpectralEmbedding"):
            lp.OutOfSample(lse, rule=rule).transform(new)
    with pytest.raises(ArgumentError, match="ModularityEmbedding"):
        lp.OutOfSample(lp.ModularityEmbedding(2).fit(graph)).covariance(new)
    with pytest.raises(ArgumentTypeError, match="marginal"):
        lp.OutOfSample(lse).covariance(new, marginal="yes")
    with pytest.raises(NotFittedError):
        lp.OutOfSample(lp.AdjacencySpectralEmbedding(2)).transform(new)
    with pytest.raises(ArgumentTypeError, match="str"):
        lp.OutOfSample("ase").transform(new)
    directed = lp.AdjacencySpectralEmbedding(2).fit(connected(40, 6, 0, directed=True))
    with pytest.raises(ArgumentError, match="undirected"):
        lp.OutOfSample(directed, rule="batch").transform({"x": [1, 2], "y": ["x", 3]})
