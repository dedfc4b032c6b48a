"""What is drawn of positions: their scaling, two of their dimensions, and the limits of the axes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_choice, check_integer
from lpgraph.errors import ArgumentError
from lpgraph.plot._models import read_points
from lpgraph.plot.palette import Classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SCALES = ("auto", "none", "unit", "ranks")

#: A tail is heavy if the 99 % quantile of the rows' lengths exceeds this many medians. Ratios that
#: `benchmarks/heavy_tails.py` prints: 4.2 and more for networks with hubs (3.4 for one Laplacian embedding), up
#: to 3.7 for block models and random graphs of mean degree 10.
_TAIL = 4.0

#: In a network's embedding all entries of the first dimension have one sign; a centred cloud has a share near 0.
_ONE_SIGN = 0.9

#: Least number of columns that are scaled to unit length: with two, all rows would lie on a circle.
_COLUMNS = 4

_LOW, _HIGH = 0.005, 0.995

#: The limits of an axis are quantiles if its range is longer than this many times the range between them.
_LONG = 2.0

#: Leading dimensions that are compared, and rows that are used if there are more.
_COMPARED, _ROWS = 16, 20_000
#: Share of points that may be at the origin without a caption.
_FEW = 0.01
#: Share of the widest spread column's vertices that a column must describe, and the entry that counts as 0.
_DESCRIBED, _NOTHING = 0.5, 1e-6
#: Another pair than the first must be better by this factor.
_BETTER = 1.5
#: Labels of a class, on average, from which dimensions are chosen by classes: of block models with three and with
#: five, the pair that separated the labelled vertices best mixed the others in a third and in a tenth of cases.
_LABELS = 10
#: Coordinates beyond these quantiles count as these, so that a few vertices do not make a spread.
_INNER, _OUTER = 0.05, 0.95


def heavy_tailed(positions: Array) -> bool:
    """Whether positions are those of a network with heavy-tailed degrees.

    In adjacency and Laplacian embeddings the length of a row grows with the degree, and the first dimension has
    one sign. Both are required: the 99 % quantile of the lengths in the first two dimensions is above 4 times
    their median, and the sum of the first dimension is at least 0.9 of the sum of its magnitudes. Rows of zeros
    do not count; they are vertices without edges.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot.scaling import heavy_tailed
    >>> degree = np.arange(1.0, 100.0) ** -1.5
    >>> heavy_tailed(np.column_stack([degree, degree])), heavy_tailed(np.column_stack([degree + 1, degree]))
    (True, False)
    """
    lengths = np.linalg.norm(positions[:, :2], axis=1)
    lengths = lengths[lengths > 0]
    if positions.shape[1] < 2 or not len(lengths):
        return False
    first = positions[:, 0]
    one_sign = abs(first.sum()) >= _ONE_SIGN * np.abs(first).sum()
    return bool(one_sign and np.quantile(lengths, 0.99) > _TAIL * np.median(lengths))


@dataclass(frozen=True)
class Scaling:
    """What is done to positions before they are drawn.

    Attributes
    ----------
    kind : {"none", "unit", "ranks"}
        Nothing, rows of unit length, or each coordinate's rank as a share of the number of rows.
    """

    kind: str

    @classmethod
    def of(cls, scale: str, positions: Array, *, fixed: bool = False) -> Scaling:
        """Return the scaling that `scale` names; "auto" scales positions that are heavy-tailed.

        If `fixed`, something drawn belongs to the positions as they are, such as ellipses.
        """
        check_choice("scale", scale, ("auto", "none") if fixed else SCALES)
        if scale != "auto":
            return cls(scale)
        if fixed or not heavy_tailed(positions):
            return cls("none")
        return cls("unit" if positions.shape[1] > 2 else "ranks")

    def dimensions(self, width: int) -> tuple[int, int]:
        """Return the two columns of `width` that are drawn by default."""
        # In rows of unit length the first dimension is mostly the density around a vertex.
        return (1, 2) if self.kind == "unit" and width > 2 else (0, 1)

    def __call__(self, positions: Array, dimensions: tuple[int, ...], known: Array | None = None) -> Array:
        """Return scaled columns of positions; ranks are those among the rows of `known`."""
        chosen = positions[:, dimensions]
        if self.kind == "unit":
            lengths = np.linalg.norm(positions[:, : self._scaled(dimensions)], axis=1, keepdims=True)
            return np.asarray(chosen / np.where(lengths > 0, lengths, 1.0))
        if self.kind == "ranks":
            others = chosen if known is None else known[:, dimensions]
            return np.column_stack([_ranks(chosen[:, k], others[:, k]) for k in range(len(dimensions))])
        return chosen

    def caption(self, width: int, dimensions: tuple[int, ...]) -> list[str]:
        """Return what was done to positions with `width` columns, in words."""
        if self.kind == "unit":
            scaled = self._scaled(dimensions)
            which = "rows" if scaled >= width else f"rows of the first {scaled} dimensions"
            return [f"{which} scaled to unit length"]
        return ["ranks of the coordinates"] if self.kind == "ranks" else []

    def _scaled(self, dimensions: tuple[int, ...]) -> int:
        return max(_COLUMNS, max(dimensions) + 1)


def limits(values: Array) -> tuple[float, float, bool]:
    """Return the limits of an axis, and whether they are the 0.5 % and 99.5 % quantiles rather than the range.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot.scaling import limits
    >>> limits(np.arange(101.0)), limits(np.append(np.arange(1000.0), 1e6))
    ((-5.0, 105.0, False), (-44.5, 1044.5, True))
    """
    if not len(values):
        return 0.0, 1.0, False
    low, high = float(values.min()), float(values.max())
    inner = [float(value) for value in np.quantile(values, [_LOW, _HIGH])]
    cut = high - low > _LONG * (inner[1] - inner[0]) > 0
    if cut:
        low, high = inner
    margin = 0.05 * ((high - low) or 1.0)
    return low - margin, high + margin, cut


def _ranks(values: Array, known: Array) -> Array:
    """Return the share of `known` that is smaller, with half of the equal ones."""
    sorted_values = np.sort(known)
    below = np.searchsorted(sorted_values, values, side="left")
    upto = np.searchsorted(sorted_values, values, side="right")
    return np.asarray((below + upto) / (2 * len(known)))


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
        The label of each row, as `lpgraph.plot._models.row_labels` returns them.
    """
    width, unplaced = positions.shape[1], int((~positions.any(axis=1)).sum())
    told = []
    if unplaced > _FEW * len(positions):
        told.append(f"{unplaced} of {len(positions)} points at the origin")
    if dimensions is not None:
        if not isinstance(dimensions, tuple | list | np.ndarray) or len(dimensions) != 2:
            raise ArgumentError(f"dimensions={dimensions!r:.60}; pass two columns, such as (0, 1).")
        first, second = (check_integer("dimensions", column, low=0) for column in dimensions)
        read_points("in_sample", positions, (first, second))
        return (first, second), told
    read_points("in_sample", positions, (0, 1))
    classes = Classes.of(kinds)
    codes = classes.codes(kinds)
    codes = np.where(codes == classes.unlabelled, -1, codes)
    chosen = default_axes(positions, scaling, codes)
    if chosen != scaling.dimensions(width):
        why = "separate the classes best" if _by_classes(codes[positions.any(axis=1)]) else "are most spread"
        told.append(f"dimensions {chosen[0] + 1} and {chosen[1] + 1} of {width}, which {why}")
    return chosen, told


def _by_classes(codes: NDArray[np.intp]) -> bool:
    """Whether there are several classes, with labels enough to choose dimensions by them."""
    known = codes[codes >= 0]
    classes = len(np.unique(known))
    return classes > 1 and len(known) >= _LABELS * classes


def default_axes(positions: Array, scaling: Scaling, codes: NDArray[np.intp]) -> tuple[int, int]:
    """Return the two columns of positions that are drawn if the user chooses none.

    With ten labels for each class or more it is the pair of largest ratio of variances between and within classes,
    ``trace(W^-1 B)`` as in linear discriminant analysis. Without, it is the pair whose clipped coordinates cover
    the largest area: the largest determinant of their covariance. The first pair is kept unless another is better
    by a factor of 1.5. Columns that are 0 for most vertices, as eigenvectors of small components are, are left
    out.

    Parameters
    ----------
    positions : ndarray of shape (n, d)
        The positions, d >= 2.
    scaling : Scaling
        How they are drawn.
    codes : ndarray of shape (n,)
        The class of each row, -1 if unknown.

    Returns
    -------
    (int, int)

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot.scaling import Scaling, default_axes
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
    placed = positions.any(axis=1)
    labelled = _by_classes(codes[placed])
    rows = np.flatnonzero(placed & (codes >= 0) if labelled else placed)
    if width == 2 or len(rows) < 3:
        return first
    rows = rows[:: -(-len(rows) // _ROWS)]
    kinds = codes[rows] if labelled else None
    scores = dict(_scores(positions, rows, scaling, kinds))
    best = max(scores, key=lambda pair: scores[pair], default=first)
    return best if first not in scores or scores[best] > _BETTER * scores[first] else first


def _scores(
    positions: Array, rows: NDArray[np.intp], scaling: Scaling, kinds: NDArray[np.intp] | None
) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield each pair of columns with its score."""
    sizes = np.abs(positions[rows, :_COMPARED])
    described = np.mean(sizes > _NOTHING * sizes.max(axis=0), axis=0)
    columns = np.flatnonzero(described >= _DESCRIBED * described.max()).tolist()
    for pair in combinations(columns, 2):
        xy = scaling(positions, pair)[rows]
        if kinds is None:
            xy = np.clip(xy, *np.quantile(xy, [_INNER, _OUTER], axis=0))
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
