"""Eigenpairs on the workers of a Dask cluster: the same bits as in threads of one process."""

import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from threading import Timer

import numpy as np
import pytest
from scale.dask_clusters import cluster
from scale.reference_store import write_reference

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, ClusterError, MissingDependencyError
from lpgraph.scale import dask_wait, first_block
from lpgraph.scale.dask_engine import DaskEngine
from lpgraph.scale.dask_placement import grouped, placed
from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.lanczos import Aim, Search, Sizes
from lpgraph.scale.resources import Resources
from lpgraph.scale.space import Space

distributed = pytest.importorskip("distributed")
N = 36_000  # eight partitions


@pytest.fixture(scope="module", autouse=True)
def _searches_begin_with_a_part():
    """Let searches in these small networks begin as in large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_block, "_MANY", 20_000)
        yield


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


@pytest.mark.parametrize(
    "workers", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(4, marks=pytest.mark.slow)]
)
def test_any_number_of_workers_gives_the_bits_of_one_process(workers, store, directed_store, expected):
    assert store.manifest.n_parts == 8
    with cluster(workers):
        found = fits(store.using(engine="dask"), directed_store.using(engine="dask"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["undirected", pytest.param("directed", marks=pytest.mark.slow)])
def test_the_default_number_of_dimensions_is_chosen_on_workers(kind, store, directed_store, client):
    network = store if kind == "undirected" else directed_store
    here = lp.LaplacianSpectralEmbedding(tol=1e-4).fit(network)
    there = lp.LaplacianSpectralEmbedding(tol=1e-4).fit(network.using(client=client))
    np.testing.assert_array_equal(there.dimension_choice_.z, here.dimension_choice_.z)
    np.testing.assert_array_equal(there.embedding_, here.embedding_)
    assert here.embedding_.shape == (N, 3)


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


@contextmanager
def killed(client, at, delay):
    """Kill a worker so many seconds after a round, and see that it was."""
    victim = sorted(client.run(os.getpid).values())[0]
    rounds, timers = [], []

    def count(record):
        rounds.append(record)
        if len(rounds) == at:
            timers.append(Timer(delay, os.kill, (victim, signal.SIGKILL)))
            timers[0].start()

    with on_each_round(count):
        yield
    assert timers
    assert timers[0].finished.is_set()


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize(("workers", "at", "delay"), [(2, 2, 0.0), (2, 4, 0.01), (2, 6, 0.05), (1, 4, 0.02)])
def test_a_killed_worker_changes_nothing(workers, at, delay, store, expected, tmp_path):
    with cluster(workers, processes=True, local_directory=str(tmp_path)) as client, killed(client, at, delay):
        model = lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(store.using(client=client))
    np.testing.assert_array_equal(model.embedding_, expected[0])


@pytest.mark.slow
@pytest.mark.posix
def test_a_worker_killed_after_restarts_of_the_iteration_changes_nothing(store, tmp_path):
    tiled, aim, sizes = store.product.tiled(), Aim(8, "LM", 1e-4, 3, np.float32, 4), Sizes(4, 20)
    local = Search(LocalEngine(Space(10**9)), tiled, aim, sizes, 0)
    values = local.run().values
    assert local.cycle == 3
    with cluster(2, processes=True, local_directory=str(tmp_path)) as client:
        search = Search(DaskEngine(client), tiled, aim, sizes, 0)
        with killed(client, local.engine.passes - 2, 0.01):
            np.testing.assert_array_equal(search.run().values, values)
        for ours, theirs in zip(search.basis, local.basis, strict=True):
            for p in range(tiled.partitions):
                np.testing.assert_array_equal(search.engine.columns(ours, p), local.engine.columns(theirs, p))


def test_a_fit_that_was_interrupted_goes_on_from_its_checkpoint(store, client, expected, tmp_path):
    using = store.using(client=client, checkpoint=tmp_path / "checkpoint")
    rounds = []

    def stop(record):
        rounds.append(record)
        if len(rounds) == 5:
            raise KeyboardInterrupt

    with on_each_round(stop):
        with pytest.raises(KeyboardInterrupt):
            lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(using)
        model = lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(using)
    np.testing.assert_array_equal(model.embedding_, expected[0])
    whole = []
    with on_each_round(whole.append):
        lp.AdjacencySpectralEmbedding(3, tol=1e-4).fit(store.using(client=client))
    assert len(rounds) == len(whole) + 1  # the round that was interrupted is repeated
    assert not (tmp_path / "checkpoint").exists()


def test_a_cluster_whose_workers_are_all_gone_is_an_error_and_no_endless_wait(store, monkeypatch):
    for name, value in (("WAIT", 0.5), ("_POLL", 0.2), ("_IDLE", 3)):
        monkeypatch.setattr(dask_wait, name, value)
    tiled = store.product.tiled()
    with cluster(2) as client:
        engine = DaskEngine(client)
        block = engine.random(tiled, 4, (1,), np.float64)
        engine.scalar_products([], block)
        client.cluster.scale(0)
        while client.nthreads():
            time.sleep(0.05)
        with pytest.raises(ClusterError, match=r"has had no worker for 0\.5 seconds; start workers"):
            engine.scalar_products([], block)
        client.cluster.scale(2)
        client.wait_for_workers(2)
        with pytest.raises(ClusterError, match=r"all were gone at the same time, or there is none\. Start"):
            engine.scalar_products([], block)
        del block


def test_workers_that_die_of_a_task_are_an_error(store, client, monkeypatch):
    engine, tiled = DaskEngine(client), store.product.tiled()
    block = engine.random(tiled, 4, (1,), np.float64)

    def gather(futures):
        raise distributed.KilledWorker("task", None, 3)

    monkeypatch.setattr(client, "gather", gather)
    with pytest.raises(ClusterError, match=r"died of the task .* give them more, or start more workers"):
        engine.columns(block, 0)


def test_operations_agree_with_those_of_threads(store, client):
    tiled, local, dask = store.product.tiled(), LocalEngine(Space(10**9)), DaskEngine(client)
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


def test_groups_are_as_many_as_threads_and_partitions_allow():
    threads = {"a": 3, "b": 9}
    workers = placed([], 8, threads)
    groups = grouped(workers, threads)
    assert sorted(p for group in groups for p in group.partitions) == list(range(8))
    assert all(workers[p] == group.worker for group in groups for p in group.partitions)
    assert len(groups) == 8
    assert len(grouped(workers, {"a": 1, "b": 2})) == 3


def test_partitions_follow_the_threads_and_stay():
    first = placed([], 12, {"a": 1, "b": 3})
    assert [first.count(worker) for worker in "ab"] == [3, 9]
    after = placed(first, 12, {"a": 1, "b": 3, "c": 2})
    assert [after.count(worker) for worker in "abc"] == [2, 6, 4]
    assert all(new in (old, "c") for old, new in zip(first, after, strict=True))
    assert set(placed(after, 12, {"b": 3})) == {"b"}


def test_a_copy_of_the_store_in_another_process_uses_the_client_there(store, client):
    copy = pickle.loads(pickle.dumps(store.using(engine="dask", client=client, memory="1GB")))
    assert copy.resources == Resources(10**9, None, None, "dask")


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
    with cluster(1) as client, pytest.raises(ArgumentError, match="client was passed with engine='local'"):
        store.using(engine="local", client=client)
    with pytest.raises(ArgumentError, match="client is closed; pass one that is connected"):
        store.using(client=client)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingDependencyError, match=r"run: pip install 'lpgraph\[dask\]'"):
        store.using(engine="dask")


def test_dask_is_not_imported_unless_it_is_asked_for():
    code = (
        "import sys, lpgraph.scale.store, lpgraph.scale.resources; "
        "sys.exit(any(name.split('.')[0] in ('dask', 'distributed') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
