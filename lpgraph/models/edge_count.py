"""A given number of edges, uniformly distributed over the pairs of vertices, in time proportional to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.models.collect import matrix_of
from lpgraph.models.memory import refuse_too_many

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    Index = NDArray[np.int64]

__all__ = ["MOST_VERTICES", "count_pairs", "uniform_edges"]

#: Pairs of more vertices would not be numbered by 64-bit integers.
MOST_VERTICES = 3_000_000_000


def count_pairs(n: int, *, directed: bool, loops: bool) -> int:
    """Return the number of pairs of vertices that may be joined."""
    return n * (n if loops else n - 1) if directed else n * (n + 1 if loops else n - 1) // 2


def uniform_edges(
    n: int, n_edges: int, rng: np.random.Generator, *, directed: bool, loops: bool
) -> sparse.csr_array:
    """Return a 0/1 matrix with exactly `n_edges` edges: every set of so many pairs is equally likely."""
    total = count_pairs(n, directed=directed, loops=loops)
    refuse_too_many(n_edges)
    drawn = _subset(total, min(n_edges, total - n_edges), rng)
    if n_edges > total - n_edges:
        drawn = np.delete(np.arange(total), drawn)
    if directed:
        i, j = np.divmod(drawn, n if loops else n - 1)
        if not loops:
            j += j >= i
    else:
        # A pair i <= j is a pair i < j + 1 of one vertex more.
        i, j = _pair(drawn, n + 1 if loops else n)
        j -= loops
    return matrix_of([(i, j)], (n, n), hollow=False, mirror=not directed)


def _subset(total: int, size: int, rng: np.random.Generator) -> Index:
    """Return a uniform set of `size` <= total / 2 numbers below `total`: the first distinct ones drawn."""
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < size:
        # About so many draws have the missing number of new ones.
        missing = size - len(drawn)
        more = rng.integers(total, size=missing + missing * size // (total - size) + 1, dtype=np.int64)
        drawn = np.concatenate([drawn, more])
        _, first = np.unique(drawn, return_index=True)
        drawn = drawn[np.sort(first)[:size]]
    return drawn


def _pair(k: Index, n: int) -> tuple[Index, Index]:
    """Return the k-th of the pairs i < j < n, in an order for which integer arithmetic suffices.

    Rows r and n - 2 - r of the triangle (r and n - 1 - r for even n) have n entries together (n - 1), so that the
    triangle is a rectangle.
    """
    odd = n % 2
    r, c = np.divmod(k, n if odd else n - 1)
    upper = c > r if odd else c >= r
    i = np.where(upper, r, (n - 2 if odd else n - 1) - r)
    j = np.where(upper, c if odd else c + 1, n - 1 - c)
    return i, j
