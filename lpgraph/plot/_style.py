"""What all pictures share: axes, colours that colour-blind readers tell apart, points that stay light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import check_finite_array, import_extra
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Okabe & Ito's colours, told apart by colour-blind readers too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: Classes beyond the eighth get the same hues lighter or darker, and another marker.
MARKERS = ("o", "s", "^", "D", "v")

#: What belongs to no class: edges, frames, truth.
GREY = "#8C8C8C"

#: From this many points on a scatter is drawn as pixels inside the vector picture.
RASTER = 5_000


def new_axes(axes: Any, size: tuple[float, float] = (6.0, 4.5)) -> Any:
    """Return `axes`, or those of a new figure."""
    if axes is not None:
        return axes
    return import_extra("matplotlib.pyplot", "plot").subplots(figsize=size, layout="constrained")[1]


def colours(count: int) -> list[Any]:
    """Return `count` colours: Okabe & Ito's, then lighter and darker ones, then a scale from dark to light."""
    to_rgb = import_extra("matplotlib.colors", "plot").to_rgb
    own = [np.array(to_rgb(colour)) for colour in COLOURS]
    lighter, darker = [0.5 + 0.5 * c for c in own], [0.55 * c for c in own]
    lighter[6], darker[6] = np.array([0.55, 0.55, 0.55]), np.array([0.3, 0.3, 0.3])  # black has no darker one
    several = own + lighter + darker
    if count <= len(several):
        return [tuple(c.tolist()) for c in several[:count]]
    scale = import_extra("matplotlib", "plot").colormaps["viridis"]
    return [scale(i / (count - 1)) for i in range(count)]


@dataclass(frozen=True, eq=False)
class Classes:
    """Distinct labels with their colours and markers, the same in all parts of a picture.

    Attributes
    ----------
    levels : list
        Distinct labels, sorted.
    colours, markers : list
        One for each.
    """

    levels: list[Any]
    colours: list[Any]
    markers: list[str]

    @classmethod
    def of(cls, *columns: NDArray[Any]) -> Classes:
        """Return the classes of several columns of labels together."""
        levels = np.unique(np.concatenate([np.asarray(column) for column in columns])).tolist()
        kinds = [MARKERS[(i // len(COLOURS)) % len(MARKERS)] for i in range(len(levels))]
        return cls(levels, colours(len(levels)), kinds)

    def codes(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Return the place of every label among `levels`."""
        return np.searchsorted(np.array(self.levels), np.asarray(labels)).astype(np.intp)


def read_points(name: str, points: Any, dimensions: tuple[int, ...]) -> Array:
    """Return points as an array that has the columns to be drawn."""
    array = check_finite_array(name, points, ndim=2)
    if max(dimensions) >= array.shape[1] or min(dimensions) < 0:
        raise ArgumentError(
            f"dimensions={dimensions} but {name} has {array.shape[1]} columns; name columns from 0 to "
            f"{array.shape[1] - 1}."
        )
    return array


def read_labels(name: str, labels: Any, n: int) -> NDArray[Any]:
    """Return one label a row; 0 for all without labels."""
    kinds = np.zeros(n, dtype=int) if labels is None else np.asarray(labels)
    if kinds.shape != (n,):
        raise ArgumentError(f"{name} has shape {kinds.shape}; pass one label for each of {n} rows.")
    if kinds.dtype == object:
        kinds = kinds.astype(str)  # labels of several kinds have no order of their own
    return kinds


def legend(axes: Any, handles: list[Any], title: str | None = None) -> None:
    """Name what is drawn, beside the picture, where it hides nothing."""
    axes.legend(
        handles=handles,
        title=title,
        frameon=False,
        fontsize="small",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        ncols=1 + (len(handles) > 20),
    )
