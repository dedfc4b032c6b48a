"""Classifiers and clusterings of an edge store: the results of the same network in memory."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scale.test_new_parts import tables

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning, UnknownVertexError
from lpgraph.infer import arcs_elsewhere
from lpgraph.infer.arcs import arcs_of, isolated, known_arcs
from lpgraph.infer.label_reach import LabelReach
from lpgraph.infer.neighbor_labels import NeighborLabels
from lpgraph.scale import EdgeStore, build_store


@pytest.fixture(params=["texts", "integers"])
def kind(request):
    return request.param


@pytest.fixture(params=["undirected", "directed", "weighted"])
def store(request, kind, tmp_path, monkeypatch):
    """A store with loops and an isolated pair, whose rows are read in several pieces."""
    monkeypatch.setattr(arcs_elsewhere, "_ENTRIES", 400)
    table, _ = tables(kind, directed=request.param == "directed")
    rng = np.random.default_rng(0)
    if request.param == "weighted":
        table["weight"] = rng.uniform(0.5, 3, len(table))
    loops = table.iloc[:9].assign(target=table["source"].iloc[:9])
    alone = {"texts": ("v9998", "v9999"), "integers": (9998, 9999)}[kind]
    pair = table.iloc[:1].assign(source=[alone[0]], target=[alone[1]])
    table = pd.concat([table, loops, pair], ignore_index=True)
    return build_store(table, tmp_path / "graph.store", directed=request.param == "directed")


def labels_of(store, every=3):
    numbers = [int(str(name).strip("v")) for name in store.names]
    return {name: "abc"[(k >= 60) + (k >= 120)] for name, k in zip(store.names, numbers, strict=True) if k % every}


def test_arcs(store):
    here, there = known_arcs(store.to_adjacency()), arcs_of(store)
    assert (isolated(here) == isolated(there)).all()
    codes = np.random.default_rng(1).integers(-1, 3, store.n_vertices)
    expected, found = NeighborLabels.of(here, codes, 3), NeighborLabels.of(there, codes, 3)
    np.testing.assert_allclose(found.visits, expected.visits, atol=1e-12)
    near = expected.near_known(here)
    np.testing.assert_allclose(found.near_known(there), near, atol=1e-12)
    np.testing.assert_allclose(found.of_known(there, near), expected.of_known(here, near), atol=1e-12)
    one, other = LabelReach.of(there, codes >= 0), LabelReach.of(here, codes >= 0)
    assert (one.others == other.others).all()
    assert (one.neighbors(there) == other.neighbors(here)).all()


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")  # of the isolated pair
@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_classifier(store, tmp_path):
    labels = labels_of(store)
    found = lp.VertexClassifier().fit(store, labels)
    expected = lp.VertexClassifier().fit(store.to_adjacency(), labels)
    assert isinstance(found.graph_, EdgeStore)
    assert (found.transduction_ == expected.transduction_).mean() > 0.98
    np.testing.assert_allclose(found.label_distributions_, expected.label_distributions_, atol=0.02)
    new = {"new": [name for name in store.names if name in labels][:5]}
    np.testing.assert_allclose(found.predict_proba(new), expected.predict_proba(new), atol=0.02)
    table = found.vertex_table()
    assert list(table.columns) == list(expected.vertex_table().columns)
    assert table["name"].tolist() == list(store.names)
    lp.save(found, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg", lp.VertexClassifier)
    assert (loaded.predict_proba(new) == found.predict_proba(new)).all()


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_labels_in_every_form(store, kind):
    labels = labels_of(store)
    expected = lp.VertexClassifier().fit(store, labels).transduction_
    series = pd.Series(labels)
    frame = pd.DataFrame({"vertex": list(labels), "group": list(labels.values())})
    array = [labels.get(name, "") for name in store.names]
    for form in (series, frame, pl.DataFrame(frame.to_dict("list")), array):
        assert (lp.VertexClassifier().fit(store, form).transduction_ == expected).all()
    strangers = {"nobody": "a", "none": "b"} if kind == "texts" else {70000: "a", 80000: "b"}
    with pytest.warns(LpgraphWarning, match="2 vertices"):
        lp.VertexClassifier().fit(store, {**labels, **strangers})
    with pytest.raises(UnknownVertexError):
        lp.VertexClassifier().fit(store, {"nobody": "a", "none": "b"})
    with pytest.raises(ArgumentTypeError, match="no vertex attribute"):
        lp.VertexClassifier().fit(store, "group")


def test_negative_weights(tmp_path, kind):
    table, _ = tables(kind, weighted=True)
    store = build_store(table, tmp_path / "graph.store")
    with pytest.raises(
        GraphError, match=r"negative weight are no features; pass a graph in memory, or graph\.to_adjacency"
    ):
        lp.VertexClassifier().fit(store, labels_of(store))


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("method", ["gaussian", "directions"])
def test_clustering(store, method):
    embedding = lp.AdjacencySpectralEmbedding(3)
    found = lp.VertexClustering(embedding, 3, method=method).fit(store)
    expected = lp.VertexClustering(embedding, 3, method=method).fit(store.to_adjacency())
    assert isinstance(found.graph_, EdgeStore) == (method == "gaussian")
    assert (found.labels_ == expected.labels_).mean() > 0.98
    assert found.cluster_distributions_.shape == expected.cluster_distributions_.shape
    assert len(found.vertex_table()) == store.n_vertices


@pytest.mark.parametrize("method", [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding])
def test_what_needs_all_edges_says_so(tmp_path, method):
    graph = lp.stochastic_block_model([150, 150], [[0.2, 0.05], [0.05, 0.2]], random_state=0)
    model = method(2).fit(build_store(graph, tmp_path / "store"))
    new = {"a": [1, 2, 3], "b": [200, 201]}
    for call in (
        lambda: model.covariances([0]),
        lambda: lp.infer.misfit(model, new),
        lambda: lp.infer.same_position(model, [0], [1]),
        lambda: lp.infer.drift(model, new),
    ):
        with pytest.raises(
            ArgumentError, match=r"needs the edges in memory, .*EdgeStore\(300 vertices.*to_adjacency"
        ):
            call()
