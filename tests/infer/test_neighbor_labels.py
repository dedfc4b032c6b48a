"""Shares of classes among neighbors, against the definition entry by entry."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.new_edges import NewEdges
from lpgraph.infer.arcs import known_arcs, new_arcs
from lpgraph.infer.neighbor_labels import NeighborLabels


def random_graph(seed, directed, signed):
    """Return a weighted graph with a loop and an isolated vertex, and codes of its labels, some unknown."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 4, (14, 14)) * (rng.random((14, 14)) < 0.25).astype(float)
    if signed:
        matrix *= rng.choice([-1.0, 1.0], matrix.shape)
    if not directed:
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
    matrix[13], matrix[:, 13] = 0.0, 0.0
    matrix[0, 1] = matrix[1, 0] = 1.0
    matrix[2, 2] = 2.0
    return as_adjacency(matrix, directed=directed), rng.integers(-1, 3, 14)


def share(weights, codes, skip):
    """Return the shares of three classes; the vertex `skip` has no label."""
    counts = np.array([weights[(codes == k) & (np.arange(len(codes)) != skip)].sum() for k in range(3)])
    return counts / counts.sum() if counts.sum() > 0 else counts


def spread(weights, codes, hidden):
    """Return the labels after ten steps in which unlabelled vertices take the mean of their neighbors."""
    known = (codes >= 0) & ~hidden
    own = np.eye(3)[np.maximum(codes, 0)] * known[:, None]
    degrees = weights.sum(axis=1, keepdims=True)
    reached = own
    for _ in range(10):
        mean = np.divide(weights @ reached, degrees, out=np.zeros_like(reached), where=degrees > 0)
        reached = np.where(known[:, None], own, mean)
    return reached


def by_definition(matrix, codes, v):
    """Return the features of a vertex from the definition."""
    matrix = matrix.copy()
    np.fill_diagonal(matrix, 0)
    weights = abs(matrix) + (abs(matrix.T) if not np.array_equal(matrix, matrix.T) else 0)
    second = sum((weights[v, u] * share(weights[u], codes, v) for u in range(len(codes))), np.zeros(3))
    second = second / second.sum() if second.sum() > 0 else second
    hidden = np.zeros(len(codes), dtype=bool)
    labelled = np.flatnonzero(codes >= 0)
    if codes[v] >= 0:
        hidden[labelled[list(labelled).index(v) % 5 :: 5]] = True
    # Labelled neighbors of v keep their labels: only labels that unlabelled vertices passed on are hidden.
    reached = np.where((codes >= 0)[:, None], np.eye(3)[np.maximum(codes, 0)], spread(weights, codes, hidden))
    near = weights[v] @ reached
    near = near / near.sum() if near.sum() > 0 else near
    count = int(((weights[v] > 0) & (codes >= 0)).sum())
    first = count * share(weights[v], codes, v) + near
    return (first / first.sum() if first.sum() > 0 else first), second


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_shares_are_those_of_the_definition(seed, directed, signed):
    graph, codes = random_graph(seed, directed, signed)
    arcs = known_arcs(graph)
    found = NeighborLabels.of(arcs, codes, 3)
    first, second = found.of_known(arcs)
    for v in range(14):
        expected = by_definition(graph.matrix.toarray(), codes, v)
        assert np.allclose(first[v, :3], expected[0], atol=1e-12)
        assert np.allclose(second[v], expected[1], atol=1e-12)
    n_kinds = 1 + (2 if directed else 1) * (2 if signed else 1) if directed or signed else 1
    assert first.shape == (14, 3 * n_kinds)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_own_label_is_not_a_feature(seed, directed, signed):
    graph, codes = random_graph(seed, directed, signed)
    arcs = known_arcs(graph)
    v = int(np.flatnonzero(codes >= 0)[0]) if (codes >= 0).any() else 0
    before = NeighborLabels.of(arcs, codes, 3).of_known(arcs)
    changed = codes.copy()
    changed[v] = (codes[v] + 2) % 3
    after = NeighborLabels.of(arcs, changed, 3).of_known(arcs)
    for one, other in zip(before, after, strict=True):
        assert np.allclose(one[v], other[v], atol=1e-12)


@pytest.mark.parametrize("directed", [False, True])
def test_new_vertex_has_the_features_of_an_unlabelled_known_one(directed):
    graph, codes = random_graph(3, directed, False)
    codes[:5] = -1
    arcs = known_arcs(graph)
    found = NeighborLabels.of(arcs, codes, 3)
    rows = NewEdges(arcs[0][:5], range(5), arcs[1][:5] if directed else None)
    for known, new in zip(found.of_known(arcs), found.of_new(new_arcs(rows)), strict=True):
        assert np.allclose(known[:5], new, atol=1e-12)


def test_path():
    arcs = known_arcs(as_adjacency(nx.path_graph(3)))
    first, second = NeighborLabels.of(arcs, np.array([0, -1, 1]), 2).of_known(arcs)
    assert second.tolist() == [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    assert first.tolist() == [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]


def test_labels_spread_over_unlabelled_vertices():
    arcs = known_arcs(as_adjacency(nx.path_graph(6)))
    first, second = NeighborLabels.of(arcs, np.array([0, -1, -1, -1, -1, 1]), 2).of_known(arcs)
    assert first[1, 0] > first[2, 0] > 0.5 > first[3, 0] > first[4, 0]
    assert second[2].tolist() == [1.0, 0.0]
