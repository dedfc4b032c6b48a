"""Classifiers and clusterings by joint embeddings: weak networks together, new vertices, and what is refused."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError

UASE, Omnibus, MASE = lp.joint.UnfoldedEmbedding, lp.joint.OmnibusEmbedding, lp.joint.MultipleEmbedding
N = 240
BLOCKS = np.repeat([0, 1], N // 2)
MODELS = [UASE(2), UASE(2, matrix="laplacian"), Omnibus(2), MASE(2)]


def networks(m, p, q, *, opposite=False, directed=False):
    """Networks of two blocks; with `opposite`, every second one has more edges between blocks than within."""
    blocks = [[[p, q], [q, p]], [[q, p], [p, q]]]
    sizes = [N // 2, N // 2]
    return {
        f"t{t}": lp.stochastic_block_model(sizes, blocks[opposite * t % 2], directed=directed, random_state=t)
        for t in range(m)
    }


@pytest.mark.parametrize(("model", "opposite"), [(UASE(2), True), (MASE(2), True), (Omnibus(2), False)])
def test_weak_networks_are_clear_together(model, opposite):
    graphs = networks(6, 0.12, 0.075, opposite=opposite)
    y = np.where(np.random.default_rng(0).random(N) < 0.2, BLOCKS, -1)
    hidden = y < 0

    def accuracy(embedding, graph):
        found = lp.VertexClassifier(embedding).fit(graph, y).transduction_
        return np.mean(found[hidden] == BLOCKS[hidden])

    single = [accuracy(lp.AdjacencySpectralEmbedding(2), graph) for graph in graphs.values()]
    assert accuracy(model, graphs) > max(0.95, max(single) + 0.1)
    if opposite:  # in the sum of the networks the blocks are gone
        total = lp.as_graphs(graphs).total
        assert accuracy(lp.AdjacencySpectralEmbedding(2), total) < 0.7
    clusters = lp.VertexClustering(model, 2, method="gaussian").fit(graphs).labels_
    assert adjusted_rand_score(clusters, BLOCKS) > 0.8


def copied(graph, name, vertex):
    """Edges of a new vertex that are those of a known one."""
    matrix = graph.matrix.toarray()
    edges = [(name, v) for v in np.flatnonzero(matrix[vertex])]
    return edges + [(v, name) for v in np.flatnonzero(matrix[:, vertex])] if graph.directed else edges


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_new_vertices_are_placed_as_known_ones(model, directed, tmp_path):
    graphs = lp.as_graphs(networks(3, 0.3, 0.1, directed=directed))
    found = lp.VertexClassifier(model).fit(graphs, np.where(np.arange(N) % 2, BLOCKS, -1))
    twins, joint, rows = {"x": 0, "y": N - 1}, found.fitted_embedding_, dict(zip(graphs.keys, graphs, strict=True))
    for side in ("out", "in")[: 1 + directed]:
        known = joint.vertex_positions(direction=side)
        assert known.shape == (N, 2)
        assert np.allclose(joint.vertex_positions(rows, direction=side), known, atol=1e-12)
    # x and y behave like the first and the last vertex.
    both = {key: [arc for like in twins.items() for arc in copied(graph, *like)] for key, graph in rows.items()}
    alone = {key: copied(graph, "x", 0) for key, graph in rows.items()}
    table = found.predict_table(both)
    assert dict(zip(table["name"], table["label"], strict=True)) == {"x": 0, "y": 1}
    assert np.array_equal(found.predict_proba(alone)[0], found.predict_proba(both)[0])
    lp.save(found, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    assert np.array_equal(loaded.predict_proba(both), found.predict_proba(both))
    assert loaded.fitted_embedding_._axes.keys() == joint._axes.keys()  # axes of equal lengths are kept
    prefix = type(model)._prefix
    sides = [f"{prefix}0", f"{prefix}1", f"{prefix}_in0", f"{prefix}_in1"][: 2 + 2 * directed]
    assert found.vertex_table(coordinates=True).columns.tolist()[-len(sides) :] == sides
    clustering = lp.VertexClustering(model, 2, method="gaussian").fit(graphs)
    assert clustering.predict(both).tolist() == clustering.labels_[[0, -1]].tolist()


GRAPHS = networks(2, 0.3, 0.1)
FITTED = lp.VertexClassifier(UASE(2)).fit(GRAPHS, BLOCKS)
ARCS = lp.VertexClassifier(UASE(2)).fit(networks(2, 0.3, 0.1, directed=True), BLOCKS)
WRONG = [
    (lambda: FITTED.update([(0, 5)]), ArgumentError, "fit to the changed networks"),
    (lambda: FITTED.read_new({"t0": {"x": [1]}}, unobserved=[("x", 2)]), ArgumentError, "takes their edges only"),
    (lambda: ARCS.predict({"t0": {"x": [1]}}), ArgumentError, "has no arcs to the new vertices; pass a list"),
    (lambda: lp.VertexClassifier(UASE(2)).fit(nx.path_graph(4), [0, 1, 0, 1]), ArgumentTypeError, "pass a list"),
    (lambda: lp.VertexClassifier(UASE).fit(GRAPHS, BLOCKS), ArgumentTypeError, "pass UnfoldedEmbedding()"),
    (lambda: lp.VertexClustering(UASE(2)).fit(GRAPHS), ArgumentError, 'pass method="gaussian"'),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
def test_what_is_for_one_network_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
