"""Quadratic forms of several matrices in partitions, in one reading of their tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._threads import in_threads
from lpgraph.scale.tasks import tree_sum, written_rows
from lpgraph.scale.tiled import product_of_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.tiled import TiledMatrix

    Array = NDArray[np.float64]

__all__ = ["quadratic_forms"]

#: The widest group of columns, and the step of widths: loops are compiled for each.
_WIDEST, _STEP = 16, 4


def quadratic_forms(
    terms: Sequence[tuple[TiledMatrix, int]], vectors: Array, memory: int, dtype: DTypeLike
) -> list[Array]:
    """Return ``sum_i x_i^p (M x^p)_i`` for each matrix M and power p, and each column x.

    Parameters
    ----------
    terms : sequence of tuple
        Matrices with the same partitions, and powers.
    vectors : ndarray of shape (n, k)
        The columns.
    memory : int
        Bytes, half of which copies of columns may take; four columns are multiplied at a time at least.
    dtype : dtype
        To which columns are rounded before they are multiplied.

    Returns
    -------
    list of ndarray of shape (k,)
        One for each term, in double precision; independent of the number of threads.
    """
    first = terms[0][0]
    n, k = vectors.shape
    room = memory // (2 * np.dtype(dtype).itemsize * n * len(terms)) // _STEP * _STEP
    width = max(_STEP, min(_WIDEST, -(-k // _STEP) * _STEP, room))
    found = np.zeros((len(terms), k))
    for low in range(0, k, width):
        columns = slice(low, min(low + width, k))
        found[:, columns] = _of_group(terms, vectors[:, columns], width, first.cuts, dtype)
    return list(found)


def _of_group(
    terms: Sequence[tuple[TiledMatrix, int]], vectors: Array, width: int, cuts: Sequence[int], dtype: DTypeLike
) -> Array:
    """Return the forms of at most `width` columns."""
    count = vectors.shape[1]
    sources = [np.empty(len(vectors) * width, dtype) for _ in terms]
    sums: dict[int, Array] = {}

    def write(p: int, _: int) -> None:
        low, high = cuts[p], cuts[p + 1]
        # Groups that are not full are filled with zeros: another width would be another compiled loop.
        columns = np.zeros((width, high - low))
        columns[:count] = vectors[low:high].T
        for (tiled, power), source in zip(terms, sources, strict=True):
            written_rows(columns**power, tiled.scale(p), source, low)

    def multiply(p: int, _: int) -> None:
        own = vectors[cuts[p] : cuts[p + 1]]
        products = [
            np.einsum("ij,ij->j", own**power, product_of_tiles(tiled, p, source, width)[:, :count])
            for (tiled, power), source in zip(terms, sources, strict=True)
        ]
        sums[p] = np.stack(products)

    for work in write, multiply:
        in_threads(work, range(len(cuts)))
    return tree_sum([sums[p] for p in range(len(sums))])
