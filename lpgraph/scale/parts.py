"""Results in a folder of Parquet files: each is whole or not there, so that work that was stopped goes on."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lpgraph._checks import import_extra
from lpgraph.errors import StoreError
from lpgraph.scale.building.work import FULL, Work, locked, whole_file

__all__ = ["PartsFolder", "WrittenParts", "parts_folder", "write_rows"]

#: Readers of Parquet folders leave out what begins with an underscore.
_DONE, _WORKING, _LOCK, _PLAN = "_lpgraph.json", "_working", "_lock", "plan.json"
_OWN = re.compile(r"[a-z]+-[0-9]{5}\.parquet")


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


@dataclass(frozen=True)
class PartsFolder:
    """The folder while its files are written.

    Attributes
    ----------
    folder : Path
        The folder.
    work : Work
        What is needed until all files are written.
    """

    folder: Path
    work: Work

    def path(self, number: int, kind: str = "part") -> Path:
        """Return the path of a file."""
        return self.folder / f"{kind}-{number:05d}.parquet"

    def write(self, path: Path, tables: Iterator[Mapping[str, object]]) -> int:
        """Write a file as `write_rows`, also if another process writes it at the same time."""
        return write_rows(path, tables, self.work.folder)

    def missing(self, count: int, kind: str = "part") -> list[int]:
        """Return the numbers of the files that are not written yet."""
        return [k for k in range(count) if not self.path(k, kind).exists()]

    def finish(self, plan: Mapping[str, object], facts: Mapping[str, int]) -> None:
        """Say that all files are written."""
        with whole_file(self.folder / _DONE, self.work.folder) as file:
            file.write(json.dumps({"plan": plan, "facts": facts}).encode())
        # A worker that was thought to be gone may write here until it sees that nobody waits for it.
        shutil.rmtree(self.work.folder, ignore_errors=True)


@contextmanager
def parts_folder(
    output: str | os.PathLike[str], plan: Mapping[str, object], what: str
) -> Iterator[PartsFolder | None]:
    """Yield the folder of results, for one process at a time; None if it is finished.

    Parameters
    ----------
    output : str or path
        The folder, which is made.
    plan : mapping
        What is written, as JSON; a folder with another plan is refused.
    what : str
        The function, for errors.

    Raises
    ------
    StoreError
        When the folder has other files, or results of another plan, or another process writes them, or the disk
        is full.
    """
    folder = Path(os.path.abspath(os.fsdecode(output)))
    plan = json.loads(json.dumps(plan))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / _LOCK):
            if _read(folder / _DONE) is None:
                yield _started(folder, plan, what)
            else:
                _compare(folder, (_read(folder / _DONE) or {}).get("plan"), plan, what)
                yield None
            (folder / _LOCK).unlink()
    except OSError as error:
        if isinstance(error, StoreError) or error.errno not in FULL:
            raise
        raise StoreError(
            f"There is no space for {error.filename or folder}: {error.strerror}. Free some, and call {what} "
            "again: it goes on."
        ) from None


def written_parts(output: str | os.PathLike[str]) -> WrittenParts:
    """Return the finished results of a folder."""
    folder = Path(os.path.abspath(os.fsdecode(output)))
    facts = (_read(folder / _DONE) or {}).get("facts")
    return WrittenParts(folder, sorted(folder.glob("part-*.parquet")), facts if isinstance(facts, dict) else {})


def _started(folder: Path, plan: Mapping[str, object], what: str) -> PartsFolder:
    other = [path.name for path in folder.iterdir() if path.name not in (_WORKING, _LOCK)]
    begun = (folder / _WORKING / _PLAN).exists()
    strange = next((name for name in other if not begun or not _OWN.fullmatch(name)), None)
    if strange is not None:
        raise StoreError(f"{folder} has other files, such as {strange}; name a folder of its own.")
    work = Work(folder / _WORKING)
    before = work.load(_PLAN)
    if before is None:
        work.save(_PLAN, plan)
    else:
        _compare(folder, before, plan, what)
    return PartsFolder(folder, work)


def _compare(folder: Path, before: object, plan: Mapping[str, object], what: str) -> None:
    old = before if isinstance(before, dict) else {}
    key = next((key for key in plan if old.get(key) != plan[key]), None)
    if key is not None:
        raise StoreError(
            f"{folder} has results of {what} with another {key}: {old.get(key)!r:.100}, not {plan[key]!r:.100}; "
            "name another folder, or delete it."
        )


def _read(path: Path) -> dict[str, object] | None:
    try:
        found: dict[str, object] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise StoreError(f"{path} is damaged; delete {path.parent}, and begin again.") from None
    return found


def write_rows(path: Path, tables: Iterator[Mapping[str, object]], drafts: Path | None = None) -> int:
    """Write a Parquet file of one row group a table, whole or not at all; return the number of rows.

    `drafts` is that of `lpgraph.scale.building.work.whole_file`.
    """
    arrow, parquet = import_extra("pyarrow", "scale"), import_extra("pyarrow.parquet", "scale")
    count = 0
    with whole_file(path, drafts) as file:
        writer = None
        for columns in tables:
            table = arrow.table(dict(columns))
            if writer is None:
                writer = parquet.ParquetWriter(file, table.schema, compression="zstd", write_page_checksum=True)
            writer.write_table(table.cast(writer.schema), row_group_size=max(1, table.num_rows))
            count += table.num_rows
        if writer is not None:
            writer.close()
    return count
