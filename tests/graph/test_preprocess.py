"""Ranks, diagonal, symmetrization, Laplacians and summary of a graph, against numpy and other libraries."""

import json

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse
from scipy.stats import rankdata

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.preprocess import neighbor_counts

DIRECTED = connected(40, 6, 0, directed=True, weighted=True)
UNDIRECTED = connected(40, 6, 1, weighted=True)
LOOPS = sparse.csr_array(UNDIRECTED + sparse.diags_array(np.arange(40.0) % 3))
SIGNED = connected(40, 6, 2, directed=True, weighted=True, signed=True)

CALLS = {
    "ranks": lp.pass_to_ranks,
    "diagonal": lp.augment_diagonal,
    "symmetrize": lp.symmetrize,
    **{form: lambda graph, form=form: lp.to_laplacian(graph, form) for form in ("DAD", "I-DAD", "DA", "D-A")},
}


def checked(graph):
    """Return the dense matrix; `Adjacency` refuses one that is not canonical, or undirected and not symmetric."""
    return lp.Adjacency(graph.matrix, graph.names, graph.directed).matrix.toarray()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_every_input_gives_the_same_graph_with_names(call):
    edges = [("a", "b", 2.0), ("b", "c", 0.5), ("c", "a", 7.0), ("b", "a", 1.5)]
    arcs = lp.from_edges(*zip(*edges, strict=True), directed=True)
    graph = lp.Adjacency(arcs.matrix, arcs.names, True, {"side": [1, 2, 3]})
    expected = call(graph)
    assert list(expected.names) == ["a", "b", "c"]
    assert expected.vertex_attributes == {"side": [1, 2, 3]}
    for other in (graph.to_networkx(), graph.to_igraph(), arcs.matrix.toarray(), arcs.matrix.tocoo()):
        np.testing.assert_array_equal(checked(call(other)), checked(expected))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_wrong_graphs_are_refused(call):
    for wrong in ([[0, np.nan], [1, 0]], np.ones((2, 3)), "graph.csv", None):
        with pytest.raises((GraphError, ArgumentError, ArgumentTypeError)):
            call(wrong)


def test_ranks_are_those_of_scipy():
    matrix = np.round(DIRECTED.toarray(), 1)  # with ties
    present = matrix > 0
    ranks = rankdata(matrix[present])
    n, m = 40, present.sum()
    for method, expected in (
        ("simple-nonzero", ranks / (m + 1)),
        ("simple-all", ranks / (n**2 + 1)),
        ("zero-boost", (ranks + n * (n - 1) - m) / (n * (n - 1))),
    ):
        found = checked(lp.pass_to_ranks(matrix, method))
        np.testing.assert_allclose(found[present], expected, rtol=1e-14)
        assert not found[~present].any()


def test_ranks_of_every_pair_are_those_of_the_whole_matrix():
    # Among all possible edges, absent ones have the lowest weight: ranks of the upper triangle, zeros included.
    matrix = np.round(UNDIRECTED.toarray(), 1)
    upper = np.triu_indices(40, 1)
    ranks = rankdata(matrix[upper]) / len(upper[0])
    found = checked(lp.pass_to_ranks(matrix, "zero-boost"))[upper]
    np.testing.assert_allclose(found[matrix[upper] > 0], ranks[matrix[upper] > 0], rtol=1e-14)


def test_ranks_of_plain_and_of_signed_graphs():
    plain = lp.as_adjacency(nx.path_graph(4))
    assert lp.pass_to_ranks(plain) is plain
    with pytest.raises(GraphError, match=r"abs\(A\)"):
        lp.pass_to_ranks(SIGNED)
    with pytest.raises(ArgumentError, match="method"):
        lp.pass_to_ranks(UNDIRECTED, "ranks")


def test_the_diagonal_is_that_of_the_embedding():
    for matrix in (UNDIRECTED, LOOPS, DIRECTED, SIGNED):
        ours = lp.augment_diagonal(matrix)
        dense = matrix.toarray()
        np.fill_diagonal(dense, 0)
        mean = (dense.sum(axis=0) + dense.sum(axis=1)) / 2 / 39
        np.testing.assert_allclose(checked(ours), dense + np.diag(mean), atol=1e-14)
        direct = lp.AdjacencySpectralEmbedding(2, augment_diagonal=True).fit(matrix)
        np.testing.assert_allclose(lp.AdjacencySpectralEmbedding(2).fit(ours).embedding_, direct.embedding_)
    np.testing.assert_allclose(lp.augment_diagonal(UNDIRECTED, 3).diagonal, 3 * UNDIRECTED.sum(axis=1) / 39)
    assert not lp.augment_diagonal(LOOPS, 0).diagonal.any()
    with pytest.raises(GraphError, match="one vertex"):
        lp.augment_diagonal([[1.0]])


@pytest.mark.parametrize("matrix", [DIRECTED, SIGNED, sparse.csr_array(DIRECTED + sparse.eye_array(40))])
def test_symmetrize(matrix):
    a = matrix.toarray()
    diagonal = np.diag(np.diag(a))
    expected = {
        "avg": (a + a.T) / 2,
        "sum": a + a.T - diagonal,
        "max": np.maximum(a, a.T),
        "min": np.minimum(a, a.T),
        "triu": np.triu(a) + np.triu(a, 1).T,
        "tril": np.tril(a) + np.tril(a, -1).T,
    }
    for method, dense in expected.items():
        found = lp.symmetrize(matrix, method)
        assert not found.directed
        np.testing.assert_allclose(checked(found), dense, atol=1e-15)


def test_symmetrize_as_networkx():
    arcs = nx.gnp_random_graph(30, 0.2, seed=0, directed=True)
    np.testing.assert_array_equal(checked(lp.symmetrize(arcs, "max")), nx.to_numpy_array(arcs.to_undirected()))
    undirected = lp.as_adjacency(UNDIRECTED)
    assert lp.symmetrize(undirected, "triu") is undirected
    assert lp.symmetrize([[0, 1.0], [-1.0, 0]]).matrix.nnz == 0
    huge = [[0, 1.5e308, 0], [1e308, 0, 0], [0, 1, 0]]
    assert lp.symmetrize(huge).highest_weight == 1.25e308
    with pytest.raises(GraphError, match="has weight inf"):
        lp.symmetrize(huge, "sum")
    with pytest.raises(ArgumentError, match="method"):
        lp.symmetrize(DIRECTED, "average")


@pytest.mark.parametrize("tau", [0.0, 2.5, "mean"])
@pytest.mark.parametrize("kind", ["undirected", "loops", "directed"])
def test_laplacians_by_definition(kind, tau):
    matrix = {"undirected": UNDIRECTED, "loops": LOOPS, "directed": DIRECTED}[kind]
    a = matrix.toarray()
    a[3] = a[:, 3] = 0.0  # a vertex of degree 0
    value = a.sum(axis=1).mean() if tau == "mean" else tau
    out, into = a.sum(axis=1) + value, a.sum(axis=0) + value
    with np.errstate(divide="ignore"):
        left, right = (np.where(d > 0, d**-0.5, 0.0) for d in (out, into))
    dad = left[:, None] * a * right
    identity = np.diag((out > 0).astype(float))
    walk = left[:, None] ** 2 * a
    for form, expected in (("DAD", dad), ("I-DAD", identity - dad), ("DA", walk), ("I-DA", identity - walk)):
        found = lp.to_laplacian(a, form, regularizer=tau)
        np.testing.assert_allclose(checked(found), expected, atol=1e-14)
        assert found.directed == (kind == "directed" or form in ("DA", "I-DA"))
    np.testing.assert_allclose(checked(lp.to_laplacian(a, "R-DAD", regularizer=tau)), dad, atol=1e-14)
    np.testing.assert_allclose(checked(lp.to_laplacian(a, "D-A")), np.diag(a.sum(axis=1)) - a, atol=1e-13)


def test_wrong_laplacians():
    for graph, form, regularizer, error, part in (
        (SIGNED, "DAD", None, GraphError, "weights"),
        (UNDIRECTED, "dad", None, ArgumentError, "form"),
        (UNDIRECTED, "D-A", 1.0, ArgumentError, "regularizer"),
        (UNDIRECTED, "DAD", "max", ArgumentTypeError, "regularizer"),
        ([[0, 1e-320], [1e-320, 0]], "DAD", None, ArgumentError, "weights|regularizer"),
    ):
        with pytest.raises(error, match=part):
            lp.to_laplacian(graph, form, regularizer=regularizer)
    assert lp.to_laplacian(SIGNED, "D-A").directed


@pytest.mark.parametrize("matrix", [DIRECTED, UNDIRECTED, SIGNED, LOOPS])
def test_summary_against_networkx_and_numpy(matrix):
    found = lp.summary(matrix)
    graph = lp.as_adjacency(matrix).to_networkx()
    assert (found.n_vertices, found.n_edges) == (len(graph), graph.number_of_edges())
    assert found.loops == nx.number_of_selfloops(graph)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    assert found.density == pytest.approx(nx.density(graph))
    links = matrix.toarray()
    np.fill_diagonal(links, 0)  # loops are counted on their own
    degrees = np.count_nonzero(links, axis=1)
    for key, share in (("min", 0), ("median", 0.5), ("99%", 0.99), ("max", 1)):
        assert found.degrees[key] == pytest.approx(np.quantile(degrees, share))
    assert found.degrees["mean"] == pytest.approx(degrees.mean())
    weights = matrix.data if found.directed else sparse.triu(matrix).data
    assert found.weights["median"] == pytest.approx(np.median(weights))
    assert f"{found.n_vertices} vertices" in str(found)
    if found.directed:
        assert found.reciprocity == pytest.approx(lp.as_adjacency(matrix).to_igraph().reciprocity())
        assert found.in_degrees["max"] == np.count_nonzero(links, axis=0).max()
    else:
        assert found.reciprocity is None
    graph = lp.as_adjacency(abs(matrix)).to_networkx()
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    theirs, largest = dict(graph.degree()), found.largest_degrees
    assert largest == {name: theirs[name] for name in largest}
    assert list(largest.values()) == sorted(theirs.values(), reverse=True)[:5]


def test_summary_of_components_and_of_nothing():
    found = lp.summary(lp.from_edges(["a", "b", "c", "d"], ["b", "c", "c", "d"], vertices=list("abcdef")))
    assert (found.components, found.largest_component, found.isolated_vertices) == (4, 3, 3)
    assert (found.loops, found.degrees["min"]) == (2, 0)
    assert found.largest_degrees == {"b": 2, "a": 1, "c": 1}
    texts = lp.summary(lp.from_edges([(1, 2)], [(3, 4)], [2.5])).to_dict()
    assert json.loads(json.dumps(texts))["largest_degrees"] == {"(1, 2)": 1, "(3, 4)": 1}
    nothing = lp.summary(lp.from_edges([], [], vertices=2, directed=True))
    assert nothing.weights is None
    assert "2 vertices, 0 edges" in str(nothing)
    assert nothing.reciprocity == nothing.density == lp.summary([[1.0]]).density == 0.0


@pytest.mark.parametrize("directed", [False, True])
def test_components_agree_with_networkx(directed):
    graph = nx.gnp_random_graph(80, 0.012, seed=3, directed=directed)
    pieces = list(nx.weakly_connected_components(graph) if directed else nx.connected_components(graph))
    ours, largest = lp.largest_component(graph), max(pieces, key=len)
    assert list(ours.names) == [node for node in graph if node in largest]
    assert ours.n_edges == graph.subgraph(largest).number_of_edges()
    assert lp.largest_component(ours) is ours
    assert lp.summary(graph).components == len(pieces)
    signed = lp.from_edges([0, 2, 3], [1, 2, 4], [-1.0, 1.0, 2.0], vertices=6, directed=directed)
    assert neighbor_counts(signed).tolist() == [1, 1, 0, 1, 1, 0]  # without loops
