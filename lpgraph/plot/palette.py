"""Order, colours and markers of classes, the same in all plots and in the report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    RGB = tuple[float, float, float]

#: The palette of Okabe & Ito, which colour-blind readers can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: Eight classes have one marker, the next eight another. "X" is the marker of new vertices.
MARKERS = ("o", "s", "^", "D", "v", "P", "*", "<")

#: Colours of the classes beyond the eighth, a row for each marker, from `benchmarks/colours.py`: within a row they
#: differ for every kind of vision, and all differ from each other in normal vision.
_FURTHER = (
    *("#770088", "#00DD00", "#DD66FF", "#886611", "#770022", "#CCBBCC", "#0000EE", "#886699"),
    *("#117711", "#7722FF", "#22DDAA", "#333377", "#3399BB", "#66AA00", "#334422", "#226677"),
    *("#EE1199", "#AACC22", "#774411", "#EEAAFF", "#8877FF", "#550099", "#AA8800", "#5500EE"),
    *("#FF88AA", "#BB0011", "#AA00CC", "#770055", "#FF4411", "#CC5588", "#EEBB00", "#BB77EE"),
    *("#FF7700", "#2266FF", "#AA0066", "#AAAAFF", "#1100BB", "#DD1100", "#AACCAA", "#EE5599"),
    *("#AA6677", "#FFAA88", "#DD00FF", "#553344", "#3333AA", "#EE88DD", "#CC8833", "#994400"),
    *("#DDBB77", "#7744BB", "#668811", "#9988CC", "#114455", "#88CCEE", "#666677", "#555500"),
)

#: Colour of elements without a class: edges, lines, true positions.
GREY = "#8C8C8C"

#: The class of what has no label. It is pale, drawn below the others, and the last in a legend.
UNLABELLED = "unlabelled"
_PALE = "#C6C6C6"


def colours(count: int) -> list[RGB]:
    """Return `count` colours. The first do not depend on how many there are; after the 64th they are repeated.

    Examples
    --------
    >>> from lpgraph.plot.palette import colours
    >>> colours(50)[:3] == colours(3)
    True
    """
    different = COLOURS + _FURTHER
    return [_rgb(different[k % len(different)]) for k in range(count)]


def _rgb(colour: str) -> RGB:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


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
        known = [level for level in levels if level != UNLABELLED] or levels
        markers = [MARKERS[(k // len(COLOURS)) % len(MARKERS)] for k in range(len(known))]
        rest = len(levels) - len(known)  # what has no label, beside classes
        return cls(
            known + [UNLABELLED] * rest, colours(len(known)) + [_rgb(_PALE)] * rest, markers + [MARKERS[0]] * rest
        )

    @property
    def unlabelled(self) -> int:
        """The index of `UNLABELLED` in `levels`, or -1 if it is not the last of several."""
        last = len(self.levels) - 1
        return last if last > 0 and self.levels[last] == UNLABELLED else -1

    def codes(self, labels: NDArray[np.generic]) -> NDArray[np.intp]:
        """Return the index of every label in `levels`."""
        distinct, inverse = np.unique(np.asarray(labels), return_inverse=True)
        place = {level: i for i, level in enumerate(self.levels)}
        return np.array([place[label] for label in distinct.tolist()], dtype=np.intp)[inverse.ravel()]
