"""Compiled shortest paths, equal to scipy's to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._compiled import available
from lpgraph.points import shortest
from lpgraph.points.neighborhood import neighbor_graph
from lpgraph.points.shortest import shortest_lengths

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch):
    monkeypatch.setattr(shortest, "_WORTHWHILE", 0)


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
    return graph, rng.integers(0, n, draw(st.integers(1, 2 * n)))


@pytest.mark.parametrize("sparsest", [0, 10**6], ids=["one by one", "in groups"])
def test_lengths_are_those_of_scipy(sparsest):
    @settings(max_examples=150, deadline=None)
    @given(graphs())
    def check(case):
        graph, sources = case
        graph.sum_duplicates()
        expected = csgraph.dijkstra(graph, indices=sources)
        assert np.array_equal(shortest_lengths(graph, sources), expected)
        by_vertex = shortest_lengths(graph, sources, by_vertex=True)
        assert np.array_equal(by_vertex, expected.T)
        assert by_vertex.flags.c_contiguous

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shortest, "_SPARSEST", sparsest)
        check()


@pytest.mark.parametrize("count", [25, 700], ids=["one by one", "in groups"])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_graph_of_points_at_any_number_of_threads(count, threads, monkeypatch):
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
    points = np.random.default_rng(0).uniform(size=(700, 3))
    graph = neighbor_graph(
        np.vstack([points, points[:20], points + 10]), n_neighbors=6
    )  # duplicates, two components
    sources = np.random.default_rng(1).permutation(graph.shape[0])[:count]
    lengths = shortest_lengths(graph, sources)
    assert np.isinf(lengths).any()
    assert np.array_equal(lengths, csgraph.dijkstra(graph, indices=sources))


def test_an_interruption_ends_all_threads_and_is_passed_on(monkeypatch):
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "2")
    given_out = []
    honest = shortest._Queue.next

    def next_or_interrupt(queue):
        given_out.append(1)
        if len(given_out) == 5:
            raise KeyboardInterrupt
        return honest(queue)

    monkeypatch.setattr(shortest._Queue, "next", next_or_interrupt)
    graph = neighbor_graph(np.random.default_rng(0).uniform(size=(2000, 2)), n_neighbors=5)
    with pytest.raises(KeyboardInterrupt):
        shortest_lengths(graph, np.arange(2000))
    assert len(given_out) < 20
