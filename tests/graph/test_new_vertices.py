from __future__ import annotations

import importlib
import warnings

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.names import listed
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
    assert list(found.names) == ["x", "y", "z"]
    assert dense(as_new_edges(new, KNOWN, directed=True))[2] == [[0, 0, 0], [2, 0, 0], [0, 0, 0]]
    assert as_new_edges({"x": (name for name in "ab")}, KNOWN).rows.toarray().tolist() == [[1, 1, 0]]


def test_a_mapping_takes_an_edge_from_both_ends_once():
    both = as_new_edges({"x": ["y"], "y": ["x", "y"]}, KNOWN)
    assert both.among.toarray().tolist() == [[0, 1], [1, 1]]
    with pytest.raises(ArgumentError, match=r"'x', 'y' has weight 1\.0 at one end and 2\.0 at the other"):
        as_new_edges({"x": ["y"], "y": {"x": 2.0}}, KNOWN)
    known = as_new_edges({"x": ["a"], "a": ["x"], "b": ["x"]}, KNOWN)
    assert known.rows.toarray().tolist() == [[1, 1, 0]]
    with pytest.raises(ArgumentError, match=r"'x', 'a' has weight 1\.0 at one end and 2\.0 at the other"):
        as_new_edges({"x": ["a"], "a": {"x": 2.0}}, KNOWN)


def test_known_names_in_a_mapping_of_a_directed_graph_give_arcs_to_new_vertices():
    found = as_new_edges({"x": ["a"], "c": {"x": 2.0}, "y": []}, KNOWN, directed=True)
    assert dense(found) == [[[1, 0, 0], [0, 0, 0]], [[0, 0, 2], [0, 0, 0]], None]
    assert as_new_edges({"x": ["a"]}, KNOWN, directed=True).rows_in is None


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
    assert list(found.names) == ["x", "y", "z"]
    undirected = as_new_edges(edges, KNOWN)
    assert dense(undirected) == [[[9, 3, 0], [0, 0, 0], [0, 0, 0]], None, [[0, 5, 0], [5, 0, 0], [0, 0, 1]]]


def test_edge_list_of_plain_pairs_with_integer_names():
    found = as_new_edges([(7, 0), (1, 7), (8, 2)], range(3))
    assert list(found.names) == [7, 8]
    assert found.rows.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]


def test_a_whole_graph():
    graph = nx.DiGraph([("b", "a"), ("a", "c")])
    graph.add_weighted_edges_from(EDGES)
    for form in (graph, igraph.Graph.from_networkx(graph), lp.as_adjacency(graph)):
        if isinstance(form, igraph.Graph):
            form.vs["name"] = form.vs["_nx_name"]
            form.es["weight"] = [1.0 if w is None or np.isnan(w) else w for w in form.es["weight"]]
        with pytest.warns(LpgraphWarning, match="new has 2 edges between known vertices, which are left out"):
            found = as_new_edges(form, KNOWN, directed=True)
        assert dense(found) == [OUT, IN, AMONG]
        assert list(found.names) == ["x", "y", "z"]
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
    assert list(found.names) == list(known.names)
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
def test_every_form_follows_the_same_rule(edges, directed):
    edges = [("x", "a", 1), *edges]
    source, target, weight = map(list, zip(*edges, strict=True))
    graph = lp.from_edges(source, target, weight, directed=directed)
    mapping = {}
    for u, v, w in zip(*(list(column) for column in graph.edge_list()), strict=True):
        mapping.setdefault(graph.names[u], {})[graph.names[v]] = w
    mapping |= {name: {} for name in graph.names if name not in mapping and name not in KNOWN}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LpgraphWarning)
        by_edges, by_graph, by_name = (
            as_new_edges(form, KNOWN, directed=directed) for form in (edges, graph, mapping)
        )
    assert dense(by_edges) == dense(by_graph)
    assert list(by_edges.names) == list(by_graph.names)
    # Dense matrices count what the three readers divide.
    n, between = len(graph.names), [graph.names[i] in KNOWN for i in range(len(graph.names))]
    known = graph.matrix.toarray()[np.ix_(between, between)] != 0
    assert by_graph.n_ignored == int((known if directed else np.triu(known)).sum())
    assert by_edges.n_ignored == by_name.n_ignored == by_graph.n_ignored
    inside = [(u, v) for u, v, _ in edges if not {u, v} <= set(KNOWN)]
    assert by_edges.n_repeated == len(inside) - len({pair if directed else frozenset(pair) for pair in inside})
    order = [listed(by_name.names).index(name) for name in by_graph.names]
    assert n - sum(between) == len(order) == len(by_name.names)
    assert (by_name.rows.toarray()[order] == by_graph.rows.toarray()).all()
    if directed:
        inward = np.zeros((len(order), 3)) if by_name.rows_in is None else by_name.rows_in.toarray()
        assert (inward[order] == by_graph.rows_in.toarray()).all()
    assert (by_name.among is None) == (by_graph.among is None)
    if by_graph.among is not None:
        assert (by_name.among.toarray()[np.ix_(order, order)] == by_graph.among.toarray()).all()


@pytest.mark.parametrize("directed", [False, True])
def test_edges_between_known_vertices_are_left_out_with_a_warning(directed):
    pairs = [("x", "a"), ("a", "b"), ("a", "b"), ("c", "c")]
    forms = (
        {"x": ["a"], "a": ["b"], "c": ["c"]},
        pairs,
        lp.from_edges(*zip(*pairs, strict=True), directed=directed),
    )
    for form in forms:
        with pytest.warns(LpgraphWarning, match="new has 2 edges between known vertices, which are left out; fit"):
            found = as_new_edges(form, KNOWN, directed=directed)
        assert list(found.names) == ["x"]
        assert found.rows.toarray().tolist() == [[1, 0, 0]]
        assert found.n_ignored == 2
        assert as_new_edges(found, KNOWN) is found


def test_edges_that_are_listed_again_add_up_and_are_counted():
    for form in (
        {"x": ["a", "a", "x"], "y": ["x", "x"]},
        [("x", "a"), ("a", "x"), ("x", "x"), ("y", "x"), ("y", "x")],
    ):
        found = as_new_edges(form, KNOWN)
        assert dense(found) == [[[2, 0, 0], [0, 0, 0]], None, [[1, 2], [2, 0]]]
        assert found.n_repeated == 2
        assert {("loops", "1"), ("edges repeated", "2")} <= set(found._facts())
    whole = lp.from_edges(["x", "a"], ["a", "x"])
    assert whole.matrix.toarray().tolist() == [[0, 2], [2, 0]]  # the rule of graphs


def test_names_that_differ_in_case_or_blanks_are_named():
    with pytest.raises(UnknownVertexError, match=r"'A '\. Is 'A ' the known 'a'\? A neighbor is"):
        as_new_edges({"x": ["A "]}, KNOWN)
    with pytest.warns(LpgraphWarning, match=r"None of the 2 names in new is known\. Is 'B' the known 'b'\?"):
        assert as_new_edges([("x", "B")], KNOWN).rows.nnz == 0
    with pytest.warns(LpgraphWarning, match=r"The known ones are called like 'a', these like 'x'\."):
        as_new_edges(nx.Graph([("x", "y")]), KNOWN)


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
        ({"x": 3}, ArgumentTypeError, "is an int"),
        ({"x": [["a"]]}, ArgumentTypeError, "which is no vertex name"),
        ({"x": {"a": "2"}}, ArgumentError, r"new\['x'\]\['a'\] is '2'"),
        ({"x": {"a": float("nan")}}, ArgumentError, "is nan"),
        ({None: ["a"]}, ArgumentError, "is None"),
        ([("a", "b")], ArgumentError, "All 2 vertices of new are known; pass edges of new vertices, or a graph"),
        ({"a": ["b"]}, ArgumentError, "The vertex 'a' of new is known"),
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


def test_known_vertices_and_their_edges_are_counted():
    graph = nx.Graph([("x", "a"), ("a", "b"), ("b", "c"), ("x", "y"), ("c", "c")])
    for form, directed in ((graph, False), (graph, True), (nx.DiGraph(graph.edges), True)):
        with pytest.warns(LpgraphWarning, match="3 edges between known vertices"):
            found = as_new_edges(form, KNOWN, directed=directed)
        assert (found.n_known, found.n_ignored) == (3, 3)
    found = as_new_edges([("x", "a"), ("x", "y")], KNOWN)
    assert (found.n_known, found.n_ignored) == (1, 0)
    assert as_new_edges(nx.Graph([("a", "b"), ("b", "c")]), KNOWN).n_known == 3
    assert as_new_edges([("b", "a"), ("c", "b")], KNOWN).rows.toarray().tolist() == [
        [0, 1, 0],
        [1, 0, 1],
        [0, 1, 0],
    ]
