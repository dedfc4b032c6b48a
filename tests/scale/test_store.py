"""Edge stores as ordinary graphs: the same bits as in memory, arrays on the disk, damage refused."""

import json
import pickle
import shutil

import numpy as np
import pytest
from scale.conftest import KINDS
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.linalg import room
from lpgraph.scale import limit_memory, open_store

METHODS = [
    *(lp.AdjacencySpectralEmbedding(rule, random_state=0) for rule in (5, None, "sign_flips")),
    lp.LaplacianSpectralEmbedding(5),
    lp.ModularityEmbedding(4),
    lp.RandomWalkEmbedding(4),
]


@pytest.fixture
def small_arrays_in_files(monkeypatch, tmp_path):
    """Let every array of 100 KB or more be a file."""
    monkeypatch.setattr(room, "_SMALL", 100_000)
    monkeypatch.setitem(room._limits, "memory", 1.0)
    monkeypatch.setitem(room._limits, "folder", str(tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_is_the_graph(networks, kind):
    graph, store = networks[kind]
    opened = lp.read_graph(store.store)
    assert (opened.matrix != graph.matrix).nnz == 0
    assert (opened.directed, opened.weighted, opened.n_edges) == (graph.directed, graph.weighted, graph.n_edges)
    assert (opened.lowest_weight, opened.highest_weight) == (graph.lowest_weight, graph.highest_weight)
    for name in ("degrees", "in_degrees", "diagonal"):
        np.testing.assert_array_equal(getattr(opened, name), getattr(graph, name))
    rows = np.array([7, 0, 3999, 7])
    assert (opened.rows(rows) != graph.matrix[rows]).nnz == 0
    assert (pickle.loads(pickle.dumps(opened)).matrix != graph.matrix).nnz == 0


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_stay_on_the_disk(networks, kind):
    _, store = networks[kind]
    for array in (store.matrix.indptr, store.matrix.indices):
        assert not array.flags.writeable
        assert isinstance(array.base, np.memmap)
    # All weights of an unweighted network are one number.
    assert store.matrix.data.strides == ((8,) if kind == "weighted" else (0,))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_embeddings_have_the_bits_of_memory(networks, kind, method, small_arrays_in_files):
    graph, store = networks[kind]
    if (kind == "directed" and method in METHODS[4:]) or (kind != "undirected" and method is METHODS[2]):
        return  # signs are flipped in a copy, of weights that are one number on the disk
    expected, found = clone(method).fit(graph), clone(method).fit(store)
    np.testing.assert_array_equal(found.embedding_, expected.embedding_)
    np.testing.assert_array_equal(found.transform({"new": [1, 2]}), expected.transform({"new": [1, 2]}))
    if kind == "directed":
        np.testing.assert_array_equal(found.embedding_in_, expected.embedding_in_)


def test_classes_and_clusters_are_those_of_memory(networks):
    graph, store = networks["undirected"]
    labels = {vertex: vertex // 800 for vertex in range(0, 4000, 20)}
    expected, found = lp.VertexClassifier().fit(graph, labels), lp.VertexClassifier().fit(store, labels)
    np.testing.assert_array_equal(found.transduction_, expected.transduction_)
    expected, found = lp.VertexClustering(n_clusters=5).fit(graph), lp.VertexClustering(n_clusters=5).fit(store)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.vertex_table()["cluster"].tolist() == expected.labels_.tolist()


@pytest.mark.parametrize("model", [*METHODS[1:3], lp.VertexClassifier(), lp.VertexClustering()])
def test_what_copies_the_matrix_says_what_memory_it_takes(networks, monkeypatch, model):
    store = networks["weighted"][1]
    monkeypatch.setattr(room, "free_memory", lambda: 1e6)
    with pytest.raises(StoreError, match=r"MB of memory and 1 MB are free; pass a number"):
        model.fit(store, {vertex: vertex // 800 for vertex in range(0, 4000, 20)})
    assert lp.AdjacencySpectralEmbedding(2).fit(store).embedding_.shape == (4000, 2)


def test_memory_is_limited_once():
    try:
        limit_memory(int(room.own_memory()) + 10**8)
        assert isinstance(room.empty((10, 10**6)), np.memmap)
        assert not isinstance(room.empty((5, 10**6)), np.memmap)
        for wrong, remedy in (("much", "2GB"), ("1KB", "100 MB or more")):
            with pytest.raises(ArgumentError, match=remedy):
                limit_memory(wrong)
        with pytest.raises(ArgumentError, match="make it first"):
            limit_memory(folder="/nowhere/at/all")
    finally:
        limit_memory()
    assert not isinstance(room.empty((10, 10**6)), np.memmap)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("indices.npy", lambda data: data[:-4]),
        ("weights.npy", lambda data: b""),
        ("indptr.npy", lambda data: b"X" + data[1:]),
        ("manifest.json", lambda data: data[:-9]),
        ("manifest.json", lambda data: data.replace(b'"version": 2', b'"version": 1')),
        ("manifest.json", lambda data: data.replace(b"lpgraph edge store", b"something else")),
        ("manifest.json", lambda data: json.dumps({**json.loads(data), "n_vertices": 3999}).encode()),
    ],
)
def test_damage_is_refused(networks, tmp_path, name, change):
    path = shutil.copytree(networks["weighted"][1].store, tmp_path / "copy") / name
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(StoreError, match="build"):
        open_store(tmp_path / "copy")
    path.unlink()
    with pytest.raises(StoreError, match=r"missing|no edge store"):
        open_store(tmp_path / "copy")


@pytest.mark.parametrize("options", [{"directed": True}, {"weight": None}, {"format": "csv"}])
def test_a_store_is_read_without_options(networks, options):
    with pytest.raises(ArgumentError, match="leave all other parameters out"):
        lp.read_graph(networks["weighted"][1].store, **options)
