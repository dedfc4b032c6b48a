"""Graphs, matrices and tables of other libraries as `Adjacency`, and back."""

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from graph.test_files import same
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError

#: Random names differ by blanks.
pytestmark = pytest.mark.filterwarnings("ignore:.*which are probably one")

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
VERTEX = st.one_of(st.integers(0, 8), st.text(max_size=2), st.tuples(st.integers(0, 2)))


@settings(deadline=None)
@given(
    st.sampled_from(KINDS),
    st.lists(st.tuples(VERTEX, VERTEX, st.none() | st.integers(-4, 4)), max_size=25),
    st.lists(VERTEX, min_size=1, max_size=5),
)
def test_networkx_agrees_with_networkx(kind, edges, nodes):
    graph = kind()
    graph.add_nodes_from(nodes)
    for u, v, w in edges:
        graph.add_edge(u, v, **({} if w is None else {"weight": w}))
    ours = lp.as_adjacency(graph)
    assert list(ours.names) == list(graph)
    assert ours.directed == graph.is_directed()
    theirs = nx.to_scipy_sparse_array(graph, dtype=float)
    np.testing.assert_array_equal(ours.matrix.toarray(), theirs.toarray())
    plain = nx.to_scipy_sparse_array(graph, weight=None).toarray() != 0  # networkx counts parallel edges
    np.testing.assert_array_equal(lp.as_adjacency(graph, weight=None).matrix.toarray(), plain)


def test_without_weights_every_edge_weighs_one(tmp_path):
    arcs = pd.DataFrame({"source": list("aabbc"), "target": list("bbaca"), "weight": [3, 1, 2, 5, 4]})
    arcs.to_csv(tmp_path / "arcs.csv", index=False)
    multi = nx.from_pandas_edgelist(arcs, create_using=nx.MultiDiGraph)
    given_ = [lp.as_adjacency(form, weight=None, directed=False) for form in (arcs, lp.as_adjacency(arcs), multi)]
    for graph in (*given_, lp.read_graph(tmp_path / "arcs.csv", weight=None)):
        assert graph.matrix.toarray().tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
        assert not graph.weighted
    assert lp.as_adjacency(arcs).matrix.toarray()[0, 1] == 6


EDGE_LISTS = st.lists(st.tuples(VERTEX, VERTEX, st.floats(0.5, 5)), min_size=1, max_size=20)


@settings(deadline=None)
@given(EDGE_LISTS, st.booleans(), st.booleans(), st.lists(st.tuples(VERTEX, VERTEX), max_size=4))
def test_networkx_and_igraph_give_back_what_they_got(edges, directed, weighted, isolates):
    source, target, weight = map(list, zip(*edges, strict=True))
    names = list(dict.fromkeys([name for pair in isolates for name in pair] + source + target))
    graph = lp.from_edges(
        source, target, weight if weighted else None, directed=directed, vertices=names, multi_edges="collapse"
    )
    assert same(lp.as_adjacency(graph.to_networkx()), graph)
    assert same(lp.as_adjacency(graph.to_igraph()), graph)


def test_vertex_attributes_travel():
    graph = nx.karate_club_graph()
    ours = lp.as_adjacency(graph)
    assert ours.vertex_attributes["club"][0] == "Mr. Hi"
    part = ours.subgraph([33, 0])
    assert part.vertex_attributes["club"] == ["Officer", "Mr. Hi"]
    back = ours.to_networkx()
    assert back.adj == graph.adj
    assert back.nodes.data() == graph.nodes.data()
    assert part.to_igraph().vs["club"] == ["Officer", "Mr. Hi"]
    assert part.to_igraph().vs["name"] == [33, 0]
    view = nx.reverse_view(nx.DiGraph([(0, 1)]))
    assert lp.as_adjacency(view).matrix.toarray().tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize("value", ["3", float("inf"), None, 10**400])
def test_networkx_weights_must_be_numbers(value):
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=1)
    graph.add_edge("b", "c", weight=value)
    with pytest.raises(GraphError):
        lp.as_adjacency(graph)
    assert lp.as_adjacency(graph, weight=None).n_edges == 2


def test_direction_may_be_changed():
    arcs = nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 2)])
    assert lp.as_adjacency(arcs, directed=False).matrix.toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 1]]
    collapsed = lp.as_adjacency(arcs, directed=False, multi_edges="collapse")
    assert collapsed.matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 1]]
    both = lp.as_adjacency(collapsed, directed=True)
    assert same(both, lp.Adjacency(collapsed.matrix, collapsed.names, True))


def test_adjacency_passes_through_or_takes_the_rules():
    graph = lp.from_edges([0, 1, 1], [1, 2, 1], [2.0, 3.0, 4.0])
    assert lp.as_adjacency(graph) is graph
    assert lp.as_adjacency(graph, loops="drop").matrix.diagonal().sum() == 0
    assert list(lp.as_adjacency(graph, names=["xyz", "y", "z"]).names) == ["xyz", "y", "z"]
    with pytest.raises(GraphError):
        lp.as_adjacency(graph, loops="error")


def test_igraph_without_names_and_with_missing_weights():
    graph = igraph.Graph([(0, 1), (1, 2), (2, 2), (0, 1)])
    ours = lp.as_adjacency(graph)
    assert ours.names == range(3)
    assert ours.matrix.toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 1]]
    graph.es[0]["weight"] = 2.5  # igraph fills the others with None
    assert lp.as_adjacency(graph, multi_edges="collapse").matrix[0, 1] == 2.5
    graph.vs["name"] = ["a", "b", "a"]
    with pytest.raises(ArgumentError):
        lp.as_adjacency(graph)
    assert lp.as_adjacency(igraph.Graph(3)).n_edges == 0


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32])
def test_every_sparse_format(form, kind, dtype):
    dense = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 1]]).astype(dtype)
    given_ = getattr(sparse, f"{form}_{kind}")(dense)
    before = given_.copy()
    ours = lp.as_adjacency(given_)
    assert (ours.n_edges, ours.directed, ours.weighted, ours.names) == (3, False, False, range(3))
    assert type(ours.matrix) is sparse.csr_array
    assert ours.matrix.dtype == np.float64
    np.testing.assert_array_equal(ours.matrix.toarray(), dense.astype(float))
    assert (given_ != before).nnz == 0


def test_what_is_not_canonical_is_made_so_in_a_copy():
    data, indices, indptr = np.array([1.0, 2.0, 3.0, 0.0]), np.array([1, 0, 1, 0]), np.array([0, 3, 4])
    untidy = sparse.csr_array((data, indices, indptr), shape=(2, 2))
    ours = lp.as_adjacency(untidy)
    assert ours.matrix.toarray().tolist() == [[2, 4], [0, 0]]
    assert ours.matrix.has_canonical_format
    assert (indices.tolist(), data.tolist()) == ([1, 0, 1, 0], [1, 2, 3, 0])
    assert lp.as_adjacency(untidy, multi_edges="collapse").matrix.toarray().tolist() == [[2, 3], [0, 0]]
    with pytest.raises(GraphError):
        lp.as_adjacency(untidy, multi_edges="error")
    tidy = ours.matrix
    assert np.shares_memory(lp.as_adjacency(tidy).matrix.data, tidy.data)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("convert", [np.asarray, np.matrix, np.ndarray.tolist, lambda a: tuple(map(tuple, a))])
def test_dense_matrices(convert):
    dense = np.array([[0.0, 0.5], [0.5, 2.0]])
    ours = lp.as_adjacency(convert(dense), names=["x", "y"])
    assert (list(ours.names), ours.directed, ours.n_edges) == (["x", "y"], False, 2)
    np.testing.assert_array_equal(ours.matrix.toarray(), dense)


def test_symmetry_up_to_rounding_and_not():
    rng = np.random.default_rng(0)
    half = np.triu(rng.random((30, 30)), 1)
    whole = half + half.T
    nearly = whole * (1 + 1e-15 * rng.standard_normal((30, 30)))
    ours = lp.as_adjacency(nearly)
    assert not ours.directed
    assert (ours.matrix != ours.matrix.T).nnz == 0
    np.testing.assert_allclose(ours.matrix.toarray(), whole, rtol=1e-13)
    whole[3, 7] += 1e-9
    assert lp.as_adjacency(whole).directed
    with pytest.raises(GraphError):
        lp.as_adjacency(whole, directed=False)
    assert lp.as_adjacency(ours.matrix, directed=True).directed
    assert not lp.as_adjacency([[0, 1, 1e-14], [1, 0, 0], [0, 0, 0]]).directed  # an entry of rounding size


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
class TestTables:
    def test_by_name_in_any_order_and_case(self, frame):
        table = frame({"Weight": [1.0, 2.0], "Target": ["b", "c"], "kind": [0, 1], "Source": ["a", "b"]})
        ours = lp.as_adjacency(table)
        assert list(ours.names) == ["a", "b", "c"]
        assert ours.matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
        arcs = lp.as_adjacency(table, directed=True)
        assert arcs.matrix.toarray().tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
        assert same(arcs, lp.as_adjacency(table, source="Source", target="Target", directed=True))
        assert lp.as_adjacency(table, weight="kind").n_edges == 1
        assert lp.as_adjacency(frame({"p": [3], "q": [1], "weight": [4]})).matrix[0, 1] == 4  # by position

    @settings(deadline=None, max_examples=20)
    @given(edges=st.lists(st.tuples(*[st.text(max_size=2)] * 2, st.floats(0, 5)), min_size=1, max_size=9))
    def test_round_trip(self, frame, edges):
        source, target, weight = map(list, zip(*edges, strict=True))
        ours = lp.as_adjacency(frame({"source": source, "target": target, "weight": weight}))
        assert same(ours, lp.from_edges(source, target, weight))


def edges(**columns):
    return pd.DataFrame({"u": [0], "v": [1]} | columns)


@pytest.mark.parametrize(
    ("graph", "options", "error", "part"),
    [
        (np.zeros((3, 2)), {}, GraphError, "(3, 2)"),
        (nx.Graph(), {}, GraphError, "vertices"),
        ([[0, 1], [1]], {}, ArgumentError, "graph"),
        ([(0, 1), (1, 2)], {}, ArgumentTypeError, "from_edges(*zip"),
        (np.array([[0, 10**400], [10**400, 0]], dtype=object), {}, ArgumentError, "graph"),
        (sparse.csc_array(np.array([[0, 0], [np.inf, 0]])), {}, GraphError, "graph[1, 0]"),
        (np.ma.masked_equal(np.eye(2), 0), {}, ArgumentTypeError, "graph"),
        (np.eye(2), {"names": ["a"]}, ArgumentError, "names"),
        (nx.Graph([("a", "b")]), {"names": ["x", "y"]}, ArgumentError, "names"),
        (np.eye(2), {"weight": 3}, ArgumentTypeError, "weight=3"),
        (np.eye(2), {"loops": "error"}, GraphError, "loop"),
        (np.eye(2), {"source": "a", "target": "b"}, ArgumentTypeError, "source"),
        ("graph.gml", {}, ArgumentTypeError, "read_graph(path)"),
        (pa.chunked_array([[0, 1]]), {}, GraphError, "(2,)"),
        (edges(n=[3]), {}, ArgumentError, "['u', 'v', 'n']"),
        (pd.DataFrame({"u": [0]}), {}, ArgumentError, "['u']"),
        (pd.DataFrame([[1, 2, 3]], columns=["u", "v", "u"]), {}, ArgumentError, "'u'"),
        (edges(v=[None]), {}, ArgumentError, "edge 0"),
        (edges(weight=[np.nan]), {}, GraphError, "weight"),
        (edges(weight=["x"]), {}, ArgumentTypeError, "'weight'"),
        (pd.DataFrame(np.eye(2), list("ab"), list("ab")), {}, ArgumentTypeError, "names"),
        (pd.crosstab(pd.Series(list("aab"), name="p"), pd.Series([1, 2, 1])), {}, ArgumentTypeError, "stack"),
    ],
)
def test_as_adjacency_refuses(graph, options, error, part):
    with pytest.raises(error) as caught:
        lp.as_adjacency(graph, **options)
    assert part in str(caught.value)


def as_igraph(graph):
    return igraph.Graph.from_networkx(graph, vertex_attr_hashable="name")


@pytest.mark.parametrize("convert", [lambda graph: graph, as_igraph, nx.MultiGraph])
def test_weights_under_another_name(convert):
    graph = convert(nx.DiGraph([("a", "b", {"messages": 3}), ("b", "c", {"messages": np.int64(1)})]))
    assert not lp.as_adjacency(graph).weighted
    assert lp.as_adjacency(graph, weight="messages").highest_weight == 3
    with pytest.raises(ArgumentError, match=r"weight='message' .*weight=None"):
        lp.as_adjacency(graph, weight="message")


def test_integers_that_numpy_does_not_have():
    graph = lp.as_adjacency(pl.DataFrame({"u": [2**100], "v": [7], "weight": [3]}).cast(pl.Int128))
    assert list(graph.names) == [2**100, 7]
    assert graph.highest_weight == 3
