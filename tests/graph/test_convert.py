from __future__ import annotations

import importlib

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.files import read_graph

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
UNPADDED = st.text(max_size=2).map(str.strip)
VERTEX = st.one_of(st.integers(0, 8), st.text(max_size=2), st.tuples(st.integers(0, 2)))


def same(a, b):
    return (
        list(a.names) == list(b.names)
        and a.directed == b.directed
        and (a.matrix != b.matrix).nnz == 0
        and a.n_edges == b.n_edges
    )


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
    plain = (
        nx.to_scipy_sparse_array(graph, dtype=float, weight=None).toarray() != 0
    )  # networkx counts parallel edges
    np.testing.assert_array_equal(lp.as_adjacency(graph, weight=None).matrix.toarray(), plain)


def test_without_weights_every_edge_weighs_one(tmp_path):
    arcs = pd.DataFrame({"source": list("aabbc"), "target": list("bbaca"), "weight": [3, 1, 2, 5, 4]})
    arcs.to_csv(tmp_path / "arcs.csv", index=False)
    expected = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    graphs = [
        lp.as_adjacency(arcs, weight=None),
        lp.as_adjacency(lp.as_adjacency(arcs), weight=None),
        lp.read_graph(tmp_path / "arcs.csv", weight=None),
        lp.as_adjacency(nx.from_pandas_edgelist(arcs, create_using=nx.MultiDiGraph), weight=None, directed=False),
    ]
    for graph in graphs:
        assert graph.matrix.toarray().tolist() == expected
        assert not graph.weighted
    assert lp.as_adjacency(arcs).matrix.toarray()[0, 1] == 6
    with pytest.raises(GraphError, match="is given 3 times"):
        lp.as_adjacency(arcs, weight=None, multi_edges="error")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_a_table_are_named(library):
    table = pytest.importorskip(library).DataFrame(
        {"day": [1, 2], "to_": ["b", "c"], "by": ["a", "b"], "n": [3, 4]}
    )
    graph = lp.as_adjacency(table, source="by", target="to_", weight="n", directed=True)
    assert [(u, v, w) for u, v, w in graph.to_networkx().edges(data="weight")] == [
        ("a", "b", 3.0),
        ("b", "c", 4.0),
    ]
    with pytest.raises(
        ArgumentError, match=r"no two are called source and target; .* or pass source= and target="
    ):
        lp.as_adjacency(table)
    with pytest.raises(ArgumentError, match="source='who' is no column of graph"):
        lp.as_adjacency(table, source="who", target="to_")
    with pytest.raises(ArgumentTypeError, match="target=None is a NoneType; pass the titles of both"):
        lp.as_adjacency(table, source="by")
    for graph in (nx.path_graph(3), lp.as_adjacency(nx.path_graph(3)), np.eye(3)):
        with pytest.raises(ArgumentTypeError, match="source='by' is for tables and graph is a"):
            lp.as_adjacency(graph, source="by", target="to_")


EDGE_LISTS = st.lists(st.tuples(VERTEX, VERTEX, st.floats(0.5, 5)), min_size=1, max_size=20)


@pytest.mark.filterwarnings("ignore:.*differ only by type")
@settings(deadline=None)
@given(EDGE_LISTS, st.booleans(), st.booleans(), st.lists(st.tuples(VERTEX, VERTEX), max_size=4))
def test_networkx_and_igraph_give_back_what_they_got(edges, directed, weighted, isolates):
    source, target, weight = map(list, zip(*edges, strict=True))
    names = list(dict.fromkeys([name for pair in isolates for name in pair] + source + target))
    graph = lp.from_edges(
        source,
        target,
        weight if weighted else None,
        directed=directed,
        vertices=names,
        multi_edges="collapse",
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


def test_views_and_subclasses_of_networkx_graphs():
    graph = nx.path_graph(5)
    assert list(lp.as_adjacency(graph.subgraph([1, 2, 4])).names) == [1, 2, 4]
    assert lp.as_adjacency(nx.reverse_view(nx.DiGraph([(0, 1)]))).matrix.toarray().tolist() == [
        [0, 0],
        [1, 0],
    ]


def test_networkx_weights_must_be_numbers():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=1)
    graph.add_edge("b", "c", weight="3")
    with pytest.raises(GraphError, match="edge 'b', 'c' has weight='3'"):
        lp.as_adjacency(graph)
    assert lp.as_adjacency(graph, weight=None).n_edges == 2
    graph["b"]["c"]["weight"] = float("inf")
    with pytest.raises(GraphError, match="edge 'b', 'c' has weight inf"):
        lp.as_adjacency(graph)


def test_direction_may_be_changed():
    arcs = nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 2)])
    assert lp.as_adjacency(arcs, directed=False).matrix.toarray().tolist() == [
        [0, 2, 0],
        [2, 0, 1],
        [0, 1, 1],
    ]
    collapsed = lp.as_adjacency(arcs, directed=False, multi_edges="collapse")
    assert collapsed.matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 1]]
    both = lp.as_adjacency(collapsed, directed=True)
    assert both.directed
    assert (both.matrix != collapsed.matrix).nnz == 0
    assert same(lp.as_adjacency(nx.Graph(arcs), directed=True), both)


def test_adjacency_passes_through_or_takes_the_rules():
    graph = lp.from_edges([0, 1, 1], [1, 2, 1], [2.0, 3.0, 4.0])
    assert lp.as_adjacency(graph) is graph
    assert lp.as_adjacency(graph, loops="drop").matrix.diagonal().sum() == 0
    assert not lp.as_adjacency(graph, weight=None).weighted
    assert list(lp.as_adjacency(graph, names=["xyz", "y", "z"]).names) == ["xyz", "y", "z"]
    with pytest.raises(GraphError, match="loop"):
        lp.as_adjacency(graph, loops="error")


def test_igraph_without_names_and_with_missing_weights():
    graph = igraph.Graph([(0, 1), (1, 2), (2, 2), (0, 1)])
    ours = lp.as_adjacency(graph)
    assert ours.names == range(3)
    assert ours.matrix.toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 1]]
    graph.es[0]["weight"] = 2.5  # igraph fills the others with None
    assert lp.as_adjacency(graph, multi_edges="collapse").matrix[0, 1] == 2.5
    graph.vs["name"] = ["a", "b", "a"]
    with pytest.raises(ArgumentError, match="'a' twice"):
        lp.as_adjacency(graph)
    assert lp.as_adjacency(igraph.Graph(3)).n_edges == 0


FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float32, np.float64])
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
    assert ours.matrix.nnz == 2
    assert indices.tolist() == [1, 0, 1, 0]
    assert data.tolist() == [1, 2, 3, 0]
    assert lp.as_adjacency(untidy, multi_edges="collapse").matrix.toarray().tolist() == [[2, 3], [0, 0]]
    with pytest.raises(GraphError, match="edge 0, 1 is given 2 times"):
        lp.as_adjacency(untidy, multi_edges="error")
    tidy = ours.matrix
    assert np.shares_memory(lp.as_adjacency(tidy).matrix.data, tidy.data)


@pytest.mark.parametrize("convert", [np.asarray, lambda a: a.tolist(), lambda a: tuple(map(tuple, a))])
def test_dense_matrices(convert):
    dense = np.array([[0.0, 0.5], [0.5, 2.0]])
    ours = lp.as_adjacency(convert(dense), names=["x", "y"])
    assert (list(ours.names), ours.directed, ours.n_edges) == (["x", "y"], False, 2)
    np.testing.assert_array_equal(ours.matrix.toarray(), dense)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_numpy_matrix():
    ours = lp.as_adjacency(np.matrix([[0, 2], [0, 0]]))
    assert ours.directed
    assert ours.matrix.toarray().tolist() == [[0, 2], [0, 0]]


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
    with pytest.raises(
        GraphError, match=r"graph\[3, 7\]=.*graph\[7, 3\]=.*\(graph \+ graph.T\) / 2, or directed=True"
    ):
        lp.as_adjacency(whole, directed=False)
    assert lp.as_adjacency(ours.matrix, directed=True).directed


def test_a_structurally_one_sided_entry_of_rounding_size():
    ours = lp.as_adjacency([[0, 1, 1e-14], [1, 0, 0], [0, 0, 0]])
    assert not ours.directed
    assert (ours.matrix != ours.matrix.T).nnz == 0


def test_objects_with_adjacency_and_direction():
    class Sampled:
        adjacency = sparse.csr_array(np.eye(2)[::-1])
        directed = True

    assert lp.as_adjacency(Sampled()).directed
    assert lp.as_adjacency(Sampled(), directed=False).n_edges == 1


def frames():
    for module, build in [
        ("pandas", lambda m, d: m.DataFrame(d)),
        ("polars", lambda m, d: m.DataFrame(d)),
        ("pyarrow", lambda m, d: m.table(d)),
    ]:
        yield pytest.param(
            lambda d, module=module, build=build: build(importlib.import_module(module), d), id=module
        )


@pytest.mark.parametrize("frame", list(frames()))
class TestTables:
    def test_by_name_in_any_order_and_case(self, frame):
        table = frame({"Weight": [1.0, 2.0], "Target": ["b", "c"], "kind": [0, 1], "Source": ["a", "b"]})
        ours = lp.as_adjacency(table)
        assert list(ours.names) == ["a", "b", "c"]
        assert ours.matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
        assert lp.as_adjacency(table, directed=True).matrix.toarray().tolist() == [
            [0, 1, 0],
            [0, 0, 2],
            [0, 0, 0],
        ]
        assert not lp.as_adjacency(table, weight=None).weighted
        assert lp.as_adjacency(table, weight="kind").n_edges == 1

    def test_by_position(self, frame):
        assert lp.as_adjacency(frame({"p": [3, 1], "q": [1, 3]})).matrix[0, 1] == 2
        assert lp.as_adjacency(frame({"p": [3], "q": [1], "weight": [4]})).matrix[0, 1] == 4

    def test_other_columns_are_not_guessed_at(self, frame):
        with pytest.raises(ArgumentError, match=r"pass lpgraph.as_adjacency\(graph, weight='synapses'\) if"):
            lp.as_adjacency(frame({"src": [0], "dst": [1], "synapses": [3]}))
        with pytest.raises(ArgumentError, match="no two are called source and target"):
            lp.as_adjacency(frame({str(k): [0, 1, 0, 1] for k in range(4)}))
        with pytest.raises(ArgumentError, match="weight='w' is no column"):
            lp.as_adjacency(frame({"u": [0], "v": [1]}), weight="w")
        with pytest.raises(ArgumentError, match="two endpoint columns"):
            lp.as_adjacency(frame({"u": [0]}))

    def test_missing_values_are_named(self, frame):
        with pytest.raises(ArgumentError, match="Row 1 of graph has no 'target'"):
            lp.as_adjacency(frame({"source": ["a", "b"], "target": ["b", None]}))
        with pytest.raises(ArgumentError, match="Row 0 of graph has no 'source'"):
            lp.as_adjacency(frame({"source": [None, 1], "target": [2, 3]}))
        with pytest.raises(GraphError, match="Row 1 of graph has no 'weight'"):
            lp.as_adjacency(frame({"u": [0, 1], "v": [1, 2], "weight": [1.0, None]}))
        with pytest.raises(ArgumentTypeError, match="make it numeric"):
            lp.as_adjacency(frame({"u": [0], "v": [1], "weight": ["x"]}))

    @settings(deadline=None, max_examples=20)
    @given(edges=st.lists(st.tuples(*[UNPADDED] * 2, st.floats(0, 5)), min_size=1, max_size=9))
    def test_round_trip(self, frame, edges):
        source, target, weight = map(list, zip(*edges, strict=True))
        ours = lp.as_adjacency(frame({"source": source, "target": target, "weight": weight}))
        assert same(ours, lp.from_edges(source, target, weight))


def test_edges_from_both_ends_count_twice_unless_collapsed(tmp_path):
    path = tmp_path / "both.tsv"
    path.write_text("0\t1\n1\t0\n")
    assert read_graph(path).matrix[0, 1] == 2
    assert read_graph(path, multi_edges="collapse").matrix[0, 1] == 1


@pytest.mark.parametrize(
    ("graph", "options", "error", "match"),
    [
        (np.zeros((3, 2)), {}, GraphError, r"shape \(3, 2\).*from_edges\(edges\[:, 0\], edges\[:, 1\]\)"),
        (np.zeros((3, 3, 3)), {}, GraphError, r"shape \(3, 3, 3\)"),
        (np.zeros(3), {}, GraphError, "pass a square"),
        (np.zeros((0, 0)), {}, GraphError, "no vertices"),
        (sparse.csr_array((0, 0)), {}, GraphError, "no vertices"),
        (nx.Graph(), {}, GraphError, "no vertices"),
        (igraph.Graph(), {}, GraphError, "no vertices"),
        ([[0, 1], [1]], {}, ArgumentError, "rectangular"),
        ([(0, 1), (1, 2)], {}, ArgumentTypeError, r"from_edges\(\*zip"),
        (np.array([[0, 1j], [0, 0]]), {}, ArgumentError, "complex"),
        (np.array([["a", "b"], ["c", "d"]]), {}, ArgumentTypeError, "dtype <U1"),
        (np.array([[None, 1], [1, 0]]), {}, ArgumentTypeError, "object"),
        (sparse.csr_array(np.array([[0, 1j], [0, 0]])), {}, ArgumentError, "complex"),
        (np.array([[0, np.nan], [0, 0]]), {}, GraphError, r"graph\[0, 1\] is nan"),
        (sparse.csc_array(np.array([[0, 0], [np.inf, 0]])), {}, GraphError, r"graph\[1, 0\] is inf"),
        (np.ma.masked_equal(np.eye(2), 0), {}, ArgumentTypeError, "filled"),
        (np.eye(2), {"names": ["a"]}, ArgumentError, "1 names for 2 vertices"),
        (np.eye(2), {"names": ["a", "a"]}, ArgumentError, "'a' twice"),
        (np.eye(2), {"names": [[], "a"]}, ArgumentTypeError, "not hashable"),
        (np.eye(2), {"names": "ab"}, ArgumentTypeError, "names='ab' is a str"),
        (nx.Graph([("a", "b")]), {"names": ["x", "y"]}, ArgumentError, "names its 2 vertices itself"),
        (np.eye(2), {"weight": 3}, ArgumentTypeError, "weight=3"),
        (np.eye(2), {"loops": "error"}, GraphError, "loop at vertex 0"),
        ("graph.gml", {}, ArgumentTypeError, r"a path; pass read_graph\('graph.gml'\)"),
        (None, {}, ArgumentTypeError, "NoneType"),
        ({0: [1]}, {}, ArgumentTypeError, "graph is a dict; pass a networkx"),
    ],
)
def test_as_adjacency_refuses(graph, options, error, match):
    with pytest.raises(error, match=match):
        lp.as_adjacency(graph, **options)


def test_lazy_tables_are_refused_with_the_remedy():
    polars = pytest.importorskip("polars")
    with pytest.raises(ArgumentTypeError, match=r"collect\(\) it first"):
        lp.as_adjacency(polars.LazyFrame({"u": [0], "v": [1]}))


class TestMatricesAsFrames:
    """Data frames that are matrices are refused as lists of edges, with a remedy that works."""

    NAMES = tuple(f"person {i}" for i in range(100))
    FRAME = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (100, 100)), index=NAMES, columns=NAMES)

    @pytest.mark.parametrize(
        ("frame", "remedy"),
        [
            (FRAME, r"graph\.to_numpy\(\) with names=graph\.columns"),
            (FRAME[::-1], r"graph\.loc\[graph\.columns\]\.to_numpy\(\) with names=graph\.columns"),
            (FRAME.iloc[:3, :3], r"graph\.to_numpy\(\)"),
        ],
    )
    def test_square(self, frame, remedy):
        with pytest.raises(ArgumentTypeError, match=f"is a square table, .* pass {remedy}") as caught:
            lp.as_adjacency(frame)
        assert len(str(caught.value)) < 300
        graph = lp.as_adjacency(frame.loc[frame.columns].to_numpy(), names=frame.columns)
        assert np.array_equal(graph.matrix.toarray(), self.FRAME.loc[frame.columns, frame.columns])

    def test_titles_are_cut(self):
        with pytest.raises(ArgumentError, match=r"\.\.\. \(100 columns\) and no two are called source") as caught:
            lp.as_adjacency(self.FRAME.reset_index(drop=True))
        assert len(str(caught.value)) < 400

    def test_cross_tables(self):
        one, other = pd.Series(list("aabbcc"), name="who"), pd.Series(list("xyxzyz"), name="what")
        counts = pd.crosstab(one, other)
        with pytest.raises(ArgumentTypeError, match="is a cross table of 'who' and 'what', not a list of edges"):
            lp.as_adjacency(counts)
        graph = lp.as_adjacency(counts.stack().rename("weight").reset_index())
        listed = lp.as_adjacency(pd.DataFrame({"source": one, "target": other}))
        assert same(graph.subgraph(listed.names), listed)

    def test_pairs_with_default_titles_are_edges(self):
        assert lp.as_adjacency(pd.DataFrame([(0, 1), (1, 2)])).n_edges == 2

    @pytest.mark.parametrize("edges", [[("a", "b"), ("b", "c")], [["a", "b"], ["b", "c"]]])
    def test_a_list_of_pairs(self, edges):
        with pytest.raises(
            ArgumentTypeError, match=r"is a list of pairs; pass lpgraph\.from_edges\(\*zip\(\*edges"
        ):
            lp.AdjacencySpectralEmbedding(1).fit(edges)
        assert list(lp.from_edges(*zip(*edges, strict=True)).names) == ["a", "b", "c"]


def test_a_matrix_of_two_kinds_of_vertices_and_a_dict_have_a_remedy():
    with pytest.raises(GraphError, match=r"scipy.sparse.block_array\(\[\[None, graph\], \[graph.T, None\]\]\)"):
        lp.as_adjacency(np.ones((4, 6)))
    with pytest.raises(ArgumentTypeError, match=r"to their neighbors, pass networkx.Graph\(graph\)"):
        lp.as_adjacency({"a": ["b"]})
