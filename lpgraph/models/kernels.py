"""Kernels: the edge probability (before sparsity) as a function of two latent positions.

Dot-type kernels are increasing functions of an inner product, radial-type kernels decreasing functions of a
squared distance. Block kernels take labels, memberships or (label, weight) pairs as positions.

A kernel also gives *bounds* over boxes of positions, which make sampling time proportional to the number of edges
(see `lpgraph.models.bernoulli`). To add a kernel, subclass `BoundedKernel`. A plain function ``f(x, y) -> (n, m)``
also works, in quadratic time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from lpgraph._utils.checks import (
    as_real,
    check_finite_array,
    check_flag,
    check_integer,
    check_real,
    check_signature,
    type_of,
)
from lpgraph.errors import ArgumentError, ArgumentTypeError

from .positions import check_nonnegative, check_positions, freeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from lpgraph._utils.types import Array


__all__ = [
    "Binomial",
    "BlockMatrix",
    "BoundedKernel",
    "ClippedDotProduct",
    "DegreeCorrectedBlockMatrix",
    "DotProduct",
    "Exponential",
    "FunctionKernel",
    "Gaussian",
    "IndefiniteDotProduct",
    "InverseMultiquadric",
    "Kernel",
    "PoissonBlockMatrix",
    "as_kernel",
]


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
        return check_positions(name, positions)

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
        values = as_real("the array that kernel(x, y) returned", self.function(x, y))
        if values.shape != (len(x), len(y)):
            raise ArgumentError(f"kernel returned shape {values.shape}; make it return {(len(x), len(y))}.")
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
        remedy = "pass an instance of one of lpgraph.kernels, or a function f(x, y) -> (n, m)"
        raise ArgumentTypeError(f"kernel={kernel!r} is {type_of(kernel)}; {remedy}.")
    return FunctionKernel(kernel)


class _DotKernel(BoundedKernel):
    """An increasing function of the inner product."""

    def _of(self, product: Array) -> Array:
        """Return the kernel as a function of the inner product; the identity here."""
        return product

    def _sides(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return vectors of rows and of columns whose ordinary inner product is that of the kernel."""
        return x, y

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        x, y = self._sides(*self._prepare_both(x, y))
        return self._of(x @ y.T)

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        return self._of(np.einsum("ij,ij->i", *self._sides(x, y)))

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        # A sign may exchange the ends of an interval, which the products of all ends do not depend on.
        (lo_a, lo_b), (hi_a, hi_b) = self._sides(lo_a, lo_b), self._sides(hi_a, hi_b)
        corners = np.stack([lo_a * lo_b, lo_a * hi_b, hi_a * lo_b, hi_a * hi_b])
        return self._of(corners.min(axis=0).sum(axis=1)), self._of(corners.max(axis=0).sum(axis=1))


@dataclass(frozen=True)
class DotProduct(_DotKernel):
    r"""The dot product :math:`\langle x, y \rangle`, the kernel of random dot product graphs.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.DotProduct()([[0.6, 0.2]], [[0.5, 0.5], [0.0, 0.1]])
    array([[0.4 , 0.02]])
    """

    def factors(self, x: Array, y: Array) -> tuple[Array, Array] | None:
        """Return the positions if no coordinate is negative."""
        return (x, y) if x.min(initial=0.0) >= 0 and y.min(initial=0.0) >= 0 else None


@dataclass(frozen=True)
class IndefiniteDotProduct(_DotKernel):
    r"""The indefinite dot product of signature (p, q), the kernel of generalised random dot product graphs.

    .. math:: \langle x, y \rangle = x_1 y_1 + \ldots + x_p y_p - x_{p+1} y_{p+1} - \ldots - x_{p+q} y_{p+q}

    Parameters
    ----------
    p, q : int
        Number of columns with a plus sign (the first ones) and with a minus sign (the last ones).
    signs : tuple of int, optional
        The sign of each column, if the signs are in another order.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.IndefiniteDotProduct(1, 1)([[0.8, 0.5]], [[0.8, 0.5], [0.8, -0.5]])
    array([[0.39, 0.89]])
    """

    p: int
    q: int
    signs: tuple[int, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if check_integer("p", self.p, low=0) + check_integer("q", self.q, low=0) == 0:
            raise ArgumentError("p=0 and q=0; pass p + q >= 1.")
        if self.signs is not None and sorted(self.signs) != [-1] * self.q + [1] * self.p:
            raise ArgumentError(f"signs={self.signs}; pass p={self.p} signs 1 and q={self.q} signs -1.")

    @classmethod
    def of(cls, signature: ArrayLike) -> Self:
        """Return the kernel of a signature: a pair (p, q), or the sign of each column, as in ``signature_``.

        Examples
        --------
        >>> import numpy as np
        >>> import lpgraph as lp
        >>> lp.kernels.IndefiniteDotProduct.of(np.array([1, -1, 1]))
        IndefiniteDotProduct(p=2, q=1, signs=(1, -1, 1))
        """
        signs = check_signature("signature", signature)
        p, in_order = int((signs > 0).sum()), (np.diff(signs) <= 0).all()
        return cls(p, len(signs) - p, signs=None if in_order else tuple(signs.tolist()))

    def prepare(self, positions: ArrayLike, name: str = "positions") -> Array:
        """Return `positions` as a checked array."""
        array = super().prepare(positions, name)
        if array.shape[1] != self.p + self.q:
            wanted = f"p + q = {self.p + self.q} columns, or another signature"
            raise ArgumentError(f"{name} has {array.shape[1]} columns; pass {wanted}.")
        return array

    def _sides(self, x: Array, y: Array) -> tuple[Array, Array]:
        signs = np.repeat([1.0, -1.0], [self.p, self.q]) if self.signs is None else np.array(self.signs, float)
        return x, y * signs


@dataclass(frozen=True)
class ClippedDotProduct(IndefiniteDotProduct):
    r"""The indefinite dot product of signature (p, q), clipped to an interval that depends on the pair.

    The value is :math:`\min(high, \max(\langle x, y \rangle, f_x f_y))`. The last column of the positions is the
    number f. `lpgraph.fit_random_dot_product_graph` fits it: products of estimated positions may be negative.

    Parameters
    ----------
    p, q : int
        Number of columns with a plus sign (the first ones) and with a minus sign (the next ones).
    high : float
        Upper bound of the values, in [0, 1].
    two_sided : bool
        Whether positions have 2 (p + q + 1) columns, those of a source of arcs and then those of a target.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.ClippedDotProduct(1, 1)([[0.8, 0.5, 0.1]], [[0.8, 0.5, 0.1], [0.1, 0.5, 0.2], [1.5, 0.1, 0.1]])
    array([[0.39, 0.02, 1.  ]])
    >>> lp.kernels.ClippedDotProduct(1, two_sided=True)([[0.8, 0.0, 0.1, 0.0]], [[0.8, 0.0, 0.5, 0.0]])
    array([[0.4]])
    """

    q: int = 0
    high: float = 1.0
    two_sided: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_real("high", self.high, low=0, high=1)
        check_flag("two_sided", self.two_sided)

    @property
    def symmetric(self) -> bool:
        """Whether positions have one side."""
        return not self.two_sided

    def prepare(self, positions: ArrayLike, name: str = "positions") -> Array:
        """Return `positions` as a checked array."""
        array = BoundedKernel.prepare(self, positions, name)
        width = self.p + self.q + 1
        columns = width * (1 + self.two_sided)
        if array.shape[1] != columns:
            raise ArgumentError(f"{name} has {array.shape[1]} columns; pass {columns}, as p, q and two_sided say.")
        check_nonnegative(f"the last column of {name}", array[:, width - 1 :: width])
        return array

    def _sides(self, x: Array, y: Array) -> tuple[Array, Array]:
        d = self.p + self.q
        return super()._sides(x[:, :d], y[:, -d - 1 : -1])

    def _clip(self, values: Array, f: Array, g: Array) -> Array:
        """Return values between the products of the last columns of sources and targets, and `high`."""
        return np.clip(values, f[..., self.p + self.q] * g[..., -1], self.high)

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        x, y = self._prepare_both(x, y)
        return self._clip(super().__call__(x, y), x[:, None], y)

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        return self._clip(super().pairs(x, y), x, y)

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        lower, upper = super().bounds(lo_a, hi_a, lo_b, hi_b)
        return self._clip(lower, lo_a, lo_b), self._clip(upper, hi_a, hi_b)


@dataclass(frozen=True)
class Exponential(_DotKernel):
    r"""The exponential kernel :math:`\exp(\langle x, y \rangle)` of Proposition 6.

    Where :math:`\langle x, y \rangle` > 0 it needs ``sparsity`` < 1.

    References
    ----------
    Tang, Park & Priebe (2013), "Out-of-sample extension for latent position graphs", Proposition 6.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.Exponential()([[0.0]], [[3.0]])
    array([[1.]])
    """

    def _of(self, product: Array) -> Array:
        with np.errstate(over="ignore"):  # infinite probabilities are refused later
            return np.exp(product)


@dataclass(frozen=True)
class Binomial(_DotKernel):
    r"""The binomial kernel :math:`(1 - \langle x, y \rangle)^{-\alpha}` of Proposition 6.

    It is the sum of a power series in :math:`\langle x, y \rangle` that diverges for :math:`\langle x, y \rangle`
    >= 1. There the value is +inf, and a model raises `ProbabilityError`.

    Parameters
    ----------
    alpha : float
        Positive.

    References
    ----------
    Tang, Park & Priebe (2013), Proposition 6, with the exponent :math:`-\alpha` and the base
    :math:`1 - \langle x, y \rangle`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.Binomial(2.0)([[0.5, 0.5]], [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])
    array([[ 1.,  4., inf]])
    """

    alpha: float

    def __post_init__(self) -> None:
        check_real("alpha", self.alpha, low=0, open_low=True)

    def _of(self, product: Array) -> Array:
        with np.errstate(divide="ignore", over="ignore"):
            return np.maximum(1.0 - product, 0.0) ** -self.alpha


class _RadialKernel(BoundedKernel):
    """A decreasing function of the squared distance."""

    @abstractmethod
    def _of(self, squared: Array) -> Array:
        """Return the kernel as a function of the squared distance."""

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        from scipy.spatial.distance import cdist

        # From differences, not |x|^2 + |y|^2 - 2<x, y>, which cancels for near points.
        return self._of(cdist(*self._prepare_both(x, y), "sqeuclidean"))

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        gap = x - y
        gap *= gap
        # Column by column, so that the sum of a pair does not depend on the other pairs.
        squared = gap[:, 0].copy()
        for k in range(1, gap.shape[1]):
            squared += gap[:, k]
        return self._of(squared)

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        above, below = hi_a - lo_b, hi_b - lo_a
        far = np.maximum(above, below)
        near = np.maximum(np.maximum(-above, -below), 0.0)
        return self._of(np.einsum("ij,ij->i", far, far)), self._of(np.einsum("ij,ij->i", near, near))


@dataclass(frozen=True)
class Gaussian(_RadialKernel):
    r"""The Gaussian kernel :math:`\exp(-|x - y|^2 / \sigma^2)` of Proposition 6.

    Parameters
    ----------
    sigma : float
        Positive. There is no factor 2 in the exponent.

    References
    ----------
    Tang, Park & Priebe (2013), Proposition 6.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.Gaussian(0.5)([[0.0, 0.0]], [[0.0, 0.0], [0.3, 0.4]]).round(3)
    array([[1.   , 0.368]])
    """

    sigma: float

    def __post_init__(self) -> None:
        check_real("sigma", self.sigma, low=0, open_low=True)

    def _of(self, squared: Array) -> Array:
        """Return the kernel as a function of the squared distance."""
        with np.errstate(over="ignore"):
            return np.exp(-(squared / self.sigma / self.sigma))


@dataclass(frozen=True)
class InverseMultiquadric(_RadialKernel):
    r"""The inverse multiquadric :math:`(c^2 + |x - y|^2)^{-\beta}` of Proposition 6; c < 1 needs ``sparsity`` < 1.

    Parameters
    ----------
    c, beta : float
        Positive.

    References
    ----------
    Tang, Park & Priebe (2013), Proposition 6.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.InverseMultiquadric(1.0, 0.5)([[0.0]], [[0.0], [3.0 ** 0.5]])
    array([[1. , 0.5]])
    """

    c: float
    beta: float

    def __post_init__(self) -> None:
        check_real("c", self.c, low=0, open_low=True)
        check_real("beta", self.beta, low=0, open_low=True)

    def _of(self, squared: Array) -> Array:
        """Return the kernel as a function of the squared distance."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.power(self.c**2 + squared, -self.beta)


@dataclass(frozen=True, eq=False)
class _BlockKernel(BoundedKernel):
    """Base class of block kernels, with a read-only matrix B."""

    B: ArrayLike
    matrix: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        matrix = check_finite_array("B", self.B, ndim=2)
        if matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise ArgumentError(f"B has shape {matrix.shape}; pass a square matrix, one row per block.")
        check_nonnegative("B", matrix)
        freeze(self, B=matrix, matrix=matrix)

    @property
    def symmetric(self) -> bool:
        """Whether B is symmetric."""
        return np.array_equal(self.matrix, self.matrix.T)

    def _check_labels(self, name: str, labels: Array) -> None:
        wrong = (labels != np.floor(labels)) | (labels < 0) | (labels >= len(self.matrix))
        if wrong.any():
            i, last = np.argmax(wrong), len(self.matrix) - 1
            raise ArgumentError(f"{name}[{i}] is label {labels[i]:g}; pass integers in 0 ... {last}, as in B.")

    def _entries(self, x: Array, y: Array) -> Array:
        """Return the entries of B for the labels in the first columns of positions."""
        return self.matrix[x[..., 0].astype(np.intp), y[..., 0].astype(np.intp)]

    def _label_bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Bound B over ranges of labels: by an entry for two single labels, a row or column for one, or by all."""
        one_a, one_b = lo_a[:, 0] == hi_a[:, 0], lo_b[:, 0] == hi_b[:, 0]
        a, b = lo_a[:, 0].astype(np.intp), lo_b[:, 0].astype(np.intp)

        def widened(extreme: np.ufunc) -> Array:
            row, column, whole = (extreme.reduce(self.matrix, axis=axis) for axis in (1, 0, None))
            return np.select([one_a & one_b, one_a, one_b], [self.matrix[a, b], row[a], column[b]], whole)

        return widened(np.minimum), widened(np.maximum)


@dataclass(frozen=True, eq=False)
class BlockMatrix(_BlockKernel):
    """Blocks: B[z_x, z_y] for labels, or x^T B y for membership vectors.

    Parameters
    ----------
    B : array_like of shape (K, K)
        Finite entries >= 0. `symmetric` is true only if B == B.T exactly.

    Notes
    -----
    Positions with one column are labels 0 ... K-1 (a stochastic block model). Positions with K >= 2 columns are
    non-negative memberships (mixed membership). Rows need not sum to 1, so they may include degree weights.

    Examples
    --------
    >>> import lpgraph as lp
    >>> kernel = lp.kernels.BlockMatrix([[0.5, 0.1], [0.1, 0.3]])
    >>> kernel([0, 1], [0, 1])
    array([[0.5, 0.1],
           [0.1, 0.3]])
    >>> kernel([[0.5, 0.5]], [[1.0, 0.0]])
    array([[0.3]])
    """

    def prepare(self, positions: ArrayLike, name: str = "positions") -> Array:
        """Return `positions` as a checked array."""
        array, n_blocks = super().prepare(positions, name), len(self.matrix)
        if array.shape[1] == 1:
            self._check_labels(name, array[:, 0])
        elif array.shape[1] != n_blocks:
            columns = f"labels (one column) or memberships ({n_blocks} columns, as in B)"
            raise ArgumentError(f"{name} has {array.shape[1]} columns; pass {columns}.")
        check_nonnegative(name, array)
        return array

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        x, y = self._prepare_both(x, y)
        return self.pairs(x[:, None], y) if x.shape[1] == 1 else x @ self.matrix @ y.T

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        if x.shape[-1] == 1:
            return self._entries(x, y)
        return np.asarray(np.einsum("ij,ij->i", x @ self.matrix, y))

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        if lo_a.shape[1] == 1:
            return self._label_bounds(lo_a, hi_a, lo_b, hi_b)
        return self.pairs(lo_a, lo_b), self.pairs(hi_a, hi_b)

    def factors(self, x: Array, y: Array) -> tuple[Array, Array] | None:
        """Return x and B y for memberships; None for labels, whose boxes already have tight bounds."""
        return None if x.shape[1] == 1 else (x, y @ self.matrix.T)


@dataclass(frozen=True, eq=False)
class DegreeCorrectedBlockMatrix(_BlockKernel):
    """Degree-corrected blocks: :math:`w_x w_y B_{z_x z_y}`.

    Positions are the two columns (label, weight), or for directed graphs the three columns (label, out-weight,
    in-weight): the weight of x is then its out-weight, and the weight of y its in-weight.

    Parameters
    ----------
    B : array_like of shape (K, K)
        Finite entries >= 0.

    References
    ----------
    Karrer & Newman (2011), "Stochastic blockmodels and community structure in networks".

    Examples
    --------
    >>> import lpgraph as lp
    >>> kernel = lp.kernels.DegreeCorrectedBlockMatrix([[0.5, 0.1], [0.1, 0.3]])
    >>> kernel([[0, 1.0]], [[0, 0.5], [1, 2.0]])
    array([[0.25, 0.2 ]])
    """

    def prepare(self, positions: ArrayLike, name: str = "positions") -> Array:
        """Return `positions` as a checked array."""
        array = super().prepare(positions, name)
        if array.shape[1] not in (2, 3):
            columns = "(label, weight), or (label, out-weight, in-weight)"
            raise ArgumentError(f"{name} has {array.shape[1]} columns; pass the columns {columns}.")
        self._check_labels(name, array[:, 0])
        check_nonnegative(name, array)
        return array

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        x, y = self._prepare_both(x, y)
        return self.pairs(x[:, None], y)

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        return self._of(x[..., 1] * self._entries(x, y) * y[..., -1])

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        lower, upper = self._label_bounds(lo_a, hi_a, lo_b, hi_b)
        return self._of(lower * lo_a[:, 1] * lo_b[:, -1]), self._of(upper * hi_a[:, 1] * hi_b[:, -1])

    def _of(self, product: Array) -> Array:
        """Return the kernel as an increasing function of the product; the identity here."""
        return product


@dataclass(frozen=True, eq=False)
class PoissonBlockMatrix(DegreeCorrectedBlockMatrix):
    """The probability 1 - exp(-w_x w_y B[z_x, z_y]) that a Poisson number of edges is not 0.

    It differs from the degree-corrected blocks of the same parameters by less than half of their square, and never
    exceeds 1. `lpgraph.fit_degree_corrected_block_model` fits it.

    Parameters
    ----------
    B : array_like of shape (K, K)
        Finite entries >= 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> kernel = lp.kernels.PoissonBlockMatrix([[0.5, 0.1], [0.1, 0.3]])
    >>> kernel([[0, 1.0]], [[0, 0.5], [1, 2.0], [0, 20.0]])
    array([[0.22119922, 0.18126925, 0.9999546 ]])
    """

    def _of(self, product: Array) -> Array:
        return -np.expm1(-product)
