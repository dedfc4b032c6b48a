"""Tiles on a grid of many workers: the bits of one process, and fewer bytes between workers."""

import os
import signal
from itertools import pairwise

import numpy as np
import pytest
from scale.dask_clusters import cluster
from scale.reference_store import write_reference
from scale.test_dask import on_each_round

import lpgraph as lp
from lpgraph.scale import dask_grid, spectrum
from lpgraph.scale.dask_engine import DaskEngine
from lpgraph.scale.dask_grid import grid_of
from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.grid import ROWS, Grid
from lpgraph.scale.space import Space
from lpgraph.scale.tiled import product_of_tiles

N = 9 * ROWS
CUTS = tuple(range(0, N + 1, ROWS))


def network(directed):
    graph = lp.as_adjacency(
        lp.stochastic_block_model([N // 3] * 3, (1.5e-4 + 1e-3 * np.eye(3)).tolist(), random_state=0)
    )
    if not directed:
        return graph
    rng, A = np.random.default_rng(1), graph.matrix.copy()
    A.data = np.where(rng.random(A.nnz) < 0.7, 1.0 + rng.random(A.nnz), 0.0)
    A.eliminate_zeros()
    return lp.as_adjacency(A, directed=True)


@pytest.fixture(scope="module", params=[False, True], ids=["undirected", "directed"])
def graph(request):
    return network(request.param)


#: Panels of columns, which are two, three or four groups.
PANELS = {2: (0, CUTS[4], N), 3: (0, CUTS[1], CUTS[7], N), 6: (0, *CUTS[2:6], CUTS[8], N)}


@pytest.fixture(scope="module", params=[pytest.param(2, marks=pytest.mark.slow), 3, 6])
def store(request, graph, tmp_path_factory):
    grid = Grid(CUTS, PANELS[request.param])
    return write_reference(graph, tmp_path_factory.mktemp("store") / "s", grid=grid)


@pytest.fixture(scope="module")
def client():
    with cluster(9, default=False) as found:
        yield found


@pytest.fixture
def single(monkeypatch):
    """Blocks in single precision, as of larger networks."""
    monkeypatch.setattr(spectrum, "_MANY", 1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("graph", "store", "kind"),
    [
        (False, 2, lp.LaplacianSpectralEmbedding),
        (True, 3, lp.AdjacencySpectralEmbedding),
        (False, 6, lp.AdjacencySpectralEmbedding),
        (True, 6, lp.LaplacianSpectralEmbedding),
    ],
    indirect=["graph", "store"],
)
@pytest.mark.usefixtures("single")
def test_a_grid_gives_the_bits_of_one_process(kind, store, client):
    def fit(graph):
        return kind(2, tol=1e-3).fit(graph)

    expected, found = fit(store), fit(store.using(client=client))
    np.testing.assert_array_equal(found.embedding_, expected.embedding_)
    np.testing.assert_array_equal(found.residuals_, expected.residuals_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_groups_agree_with_scipy(dtype, store, graph, client, monkeypatch):
    tiled = store.product.tiled(two_sided=graph.directed)
    scales = np.random.default_rng(1).uniform(0.5, 1, (2, N))
    assert len(tiled.groups) == {2: 3, 3: 4, 6: 5}[len(store.manifest.panels) - 1]
    A = graph.matrix
    block = np.random.default_rng(0).standard_normal((tiled.n, 4)).astype(dtype)
    expected = np.vstack([A @ block[N:], A.T @ block[:N]]) if graph.directed else A @ block
    for single in (False, True):
        found = np.vstack(
            [product_of_tiles(tiled, p, block.reshape(-1), 4, single=single) for p in range(tiled.partitions)]
        )
        error = np.abs(found - expected).max() / np.abs(expected).max()
        assert error < (1e-6 if single or dtype == np.float32 else 1e-14)
        assert single == (error > 1e-10) or dtype == np.float32
    scaled = store.product.tiled((scales[0], scales[1]), two_sided=graph.directed)
    results = []
    for engine, many in (LocalEngine(Space(10**9)), 9), (DaskEngine(client), 9), (DaskEngine(client), 10):
        monkeypatch.setattr(dask_grid, "_MANY", many)  # a grid, and rows alone
        made = engine.restored([block[a:b].T.copy() for a, b in pairwise(tiled.cuts)])
        image, along, mutual = engine.image(scaled, made, [made], np.full((4, 4), 0.5), dtype)
        results.append([along, mutual, *(engine.columns(image, p) for p in range(tiled.partitions))])
    for expected, *found in zip(*results, strict=True):
        for array in found:
            np.testing.assert_array_equal(array, expected)


@pytest.fixture(scope="module")
def calm():
    """A cluster whose scheduler runs each task where it was put, also while workers wait for a busy processor."""
    names = "work-stealing", "active-memory-manager.start"
    with cluster(9, default=False, settings={f"distributed.scheduler.{name}": False for name in names}) as found:
        yield found


def test_bytes_between_workers(tmp_path, calm, monkeypatch):
    graph = network(directed=False)
    store = write_reference(graph, tmp_path / "s", grid=Grid(CUTS, PANELS[6]))
    tiled, sent = store.product.tiled(), {}
    assert [tiled.sources(group) for group in range(4)] == [(0, 1), (2, 3), (4,), (5, 6, 7, 8)]

    def received():
        logs = calm.run(lambda dask_worker: [one["total"] for one in dask_worker.transfer_incoming_log])
        return sum(map(sum, logs.values()))

    for many in (9, 10):  # a grid, and rows alone
        monkeypatch.setattr(dask_grid, "_MANY", many)
        rounds = []
        for _ in range(3):
            engine = DaskEngine(calm)
            block, before = engine.random(tiled, 8, (1,), np.float32), received()
            engine.image(tiled, block, [], np.zeros((0, 8)), np.float32)
            rounds.append(received() - before)
            sent[many] = engine.broadcast_bytes + engine.partial_bytes
        # Dask may run a task elsewhere, or send a piece twice: rarely, so not in every round.
        assert sent[many] <= min(rounds) < 1.05 * sent[many] + 100_000
    assert sent[10] == 8 * 4 * 8 * N  # each of nine workers gets eight ninths
    assert sent[9] < 0.6 * sent[10]


def test_workers_keep_their_columns_and_partitions():
    sources = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9], [10, 11, 12]]
    threads = {f"w{k:02d}": 1 + k % 2 for k in range(12)}
    first = grid_of(None, 13, threads, sources)
    for grid in (first, grid_of(first, 13, {**threads, "new": 2}, sources)):
        assert set(grid.columns.values()) == {0, 1, 2, 3}
        for column, partitions in enumerate(sources):
            assert {grid.columns[grid.workers[p]] for p in partitions} == {column}
            tiles = [p for share in grid.shares if share.column == column for p in share.at.partitions]
            assert sorted(tiles) == list(range(13))
        for share in grid.shares:
            assert share.at.partitions == share.owner.partitions
            assert grid.columns[share.at.worker] == share.column
            if grid.columns[share.owner.worker] == share.column:
                assert share.at == share.owner
        assert all(grid.columns[worker] == first.columns[worker] for worker in threads)
    gone = {worker: count for worker, count in threads.items() if first.columns[worker] != 2}
    after = grid_of(first, 13, gone, sources)
    assert set(after.columns.values()) == {0, 1, 2, 3}
    moved = [worker for worker in gone if after.columns[worker] != first.columns[worker]]
    assert len(moved) == 1
    few = grid_of(first, 13, {"w00": 1, "w01": 2}, sources)
    assert not few.columns
    assert not few.shares


@pytest.mark.slow
@pytest.mark.posix
def test_a_killed_worker_of_a_grid_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_grid, "_MANY", 3)
    store = write_reference(network(directed=False), tmp_path / "s", grid=Grid(CUTS, PANELS[2]))
    expected = lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(store)
    with cluster(3, processes=True, local_directory=str(tmp_path)) as client:
        victims, rounds = sorted(client.run(os.getpid).values())[:1], []

        def kill(record):
            rounds.append(record)
            if len(rounds) == 3:
                os.kill(victims.pop(), signal.SIGKILL)

        with on_each_round(kill):
            found = lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(store.using(client=client))
    assert not victims
    np.testing.assert_array_equal(found.embedding_, expected.embedding_)
