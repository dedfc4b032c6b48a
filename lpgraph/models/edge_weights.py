"""Distributions of edge weights, with parameters that may differ between pairs of blocks.

Which pairs are joined is drawn first, by the model's probabilities. The weights of the edges are then drawn
independently. An edge whose weight is 0 is no edge.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import LARGEST, check_finite_array, type_of
from lpgraph.errors import ArgumentError, ArgumentTypeError

from .positions import freeze
from .probabilities import probabilities_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from lpgraph._utils.types import Array

    from .kernels import Kernel

    Labels = NDArray[np.generic]

__all__ = ["EdgeSet", "EdgeWeights", "Normal", "Poisson", "WeightFunction", "as_edge_weights"]

#: Poisson numbers of larger means are not exact in floating point.
_LARGEST_MEAN = 1e15


@dataclass(frozen=True, eq=False)
class EdgeSet:
    """The edges of a sampled graph whose weights are to be drawn; an undirected edge occurs once.

    Attributes
    ----------
    rows, columns : ndarray of shape (m,)
        The ends of the edges: vertices of the graph, or of the graph and the new vertices.
    row_positions, column_positions : ndarray of shape (n, p), (n', p)
        Positions of all vertices that may be rows, and columns.
    row_labels, column_labels : ndarray of shape (n,), (n',) or None
    kernel : Kernel
    sparsity : float

    Examples
    --------
    Weights that grow with the probability of the edge:

    >>> import lpgraph as lp
    >>> def growing(edges, rng):
    ...     return 10 * edges.probabilities + rng.random(len(edges))
    >>> B = [[0.9, 0.1], [0.1, 0.5]]
    >>> graph = lp.stochastic_block_model([20, 20], B, edge_weights=growing, random_state=0)
    >>> bool(graph.adjacency[:20, :20].data.min() >= 9)
    True
    """

    rows: NDArray[np.integer]
    columns: NDArray[np.integer]
    row_positions: Array
    column_positions: Array
    row_labels: Labels | None
    column_labels: Labels | None
    kernel: Kernel
    sparsity: float

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def x(self) -> Array:
        """Positions of the row ends, of shape (m, p)."""
        return np.take(self.row_positions, self.rows, axis=0)

    @property
    def y(self) -> Array:
        """Positions of the column ends, of shape (m, p)."""
        return np.take(self.column_positions, self.columns, axis=0)

    @property
    def probabilities(self) -> Array:
        """The probabilities with which the edges were drawn, of shape (m,)."""
        ends = self.row_positions, self.column_positions
        return probabilities_at(self.kernel, self.sparsity, *ends, self.rows, self.columns)

    def labels(self) -> tuple[Labels, Labels]:
        """Return the labels of both ends of the edges, each of shape (m,), or raise if there are none."""
        if self.row_labels is None or self.column_labels is None:
            raise ArgumentError(
                "edge_weights depend on labels, and some vertices have none; pass positions with labels."
            )
        return self.row_labels[self.rows], self.column_labels[self.columns]


class EdgeWeights(ABC):
    """Base class of distributions of edge weights.

    Examples
    --------
    >>> import lpgraph as lp
    >>> class Fair(lp.weights.EdgeWeights):  # -1 or 1
    ...     def draw(self, edges, rng):
    ...         return rng.choice([-1.0, 1.0], size=len(edges))
    >>> graph = lp.erdos_renyi(50, 0.3, edge_weights=Fair(), random_state=0)
    >>> sorted(set(graph.adjacency.data.tolist()))
    [-1.0, 1.0]
    """

    @property
    def symmetric(self) -> bool:
        """Whether the weights of (k, l) and (l, k) have one distribution; required by undirected graphs."""
        return True

    @abstractmethod
    def draw(self, edges: EdgeSet, rng: Generator) -> Array:
        """Return one weight per edge, of shape (m,)."""


@dataclass(frozen=True, eq=False)
class Poisson(EdgeWeights):
    """Poisson weights. An edge that draws 0 is dropped, so pairs are joined less often than without weights.

    Parameters
    ----------
    mean : float or array_like of shape (K, K)
        The mean of all weights, or of those between each pair of blocks; >= 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> weights = lp.weights.Poisson([[9, 2], [2, 9]])
    >>> B = [[0.5, 0.5], [0.5, 0.5]]
    >>> graph = lp.stochastic_block_model([100, 100], B, edge_weights=weights, random_state=0)
    >>> means = [graph.adjacency[:100, part].data.mean() for part in (slice(0, 100), slice(100, 200))]
    >>> [round(float(mean), 1) for mean in means]  # the second: 2 / (1 - exp(-2)), without zeros
    [9.1, 2.3]
    """

    mean: ArrayLike

    def __post_init__(self) -> None:
        _set_parameter(self, "mean", self.mean, high=_LARGEST_MEAN)

    @property
    def symmetric(self) -> bool:
        """Whether `mean` is a number or a symmetric matrix."""
        return _is_symmetric(self.mean)

    def draw(self, edges: EdgeSet, rng: Generator) -> Array:
        """Return one weight per edge, of shape (m,)."""
        return rng.poisson(_of_edges("mean", self.mean, edges), size=len(edges)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Normal(EdgeWeights):
    """Normal weights, which may be negative.

    Parameters
    ----------
    mean : float or array_like of shape (K, K)
        The mean of all weights, or of those between each pair of blocks.
    std : float or array_like of shape (K, K)
        Their standard deviation, >= 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> weights = lp.weights.Normal([[2.0, -1.0], [-1.0, 2.0]], 0.1)
    >>> B = [[0.5, 0.5], [0.5, 0.5]]
    >>> graph = lp.stochastic_block_model([100, 100], B, edge_weights=weights, random_state=0)
    >>> round(float(graph.adjacency[:100, 100:].data.mean()), 2)
    -1.0
    """

    mean: ArrayLike
    std: ArrayLike

    def __post_init__(self) -> None:
        _set_parameter(self, "mean", self.mean, low=-LARGEST)
        _set_parameter(self, "std", self.std)

    @property
    def symmetric(self) -> bool:
        """Whether `mean` and `std` are numbers or symmetric matrices."""
        return _is_symmetric(self.mean) and _is_symmetric(self.std)

    def draw(self, edges: EdgeSet, rng: Generator) -> Array:
        """Return one weight per edge, of shape (m,)."""
        weights = rng.standard_normal(len(edges))
        weights *= _of_edges("std", self.std, edges)
        weights += _of_edges("mean", self.mean, edges)
        return weights


@dataclass(frozen=True)
class WeightFunction(EdgeWeights):
    """A function that draws edge weights.

    Parameters
    ----------
    function : callable
        ``function(edges, rng)`` returns m finite numbers for an `EdgeSet` of m edges.

    Examples
    --------
    >>> import lpgraph as lp
    >>> weights = lp.weights.WeightFunction(lambda edges, rng: rng.exponential(size=len(edges)))
    >>> bool((lp.erdos_renyi(50, 0.3, edge_weights=weights, random_state=0).adjacency.data > 0).all())
    True
    """

    function: Callable[[EdgeSet, Generator], ArrayLike]

    def draw(self, edges: EdgeSet, rng: Generator) -> Array:
        """Return one weight per edge, of shape (m,)."""
        weights = check_finite_array("the array that edge_weights(edges, rng) returned", self.function(edges, rng))
        if weights.shape != (len(edges),):
            wanted = f"make it return shape ({len(edges)},), as with size=len(edges)"
            raise ArgumentError(f"edge_weights(edges, rng) returned shape {weights.shape}; {wanted}.")
        return weights


def as_edge_weights(edge_weights: object) -> EdgeWeights | None:
    """Return None and an `EdgeWeights` as they are, and a function as a `WeightFunction`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> type(lp.weights.as_edge_weights(lambda edges, rng: rng.random(len(edges)))).__name__
    'WeightFunction'
    """
    if edge_weights is None or isinstance(edge_weights, EdgeWeights):
        return edge_weights
    if not callable(edge_weights) or isinstance(edge_weights, type):
        remedy = "pass an instance of one of lpgraph.weights, such as Poisson(3), or a function f(edges, rng)"
        raise ArgumentTypeError(f"edge_weights={edge_weights!r} is {type_of(edge_weights)}; {remedy}.")
    return WeightFunction(edge_weights)


def _set_parameter(
    weights: EdgeWeights, name: str, value: ArrayLike, low: float = 0.0, high: float = LARGEST
) -> None:
    """Check a number or a square matrix and store it as a read-only array."""
    array = check_finite_array(name, value)
    if array.ndim not in (0, 2) or array.shape != array.shape[::-1] or array.size == 0:
        raise ArgumentError(f"{name} has shape {array.shape}; pass a number, or a (K, K) matrix for K blocks.")
    if array.min() < low or array.max() > high:
        found = f"entries from {array.min():g} to {array.max():g}"
        raise ArgumentError(f"{name} has {found}; pass numbers from {low:g} to {high:g}.")
    freeze(weights, **{name: array})


def _is_symmetric(parameter: ArrayLike) -> bool:
    return np.array_equal(parameter, np.transpose(parameter))


def _of_edges(name: str, parameter: ArrayLike, edges: EdgeSet) -> Array:
    """Return the parameter of each edge, or the one of all edges."""
    array = np.asarray(parameter)
    if array.ndim == 0:
        return array
    rows, columns = edges.labels()
    if rows.dtype.kind not in "iu" or not np.isin(np.append(rows, columns), np.arange(len(array))).all():
        other = f"labels are not all in 0 ... {len(array) - 1}"
        raise ArgumentError(f"{name} has {len(array)} rows and {other}; pass one row and column for each block.")
    return array[rows.astype(np.intp), columns.astype(np.intp)]
