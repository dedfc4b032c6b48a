"""References to an edge store, by its folder and the checksum of its manifest: what a saved model has of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from lpgraph._files import open_regular
from lpgraph.errors import ArgumentError, StoreError
from lpgraph.graph.names import ManyIndex, code_names
from lpgraph.scale.layout import MANIFEST, Manifest
from lpgraph.storage.unread import Unread

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.graph.names import Labels
    from lpgraph.scale.store import EdgeStore

__all__ = ["ReferredIndex", "ReferredNames", "StoreReference"]

_READ = 1 << 24


class StoreReference(Unread):
    """An edge store that is opened when it is first needed, if it is still the same.

    The folder may be that of another person's file. Nothing of it is read except its manifest, a regular file,
    unless the checksum of the manifest is the expected one; and network folders of the form ``//host/folder`` are
    not opened at all.

    Parameters
    ----------
    folder : str
        The folder, an absolute path.
    sha256 : str
        Checksum of the manifest.
    n_vertices : int
        Number of vertices.
    directed : bool
        Whether edges are arcs.
    """

    def __init__(self, folder: str, sha256: str, n_vertices: int, directed: bool) -> None:
        self.folder, self.sha256, self.n_vertices, self.directed = folder, sha256, n_vertices, directed
        self._store: EdgeStore | None = None

    @classmethod
    def of(cls, store: EdgeStore) -> Self:
        """Return the reference to an open store; raise if its folder has another one by now."""
        try:
            sha256 = _digest(store.folder)
        except OSError as error:
            raise StoreError(
                f"The edge store {str(store.folder)!r} of the model cannot be read ({error.strerror}), and its "
                "checksum is saved with the model; put it back, or fit again."
            ) from None
        if Manifest.read(store.folder) != store.manifest:
            raise StoreError(
                f"{store.folder} has been built again since the model was fitted to it; fit the model again."
            )
        found = cls(str(store.folder), sha256, store.n_vertices, store.directed)
        found._store = store
        return found

    @property
    def facts(self) -> list[str | int | bool]:
        """The arguments that make this reference again."""
        return [self.folder, self.sha256, self.n_vertices, self.directed]

    def require(self, check: Callable[[StoreReference], None]) -> None:
        """Check the reference itself: what is expected of the store is part of it."""
        check(self)

    def read(self) -> EdgeStore:
        """Return the store, opened at its folder on the first call.

        Raises
        ------
        StoreError
            When it is not there, or has changed.
        """
        if self._store is None:
            if self.folder.startswith(("//", "\\\\")):
                raise StoreError(
                    f"The model refers to the edge store {self.folder!r}, in a network folder that a file names "
                    f"and which is therefore not opened; pass it as {_REMEDY}."
                )
            self.use(self.folder)
        assert self._store is not None
        return self._store

    def use(self, store: EdgeStore | str | os.PathLike[str]) -> None:
        """Take the store from a folder, or one that is open; raise StoreError if it is not the same."""
        from lpgraph.scale.store import EdgeStore

        folder = store.folder if isinstance(store, EdgeStore) else Path(os.path.abspath(os.fsdecode(store)))
        try:
            found = _digest(folder)
        except FileNotFoundError:
            raise StoreError(
                f"The model refers to the edge store {str(folder)!r}, which is not there; put it back, or load "
                f"the model with {_REMEDY}. Rows of edges are placed without it."
            ) from None
        except (OSError, ArgumentError) as error:
            raise StoreError(
                f"The model refers to the edge store {str(folder)!r}, whose {MANIFEST} cannot be read ({error}); "
                f"load the model with {_REMEDY}."
            ) from None
        if found != self.sha256:
            raise StoreError(
                f"The edge store {str(folder)!r} is not the one that the model was fitted to: the checksum of its "
                "manifest differs, so that rows may be those of other vertices. Load the model with "
                f"{_REMEDY} if that one is elsewhere, or fit again."
            )
        opened = store if isinstance(store, EdgeStore) else EdgeStore(folder)
        if (opened.n_vertices, opened.directed) != (self.n_vertices, self.directed):
            raise StoreError(
                f"The edge store {str(folder)!r} has {opened.n_vertices} vertices and the model "
                f"{self.n_vertices}, or only one of them is directed; the model's file is damaged: fit again."
            )
        self.folder, self._store = str(folder), opened

    def __repr__(self) -> str:
        return f"StoreReference({self.n_vertices} vertices in {self.folder!r})"

    def __reduce__(self) -> tuple[type[StoreReference], tuple[str, str, int, bool]]:
        return StoreReference, (self.folder, self.sha256, self.n_vertices, self.directed)


class ReferredNames(Unread):
    """The vertex names of a store that is opened when they are first needed."""

    def __init__(self, reference: StoreReference) -> None:
        self.reference = reference

    def require(self, check: Callable[[ReferredNames], None]) -> None:
        """Check the reference itself."""
        check(self)

    def read(self) -> Sequence[Hashable]:
        """Return the names."""
        return self.reference.read().names

    def __reduce__(self) -> tuple[type[ReferredNames], tuple[StoreReference]]:
        return ReferredNames, (self.reference,)


class ReferredIndex(ManyIndex):
    """The mapping from name to row of a store that is opened when it is first asked for a name."""

    def __init__(self, reference: StoreReference) -> None:
        self.reference = reference

    @property
    def opened(self) -> Mapping[Hashable, int]:
        """The index of the store."""
        return self.reference.read().index

    def __getitem__(self, name: Hashable) -> int:
        return self.opened[name]

    def rows_of(self, labels: Labels) -> NDArray[np.int64]:
        """Return the row of each name, -1 where there is none."""
        return np.asarray(code_names(labels, self.opened, missing=-1), dtype=np.int64)

    def remember(self, rows: Mapping[Hashable, int] | None) -> None:
        """Keep the rows of some names."""
        if isinstance(self.opened, ManyIndex):
            self.opened.remember(rows)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.opened)

    def __len__(self) -> int:
        return self.reference.n_vertices

    def __reduce__(self) -> tuple[type[ReferredIndex], tuple[StoreReference]]:
        return ReferredIndex, (self.reference,)


_REMEDY = "lpgraph.load(path, store=FOLDER)"


def _digest(folder: Path) -> str:
    """Return the SHA-256 of a store's manifest, which must be a regular file."""
    found = hashlib.sha256()
    with open(open_regular(folder / MANIFEST), "rb") as file:
        while block := file.read(_READ):
            found.update(block)
    return found.hexdigest()
