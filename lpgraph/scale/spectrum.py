"""Eigenpairs of a matrix in partitions: the search, and the residuals measured in double precision."""

from __future__ import annotations

from functools import partial, reduce
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph.scale.checkpoint import digest
from lpgraph.scale.first_block import first_block
from lpgraph.scale.lanczos import Aim, Search, Sizes
from lpgraph.scale.scratch import kept_memory
from lpgraph.spectral.measure import fix_signs, over_rows, scaled_columns
from lpgraph.spectral.order import relative_scale, wanted
from lpgraph.spectral.pairs import EigenPairs
from lpgraph.spectral.tolerances import FINE, INNER, INNER_FINE, SINGLE, STRICTER, STRICTEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.scale.checkpoint import Checkpoint
    from lpgraph.scale.engine import Block, Engine
    from lpgraph.scale.space import Space
    from lpgraph.scale.tiled import TiledMatrix

    Array = NDArray[np.float64]
    Columns = NDArray[np.floating]

__all__ = ["partitioned_pairs"]

#: From this many rows blocks may be in single precision, whose rounding is then without direction.
_MANY = 50_000


@kept_memory()
def partitioned_pairs(
    tiled: TiledMatrix,
    engine: Engine,
    space: Space,
    k: int,
    which: str,
    *,
    memory: int,
    checkpoint: Callable[[str], Checkpoint] | None = None,
    tol: float,
    max_restarts: int,
    rng: np.random.Generator,
    start: Array | None = None,
    known: tuple[Array, Array] | None = None,
) -> EigenPairs | None:
    """Return the k wanted eigenpairs of a matrix in partitions, or None if it has too few rows for this method.

    Parameters
    ----------
    tiled : TiledMatrix
        The matrix.
    engine : Engine
        Where they are worked on.
    space : Space
        Memory for the results.
    k, which, tol, max_restarts
        As in `lpgraph.spectral.eigen.eigenpairs`.
    memory : int
        Bytes that the basis may take beside the matrix itself.
    checkpoint : callable, optional
        Returns the checkpoint of a search from a checksum of its parameters; without, none is written.
    rng : Generator
        Seed of the random directions.
    start : ndarray of shape (n, s), optional
        Vectors to begin with, linearly independent; as many of them as a block has columns.
    known : tuple of ndarray, optional
        Orthonormal eigenvectors and values found before, the best of the wanted ones, with which the basis begins.
    """
    sizes = Sizes.of(tiled, k, memory, overhead=engine.overhead)
    if not sizes.fit(tiled.n):
        return None
    seed = int(rng.integers(2**62))
    dtype: type[np.floating] = np.float32 if tol >= SINGLE and tiled.n >= _MANY else np.float64
    inner, cycles, products = (INNER if tol >= FINE else INNER_FINE) * tol, 0, 0
    first: Block | None = None
    while True:
        task = Aim(k, which, inner, max_restarts - cycles, dtype, sizes.width)
        search = Search(engine, tiled, task, sizes, seed)
        saved = checkpoint and checkpoint(digest(k, which, inner, np.dtype(dtype).str, sizes.width, seed))
        if not (saved and saved.restore(search)):
            if known is not None:
                search.begin_after(_block(engine, tiled, known[0], space), known[1])
            elif start is not None:
                search.begin(_block(engine, tiled, start[:, : sizes.width], space))
            else:
                first = first or first_block(engine, tiled, space, task, sizes, memory, seed)
                search.begin(first)
        ritz = search.run(partial(saved.save, search) if saved else None)
        cycles += search.cycle
        found = search.vectors(ritz, k)
        products += search.products + k
        search.basis.clear()
        pairs = _measured(engine, tiled, found, which, search.norm, space, cycles, products)
        if saved:
            saved.clear()
        if pairs.residuals.max() <= tol or cycles >= max_restarts or inner < STRICTEST:
            return pairs
        # The measured residual exceeds the estimate: continue in double precision, or more strictly.
        inner = inner if dtype is np.float32 else STRICTER * inner
        dtype, seed = np.float64, seed + 1


def _block(engine: Engine, tiled: TiledMatrix, vectors: Array, space: Space) -> Block:
    """Return vectors as a block of an engine."""
    bounds = pairwise(tiled.cuts)
    return engine.restored([space.kept(np.array(vectors[low:high].T, order="C")) for low, high in bounds])


def _measured(
    engine: Engine,
    tiled: TiledMatrix,
    found: Block,
    which: str,
    norm: float,
    space: Space,
    cycles: int,
    products: int,
) -> EigenPairs:
    """Do as `lpgraph.spectral.measure.measured` does, partition by partition."""
    n, k = tiled.n, found.width
    image, small, _ = engine.image(tiled, found, [found], np.zeros((k, k)), np.float64)
    metric = engine.scalar_products([], found)[1]
    values, rotation = scipy.linalg.eigh((small + small.T) / 2, metric)
    order = wanted(values, which)
    values, rotation = values[order], rotation[:, order]
    vectors, images, gaps = space.empty((n, k)), space.empty((n, k)), []
    for p in range(tiled.partitions):
        low, high = tiled.cuts[p], tiled.cuts[p + 1]
        columns, products_of = engine.columns(found, p), engine.columns(image, p)

        def rotate(
            rows: slice, low: int = low, columns: Columns = columns, products_of: Columns = products_of
        ) -> Array:
            there = slice(low + rows.start, low + min(rows.stop, columns.shape[1]))
            vectors[there] = columns[:, rows].T.astype(np.float64) @ rotation
            images[there] = products_of[:, rows].T @ rotation
            return np.asarray(np.square(images[there] - vectors[there] * values).sum(axis=0))

        gaps += over_rows(high - low, k, rotate)
    gap = np.sqrt(reduce(np.add, gaps))
    sign = fix_signs(vectors)
    for array in vectors, images:
        scaled_columns(array, sign, out=array)
    scale = relative_scale(values, norm)
    residuals = np.divide(gap, scale, out=np.zeros_like(gap), where=scale > 0)
    return EigenPairs(values, vectors, images, residuals, "lanczos", cycles, products, norm)
