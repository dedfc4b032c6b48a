"""What a computation on a store may take: memory, and room for files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lpgraph._checks import check_choice
from lpgraph._memory import installed_memory
from lpgraph.errors import ArgumentError
from lpgraph.scale.dask_client import as_client
from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.room import as_bytes

if TYPE_CHECKING:
    from distributed import Client

    from lpgraph.scale.engine import Engine
    from lpgraph.scale.space import Space

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
    engine : str
        "local" or "dask".
    client : distributed.Client or None
        The cluster; the current one if None.
    """

    memory: int
    scratch: Path | None = None
    checkpoint: Path | None = None
    engine: str = "local"
    client: Client | None = None

    @classmethod
    def of(
        cls,
        memory: str | int | None,
        scratch: str | os.PathLike[str] | None,
        checkpoint: str | os.PathLike[str] | None = None,
        engine: str | None = None,
        client: object = None,
    ) -> Self:
        """Return resources as a user gives them; half of the machine's memory if None."""
        if engine is None:
            engine = "local" if client is None else "dask"
        check_choice("engine", engine, ("local", "dask"))
        if client is not None and engine == "local":
            raise ArgumentError("client was passed with engine='local'; pass engine='dask', or leave client out.")
        if engine == "dask":
            as_client(client)
        size = int(installed_memory(4e9)) // 2 if memory is None else as_bytes("memory", memory, low=_LEAST)
        folder = _absolute(scratch)
        if folder is not None and not folder.is_dir():
            raise ArgumentError(f"scratch={str(folder)!r} is no folder; pass an existing one.")
        saved = _absolute(checkpoint)
        if saved is not None and saved.exists() and not saved.is_dir():
            raise ArgumentError(
                f"checkpoint={str(saved)!r} is no folder; pass one, or a path that does not exist."
            )
        return cls(size, folder, saved, engine, None if client is None else as_client(client))

    def __reduce__(self) -> tuple[type[Self], tuple[int, Path | None, Path | None, str]]:
        """Return what another process can use: not the client, in whose place it uses its current one."""
        return type(self), (self.memory, self.scratch, self.checkpoint, self.engine)

    def new_engine(self, space: Space) -> Engine:
        """Return an engine for one computation, with the space of its blocks if it is in this process."""
        if self.engine == "dask":
            from lpgraph.scale.dask_engine import DaskEngine

            return DaskEngine(as_client(self.client))
        return LocalEngine(space, self.of_arrays)

    @property
    def of_arrays(self) -> int:
        """Bytes of blocks of vectors and of results in memory.

        As many are for the block that is multiplied, and for its image.
        """
        return self.memory // 3


def _absolute(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(os.path.abspath(os.fsdecode(path)))
