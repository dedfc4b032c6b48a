"""Equal points: the first of every set of copies, and the numbers of copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._threads import in_threads
from lpgraph.points.rows import blocks, doubles
from lpgraph.points.sparse_points import is_sparse, row_scalars

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.types import Numbers, Points

__all__ = ["are_all_equal", "as_scalars", "copies", "distinct"]


def as_scalars(points: Points) -> NDArray[np.void] | NDArray[np.object_]:
    """Return the rows as sortable scalars that are equal if all coordinates are equal."""
    if is_sparse(points):
        return row_scalars(points)
    rows = np.add(points, 0.0, dtype=np.float64, order="C")  # -0.0 becomes 0.0
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()


def are_all_equal(points: Points) -> bool:
    """Whether all points are equal; the time is that of a few rows if they are not.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.points.equal_rows import are_all_equal
    >>> are_all_equal(np.ones((3, 2))), are_all_equal(np.eye(2))
    (True, False)
    """
    if is_sparse(points):
        first = points[[0]]
        counts = np.diff(points.indptr)
        return bool(
            (counts == counts[0]).all()
            and (points.indices.reshape(len(counts), -1) == first.indices).all()
            and (points.data.reshape(len(counts), -1) == first.data).all()
        )
    return all((doubles(points[part]) == doubles(points[:1])).all() for part in blocks(points))


def distinct(points: Points) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first of every set of equal points, in order, and the index of each point among these."""
    representative = np.arange(points.shape[0])
    suspects = _suspects(points)
    if suspects.size:
        # Not of all points, because this takes a copy of them.
        _, first, place = np.unique(as_scalars(points[suspects]), return_index=True, return_inverse=True)
        representative[suspects] = suspects[first][place.ravel()]
    kept = np.flatnonzero(representative == np.arange(points.shape[0]))
    return kept, np.searchsorted(kept, representative)


def copies(points: Points) -> NDArray[np.intp]:
    """Return how often each of the points that occur several times occurs."""
    suspects = _suspects(points)
    found: NDArray[np.intp] = np.unique(as_scalars(points[suspects]), return_counts=True)[1]
    return found[found > 1]


def _suspects(points: Points) -> NDArray[np.intp]:
    """Return the points that may equal others: those whose hash occurs several times."""
    if is_sparse(points):
        return np.arange(points.shape[0])
    hashes = np.empty(points.shape[0], dtype=np.uint64)
    draw = np.random.default_rng(0).integers(0, 1 << 63, points.shape[1], dtype=np.uint64)
    factors = np.asarray(2 * draw + 1, dtype=np.uint64)  # odd
    cuts = [part.start for part in blocks(points)]

    def work(low: int, high: int) -> None:
        hashes[low:high] = _hashes(points[low:high], factors)

    in_threads(work, [*cuts, points.shape[0]] if cuts else [0])
    _, place, count = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.flatnonzero(count[place.ravel()] > 1)


def _hashes(rows: Numbers, factors: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each row, which is different for most different rows."""
    # A copy, which is changed. -0.0 becomes 0.0.
    bits = np.asarray(np.add(rows, 0.0, dtype=np.float64, order="C")).view(np.uint64)
    # The lower half of the bits of small integers is 0, and a product would keep it so.
    bits ^= bits >> np.uint64(32)
    bits *= factors
    bits ^= bits >> np.uint64(29)
    return np.asarray(bits.sum(axis=1, dtype=np.uint64))
