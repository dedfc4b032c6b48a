"""Order, colours and markers of classes, the same in all plots and in the report."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import import_extra

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Integers

#: The palette of Okabe & Ito, which colour-blind readers can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: Eight classes have one marker, the next eight another. "X" is the marker of new vertices.
MARKERS = ("o", "s", "^", "D", "v", "P", "*", "<")

#: Colours of 64 classes, a row for each marker; beyond the eighth from `benchmarks/colours.py`: within a row they
#: differ for every kind of vision, and all differ from each other, and from greys, in normal vision.
_DIFFERENT = (
    *COLOURS,
    *("#4422AA", "#00DD00", "#007700", "#AA88FF", "#886699", "#55CCBB", "#662244", "#8822FF"),
    *("#3300FF", "#444400", "#FFAACC", "#888811", "#660088", "#DD77FF", "#BBCC00", "#BB4499"),
    *("#00AA11", "#004466", "#4466FF", "#BBBBFF", "#338899", "#775511", "#55DD77", "#0000CC"),
    *("#FF2299", "#990000", "#3399FF", "#FFAA77", "#443377", "#5500DD", "#77CCFF", "#AA6600"),
    *("#881177", "#FF00FF", "#FF6666", "#BB3300", "#EEAAFF", "#771111", "#7700CC", "#EEBB00"),
    *("#DD9999", "#BB00DD", "#BB0055", "#EE3300", "#CC99FF", "#003399", "#AA77BB", "#FF8800"),
    *("#55AA99", "#006655", "#AA55FF", "#5544AA", "#88BB22", "#FF88FF", "#448822", "#6677AA"),
)

#: Colours of ranges of numbers, from dark to light: those of viridis at equal distances.
_SCALE = ["#440154", "#46327E", "#365C8D", "#277F8E", "#1FA187", "#4AC16D", "#A0DA39", "#FDE725"]

#: Colour of elements without a class: edges, lines, true positions.
GREY = "#8C8C8C"

#: The class of what has no label. It is pale, drawn below the others, and the last in a legend.
UNLABELLED, PALE = "unlabelled", "#C6C6C6"


def hex_colours(count: int) -> list[str]:
    """Return `count` colours. The first do not depend on how many there are; after the 64th they are repeated.

    Examples
    --------
    >>> from lpgraph.plot.palette import hex_colours
    >>> hex_colours(50)[:3] == hex_colours(3)
    True
    """
    return [_DIFFERENT[k % len(_DIFFERENT)] for k in range(count)]


def markers(count: int) -> list[str]:
    """Return the markers of as many classes."""
    return [MARKERS[(k // len(COLOURS)) % len(MARKERS)] for k in range(count)]


def readable(colour: Array) -> Array:
    """Return a colour darkened until its luminance contrast to white is at least 4.5, for text.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot.palette import readable
    >>> readable(np.array([1.0, 1.0, 0.0])).round(2).tolist()
    [0.47, 0.47, 0.0]
    """
    light = float(colour**2.2 @ [0.2126, 0.7152, 0.0722])
    return np.asarray(colour * min(1.0, 0.18 / max(light, 1e-9)) ** (1 / 2.2))


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


def number_ranges(levels: list[Foreign]) -> list[tuple[Hashable, list[Foreign]]] | None:
    """Return eight ranges of more than 64 numbers or dates, also as texts: names and levels; None for others.

    Examples
    --------
    >>> from lpgraph.plot.palette import number_ranges
    >>> [name for name, _ in number_ranges([k / 2 for k in range(100)])][:2]
    ['0 to 6', '6.5 to 12.5']
    """
    if len(levels) <= len(_DIFFERENT):
        return None
    for kind, form in (("float64", lambda level: f"{float(level):.6g}"), ("datetime64[us]", str)):
        with suppress(TypeError, ValueError):
            order = np.argsort(np.array(levels, dtype=kind), kind="stable")
            parts = [[levels[i] for i in part] for part in np.array_split(order, len(_SCALE))]
            return [(f"{form(part[0])} to {form(part[-1])}", part) for part in parts]
    return None


@dataclass(frozen=True, eq=False)
class Classes:
    """Distinct labels with their colours and markers; or ranges of more than 64 numbers or dates.

    Attributes
    ----------
    levels : list
        Distinct labels in order, or names of ranges.
    shades, markers : list
        One per level.
    place : dict
        The index in `levels` of each label.
    named : bool
        Whether the levels are labels, and not ranges.
    """

    levels: list[Hashable]
    shades: list[str]
    markers: list[str]
    place: dict[Hashable, int]
    named: bool

    @classmethod
    def of(cls, labels: NDArray[np.generic], *, named: bool = False) -> Classes:
        """Return the classes of an array of labels; `named` if numbers are names, such as those of clusters."""
        found = in_order(labels.tolist())
        known = [level for level in found if level != UNLABELLED]
        ranges = None if named else number_ranges(known)
        parts = ranges or [(level, [level]) for level in known]
        levels, shades = [name for name, _ in parts], _SCALE if ranges else hex_colours(len(known))
        place = {label: k for k, (_, part) in enumerate(parts) for label in part} | {UNLABELLED: len(parts)}
        marks = markers(len(parts))
        if len(known) < len(found):
            levels, shades, marks = [*levels, UNLABELLED], [*shades, PALE], [*marks, MARKERS[0]]
        return cls(levels, shades, marks, place, ranges is None)

    @property
    def colours(self) -> Array:
        """The colours as red, green, blue and opacity, of shape (k, 4)."""
        rgba: Array = import_extra("matplotlib.colors", "plot").to_rgba_array(self.shades)
        return rgba

    @property
    def unlabelled(self) -> int:
        """The code of what has no label, which is the number of the other levels."""
        return self.place[UNLABELLED]

    def codes(self, labels: NDArray[np.generic]) -> Integers:
        """Return the index of the level of every label."""
        return np.array([self.place[label] for label in labels.tolist()], dtype=np.intp)
