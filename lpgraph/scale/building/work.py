"""The folder of an unfinished build: files that are whole or not there, the plan, and the lock."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO
from uuid import uuid4

from lpgraph._interrupts import surely
from lpgraph.errors import StoreError

__all__ = ["FULL", "Work", "locked", "whole_file"]

#: Errors of the system that say that there is no space.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} if hasattr(errno, "EDQUOT") else {errno.ENOSPC, errno.EFBIG}

_DRAFT = ".draft"


@contextmanager
def whole_file(path: Path, drafts: Path | None = None) -> Iterator[IO[bytes]]:
    """Yield a file that gets its name when the block succeeds, and is on the disk by then.

    Parameters
    ----------
    path : Path
        The file.
    drafts : Path, optional
        A folder of the same file system for the file until then. It has a name of its own there, so that several
        processes may write the same file at the same time: one of them is kept, whole.
    """
    draft = path.with_name(path.name + _DRAFT) if drafts is None else drafts / f"{uuid4().hex}{_DRAFT}"
    try:
        with open(draft, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        surely(partial(draft.unlink, missing_ok=True))
        raise


class Work:
    """The folder of an unfinished build.

    Drafts that a process left behind are deleted when the object is made, and not when a copy of it is unpickled.

    Parameters
    ----------
    folder : Path
        The folder, which is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for draft in folder.glob(f"*{_DRAFT}"):
            draft.unlink(missing_ok=True)  # a worker that was thought to be gone may just give it its name

    def path(self, name: str) -> Path:
        """Return the path of a file."""
        return self.folder / name

    def has(self, name: str) -> bool:
        """Whether a file is there, and so is complete."""
        return self.path(name).exists()

    def save(self, name: str, facts: Mapping[str, object]) -> None:
        """Write facts as JSON."""
        with whole_file(self.path(name)) as file:
            file.write(json.dumps(facts).encode())

    def load(self, name: str) -> dict[str, object] | None:
        """Return the facts of a file, or None if it is not there."""
        try:
            found: dict[str, object] = json.loads(self.path(name).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            raise StoreError(
                f"{self.path(name)} is damaged; delete {self.folder} and call build_store again."
            ) from None
        return found

    def numbers(self, suffix: str) -> list[int]:
        """Return the numbers of the chunks with a suffix, in order."""
        return sorted(int(path.stem.removeprefix("chunk-")) for path in self.folder.glob(f"chunk-*.{suffix}"))

    def chunk(self, number: int, suffix: str) -> Path:
        """Return the path of a chunk."""
        return self.path(f"chunk-{number:06d}.{suffix}")

    def clear(self) -> None:
        """Delete all files but the lock."""
        for path in self.folder.iterdir():
            path.unlink()

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a build; raise if another process holds it."""
    while True:
        with open(path, "ab") as file:
            try:
                _lock(file.fileno())
            except OSError:
                raise StoreError(
                    f"Another process is building {path.parent}; wait until it has ended, or stop it."
                ) from None
            try:
                same = os.path.samestat(os.fstat(file.fileno()), os.stat(path))
            except FileNotFoundError:  # its holder has just finished, and deleted it
                continue
            if same:
                yield
                return


def _lock(number: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # on Windows only
    else:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
