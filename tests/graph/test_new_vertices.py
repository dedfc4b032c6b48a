from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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


@pytest.mark.parametrize("convert", [np.array, sparse.csr_array, sparse.lil_array, np.ndarray.tolist])
@pytest.mark.parametrize("dtype", [bool, int, float])
def test_rows(convert, dtype):
    rows = np.array([[0, 1, 1], [0, 0, 0]], dtype=dtype)
    found = as_new_edges(convert(rows), KNOWN)
    assert dense(found) == [[[0, 1, 1], [0, 0, 0]], None, None]
    assert found.names == range(2)
    assert found.rows.dtype == np.float64
    assert as_new_edges(np.zeros((0, 3)), KNOWN).rows.shape == (0, 3)


def test_mapping():
    new = {"x": ["a", "c", "a"], "y": {"b": 0.5, "x": 2}, "z": []}
    found = as_new_edges(new, KNOWN)
    assert dense(found) == [[[2, 0, 1], [0, 0.5, 0], [0, 0, 0]], None, [[0, 2, 0], [2, 0, 0], [0, 0, 0]]]
    assert list(found.names) == ["x", "y", "z"]
    assert dense(as_new_edges(new, KNOWN, directed=True))[2] == [[0, 0, 0], [2, 0, 0], [0, 0, 0]]
    index = lp.from_edges(["a", "b"], ["b", "c"]).index
    assert as_new_edges({"x": (name for name in "ab")}, index).rows.toarray().tolist() == [[1, 1, 0]]
    assert as_new_edges({"x": [2, np.int64(0)]}, range(3)).rows.toarray().tolist() == [[1, 0, 1]]


def test_a_mapping_takes_an_edge_from_both_ends_once():
    both = as_new_edges({"x": ["y"], "y": ["x", "y"]}, KNOWN)
    assert both.among.toarray().tolist() == [[0, 1], [1, 1]]
    with pytest.raises(ArgumentError, match="weight"):
        as_new_edges({"x": ["y"], "y": {"x": 2.0}}, KNOWN)
    known = as_new_edges({"x": ["a"], "a": ["x"], "b": ["x"]}, KNOWN)
    assert known.rows.toarray().tolist() == [[1, 1, 0]]
    with pytest.raises(ArgumentError, match="'x'"):
        as_new_edges({"x": ["a"], "a": {"x": 2.0}}, KNOWN)


EDGES = [("x", "a", 2.0), ("b", "x", 3.0), ("y", "x", 5.0), ("a", "x", 7.0), ("z", "z", 1.0)]
OUT = [[2, 0, 0], [0, 0, 0], [0, 0, 0]]
IN = [[7, 3, 0], [0, 0, 0], [0, 0, 0]]
AMONG = [[0, 0, 0], [5, 0, 0], [0, 0, 1]]


COLUMNS = dict(zip(("source", "target", "weight"), map(list, zip(*EDGES, strict=True)), strict=True))
TABLES = {"pandas": pd.DataFrame(COLUMNS), "polars": pl.DataFrame(COLUMNS), "pyarrow": pa.table(COLUMNS)}


@pytest.mark.parametrize("edges", [EDGES, *TABLES.values()], ids=["tuples", *TABLES])
def test_edge_lists(edges):
    found = as_new_edges(edges, KNOWN, directed=True)
    assert dense(found) == [OUT, IN, AMONG]
    assert list(found.names) == ["x", "y", "z"]
    undirected = as_new_edges(edges, KNOWN)
    assert dense(undirected) == [[[9, 3, 0], [0, 0, 0], [0, 0, 0]], None, [[0, 5, 0], [5, 0, 0], [0, 0, 1]]]
    assert as_new_edges([(7, 0), (1, 7), (8, 2)], range(3)).rows.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]


def test_a_whole_graph():
    graph = nx.DiGraph([("b", "a"), ("a", "c")])
    graph.add_weighted_edges_from(EDGES)
    for form in (graph, lp.as_adjacency(graph).to_igraph(), lp.as_adjacency(graph)):
        with pytest.warns(LpgraphWarning, match="new has 2 "):
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
    assert (as_new_edges(known.matrix, known.names).rows != known.matrix).nnz == 0


VERTEX = st.sampled_from([*KNOWN, "x", "y", "z"])


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
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
    forms = edges, graph, mapping
    by_edges, by_graph, by_name = (as_new_edges(form, KNOWN, directed=directed) for form in forms)
    assert dense(by_edges) == dense(by_graph)
    # Dense matrices count what the three readers divide.
    between = [name in KNOWN for name in graph.names]
    known = graph.matrix.toarray()[np.ix_(between, between)] != 0
    assert by_graph.n_ignored == int((known if directed else np.triu(known)).sum())
    assert by_edges.n_ignored == by_name.n_ignored == by_graph.n_ignored
    order = [listed(by_name.names).index(name) for name in by_graph.names]
    assert len(graph.names) - sum(between) == len(order) == len(by_name.names)
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
    graph = lp.from_edges(*zip(*pairs, strict=True), directed=directed)
    for form in ({"x": ["a"], "a": ["b"], "c": ["c"]}, pairs, graph):
        with pytest.warns(LpgraphWarning, match="new has 2 "):
            found = as_new_edges(form, KNOWN, directed=directed)
        assert list(found.names) == ["x"]
        assert found.rows.toarray().tolist() == [[1, 0, 0]]
        assert (found.n_known, found.n_ignored) == (3, 2)
        assert as_new_edges(found, KNOWN) is found
    assert dense(as_new_edges([("b", "a"), ("c", "b")], KNOWN))[0] == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_names_of_which_none_is_known():
    for new in ([("x", "B")], nx.Graph([("x", "y")])):
        with pytest.warns(LpgraphWarning, match="known"):
            as_new_edges(new, KNOWN)
    # Without a check of types all of these would land at the origin without a word.
    for known, texts in ((range(5), lp.from_edges(["x", "x"], ["1", "2"])), (["1", "2"], [(7, 1), (7, 2)])):
        with pytest.raises(UnknownVertexError, match="type"):
            as_new_edges(texts, known)


def test_sampled_batches():
    class Batch:
        adjacency = sparse.csr_array(np.eye(2, 3))
        adjacency_in = sparse.csr_array(np.ones((2, 3)))
        among = sparse.csr_array((2, 2))

    found = dense(as_new_edges(Batch(), KNOWN, directed=True))
    assert found == [[[1, 0, 0], [0, 1, 0]], [[1, 1, 1], [1, 1, 1]], [[0, 0], [0, 0]]]
    with pytest.raises(ArgumentError, match="new"):
        as_new_edges(Batch(), range(4))


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (np.zeros((1, 4)), ArgumentError),
        ([0.0, 1.0, 0.0], ArgumentError),
        (np.array([[0, np.nan, 0]]), GraphError),
        ({"x": ["a", "q", "r"]}, UnknownVertexError),
        ({"x": "abc"}, ArgumentTypeError),
        ({"x": {"a": float("nan")}}, ArgumentError),
        ({None: ["a"]}, ArgumentError),
        ({"a": ["b"]}, ArgumentError),
        ([("x", "a"), ("x", "b", 2.0)], ArgumentError),
        ([("x", "a", np.inf)], GraphError),
        (nx.Graph([("a", "b")]), ArgumentError),
        ("x", ArgumentTypeError),
    ],
)
def test_refuses(new, error):
    with pytest.raises(error, match=r"new|weight|'x'|'q', 'r'"):
        as_new_edges(new, KNOWN)


def test_loops_of_new_vertices_are_kept_and_not_used():
    flights = lp.datasets.flights().graph
    model = lp.AdjacencySpectralEmbedding(3).fit(flights)
    new = [("new", "new", 2.0), ("new", "SEA", 1.0)]
    assert model.read_new(new).among.toarray().tolist() == [[2.0]]
    assert model.transform(new).tolist() == model.transform([("new", "SEA", 1.0)]).tolist()
