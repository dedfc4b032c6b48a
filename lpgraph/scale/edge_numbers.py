"""A random number for each edge, as a hash of its end points: which edges are held out, and which get a minus.

No number is stored: wherever an entry (u, v) is read, in any tile, thread or process, the number is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from lpgraph.scale.tile_loop import derived_weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["NO_FACTORS", "DerivedWeights", "EdgeFactors", "Order", "edge_numbers"]

#: Numbers are integers below this.
RANGE = 1 << 32

#: Which end of an edge comes first in its number: that with the lower row, the row, or the column.
Order: TypeAlias = Literal["lower", "row", "column"]

#: As the compiled loop has them.
ORDERS: dict[Order, int] = {"lower": 0, "row": 1, "column": 2}

#: Entries whose weights are derived at a time, except for a row that has more: they stay in the cache.
_PIECE = 1 << 17

_MULTIPLIERS = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def edge_numbers(u: NDArray[np.integer], v: NDArray[np.integer], seed: int, order: Order) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each edge: the output function of SplitMix64 (Steele, Lea & Flood 2014).

    The compiled loops in `lpgraph.scale.tile_loop` compute the same.

    Parameters
    ----------
    u, v : ndarray of shape (m,)
        Rows and columns.
    seed : int
        At least 0, below 2^63; another seed gives other numbers.
    order : {"lower", "row", "column"}
        "lower" gives (u, v) and (v, u) the same number.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.scale.edge_numbers import edge_numbers
    >>> u, v = np.array([3, 7]), np.array([7, 3])
    >>> edge_numbers(u, v, 0, "lower").round(3)
    array([0.855, 0.855])
    """
    row, column = u.astype(np.uint64), v.astype(np.uint64)
    if order == "lower":
        row, column = np.minimum(row, column), np.maximum(row, column)
    elif order == "column":
        row, column = column, row
    half = np.uint64(32)
    x = ((row << half) | (row >> half)) ^ column
    first, second, third = (np.uint64(factor) for factor in _MULTIPLIERS)
    x = (x + np.uint64(seed)) * first
    x = (x ^ (x >> np.uint64(30))) * second
    x = (x ^ (x >> np.uint64(27))) * third
    x ^= x >> np.uint64(31)
    return (x >> half) / RANGE


@dataclass(frozen=True)
class EdgeFactors:
    """A factor for each edge: one if its number is in [low, high), and another one if not.

    Attributes
    ----------
    seed : int
        Of the numbers.
    low, high : float
        Bounds in [0, 1].
    inside, outside : float
        The factors; edges with the factor 0 are left out.
    """

    seed: int
    low: float
    high: float
    inside: float
    outside: float

    def __call__(self, u: NDArray[np.integer], v: NDArray[np.integer], order: Order) -> NDArray[np.float64]:
        """Return the factors of edges."""
        number = np.floor(edge_numbers(u, v, self.seed, order) * RANGE)
        low, high = self.bounds
        return np.where((number >= low) & (number < high), self.inside, self.outside)

    @property
    def bounds(self) -> tuple[int, int]:
        """The bounds as integers."""
        return round(self.low * RANGE), round(self.high * RANGE)


#: The factor 1 for all edges.
NO_FACTORS = EdgeFactors(0, 0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class DerivedWeights:
    """Weights that are computed from those of a tile when it is multiplied.

    Attributes
    ----------
    weights : ndarray
        Stored weights of all entries; empty if all are 1.
    row : int
        Number of the tile's first row.
    order : str
        Which end of an edge comes first in its number.
    factors : EdgeFactors
        Factors of the weights.
    squares : bool
        Whether the products are squared.
    """

    weights: NDArray[np.float64]
    row: int
    order: Order
    factors: EdgeFactors = NO_FACTORS
    squares: bool = False

    def pieces(
        self, indptr: NDArray[np.unsignedinteger], indices: NDArray[np.unsignedinteger]
    ) -> Iterator[tuple[int, NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], NDArray[np.float64]]]:
        """Yield a tile in pieces: the first row, row pointers, column numbers and the derived weights."""
        found = self.factors
        arguments = ORDERS[self.order], found.seed, *found.bounds, found.inside, found.outside, self.squares
        bounds = np.arange(int(indptr[0]), int(indptr[-1]), _PIECE)
        rows = np.unique([*np.searchsorted(indptr, bounds).tolist(), len(indptr) - 1]).tolist()
        for low, high in pairwise(rows):
            start, stop = int(indptr[low]), int(indptr[high])
            own, columns = indptr[low : high + 1] - indptr[low], indices[start:stop]
            stored, weights = self.weights[start:stop], np.empty(stop - start)
            derived_weights(own, columns, stored, self.row + low, *arguments, weights)
            yield low, own, columns, weights
