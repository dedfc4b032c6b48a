"""What searches take and give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["SLACK", "Pairs", "Radii", "Reach", "Search", "collect"]

#: Distances that differ by this factor count as equal when compared with a radius.
SLACK = 1e-10


class Pairs(NamedTuple):
    """Pairs of a new point and a training point, each pair once, sorted by row and then by column."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    distance: NDArray[np.float64]

    def where(self, keep: NDArray[np.bool_]) -> Pairs:
        """Return the pairs to keep."""
        return Pairs(self.row[keep], self.column[keep], self.distance[keep])


class Reach(Protocol):
    """How far every training point reaches, prepared for searching."""

    @property
    def radii(self) -> NDArray[np.float64]:
        """The radius of every training point."""
        ...


@dataclass(frozen=True, eq=False)
class Radii:
    """The radii as they are, for searches that go through all training points anyway."""

    radii: NDArray[np.float64]


class Search(Protocol):
    """A search among n training points."""

    def reach(self, radii: NDArray[np.float64]) -> Reach:
        """Prepare for finding the training points i at a distance of at most ``radii[i]``."""
        ...

    def near(self, new: NDArray[np.float64], count: int, reach: Reach | None = None) -> Pairs:
        """Return the `count` nearest training points of each new one with all ties, and all that reach it.

        There may be more pairs, a little farther apart than wanted.
        """
        ...

    def foreign(self, new: NDArray[np.float64], mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Return for each new point, which is of component ``mine``, a nearest training point of another one."""
        ...


def collect(parts: Iterable[Pairs], n: int) -> Pairs:
    """Join candidates among n training points: each pair once, in order."""
    row, column, distance = (np.concatenate(part) for part in zip(_NONE, *parts, strict=True))
    if not np.isfinite(distance).all():
        e = int(np.argmax(~np.isfinite(distance)))
        raise ArgumentError(
            f"The distance of point {row[e]} to training point {column[e]} is {distance[e]}; "
            "rescale the points, or use a metric that is defined for them."
        )
    key = row * np.int64(n) + column
    if (key[1:] > key[:-1]).all():
        return Pairs(row, column, distance)
    key, first = np.unique(key, return_index=True)
    return Pairs(key // n, key % n, distance[first])


_NONE = Pairs(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))
