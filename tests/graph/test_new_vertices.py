from __future__ import annotations

import importlib

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, UnknownVertexError
from lpgraph.graph.new_vertices import as_new_edges

KNOWN = ["a", "b", "c"]


def dense(found):
    return [None if m is None else m.toarray().tolist() for m in (found.rows, found.rows_in, found.among)]


@pytest.mark.parametrize("convert", [np.array, sparse.csr_array, sparse.coo_matrix, sparse.lil_array, list])
@pytest.mark.parametrize("dtype", [bool, int, float])
def test_rows(convert, dtype):
    rows = np.array([[0, 1, 1], [0, 0, 0]], dtype=dtype)
    found = as_new_edges(rows.tolist() if convert is list else convert(rows), KNOWN)
    assert dense(found) == [[[0, 1, 1], [0, 0, 0]], None, None]
    assert found.names == range(2)
    assert found.rows.dtype == np.float64


def test_a_batch_may_be_empty():
    assert as_new_edges(np.zeros((0, 3)), KNOWN).rows.shape == (0, 3)
    assert as_new_edges(sparse.csr_array((0, 3)), KNOWN).rows.shape == (0, 3)


def test_mapping():
    new = {"x": ["a", "c", "a"], "y": {"b": 0.5, "x": 2}, "z": []}
    found = as_new_edges(new, KNOWN)
    assert dense(found) == [[[2, 0, 1], [0, 0.5, 0], [0, 0, 0]], None, [[0, 2, 0], [2, 0, 0], [0, 0, 0]]]
    assert found.names == ("x", "y", "z")
    assert dense(as_new_edges(new, KNOWN, directed=True))[2] == [[0, 0, 0], [2, 0, 0], [0, 0, 0]]
    assert as_new_edges({"x": (name for name in "ab")}, KNOWN).rows.toarray().tolist() == [[1, 1, 0]]


def test_mapping_prefers_known_names_and_takes_an_edge_from_both_ends_once():
    assert dense(as_new_edges({"a": ["b"], "x": ["a"]}, KNOWN)) == [[[0, 1, 0], [1, 0, 0]], None, None]
    both = as_new_edges({"x": ["y"], "y": ["x", "y"]}, KNOWN)
    assert both.among.toarray().tolist() == [[0, 1], [1, 1]]
    with pytest.raises(ArgumentError, match=r"'x', 'y' has weight 1\.0 at one end and 2\.0 at the other"):
        as_new_edges({"x": ["y"], "y": {"x": 2.0}}, KNOWN)


def test_an_index_is_as_good_as_names():
    graph = lp.from_edges(["a", "b"], ["b", "c"])
    assert dense(as_new_edges({"x": ["c"]}, graph.index)) == dense(as_new_edges({"x": ["c"]}, graph.names))
    assert as_new_edges({"x": [2, np.int64(0)]}, range(3)).rows.toarray().tolist() == [[1, 0, 1]]


EDGES = [("x", "a", 2.0), ("b", "x", 3.0), ("y", "x", 5.0), ("a", "x", 7.0), ("z", "z", 1.0)]
OUT = [[2, 0, 0], [0, 0, 0], [0, 0, 0]]
IN = [[7, 3, 0], [0, 0, 0], [0, 0, 0]]
AMONG = [[0, 0, 0], [5, 0, 0], [0, 0, 1]]


def forms():
    source, target, weight = map(list, zip(*EDGES, strict=True))
    columns = {"source": source, "target": target, "weight": weight}
    yield pytest.param(EDGES, id="tuples")
    for module in ("pandas", "polars"):
        yield pytest.param(importlib.import_module(module).DataFrame(columns), id=module)
    yield pytest.param(importlib.import_module("pyarrow").table(columns), id="pyarrow")


@pytest.mark.parametrize("edges", list(forms()))
def test_edge_lists(edges):
    found = as_new_edges(edges, KNOWN, directed=True)
    assert dense(found) == [OUT, IN, AMONG]
    assert found.names == ("x", "y", "z")
    undirected = as_new_edges(edges, KNOWN)
    assert dense(undirected) == [[[9, 3, 0], [0, 0, 0], [0, 0, 0]], None, [[0, 5, 0], [5, 0, 0], [0, 0, 1]]]


def test_edge_list_of_plain_pairs_with_integer_names():
    found = as_new_edges([(7, 0), (1, 7), (8, 2)], range(3))
    assert found.names == (7, 8)
    assert found.rows.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]


def test_a_whole_graph():
    graph = nx.DiGraph([("b", "a"), ("a", "c")])
    graph.add_weighted_edges_from(EDGES)
    for form in (graph, igraph.Graph.from_networkx(graph), lp.as_adjacency(graph)):
        if isinstance(form, igraph.Graph):
            form.vs["name"] = form.vs["_nx_name"]
            form.es["weight"] = [1.0 if w is None or np.isnan(w) else w for w in form.es["weight"]]
        found = as_new_edges(form, KNOWN, directed=True)
        assert dense(found) == [OUT, IN, AMONG]
        assert found.names == ("x", "y", "z")
    with pytest.raises(ArgumentError, match="new is directed and the known graph is undirected"):
        as_new_edges(graph, KNOWN)
    both_ways = as_new_edges(nx.Graph([("x", "a"), ("x", "y")]), KNOWN, directed=True)
    assert dense(both_ways) == [[[1, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]], [[0, 1], [1, 0]]]


@pytest.mark.parametrize("directed", [False, True])
def test_the_training_graph_gives_its_own_rows_in_the_known_order(directed):
    graph = nx.gnp_random_graph(12, 0.3, seed=1, directed=directed)
    graph = nx.relabel_nodes(graph, {i: f"v{i}" for i in range(12)})
    known = lp.as_adjacency(graph)
    shuffled = known.subgraph(known.names[::-1])
    found = as_new_edges(shuffled, known.names, directed=directed)
    assert found.names == known.names
    assert (found.rows != known.matrix).nnz == 0
    if directed:
        assert (found.rows_in != known.matrix.T).nnz == 0
    nameless = as_new_edges(lp.as_adjacency(known.matrix, directed=directed), known.names, directed=directed)
    assert (nameless.rows != known.matrix).nnz == 0
    assert (as_new_edges(known.matrix, known.names).rows != known.matrix).nnz == 0


def test_a_sampled_graph_is_a_whole_graph():
    class Sampled:
        adjacency = sparse.csr_array(np.eye(3)[::-1])
        directed = False

    assert (as_new_edges(Sampled(), range(3)).rows != Sampled.adjacency).nnz == 0


VERTEX = st.sampled_from([*KNOWN, "x", "y", "z"])


@settings(deadline=None)
@given(st.lists(st.tuples(VERTEX, VERTEX, st.integers(1, 9)), min_size=1, max_size=20), st.booleans())
def test_edge_list_and_whole_graph_agree(edges, directed):
    edges = [edge for edge in edges if not {edge[0], edge[1]} <= set(KNOWN)] or [("x", "a", 1)]
    source, target, weight = map(list, zip(*edges, strict=True))
    graph = lp.from_edges(source, target, weight, directed=directed)
    by_edges = as_new_edges(edges, KNOWN, directed=directed)
    by_graph = as_new_edges(graph, KNOWN, directed=directed)
    assert dense(by_edges) == dense(by_graph)
    assert by_edges.names == by_graph.names


def test_a_sampled_batch():
    class Batch:
        adjacency = sparse.csr_array(np.eye(2, 3))
        adjacency_in = sparse.csr_array(np.ones((2, 3)))
        among = sparse.csr_array((2, 2))

    assert dense(as_new_edges(Batch(), KNOWN, directed=True)) == [
        [[1, 0, 0], [0, 1, 0]],
        [[1, 1, 1], [1, 1, 1]],
        [[0, 0], [0, 0]],
    ]
    with pytest.raises(ArgumentError, match=r"new\.adjacency has rows of length 3"):
        as_new_edges(Batch(), range(4))


@pytest.mark.parametrize(
    ("new", "error", "match"),
    [
        (
            np.zeros((1, 4)),
            ArgumentError,
            r"rows of length 4 but there are 3 known vertices; pass shape \(m, 3\)",
        ),
        (sparse.csr_array((2, 2)), ArgumentError, "rows of length 2"),
        (np.zeros(3), ArgumentError, r"row.reshape\(1, -1\)"),
        (np.zeros((1, 1, 3)), ArgumentError, "two dimensions"),
        ([0.0, 1.0, 0.0], ArgumentError, "reshape"),
        (np.array([[0, np.nan, 0]]), GraphError, r"new\[0, 1\] is nan"),
        (np.array([[0, 1j, 0]]), ArgumentError, "complex"),
        (np.array([["a", "b", "c"]]), ArgumentTypeError, "dtype"),
        (np.array([[None, 1, 2]]), ArgumentTypeError, "object"),
        ({"x": ["a", "q", "r"]}, UnknownVertexError, r"2 vertex names are unknown: 'q', 'r'. A neighbor is"),
        ({"x": "abc"}, ArgumentTypeError, r"new\['x'\]='abc' is a str; pass a list"),
        ({"x": 3}, ArgumentTypeError, "is a int"),
        ({"x": [["a"]]}, ArgumentTypeError, "which is no vertex name"),
        ({"x": {"a": "2"}}, ArgumentError, r"new\['x'\]\['a'\] is '2'"),
        ({"x": {"a": float("nan")}}, ArgumentError, "is nan"),
        ({None: ["a"]}, ArgumentError, "is None"),
        ([("a", "b")], ArgumentError, "Edge 0 of new joins 'a' and 'b', which are both known"),
        ([("x", "a"), ("x", "b", 2.0)], ArgumentError, r"lengths \[2, 3\]"),
        ([("x", "a", "heavy")], ArgumentTypeError, "weight has dtype"),
        ([("x", "a", np.inf)], GraphError, "is inf"),
        (nx.Graph([("a", "b")]), ArgumentError, "All 2 vertices of new are known"),
        ("x", ArgumentTypeError, r"new='x' is a path; pass read_graph"),
        (None, ArgumentTypeError, "NoneType"),
    ],
)
def test_refuses(new, error, match):
    with pytest.raises(error, match=match):
        as_new_edges(new, KNOWN)


def test_names_of_another_type_are_no_new_vertices():
    # Without the check all of these would land at the origin without a word.
    with pytest.raises(UnknownVertexError, match=r"called like 0 \(int\), the new like 'x' \(str\)"):
        as_new_edges(lp.from_edges(["x", "x"], ["1", "2"]), range(5))
    with pytest.raises(UnknownVertexError, match="name the known ones alike"):
        as_new_edges([(7, 1), (7, 2)], ["1", "2"])
    # New vertices that only know each other are no such case.
    assert as_new_edges([("x", "y")], ["1", "2"]).rows.nnz == 0


def test_known_vertices_and_their_edges_are_counted():
    graph = nx.Graph([("x", "a"), ("a", "b"), ("b", "c"), ("x", "y"), ("c", "c")])
    for form, directed in ((graph, False), (graph, True), (nx.DiGraph(graph.edges), True)):
        found = as_new_edges(form, KNOWN, directed=directed)
        assert (found.n_known, found.n_ignored) == (3, 3)
    found = as_new_edges([("x", "a"), ("x", "y")], KNOWN)
    assert (found.n_known, found.n_ignored) == (1, 0)
    assert as_new_edges([("x", "y")], KNOWN).n_known == 0
    assert as_new_edges(nx.Graph([("a", "b"), ("b", "c")]), KNOWN).n_known == 3
