"""The two dimensions of an embedding that a picture shows by default."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_integer
from lpgraph.plot._style import read_points
from lpgraph.plot.palette import Classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.plot.scaling import Scaling

    Array = NDArray[np.float64]

__all__ = ["chosen_axes", "default_axes"]

#: Leading dimensions that are compared, and rows that are used if there are more.
_COLUMNS, _ROWS = 16, 20_000
#: Share of points that may be at the origin without a caption.
_FEW = 0.01
#: Share of the widest spread column's vertices that a column must describe, and the entry that counts as 0.
_DESCRIBED, _NOTHING = 0.5, 1e-6
#: Another pair than the first must be better by this factor.
_BETTER = 1.5
#: Coordinates beyond these quantiles count as these, so that a few vertices do not make a spread.
_LOW, _HIGH = 0.05, 0.95


def chosen_axes(
    dimensions: tuple[int, int] | None, positions: Array, scaling: Scaling, kinds: NDArray[np.generic]
) -> tuple[tuple[int, int], list[str]]:
    """Return the two columns that are drawn, and what a caption says about them.

    Parameters
    ----------
    dimensions : (int, int) or None
        The columns that the user chose.
    positions, scaling
        As for `default_axes`.
    kinds : ndarray of shape (n,)
        The label of each row, as `lpgraph.plot._style.row_labels` returns them.
    """
    width = positions.shape[1]
    told = []
    unplaced = int((~positions.any(axis=1)).sum())
    if unplaced > _FEW * len(positions):
        told.append(f"{unplaced} of {len(positions)} points at the origin")
    if dimensions is not None:
        first, second = dimensions
        chosen = (check_integer("dimensions", first, low=0), check_integer("dimensions", second, low=0))
        read_points("in_sample", positions, chosen)
        return chosen, told
    read_points("in_sample", positions, (0, 1))
    classes = Classes.of(kinds)
    codes = classes.codes(kinds)
    codes = np.where(codes == classes.unlabelled, -1, codes)
    chosen = default_axes(positions, scaling, codes)
    if chosen != scaling.dimensions(width):
        why = "separate the classes best" if len(np.unique(codes[codes >= 0])) > 1 else "are most spread"
        told.append(f"dimensions {chosen[0] + 1} and {chosen[1] + 1} of {width}, which {why}")
    return chosen, told


def default_axes(positions: Array, scaling: Scaling, codes: NDArray[np.intp] | None) -> tuple[int, int]:
    """Return the two columns of positions that are drawn if the user chooses none.

    With classes it is the pair of largest ratio of variances between and within classes, ``trace(W^-1 B)`` as in
    linear discriminant analysis. Without, it is the pair whose clipped coordinates cover the largest area: the
    largest determinant of their covariance. The first pair is kept unless another is better by a factor of 1.5.
    Columns that are 0 for most vertices, as eigenvectors of small components are, are left out.

    Parameters
    ----------
    positions : ndarray of shape (n, d)
        The positions, d >= 2.
    scaling : Scaling
        How they are drawn.
    codes : ndarray of shape (n,) or None
        The class of each row, -1 if unknown.

    Returns
    -------
    (int, int)

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot.default_axes import default_axes
    >>> from lpgraph.plot.scaling import Scaling
    >>> rng = np.random.default_rng(0)
    >>> positions, side = rng.normal(size=(200, 4)), np.repeat([0, 1], 100)
    >>> default_axes(positions, Scaling("none"), side)
    (0, 1)
    >>> positions[:, 2] += 3 * side
    >>> default_axes(positions, Scaling("none"), side)[1]
    2
    """
    width = positions.shape[1]
    first = scaling.dimensions(width)
    chosen = positions.any(axis=1)
    labelled = codes is not None and len(np.unique(codes[chosen & (codes >= 0)])) > 1
    rows = np.flatnonzero(chosen & (codes >= 0)) if codes is not None and labelled else np.flatnonzero(chosen)
    rows = rows[:: -(-len(rows) // _ROWS)] if len(rows) else rows
    if width == 2 or len(rows) < 3:
        return first
    kinds = codes[rows] if codes is not None and labelled else None
    scores = dict(_scores(positions, rows, scaling, kinds))
    best = max(scores, key=lambda pair: scores[pair], default=first)
    return best if first not in scores or scores[best] > _BETTER * scores[first] else first


def _scores(
    positions: Array, rows: NDArray[np.intp], scaling: Scaling, kinds: NDArray[np.intp] | None
) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield each pair of columns with its score."""
    sizes = np.abs(positions[rows, :_COLUMNS])
    described = np.mean(sizes > _NOTHING * sizes.max(axis=0), axis=0)
    columns = np.flatnonzero(described >= _DESCRIBED * described.max()).tolist()
    for pair in combinations(columns, 2):
        xy = scaling(positions, pair)[rows]
        if kinds is None:
            xy = np.clip(xy, *np.quantile(xy, [_LOW, _HIGH], axis=0))
            # Rounding makes the determinant of points on a line negative.
            yield pair, max(float(np.linalg.det(np.cov(xy.T))), 0.0) ** 0.5
        else:
            yield pair, _separation(xy, kinds)


def _separation(xy: Array, kinds: NDArray[np.intp]) -> float:
    """Return ``trace(W^-1 B)`` of the covariances within and between classes."""
    _, place, count = np.unique(kinds, return_inverse=True, return_counts=True)
    means = np.column_stack([np.bincount(place, column) for column in xy.T]) / count[:, None]
    inside, centred = xy - means[place], means - xy.mean(axis=0)
    within, between = inside.T @ inside, (centred * count[:, None]).T @ centred
    # Columns without variation have no direction in which classes are separated.
    return float(np.trace(np.linalg.pinv(within, hermitian=True) @ between))
