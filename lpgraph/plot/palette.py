"""Order, colours and markers of classes, the same in all plots and in the report."""

from __future__ import annotations

import colorsys
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    RGB = tuple[float, float, float]

__all__ = ["COLOURS", "GREY", "MARKERS", "Classes", "colours", "in_order", "marks"]

#: The palette of Okabe & Ito, which colour-blind readers can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: Eight classes have one marker, the next eight another. "X" is the marker of new vertices.
MARKERS = ("o", "s", "^", "D", "v", "P", "*", "<")

#: Colours of the classes beyond the eighth, a row for each marker, from `benchmarks/colours.py`: within a row they
#: differ for every kind of vision, and all differ from each other in normal vision.
_FURTHER = (
    *("#33DD00", "#220066", "#9966FF", "#556611", "#AACCFF", "#779999", "#113300", "#445588"),
    *("#AA4499", "#440022", "#FFBBAA", "#AA8800", "#EE77FF", "#774400", "#0000FF", "#000088"),
    *("#115544", "#77DDAA", "#7700FF", "#9999FF", "#009900", "#440099", "#667799", "#002244"),
    *("#FF6666", "#771166", "#DD00FF", "#FFAAFF", "#AA3300", "#DD2299", "#332211", "#FFBB00"),
    *("#442255", "#2288FF", "#99BB33", "#886655", "#00DDFF", "#3300CC", "#444400", "#11AABB"),
    *("#EE0022", "#8800BB", "#FF88BB", "#660000", "#AADD00", "#996699", "#FF33FF", "#003366"),
    *("#884466", "#3355FF", "#BBAAAA", "#779900", "#6600AA", "#CCCC44", "#552233", "#3388BB"),
)

#: Colour of elements without a class: edges, lines, true positions.
GREY = "#8C8C8C"

#: Step of the hues beyond the 64th colour; neighbors in the sequence are far apart on the colour wheel.
_GOLDEN = 0.618034


def colours(count: int) -> list[RGB]:
    """Return `count` colours. The first do not depend on how many there are.

    Examples
    --------
    >>> from lpgraph.plot.palette import colours
    >>> colours(50)[:3] == colours(3)
    True
    """
    found: list[RGB] = [_rgb(colour) for colour in (COLOURS + _FURTHER)[:count]]
    for k in range(len(found), count):
        saturation, value = ((0.85, 0.6), (0.5, 0.9), (1.0, 0.85))[k % 3]
        found.append(colorsys.hsv_to_rgb(k * _GOLDEN % 1, saturation, value))
    return found


def _rgb(colour: str) -> RGB:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def marks(count: int) -> list[str]:
    """Return the markers of `count` classes.

    Examples
    --------
    >>> from lpgraph.plot.palette import marks
    >>> marks(10)[6:]
    ['o', 'o', 's', 's']
    """
    return [MARKERS[(k // len(COLOURS)) % len(MARKERS)] for k in range(count)]


def in_order(labels: Iterable[Hashable]) -> list[Hashable]:
    """Return the distinct labels: numbers by value, texts with the numbers in them by value.

    Examples
    --------
    >>> from lpgraph.plot.palette import in_order
    >>> in_order(["b", "10", "9", "a10", "a9", "9"])
    ['9', '10', 'a9', 'a10', 'b']
    """
    return sorted(set(labels), key=_sort_key)


def _sort_key(label: Hashable) -> tuple[object, ...]:
    if isinstance(label, int | float | np.number):
        return (0, float(label), ())
    # Digits alternate with other text, so that only equal kinds are compared.
    parts = re.split(r"([0-9]+)", str(label))
    numbers = tuple((int(part), "") if i % 2 else (-1, part) for i, part in enumerate(parts))
    return (1, 0.0, (numbers, str(label)))


@dataclass(frozen=True, eq=False)
class Classes:
    """Distinct labels with their colours and markers.

    Attributes
    ----------
    levels : list
        Distinct labels in order.
    colours, markers : list
        One per label.
    """

    levels: list[Hashable]
    colours: list[RGB]
    markers: list[str]

    @classmethod
    def of(cls, *columns: NDArray[np.generic]) -> Classes:
        """Return the classes of one or more arrays of labels."""
        levels = in_order(np.unique(np.concatenate([np.asarray(column) for column in columns])).tolist())
        return cls(levels, colours(len(levels)), marks(len(levels)))

    def codes(self, labels: NDArray[np.generic]) -> NDArray[np.intp]:
        """Return the index of every label in `levels`."""
        distinct, inverse = np.unique(np.asarray(labels), return_inverse=True)
        place = {level: i for i, level in enumerate(self.levels)}
        return np.array([place[label] for label in distinct.tolist()], dtype=np.intp)[inverse.ravel()]
