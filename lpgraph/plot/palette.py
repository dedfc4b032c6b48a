"""Order and colours of classes, the same in all plots and in the report."""

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

__all__ = ["COLOURS", "GREY", "MARKERS", "Classes", "colours", "in_order"]

#: The palette of Okabe & Ito, which colour-blind readers can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: Classes beyond the eighth have a lighter or darker colour and another marker.
MARKERS = ("o", "s", "^", "D", "v")

#: Colour of elements without a class: edges, lines, true positions.
GREY = "#8C8C8C"

#: Step of the hues beyond the 24th colour; neighbors in the sequence are far apart on the colour wheel.
_GOLDEN = 0.618034


def _shades() -> list[RGB]:
    """Return the palette, then its lighter, then its darker shades."""
    own = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in COLOURS])
    shades = np.concatenate([own, 0.5 + 0.5 * own, 0.55 * own])
    shades[14], shades[22] = 0.55, 0.3  # greys as shades of black
    shades[15] = 0.72, 0.66, 0.0  # a light yellow would be invisible on white
    return [(r, g, b) for r, g, b in shades.tolist()]


def colours(count: int) -> list[RGB]:
    """Return `count` colours. The first do not depend on how many there are.

    Examples
    --------
    >>> from lpgraph.plot.palette import colours
    >>> colours(50)[:3] == colours(3)
    True
    """
    found = _shades()[:count]
    for k in range(len(found), count):
        saturation, value = ((0.85, 0.6), (0.5, 0.9), (1.0, 0.85))[k % 3]
        found.append(colorsys.hsv_to_rgb(k * _GOLDEN % 1, saturation, value))
    return found


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
        kinds = [MARKERS[(i // len(COLOURS)) % len(MARKERS)] for i in range(len(levels))]
        return cls(levels, colours(len(levels)), kinds)

    def codes(self, labels: NDArray[np.generic]) -> NDArray[np.intp]:
        """Return the index of every label in `levels`."""
        distinct, inverse = np.unique(np.asarray(labels), return_inverse=True)
        place = {level: i for i, level in enumerate(self.levels)}
        return np.array([place[label] for label in distinct.tolist()], dtype=np.intp)[inverse.ravel()]
