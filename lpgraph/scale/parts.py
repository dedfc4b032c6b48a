"""Folders of Parquet files that are whole or absent; a stopped call continues."""

from __future__ import annotations

import errno
import json
import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lpgraph._utils.checks import import_extra
from lpgraph._utils.files import replace_file, written
from lpgraph._utils.progress import tell
from lpgraph.errors import StoreError

if TYPE_CHECKING:
    #: The rows of a file, table by table.
    Tables: TypeAlias = Iterator[Mapping[str, object]]

log = logging.getLogger("lpgraph.scale")

#: Readers of Parquet folders leave out what begins with an underscore or a dot.
_STATE, _WORKING = "_lpgraph.json", "_working"
#: The kind of temporary files, which are deleted at the end.
TEMPORARY = f"{_WORKING}/shard"


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
    paths: list[Path] = field(repr=False)
    facts: Mapping[str, int]


def write_parts(
    folder: Path,
    plan: Mapping[str, object],
    files: Mapping[Path, Callable[[], Tables]],
    count: Callable[[], dict[str, int]],
) -> WrittenParts:
    """Write the files of a folder that are missing, one by one.

    Parameters
    ----------
    folder : Path
        The folder, which is made.
    plan : mapping
        What is written, as JSON: the ``"function"``, and what its results depend on.
    files : mapping of Path to callable
        Yields the rows of each file, and may read the files before it.
    count : callable
        Returns what `WrittenParts.facts` is, when all files are there.

    Raises
    ------
    StoreError
        When the folder has other files, or results of another plan, or another process writes them, or the disk
        is full.
    """
    state, working, plan = folder / _STATE, folder / _WORKING, json.loads(json.dumps(plan))
    others = [path.name for path in folder.glob("*") if path != working]
    if others and not state.exists():
        raise StoreError(f"{folder} has other files, such as {others[0]}; name a folder of its own.")
    with alone(working, str(plan["function"])):
        facts = None
        if state.exists():
            before, facts = json.loads(state.read_bytes()).values()
            check_same(folder, before, plan)
        if facts is None:
            replace_file(state, json.dumps({"plan": plan, "facts": None}).encode())
            for draft in folder.rglob(".lpgraph-*"):  # of a process that was killed
                draft.unlink()
            for path, tables in files.items():
                if not path.exists():
                    write_rows(path, tables())
                    tell(log, "Wrote %s", path)
            facts = count()
            replace_file(state, json.dumps({"plan": plan, "facts": facts}).encode())
    shutil.rmtree(working, ignore_errors=True)
    return WrittenParts(folder, sorted(folder.glob("part-*.parquet")), facts)


def check_same(folder: Path, before: Mapping[str, object], plan: Mapping[str, object]) -> None:
    """Raise if what is in a folder is of another plan."""
    key = next((key for key in plan if before.get(key) != plan[key]), None)
    if key is not None:
        other = f"{key}={before.get(key)!r:.200}, not {plan[key]!r:.200}"
        raise StoreError(f"{folder} has results with {other}; name another folder, or delete it.")


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
