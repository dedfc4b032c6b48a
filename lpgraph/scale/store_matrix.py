"""The adjacency matrix of an edge store, as the spectral core uses it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._threads import in_threads
from lpgraph.linalg.external import ExternalMatrix
from lpgraph.scale.checkpoint import Checkpoint, digest
from lpgraph.scale.space import Space
from lpgraph.scale.spectrum import partitioned_pairs
from lpgraph.scale.tiled import TiledMatrix, product_of_tiles

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lpgraph.scale.part import StorePart
    from lpgraph.scale.resources import Resources
    from lpgraph.scale.store import EdgeStore
    from lpgraph.scale.tiled import Tile
    from lpgraph.spectral.pairs import EigenPairs

    Array = NDArray[np.float64]

__all__ = ["StoreMatrix"]

#: Weights of an unweighted tile.
_NONE = np.empty(0)

#: Columns that are multiplied at a time.
_WIDTH = 16

#: Rows that are read at a time.
_ROWS = 1 << 18


@dataclass(frozen=True, eq=False)
class StoreMatrix(ExternalMatrix):
    """The adjacency matrix of a store, or its transpose, or with squared entries.

    Attributes
    ----------
    store : EdgeStore
        The store.
    resources : Resources
        Memory and folder of a computation.
    transposed, squares : bool
        Whether it is the transpose, and whether entries are squared.
    """

    store: EdgeStore
    resources: Resources
    transposed: bool = False
    squares: bool = False

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # a property serves as an attribute
        """Rows and columns."""
        return self.store.n_vertices, self.store.n_vertices

    @property
    def entries(self) -> int:  # type: ignore[override]
        """Number of stored entries."""
        return self.store.n_entries

    @property
    def T(self) -> StoreMatrix:  # noqa: N802 - as arrays call it
        """The transpose."""
        return replace(self, transposed=not self.transposed) if self.store.directed else self

    def squared(self) -> StoreMatrix:
        """Return the matrix of the squared entries."""
        return replace(self, squares=self.store.weighted)

    def restricted(self, rows: NDArray[np.intp]) -> sparse.csr_array:
        """Return some rows, and the same columns, in memory."""
        pieces = [self.store.rows(rows[low : low + _ROWS])[:, rows] for low in range(0, len(rows), _ROWS)]
        part = sparse.csr_array(sparse.vstack(pieces, format="csr"))
        part.sort_indices()
        return part

    def tiled(self, scales: tuple[Array, Array] | None = None, *, two_sided: bool = False) -> StoreTiles:
        """Return the tiles of the matrix, or of both sides of a directed one; see `ExternalMatrix.pairs`."""
        n, cuts = self.store.n_vertices, tuple(self.store.manifest.cuts)
        out: tuple[StorePart, ...] = tuple(self.store.parts("in" if self.transposed else "out"))
        if not two_sided:
            return StoreTiles(cuts, self.entries, out, (0,) * len(out), scales and scales[:1], self.squares)
        into = tuple(self.store.parts("out" if self.transposed else "in"))
        both = (*cuts, *(n + cut for cut in cuts[1:]))
        first = (n,) * len(out) + (0,) * len(into)
        return StoreTiles(both, 2 * self.entries, out + into, first, scales, self.squares)

    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        """Return the product with a block of vectors, as a new array."""
        given = block if block.dtype == np.float32 else np.asarray(block, dtype=np.float64)
        tiled, result = self.tiled(), np.empty((self.shape[0], block.shape[1]))
        for first in range(0, block.shape[1], _WIDTH):
            columns = slice(first, min(first + _WIDTH, block.shape[1]))
            source = np.ascontiguousarray(given[:, columns]).reshape(-1)

            def one(p: int, _: int, columns: slice = columns, source: NDArray[np.floating] = source) -> None:
                rows = slice(tiled.cuts[p], tiled.cuts[p + 1])
                result[rows, columns] = product_of_tiles(tiled, p, source, columns.stop - columns.start)

            in_threads(one, range(tiled.partitions + 1))
        return result

    def pairs(
        self,
        scales: tuple[Array, Array] | None,
        k: int,
        which: str,
        *,
        two_sided: bool,
        tol: float,
        max_restarts: int,
        rng: np.random.Generator,
    ) -> EigenPairs | None:
        """Return eigenpairs by block Lanczos; see `lpgraph.spectral.external.FindsPairs`."""
        resources, tiled = self.resources, self.tiled(scales, two_sided=two_sided)
        folder = resources.checkpoint
        space = Space(resources.of_arrays, resources.scratch)
        return partitioned_pairs(
            tiled,
            resources.new_engine(space),
            space,
            k,
            which,
            memory=resources.memory,
            checkpoint=None if folder is None else partial(self._checkpoint, folder, scales, two_sided),
            tol=tol,
            max_restarts=max_restarts,
            rng=rng,
        )

    def _checkpoint(
        self, folder: Path, scales: tuple[Array, Array] | None, two_sided: bool, parameters: str
    ) -> Checkpoint:
        """Return the checkpoint of a fit."""
        files = self.store.manifest.files
        names = [f"{name} {files[name].sha256}" for name in sorted(files)]
        flags = [self.transposed, self.squares, two_sided]
        return Checkpoint(folder, digest(names, flags, *(scales or ()), parameters))


class StoreTiles(TiledMatrix):
    """The partitions of a store.

    Parameters
    ----------
    cuts, entries
        As of `TiledMatrix`.
    parts : sequence of StorePart
        One for each partition.
    first : sequence of int
        The row that column number 0 of each partition belongs to.
    scales : tuple of ndarray or None
        Factors of the rows, in one or two pieces.
    squares : bool
        Whether entries are squared.
    """

    def __init__(
        self,
        cuts: tuple[int, ...],
        entries: int,
        parts: tuple[StorePart, ...],
        first: tuple[int, ...],
        scales: tuple[Array, ...] | None,
        squares: bool,
    ) -> None:
        self.cuts, self.entries = cuts, entries
        self._parts, self._first, self._scales, self._squares = parts, first, scales, squares

    def tiles(self, partition: int) -> list[Tile]:
        """Return the tiles of a partition."""
        first, tiles = self._first[partition], self._parts[partition].tiles
        # All tiles of a partition share its weights.
        weights = _NONE if tiles[0].weights is None else tiles[0].weights
        weights = weights**2 if self._squares else weights
        return [(first, tile.indptr, tile.indices, weights) for tile in tiles]

    def scale(self, partition: int) -> Array | None:
        """Return the factors of a partition's rows."""
        if self._scales is None:
            return None
        part = self._parts[partition]
        second = len(self._scales) == 2 and partition >= self.partitions // 2
        return np.asarray(self._scales[int(second)][part.low : part.high])

    def unscaled(self) -> StoreTiles:
        """Return the matrix without factors: files and numbers."""
        return StoreTiles(self.cuts, self.entries, self._parts, self._first, None, self._squares)
