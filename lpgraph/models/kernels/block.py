"""Block kernels: a matrix B indexed by labels, memberships or (label, weight) pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array
from lpgraph.errors import ArgumentError, ProbabilityError
from lpgraph.models.kernels.base import BoundedKernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def _check_labels(name: str, labels: Array, n_blocks: int) -> None:
    wrong = (labels != np.floor(labels)) | (labels < 0) | (labels >= n_blocks)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ArgumentError(
            f"{name}[{i}] is label {labels[i]:g} but B is {n_blocks} x {n_blocks}; pass integer labels in "
            f"0 ... {n_blocks - 1}."
        )


def _label_bounds(B: Array, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
    """Bound B over ranges of labels: by an entry for two single labels, by a row or column for one, else by B."""
    a, b = lo_a.astype(np.intp), lo_b.astype(np.intp)
    one_a, one_b = lo_a == hi_a, lo_b == hi_b
    both = B[a, b]

    def widen(row: Array, column: Array, whole: float) -> Array:
        wide = np.where(one_a, row[a], np.where(one_b, column[b], whole))
        return np.where(one_a & one_b, both, wide)

    lower = widen(B.min(axis=1), B.min(axis=0), float(B.min()))
    return lower, widen(B.max(axis=1), B.max(axis=0), float(B.max()))


@dataclass(frozen=True, eq=False)
class _BlockKernel(BoundedKernel):
    """Base class of block kernels, with a read-only matrix B."""

    B: ArrayLike
    matrix: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        matrix = np.array(check_finite_array("B", self.B, ndim=2))
        if matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise ArgumentError(f"B has shape {matrix.shape}; pass a square matrix, one row per block.")
        if matrix.min() < 0:
            a, b = (int(i) for i in np.argwhere(matrix < 0)[0])
            raise ProbabilityError(f"B[{a}, {b}] is {matrix[a, b]:g}; pass entries >= 0.")
        matrix.setflags(write=False)
        object.__setattr__(self, "B", matrix)
        object.__setattr__(self, "matrix", matrix)

    @property
    def symmetric(self) -> bool:
        """Whether B is symmetric."""
        return bool(np.array_equal(self.matrix, self.matrix.T))


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
            _check_labels(name, array[:, 0], n_blocks)
        elif array.shape[1] != n_blocks:
            raise ArgumentError(
                f"{name} has {array.shape[1]} columns but B is {n_blocks} x {n_blocks}; pass labels (one column) "
                f"or memberships ({n_blocks} columns)."
            )
        elif array.min(initial=0.0) < 0:
            i, k = (int(i) for i in np.argwhere(array < 0)[0])
            raise ArgumentError(f"{name}[{i}, {k}] is {array[i, k]:g}; pass memberships >= 0.")
        return array

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        x, y = self._prepare_both(x, y)
        if x.shape[1] == 1:
            return self.matrix[x[:, 0].astype(np.intp)[:, None], y[:, 0].astype(np.intp)]
        return np.asarray(x @ self.matrix @ y.T)

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        if x.shape[1] == 1:
            return self.matrix[x[:, 0].astype(np.intp), y[:, 0].astype(np.intp)]
        return np.asarray(np.einsum("ij,ij->i", x @ self.matrix, y))

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        if lo_a.shape[1] == 1:
            return _label_bounds(self.matrix, lo_a[:, 0], hi_a[:, 0], lo_b[:, 0], hi_b[:, 0])
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
            raise ArgumentError(
                f"{name} has {array.shape[1]} columns; pass the columns (label, weight), or (label, out-weight, "
                "in-weight)."
            )
        _check_labels(name, array[:, 0], len(self.matrix))
        if array[:, 1:].min(initial=0.0) < 0:
            i, k = (int(i) for i in np.argwhere(array[:, 1:] < 0)[0])
            raise ArgumentError(f"{name}[{i}] has weight {array[i, 1 + k]:g}; pass weights >= 0.")
        return array

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        x, y = self._prepare_both(x, y)
        blocks = self.matrix[x[:, 0].astype(np.intp)[:, None], y[:, 0].astype(np.intp)]
        return self._of(x[:, 1:2] * blocks * y[:, -1])

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        blocks = self.matrix[x[:, 0].astype(np.intp), y[:, 0].astype(np.intp)]
        return self._of(x[:, 1] * blocks * y[:, -1])

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        lower, upper = _label_bounds(self.matrix, lo_a[:, 0], hi_a[:, 0], lo_b[:, 0], hi_b[:, 0])
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
        return np.asarray(-np.expm1(-product))
