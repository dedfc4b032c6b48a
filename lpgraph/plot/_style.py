"""Axes, colours, markers and legends shared by all plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array, import_extra
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import in_order

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import TypeAlias

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    RGB = tuple[float, float, float]
    #: Labels in the order of the rows, or by name.
    Labels: TypeAlias = ArrayLike | Mapping[Hashable, object]

#: The palette of Okabe & Ito, which colour-blind readers can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: Classes beyond the eighth have a lighter or darker colour and another marker.
MARKERS = ("o", "s", "^", "D", "v")

#: Colour of elements without a class: edges, lines, true positions.
GREY = "#8C8C8C"

#: Number of points from which a scatter plot is rasterized in vector formats.
RASTER = 5_000


def new_axes(axes: Axes | None, size: tuple[float, float] = (6.0, 4.5)) -> Axes:
    """Return `axes`, or those of a new figure if None."""
    if axes is None:
        axes = import_extra("matplotlib.pyplot", "plot").subplots(figsize=size, layout="constrained")[1]
    return axes


def colours(count: int) -> list[RGB]:
    """Return `count` colours: Okabe & Ito's with lighter and darker shades, or viridis if these are too few."""
    own = np.array([import_extra("matplotlib.colors", "plot").to_rgb(colour) for colour in COLOURS])
    shades = np.concatenate([own, 0.5 + 0.5 * own, 0.55 * own])
    shades[14], shades[22] = 0.55, 0.3  # greys as shades of black
    if count > len(shades):
        shades = import_extra("matplotlib", "plot").colormaps["viridis"](np.linspace(0, 1, count))
    return [(r, g, b) for r, g, b in shades[:count, :3].tolist()]


@dataclass(frozen=True, eq=False)
class Classes:
    """Distinct labels with their colours and markers.

    Attributes
    ----------
    levels : list
        Sorted distinct labels.
    colours, markers : list
        One per label.
    """

    levels: list[object]
    colours: list[RGB]
    markers: list[str]

    @classmethod
    def of(cls, *columns: NDArray[np.generic]) -> Classes:
        """Return the classes of one or more arrays of labels."""
        levels = np.unique(np.concatenate([np.asarray(column) for column in columns])).tolist()
        kinds = [MARKERS[(i // len(COLOURS)) % len(MARKERS)] for i in range(len(levels))]
        return cls(levels, colours(len(levels)), kinds)

    def codes(self, labels: NDArray[np.generic]) -> NDArray[np.intp]:
        """Return the index of every label in `levels`."""
        return np.searchsorted(np.array(self.levels), np.asarray(labels)).astype(np.intp)


def read_points(name: str, points: ArrayLike, dimensions: tuple[int, ...]) -> Array:
    """Return points as an array and check that it has the columns `dimensions`."""
    array = check_finite_array(name, points, ndim=2)
    if max(dimensions) >= array.shape[1] or min(dimensions) < 0:
        raise ArgumentError(
            f"dimensions={dimensions} but {name} has {array.shape[1]} columns; pass columns from 0 to "
            f"{array.shape[1] - 1}."
        )
    return array


def row_labels(
    name: str, labels: Labels | None, n: int, names: Sequence[Hashable] | None = None
) -> NDArray[np.generic]:
    """Return an array with one label per row; zeros if `labels` is None.

    Mappings and pandas objects are read by the names of the rows, which are 0 ... n-1 by default.
    """
    if labels is None:
        return np.zeros(n, dtype=int)
    kinds = np.asarray(in_order(labels, range(n) if names is None else names, name))
    if kinds.shape != (n,):
        raise ArgumentError(f"{name} has shape {kinds.shape}; pass one label for each of {n} rows.")
    return kinds.astype(str) if kinds.dtype == object else kinds  # objects of several types cannot be sorted


def legend(axes: Axes, entries: Sequence[Mapping[str, object]]) -> None:
    """Add a legend to the right of the axes; an entry is a label and the style of its marker."""
    line = import_extra("matplotlib.lines", "plot").Line2D
    handles = [line([], [], **({"linestyle": "", "marker": "o"} | dict(entry))) for entry in entries]
    for handle in handles:
        if len(handle.get_label()) > 30:
            handle.set_label(f"{handle.get_label()[:29]}…")
    axes.legend(
        handles=handles,
        frameon=False,
        fontsize="small",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        ncols=1 + (len(handles) > 20),
    )
