"""Tests of the same position: level, power, and what is refused."""

import networkx as nx
import numpy as np
import pytest
from infer.vertex_tests import METHODS, without_loops
from scipy import stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError

BLOCKS = np.array([[0.3, 0.05], [0.05, 0.2]])


def two_blocks(seed=0, n=200):
    return lp.stochastic_block_model([n // 2, n // 2], BLOCKS, random_state=seed)


def test_statistics_of_new_vertices_are_those_of_their_differences():
    graph = two_blocks()
    model = lp.AdjacencySpectralEmbedding(2).fit(graph)
    rows = graph.new_vertices(40, random_state=1).adjacency
    found = lp.infer.same_position(model, rows[:20], rows[20:])
    basis = model.transform(np.eye(200))
    difference = (rows[:20] - rows[20:]).toarray()
    covariances = np.einsum("ij,ja,jb->iab", difference**2, basis, basis)
    offset = difference @ basis
    expected = (offset * np.linalg.solve(covariances, offset[:, :, None])[:, :, 0]).sum(axis=1)
    # A hundredth of an edge is added to the covariance of about 60.
    np.testing.assert_allclose(found.statistics, expected, rtol=2e-3)
    # About 60 edges in 2 dimensions: the variance is that of chi-squared times 1 - 2 / 60.
    limit = stats.chi2.sf(found.statistics, 2)
    assert (found.p_values < limit + 0.02).all()
    assert abs(found.p_values - limit).max() < 0.03
    np.testing.assert_allclose(found.q_values, stats.false_discovery_control(found.p_values))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("directed", [False, True])
def test_known_vertices_are_compared_as_in_the_network_without_them(method, directed):
    # Mean degree 13 of 400, so that the noise of the neighbors matters.
    graph = lp.stochastic_block_model([200, 200], BLOCKS / 4, random_state=1, directed=directed)
    matrix = lp.as_adjacency(graph.adjacency, directed=directed)
    model, tau = method(2).fit(matrix), {}
    if method is lp.LaplacianSpectralEmbedding:
        tau["regularizer"] = model.regularizer_
    turned = method(2, align_to=method(2).fit(graph.adjacency[::-1][:, ::-1])).fit(matrix)
    pairs, expected = np.column_stack([range(0, 90, 6), range(1, 90, 6)]), []
    for pair in pairs:
        rest = np.delete(np.arange(400), pair)
        without = lp.as_adjacency(graph.adjacency[rest][:, rest], directed=directed)
        other, ends = method(2, **tau).fit(without), []
        for vertex in pair:
            rows = graph.adjacency[[vertex]][:, rest], graph.adjacency.T.tocsr()[[vertex]][:, rest]
            ends.append(other.read_new(rows if directed else rows[0]))
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
        labels = np.repeat([0, 1], 300)
        factors = rng.uniform(0.5, 1, 800) if degree_corrected else np.ones(800)
        everyone = np.r_[labels, np.repeat([0, 1], 100)]
        p = np.outer(factors, factors) * BLOCKS[everyone][:, everyone]
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


@pytest.mark.parametrize("weighted", [False, True])
def test_level_with_reciprocated_arcs(weighted):
    # Each pair has both arcs with probability 1/2, given one: positions as sources and as targets are correlated.
    # Without their covariance, the level of both directions together would be 0.07.
    levels = {direction: [] for direction in ("out", "in", "both")}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        labels = np.repeat([0, 1], 300)
        p = BLOCKS[labels][:, labels]
        copied = np.triu(rng.random(p.shape) < 0.7, 1)
        arcs = rng.random(p.shape) < p
        arcs = np.where(copied.T, arcs.T, arcs) * 1.0
        np.fill_diagonal(arcs, 0)
        if weighted:
            weights = rng.choice([1.0, 3.0], p.shape)
            arcs *= np.where(copied.T, weights.T, weights)
        model = lp.AdjacencySpectralEmbedding(2).fit(lp.as_adjacency(arcs, directed=True))
        for direction, found in levels.items():
            test = lp.infer.same_position(model, range(150), range(150, 300), direction=direction)
            assert test.degrees_of_freedom == (4 if direction == "both" else 2)
            found.append((test.p_values < 0.05).mean())
    # 900 pairs: the binomial standard error is 0.007.
    for found in levels.values():
        assert 0.03 <= np.mean(found) <= 0.075


def test_factors_do_not_matter_if_degrees_are_corrected():
    graph = two_blocks(2)
    model = lp.AdjacencySpectralEmbedding(2).fit(graph)
    rows = graph.new_vertices(30, random_state=3).adjacency.toarray()
    test = lp.infer.same_position
    plain = test(model, rows[:15], rows[15:], degree_corrected=True)
    np.testing.assert_allclose(
        test(model, 2 * rows[:15], rows[15:], degree_corrected=True).statistics, plain.statistics, rtol=5e-3
    )
    np.testing.assert_allclose(
        test(model, rows[15:], rows[:15], degree_corrected=True).statistics, plain.statistics, rtol=1e-8
    )
    assert plain.degrees_of_freedom == 1


@pytest.mark.parametrize("degree_corrected", [False, True])
def test_moments_of_the_statistic_over_assignments_of_edges(degree_corrected):
    # The edges of a pair are assigned again: by fair coins, or 14 of 35 to the first vertex.
    graph = two_blocks(4)
    model = lp.AdjacencySpectralEmbedding(2).fit(graph)
    rng = np.random.default_rng(0)
    edges, m = rng.choice(200, 35, replace=False), 4000
    first = np.zeros((m, 200))
    if degree_corrected:
        np.put_along_axis(first, edges[np.argsort(rng.random((m, 35)), axis=1)[:, :14]], 1.0, axis=1)
    else:
        first[:, edges] = rng.random((m, 35)) < 0.5
    second = np.zeros((m, 200))
    second[:, edges] = 1 - first[:, edges]
    found = lp.infer.same_position(model, first, second, degree_corrected=degree_corrected)
    f = found.degrees_of_freedom
    # A standard error is sqrt(2 f / m), 0.022 f at most. A hundredth of an edge is added to each end.
    assert abs(found.statistics.mean() / f - 1) < 0.06
    assert 0.85 < found.statistics.var() / (2 * f) < 1.02
    # Three binomial standard errors are 0.01.
    assert 0.037 < (found.p_values < 0.05).mean() < 0.063


def test_p_values_of_few_edges_have_their_level():
    # Vertices of degree 8: 16 edges in 2 dimensions, whose squared distance varies less than chi-squared.
    found = []
    for seed in range(3):
        graph = lp.stochastic_block_model([1000, 1000], np.array([[12, 4], [4, 12]]) / 2000, random_state=seed)
        model = lp.AdjacencySpectralEmbedding(2).fit(graph)
        new = graph.new_vertices(2000, random_state=seed + 10)
        rows = new.adjacency[np.argsort(new.labels, kind="stable")]
        found.append(lp.infer.same_position(model, rows[:-1:2], rows[1::2]))
    p = np.concatenate([test.p_values for test in found])
    # 3000 pairs: three binomial standard errors are 0.012 and 0.0055.
    assert 0.038 <= (p < 0.05).mean() <= 0.062
    assert 0.0045 <= (p < 0.01).mean() <= 0.0155


def test_names_new_vertices_and_tables():
    club = nx.karate_club_graph()
    club = nx.relabel_nodes(club, {v: f"m{v}" for v in club})
    model = lp.AdjacencySpectralEmbedding(2).fit(club)
    new = {"Anna": ["m0", "m1"], "Bela": ["m33", "m32"]}
    test = lp.infer.same_position
    one = test(model, "m0", "m33")
    assert (list(one.u), list(one.v)) == (["m0"], ["m33"])
    many = test(model, "m0", ["m33", "m1", "m2"])
    assert list(many.u) == ["m0"] * 3
    assert many.p_values[0] == pytest.approx(one.p_values[0])
    table = test(model, new, ["m0", "m0"]).table()
    assert table["u"].tolist() == ["Anna", "Bela"]
    assert list(table.columns) == ["u", "v", "statistic", "p_value", "q_value"]
    edges = model.read_new([("Anna", "m0"), ("Anna", "m1"), ("Bela", "m33"), ("Bela", "m32")])
    np.testing.assert_array_equal(test(model, edges, ["m0", "m0"]).p_values, table["p_value"])
    assert test(model, new, {"Cora": ["m5", "m6"], "Dora": ["m7"]}).p_values.shape == (2,)
    # A vertex without edges has no position of its own; nothing can be said.
    assert test(model, {"Emil": []}, {"Fred": []}).p_values[0] == pytest.approx(1)


def test_order_of_the_vertices_does_not_matter():
    model = lp.LaplacianSpectralEmbedding(2).fit(two_blocks())
    u, v = range(50), range(50, 100)
    found, back = (lp.infer.same_position(model, *pair).statistics for pair in ((u, v), (v, u)))
    np.testing.assert_allclose(found, back, rtol=1e-9)


def test_wrong_uses_are_refused():
    graph = two_blocks()
    model = lp.AdjacencySpectralEmbedding(2).fit(graph)
    test = lp.infer.same_position
    new = {"a": [0, 1], "b": [2, 3]}
    with pytest.raises(ArgumentError, match="5 twice"):
        test(model, [4, 5], [6, 5])
    with pytest.raises(ArgumentError, match="'a' twice"):
        test(model, new, {"a": [4], "c": [5]})
    rows = graph.new_vertices(2, random_state=0).adjacency
    with pytest.raises(ArgumentError, match="twice"):
        test(model, rows, rows)
    with pytest.raises(ArgumentError, match="3 vertices and v has 2"):
        test(model, [1, 2, 3], [4, 5])
    with pytest.raises(ArgumentError, match="no vertex"):
        test(model, [], [1])
    with pytest.raises(UnknownVertexError):
        test(model, 1, 1000)
    with pytest.raises(ArgumentError, match="undirected"):
        test(model, 1, 2, direction="both")
    with pytest.raises(ArgumentTypeError, match="degree_corrected"):
        test(model, 1, 2, degree_corrected=1)
    with pytest.raises(ArgumentTypeError, match="ModularityEmbedding"):
        test(lp.ModularityEmbedding(2).fit(graph), 1, 2)
    clusters = lp.VertexClustering(n_clusters=2).fit(graph)
    with pytest.raises(ArgumentTypeError, match="is a VertexClustering; pass its fitted_embedding_, or a fitted"):
        test(clusters, 1, 2)
    assert test(clusters.fitted_embedding_, 1, 2).p_values.shape == (1,)
    with pytest.raises(ArgumentError, match="2 dimensions"):
        test(lp.AdjacencySpectralEmbedding(1).fit(graph), 1, 2, degree_corrected=True)
    directed = lp.AdjacencySpectralEmbedding(2).fit(lp.as_adjacency(graph.adjacency, directed=True))
    with pytest.raises(ArgumentError, match="both directions"):
        test(directed, [0, 1], rows)
    assert test(directed, [0, 1], rows, direction="out").p_values.shape == (2,)
