"""Edge stores as ordinary graphs: the same bits as in memory, arrays on the disk, damage refused."""

import json
import pickle
import shutil

import numpy as np
import pytest
from scale.conftest import KINDS

import lpgraph as lp
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.linalg import room
from lpgraph.scale import limit_memory, open_store

METHODS = [
    lambda: lp.AdjacencySpectralEmbedding(5),
    lambda: lp.AdjacencySpectralEmbedding(random_state=0),
    lambda: lp.AdjacencySpectralEmbedding("sign_flips"),
    lambda: lp.LandmarkEmbedding(lp.AdjacencySpectralEmbedding(5), 800),
    lambda: lp.LaplacianSpectralEmbedding(5),
    lambda: lp.ModularityEmbedding(4),
    lambda: lp.RandomWalkEmbedding(4),
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
@pytest.mark.parametrize("method", range(len(METHODS)))
def test_embeddings_have_the_bits_of_memory(networks, kind, method, small_arrays_in_files):
    graph, store = networks[kind]
    if kind == "directed" and method > 4:
        return
    expected, found = METHODS[method]().fit(graph), METHODS[method]().fit(store)
    np.testing.assert_array_equal(found.embedding_, expected.embedding_)
    np.testing.assert_array_equal(found.transform({"new": [1, 2]}), expected.transform({"new": [1, 2]}))
    if kind == "directed":
        np.testing.assert_array_equal(found.embedding_in_, expected.embedding_in_)


def test_classes_and_clusters_are_those_of_memory(networks):
    graph, store = networks["undirected"]
    labels = {vertex: vertex // 800 for vertex in range(0, 4000, 20)}
    expected, found = lp.VertexClassifier().fit(graph, labels), lp.VertexClassifier().fit(store, labels)
    np.testing.assert_array_equal(found.transduction_, expected.transduction_)
    expected, found = lp.VertexClustering().fit(graph), lp.VertexClustering().fit(store)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.vertex_table()["cluster"].tolist() == expected.labels_.tolist()


def test_what_copies_the_matrix_says_what_memory_it_takes(networks, monkeypatch):
    _, store = networks["weighted"]
    monkeypatch.setattr(room, "free_memory", lambda: 1e6)
    labels = {vertex: vertex // 800 for vertex in range(0, 4000, 20)}
    for model in (
        lp.AdjacencySpectralEmbedding(),
        lp.AdjacencySpectralEmbedding("sign_flips"),
        lp.LandmarkEmbedding(lp.AdjacencySpectralEmbedding(2), 800),
        lp.VertexClassifier(),
        lp.VertexClustering(),
    ):
        with pytest.raises(StoreError, match=r"MB of memory and 1 MB are free; pass a number"):
            model.fit(store, labels)
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


def test_names_of_texts_and_of_integers(tmp_path):
    for names in (["b", "ä", "a"], [40, -7, 12]):
        graph = lp.from_edges(names, names[1:] + names[:1])
        store = lp.scale.build_store(graph, tmp_path / str(names[0]))
        assert list(store.names) == sorted(names)
        assert [store.index[name] for name in sorted(names)] == [0, 1, 2]
        model = lp.AdjacencySpectralEmbedding(1).fit(store)
        assert model.transform({"new": [names[0]]}).shape == (1, 1)
        assert model.vertex_table()["name"].tolist() == sorted(names)
        assert set(store.to_networkx().nodes) == set(names)
        assert store.subgraph([names[2], names[0]]).n_edges == 1


@pytest.fixture
def copied(networks, tmp_path):
    """A store of its own."""
    return shutil.copytree(networks["weighted"][1].store, tmp_path / "copy")


def test_damage_is_refused(copied):
    for name, change in (
        ("indices.npy", lambda data: data[:-4]),
        ("weights.npy", lambda data: b""),
        ("indptr.npy", lambda data: b"X" + data[1:]),
        ("manifest.json", lambda data: data[:-9]),
        ("manifest.json", lambda data: data.replace(b'"version": 2', b'"version": 1')),
        ("manifest.json", lambda data: data.replace(b"lpgraph edge store", b"something else")),
        ("manifest.json", lambda data: json.dumps({**json.loads(data), "n_vertices": 3999}).encode()),
    ):
        data = (copied / name).read_bytes()
        (copied / name).write_bytes(change(data))
        with pytest.raises(StoreError, match="build"):
            open_store(copied)
        (copied / name).write_bytes(data)
    (copied / "indptr.npy").unlink()
    with pytest.raises(StoreError, match="missing"):
        open_store(copied)
    with pytest.raises(StoreError, match="no edge store"):
        open_store(copied.parent)


def test_verify_reads_every_byte(copied):
    data = bytearray((copied / "indices.npy").read_bytes())
    data[-1] = 100  # a column far outside
    (copied / "indices.npy").write_bytes(bytes(data))
    assert open_store(copied).n_vertices == 4000
    with pytest.raises(StoreError, match="checksum"):
        open_store(copied, verify=True)


def test_a_store_is_read_without_options(copied):
    for options in ({"directed": True}, {"weight": None}, {"format": "csv"}, {"multi_edges": "collapse"}):
        with pytest.raises(ArgumentError, match="leave all other parameters out"):
            lp.read_graph(copied, **options)
