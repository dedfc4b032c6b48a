"""What a computation on a store may take: memory, and room for files."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lpgraph.errors import ArgumentError
from lpgraph.scale.room import as_bytes

__all__ = ["Resources"]

#: The least memory: interpreter, compiled loops and the pieces that threads work on.
_LEAST = 200_000_000


@dataclass(frozen=True)
class Resources:
    """Memory and folder of a computation.

    Attributes
    ----------
    memory : int
        Bytes that arrays may take, in all; those that do not fit are memory-mapped files.
    scratch : Path or None
        The folder of these files; the system's temporary folder if None.
    checkpoint : Path or None
        A folder for the state of a fit, from which one that was interrupted goes on; none is written if None.
    """

    memory: int
    scratch: Path | None = None
    checkpoint: Path | None = None

    @classmethod
    def of(
        cls,
        memory: str | int | None,
        scratch: str | os.PathLike[str] | None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Return resources as a user gives them; half of the machine's memory if None."""
        size = _installed() // 2 if memory is None else as_bytes("memory", memory, low=_LEAST)
        folder = _absolute(scratch)
        if folder is not None and not folder.is_dir():
            raise ArgumentError(f"scratch={str(folder)!r} is no folder; pass an existing one.")
        saved = _absolute(checkpoint)
        if saved is not None and saved.exists() and not saved.is_dir():
            raise ArgumentError(
                f"checkpoint={str(saved)!r} is no folder; pass one, or a path that does not exist."
            )
        return cls(size, folder, saved)

    @property
    def of_arrays(self) -> int:
        """Bytes of blocks of vectors and of results in memory; the rest is for the block that is multiplied."""
        return self.memory // 2


def _absolute(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(os.path.abspath(os.fsdecode(path)))


def _installed() -> int:
    """Return the bytes of memory of this machine; 4 GB if the system does not say."""
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 4_000_000_000
