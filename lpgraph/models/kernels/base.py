"""Base classes of kernels, and functions as kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph._checks import check_finite_array
from lpgraph.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


class Kernel(ABC):
    """Base class of kernels: a function of two positions.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> class Nearness(lp.kernels.Kernel):
    ...     def __call__(self, x, y):
    ...         x, y = self.prepare(x), self.prepare(y)
    ...         return np.maximum(0.0, 1 - np.abs(x - y.T))
    >>> Nearness()([0.0, 0.5], [0.25])
    array([[0.75],
           [0.75]])
    """

    @property
    def symmetric(self) -> bool:
        """Whether ``kernel(x, y) == kernel(y, x).T``; required by undirected graphs."""
        return True

    def prepare(self, positions: ArrayLike, name: str = "positions") -> Array:
        """Return `positions` as a finite float array of shape (n, p), or raise.

        Parameters
        ----------
        positions : array_like of shape (n, p) or (n,)
            A one-dimensional array is one column.
        name : str
            The argument's name in errors.
        """
        array = check_finite_array(name, positions)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or array.shape[1] == 0:
            raise ArgumentError(f"{name} has shape {array.shape}; pass shape (n, p), one position per row.")
        return array

    @abstractmethod
    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values for n positions `x` and m positions `y`."""

    def _prepare_both(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        x, y = self.prepare(x, "x"), self.prepare(y, "y")
        if x.shape[1] != y.shape[1]:
            raise ArgumentError(f"x has {x.shape[1]} columns but y has {y.shape[1]}; pass the same number.")
        return x, y


class BoundedKernel(Kernel):
    """A kernel with bounds over boxes of positions, so that edges are sampled in sub-quadratic time.

    `pairs`, `bounds` and `factors` are called in inner loops: they take positions returned by `prepare` and do not
    check them. `pairs` and the kernel itself are called from several threads at once.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> gaussian = lp.kernels.Gaussian(sigma=1.0)
    >>> isinstance(gaussian, lp.kernels.BoundedKernel)
    True
    >>> corner = np.array([[0.0]]), np.array([[1.0]])
    >>> gaussian.bounds(*corner, *(2 + side for side in corner))  # [0, 1] and [2, 3]: 1 to 3 apart
    (array([0.0001...]), array([0.3678...]))
    """

    @abstractmethod
    def pairs(self, x: Array, y: Array) -> Array:
        """Return the (k,) values of k pairs: row i of `x` with row i of `y`."""

    @abstractmethod
    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return lower and upper bounds, of shape (k,), of the kernel over k pairs of axis-aligned boxes.

        Parameters
        ----------
        lo_a, hi_a, lo_b, hi_b : ndarray of shape (k, p)
            The corners of the boxes; ``lo_a <= x <= hi_a`` and ``lo_b <= y <= hi_b`` coordinate by
            coordinate.
        """

    def factors(self, x: Array, y: Array) -> tuple[Array, Array] | None:
        """Return non-negative u (n, r) and v (m, r) with ``kernel(x, y) == u @ v.T``, or None.

        The default is None: there are no such factors.
        """
        return None


@dataclass(frozen=True)
class FunctionKernel(Kernel):
    """A function as a kernel. Edges are sampled block by block, in O(n^2) time and bounded memory.

    Parameters
    ----------
    function : callable
        ``function(x, y)`` with x of shape (n, p), y of shape (m, p) returns an (n, m) array.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> threshold = lp.kernels.FunctionKernel(lambda x, y: 0.5 * (np.abs(x - y.T) < 0.2))
    >>> threshold([0.0, 0.1], [0.0, 0.25])
    array([[0.5, 0. ],
           [0.5, 0.5]])
    """

    function: Callable[[Array, Array], ArrayLike]

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the values of the function, with shape and type checked."""
        x, y = self._prepare_both(x, y)
        values = np.asarray(self.function(x, y))
        if values.shape != (len(x), len(y)):
            raise ArgumentError(
                f"kernel returned shape {values.shape} for positions of shapes {x.shape} and {y.shape}; "
                f"make it return shape {(len(x), len(y))}."
            )
        if values.dtype.kind not in "biuf":
            raise ArgumentTypeError(f"kernel returned dtype {values.dtype}; make it return real numbers.")
        return values.astype(np.float64, copy=False)


def as_kernel(kernel: object) -> Kernel:
    """Return a `Kernel` as it is, and a function as a `FunctionKernel`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> type(lp.kernels.as_kernel(lambda x, y: x @ y.T)).__name__
    'FunctionKernel'
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not callable(kernel) or isinstance(kernel, type):
        remedy = "pass one of lpgraph.kernels or a function f(x, y) -> (n, m)"
        if isinstance(kernel, type):
            remedy = f"pass an instance, {kernel.__name__}(...)"
        raise ArgumentTypeError(f"kernel={kernel!r} is {a_type(kernel)}; {remedy}.")
    return FunctionKernel(kernel)
