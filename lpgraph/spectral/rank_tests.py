"""P-values of the tests by which a number of dimensions is chosen."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

__all__ = ["LEVEL", "by_ranks", "leading", "smallest_accepted", "two_sided"]

Array: TypeAlias = NDArray[np.float64]

#: Level of the tests.
LEVEL = 0.05


def by_ranks(values: Array, edges: Array) -> Array:
    """Return the share of `edges`, each value itself included, that is as large as the magnitude of a value.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.rank_tests import by_ranks
    >>> by_ranks(np.array([9.0, -8.0, 2.0]), np.array([5.0, 6.0, 7.0]))
    array([0.25, 0.25, 1.  ])
    """
    as_large = (edges[None] >= np.abs(values)[:, None]).sum(axis=1)
    return np.asarray((1 + as_large) / (1 + len(edges)))


def two_sided(statistics: Array) -> Array:
    """Return two-sided p-values under the normal distribution."""
    return np.asarray(2 * ndtr(-np.abs(statistics)))


def leading(p_values: Array, level: float) -> int:
    """Return how many p-values lie before the first above `level`.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.rank_tests import leading
    >>> leading(np.array([0.05, 0.05, 0.4, 0.05]), 0.05)
    2
    """
    above = np.flatnonzero(p_values > level + 1e-9)  # the levels 1 / (flips + 1) are not exact in binary
    return int(above[0]) if len(above) else len(p_values)


def smallest_accepted(statistics: Array, level: float) -> int | None:
    """Return the least number of dimensions, 1 or more, that is not rejected; None if all are.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.rank_tests import smallest_accepted
    >>> smallest_accepted(np.array([40.0, -8.0, 0.3, 0.1]), 0.05)
    2
    """
    accepted = np.flatnonzero(two_sided(statistics[1:]) > level)
    return int(accepted[0]) + 1 if len(accepted) else None
