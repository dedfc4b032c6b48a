"""Shares of classes among neighbors and in visits of random walks, against the definition entry by entry."""

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


def features(graph, codes):
    """Return the features of all vertices."""
    arcs = known_arcs(graph)
    found = NeighborLabels.of(arcs, codes, 3)
    return found.of_known(arcs, found.near_known(arcs))


def divided(sums):
    """Return rows divided by their sums; rows of zeros remain."""
    total = sums.sum(axis=-1, keepdims=True)
    return np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)


def visits(weights, codes):
    """Return the mean visits in 0 to 20 steps of walks that start at the labels of each class, by degree."""
    degrees = weights.sum(axis=1)
    walk = np.divide(weights, degrees[:, None], out=np.zeros_like(weights), where=degrees[:, None] > 0)
    found = np.zeros((len(codes), 3))
    for k in range(3):
        place = (codes == k) / max((codes == k).sum(), 1)
        for _ in range(21):
            found[:, k] += np.divide(place, degrees, out=np.zeros(len(codes)), where=degrees > 0) / 21
            place = place @ walk
    return found


def folds(codes):
    """Return the fold of each labelled vertex: one after the other in the order of their classes."""
    labelled = sorted(np.flatnonzero(codes >= 0), key=lambda v: codes[v])
    return {v: place % 5 for place, v in enumerate(labelled)}


def by_definition(matrix, codes, v, signed):
    """Return the features of a vertex from the definition."""
    matrix = matrix.copy()
    np.fill_diagonal(matrix, 0)
    directed = not np.array_equal(matrix, matrix.T)
    weights = abs(matrix) + (abs(matrix.T) if directed else 0)
    attracting = np.maximum(matrix, 0) + (np.maximum(matrix.T, 0) if directed else 0)
    fold = folds(codes)
    hidden = np.array([v in fold and fold.get(u) == fold[v] for u in range(len(codes))])
    near = divided(attracting[v] @ visits(attracting if signed else weights, np.where(hidden, -1, codes)))
    own = np.eye(3)[np.maximum(codes, 0)] * (codes >= 0)[:, None]
    count = ((weights[v] > 0) & (codes >= 0)).sum()
    return divided(count * divided(weights[v] @ own) + near)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_features_are_those_of_the_definition(seed, directed, signed):
    graph, codes = random_graph(seed, directed, signed)
    found = features(graph, codes)
    signed = bool((graph.matrix.data < 0).any())
    for v in range(14):
        assert np.allclose(found[v, :3], by_definition(graph.matrix.toarray(), codes, v, signed), atol=1e-12)
    n_kinds = 1 + (2 if directed else 1) * (2 if signed else 1) if directed or signed else 1
    assert found.shape == (14, 3 * n_kinds)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_own_label_is_not_a_feature(seed, directed, signed):
    graph, codes = random_graph(seed, directed, signed)
    v = int(np.flatnonzero(codes >= 0)[0]) if (codes >= 0).any() else 0
    labels = NeighborLabels.of(known_arcs(graph), codes, 3)
    other = NeighborLabels.of(known_arcs(graph), np.where(np.arange(14) == v, -1, codes), 3)
    before = labels.of_known(known_arcs(graph), np.zeros((14, 3)))
    assert np.allclose(before[v], other.of_known(known_arcs(graph), np.zeros((14, 3)))[v], atol=1e-12)
    # The label is in the fold that is hidden: its visits without any of this fold are those without it alone.
    alone = np.where([k == folds(codes).get(v) for k in (folds(codes).get(u) for u in range(14))], -1, codes)
    near = labels.near_known(known_arcs(graph))[v]
    hidden = NeighborLabels.of(known_arcs(graph), alone, 3)
    signs = (graph.matrix.data < 0).any()
    assert signs or np.allclose(near, hidden.near_new(tuple(rows[[v]] for rows in known_arcs(graph)))[0])


@pytest.mark.parametrize("directed", [False, True])
def test_new_vertex_has_the_features_of_an_unlabelled_known_one(directed):
    graph, codes = random_graph(3, directed, False)
    codes[:5] = -1
    arcs = known_arcs(graph)
    found = NeighborLabels.of(arcs, codes, 3)
    rows = NewEdges(arcs[0][:5], range(5), arcs[1][:5] if directed else None)
    of_new = found.of_new(new_arcs(rows), found.near_new(new_arcs(rows)))
    assert np.allclose(found.of_known(arcs, found.near_known(arcs))[:5], of_new, atol=1e-12)


def test_classes_have_equal_numbers_of_walks():
    # A star with one label of class 0 and five of class 1: both send the same number of walks to the center.
    arcs = known_arcs(as_adjacency(nx.star_graph(8)))
    found = NeighborLabels.of(arcs, np.array([-1, 0, 1, 1, 1, 1, 1, -1, -1]), 2)
    assert np.allclose(found.visits[0], found.visits[0, 0])
    assert np.allclose(found.near_new((arcs[0][[0]],)), 0.5)


def test_visits_converge_to_poisson_learning(monkeypatch):
    """The solution u of L u = sum over labels of (y_j - mean y) at j, weighted mean 0 (Calder et al. 2020)."""
    graph = nx.gnp_random_graph(30, 0.3, seed=1)
    codes = np.full(30, -1)
    codes[[0, 1, 2, 3]] = [0, 0, 1, 1]
    laplacian = nx.laplacian_matrix(graph).toarray().astype(float)
    source = np.zeros(30)
    source[[0, 1]], source[[2, 3]] = 0.5, -0.5
    expected = np.linalg.pinv(laplacian) @ source
    degrees = laplacian.diagonal()
    expected -= degrees @ expected / degrees.sum()
    monkeypatch.setattr("lpgraph.infer.neighbor_labels._STEPS", 400)
    found = NeighborLabels.of(known_arcs(as_adjacency(graph)), codes, 2).visits * 401
    # The second eigenvalue of the walk is below 0.6, and 0.6 ** 400 is below 1e-88.
    assert np.allclose(found[:, 0] - found[:, 1], expected, atol=1e-10)
