"""Rules for new vertices, tested by theorems or by simulation."""

import numpy as np
import pytest
from networks import connected
from scipy import optimize

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError

B = np.array([[0.5, 0.2], [0.2, 0.4]])
ASE = lp.AdjacencySpectralEmbedding
GRAPH = lp.stochastic_block_model([150, 150], B, random_state=0)
NEW = GRAPH.new_vertices(60, random_state=1)
FITTED = ASE(2, tol=1e-10).fit(GRAPH)


def placed(rule, embedding=FITTED, new=NEW, **options):
    return lp.OutOfSample(embedding, rule=rule).transform(new, **options)


@pytest.mark.parametrize("blocks", [[[0.1, 0.5], [0.5, 0.1]], [[0.5, 0.4], [0.4, 0.1]]])
@pytest.mark.parametrize("rule", ["least_squares", "likelihood", "batch"])
def test_disassortative_and_core_periphery_vertices_are_not_mirrored(blocks, rule):
    # Half of the vertices are new. Block positions differ by many standard deviations, so none is wrong.
    graph = lp.stochastic_block_model([250, 250], blocks, random_state=0)
    new, ase = graph.new_vertices(500, random_state=1), ASE(2).fit(graph)
    centres = np.array([ase.embedding_[graph.labels == k].mean(axis=0) for k in (0, 1)])
    nearest = np.linalg.norm(placed(rule, ase, new)[:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == new.labels).mean() >= 0.99


def test_likelihood_is_weighted_least_squares_near_the_maximum():
    rows, design = NEW.adjacency.toarray(), FITTED.embedding_ * FITTED.signature_
    found, degrees = placed("likelihood"), GRAPH.adjacency.sum(axis=1)
    p = (design @ FITTED.transform(NEW)[0] + rows[0].sum() * degrees / degrees.sum()) / 2
    assert 0.05 < p.min() < p.max() < 0.95
    root = 1 / np.sqrt(p * (1 - p))
    expected = np.linalg.lstsq(root[:, None] * design, root * rows[0])[0]
    np.testing.assert_allclose(found[0], expected, rtol=1e-9)

    def loss(y, xi):
        p = design @ y
        if p.min() <= 0 or p.max() >= 1:
            return np.inf
        return -(xi * np.log(p) + (1 - xi) * np.log1p(-p)).sum()

    spread = np.sqrt(np.trace(lp.OutOfSample(FITTED).covariance(NEW), axis1=1, axis2=2))
    for i in range(10):
        exact = {"xatol": 1e-9, "fatol": 1e-12}
        best = optimize.minimize(loss, found[i], args=(rows[i],), method="Nelder-Mead", options=exact)
        # The step differs from the maximum by much less than both differ from the truth.
        assert np.linalg.norm(found[i] - best.x) < 0.25 * spread[i]
    extreme = np.vstack([np.zeros(300), np.ones(300), np.eye(300)[0]])
    assert np.isfinite(placed("likelihood", new=extreme)).all()


@pytest.mark.parametrize(
    ("blocks", "bound"),
    [([[0.99, 0.9], [0.9, 0.99]], 1.02), ([[0.3, 0.005], [0.005, 0.3]], 1.02), ([[0.5, 0.2], [0.2, 0.02]], 0.95)],
)
def test_likelihood_does_not_lose_to_least_squares(blocks, bound):
    # Probabilities near 0 and 1, where absent or present edges say little; a full measurement is a benchmark.
    graph = lp.stochastic_block_model([300, 300], blocks, random_state=2)
    new, ase = graph.new_vertices(400, random_state=3), ASE(2).fit(graph)
    centres = np.array([ase.embedding_[graph.labels == k].mean(axis=0) for k in (0, 1)])[new.labels]
    one, other = (((placed(rule, ase, new) - centres) ** 2).sum() for rule in ("likelihood", "least_squares"))
    assert np.sqrt(one / other) <= bound


def test_likelihood_works_in_both_directions():
    graph = lp.stochastic_block_model([150, 150], [[0.5, 0.1], [0.3, 0.4]], directed=True, random_state=0)
    new, ase = graph.new_vertices(50, random_state=1), ASE(2).fit(graph)
    for direction, known in (("out", ase.embedding_), ("in", ase.embedding_in_)):
        centres = np.array([known[graph.labels == k].mean(axis=0) for k in (0, 1)])
        y = placed("likelihood", ase, new, direction=direction)
        # Standard deviations are about 0.05, the centres are 0.3 apart.
        assert np.linalg.norm(y - centres[new.labels], axis=1).max() < 0.3


def test_batch_position_is_a_stationary_point_and_no_worse_than_least_squares():
    z, signature = FITTED.embedding_, FITTED.signature_
    c, b = NEW.adjacency.toarray(), NEW.among.toarray()

    def loss(y):
        return 2 * ((c - (y * signature) @ z.T) ** 2).sum() + ((b - (y * signature) @ y.T) ** 2).sum()

    start, found = placed("least_squares"), placed("batch")
    assert np.array_equal(start, FITTED.transform(NEW))
    assert loss(found) < loss(start)
    gradient = optimize.approx_fprime(found.ravel(), lambda y: loss(y.reshape(found.shape)), 1e-6)
    assert np.abs(gradient).max() < 1e-3 * loss(start)


def test_wrong_uses_are_refused_with_the_remedy():
    lse, modularity = lp.LaplacianSpectralEmbedding(2).fit(GRAPH), lp.ModularityEmbedding(2).fit(GRAPH)
    assert np.array_equal(placed("least_squares", lse), lse.transform(NEW))
    directed = ASE(2).fit(connected(40, 6, 0, directed=True))
    cases = [
        (lambda: placed("magic"), ArgumentError, "rule='magic'"),
        (lambda: placed("likelihood", new=2.0 * NEW.adjacency), ArgumentError, "weight 1"),
        (lambda: placed("batch", new=NEW.adjacency), ArgumentError, "among new vertices"),
        (lambda: placed("batch", lse), ArgumentError, "LaplacianSpectralEmbedding.*least_squares"),
        (lambda: placed("batch", directed, {"x": [1, 2], "y": ["x", 3]}), ArgumentError, "directed"),
        (lambda: lp.OutOfSample(FITTED, rule="batch").covariance(NEW), ArgumentError, "least_squares"),
        (lambda: lp.OutOfSample(modularity).covariance(NEW), ArgumentError, "ModularityEmbedding"),
        (lambda: lp.OutOfSample(lse).covariance(NEW, marginal="yes"), ArgumentTypeError, "marginal"),
        (lambda: placed("least_squares", ASE(2)), NotFittedError, "fit"),
    ]
    for use, error, word in cases:
        with pytest.raises(error, match=word):
            use()
