"""New vertices, positions and random graphs in files that Dask workers write: the same bytes as without them."""

import logging
import os
import pickle
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scale.dask_clusters import cluster, distributed
from scale.test_new_parts import files, tables

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    ClusterError,
    FileFormatError,
    IsolatedVertexWarning,
    LpgraphWarning,
    StoreError,
)
from lpgraph.scale import (
    build_store,
    classify,
    dask_wait,
    exchange,
    extend,
    part_runs,
    position_parts,
    sample,
    sample_parts,
    write_positions,
)
from lpgraph.scale import new_parts as module
from lpgraph.scale.in_file import InFile


@pytest.fixture
def small(monkeypatch):
    """Several parts of each kind; only for workers that are threads of this process, or for the client."""
    monkeypatch.setattr(module, "bucket_count", lambda shards: 7)
    monkeypatch.setattr(exchange, "_CHUNK", 100)
    monkeypatch.setattr(position_parts, "ROWS", 5)
    monkeypatch.setattr(position_parts, "_GROUPS", 3)
    monkeypatch.setattr(sample_parts, "_LEAST", 64)
    monkeypatch.setattr(sample_parts, "_MOST", 64)


@pytest.fixture(scope="module")
def client():
    with cluster(2, default=False) as found:
        yield found


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def classifier(known):
    graph = lp.from_edges(known["source"], known["target"])
    numbers = [int(str(name).strip("v")) for name in graph.names]
    labels = {name: "abc"[(k >= 60) + (k >= 120)] for name, k in zip(graph.names, numbers, strict=True) if k % 3}
    return lp.VertexClassifier(among_new=False).fit(graph, labels)


def all_written(known, new, folder, client=None):
    """Write all kinds of files; return their contents."""
    store = folder.parent / "graph.store"
    if not store.exists():
        build_store(known, store)
    model = lp.AdjacencySpectralEmbedding(2).fit(lp.scale.EdgeStore(store))
    paths = files(new, folder.parent / f"{folder.name}-new") if client is None else sorted(new)
    extend(model, paths, folder / "extended", client=client)
    classify(classifier(known), paths, folder / "classified", probabilities=True, client=client)
    assert write_positions(model, folder / "positions", client=client) == folder / "positions"
    graph = lp.stochastic_block_model([100, 150], [[0.3, 0.05], [0.05, 0.2]], random_state=0)
    sample(graph, None, folder / "sampled", random_state=1, client=client)
    return {kind.name: contents(kind) for kind in sorted(folder.iterdir())}


@pytest.mark.parametrize("kind", ["texts", pytest.param("integers", marks=pytest.mark.slow)])
def test_any_number_of_workers_writes_the_bytes_of_one_process(kind, small, tmp_path):
    known, new = tables(kind)
    expected = all_written(known, new, tmp_path / "here")
    assert [len(expected[name]) for name in ("extended", "classified", "positions", "sampled")] == [8, 8, 11, 9]
    paths = sorted((tmp_path / "here-new").iterdir())
    for workers in (1, 2, 4):
        with cluster(workers, default=False) as client:
            assert all_written(known, paths, tmp_path / f"{workers}", client) == expected


def test_a_folder_of_positions_has_those_of_the_file(small, tmp_path):
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(tables("texts")[0], tmp_path / "graph.store"))
    one = pd.read_parquet(write_positions(model, tmp_path / "positions.parquet"))
    pd.testing.assert_frame_equal(pd.read_parquet(write_positions(model, tmp_path / "positions")), one)
    assert len(list((tmp_path / "positions").glob("part-*.parquet"))) == 10
    (tmp_path / "positions" / "_lpgraph.json").unlink()
    with pytest.raises(StoreError, match="has other files"):
        write_positions(model, tmp_path / "positions")
    write_positions(model, tmp_path / "again")
    with pytest.raises(StoreError, match="results of write_positions with another model"):
        write_positions(lp.AdjacencySpectralEmbedding(3).fit(model.graph_), tmp_path / "again")


def test_a_call_that_was_stopped_goes_on(small, client, tmp_path, monkeypatch):
    known, new = tables("texts")
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    paths = files(new, tmp_path / "new")
    extend(model, paths, tmp_path / "here")

    def stopped(done):
        def tell(log, text, *values, of):
            if of[0] == done and text.startswith("New"):
                raise KeyboardInterrupt

        return tell

    for done in (1, 6):
        out = tmp_path / f"{done}"
        with monkeypatch.context() as patch:
            patch.setattr(module, "tell", stopped(done))
            with pytest.raises(KeyboardInterrupt):
                extend(model, paths, out, client=client)
        kept = {path: path.stat().st_mtime_ns for path in out.glob("part-*")}
        assert len(kept) >= done
        # It goes on without a cluster as well.
        extend(model, paths, out, client=client if done == 1 else None)
        assert contents(out) == contents(tmp_path / "here")
        assert done == 1 or all(path.stat().st_mtime_ns == then for path, then in kept.items())


def test_a_worker_finishes_a_file_while_another_call_begins(small, tmp_path, monkeypatch):
    known, new = tables("texts")
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    paths = files(new, tmp_path / "new")
    working = tmp_path / "out" / "_working"
    working.mkdir(parents=True)
    (working / "0.draft").touch()
    glob = Path.glob

    def late(self, pattern):
        for path in glob(self, pattern):
            if path.parent == working:
                path.rename(path.with_suffix(".parquet"))
            yield path

    monkeypatch.setattr(Path, "glob", late)
    extend(model, paths, tmp_path / "out")
    assert not working.exists()


def test_two_workers_write_one_part_at_the_same_time(small, tmp_path, monkeypatch):
    """A worker that was thought to be gone goes on."""
    known, new = tables("texts")
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    paths = files(new, tmp_path / "new")
    extend(model, paths, tmp_path / "here")

    class Twice(part_runs._Here):
        def each(self, part, numbers):
            for k in numbers:
                with ThreadPoolExecutor(3) as threads:
                    first, *others = threads.map(partial(part, self.job), [k, k, k])
                assert others == [first, first]
                yield k, first

    monkeypatch.setattr(part_runs, "_Here", Twice)
    extend(model, paths, tmp_path / "twice")
    assert contents(tmp_path / "twice") == contents(tmp_path / "here")


def test_a_worker_that_goes_on_after_the_end_changes_nothing(small, tmp_path):
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(tables("texts")[0], tmp_path / "graph.store"))
    jobs = []

    def kept(job, k):
        jobs.append(pickle.loads(pickle.dumps(job)))
        return real(job, k)

    real = position_parts._write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(position_parts, "_write", kept)
        write_positions(model, tmp_path / "positions")
    before = contents(tmp_path / "positions")
    with pytest.raises(FileNotFoundError):
        real(jobs[0], 0)
    assert contents(tmp_path / "positions") == before


def test_errors_and_warnings_of_workers_are_those_of_one_process(small, client, tmp_path):
    known, new = tables("texts")
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    (tmp_path / "bad.csv").write_text("source,target\na,b,c\n")
    with pytest.raises(FileFormatError, match=r"bad\.csv, line 2"):
        extend(model, tmp_path / "bad.csv", tmp_path / "bad", client=client)
    (tmp_path / "other.csv").write_text("source,target\nq,r\n")
    with pytest.raises(ArgumentError, match=r"No name in the edges is known; .* like 'v0"):
        extend(model, tmp_path / "other.csv", tmp_path / "other", client=client)
    pd.concat([new, known[:7]]).to_csv(tmp_path / "both.csv", index=False)
    with pytest.warns(LpgraphWarning, match="7 edges between known"):
        extend(model, tmp_path / "both.csv", tmp_path / "both", client=client)
    (tmp_path / "lonely.csv").write_text(f"source,target\nx,{known['source'].iloc[0]}\ny,z\n")
    with pytest.warns(IsolatedVertexWarning, match="2 of 3 new vertices") as told:
        classify(classifier(known), tmp_path / "lonely.csv", tmp_path / "lonely", client=client)
    assert len(told) == 1
    (tmp_path / "labels.csv").write_text(f"source,target\na,{known['source'].iloc[0]}\n")
    with pytest.warns(LpgraphWarning) as here:
        classify(classifier(known), tmp_path / "labels.csv", tmp_path / "here")
    with pytest.warns(LpgraphWarning) as there:
        classify(classifier(known), tmp_path / "labels.csv", tmp_path / "there", client=client)
    assert [str(one.message) for one in here] == [str(one.message) for one in there]
    assert {one.filename for one in there} == {__file__}


def test_refused(client, tmp_path):
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(tables("texts")[0], tmp_path / "graph.store"))
    with pytest.raises(ArgumentError, match=r"one process writes the file .*; name a folder"):
        write_positions(model, tmp_path / "positions.parquet", client=client)
    with pytest.raises(ArgumentError, match="or name a folder"):
        write_positions(model, tmp_path / "positions.csv")
    for call in (
        lambda: write_positions(model, tmp_path / "out", client="tcp://here:8786"),
        lambda: extend(model, tmp_path / "new.csv", tmp_path / "out", client="tcp://here:8786"),
        lambda: sample(None, 3, tmp_path / "out", random_state=0, client="tcp://here:8786"),
    ):
        with pytest.raises(ArgumentTypeError, match="client is a str"):
            call()
    assert not (tmp_path / "out").exists()


def test_a_folder_that_workers_do_not_see(small, client, tmp_path, monkeypatch):
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(tables("texts")[0], tmp_path / "graph.store"))
    write = InFile.write.__func__

    def elsewhere(cls, path, value):
        write(cls, path, value)
        return InFile(tmp_path / "elsewhere" / path.name)

    monkeypatch.setattr(InFile, "write", classmethod(elsewhere))
    with pytest.raises(StoreError, match="is not there for this process; pass a folder on a file system that all"):
        write_positions(model, tmp_path / "positions", client=client)


def test_workers_that_are_gone_or_die_of_a_part(small, tmp_path, monkeypatch):
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(tables("texts")[0], tmp_path / "graph.store"))
    for name, value in (("_POLL", 0.1), ("_IDLE", 3)):
        monkeypatch.setattr(dask_wait, name, value)
    with cluster(1, default=False) as client:
        client.cluster.scale(0)
        while client.nthreads():
            time.sleep(0.01)
        with pytest.raises(ClusterError, match=r"or there is none\. Start workers, and call again"):
            write_positions(model, tmp_path / "positions", client=client)

        def result(self):
            raise distributed.KilledWorker("task", None, 3)

        client.cluster.scale(1)
        with monkeypatch.context() as patch:
            patch.setattr(distributed.Future, "result", result)
            with pytest.raises(ClusterError, match="died of the task"):
                write_positions(model, tmp_path / "positions", client=client)
        write_positions(model, tmp_path / "positions", client=client)  # it goes on


def test_a_value_in_a_file_has_its_arrays_mapped(tmp_path):
    array = np.memmap(tmp_path / "array", np.float64, "w+", shape=(50, 3))
    array[:] = np.arange(150).reshape(50, 3)
    value = {"map": array, "turned": np.asfortranarray(array), "empty": np.empty((0, 2)), "f": lambda x: x + 1}
    found = pickle.loads(pickle.dumps(InFile.write(tmp_path / "value", value))).value
    assert found["f"](1) == 2
    for key in ("map", "turned", "empty"):
        np.testing.assert_array_equal(found[key], value[key])
        assert found[key].flags.c_contiguous == value[key].flags.c_contiguous
        assert not found[key].flags.owndata
    found["map"][0, 0] = 7  # of this process alone
    assert InFile(tmp_path / "value").value["map"][0, 0] == 0


@contextmanager
def killed(client, text, at):
    """Kill a worker when a number of parts are done, and see that it was."""
    victims = sorted(client.run(os.getpid).values())

    class Killer(logging.Handler):
        def emit(self, record):
            if record.msg.startswith(text) and record.lpgraph_of[0] == at and victims:
                os.kill(victims[0], signal.SIGKILL)
                victims.clear()

    log, handler = logging.getLogger("lpgraph.scale"), Killer()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
    assert not victims


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize(("workers", "moments"), [(3, (1, 3, 20)), (1, (20, 1, 3))])
def test_a_worker_that_is_killed_in_an_extension_and_a_write(workers, moments, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "bucket_count", lambda shards: 40)
    monkeypatch.setattr(position_parts, "_GROUPS", 1)
    monkeypatch.setattr(position_parts, "ROWS", 4)
    known, new = tables("texts")
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    paths = [path for k in range(25) for path in files(new[k::25], tmp_path / f"new{k}", ("parquet",))]
    extend(model, paths, tmp_path / "extended")
    write_positions(model, tmp_path / "written")
    with cluster(workers, processes=True, local_directory=str(tmp_path / "dask")) as client:
        with killed(client, "New", moments[0]):
            extend(model, paths, tmp_path / "extended-there", client=client)
        client.wait_for_workers(workers)
        with killed(client, "Read", moments[1]):
            extend(model, paths, tmp_path / "read-there", client=client)
        client.wait_for_workers(workers)
        with killed(client, "Positions", moments[2]):
            write_positions(model, tmp_path / "written-there", client=client)
    for kind in ("extended", "written"):
        assert contents(tmp_path / f"{kind}-there") == contents(tmp_path / kind)
    assert contents(tmp_path / "read-there") == contents(tmp_path / "extended")
    found = pd.read_parquet(tmp_path / "extended-there")
    assert sorted(found["name"]) == sorted(model.transform_table(new)["name"])
