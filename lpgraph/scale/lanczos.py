"""Block Lanczos on an engine: few passes over the edges, each with many vectors.

The iteration is that of `lpgraph.spectral.lanczos`, whose docstring has the relation that holds in every step.
There are two differences. A block has about as many columns as eigenpairs are wanted, because a pass costs much
more than a vector (arXiv:2508.06486). And the components along earlier blocks, which are known from the steps
before, are subtracted as soon as a product is formed. What is left is subtracted with the scalar products of the
same pass, so that each step has one reduction.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph._progress import tell
from lpgraph.spectral.ritz import Ritz
from lpgraph.spectral.tolerances import APART, CANCELLED, NOISE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.engine import Block, Engine
    from lpgraph.scale.tiled import TiledMatrix

    Array = NDArray[np.float64]

__all__ = ["Search", "Sizes"]

#: Directions shorter than this share of the norm are rounding, if blocks are in single precision.
_NOISE_SINGLE = 2e-7

#: The widest block: a row of it in single precision is a line of the cache.
_WIDEST = 16

#: Blocks and columns that the basis holds beside the wanted vectors, if there is room.
_BLOCKS, _COLUMNS = 10, 60

#: Nanoseconds on two cores: an entry read from the page cache and from a disk, a number gathered for it, and a
#: number of a block multiplied by one of the basis and back.
_CACHED, _FROM_DISK, _GATHER, _MULTIPLY = 0.3, 4.0, 0.5, 0.3

#: Bytes of a block that stay in the cache, and nanoseconds for a row that does not.
_CACHE, _MISSED = 1 << 25, 4.0

#: Steps of a check: a copy that was missed takes about as many to be seen as the first ones took.
_CHECK = 16

#: Steps in which pairs that are near one another may be told apart, before a check.
_PATIENCE = 6

#: Steps before it is said how many there will be.
_BEFORE = 3

#: Passes to orthogonalise directions that nearly vanished.
_REPEATS = 3

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True)
class Sizes:
    """Columns of a block, and of the basis before a restart."""

    width: int
    capacity: int

    @classmethod
    def of(cls, tiled: TiledMatrix, k: int, memory: int, *, overhead: float = 0.0) -> Sizes:
        """Return the sizes that take the least time for k eigenpairs, by a model of cost.

        The passes of a search are about proportional to ``1 / 4 + 3 / width`` for widths up to k, and four fifths
        of that if it begins with eigenvectors of a part, measured on block models with and without hubs. A pass
        reads each entry, gathers `width` numbers for it, and multiplies each row by as many columns as the basis
        has, twice. If tiles gather from more rows than stay in the cache, an entry takes a line of it.

        Parameters
        ----------
        tiled : TiledMatrix
            The matrix.
        k : int
            Number of eigenpairs.
        memory : int
            Bytes. The block that tiles gather from and its image take at most a third of it each, the basis as
            much as the memory and the column numbers of the edges together: to read it must not take much longer
            than to read these.
        overhead : float
            Seconds of a pass beside this.
        """
        column = 4 * tiled.n
        room = (memory + 4 * tiled.entries) // column
        stored = (12 if tiled.weighted else 4) * tiled.entries
        reading = _CACHED if stored <= 2 * memory else _FROM_DISK
        # A row of four numbers is read as a line of the cache, as one of sixteen is.
        reading += _MISSED if 16 * tiled.reach > _CACHE else 0.0

        def sized(width: int) -> Sizes:
            return cls(width, max(k + 2 * width, min(k + max(_COLUMNS, _BLOCKS * width), room)))

        def cost(width: int) -> float:
            passes = (0.25 + 3 / width) * (0.8 if width >= k else 1.0)
            entries = tiled.entries * (reading + _GATHER * width)
            basis = tiled.n * _MULTIPLY * width * sized(width).capacity / 2
            return passes * (entries + basis + 1e9 * overhead)

        most = max(4, min(_WIDEST, -(-(k + 2) // 4) * 4, memory // (3 * column) // 4 * 4))
        return sized(min(range(4, most + 1, 4), key=cost))

    def fit(self, n: int) -> bool:
        """Whether n rows are many more than the basis has columns."""
        return n >= 4 * (self.capacity + self.width)


@dataclass(frozen=True, eq=False)
class Aim:
    """What is to be found; see `lpgraph.spectral.ritz.Task`.

    Attributes
    ----------
    k, which, tol, max_restarts, dtype, width
        As of a task; `width` is that of the blocks.
    origin : None
        Residuals are relative to eigenvalues.
    loose : 0
        All residuals have the same bound.
    """

    k: int
    which: str
    tol: float
    max_restarts: int
    dtype: DTypeLike
    width: int
    origin: None = None
    loose: float = 0.0


@dataclass(eq=False)
class Search:
    """The state of the iteration, and its steps.

    Attributes
    ----------
    engine, tiled
        Where blocks are, and the matrix M.
    task : Aim
        What is to be found.
    sizes : Sizes
        Columns of blocks and of the basis.
    seed : int
        Of random directions.
    basis : list of Block
        V; the last block, of `width` columns, is not multiplied yet.
    projection : ndarray of shape (size, size)
        H for the columns that are multiplied.
    coupling : ndarray of shape (width, size)
        Coefficients of the last block in M V.
    norm : float
        The operator's, as far as it is known.
    cycle : int
        Restarts, and 1.
    settled : ndarray of shape (k,) or None
        The converged values that a check must not change; None if none is running.
    settled_at, steps : int
        Steps before the check, and in all.
    draws : int
        Random blocks so far.
    products : int
        Vectors multiplied so far.
    waited : int
        Steps since the pairs have converged, of which some may have another copy.
    excesses : list of float
        The largest residual after each step, relative to the tolerance.
    """

    engine: Engine
    tiled: TiledMatrix
    task: Aim
    sizes: Sizes
    seed: int
    basis: list[Block] = field(default_factory=list)
    projection: Array = field(default_factory=lambda: np.zeros((0, 0)))
    coupling: Array = field(default_factory=lambda: np.zeros((0, 0)))
    norm: float = 0.0
    cycle: int = 1
    settled: Array | None = None
    settled_at: int = 0
    steps: int = 0
    draws: int = 0
    products: int = 0
    waited: int = 0
    excesses: list[float] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Columns that are multiplied."""
        return len(self.projection)

    @property
    def dtype(self) -> DTypeLike:
        """Precision of blocks."""
        return self.task.dtype

    def run(self, after_step: Callable[[], object] | None = None) -> Ritz:
        """Iterate until the wanted pairs are found, or restarts are used up; return what is known of them.

        `after_step` is called when a step is complete, and the state can be saved.
        """
        if not self.basis:
            self.begin()
        while True:
            if after_step is not None:
                after_step()
            self.step()
            if self.size <= self.task.k:
                continue
            ritz = Ritz.of(self.task, self.projection, self.size, self.coupling, self.norm)
            self.norm = ritz.norm
            self._report(ritz)
            if self._is_done(ritz):
                return ritz
            full = self.size + self.sizes.width > self.sizes.capacity
            crowded = ritz.converged and ritz.sure and ritz.crowded and self.settled is None
            self.waited = self.waited + 1 if crowded else 0
            crowded = self.waited > _PATIENCE
            if full or crowded:
                if self.cycle >= self.task.max_restarts:
                    return ritz
                self.cycle += 1
                if crowded:
                    self._check(ritz)
                else:
                    self._restart(ritz)

    def begin(self, start: Block | None = None) -> None:
        """Take vectors as the first block, with random directions if they are fewer than it has columns."""
        width = self.sizes.width
        if start is None:
            start = self._drawn(width)
        elif start.width < width:
            blocks = [start, self._drawn(width - start.width)]
            start = self.engine.combined(blocks, np.eye(width), self.dtype)
        self._add(start)

    def begin_after(self, known: Block, values: Array) -> None:
        """Take eigenvectors with these values as the basis, and go on from random directions."""
        self.basis[:] = [self.engine.combined([known], np.eye(known.width), self.dtype)]
        self.projection = np.diag(values)
        self._add_random()

    def vectors(self, ritz: Ritz, count: int) -> Block:
        """Return the leading Ritz vectors."""
        return self.engine.combined(self.basis[:-1], ritz.rotation[:, :count], self.dtype)

    def step(self) -> None:
        """Multiply the last block, and append the next one."""
        last, size = self.basis[-1], self.size
        width = last.width
        known = np.vstack([self.coupling.T, np.zeros((width, width))])
        image, along, mutual = self.engine.image(self.tiled, last, self.basis, known, self.dtype)
        self.products += width
        self.steps += 1
        coefficients = known + along
        grown = size + width
        projection = np.zeros((grown, grown))
        projection[:size, :size] = self.projection
        projection[:, size:] = coefficients
        projection[size:, :] = coefficients.T
        self.projection = projection
        self.norm = max(self.norm, float(np.abs(coefficients).max()))
        self.coupling = np.zeros((width, grown))
        self.basis.append(self._next(image, along, mutual, size))

    def _next(self, image: Block, along: Array, mutual: Array, size: int) -> Block:
        """Return the orthonormal block of what is left of an image, and note the coefficients R."""
        left = mutual - along.T @ along
        lengths, before = np.sqrt(np.maximum(np.diag(left), 0.0)), np.sqrt(np.diag(mutual))
        if (lengths > np.maximum(CANCELLED * before, self._floor)).all():
            cosines = left / np.multiply.outer(lengths, lengths)
            if np.linalg.eigvalsh(cosines)[0] > APART:
                r = scipy.linalg.cholesky(left)
                self.coupling[:, size:] = r
                inverse = np.linalg.inv(r)
                factors = np.vstack([-along @ inverse, inverse])
                return self.engine.combined([*self.basis, image], factors, self.dtype)
        return self._next_slowly(image, along, size)

    @property
    def _floor(self) -> float:
        """Length below which a direction is rounding."""
        return (NOISE if self.dtype == np.float64 else _NOISE_SINGLE) * self.norm

    def _next_slowly(self, image: Block, along: Array, size: int) -> Block:
        """Do as `_next` does for directions that are nearly parallel, or vanish: those are replaced."""
        width = image.width
        for _ in range(_REPEATS):
            factors = np.vstack([-along, np.eye(width)])
            image = self.engine.combined([*self.basis, image], factors, np.float64)
            along, mutual = self.engine.scalar_products(self.basis, image)
        values, turn = np.linalg.eigh(mutual - along.T @ along)
        kept = values > self._floor**2
        lengths = np.sqrt(values[kept])
        block = [(image, turn[:, kept] / lengths)] if kept.any() else []
        r = lengths[:, None] * turn[:, kept].T
        self.coupling[: len(r), size:] = r
        missing = width - len(r)
        if missing:
            block.append((self._drawn(missing), np.eye(missing)))
        whole = self.engine.combined(
            [part for part, _ in block], scipy.linalg.block_diag(*(factors for _, factors in block)), np.float64
        )
        return self._orthonormal(whole)

    def _orthonormal(self, block: Block) -> Block:
        """Return a block made orthonormal, and orthogonal to the basis."""
        for _ in range(_REPEATS):
            along, mutual = self.engine.scalar_products(self.basis, block)
            inverse = np.linalg.inv(scipy.linalg.cholesky(mutual - along.T @ along))
            factors = np.vstack([-along @ inverse, inverse])
            block = self.engine.combined([*self.basis, block], factors, self.dtype)
        return block

    def _drawn(self, width: int) -> Block:
        self.draws += 1
        return self.engine.random(self.tiled, width, (self.seed, self.draws), self.dtype)

    def _add_random(self) -> None:
        """Append random directions, orthogonal to one another and to V."""
        self._add(self._drawn(self.sizes.width))

    def _add(self, block: Block) -> None:
        """Append a block, orthogonal to V."""
        self.basis.append(self._orthonormal(block))
        self.coupling = np.zeros((block.width, self.size))

    def _restart(self, ritz: Ritz) -> None:
        """Keep the wanted vectors, a third of the remaining room, and the last block."""
        k, width = self.task.k, self.sizes.width
        keep = min(self.size - width, k + max(0, self.sizes.capacity - k - 2 * width) // 3)
        keep = max(k, keep)
        rotation = ritz.rotation[:, :keep]
        kept = self.engine.combined(self.basis[:-1], rotation, self.dtype)
        self.basis[:] = [kept, self.basis[-1]]
        self.coupling = self.coupling @ rotation
        self.projection = np.diag(ritz.values[:keep])

    def _check(self, ritz: Ritz) -> None:
        """Keep the wanted vectors only, and go on from random directions orthogonal to them."""
        k = self.task.k
        self.settled, self.settled_at = ritz.values[:k].copy(), self.steps
        self.basis[:] = [self.engine.combined(self.basis[:-1], ritz.rotation[:, :k], self.dtype)]
        self.projection = np.diag(self.settled)
        self._add_random()

    def _is_done(self, ritz: Ritz) -> bool:
        """Whether all wanted pairs are found, with their multiplicity."""
        if not (ritz.converged and ritz.sure):
            return False
        if self.settled is None:
            return not ritz.crowded
        k = self.task.k
        if (np.abs(ritz.values[:k] - self.settled) <= self.task.tol * ritz.scale[:k]).all():
            return self.steps - self.settled_at >= _CHECK
        self.settled = None
        return False

    def _report(self, ritz: Ritz) -> None:
        tell(
            _log,
            "pass %d%s, %d of %d eigenpairs converged, residual %.0e",
            self.engine.passes,
            self._expected(ritz),
            ritz.found,
            self.task.k,
            self.task.tol * ritz.excess,
            of=(ritz.found, self.task.k),
        )

    def _expected(self, ritz: Ritz) -> str:
        """Return how many passes there will be about, if residuals go on to fall as they have fallen so far."""
        self.excesses.append(max(ritz.excess, 1.0))
        steps, fallen = len(self.excesses) - 1, float(np.log(self.excesses[0] / self.excesses[-1]))
        if steps < _BEFORE or fallen <= 0:
            return ""
        left = int(np.ceil(steps * np.log(self.excesses[-1]) / fallen))
        return f" of about {self.engine.passes + left + 1}"  # the last one measures the residuals
