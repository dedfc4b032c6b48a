"""The edge store as a network: what it returns equals what the graph in memory has; damage is an error."""

from __future__ import annotations

import gc
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scale.reference_store import write_reference

import lpgraph as lp
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.scale import EdgeStore
from lpgraph.scale import part as part_module
from lpgraph.scale.grid import Grid, grid_of

pytest.importorskip("pyarrow")


def sample(*, directed=False, weighted=False, names=False, n=300, seed=0):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, n, (2, 5 * n))
    weight = rng.normal(size=5 * n) if weighted else np.ones(5 * n)
    graph = lp.from_edges(
        source, target, weight, directed=directed, vertices=n, multi_edges="sum" if weighted else "collapse"
    )
    if names:
        return lp.Adjacency(graph.matrix, tuple(f"v{i:05d}" for i in range(n)), directed)
    return graph


GRID = Grid((0, 50, 128, 200, 300), (0, 128, 300))
KINDS = [{}, {"weighted": True}, {"directed": True}, {"directed": True, "weighted": True, "names": True}]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_store_has_what_the_graph_has(kind, tmp_path):
    graph = sample(**kind)
    store = write_reference(graph, tmp_path / "s", grid=GRID)
    assert (store.n_vertices, store.n_edges) == (graph.n_vertices, graph.n_edges)
    assert (store.directed, store.weighted) == (graph.directed, graph.weighted)
    assert list(store.names) == list(graph.names)
    assert [store.index[name] for name in graph.names] == list(range(300))
    for name in ("degrees", "in_degrees", "diagonal"):
        np.testing.assert_array_equal(getattr(store, name), getattr(graph, name))
    back = store.to_adjacency()
    assert (back.matrix != graph.matrix).nnz == 0
    assert back.matrix.has_canonical_format
    assert list(back.names) == list(graph.names)
    some = np.array([299, 0, 150, 150, -1])
    assert (store.rows(some) != graph.rows(some)).nnz == 0
    assert store.rows([]).shape == (0, 300)
    store.verify()
    again = pickle.loads(pickle.dumps(store))
    assert again.folder == store.folder
    assert "300" in store._repr_html_()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_tiles_are_the_matrix(kind, tmp_path):
    graph = sample(**kind)
    store = write_reference(graph, tmp_path / "s", grid=GRID)
    for direction, whole in (("out", graph.matrix), ("in", graph.matrix.T.tocsr())):
        found = np.zeros((300, 300))
        for part in store.parts(direction):
            for tile in part.tiles:
                for i in range(part.high - part.low):
                    places = slice(int(tile.indptr[i]), int(tile.indptr[i + 1]))
                    columns = tile.indices[places]
                    assert ((columns >= tile.first) & (columns < tile.last)).all()
                    found[part.low + i, columns] = 1 if tile.weights is None else tile.weights[places]
        np.testing.assert_array_equal(found, whole.toarray())
    with pytest.raises(ArgumentError, match="direction='up'"):
        store.parts("up")


def test_names_are_looked_up_in_row_groups(tmp_path):
    n = 150_000
    graph = lp.Adjacency(
        lp.from_edges([0], [1], vertices=n).matrix, tuple(f"{i:06d}" + "é" * (i % 3) for i in range(n))
    )
    store = write_reference(graph, tmp_path / "s")
    places = np.random.default_rng(0).integers(0, n, 200).tolist()
    assert [store.names[i] for i in places] == [graph.names[i] for i in places]
    assert [store.index[graph.names[i]] for i in places] == places
    assert store.names[-1] == graph.names[-1]
    assert store.names[5:8] == list(graph.names[5:8])
    for unknown in ("", "zz", "000001x", 3, 3.5, None):
        assert unknown not in store.index
    with pytest.raises(TypeError):
        store.index[[]]
    with pytest.raises(IndexError):
        store.names[n]


@pytest.mark.parametrize("compiled", [True, False])
def test_damage_is_an_error_and_no_crash(compiled, tmp_path, monkeypatch):
    monkeypatch.setattr("lpgraph.scale.tile_check.available", lambda: compiled)
    graph = sample(weighted=True)
    store = write_reference(graph, tmp_path / "s", grid=GRID)
    rng = np.random.default_rng(1)
    found = 0
    for name in sorted(store.manifest.files):
        if not name.startswith("out"):
            continue
        path = store.folder / name
        sound = path.read_bytes()
        for _ in range(8):
            bytes_ = bytearray(sound)
            place = int(rng.integers(128, len(sound)))
            bytes_[place] ^= 1 << int(rng.integers(8))
            path.write_bytes(bytes_)
            part_module._checked.clear()
            try:
                EdgeStore(store.folder).to_adjacency()
            except StoreError:
                found += 1
            with pytest.raises(StoreError, match="checksum"):
                EdgeStore(store.folder).verify()
        path.write_bytes(sound)
    assert found > 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not that of an edge store"),
        ({"version": 2}, "version 2"),
        ({"n_vertices": -1}, "its n_vertices is -1"),
        ({"n_vertices": 301}, "contradict"),
        ({"cuts": [0, 300, 200]}, "its cuts is"),
        ({"panels": [0, 7, 300]}, "contradict"),
        ({"files": {"../x": {"bytes": 1, "sha256": ""}}}, "its files is"),
        ({"names": "/etc/passwd"}, "contradict"),
    ],
    ids=str,
)
def test_a_manifest_is_checked(change, message, tmp_path):
    folder = write_reference(sample(), tmp_path / "s", grid=GRID).folder
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StoreError, match=message):
        EdgeStore(folder)


def test_a_store_that_is_incomplete_is_refused(tmp_path):
    with pytest.raises(StoreError, match=r"no edge store: it has no manifest\.json"):
        EdgeStore(tmp_path)
    store = write_reference(sample(), tmp_path / "s", grid=GRID)
    path = store.folder / "degrees.npy"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(StoreError, match="bytes instead of"):
        EdgeStore(store.folder)
    path.unlink()
    with pytest.raises(StoreError, match="is missing"):
        EdgeStore(store.folder)


def test_a_store_that_does_not_fit_in_memory_is_refused(tmp_path, monkeypatch):
    store = write_reference(sample(), tmp_path / "s", grid=GRID)
    monkeypatch.setattr("lpgraph.scale.room.free_memory", lambda: 1000.0)
    with pytest.raises(StoreError, match=r"takes .* MB of memory and 0\.001 MB are free; use the store itself"):
        store.to_adjacency()


def test_threads_read_headers_at_once(tmp_path):
    """Collections that run Python code let another thread in; Python 3.11's parser then failed 1 of 200 times."""
    np.save(tmp_path / "a.npy", np.arange(10))
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()

    def hook(phase, found):
        """Give other threads an occasion."""
        return sum(range(30))

    gc.callbacks.append(hook)
    try:
        sys.setswitchinterval(1e-6)
        gc.set_threshold(5)
        with ThreadPoolExecutor(4) as pool:
            sums = list(pool.map(lambda _: int(part_module.mapped(tmp_path / "a.npy").sum()), range(2000)))
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
        gc.callbacks.remove(hook)
    assert set(sums) == {45}


def test_the_grid_is_as_documented():
    rng = np.random.default_rng(0)
    for n, heavy in ((10, 1), (40_000, 1), (3_000_000, 1), (3_000_000, 10**5)):
        blocks = -(-n // 4096)
        counts = rng.integers(4096 * 8, 4096 * 12, blocks)
        counts[0] *= heavy
        grid = grid_of(n, counts)
        cuts = np.array(grid.cuts)
        assert cuts[0] == 0
        assert cuts[-1] == n
        assert (np.diff(cuts) > 0).all()
        assert (cuts[:-1] % 4096 == 0).all()
        assert set(grid.panels) <= set(grid.cuts)
        if n >= 8 * 4096:
            assert len(cuts) - 1 >= 8 or heavy > 1
        sums = np.add.reduceat(counts, cuts[:-1] // 4096)
        assert ((sums <= 1 << 26) | (np.diff(cuts) <= 4096)).all()
        assert grid == grid_of(n, counts)
    assert grid_of(5000, np.zeros(2, dtype=np.int64)).cuts == (0, 5000)
