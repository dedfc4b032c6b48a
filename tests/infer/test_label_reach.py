"""Paths to labelled vertices, and labels that spread over edges among new vertices, against the definitions."""

import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentTypeError, DisconnectedGraphWarning, IsolatedVertexWarning
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.new_edges import NewEdges
from lpgraph.infer.arcs import arcs_among, known_arcs, new_arcs
from lpgraph.infer.label_reach import LabelReach
from lpgraph.infer.neighbor_labels import NeighborLabels

N, M = 14, 6


def divided(seed, directed):
    """Return a sparse random graph, the graph of its first vertices, and the others as new ones."""
    rng = np.random.default_rng(seed)
    matrix = (rng.random((N + M, N + M)) < 0.06) * rng.choice([-1.0, 1.0, 2.0], (N + M, N + M))
    if not directed:
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
    matrix[0, 1] = matrix[1, 0] = 1.0
    rows = sparse.csr_array(matrix[N:, :N])
    rows_in = sparse.csr_array(matrix[:N, N:].T) if directed else None
    new = NewEdges(rows, range(M), rows_in, sparse.csr_array(matrix[N:, N:]))
    return matrix, as_adjacency(matrix[:N, :N], directed=directed), new


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_paths_are_those_of_networkx(seed, directed):
    matrix, graph, new = divided(seed, directed)
    labelled = np.random.default_rng(seed).random(N) < 0.2
    known = nx.from_numpy_array((matrix[:N, :N] != 0) | (matrix[:N, :N].T != 0))
    found = LabelReach.of(known_arcs(graph), labelled)
    for v in range(N):
        inside = nx.node_connected_component(known, v)
        assert found.others[v] == any(labelled[u] for u in inside - {v})
        assert found.neighbors(known_arcs(graph))[v] == sum(labelled[u] for u in set(known[v]) - {v})
    informed = [labelled[list(nx.node_connected_component(known, u))].any() for u in range(N)]
    between = (matrix[N:, :N] != 0) | (matrix[:N, N:].T != 0)
    direct = [any(informed[u] for u in np.flatnonzero(row)) for row in between]
    assert found.of_new(new_arcs(new), None).tolist() == direct
    # Labels spread from known vertices to new ones and among these, not back.
    joined = nx.from_numpy_array((matrix[N:, N:] != 0) | (matrix[N:, N:].T != 0))
    expected = [any(direct[k] for k in nx.node_connected_component(joined, i)) for i in range(M)]
    assert found.of_new(new_arcs(new), arcs_among(new)).tolist() == expected


def share(rows):
    return rows / np.where(rows.sum(axis=-1, keepdims=True) > 0, rows.sum(axis=-1, keepdims=True), 1.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_labels_spread_among_new_vertices(seed, directed):
    matrix, graph, new = divided(seed, directed)
    codes = np.random.default_rng(seed).integers(-1, 3, N)
    codes[0] = 0
    labels, arcs = NeighborLabels.of(known_arcs(graph), codes, 3), new_arcs(new)
    features = labels.of_new(arcs, labels.near_new(arcs))
    among = arcs_among(new)
    if among is None:
        return
    found, alone = labels.spread(arcs, features, among)
    weights = abs(matrix) + (abs(matrix.T) if directed else 0)
    np.fill_diagonal(weights, 0)
    known, joined = weights[N:, :N].sum(axis=1), weights[N:, N:]
    # The fixed point: each vertex has the weighted mean of its own features and of its neighbors' shares. Shares
    # of a component without features are 0, and the others converge, since walks among new vertices end.
    system = np.diag(known + joined.sum(axis=1)) - joined
    limit = np.linalg.lstsq(system, known[:, None] * features[:, :3], rcond=None)[0]
    informed = known * features[:, :3].sum(axis=1)
    reached = np.array([informed[list(component(joined, i))].any() for i in range(M)])
    limit = np.where(reached[:, None], limit, 0.0)
    # A walk among six vertices leaves them with a probability of at least 0.1 in a few steps; 0.9 ** 50 = 0.005.
    np.testing.assert_allclose(found, share(limit), atol=0.02)
    edges, others = (weights[N:, :N] > 0).sum(axis=1), (joined > 0).sum(axis=1)
    np.testing.assert_allclose(alone, np.where(others > 0, edges / (edges + others + 1), 1.0))


def component(joined, vertex):
    return nx.node_connected_component(nx.from_numpy_array(joined > 0), vertex)


def test_a_path_of_new_vertices():
    club = nx.karate_club_graph()
    model = lp.VertexClassifier().fit(club, {v: club.nodes[v]["club"] for v in club})
    # c and d have no known neighbor; c is joined to b, who is joined to the president.
    new = {"a": [0, 1, 2], "b": [33, 32, 30], "c": ["b"], "d": ["c"], "e": ["f"], "f": []}
    with pytest.warns(IsolatedVertexWarning, match="2 of 6 new vertices .* such as 'e'"):
        table = model.predict_table(new).set_index("name")
    assert table["label"]["a":"d"].tolist() == ["Mr. Hi", "Officer", "Officer", "Officer"]
    assert table["reaches_label"].tolist() == [True] * 4 + [False] * 2
    # All labels that reach c are those of officers; 0.01 is added to the shares 1 and 0.
    expected = 1 / (1 + (0.01 / 1.01) ** model.pool_.spread)
    assert table["probability"]["c":"d"].tolist() == pytest.approx([expected, expected], abs=0.01)
    assert table["probability"]["e":"f"].tolist() == [0.5, 0.5]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsolatedVertexWarning)
        apart = lp.VertexClassifier(among_new=False).fit(club, {v: club.nodes[v]["club"] for v in club})
        shares = apart.predict_proba(new)
        assert shares[2:].tolist() == [[0.5, 0.5]] * 4
        # Edges to other new vertices change nothing for a vertex without any.
        assert model.predict_proba(new)[0].tolist() == shares[0].tolist()


@pytest.mark.parametrize("features", ["positions", "neighbor_labels"])
def test_components_without_labels_get_the_class_shares(features):
    graph = nx.disjoint_union(nx.barbell_graph(8, 0), nx.complete_graph(5))
    labels = {0: "a", 1: "a", 2: "a", 12: "b", 13: "b"}
    embedding = lp.LaplacianSpectralEmbedding(4)
    model = lp.VertexClassifier(embedding, features=features, select_features=False)
    warnings.simplefilter("ignore", DisconnectedGraphWarning)
    with pytest.warns(IsolatedVertexWarning, match="5 of 16 unlabelled vertices .* such as 16;.*reaches_label"):
        model.fit(graph, labels)
    table = model.vertex_table()
    assert table["reaches_label"].tolist() == [True] * 16 + [False] * 5
    assert table["has_known_neighbor"].all()
    assert table["labelled_neighbors"][[3, 11, 16]].tolist() == [3, 2, 0]
    np.testing.assert_allclose(model.label_distributions_[16:], [[0.6, 0.4]] * 5)
    assert set(table["label"][16:]) == {"a"}
    with pytest.warns(IsolatedVertexWarning, match="1 of 2"):
        found = model.predict_table({"x": [16, 17], "y": [12, 13]})
    assert found["reaches_label"].tolist() == [False, True]
    assert found["probability"][0] == pytest.approx(0.6)


def test_a_single_label_does_not_predict_itself():
    graph = nx.disjoint_union(nx.barbell_graph(8, 0), nx.path_graph(2))
    model = lp.VertexClassifier().fit(graph, {0: "a", 1: "a", 12: "b", 13: "b", 16: "b"})
    table = model.vertex_table()
    assert table["reaches_label"][16:].tolist() == [False, True]
    np.testing.assert_allclose(model.label_distributions_[16], [0.4, 0.6])


def test_edges_among_new_vertices_improve_predictions():
    """New vertices of a block model, half of them without a known neighbor.

    Without edges among new vertices these get the shares of the classes, and half of them are right. With them
    each has about 5 neighbors with a label from a known one, which are in its block with probability 0.9. The
    majority of 5 is wrong with probability 0.009.
    """
    rng = np.random.default_rng(0)
    known = lp.stochastic_block_model([200, 200], [[0.1, 0.01], [0.01, 0.1]], random_state=0)
    side, linked = np.repeat([0, 1], 200), np.arange(0, 400, 2)
    neighbor = 200 * side[linked] + rng.integers(0, 200, 200)
    rows = sparse.csr_array((np.ones(200), (linked, neighbor)), shape=(400, 400))
    p = np.where(side[:, None] == side, 9 / 200, 1 / 200)
    upper = np.triu(rng.random((400, 400)) < p, 1).astype(float)
    new = NewEdges(rows, range(400), None, sparse.csr_array(upper + upper.T))
    model = lp.VertexClassifier(among_new=False).fit(known, known.labels)
    with pytest.warns(IsolatedVertexWarning, match="200 of 400"):
        assert model.score(new, side) == pytest.approx(0.75, abs=0.02)
    # The standard error is below sqrt(0.05 / 400) = 0.011.
    assert model.set_params(among_new=True).score(new, side) > 0.95


def test_among_new_is_a_flag():
    with pytest.raises(ArgumentTypeError, match="among_new"):
        lp.VertexClassifier(among_new="yes").fit(nx.karate_club_graph(), "club")
