"""Sources of latent positions: fixed rows, distributions, functions, and blocks of given sizes.

A source gives the positions and labels (or None) of the first n vertices, and of m further vertices (the
new vertices of Definition 1). `LatentPositionModel` also accepts an array, a ``scipy.stats``
distribution or a function, and makes a source from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_count, check_finite_array, type_of
from lpgraph.errors import ArgumentError, ArgumentTypeError, ProbabilityError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Integers

    Drawn = tuple[Array, NDArray[np.generic] | None]

__all__ = [
    "BlockLabels",
    "BlockWeights",
    "Dirichlet",
    "Distribution",
    "Fixed",
    "GaussianMixture",
    "Positions",
    "Sampler",
    "as_positions",
]


class Positions(ABC):
    """A source of latent positions.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> class Clock(lp.positions.Positions):  # one new vertex per hour
    ...     def initial(self, n, rng):
    ...         return self.more(12 if n is None else n, 0, rng)
    ...
    ...     def more(self, m, start, rng):
    ...         angle = 2 * np.pi * (start + np.arange(m)) / 12
    ...         return np.column_stack([np.cos(angle), np.sin(angle)]), None
    >>> lp.LatentPositionModel(lp.kernels.Gaussian(1.0), Clock()).sample(random_state=0).n_vertices
    12
    """

    @abstractmethod
    def initial(self, n: int | None, rng: Generator) -> Drawn:
        """Return the positions (n, p) of the first n vertices and their labels (n,) or None.

        ``n=None`` means all positions of the source.
        """

    @abstractmethod
    def more(self, m: int, start: int, rng: Generator) -> Drawn:
        """Return the positions (m, p) and labels of m vertices that follow the first `start`."""


class Independent(Positions):
    """Base class of sources that draw all positions independently from one distribution."""

    @abstractmethod
    def draw(self, n: int, rng: Generator) -> Drawn:
        """Return n positions and their labels."""

    def initial(self, n: int | None, rng: Generator) -> Drawn:
        """Return the first n positions and labels."""
        if n is None:
            raise ArgumentError("n=None but positions is a distribution; pass the number of vertices n.")
        return self.draw(n, rng)

    def more(self, m: int, start: int, rng: Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        return self.draw(m, rng)


def freeze(instance: object, **arrays: ArrayLike) -> None:
    """Set fields of a frozen dataclass to read-only copies of arrays."""
    for name, given in arrays.items():
        array = np.array(given)
        array.setflags(write=False)
        object.__setattr__(instance, name, array)


def check_positions(name: str, array: ArrayLike, n: int | None = None) -> Array:
    """Return `array` as positions (n, p); a one-dimensional array is one column."""
    checked = check_finite_array(name, array)
    checked = checked[:, None] if checked.ndim == 1 else checked
    if checked.ndim != 2 or 0 in checked.shape or n not in (None, len(checked)):
        rows = "n" if n is None else n
        raise ArgumentError(
            f"{name} has shape {np.shape(array)}; pass ({rows}, p) or ({rows},), a row per position."
        )
    return checked


def check_nonnegative(name: str, array: Array) -> None:
    """Raise if an entry is negative."""
    if array.min(initial=0.0) < 0:
        where = np.argwhere(array < 0)[0]
        raise ProbabilityError(f"{name}{where.tolist()} is {array[*where]:g}; pass numbers >= 0 there.")


def check_labels(name: str, labels: ArrayLike, n: int) -> NDArray[np.generic]:
    """Return `labels` as an array with one label per position."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ArgumentError(f"{name} has shape {array.shape}; pass one label per position, shape ({n},).")
    return array


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
        array = check_positions("positions", self.array)
        freeze(self, array=array)
        if self.labels is not None:
            freeze(self, labels=check_labels("labels", self.labels, len(array)))

    def __repr__(self) -> str:
        shape = np.shape(self.array)
        return f"Fixed(array of shape {shape}{'' if self.labels is None else ', with labels'})"

    def _rows(self, rows: Integers) -> Drawn:
        labels = None if self.labels is None else np.take(self.labels, rows)
        return np.take(self.array, rows, axis=0), labels

    def initial(self, n: int | None, rng: Generator) -> Drawn:
        """Return the first n positions and labels."""
        held = len(np.asarray(self.array))
        if n is not None and n > held:
            raise ArgumentError(f"n={n} but positions has {held} rows; pass n <= {held} or more rows.")
        return self._rows(np.arange(held)[:n])

    def more(self, m: int, start: int, rng: Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        held = len(np.asarray(self.array))
        if start >= held:
            return self._rows(rng.integers(held, size=m))
        if start + m > held:
            raise ArgumentError(f"m={m}; pass m <= {held - start}, the rows of positions that are left.")
        return self._rows(np.arange(start, start + m))


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

    distribution: Foreign

    def __post_init__(self) -> None:
        given = self.distribution
        if callable(given) and hasattr(given, "rvs"):
            raise ArgumentTypeError("positions has no parameters; freeze it, as in scipy.stats.beta(2, 3).")
        if not hasattr(given, "rvs") and not hasattr(given, "sample"):
            raise ArgumentTypeError(f"positions={given!r:.60} has neither rvs nor sample; pass a distribution.")

    def draw(self, n: int, rng: Generator) -> Drawn:
        """Return n positions and their labels."""
        at_least, given = max(n, 2), self.distribution  # for size 1 multivariate ones drop the first axis
        old = hasattr(given, "rvs")
        drawn = given.rvs(size=at_least, random_state=rng) if old else given.sample((at_least,), rng=rng)
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

    function: Callable[[int, Generator], ArrayLike | tuple[ArrayLike, ArrayLike | None]]

    def draw(self, n: int, rng: Generator) -> Drawn:
        """Return n positions and their labels."""
        drawn = self.function(n, rng)
        array, labels = drawn if isinstance(drawn, tuple) and len(drawn) == 2 else (drawn, None)
        array = check_positions("the array that positions(n, rng) returned", array, n)
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
    if isinstance(positions, list | tuple) or hasattr(positions, "__array__"):
        return Fixed(positions)
    if hasattr(positions, "rvs") or hasattr(positions, "sample"):
        return Distribution(positions)
    if callable(positions):
        return Sampler(positions)
    known = "an array (n, p), a scipy.stats distribution, a function f(n, rng), or one of lpgraph.positions"
    raise ArgumentTypeError(f"positions={positions!r:.60} is {type_of(positions)}; pass {known}.")


def check_simplex(name: str, values: ArrayLike | None, n: int) -> Array:
    """Return n numbers >= 0 with sum 1, or raise; None means equal ones."""
    if values is None:
        return np.full(n, 1 / n)
    array = check_finite_array(name, values, ndim=1)
    if len(array) != n or array.min() < 0 or abs(array.sum() - 1) > 1e-8:
        found = f"{len(array)} entries, minimum {array.min():g} and sum {array.sum():g}"
        raise ArgumentError(f"{name} has {found}; pass {n} numbers >= 0 with sum 1, as weights / weights.sum().")
    return np.asarray(array / array.sum())


@dataclass(frozen=True, eq=False)
class Dirichlet(Independent):
    """Dirichlet distribution on the simplex; a point's label is the index of its largest coordinate.

    Parameters
    ----------
    alpha : array_like of shape (p,)
        Positive, p >= 2.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> x, labels = lp.positions.Dirichlet([1.0, 1.0, 1.0]).initial(100, np.random.default_rng(0))
    >>> bool(np.allclose(x.sum(axis=1), 1)), sorted(set(labels.tolist()))
    (True, [0, 1, 2])
    """

    alpha: ArrayLike

    def __post_init__(self) -> None:
        alpha = check_finite_array("alpha", self.alpha, ndim=1)
        if len(alpha) < 2 or alpha.min() <= 0:
            raise ArgumentError(f"alpha={alpha}; pass at least two numbers, all > 0.")
        freeze(self, alpha=alpha)

    def draw(self, n: int, rng: Generator) -> Drawn:
        """Return n positions and their labels."""
        points = rng.dirichlet(np.asarray(self.alpha), size=n)
        return points, np.argmax(points, axis=1)


@dataclass(frozen=True, eq=False)
class GaussianMixture(Independent):
    """Gaussian mixture; a point's label is its component.

    Parameters
    ----------
    means : array_like of shape (K, p)
    covariances : float, array_like of shape (p, p), or sequence of K such matrices
        A number is the variance in every direction. One matrix is used for all components.
    weights : array_like of shape (K,), optional
        Non-negative, with sum 1. Default: equal weights.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> source = lp.positions.GaussianMixture([[1.0, 1.0], [-1.0, -1.0]], 1.0)
    >>> x, labels = source.initial(1000, np.random.default_rng(0))
    >>> x.shape, np.bincount(labels).tolist()
    ((1000, 2), [473, 527])
    """

    means: ArrayLike
    covariances: ArrayLike
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        means = check_finite_array("means", self.means, ndim=2)
        n_components, p = means.shape
        covariances = check_finite_array("covariances", self.covariances)
        if covariances.ndim == 0:
            covariances = covariances * np.eye(p)
        if covariances.shape not in ((p, p), (n_components, p, p)):
            shapes = f"a number, or shape {(p, p)} or {(n_components, p, p)}"
            raise ArgumentError(f"covariances has shape {covariances.shape}; pass {shapes}.")
        covariances = np.broadcast_to(covariances, (n_components, p, p))
        least, most = np.linalg.eigvalsh(covariances)[:, 0], np.abs(covariances).max(axis=(1, 2))
        if not np.allclose(covariances, covariances.swapaxes(1, 2)) or (least < -1e-10 * most).any():
            raise ArgumentError(
                "covariances has a matrix that is not symmetric with eigenvalues >= 0; correct it."
            )
        weights = check_simplex("weights", self.weights, n_components)
        freeze(self, means=means, covariances=covariances, weights=weights)

    def draw(self, n: int, rng: Generator) -> Drawn:
        """Return n positions and their labels."""
        means, weights = np.asarray(self.means), np.asarray(self.weights)
        labels = rng.choice(len(means), size=n, p=weights)
        points = np.empty((n, means.shape[1]))
        for k, covariance in enumerate(np.asarray(self.covariances)):
            member = labels == k
            points[member] = rng.multivariate_normal(means[k], covariance, size=int(member.sum()), method="eigh")
        return points, labels


@dataclass(frozen=True, eq=False)
class BlockLabels(Positions):
    """Labels of blocks of given sizes, in order; new vertices draw a block with probability size / n.

    Parameters
    ----------
    sizes : array_like of shape (K,)
        Integers >= 0, not all 0.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> lp.positions.BlockLabels([2, 1]).initial(None, np.random.default_rng(0))
    (array([[0.], [0.], [1.]]), array([0, 0, 1]))
    """

    sizes: ArrayLike

    def __post_init__(self) -> None:
        sizes = np.asarray(self.sizes, dtype=object)  # keeps the type of each entry for the check
        if sizes.ndim != 1 or sizes.size == 0:
            raise ArgumentError(f"sizes has shape {sizes.shape}; pass one size per block.")
        counts = [check_count(f"sizes[{k}]", size, low=0) for k, size in enumerate(sizes)]
        if not any(counts):
            raise ArgumentError(f"sizes={counts}; pass at least one positive size.")
        freeze(self, sizes=counts)

    def initial(self, n: int | None, rng: Generator) -> Drawn:
        """Return the first n positions and labels."""
        sizes = np.asarray(self.sizes)
        if n is not None and n != sizes.sum():
            raise ArgumentError(f"n={n} but sizes sum to {sizes.sum()}; pass n=None or other sizes.")
        labels = np.repeat(np.arange(len(sizes)), sizes)
        return labels[:, None].astype(np.float64), labels

    def more(self, m: int, start: int, rng: Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        sizes = np.asarray(self.sizes)
        labels = rng.choice(len(sizes), size=m, p=sizes / sizes.sum())
        return labels[:, None].astype(np.float64), labels


@dataclass(frozen=True, eq=False)
class BlockWeights(BlockLabels):
    """Positions (label, weight) of a degree-corrected block model.

    New vertices draw a block with probability size / n, and the weight of one of its vertices.

    Parameters
    ----------
    sizes : array_like of shape (K,)
    weights : array_like of shape (sum of sizes,)
        One weight >= 0 per vertex, ordered by block.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> lp.positions.BlockWeights([2, 1], [0.5, 1.0, 2.0]).initial(None, np.random.default_rng(0))[0]
    array([[0. , 0.5],
           [0. , 1. ],
           [1. , 2. ]])
    """

    weights: ArrayLike

    def __post_init__(self) -> None:
        super().__post_init__()
        weights, n = check_finite_array("weights", self.weights, ndim=1), np.sum(self.sizes)
        if len(weights) != n:
            raise ArgumentError(f"weights has {len(weights)} entries; pass one per vertex, {n}.")
        check_nonnegative("weights", weights)
        freeze(self, weights=weights)

    def initial(self, n: int | None, rng: Generator) -> Drawn:
        """Return the first n positions and labels."""
        positions, labels = super().initial(n, rng)
        return np.column_stack([positions, self.weights]), labels

    def more(self, m: int, start: int, rng: Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        # A uniform vertex has block k with probability size / n, and is uniform within its block.
        return Fixed(*self.initial(None, rng)).more(m, start, rng)
