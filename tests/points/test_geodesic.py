"""Lengths of shortest paths: as by networkx, igraph and scipy, from compiled loops to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph

import lpgraph as lp
from lpgraph._utils.compiled import available
from lpgraph.points import geodesic
from lpgraph.points.geodesic import extend_geodesics, shortest_lengths
from lpgraph.points.neighborhood import Neighborhood


def swiss_roll(n, seed=0):
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    return np.stack((t * np.cos(t), 21 * rng.random(n), t * np.sin(t)), axis=1)


def test_edges_of_length_zero_are_edges():
    points = [[0.0], [0.0], [1.0], [1.0], [2.5], [9.0], [9.0]]
    graph = lp.neighbor_graph(points, radius=1.5)
    lengths = lp.geodesic_distances(graph)
    expected = np.abs(np.subtract.outer(np.ravel(points), np.ravel(points)))
    expected[:5, 5:] = expected[5:, :5] = np.inf
    np.testing.assert_array_equal(lengths, expected)
    assert graph.nnz == 18  # it was not rid of its zeros on the way
    for form in ("csc", "coo"):
        np.testing.assert_array_equal(lp.geodesic_distances(graph.asformat(form), [3, 1]), expected[[3, 1]])


def test_training_points_keep_their_geodesics():
    X = np.concatenate((swiss_roll(300), swiss_roll(5)[[0, 0, 1]]))
    hood = Neighborhood.of(X, n_neighbors=7)
    lengths = lp.geodesic_distances(hood.distances)
    for chosen in (np.arange(303), [5, 17, 200]):
        extended = extend_geodesics(hood.rows(X), lengths[chosen].T)
        np.testing.assert_allclose(extended, lengths[:, chosen], rtol=1e-13, atol=1e-13)


def test_extension_is_a_minimum_over_neighbours():
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


def test_nothing_from_nowhere():
    graph = lp.neighbor_graph([[0.0], [1.0]], n_neighbors=1)
    assert lp.geodesic_distances(graph, []).shape == (0, 2)
    assert extend_geodesics(graph, np.empty((2, 0))).shape == (2, 0)
    assert extend_geodesics(graph[:0], np.zeros((2, 3))).shape == (0, 3)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(0, 4 * n))
    # Whole lengths make ties, 0 among them; stored zeros are edges.
    lengths = rng.integers(0, 4, count).astype(float) if draw(st.booleans()) else rng.uniform(size=count)
    source, target = rng.integers(0, n, (2, count))
    pairs, first = np.unique(np.column_stack([source, target]), axis=0, return_index=True)
    graph = sparse.csr_array((lengths[first], (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    if draw(st.booleans()):
        # Both directions, with their stored zeros.
        graph = sparse.csr_array(
            (np.tile(graph.data, 2), (np.r_[pairs[:, 0], pairs[:, 1]], np.r_[pairs[:, 1], pairs[:, 0]])), (n, n)
        )
    return graph, rng.permutation(n)[: draw(st.integers(1, n))]


compiled = pytest.mark.skipif(not available(), reason="numba is not installed")


@compiled
@settings(max_examples=150, deadline=None)
@given(graphs())
def test_lengths_are_those_of_scipy(case):
    graph, sources = case
    graph.sum_duplicates()
    expected = csgraph.dijkstra(graph, indices=sources)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(geodesic, "_SPARSEST", 10**6)
        patch.setattr(geodesic, "_WORTHWHILE", 0)
        assert np.array_equal(shortest_lengths(graph, sources), expected)
        by_vertex = shortest_lengths(graph, sources, by_vertex=True)
    assert np.array_equal(by_vertex, expected.T)
    assert by_vertex.flags.c_contiguous


@compiled
@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_graph_of_points_at_any_number_of_threads(threads, monkeypatch):
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
    monkeypatch.setattr(geodesic, "_WORTHWHILE", 0)
    points = np.random.default_rng(0).uniform(size=(700, 3))
    # Duplicates, and two components.
    graph = lp.neighbor_graph(np.vstack([points, points[:20], points + 10]), n_neighbors=6)
    sources = np.random.default_rng(1).permutation(graph.shape[0])[:700]
    lengths = shortest_lengths(graph, sources)
    assert np.isinf(lengths).any()
    assert np.array_equal(lengths, csgraph.dijkstra(graph, indices=sources))
