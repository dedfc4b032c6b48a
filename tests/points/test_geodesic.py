from __future__ import annotations

import tracemalloc

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.points import geodesic
from lpgraph.points.geodesic import extend_geodesics
from lpgraph.points.neighborhood import Neighborhood


def floyd_warshall(graph):
    """All lengths by the definition, for a sparse graph whose stored zeros are edges."""
    n = graph.shape[0]
    lengths = np.full((n, n), np.inf)
    entries = graph.tocoo()
    lengths[entries.coords] = entries.data
    np.fill_diagonal(lengths, 0.0)
    for k in range(n):
        lengths = np.minimum(lengths, lengths[:, k, None] + lengths[k])
    return lengths


def swiss_roll(n, seed=0):
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    return np.stack((t * np.cos(t), 21 * rng.random(n), t * np.sin(t)), axis=1)


def test_it_agrees_with_networkx_and_igraph():
    graph = lp.neighbor_graph(swiss_roll(150), n_neighbors=6)
    ours = lp.geodesic_distances(graph)
    entries = graph.tocoo()
    edges = list(zip(*(axis.tolist() for axis in entries.coords), strict=True))
    other = nx.Graph()
    other.add_weighted_edges_from((i, j, d) for (i, j), d in zip(edges, entries.data.tolist(), strict=True))
    for i, lengths in nx.all_pairs_dijkstra_path_length(other):
        np.testing.assert_allclose(ours[i], [lengths[j] for j in range(150)], rtol=1e-12)
    third = igraph.Graph(150, edges, directed=True)
    np.testing.assert_allclose(ours, third.distances(weights=entries.data), rtol=1e-12)


def test_edges_of_length_zero_are_edges():
    points = [[0.0], [0.0], [1.0], [1.0], [2.5], [9.0], [9.0]]
    graph = lp.neighbor_graph(points, radius=1.5)
    lengths = lp.geodesic_distances(graph)
    expected = np.abs(np.subtract.outer(np.ravel(points), np.ravel(points)))
    expected[:5, 5:] = expected[5:, :5] = np.inf
    np.testing.assert_array_equal(lengths, expected)
    assert graph.nnz == 18  # it was not rid of its zeros on the way


@settings(max_examples=100, deadline=None)
@given(n=st.integers(1, 9), data=st.data())
def test_small_graphs_agree_with_the_definition(n, data):
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = data.draw(st.dictionaries(pair, st.sampled_from([0.0, 0.5, 1.0, 3.0])))
    i, j = np.array(list(edges), dtype=int).reshape(-1, 2).T
    graph = sparse.csr_array((np.array(list(edges.values())), (i, j)), shape=(n, n))
    sources = data.draw(st.lists(st.integers(0, n - 1)))
    expected = floyd_warshall(graph)  # arcs lead one way
    np.testing.assert_array_equal(lp.geodesic_distances(graph), expected)
    np.testing.assert_array_equal(lp.geodesic_distances(graph, sources), expected[sources])


@pytest.mark.parametrize("form", ["csc", "coo", "lil"])
def test_any_sparse_format(form):
    graph = lp.neighbor_graph(swiss_roll(60), n_neighbors=5)
    np.testing.assert_array_equal(
        lp.geodesic_distances(graph.asformat(form), [3, 1]), lp.geodesic_distances(graph)[[3, 1]]
    )


def test_training_points_keep_their_geodesics():
    X = np.concatenate((swiss_roll(300), swiss_roll(5)[[0, 0, 1]]))
    hood = Neighborhood.of(X, n_neighbors=7)
    lengths = lp.geodesic_distances(hood.distances)
    np.testing.assert_allclose(extend_geodesics(hood.rows(X), lengths), lengths, rtol=1e-13, atol=1e-13)
    landmarks = [5, 17, 200]
    np.testing.assert_allclose(
        extend_geodesics(hood.rows(X), lengths[landmarks].T), lengths[:, landmarks], rtol=1e-13, atol=1e-13
    )


@pytest.mark.parametrize("work", [1, 50, 1 << 23])
def test_extension_is_a_minimum_over_neighbours(monkeypatch, work):
    # So that rows are taken one by one, a few at a time, at once.
    monkeypatch.setattr(geodesic, "_CACHE", work)
    rng = np.random.default_rng(1)
    rows = sparse.random_array((40, 30), density=0.1, rng=rng, format="csr")
    rows.data[::3] = 0.0
    lengths = np.where(rng.random((30, 6)) < 0.2, np.inf, rng.random((30, 6)))
    expected = np.full((40, 6), np.inf)
    entries = rows.tocoo()
    for x, i, d in zip(*entries.coords, entries.data, strict=True):
        expected[x] = np.minimum(expected[x], d + lengths[i])
    assert np.isinf(expected).all(axis=1).any()  # some row has no neighbour
    np.testing.assert_array_equal(extend_geodesics(rows, lengths), expected)


def test_memory_is_that_of_the_landmarks():
    n, landmarks = 20_000, 30
    graph = lp.neighbor_graph(swiss_roll(n), n_neighbors=6)
    tracemalloc.start()
    lengths = lp.geodesic_distances(graph, np.arange(landmarks))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lengths.shape == (landmarks, n)
    assert peak < 2 * lengths.nbytes + 60 * graph.nnz


def test_nothing_from_nowhere():
    graph = lp.neighbor_graph([[0.0], [1.0]], n_neighbors=1)
    assert lp.geodesic_distances(graph, []).shape == (0, 2)
    assert extend_geodesics(graph, np.empty((2, 0))).shape == (2, 0)
    assert extend_geodesics(graph[:0], np.zeros((2, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("graph", "sources", "error", "match"),
    [
        (np.eye(3), None, ArgumentTypeError, "graph is an ndarray; pass a sparse array"),
        (sparse.csr_array((2, 3)), None, GraphError, r"graph has shape \(2, 3\); pass a square array"),
        (sparse.csr_array([[0, 2.0], [-1, 0]]), None, GraphError, r"graph\[1, 0\] is -1.0; pass finite lengths"),
        (sparse.csr_array([[0, np.inf], [1, 0]]), None, GraphError, r"graph\[0, 1\] is inf"),
        (
            sparse.csr_array((2, 2)),
            [0, 2],
            ArgumentError,
            r"sources has 2, which is no vertex; pass ints in \[0, 1\]",
        ),
        (sparse.csr_array((2, 2)), [-1], ArgumentError, "sources has -1"),
        (sparse.csr_array((2, 2)), [0.5], ArgumentTypeError, r"sources=\[0.5\]"),
        (sparse.csr_array((2, 2)), [[0]], ArgumentTypeError, r"sources=\[\[0\]\]"),
    ],
)
def test_what_cannot_work_says_so(graph, sources, error, match):
    with pytest.raises(error, match=match):
        lp.geodesic_distances(graph, sources)


def test_geodesics_of_other_points_are_refused():
    with pytest.raises(ArgumentError, match=r"lengths has shape \(4, 2\) but rows has 3 columns"):
        extend_geodesics(sparse.csr_array((5, 3)), np.zeros((4, 2)))
