"""Positions from an array, a scipy.stats distribution or a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.models.positions.base import Independent, Positions, check_labels, check_positions, freeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from lpgraph.models.positions.base import Drawn


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(Positions):
    """The rows of an array, in order.

    ``sample()`` uses all rows, ``sample(n)`` the first n. ``new_vertices(m)`` then uses the m following rows. If
    all rows are in the sample, it draws m rows with replacement, that is, from the empirical distribution.

    Parameters
    ----------
    array : array_like of shape (n, p) or (n,)
    labels : array_like of shape (n,), optional

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> source = lp.positions.Fixed([[0.1], [0.2], [0.3]], labels=["a", "b", "c"])
    >>> rng = np.random.default_rng(0)
    >>> source.initial(2, rng)[1], source.more(1, 2, rng)[1]
    (array(['a', 'b'], dtype='<U1'), array(['c'], dtype='<U1'))
    """

    array: ArrayLike
    labels: ArrayLike | None = None

    def __post_init__(self) -> None:
        array = np.array(check_positions("positions", self.array))
        freeze(self, array=array)
        if self.labels is not None:
            freeze(self, labels=np.array(check_labels("labels", self.labels, len(array))))

    def __repr__(self) -> str:
        shape = np.shape(self.array)
        return f"Fixed(array of shape {shape}{'' if self.labels is None else ', with labels'})"

    def _rows(self, rows: slice | NDArray[np.intp]) -> Drawn:
        return np.array(np.asarray(self.array)[rows]), (
            None if self.labels is None else np.array(np.asarray(self.labels)[rows])
        )

    def initial(self, n: int | None, rng: np.random.Generator) -> Drawn:
        """Return the first n positions and labels."""
        held = len(np.asarray(self.array))
        if n is not None and n > held:
            raise ArgumentError(f"n={n} but positions has {held} rows; pass n <= {held} or more rows.")
        return self._rows(slice(0, held if n is None else n))

    def more(self, m: int, start: int, rng: np.random.Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        held = len(np.asarray(self.array))
        if start >= held:
            return self._rows(rng.integers(held, size=m))
        if start + m > held:
            raise ArgumentError(
                f"m={m} but only {held - start} of the {held} rows of positions follow the {start} rows in "
                f"the sample; pass m <= {held - start}, or positions=... for the new vertices."
            )
        return self._rows(slice(start, start + m))


@dataclass(frozen=True)
class Distribution(Independent):
    """A ``scipy.stats`` distribution, univariate or multivariate, frozen or new-style.

    Parameters
    ----------
    distribution : object
        With a method ``rvs(size=, random_state=)``, such as ``scipy.stats.beta(2, 3)`` and
        ``scipy.stats.multivariate_normal(mean)``, or ``sample(shape, rng=)``, such as ``scipy.stats.Normal()``.

    Examples
    --------
    >>> import numpy as np, scipy.stats, lpgraph as lp
    >>> source = lp.positions.Distribution(scipy.stats.uniform())
    >>> source.initial(5, np.random.default_rng(0))[0].shape
    (5, 1)
    """

    distribution: object

    def __post_init__(self) -> None:
        if callable(self.distribution) and hasattr(self.distribution, "rvs"):
            raise ArgumentTypeError(
                f"positions={self.distribution!r} has no parameters; freeze it, as in scipy.stats.beta(2, 3)."
            )
        self._method()

    def _method(self) -> Callable[[int, np.random.Generator], ArrayLike]:
        given = self.distribution
        if hasattr(given, "rvs"):
            return lambda n, rng: given.rvs(size=n, random_state=rng)
        if hasattr(given, "sample"):
            return lambda n, rng: given.sample((n,), rng=rng)
        raise ArgumentTypeError(
            f"positions={given!r} has neither rvs nor sample; pass a scipy.stats distribution."
        )

    def draw(self, n: int, rng: np.random.Generator) -> Drawn:
        """Return n positions and their labels."""
        at_least = max(n, 2)  # for size 1 multivariate distributions drop the first axis
        drawn = self._method()(at_least, rng)
        return check_positions("the sample from positions", drawn, at_least)[:n], None


@dataclass(frozen=True)
class Sampler(Independent):
    """A function that draws positions.

    Parameters
    ----------
    function : callable
        ``function(n, rng)`` returns positions (n, p) or (n,), or a tuple (positions, labels).

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> def circle(n, rng):
    ...     angle = 2 * np.pi * rng.random(n)
    ...     return np.column_stack([np.cos(angle), np.sin(angle)])
    >>> lp.positions.Sampler(circle).initial(4, np.random.default_rng(0))[0].shape
    (4, 2)
    """

    function: Callable[[int, np.random.Generator], ArrayLike | tuple[ArrayLike, ArrayLike | None]]

    def draw(self, n: int, rng: np.random.Generator) -> Drawn:
        """Return n positions and their labels."""
        drawn = self.function(n, rng)
        array, labels = drawn if isinstance(drawn, tuple) and len(drawn) == 2 else (drawn, None)
        name = "the array that positions(n, rng) returned"
        array = check_positions(name, array, n)
        return array, None if labels is None else check_labels("labels of positions(n, rng)", labels, n)


def as_positions(positions: object) -> Positions:
    """Return the source for an array, a distribution or a function.

    Examples
    --------
    >>> import lpgraph as lp
    >>> type(lp.positions.as_positions([[0.1], [0.2]])).__name__
    'Fixed'
    """
    if isinstance(positions, Positions):
        return positions
    if isinstance(positions, type):
        raise ArgumentTypeError(f"positions={positions.__name__} is a class; pass an instance of it.")
    if isinstance(positions, np.ndarray | list | tuple):
        return Fixed(positions)
    if hasattr(positions, "rvs") or (hasattr(positions, "sample") and not hasattr(positions, "columns")):
        return Distribution(positions)
    if callable(positions):
        return Sampler(positions)
    if hasattr(positions, "__array__"):
        return Fixed(np.asarray(positions))
    raise ArgumentTypeError(
        f"positions={positions!r} is {a_type(positions)}; pass an array (n, p), a scipy.stats "
        "distribution, a function f(n, rng), or one of lpgraph.positions."
    )
