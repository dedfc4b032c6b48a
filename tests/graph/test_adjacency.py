from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, UnknownVertexError
from lpgraph.graph.assemble import real_csr

#: Random names differ by blanks.
pytestmark = pytest.mark.filterwarnings("ignore:.*which are probably one")

VERTEX = st.one_of(st.integers(-3, 12), st.text(max_size=3), st.tuples(st.integers(0, 2), st.booleans()))
EDGES = st.lists(st.tuples(VERTEX, VERTEX, st.floats(-5, 5)), min_size=1, max_size=25)


def dense_of(edges, names, directed):
    """The adjacency matrix by its definition, one edge at a time."""
    row = {name: i for i, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    for u, v, w in edges:
        matrix[row[u], row[v]] += w
        if not directed and row[u] != row[v]:
            matrix[row[v], row[u]] += w
    return matrix


def is_canonical(matrix):
    fresh = sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    return fresh.has_canonical_format and not (matrix.data == 0).any() and matrix.dtype == np.float64


@settings(deadline=None)
@given(EDGES, st.booleans())
def test_from_edges_is_the_sum_of_its_edges_in_order_of_appearance(edges, directed):
    source, target, weight = map(list, zip(*edges, strict=True))
    graph = lp.from_edges(source, target, weight, directed=directed)
    order = list(dict.fromkeys(name for u, v, _ in edges for name in (u, v)))
    assert list(graph.names) == order
    np.testing.assert_allclose(graph.matrix.toarray(), dense_of(edges, order, directed), atol=1e-12)
    assert is_canonical(graph.matrix)
    if not directed:
        assert (graph.matrix != graph.matrix.T).nnz == 0


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 10**15)), min_size=1, max_size=40))
def test_integer_arrays_take_the_same_way_as_lists(pairs):
    source, target = np.array(pairs).T
    fast, slow = lp.from_edges(source, target), lp.from_edges([*map(float, source)], [*map(float, target)])
    assert list(fast.names) == list(slow.names)
    assert (fast.matrix != slow.matrix).nnz == 0


@settings(deadline=None)
@given(EDGES, st.booleans(), st.randoms(use_true_random=False))
def test_permuting_vertices_permutes_rows_and_columns(edges, directed, random):
    source, target, weight = map(list, zip(*edges, strict=True))
    graph = lp.from_edges(source, target, weight, directed=directed)
    shuffled = list(graph.names)
    random.shuffle(shuffled)
    again = lp.from_edges(source, target, weight, directed=directed, vertices=shuffled)
    rows = [graph.index[name] for name in shuffled]
    np.testing.assert_array_equal(again.matrix.toarray(), graph.matrix.toarray()[np.ix_(rows, rows)])
    taken = graph.subgraph(shuffled)
    assert list(taken.names) == shuffled
    assert (taken.matrix != again.matrix).nnz == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[5, 4], [4, 0]]),
        ({"multi_edges": "collapse"}, [[5, 3], [3, 0]]),
        ({"directed": True, "multi_edges": "error"}, [[5, 1], [3, 0]]),
        ({"loops": "drop"}, [[0, 4], [4, 0]]),
        ({"multi_edges": "error"}, None),
        ({"loops": "error"}, None),
    ],
)
def test_rules_for_repeated_edges_and_loops(options, expected):
    edges = ["a", "b", "a"], ["b", "a", "a"], [1.0, 3.0, 5.0]
    if expected is None:
        with pytest.raises(GraphError):
            lp.from_edges(*edges, **options)
    else:
        assert lp.from_edges(*edges, **options).matrix.toarray().tolist() == expected


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(-5, 5)), min_size=1, max_size=30))
def test_collapse_keeps_the_largest_weight(edges):
    source, target, weight = map(np.array, zip(*edges, strict=True))
    largest = {}
    for u, v, w in edges:
        key = min(u, v), max(u, v)
        largest[key] = max(w, largest.get(key, -np.inf))
    matrix = lp.from_edges(source, target, weight, vertices=5, multi_edges="collapse").matrix.toarray()
    for (u, v), w in largest.items():
        assert matrix[u, v] == matrix[v, u] == w
    assert np.count_nonzero(np.triu(matrix)) == sum(w != 0 for w in largest.values())


def test_counts_and_degrees():
    graph = lp.from_edges([0, 1, 2], [1, 2, 2], [1.0, 2.0, 4.0], vertices=4)
    assert (graph.n_vertices, graph.n_edges, graph.weighted) == (4, 3, True)
    assert graph.names == range(4)
    assert graph.degrees.tolist() == [1, 3, 6, 0]
    assert lp.from_edges([0, 0], [1, 0], directed=True).n_edges == 2
    cancelled = lp.from_edges([0, 1, 1], [1, 2, 2], [0.0, 2.0, -2.0])  # weights of 0 are no edges
    assert (cancelled.n_edges, cancelled.n_vertices) == (0, 3)


def test_range_names_answer_like_a_dict():
    index = lp.from_edges([0], [1], vertices=5).index
    assert dict(index) == {i: i for i in range(5)}
    assert [index[name] for name in (3, np.int32(3), 3.0)] == [3, 3, 3]
    for name in (5, -1, "3", 2.5, None, (1,)):
        assert name not in index


@pytest.mark.parametrize(
    ("arguments", "options", "error", "match"),
    [
        (([0, 1], [1]), {}, ArgumentError, "source"),
        (([0], [1], [1, 2]), {}, ArgumentError, "weight"),
        ((["a"], ["b"], [np.nan]), {}, GraphError, "'a', 'b'"),
        (([], []), {}, ArgumentError, "vertices="),
        (([0], [5]), {"vertices": 3}, UnknownVertexError, "5"),
        (([0], ["x"]), {"vertices": [0, 1]}, UnknownVertexError, "'x'"),
        (([0], [1]), {"vertices": 0}, ArgumentError, "vertices=0"),
        (([0], [1]), {"vertices": [0, 1, 0]}, ArgumentError, "vertices"),
        (([0], [1]), {"vertices": [0, 1, None]}, ArgumentError, "vertices"),
        (([0], [[1]]), {}, ArgumentTypeError, "hashable"),
        ((["a", None], ["b", "c"]), {}, ArgumentError, "edge 1"),
        (("ab", "bc"), {}, ArgumentTypeError, "source='ab'"),
        (([0], [1], ["x"]), {}, ArgumentTypeError, "weight"),
        (([0], [1]), {"loops": "maybe"}, ArgumentError, "loops='maybe'"),
        (([0], [1]), {"directed": 1}, ArgumentTypeError, "directed=1"),
    ],
)
def test_from_edges_refuses(arguments, options, error, match):
    with pytest.raises(error, match=match):
        lp.from_edges(*arguments, **options)


def test_mixed_names_stay_what_they_are():
    assert list(lp.from_edges([1, "a"], ["1", (2, 3)]).names) == [1, "1", "a", (2, 3)]
    assert list(lp.from_edges(np.array([2**63 - 1]), [0]).names) == [2**63 - 1, 0]
    assert list(lp.from_edges([2**70], [0]).names) == [2**70, 0]


def test_parts_are_checked():
    graph = lp.from_edges(["a"], ["b"])
    for names, error in ((["a", "z"], UnknownVertexError), (["a", "a"], ArgumentError), ([], ArgumentError)):
        with pytest.raises(error):
            graph.subgraph(names)
    for names, attributes in ((("a",), {}), (range(2), {"x": [1]})):
        with pytest.raises(ArgumentError):
            lp.Adjacency(sparse.csr_array((2, 2)), names, vertex_attributes=attributes)


def test_indices_are_as_wide_as_the_sizes_need():
    wide = sparse.csr_array(np.eye(3))
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert lp.as_adjacency(wide).matrix.indices.dtype == np.int32
    n = 2**31 + 8
    entries = sparse.coo_array((np.ones(2), ([0, 1], [n - 1, 5])), shape=(2, n))
    assert real_csr(entries, "new").indices.tolist() == [n - 1, 5]
