"""Eigenpairs on the workers of a Dask cluster: the same bits as in threads of one process."""

import logging
import os
import pickle
import signal
import subprocess
import sys
from contextlib import contextmanager
from threading import Timer

import numpy as np
import pytest
from scale.reference_store import write_reference

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, MissingDependencyError
from lpgraph.scale import dask_tasks, tasks
from lpgraph.scale.dask_engine import DaskEngine
from lpgraph.scale.dask_placement import placed
from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.resources import Resources

distributed = pytest.importorskip("distributed")
N = 36_000  # eight partitions


@pytest.fixture(scope="module")
def graph():
    return lp.as_adjacency(
        lp.stochastic_block_model([N // 3] * 3, (1.5e-4 + 1e-3 * np.eye(3)).tolist(), random_state=0)
    )


@pytest.fixture(scope="module")
def store(graph, tmp_path_factory):
    return write_reference(graph, tmp_path_factory.mktemp("store") / "s")


@pytest.fixture(scope="module")
def directed_store(graph, tmp_path_factory):
    rng = np.random.default_rng(1)
    A = graph.matrix.copy()
    A.data = np.where(rng.random(A.nnz) < 0.7, 1.0 + rng.random(A.nnz), 0.0)
    A.eliminate_zeros()
    return write_reference(lp.as_adjacency(A, directed=True), tmp_path_factory.mktemp("directed") / "s")


@contextmanager
def cluster(workers, processes=False, default=True, **options):
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            host=None if not processes else "127.0.0.1",
            dashboard_address="127.0.0.1:0",
            **options,
        ) as found,
        distributed.Client(found, set_as_default=default) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster(2, default=False) as found:
        yield found


def fits(undirected, directed):
    """The fitted arrays of an embedding of each kind."""
    models = [
        lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(undirected),
        lp.LaplacianSpectralEmbedding(3, tol=1e-4).fit(undirected),
        lp.AdjacencySpectralEmbedding(2, tol=1e-4).fit(directed),
    ]
    return [array for model in models for array in (model.embedding_, model.residuals_)]


@pytest.fixture(scope="module")
def expected(store, directed_store):
    return fits(store, directed_store)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_bits_of_one_process(workers, store, directed_store, expected):
    assert store.manifest.n_parts == 8
    with cluster(workers):
        found = fits(store.using(engine="dask"), directed_store.using(engine="dask"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_workers_that_join_and_leave_change_nothing(store, expected):
    with cluster(1) as client:
        scales = iter([3, 2, 1])

        def scale(record):
            number = next(scales, None)
            if number is not None:
                client.cluster.scale(number)
                if number == 3:
                    client.wait_for_workers(3)

        with on_each_round(scale):
            model = lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(store.using(client=client))
    np.testing.assert_array_equal(model.embedding_, expected[0])


@contextmanager
def on_each_round(act):
    """Call a function after each product."""
    log = logging.getLogger("lpgraph.scale")
    handler = logging.Handler()
    handler.emit = lambda record: act(record) if record.msg.startswith("round") else None
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("moment", [(2, 0.0), (4, 0.01), (6, 0.05), (7, 0.2)])
def test_a_killed_worker_changes_nothing(moment, store, expected, tmp_path):
    at, delay = moment
    with cluster(2, processes=True, local_directory=str(tmp_path)) as client:
        victims = sorted(client.run(os.getpid).values())
        rounds, killed = [], []

        def kill():
            os.kill(victims[0], signal.SIGKILL)
            killed.append(len(rounds))

        def count(record):
            rounds.append(record)
            if len(rounds) == at:
                kill() if delay == 0 else Timer(delay, kill).start()

        with on_each_round(count):
            model = lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(store.using(client=client))
        assert killed
    np.testing.assert_array_equal(model.embedding_, expected[0])


def test_operations_agree_with_those_of_threads(store, client):
    tiled, local, dask = store.product.tiled(), LocalEngine(10**9), DaskEngine(client)
    known, blocks = np.random.default_rng(0).standard_normal((4, 4)), []
    for engine in local, dask:
        first = engine.random(tiled, 4, (1, 2), np.float32)
        image, along, mutual = engine.image(tiled, first, [first], known, np.float64)
        again = engine.restored([engine.columns(image, p) for p in range(tiled.partitions)])
        sums = engine.scalar_products([first, again], image)
        both = engine.combined([first, image], np.ones((8, 3)), np.float64)
        columns = [engine.columns(block, 3) for block in (first, image, again, both)]
        blocks.append([along, mutual, *sums, *columns])
        assert engine.passes == 1
    for a, b in zip(*blocks, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def test_counted_bytes_are_those_that_workers_received(store):
    with cluster(2) as client:
        engine, tiled = DaskEngine(client), store.product.tiled()
        block = engine.random(tiled, 8, (1,), np.float64)
        image, _, _ = engine.image(tiled, block, [], np.zeros((0, 8)), np.float64)
        assert engine.broadcast_bytes == 8 * 8 * N  # each of two workers gets half of the vectors
        logs = client.run(lambda dask_worker: [one["total"] for one in dask_worker.transfer_incoming_log])
        received = sum(map(sum, logs.values()))
        assert engine.broadcast_bytes <= received < 1.05 * engine.broadcast_bytes + 20_000
        assert engine.columns(image, 0).nbytes == engine.gathered_bytes


def test_one_worker_receives_no_vectors(store):
    with cluster(1) as client:
        engine, tiled = DaskEngine(client), store.product.tiled()
        engine.image(tiled, engine.random(tiled, 4, (1,), float), [], np.zeros((0, 4)), float)
        assert engine.broadcast_bytes == 0


def test_released_blocks_leave_no_data_on_workers(store, client):
    engine, tiled = DaskEngine(client), store.product.tiled()
    block = engine.random(tiled, 8, (1,), np.float64)
    engine.image(tiled, block, [], np.zeros((0, 8)), np.float64)
    del block, engine

    def held():
        return sum(
            value.nbytes if isinstance(value, np.ndarray) else 0
            for values in client.run(lambda dask_worker: list(dask_worker.data.values())).values()
            for value in values
        )

    for _ in range(100):
        if held() == 0:
            return
    pytest.fail(f"{held()} bytes are held")


@pytest.mark.parametrize("count", [1, 5, 16, 17, 33, 50, 64, 100])
def test_groups_of_shares_are_added_in_the_order_of_the_tree(count):
    rng = np.random.default_rng(count)
    pairs = [(rng.standard_normal((3, 2)), rng.standard_normal((2, 2))) for _ in range(count)]
    groups = [dask_tasks.reduced(pairs[p : p + 16]) for p in range(0, count, 16)]
    for found, parts in zip(dask_tasks.reduced(groups), zip(*pairs, strict=True), strict=True):
        np.testing.assert_array_equal(found, tasks.tree_sum(parts))


def test_partitions_follow_the_threads_and_stay():
    first = placed([], 12, {"a": 1, "b": 3})
    assert [first.count(worker) for worker in "ab"] == [3, 9]
    after = placed(first, 12, {"a": 1, "b": 3, "c": 2})
    assert [after.count(worker) for worker in "abc"] == [2, 6, 4]
    assert all(new in (old, "c") for old, new in zip(first, after, strict=True))
    assert set(placed(after, 12, {"b": 3})) == {"b"}


def test_a_copy_of_the_store_in_another_process_uses_the_client_there(store, client):
    copy = pickle.loads(pickle.dumps(store.using(engine="dask", client=client, memory="1GB")))
    assert copy.resources == Resources(10**9, None, "dask")


def test_tiles_are_not_sent(store):
    parts = store.parts()
    small = len(pickle.dumps(parts))
    assert parts[0].n_entries > 0  # opens them
    assert len(pickle.dumps(parts)) == small < 3000


def test_wrong_engines_and_clients(store, monkeypatch):
    with pytest.raises(ArgumentError, match="there is no Dask client; make one"):
        store.using(engine="dask")
    with pytest.raises(ArgumentError, match="engine='spark'; pass one of 'local', 'dask'"):
        store.using(engine="spark")
    with pytest.raises(ArgumentTypeError, match=r"client is a str; pass a distributed\.Client"):
        store.using(client="tcp://here:8786")
    with cluster(1) as client:
        with pytest.raises(ArgumentError, match="client was passed with engine='local'"):
            store.using(engine="local", client=client)
    with pytest.raises(ArgumentError, match="client is closed; pass one that is connected"):
        store.using(client=client)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingDependencyError, match=r"distributed is not installed; run: pip install 'lpgraph\[dask\]'"):
        store.using(engine="dask")


def test_dask_is_not_imported_unless_it_is_asked_for():
    code = (
        "import sys, lpgraph.scale.store, lpgraph.scale.resources; "
        "sys.exit(any(name.split('.')[0] in ('dask', 'distributed') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
