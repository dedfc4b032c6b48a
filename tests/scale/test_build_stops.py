"""Builds that are stopped: killed, without space, with changed files, or twice at once. The next call goes on."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

from lpgraph._progress import listen
from lpgraph.errors import FileFormatError, GraphError, StoreError
from lpgraph.scale import build_store
from lpgraph.scale.building import read, table_shard, work

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and locks of POSIX")

CHILD = """
import sys
from lpgraph.scale.building import read, table_shard
read.CHUNK, table_shard._ROWS = 4096, 2048
import lpgraph as lp
print("begun", flush=True)
lp.scale.build_store(sys.argv[1], sys.argv[2])
"""


def write_edges(folder, *, texts, shards=4, m=10_000, n=3000):
    folder.mkdir()
    for k in range(shards):
        rng = np.random.default_rng(k)
        ends = rng.integers(0, n, (2, m))
        name = (lambda v: [f"v{x:x}" for x in v.tolist()]) if texts else (lambda v: v)
        table = pd.DataFrame({"source": name(ends[0]), "target": name(ends[1]), "weight": rng.random(m)})
        table.to_parquet(folder / f"{k}.parquet")
    return str(folder / "*.parquet")


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(read, "CHUNK", 4096)
    monkeypatch.setattr(table_shard, "_ROWS", 2048)


class StopError(Exception):
    """Stops a build in a test."""


def writes_of(monkeypatch, stop_at, error=StopError):
    """Raise an error at the `stop_at`-th file that is completed; return the number of files so far."""
    count = [0]
    replace = os.replace

    def counted(draft, path):
        if ".store" in str(path):
            count[0] += 1
            if count[0] == stop_at:
                raise error
        return replace(draft, path)

    monkeypatch.setattr(os, "replace", counted)
    return count


@pytest.mark.parametrize("texts", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("small_chunks")
def test_a_stop_at_any_file_is_continued_to_the_same_bytes(texts, tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "e", texts=texts, shards=2)
    with monkeypatch.context() as patch:
        count = writes_of(patch, -1)
        expected = digests(build_store(edges, tmp_path / "whole.store").folder)
    total = count[0]
    assert total > 25
    for stop in range(1, total + 1, 1 if texts else 4):
        folder = tmp_path / f"{stop}.store"
        with monkeypatch.context() as patch:
            writes_of(patch, stop)
            with pytest.raises(StopError):
                build_store(edges, folder)
        with monkeypatch.context() as patch:
            count = writes_of(patch, -1)
            build_store(edges, folder)
        assert digests(folder) == expected, stop
        assert count[0] <= total + 1
        for path in folder.iterdir():
            path.unlink()


@pytest.mark.usefixtures("small_chunks")
def test_stops_one_after_the_other(tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "e", texts=True)
    expected = digests(build_store(edges, tmp_path / "whole.store").folder)
    stops = 0
    for _ in range(200):
        with monkeypatch.context() as patch:
            writes_of(patch, 6)
            try:
                build_store(edges, tmp_path / "s.store")
                break
            except StopError:
                stops += 1
    assert stops > 5
    assert digests(tmp_path / "s.store") == expected


@pytest.mark.slow
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.usefixtures("small_chunks")
def test_kill_9_at_random_moments(texts, tmp_path):
    edges = write_edges(tmp_path / "e", texts=texts, shards=10, m=20_000, n=50_000)

    def begun(folder):
        """Return a process that has just begun to build."""
        process = subprocess.Popen([sys.executable, "-c", CHILD, edges, str(folder)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"begun\n"
        return process

    with begun(tmp_path / "whole") as whole:
        began = time.perf_counter()
        assert whole.wait() == 0
    seconds = time.perf_counter() - began
    expected = digests(tmp_path / "whole")
    rng = np.random.default_rng(0)
    killed = k = 0
    while k < 10 or killed < 5:
        assert k < 40
        folder, k = tmp_path / f"s{k}", k + 1
        with begun(folder) as child:
            time.sleep(seconds * rng.uniform(0, 1))
            child.kill()
        if child.returncode == -signal.SIGKILL:
            killed += 1
        else:
            seconds *= 0.8  # the machine has become faster
        build_store(edges, folder)
        assert digests(folder) == expected


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
@pytest.mark.usefixtures("small_chunks")
def test_a_full_disk_is_named_and_nothing_is_lost(code, tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "e", texts=False)
    for stop in (1, 5, 20):
        with monkeypatch.context() as patch:
            writes_of(patch, stop, OSError(code, os.strerror(code), "x"))
            with pytest.raises(StoreError, match=r"There is no space for .*: it goes on"):
                build_store(edges, tmp_path / "s.store")
        assert not list((tmp_path / "s.store" / "building").glob("*.draft"))
    assert build_store(edges, tmp_path / "s.store").n_vertices == 3000


@pytest.mark.slow
def test_a_file_that_cannot_grow(tmp_path):
    """The limit of the size of a file is one of the system, as a full disk is."""
    edges = write_edges(tmp_path / "e", texts=True)
    limited = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", limited + CHILD, edges, str(tmp_path / "s")], capture_output=True, text=True
    )
    assert "StoreError: There is no space for" in result.stderr
    subprocess.run([sys.executable, "-c", CHILD, edges, str(tmp_path / "s")], check=True)


@pytest.mark.usefixtures("small_chunks")
def test_a_shard_that_changes_between_attempts(tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "e", texts=False)
    first = tmp_path / "e" / "0.parquet"
    sound = first.read_bytes()
    with monkeypatch.context() as patch:
        writes_of(patch, 10)
        with pytest.raises(StopError):
            build_store(edges, tmp_path / "s.store")
    before = os.stat(first)
    table = pd.read_parquet(first)
    table.iloc[:-1].to_parquet(first)
    with pytest.raises(StoreError, match=r"0\.parquet has changed since it was read for this build; restore it"):
        build_store(edges, tmp_path / "s.store")
    first.write_bytes(sound)
    os.utime(first, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert build_store(edges, tmp_path / "s.store").n_vertices == 3000


@pytest.mark.usefixtures("small_chunks")
def test_a_shard_that_changes_while_it_is_read_or_that_was_wrong_is_read_again(tmp_path):
    edges = write_edges(tmp_path / "e", texts=True)
    last = tmp_path / "e" / "3.parquet"
    table = pd.read_parquet(last)
    wrong = table.copy()
    wrong.loc[9000, "weight"] = np.inf
    wrong.to_parquet(last)
    with pytest.raises(GraphError, match=r"Row 9000 of .*3\.parquet has weight=inf"):
        build_store(edges, tmp_path / "s.store")
    table.to_parquet(last)
    store = build_store(edges, tmp_path / "s.store")
    assert store.degrees.sum() == pytest.approx(build_store(edges, tmp_path / "t.store").degrees.sum())

    def change(step):
        if step.text.startswith("Reading") and step.done == 3:
            timer.start()

    timer = threading.Timer(0, lambda: table.iloc[:5].to_csv(last))
    blocks = table_shard.parquet_blocks

    def slow(path, *rest):
        yield from blocks(path, *rest)
        if path == last and timer.ident is not None:
            timer.join()

    with pytest.MonkeyPatch.context() as patch, listen(change):
        patch.setattr("lpgraph.scale.building.shards.parquet_blocks", slow)
        with pytest.raises((StoreError, FileFormatError), match=r"changed while it was read|not a whole Parquet"):
            build_store(edges, tmp_path / "u.store")
    timer.join()  # the error may be raised while the file is being written
    table.to_parquet(last)
    assert build_store(edges, tmp_path / "u.store").n_edges == store.n_edges


@pytest.mark.usefixtures("small_chunks")
def test_two_builders_at_once(tmp_path):
    edges = write_edges(tmp_path / "e", texts=False)
    errors = []

    def second(step):
        if not errors:
            code = f"import lpgraph as lp; lp.scale.build_store({edges!r}, {str(tmp_path / 's')!r})"
            errors.append(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr)

    with listen(second):
        store = build_store(edges, tmp_path / "s")
    assert "StoreError: Another process is building" in errors[0]
    store.verify()
    assert sorted(path.name for path in store.folder.iterdir()) == sorted([*store.manifest.files, "manifest.json"])


@pytest.mark.usefixtures("small_chunks")
def test_other_options_and_damaged_files_of_a_stopped_build(tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "e", texts=False)
    with monkeypatch.context() as patch:
        writes_of(patch, 16)
        with pytest.raises(StopError):
            build_store(edges, tmp_path / "s.store")
    with pytest.raises(StoreError, match="was begun with directed=False, not True; call it as before, or delete"):
        build_store(edges, tmp_path / "s.store", directed=True)
    chunk = next((tmp_path / "s.store" / "building").glob("chunk-*"))
    sound = chunk.read_bytes()
    chunk.write_bytes(sound[:-1])
    with pytest.raises(StoreError, match="is damaged; delete"):
        build_store(edges, tmp_path / "s.store")
    chunk.write_bytes(sound)
    build_store(edges, tmp_path / "s.store").verify()


@pytest.mark.usefixtures("small_chunks")
def test_temporary_files_elsewhere(tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "e", texts=True)
    (tmp_path / "t").mkdir()
    with monkeypatch.context() as patch:
        writes_of(patch, 12)
        with pytest.raises(StopError):
            build_store(edges, tmp_path / "s.store", temporary=tmp_path / "t")
    assert len(list((tmp_path / "t").iterdir())) == 1
    build_store(edges, tmp_path / "s.store", temporary=tmp_path / "t").verify()
    assert not list((tmp_path / "t").iterdir())


@pytest.mark.usefixtures("small_chunks")
def test_an_interruption_leaves_no_drafts(tmp_path):
    edges = write_edges(tmp_path / "e", texts=False)

    def interrupt(step):
        if step.text.startswith("Writing"):
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background process ignores it
    try:
        with listen(interrupt), pytest.raises(KeyboardInterrupt):
            build_store(edges, tmp_path / "s.store")
    finally:
        signal.signal(signal.SIGINT, before)
    assert not list((tmp_path / "s.store").rglob("*.draft"))
    build_store(edges, tmp_path / "s.store").verify()


def test_a_file_is_whole_or_not_there(tmp_path):
    def stop(file):
        file.write(b"part")
        raise StopError

    with pytest.raises(StopError), work.whole_file(tmp_path / "x") as file:
        stop(file)
    assert not list(tmp_path.iterdir())
