"""Unusual vertices: planted ones are found, the null hypothesis has the stated moments, the page has them."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.reporting.unusual import UnusualVertices, _Profile


def blocks(seed, between=0.008):
    """Four blocks of 100 vertices of mean degree about 14, and their labels."""
    B = np.full((4, 4), between) + (0.12 - between) * np.eye(4)
    graph = lp.stochastic_block_model([100] * 4, B, random_state=seed)
    return graph.adjacency.toarray(), np.repeat(np.arange(4), 100)


def rewired(A, vertex, neighbors):
    A[vertex] = A[:, vertex] = 0
    A[vertex, neighbors] = A[neighbors, vertex] = 1
    return A


@pytest.mark.parametrize("k", [3, 12, 200])
def test_the_moments_of_the_residual(k):
    shares, draws = np.array([0.6, 0.3, 0.08, 0.02]), 40_000
    counts = np.random.default_rng(k).multinomial(k, shares, size=draws)
    labels = np.zeros(draws, dtype=np.intp)
    # So many other neighbors that a vertex's own do not matter.
    together = sparse.csr_array(np.vstack([1e12 * shares, np.zeros((3, 4))]))
    neighbors = sparse.csr_array(counts.astype(float))
    profile = _Profile(neighbors, labels, np.full(draws, float(k)), together, 1.0, shares)
    residual, mean, spread, _ = profile.residuals(np.arange(draws))
    # Five standard errors of the mean; the kurtosis of the residual is below 30, so that the relative standard
    # error of its standard deviation is below (29 / (4 * 40000)) ** 0.5 = 0.014.
    assert abs(residual.mean() - mean[0]) < 5 * spread[0] / draws**0.5
    assert residual.std() == pytest.approx(spread[0], rel=0.06)


def test_clusters_without_neighbors_count_by_the_prior():
    """All clusters are compared, also those in which no member of a cluster has a neighbor."""
    labels = np.random.default_rng(0).integers(0, 9, 60)
    profile = _Profile.of(lp.as_adjacency(nx.gnp_random_graph(60, 0.05, seed=0)), labels)
    together, neighbors = profile.together.toarray(), profile.neighbors.toarray()
    prior = profile.weight * together.sum(axis=0) / together.sum()
    for cluster in range(9):
        members = np.flatnonzero(labels == cluster)
        counts = neighbors[members]
        others = together[cluster] - counts + prior
        shares = others / others.sum(axis=1, keepdims=True)
        k = np.maximum(counts.sum(axis=1), 1.0)
        residual, mean, _, bridge = profile.residuals(members)
        np.testing.assert_allclose(residual, ((counts - k[:, None] * shares) ** 2).sum(axis=1) / k)
        np.testing.assert_allclose(mean, 1 - (shares**2).sum(axis=1))
        a = profile.weight * shares + counts
        total = a.sum(axis=1)
        np.testing.assert_allclose(bridge, 1 - (a * (a + 1)).sum(axis=1) / (total * (total + 1)))


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_odd_vertex_is_first(seed):
    A, labels = blocks(seed)
    rng = np.random.default_rng(seed)
    # Vertex 7 of cluster 0 has few neighbors there, and as many as others of its degree in all.
    A = rewired(A, 7, np.concatenate([rng.choice(np.arange(10, 100), 5, replace=False), rng.choice(300, 9) + 100]))
    found = UnusualVertices.of(lp.as_adjacency(A), labels, np.full(400, True)).worst_fit
    assert found[0].name == 7
    assert found[0].score > 5
    assert found[0].neighbors[0][0] == 5
    assert [row.score for row in found] == sorted((row.score for row in found), reverse=True)


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_bridge_is_first(seed):
    A, labels = blocks(seed, 0.002)
    rng = np.random.default_rng(seed)
    A = rewired(A, 7, np.concatenate([rng.choice(np.arange(10, 100), 10, replace=False), np.arange(200, 210)]))
    A = rewired(A, 8, [9, 150, 250])  # three neighbors in three clusters say little
    first = UnusualVertices.of(lp.as_adjacency(A), labels, np.full(400, True)).bridges[0]
    assert (first.name, first.degree) == (7, 20)
    assert set(first.neighbors) >= {0, 2}
    # 1/2 without the prior of about 12 neighbors, whose participation is about 0.1.
    assert 0.35 < first.score < 0.5


def test_a_report_has_both_lists_with_the_names_of_the_vertices():
    A = rewired(blocks(1, 0.002)[0], 7, np.concatenate([np.arange(10, 20), np.arange(200, 210)]))
    page = lp.report(lp.as_adjacency(A, names=[f"<b>{i}" for i in range(400)]), n_clusters=4)
    assert page.unusual.bridges[0].name == page.unusual.worst_fit[0].name == "<b>7"
    assert str(page.unusual).count("<b>7:") == 2
    assert ("&lt;b&gt;7" in page.html, "<b>7" in page.html) == (True, False)
    titled = lp.report(A, n_clusters=4, names=[f"Title {i}" for i in range(400)])
    assert [row.name for row in titled.unusual.bridges] == [
        f"Title {row.name[3:]}" for row in page.unusual.bridges
    ]
    assert "Title 399" in titled.html


def test_loops_directions_and_weights():
    A, labels = blocks(0)
    plain, looped, weighted, arcs = (
        UnusualVertices.of(lp.as_adjacency(matrix, directed=directed), labels, np.full(400, True))
        # Every edge once: the arcs of both directions together are the edges.
        for matrix, directed in ((A, None), (A + np.eye(400), None), (3 * A, None), (np.triu(A), True))
    )
    assert plain == looped == weighted == arcs


def test_what_is_left_out():
    A, labels = blocks(0)
    graph, everyone = lp.as_adjacency(A), np.full(400, True)
    first = UnusualVertices.of(graph, labels, everyone).worst_fit[0].name
    without = UnusualVertices.of(graph, labels, everyone & (np.arange(400) != first))
    assert first not in [row.name for row in without.worst_fit + without.bridges]
    assert UnusualVertices.of(graph, np.zeros(400, dtype=np.intp), everyone) is None
    assert UnusualVertices.of(lp.as_adjacency(A[:40, :40]), np.arange(40) % 2, everyone[:40]) is None
    assert UnusualVertices.of(lp.as_adjacency(nx.cycle_graph(60)), np.arange(60) % 2, everyone[:60]) is None
