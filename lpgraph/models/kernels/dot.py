"""Dot-type kernels: increasing functions of an inner product."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from lpgraph._checks import check_flag, check_integer, check_real, check_signature
from lpgraph.errors import ArgumentError
from lpgraph.models.kernels.base import BoundedKernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


class _DotKernel(BoundedKernel):
    """An increasing function of the inner product."""

    def _of(self, product: Array) -> Array:
        """Return the kernel as a function of the inner product; the identity here."""
        return product

    def _metric(self, y: Array) -> Array:
        """Apply the matrix of the inner product; the identity here."""
        return y

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        x, y = self._prepare_both(x, y)
        return self._of(x @ self._metric(y).T)

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        return self._of(np.einsum("ij,ij->i", x, self._metric(y)))

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        ends = self._metric(lo_b), self._metric(hi_b)
        lo_b, hi_b = np.minimum(*ends), np.maximum(*ends)
        if lo_a.min(initial=0.0) >= 0 and lo_b.min(initial=0.0) >= 0:
            return self._of(np.einsum("ij,ij->i", lo_a, lo_b)), self._of(np.einsum("ij,ij->i", hi_a, hi_b))
        corners = lo_a * lo_b, lo_a * hi_b, hi_a * lo_b, hi_a * hi_b
        lower = np.minimum(np.minimum(*corners[:2]), np.minimum(*corners[2:])).sum(axis=1)
        upper = np.maximum(np.maximum(*corners[:2]), np.maximum(*corners[2:])).sum(axis=1)
        return self._of(lower), self._of(upper)


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
        p, q = check_integer("p", self.p, low=0), check_integer("q", self.q, low=0)
        if p + q == 0:
            raise ArgumentError("p=0 and q=0; pass p + q >= 1.")
        if self.signs is not None and sorted(self.signs) != [-1] * q + [1] * p:
            raise ArgumentError(f"signs={self.signs} but p={p} and q={q}; pass {p} signs 1 and {q} signs -1.")

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
        p, q = int((signs > 0).sum()), int((signs < 0).sum())
        in_order = bool((np.diff(signs) <= 0).all())
        return cls(p, q, signs=None if in_order else tuple(signs.tolist()))

    def prepare(self, positions: ArrayLike, name: str = "positions") -> Array:
        """Return `positions` as a checked array."""
        array = super().prepare(positions, name)
        if array.shape[1] != self.p + self.q:
            raise ArgumentError(
                f"{name} has {array.shape[1]} columns but the signature is ({self.p}, {self.q}); "
                f"pass p + q = {array.shape[1]}."
            )
        return array

    def _metric(self, y: Array) -> Array:
        signs = np.repeat([1.0, -1.0], [self.p, self.q]) if self.signs is None else np.array(self.signs, float)
        return np.asarray(y * signs)


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
        columns = 2 * width if self.two_sided else width
        if array.shape[1] != columns:
            raise ArgumentError(
                f"{name} has {array.shape[1]} columns but the signature is ({self.p}, {self.q}); pass {columns} "
                "columns, the last one of each side >= 0."
            )
        if array[:, width - 1 :: width].min(initial=0.0) < 0:
            i = int(np.argwhere(array[:, width - 1 :: width] < 0)[0, 0])
            raise ArgumentError(f"{name}[{i}] has a negative last column; pass numbers >= 0 there.")
        return array

    def _split(self, rows: Array, *, target: bool = False) -> tuple[Array, Array]:
        """Return the positions and the last column of one side."""
        width = self.p + self.q + 1
        side = rows[:, width:] if target and self.two_sided else rows[:, :width]
        return side[:, :-1], side[:, -1]

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        (x, f), (y, g) = self._split(self.prepare(x, "x")), self._split(self.prepare(y, "y"), target=True)
        values = x @ self._metric(y).T
        np.maximum(values, f[:, None] * g, out=values)
        return np.minimum(values, self.high, out=values)

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        (x, f), (y, g) = self._split(x), self._split(y, target=True)
        return np.minimum(np.maximum(super().pairs(x, y), f * g), self.high)

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        (lo_a, lo_f), (hi_a, hi_f) = self._split(lo_a), self._split(hi_a)
        (lo_b, lo_g), (hi_b, hi_g) = self._split(lo_b, target=True), self._split(hi_b, target=True)
        lower, upper = super().bounds(lo_a, hi_a, lo_b, hi_b)
        lower, upper = np.maximum(lower, lo_f * lo_g), np.maximum(upper, hi_f * hi_g)
        return np.minimum(lower, self.high), np.minimum(upper, self.high)


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
            return np.asarray(np.maximum(1.0 - product, 0.0) ** -self.alpha, dtype=np.float64)
