"""The adjacency matrix of an edge store, as the spectral core uses it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._threads import in_threads
from lpgraph.linalg.external import ExternalMatrix
from lpgraph.scale.checkpoint import Checkpoint, digest
from lpgraph.scale.edge_numbers import NO_FACTORS, DerivedWeights, EdgeFactors
from lpgraph.scale.forms import quadratic_forms
from lpgraph.scale.space import Space
from lpgraph.scale.spectrum import partitioned_pairs
from lpgraph.scale.tiled import TiledMatrix, product_of_tiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from lpgraph.scale.edge_numbers import Order
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

#: The most groups of tiles, whose products are added.
_GROUPS = 4

#: Rows that are read at a time.
_ROWS = 1 << 18


@dataclass(frozen=True, eq=False)
class StoreMatrix(ExternalMatrix):
    """The adjacency matrix of a store, or its transpose, or with factors of the edges, or squared entries.

    Attributes
    ----------
    store : EdgeStore
        The store.
    resources : Resources
        Memory and folder of a computation.
    transposed, squares : bool
        Whether it is the transpose, and whether entries are squared.
    factors : EdgeFactors or None
        Factors of the entries; None if all are 1.
    """

    store: EdgeStore
    resources: Resources
    transposed: bool = False
    squares: bool = False
    factors: EdgeFactors | None = None

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
        return replace(self, squares=self.store.weighted or self.factors is not None)

    @property
    def _order(self) -> tuple[Order, Order]:
        """Which end of an edge comes first in its number, in tiles of rows and of columns."""
        return ("row", "column") if self.store.directed else ("lower", "lower")

    def restricted(self, rows: NDArray[np.intp]) -> sparse.csr_array:
        """Return some rows, and the same columns, in memory."""
        return self._with_factors([piece[:, rows] for piece in self._pieces(rows)], rows, rows)

    def rows(self, rows: NDArray[np.intp]) -> sparse.csr_array | None:
        """Return some rows in memory; None if they and a copy of them take more than a third of it."""
        pieces, entries = list[sparse.csr_array](), 0
        for piece in self._pieces(rows):
            entries += piece.nnz
            if 2 * 12 * entries > self.resources.memory // 3:
                return None
            pieces.append(piece)
        return self._with_factors(pieces, rows, np.arange(self.shape[1]))

    def _pieces(self, rows: NDArray[np.intp]) -> Iterator[sparse.csr_array]:
        """Yield some rows, a part at a time."""
        read = self.store.rows_in if self.transposed else self.store.rows
        for low in range(0, len(rows), _ROWS):
            yield sparse.csr_array(read(rows[low : low + _ROWS]))

    def _with_factors(
        self, pieces: list[sparse.csr_array], rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> sparse.csr_array:
        """Return pieces as one matrix of these rows and columns, with the factors of its entries."""
        part = sparse.csr_array(sparse.vstack(pieces, format="csr"))
        part.sort_indices()
        if self.factors is not None:
            ends = part.tocoo()
            part.data *= self.factors(rows[ends.row], columns[ends.col], self._order[int(self.transposed)])
            part.eliminate_zeros()
        if self.squares:
            part.data **= 2
        return part

    def split(self, low: float, high: float, seed: int) -> tuple[StoreMatrix, StoreMatrix]:
        """Return the edges that are kept, divided by their share, and those that are held out."""
        # Pairs of both parts are in memory at once: those of the part that is kept, and those that are known.
        resources = replace(self.resources, memory=self.resources.memory // 2, checkpoint=None)
        kept = EdgeFactors(seed, low, high, 0.0, 1 / (1 - (high - low)))
        held_out = EdgeFactors(seed, low, high, 1.0, 0.0)
        return replace(self, factors=kept, resources=resources), replace(self, factors=held_out)

    def with_signs(self, seed: int) -> StoreMatrix:
        """Return the matrix with a random sign for each edge."""
        resources = replace(self.resources, checkpoint=None)
        return replace(self, factors=EdgeFactors(seed, 0.0, 0.5, -1.0, 1.0), resources=resources)

    def tiled(self, scales: tuple[Array, Array] | None = None, *, two_sided: bool = False) -> StoreTiles:
        """Return the tiles of the matrix, or of both sides of a directed one; see `ExternalMatrix.pairs`."""
        n, cuts = self.store.n_vertices, tuple(self.store.manifest.cuts)
        weights = _Weights(self.factors, self.squares)
        panels = tuple(self.store.manifest.panels)
        out: tuple[StorePart, ...] = tuple(self.store.parts("in" if self.transposed else "out"))
        degrees = self.store.degrees, self.store.in_degrees
        if self.transposed:
            degrees = degrees[::-1]
        if not two_sided:
            first = (0,) * len(out)
            return StoreTiles(cuts, self.entries, out, panels, first, scales and scales[:1], weights, degrees[:1])
        into = tuple(self.store.parts("out" if self.transposed else "in"))
        both = (*cuts, *(n + cut for cut in cuts[1:]))
        first = (n,) * len(out) + (0,) * len(into)
        return StoreTiles(both, 2 * self.entries, out + into, panels, first, scales, weights, degrees)

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
        start: Array | None = None,
        known: tuple[Array, Array] | None = None,
        resumable: bool = True,
    ) -> EigenPairs | None:
        """Return eigenpairs by block Lanczos; see `lpgraph.spectral.external.FindsPairs`."""
        resources, tiled = self.resources, self.tiled(scales, two_sided=two_sided)
        folder = resources.checkpoint if resumable else None
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
            start=start,
            known=known,
        )

    def forms(
        self,
        squares: ExternalMatrix,
        scales: tuple[Array, Array] | None,
        vectors: Array,
        *,
        two_sided: bool,
        power: int,
        single: bool,
    ) -> tuple[Array, Array]:
        """Return quadratic forms of vectors; see `lpgraph.spectral.external.FindsPairs`."""
        if not isinstance(squares, StoreMatrix):
            raise TypeError(f"Not read together with a store: {a_type(squares)}.")
        of_squares = None if scales is None else (scales[0] ** 2, scales[1] ** 2)
        first = self.tiled(scales, two_sided=two_sided), 1
        second = squares.tiled(of_squares, two_sided=two_sided), power
        dtype = np.float32 if single else np.float64
        found = quadratic_forms([first, second], vectors, self.resources.memory, dtype)
        return found[0], found[1]

    def _checkpoint(
        self, folder: Path, scales: tuple[Array, Array] | None, two_sided: bool, parameters: str
    ) -> Checkpoint:
        """Return the checkpoint of a fit."""
        files = self.store.manifest.files
        names = [f"{name} {files[name].sha256}" for name in sorted(files)]
        flags = [self.transposed, self.squares, repr(self.factors), two_sided]
        return Checkpoint(folder, digest(names, flags, *(scales or ()), parameters))


@dataclass(frozen=True)
class _Weights:
    """How the weights of tiles are derived from those that are stored.

    Attributes
    ----------
    factors : EdgeFactors or None
        Factors; None if all are 1.
    squares : bool
        Whether the products are squared.
    """

    factors: EdgeFactors | None
    squares: bool

    def of(self, part: StorePart) -> Array | DerivedWeights:
        """Return the weights of all tiles of a partition."""
        stored = part.tiles[0].weights
        weights = _NONE if stored is None else stored
        if self.factors is None and not self.squares:
            return weights
        return DerivedWeights(weights, part.low, part.order, self.factors or NO_FACTORS, self.squares)


class StoreTiles(TiledMatrix):
    """The partitions of a store.

    Parameters
    ----------
    cuts, entries
        As of `TiledMatrix`.
    parts : sequence of StorePart
        One for each partition.
    panels : tuple of int
        Bounds of the columns of the tiles.
    first : sequence of int
        The row that column number 0 of each partition belongs to.
    scales : tuple of ndarray or None
        Factors of the rows, in one or two pieces.
    weights : _Weights
        How weights are derived.
    degrees : tuple of ndarray
        Sums of the rows of A, in as many pieces as `scales`; empty where they are not needed.
    """

    def __init__(
        self,
        cuts: tuple[int, ...],
        entries: int,
        parts: tuple[StorePart, ...],
        panels: tuple[int, ...],
        first: tuple[int, ...],
        scales: tuple[Array, ...] | None,
        weights: _Weights,
        degrees: tuple[Array, ...] = (),
    ) -> None:
        self.cuts, self.entries = cuts, entries
        self.weighted = parts[0].weighted or weights.factors is not None
        self._parts, self._panels, self._first = parts, panels, first
        self._scales, self._weights, self._degrees = scales, weights, degrees

    @property
    def reach(self) -> int:
        """Columns of the widest tile."""
        return max(high - low for low, high in pairwise(self._panels))

    @property
    def groups(self) -> tuple[int, ...]:
        """Bounds of groups of tiles: as many as four."""
        tiles = len(self._panels) - 1
        count = min(tiles, _GROUPS)
        return tuple(tiles * group // count for group in range(count + 1))

    def sources(self, group: int) -> tuple[int, ...]:
        """Return the partitions of the rows that a group gathers from; if directed, those of both sides."""
        low, high = (self._panels[self.groups[k]] for k in (group, group + 1))
        n = self._panels[-1]
        return tuple(p for p, cut in enumerate(self.cuts[:-1]) if low <= cut % n < high)

    def tiles(self, partition: int) -> list[Tile]:
        """Return the tiles of a partition."""
        first, part = self._first[partition], self._parts[partition]
        weights = self._weights.of(part)
        return [(first, tile.indptr, tile.indices, weights) for tile in part.tiles]

    def scale(self, partition: int) -> Array | None:
        """Return the factors of a partition's rows."""
        if self._scales is None:
            return None
        part = self._parts[partition]
        second = len(self._scales) == 2 and partition >= self.partitions // 2
        return np.asarray(self._scales[int(second)][part.low : part.high])

    def row_sums(self) -> Array:
        """Return the degrees."""
        return np.concatenate(self._degrees)

    def unscaled(self) -> StoreTiles:
        """Return the matrix without factors: files and numbers."""
        return StoreTiles(self.cuts, self.entries, self._parts, self._panels, self._first, None, self._weights)
