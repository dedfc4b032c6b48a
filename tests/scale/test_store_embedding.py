"""Embeddings of an edge store are those of the same network in memory."""

import multiprocessing
import os
import signal
import time

import numpy as np
import pytest
from scale.small_stores import KINDS, N, StopError, edges

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, DisconnectedGraphWarning, StoreError
from lpgraph.scale import EdgeStore, build_store
from lpgraph.scale.resources import Resources
from lpgraph.scale.store_matrix import StoreTiles


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "method", [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding], ids=["adjacency", "laplacian"]
)
def test_the_embedding_is_that_of_the_network_in_memory(networks, kind, method):
    graph, store = networks[kind]
    expected, found = method(5, tol=1e-10).fit(graph), method(5, tol=1e-10).fit(store)
    # The gap of these spectra is more than a tenth of the norm, so that angles are at most ten residuals.
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8)
    np.testing.assert_allclose(found.singular_values_, expected.singular_values_, rtol=1e-10)
    assert found.residuals_.max() <= 1e-10
    assert found.directed_ == graph.directed
    assert list(found.vertex_names_[:3]) == list(graph.names[:3])
    new = {"a": [1, 2, 3], "b": [N - 1]}
    np.testing.assert_allclose(found.transform(new), expected.transform(new), atol=1e-9)
    if graph.directed:
        np.testing.assert_allclose(found.embedding_in_, expected.embedding_in_, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", ["degree", "leverage"])
def test_landmarks_of_a_store(networks, kind, rule):
    graph, store = networks[kind]
    method = lp.AdjacencySpectralEmbedding(4, landmarks=0.3, landmark_rule=rule, random_state=1)
    expected, found = lp.AdjacencySpectralEmbedding(**method.get_params()).fit(graph), method.fit(store)
    np.testing.assert_array_equal(found.landmarks_, expected.landmarks_)
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8)
    np.testing.assert_allclose(found.nystrom_error_, expected.nystrom_error_, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fits", [True, False])
def test_landmarks_read_the_edges_for_a_pass_and_the_error(networks, kind, fits, monkeypatch, tmp_path):
    _, store = networks[kind]
    read, tiles = [], StoreTiles.tiles

    def counted(self, partition):
        read.append(partition)
        return tiles(self, partition)

    monkeypatch.setattr(StoreTiles, "tiles", counted)
    if not fits:
        store = store.using(scratch=tmp_path)
        store.resources = Resources(10**6, tmp_path)  # a copy of the landmarks' rows takes more
    found = lp.LaplacianSpectralEmbedding(2, landmarks=0.3).fit(store)
    # In the reading for the error, each partition is multiplied by both of its terms, one after the other. If the
    # landmarks' rows do not fit into memory, another reading places all vertices by their part.
    directions = 2 if store.directed else 1
    assert len(read) == (1 + 2 + (not fits)) * directions * store.manifest.n_parts
    assert found.embedding_.shape == (N, 2)


def test_little_memory_gives_the_same_bits(networks, tmp_path):
    _, store = networks["weighted"]
    expected = lp.AdjacencySpectralEmbedding(5).fit(store)
    limited = store.using(scratch=tmp_path)
    limited.resources = Resources(8 * 4 * 4 * 2 * N, tmp_path)  # no array of five columns is kept in memory
    # Of a block as wide, and a basis as large.
    found = lp.AdjacencySpectralEmbedding(5).fit(limited)
    assert isinstance(found.embedding_, np.ndarray)
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-5)


def test_the_resources_are_kept_when_a_store_is_sent(networks, tmp_path):
    import pickle

    _, store = networks["undirected"]
    sent = pickle.loads(pickle.dumps(store.using(memory="1GB", scratch=tmp_path, checkpoint=tmp_path / "c")))
    assert sent.resources == Resources(10**9, tmp_path, tmp_path / "c")
    assert store.resources != sent.resources


def test_wrong_resources_are_refused(networks, tmp_path):
    _, store = networks["undirected"]
    with pytest.raises(ArgumentError, match="memory='1MB' is too little; pass 200 MB or more"):
        store.using(memory="1MB")
    with pytest.raises(ArgumentTypeError, match=r"memory=1\.5 is a float"):
        store.using(memory=1.5)
    with pytest.raises(ArgumentError, match="is no folder; pass an existing one"):
        store.using(scratch=tmp_path / "missing")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ArgumentError, match=r"checkpoint=.*is no folder"):
        store.using(checkpoint=file)


def test_components_are_warned_of(tmp_path):
    u, v, _ = edges()
    store = build_store(lp.from_edges(np.r_[u, u + N], np.r_[v, v + N]), tmp_path / "two")
    with pytest.warns(DisconnectedGraphWarning, match="The graph has 2 components"):
        lp.AdjacencySpectralEmbedding(6).fit(store)


def test_a_fit_goes_on_from_its_checkpoint(networks, tmp_path, monkeypatch):
    from lpgraph.scale.lanczos import Search

    _, store = networks["undirected"]
    method = lp.AdjacencySpectralEmbedding(5, tol=1e-8)
    expected = method.fit(store).embedding_
    step, steps = Search.step, []

    def counted(self, stop=0):
        steps.append(1)
        if len(steps) == stop:
            raise StopError
        step(self)

    monkeypatch.setattr(Search, "step", counted)
    method.fit(store)
    whole = len(steps)
    saving = store.using(checkpoint=tmp_path / "state")
    steps.clear()
    monkeypatch.setattr(Search, "step", lambda self: counted(self, stop=5))
    with pytest.raises(StopError):
        method.fit(saving)
    with pytest.raises(ArgumentError, match="has the checkpoint of another fit; remove"):
        lp.AdjacencySpectralEmbedding(6, tol=1e-8).fit(saving)
    monkeypatch.setattr(Search, "step", counted)
    steps.clear()
    np.testing.assert_array_equal(method.fit(saving).embedding_, expected)
    assert len(steps) == whole - 4
    assert not (tmp_path / "state").exists()


def test_a_damaged_checkpoint_is_refused(networks, tmp_path):
    _, store = networks["undirected"]
    (tmp_path / "checkpoint.npz").write_bytes(b"nothing")
    with pytest.raises(StoreError, match=r"cannot be read .*; remove"):
        lp.AdjacencySpectralEmbedding(5).fit(store.using(checkpoint=tmp_path))


def _fit(folder, state, output):
    store = EdgeStore(folder).using(checkpoint=state)
    np.save(output, lp.AdjacencySpectralEmbedding(5, tol=1e-8).fit(store).embedding_)


@pytest.mark.posix
def test_a_killed_fit_goes_on(networks, tmp_path):
    _, store = networks["undirected"]
    state, output = tmp_path / "state", tmp_path / "found.npy"
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_fit, args=(str(store.folder), str(state), str(output)))
    process.start()
    deadline = time.monotonic() + 60
    while not list(state.glob("block-2-*.npy")) and process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    found = lp.AdjacencySpectralEmbedding(5, tol=1e-8).fit(store.using(checkpoint=state)).embedding_
    np.testing.assert_array_equal(found, lp.AdjacencySpectralEmbedding(5, tol=1e-8).fit(store).embedding_)
