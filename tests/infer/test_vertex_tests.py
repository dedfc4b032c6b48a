"""Misfit and equal positions of vertices: null distributions, power, dense formulas, and what is refused."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from infer.vertex_tests import METHODS, check_refused_embeddings, without_loops
from scipy import sparse, stats

import lpgraph as lp
from lpgraph.embed.covariances import Feedback
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.errors import ArgumentError, ArgumentTypeError

BLOCKS = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]])
TWO = np.array([[0.3, 0.05], [0.05, 0.2]])
GRAPH = lp.stochastic_block_model([100, 100], TWO, random_state=0)
MODEL = lp.AdjacencySpectralEmbedding(2).fit(GRAPH)
ROWS = GRAPH.new_vertices(40, random_state=1).adjacency


def draw(rng, degree, known=800, new=300, directed=False, weights=None):
    """Return the matrix of a block model with degree factors, and the rows of new vertices."""
    labels = rng.choice(3, known + new, p=[0.2, 0.3, 0.5])
    factors = rng.uniform(0.4, 1, known + new)
    p = BLOCKS[labels][:, labels] * np.outer(factors, factors)
    p *= degree / p[:known, :known].sum(axis=1).mean()
    values = (rng.random(p.shape) < p).astype(float) if weights is None else weights(rng, p)
    values = without_loops(values, directed=directed)
    return values[:known, :known], sparse.csr_array(values[known:, :known])


def test_the_score_is_the_standardised_squared_residual():
    matrix, rows = draw(np.random.default_rng(0), 40, 150, 20)
    model = lp.AdjacencySpectralEmbedding(3).fit(matrix)
    estimated, turn = EdgeProbabilities.of_embedding(model, "out"), Feedback.of(model, "out").unbiased(np.eye(3))
    fitted = model.transform(rows) @ (model.embedding_ * model.signature_).T
    squares = ((rows.toarray() - fitted) ** 2).sum(axis=1) - (fitted * (1 - fitted)).sum(axis=1)
    corrected = model.transform(rows) @ turn @ (model.embedding_ * model.signature_).T
    np.testing.assert_allclose(squares, (rows.toarray() - fitted).sum(axis=1), atol=1e-9)
    found = lp.infer.misfit(model, rows)
    np.testing.assert_allclose(found.unexplained, (rows.toarray() - corrected).sum(axis=1), atol=1e-9)
    # The variance by probabilities that are shrunk towards the product of the degrees, with half an edge more.
    estimates = estimated.estimates(rows, model.transform(rows))
    p, q = estimated.shrunk(estimates) @ estimated.shrunk_design.T, estimated.by_degrees(estimates)
    weights = 1 - estimated.basis @ turn @ estimated.design.sum(axis=0)
    variance = (p * (1 - p) + q * (1 - q) * 0.5 / estimates.degrees[:, None]) @ weights**2
    np.testing.assert_allclose(found.unexplained / found.scores, np.sqrt(variance), rtol=1e-9)
    np.testing.assert_allclose(found.p_values, 2 * stats.norm.sf(abs(found.scores)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("degree", [10, 30, 200])
def test_p_values_are_uniform_under_the_model(method, degree):
    new, known = [], []
    for seed in range(3):
        matrix, rows = draw(np.random.default_rng(seed), degree)
        model = method(3).fit(matrix)
        new.append(lp.infer.misfit(model, rows).p_values)
        known.append(lp.infer.misfit(model, range(0, 800, 2)).p_values)
    for found in (np.concatenate(new), np.concatenate(known)):
        # The share in one network of 300 new vertices has a standard deviation of 0.017, which was measured in 15
        # networks for each case; that of three networks has 0.010, and the mean of the p-values 0.015.
        assert abs((found < 0.05).mean() - 0.05) < 0.035
        assert abs(found.mean() - 0.5) < 0.045


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("direction", ["out", "in"])
def test_known_vertices_are_scored_as_in_the_network_without_them(method, direction):
    directed = direction == "in"
    matrix, _ = draw(np.random.default_rng(1), 30, 200, directed=directed)
    model = method(3).fit(matrix)
    chosen = range(0, 200, 8)
    found = lp.infer.misfit(model, chosen, direction=direction).unexplained
    expected, arcs = [], matrix.T if directed else matrix
    for vertex in chosen:
        rest = np.delete(np.arange(200), vertex)
        other = method(3).fit(matrix[rest][:, rest])
        expected.append(lp.infer.misfit(other, arcs[[vertex]][:, rest], direction=direction).unexplained[0])
    assert np.corrcoef(found, expected)[0, 1] > 0.97
    assert abs(np.mean(found - expected)) < 0.15 * np.std(expected)


def test_directed_and_weighted_networks():
    for weights in (None, lambda rng, p: rng.poisson(p).astype(float)):
        scores = []
        for seed in range(3):
            matrix, rows = draw(np.random.default_rng(seed), 40, directed=True, weights=weights)
            model = lp.AdjacencySpectralEmbedding(3).fit(matrix)
            found = lp.infer.misfit(model, rows), lp.infer.misfit(model, range(300), direction="in")
            scores += [one.scores for one in found]
        # 1800 scores: the standard error of the share is 0.005, and of the standard deviation 0.017.
        assert abs((np.abs(scores) > 1.96).mean() - 0.05) < 0.02
        assert abs(np.std(scores) - 1) < 0.07


def test_edges_that_no_position_explains():
    rng = np.random.default_rng(3)
    factors = 0.16 * np.minimum(rng.random((600, 1)) ** -0.5, 6)
    model = lp.AdjacencySpectralEmbedding(1).fit(lp.random_dot_product_graph(factors, random_state=0))
    random_edges = (rng.random((50, 600)) < 0.15).astype(float)
    assert (lp.infer.misfit(model, random_edges).scores > 2).mean() > 0.95
    # A hub whose estimated probabilities exceed 1 has a variance, too.
    assert np.isfinite(lp.infer.misfit(model, np.ones((1, 600))).scores).all()


def test_names_tables_and_vertices_without_edges():
    matrix, rows = draw(np.random.default_rng(4), 20, 200, 5)
    model = lp.AdjacencySpectralEmbedding(2).fit(matrix)
    found = lp.infer.misfit(model, sparse.vstack([rows, rows[:1], sparse.csr_array((1, 200))]))
    assert found.scores[5] == found.scores[0] == lp.infer.misfit(model, rows[:1]).scores[0]
    assert (found.scores[6], found.p_values[6]) == (0, 1)
    found = lp.infer.misfit(model, {"a": [1, 2, 9], "b": [3]})
    assert list(found.table()["name"]) == ["a", "b"]
    assert list(found.table({"b": "Bob"})["name"]) == ["a", "Bob"]
    with pytest.raises(ArgumentTypeError, match="names is of type list"):
        found.table(["Ann", "Bob"])
    assert list(lp.infer.misfit(model, 3).names) == [3]
    np.testing.assert_array_equal(lp.infer.misfit(model).scores, lp.infer.misfit(model, range(200)).scores)
    check_refused_embeddings(lp.infer.misfit, matrix, rows)
    with pytest.raises(ArgumentError, match="direction"):
        lp.infer.misfit(model, rows, direction="in")
    with pytest.raises(lp.errors.UnknownVertexError, match="400"):
        lp.infer.misfit(model, [3, 400])


def test_statistics_of_new_vertices_are_those_of_their_differences():
    found = lp.infer.same_position(MODEL, ROWS[:20], ROWS[20:])
    basis = MODEL.transform(np.eye(200))
    difference = (ROWS[:20] - ROWS[20:]).toarray()
    covariances = np.einsum("ij,ja,jb->iab", difference**2, basis, basis)
    offset = difference @ basis
    expected = (offset * np.linalg.solve(covariances, offset[:, :, None])[:, :, 0]).sum(axis=1)
    # A hundredth of an edge is added to the covariance of about 60.
    np.testing.assert_allclose(found.statistics, expected, rtol=2e-3)
    # About 60 edges in 2 dimensions: the variance is that of chi-squared times 1 - 2 / 60.
    np.testing.assert_allclose(found.p_values, stats.chi2.sf(found.statistics, 2), atol=0.03)
    np.testing.assert_allclose(found.q_values, stats.false_discovery_control(found.p_values))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("directed", [False, True])
def test_known_vertices_are_compared_as_in_the_network_without_them(method, directed):
    # Mean degree 13 of 400, so that the noise of the neighbors matters.
    arcs = lp.stochastic_block_model([200, 200], TWO / 4, random_state=1, directed=directed).adjacency
    matrix = lp.as_adjacency(arcs, directed=directed)
    model, tau = method(2).fit(matrix), {}
    if method is lp.LaplacianSpectralEmbedding:
        tau["regularizer"] = model.regularizer_
    turned = method(2, align_to=method(2).fit(arcs[::-1][:, ::-1])).fit(matrix)
    pairs, expected = np.column_stack([range(0, 90, 6), range(1, 90, 6)]), []
    for pair in pairs:
        rest = np.delete(np.arange(400), pair)
        other = method(2, **tau).fit(lp.as_adjacency(arcs[rest][:, rest], directed=directed))
        rows = [(arcs[[v]][:, rest], arcs.T.tocsr()[[v]][:, rest]) for v in pair]
        ends = (other.read_new(both if directed else both[0]) for both in rows)
        expected.append(lp.infer.same_position(other, *ends).statistics[0])
    found = lp.infer.same_position(model, *pairs.T).statistics
    # With the rows of the extension from the network with both vertices, statistics would be 19 to 33 % larger.
    assert abs(np.log(found.sum() / np.sum(expected))) < 0.015
    assert np.corrcoef(found, expected)[0, 1] > 0.999
    again = lp.infer.same_position(turned, *pairs.T).statistics
    np.testing.assert_allclose(again, found, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("degree_corrected", [False, True])
def test_level_and_power(method, degree_corrected):
    null, shifted = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        labels = np.repeat([0, 1, 0, 1], [300, 300, 100, 100])
        factors = rng.uniform(0.5, 1, 800) if degree_corrected else np.ones(800)
        p = np.outer(factors, factors) * TWO[labels][:, labels]
        matrix = without_loops(rng.random(p.shape) < p)
        model = method(2).fit(matrix[:600, :600])
        new = matrix[600:, :600]
        for u, v, into in (
            (range(100), range(100, 200), null),
            (range(300, 400), new[100:], null),
            (range(100), range(300, 400), shifted),
            (new[:100], new[100:], shifted),
        ):
            found = lp.infer.same_position(model, u, v, degree_corrected=degree_corrected)
            into.append((found.p_values < 0.05).mean())
    # 1200 pairs: the binomial standard error is 0.006. The error of the approximation is about 0.01.
    assert 0.03 <= np.mean(null) <= 0.07
    assert np.mean(shifted) > 0.95


def test_level_with_reciprocated_arcs():
    # Each pair has both arcs with probability 1/2, given one: positions as sources and as targets are correlated.
    # Without their covariance, the level of both directions together would be 0.07.
    levels = {direction: [] for direction in ("out", "in", "both")}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        p = np.kron(TWO, np.ones((300, 300)))
        copied = np.triu(rng.random(p.shape) < 0.7, 1)
        arcs = without_loops((rng.random(p.shape) < p) * rng.choice([1.0, 3.0], p.shape), directed=True)
        arcs = np.where(copied.T, arcs.T, arcs)
        model = lp.AdjacencySpectralEmbedding(2).fit(lp.as_adjacency(arcs, directed=True))
        for direction, found in levels.items():
            test = lp.infer.same_position(model, range(150), range(150, 300), direction=direction)
            assert test.degrees_of_freedom == (4 if direction == "both" else 2)
            found.append((test.p_values < 0.05).mean())
    # 900 pairs: the binomial standard error is 0.007.
    for found in levels.values():
        assert 0.03 <= np.mean(found) <= 0.075


def test_names_new_vertices_and_tables():
    club = nx.karate_club_graph()
    model = lp.AdjacencySpectralEmbedding(2).fit(nx.relabel_nodes(club, {v: f"m{v}" for v in club}))
    test, new = partial(lp.infer.same_position, model), {"Anna": ["m0", "m1"], "Bela": ["m33", "m32"]}
    one, many = test("m0", "m33"), test("m0", ["m33", "m1", "m2"])
    assert (list(one.u), list(one.v), list(many.u)) == (["m0"], ["m33"], ["m0"] * 3)
    assert many.p_values[0] == pytest.approx(one.p_values[0])
    table = test(new, ["m0", "m0"]).table()
    assert table["u"].tolist() == ["Anna", "Bela"]
    edges = model.read_new([("Anna", "m0"), ("Anna", "m1"), ("Bela", "m33"), ("Bela", "m32")])
    np.testing.assert_array_equal(test(edges, ["m0", "m0"]).p_values, table["p_value"])
    # A vertex without edges has no position of its own; nothing can be said.
    assert test({"Emil": []}, {"Fred": []}).p_values[0] == pytest.approx(1)


def test_factors_and_the_order_of_the_vertices_do_not_matter():
    u, v = ROWS[:20].toarray(), ROWS[20:].toarray()
    test = partial(lp.infer.same_position, MODEL, degree_corrected=True)
    plain = test(u, v)
    np.testing.assert_allclose(test(2 * u, v).statistics, plain.statistics, rtol=5e-3)
    np.testing.assert_allclose(test(v, u).statistics, plain.statistics, rtol=1e-8)
    assert plain.degrees_of_freedom == 1
    known = partial(lp.infer.same_position, lp.LaplacianSpectralEmbedding(2).fit(GRAPH))
    found, back = known(range(50), range(50, 100)), known(range(50, 100), range(50))
    np.testing.assert_allclose(found.statistics, back.statistics, rtol=1e-9)


def test_wrong_uses_are_refused():
    rows = ROWS[:2]
    directed = lp.AdjacencySpectralEmbedding(2).fit(lp.as_adjacency(GRAPH.adjacency, directed=True))
    for model, u, v, options, message in (
        (MODEL, [1, 2, 3], [4, 5], {}, "u has 3 vertices and v has 2"),
        (MODEL, 1, 1000, {}, "1000"),
        (MODEL, 1, 2, {"direction": "both"}, "undirected"),
        (MODEL, 1, 2, {"degree_corrected": 1}, "degree_corrected"),
        (lp.ModularityEmbedding(2).fit(GRAPH), 1, 2, {}, "ModularityEmbedding; pass a fitted"),
        (lp.AdjacencySpectralEmbedding(1).fit(GRAPH), 1, 2, {"degree_corrected": True}, "2 dimensions"),
        (directed, [0, 1], rows, {}, "v has only arcs"),
    ):
        with pytest.raises(lp.errors.LpgraphError, match=message):
            lp.infer.same_position(model, u, v, **options)
    assert lp.infer.same_position(directed, [0, 1], rows, direction="out").p_values.shape == (2,)
    # A vertex has its own position.
    for corrected in (False, True):
        assert lp.infer.same_position(MODEL, [4, 5], [6, 5], degree_corrected=corrected).p_values[1] == 1
