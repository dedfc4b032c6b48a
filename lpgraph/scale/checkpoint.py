"""Checkpoints of the eigensolver: its blocks and its small matrices in a folder, from which a later call goes on.

Blocks do not change once they are made, so that only the newest is written after each pass. The file that says
which blocks belong together is replaced last, in one step: a process that is killed leaves the state after one of
its passes.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import ArgumentError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from lpgraph.scale.engine import Block
    from lpgraph.scale.lanczos import Search

__all__ = ["Checkpoint", "digest"]

_STATE = "checkpoint.npz"
_COUNTS = ("cycle", "draws", "products", "settled_at", "steps", "waited")


def digest(*values: object) -> str:
    """Return a checksum of numbers, texts and arrays.

    Examples
    --------
    >>> from lpgraph.scale.checkpoint import digest
    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2)
    (True, False)
    """
    found = hashlib.sha256()
    for value in values:
        found.update(value.tobytes() if isinstance(value, np.ndarray) else json.dumps(value).encode())
        found.update(b"\0")
    return found.hexdigest()


@dataclass(eq=False)
class Checkpoint:
    """A folder with the state of one search.

    Attributes
    ----------
    folder : Path
        Made if it does not exist.
    fit : str
        `digest` of all that the search depends on: a checkpoint of another fit is refused.
    """

    folder: Path
    fit: str
    _names: dict[Block, str] = field(default_factory=dict)
    _made: int = 0

    def save(self, search: Search) -> None:
        """Write the state of a search."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            for block in search.basis:
                if block not in self._names:
                    self._write_block(search, block)
            settled = np.empty(0) if search.settled is None else search.settled
            names = [self._names[block] for block in search.basis]
            temporary = self.folder / f"{_STATE}.new"
            with open(temporary, "wb") as file:
                np.savez(
                    file,
                    fit=np.array(self.fit),
                    names=np.array(names),
                    partitions=np.array(search.tiled.partitions),
                    projection=search.projection,
                    coupling=search.coupling,
                    settled=settled,
                    norm=np.array(search.norm),
                    counts=np.array([getattr(search, name) for name in _COUNTS]),
                )
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.folder / _STATE)
        except OSError as error:
            raise StoreError(
                f"The checkpoint in {self.folder} cannot be written ({error}); free space there, or pass another "
                "folder, and fit again: the last complete checkpoint is kept."
            ) from error
        for block in [block for block in self._names if block not in search.basis]:
            self._remove(self._names.pop(block), search.tiled.partitions)

    def restore(self, search: Search) -> bool:
        """Give a search the state that was saved; return whether there was one.

        Raises
        ------
        ArgumentError
            If it is the state of another fit.
        StoreError
            If a file is damaged or missing.
        """
        path = self.folder / _STATE
        if not path.exists():
            return False
        remedy = f"remove {self.folder}, or pass another folder as checkpoint"
        try:
            with np.load(path, allow_pickle=False) as state:
                fit, names = str(state["fit"]), [str(name) for name in state["names"]]
                blocks = [self._read_block(search, name) for name in names] if fit == self.fit else []
                projection, coupling, settled = state["projection"], state["coupling"], state["settled"]
                norm, counts = float(state["norm"]), [int(count) for count in state["counts"]]
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise StoreError(f"The checkpoint in {self.folder} cannot be read ({error}); {remedy}.") from error
        if fit != self.fit:
            raise ArgumentError(f"{self.folder} has the checkpoint of another fit; {remedy}.")
        search.norm = norm
        for name, count in zip(_COUNTS, counts, strict=True):
            setattr(search, name, count)
        search.projection, search.coupling = projection, coupling
        search.settled = settled if len(settled) else None
        search.basis[:] = blocks
        self._made = 1 + max(int(name.split("-")[1]) for name in names)
        return True

    def clear(self) -> None:
        """Remove the files; a folder that has others is kept."""
        with suppress(OSError):
            for path in [*self.folder.glob("block-*.npy"), *self.folder.glob(f"{_STATE}*")]:
                path.unlink(missing_ok=True)
            self.folder.rmdir()

    def _write_block(self, search: Search, block: Block) -> None:
        name = f"block-{self._made}"
        self._made += 1
        for p in range(search.tiled.partitions):
            with open(self.folder / f"{name}-{p}.npy", "wb") as file:
                np.save(file, search.engine.columns(block, p), allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())
        self._names[block] = name

    def _read_block(self, search: Search, name: str) -> Block:
        cuts, parts = search.tiled.cuts, []
        for p in range(search.tiled.partitions):
            path = self.folder / f"{name}-{p}.npy"
            part = np.load(path, mmap_mode="r", allow_pickle=False)
            if part.ndim != 2 or part.shape[1] != cuts[p + 1] - cuts[p] or part.dtype != search.dtype:
                raise ValueError(f"{path.name} has shape {part.shape} and dtype {part.dtype}")
            parts.append(part)
        block = search.engine.restored(parts)
        self._names[block] = name
        return block

    def _remove(self, name: str, partitions: int) -> None:
        for p in range(partitions):
            with suppress(OSError):
                (self.folder / f"{name}-{p}.npy").unlink(missing_ok=True)
