"""What is drawn of positions: their scaling, two of their dimensions, and the limits of the axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_choice, check_integer
from lpgraph.errors import ArgumentError
from lpgraph.plot._models import read_points

if TYPE_CHECKING:
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

#: Share of points that may be at the origin without a caption.
_FEW = 0.01


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
    argument: str, dimensions: tuple[int, int] | None, positions: Array, scaling: Scaling
) -> tuple[tuple[int, int], list[str]]:
    """Return the two columns that are drawn, given or by default, and what a caption says about the points."""
    unplaced = int((~positions.any(axis=1)).sum())
    told = [f"{unplaced} of {len(positions)} points at the origin"] if unplaced > _FEW * len(positions) else []
    if dimensions is None:
        read_points(argument, positions, (0, 1))
        return scaling.dimensions(positions.shape[1]), told
    if not isinstance(dimensions, tuple | list | np.ndarray) or len(dimensions) != 2:
        raise ArgumentError(f"dimensions={dimensions!r:.60}; pass two columns, such as (0, 1).")
    first, second = (check_integer("dimensions", column, low=0) for column in dimensions)
    read_points(argument, positions, (first, second))
    return (first, second), told
