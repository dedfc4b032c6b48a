"""Order, colours and markers of classes, the same in all plots and in the report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Integers

    RGB = tuple[float, float, float]

#: The palette of Okabe & Ito, which colour-blind readers can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: Eight classes have one marker, the next eight another. "X" is the marker of new vertices.
MARKERS = ("o", "s", "^", "D", "v", "P", "*", "<")

#: Colours of the classes beyond the eighth, a row for each marker, from `benchmarks/colours.py`: within a row they
#: differ for every kind of vision, and all differ from each other, and from greys, in normal vision.
_FURTHER = (
    *("#4422AA", "#00DD00", "#007700", "#AA88FF", "#886699", "#55CCBB", "#662244", "#8822FF"),
    *("#3300FF", "#444400", "#FFAACC", "#888811", "#660088", "#DD77FF", "#BBCC00", "#BB4499"),
    *("#00AA11", "#004466", "#4466FF", "#BBBBFF", "#338899", "#775511", "#55DD77", "#0000CC"),
    *("#FF2299", "#990000", "#3399FF", "#FFAA77", "#443377", "#5500DD", "#77CCFF", "#AA6600"),
    *("#881177", "#FF00FF", "#FF6666", "#BB3300", "#EEAAFF", "#771111", "#7700CC", "#EEBB00"),
    *("#DD9999", "#BB00DD", "#BB0055", "#EE3300", "#CC99FF", "#003399", "#AA77BB", "#FF8800"),
    *("#55AA99", "#006655", "#AA55FF", "#5544AA", "#88BB22", "#FF88FF", "#448822", "#6677AA"),
)

#: Colour of elements without a class: edges, lines, true positions.
GREY = "#8C8C8C"

#: The class of what has no label. It is pale, drawn below the others, and the last in a legend.
UNLABELLED = "unlabelled"


def colours(count: int) -> list[RGB]:
    """Return `count` colours. The first do not depend on how many there are; after the 64th they are repeated.

    Examples
    --------
    >>> from lpgraph.plot.palette import colours
    >>> colours(50)[:3] == colours(3)
    True
    """
    return [_rgb(colour) for colour in hex_colours(count)]


def hex_colours(count: int) -> list[str]:
    """Return the same colours as "#rrggbb"."""
    different = COLOURS + _FURTHER
    return [different[k % len(different)] for k in range(count)]


def _rgb(colour: str) -> RGB:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


#: Colour of what has no label.
PALE = _rgb("#C6C6C6")


def readable(colour: RGB) -> RGB:
    """Return a colour darkened until its luminance contrast to white is at least 4.5, for text.

    Examples
    --------
    >>> from lpgraph.plot.palette import readable
    >>> readable((0.0, 0.0, 0.0)), [round(part, 2) for part in readable((1.0, 1.0, 0.0))]
    ((0.0, 0.0, 0.0), [0.47, 0.47, 0.0])
    """
    light = sum(share * part**2.2 for share, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True))
    dark = min(1.0, 0.18 / max(light, 1e-9)) ** (1 / 2.2)
    red, green, blue = (part * dark for part in colour)
    return red, green, blue


def in_order(labels: Iterable[Foreign]) -> list[Foreign]:
    """Return the distinct labels: numbers by value, texts with the numbers in them by value.

    Examples
    --------
    >>> from lpgraph.plot.palette import in_order
    >>> in_order(["b", "10", "9", "a10", "a9", "9"])
    ['9', '10', 'a9', 'a10', 'b']
    """
    levels = sorted(set(labels))
    return sorted(levels, key=_parts) if levels and isinstance(levels[0], str) else levels


def _parts(text: Hashable) -> list[object]:
    """Return the numbers in a text as numbers, between the other parts of it."""
    return [int(part) if i % 2 else part for i, part in enumerate(re.split(r"([0-9]+)", str(text)))]


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
    def of(cls, labels: NDArray[np.generic]) -> Classes:
        """Return the classes of an array of labels."""
        levels = in_order(labels.tolist())
        known = [level for level in levels if level != UNLABELLED]
        markers = [MARKERS[(k // len(COLOURS)) % len(MARKERS)] for k in range(len(known))]
        if len(known) == len(levels):
            return cls(known, colours(len(known)), markers)
        return cls([*known, UNLABELLED], [*colours(len(known)), PALE], [*markers, MARKERS[0]])

    @property
    def unlabelled(self) -> int:
        """The index of `UNLABELLED` in `levels`, which is the last one, or -1."""
        return len(self.levels) - 1 if self.levels[-1:] == [UNLABELLED] else -1

    def codes(self, labels: NDArray[np.generic]) -> Integers:
        """Return the index of every label in `levels`."""
        place = {level: i for i, level in enumerate(self.levels)}
        return np.array([place[label] for label in labels.tolist()], dtype=np.intp)
