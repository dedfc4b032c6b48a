"""Folders of Parquet files that are whole or absent, written here or by Dask workers; a stopped call continues."""

from __future__ import annotations

import errno
import json
import logging
import os
import pickle
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import call
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from lpgraph._utils.checks import import_extra
from lpgraph._utils.files import existing, replace_file, written
from lpgraph._utils.progress import collected, tell, warn
from lpgraph.errors import ClusterError, StoreError

if TYPE_CHECKING:
    from distributed import Client

    #: What a step has saved as JSON.
    Facts: TypeAlias = dict[str, Any]
    #: The rows of a file, table by table.
    Tables: TypeAlias = Iterator[Mapping[str, object]]
    #: Yields what the file with a number has; the folder has files that were written before.
    Part: TypeAlias = Callable[[Path, int], Tables]
    #: Warnings: messages and categories.
    Told: TypeAlias = list[tuple[str, type[Warning]]]
    Work: TypeAlias = Callable[[int], Told]

log = logging.getLogger("lpgraph.scale")

#: Readers of Parquet folders leave out what begins with an underscore or a dot.
_DONE, _WORKING = "_lpgraph.json", "_working"
#: The kind of temporary files, which are deleted at the end.
SHARD = f"{_WORKING}/shard"


@dataclass(frozen=True)
class WrittenParts:
    """A folder of Parquet files.

    Attributes
    ----------
    folder : Path
        The folder.
    paths : list of Path
        Its files, in order.
    facts : mapping
        What was counted.
    """

    folder: Path
    paths: list[Path]
    facts: Mapping[str, int]

    def __repr__(self) -> str:
        counts = ", ".join(f"{value} {key}" for key, value in self.facts.items())
        return f"WrittenParts({len(self.paths)} files in {str(self.folder)!r}: {counts})"


def write_parts(
    output: str | os.PathLike[str], plan: dict[str, object], make: Callable[[Path], dict[str, int]]
) -> WrittenParts:
    """Return the results in a folder, which are made if they are not there.

    Parameters
    ----------
    output : str or path
        The folder, which is made.
    plan : mapping
        What is written, as JSON: the ``"function"``, and what its results depend on.
    make : callable
        Writes the files of the folder that are missing, and returns what was counted. Its warnings are issued when
        all is written.

    Raises
    ------
    StoreError
        When the folder has other files, or results of another plan, or another process writes them, or the disk
        is full.
    """
    folder = Path(os.path.abspath(os.fsdecode(output)))
    working, plan = folder / _WORKING, json.loads(json.dumps(plan))
    with alone(working, str(plan["function"])), collected() as told:
        done = _read(folder / _DONE)
        before: dict[str, object] | None = _read(working / "plan.json") if done is None else done["plan"]
        if before is None:
            others = [path.name for path in folder.iterdir() if path.name != _WORKING]
            if others:
                shutil.rmtree(working, ignore_errors=True)
                raise StoreError(f"{folder} has other files, such as {others[0]}; name a folder of its own.")
            replace_file(working / "plan.json", json.dumps(plan).encode())
            before = plan
        key = next((key for key in plan if before.get(key) != plan[key]), None)
        if key is not None:
            other = f"{key}={before.get(key)!r:.100}, not {plan[key]!r:.100}"
            raise StoreError(f"{folder} has results with {other}; name another folder, or delete it.")
        if done is None:
            for draft in folder.rglob(".lpgraph-*"):  # of a process or a worker that was killed
                draft.unlink(missing_ok=True)
            done = {"plan": plan, "facts": make(folder)}
            replace_file(folder / _DONE, json.dumps(done).encode())
    shutil.rmtree(working, ignore_errors=True)
    for message, category in dict.fromkeys(told):
        warn(message, category)
    return WrittenParts(folder, sorted(folder.glob("part-*.parquet")), done["facts"])


def _read(path: Path) -> Facts | None:
    return dict(json.loads(path.read_bytes())) if path.exists() else None


@contextmanager
def alone(working: Path, function: str) -> Iterator[None]:
    """Make a folder and hold its lock, which ends with the process; raise if the disk is full."""
    try:
        working.mkdir(parents=True, exist_ok=True)
        # SQLite locks files on all systems.
        with closing(sqlite3.connect(working / "lock", timeout=0)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            yield
    except sqlite3.OperationalError:
        raise StoreError(f"Another process writes {working.parent}; wait for it, or stop it.") from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        full = f"{error.filename or working}: {error.strerror}"
        raise StoreError(f"{full}; free some space, and call {function} again: it continues.") from None


def part_file(folder: Path, number: int, kind: str = "part") -> Path:
    """Return the path of a file."""
    return folder / f"{kind}-{number:05d}.parquet"


def write_rows(path: Path, tables: Tables) -> None:
    """Write a Parquet file of one row group a table, whole or not at all."""
    arrow, parquet = import_extra("pyarrow", "scale"), import_extra("pyarrow.parquet", "scale")
    with written(path) as file:
        first = arrow.table(next(tables))
        with parquet.ParquetWriter(file, first.schema, compression="zstd", write_page_checksum=True) as writer:
            for table in chain([first], map(arrow.table, tables)):
                writer.write_table(table.cast(first.schema), row_group_size=max(1, table.num_rows))


def run_parts(part: Part, folder: Path, count: int, client: Client | None, kind: str = "part") -> None:
    """Call a function with the folder and the number of each file that is missing, here or on workers.

    A worker may be thought to be gone and continue: a file may be written twice, also at the same time.
    """
    left = [k for k in range(count) if not part_file(folder, k, kind).exists()]
    work = partial(_noted, part, folder, kind)
    results = map(work, left) if client is None else _on_workers(client, work, folder, left)
    for told in results:
        for message, category in told:
            warn(message, category)
        tell(log, "Wrote files %s-*.parquet", kind)


def _noted(part: Part, folder: Path, kind: str, k: int) -> Told:
    """Write a file; return the warnings."""
    with collected() as told:
        write_rows(part_file(folder, k, kind), part(folder, k))
    return told


def _on_workers(client: Client, work: Work, folder: Path, left: list[int]) -> Iterator[Told]:
    """Yield warnings as files are done; the function is in a file, since a worker that holds it may be killed."""
    import cloudpickle
    from distributed import KilledWorker, wait

    from lpgraph.scale.dask import WAIT, wait_for_worker

    path = folder / _WORKING / "job.pickle"
    with written(path) as file:
        cloudpickle.dump(work, file)
    wait_for_worker(client)
    same = [client.submit(_load, path, pure=False)] * len(left)
    futures = client.map(call, same, left, pure=False)
    try:
        while futures:
            try:
                with client.as_current():
                    done, futures = wait(futures, timeout=WAIT, return_when="FIRST_COMPLETED")
            except TimeoutError:  # a long part, or all workers are gone
                wait_for_worker(client)
                continue
            yield from client.gather(list(done))
    except KilledWorker as error:
        raise ClusterError(f"Several workers in turn died of a part ({error}); give them more memory.") from error


def _load(path: Path) -> Work:
    with existing(path, "output"):  # all workers must have the folder under this path
        found: Work = pickle.loads(path.read_bytes())
    return found
