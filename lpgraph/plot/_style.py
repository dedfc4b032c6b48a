"""Axes, sizes of points and legends shared by all plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array, import_extra, is_missing, without_masked
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import in_order
from lpgraph.plot.palette import UNLABELLED

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import TypeAlias

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.graph.names import Names

    Array = NDArray[np.float64]
    #: Labels in the order of the rows, or by name.
    Labels: TypeAlias = ArrayLike | Mapping[Hashable, object]

#: Number of points from which a scatter plot is rasterized in vector formats.
RASTER = 5_000

#: Entries in a column of a legend, and in a legend.
LEGEND_ROWS, _ENTRIES = 22, 66


def new_axes(axes: Axes | None, size: tuple[float, float] = (6.0, 4.5)) -> Axes:
    """Return `axes`, or those of a new figure if None."""
    if axes is None:
        axes = import_extra("matplotlib.pyplot", "plot").subplots(figsize=size, layout="constrained")[1]
    return axes


def read_points(name: str, points: ArrayLike, dimensions: tuple[int, ...]) -> Array:
    """Return points as an array and check that it has the columns `dimensions`."""
    array = check_finite_array(name, points, ndim=2)
    if array.shape[1] == 1 < len(dimensions):
        raise ArgumentError(f"{name} has one dimension, and two are drawn; fit with n_components=2.")
    if max(dimensions) >= array.shape[1] or min(dimensions) < 0:
        raise ArgumentError(
            f"dimensions={dimensions} but {name} has {array.shape[1]} columns; pass columns from 0 to "
            f"{array.shape[1] - 1}."
        )
    return array


def row_labels(name: str, labels: Labels | None, n: int, names: Names | None = None) -> NDArray[np.generic]:
    """Return an array with one label per row; zeros if `labels` is None.

    Mappings and pandas objects are read by the names of the rows, which are 0 ... n-1 by default. Missing and
    masked ones, and rows that a mapping lacks, become `UNLABELLED`, and other labels then strings.
    """
    if labels is None:
        return np.zeros(n, dtype=int)
    ordered = in_order(labels, range(n) if names is None else names, name, partial=True)
    if hasattr(ordered, "to_list"):  # numpy may not have the type of a column
        ordered = ordered.to_list()
    kinds = np.asarray(without_masked(ordered))
    if kinds.shape != (n,):
        raise ArgumentError(f"{name} has shape {kinds.shape}; pass one label for each of {n} rows.")
    missing = np.array([is_missing(label) for label in kinds.tolist()], dtype=bool)
    if kinds.dtype == object or missing.any():  # objects of several types cannot be sorted
        # A column of integers in which some are missing has become one of floats.
        given = [int(k) if isinstance(k, float) and k.is_integer() else k for k in kinds[~missing].tolist()]
        kinds = np.full(n, UNLABELLED, dtype=object)
        kinds[~missing] = list(map(str, given))
        return kinds.astype(str)
    return kinds


def point_size(n: int) -> float:
    """Return the area of a marker for n points, in square points."""
    return float(np.clip(500 / max(n, 1) ** 0.5, 4, 40))


def point_opacity(n: int) -> float:
    """Return the opacity of n points: overlapping points remain visible."""
    return float(np.interp(np.log10(max(n, 1)), [3.0, 4.3], [0.85, 0.6]))


def handles(entries: Sequence[Mapping[str, object]]) -> tuple[list[Line2D], int]:
    """Return the handles of a legend and its number of columns; an entry is a label and a marker's style."""
    line = import_extra("matplotlib.lines", "plot").Line2D
    shown = list(entries)
    if len(shown) > _ENTRIES:
        shown = [*shown[: _ENTRIES - 1], {"label": f"and {len(shown) - _ENTRIES + 1} more", "marker": ""}]
    made = [line([], [], **({"linestyle": "", "marker": "o"} | dict(entry))) for entry in shown]
    for handle in made:
        handle.set_label(clipped(handle.get_label()))
    return made, -(-len(made) // LEGEND_ROWS)


def clipped(text: str) -> str:
    """Return a label of at most 30 characters."""
    return text if len(text) <= 30 else f"{text[:29]}…"


def with_legend(size: tuple[float, float], entries: Sequence[Mapping[str, object]]) -> tuple[float, float]:
    """Return the size of a figure, wider if its legend has several columns."""
    columns = -(-min(len(entries), _ENTRIES) // LEGEND_ROWS)
    longest = max((len(clipped(str(entry["label"]))) for entry in entries), default=0)
    return size[0] + max(columns - 1, 0) * (0.5 + 0.075 * longest), size[1]


def legend(axes: Axes, entries: Sequence[Mapping[str, object]]) -> None:
    """Add a legend to the right of the axes."""
    made, columns = handles(entries)
    axes.legend(
        handles=made,
        frameon=False,
        fontsize="small",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        columnspacing=1.0,
        ncols=columns,
    )


def caption(axes: Axes, parts: Sequence[str]) -> None:
    """Write what was done to the data above the axes; nothing if `parts` is empty."""
    if parts:
        axes.set_title("\n".join(parts), fontsize="small", loc="left", color="0.35")
