"""Extension of embeddings to new items: by kernel rows (Nystrom), and harmonic, of bottom vectors.

No estimator is needed to place new items, and scikit-learn is not imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_finite_array, is_array
from lpgraph._utils.compiled import slices
from lpgraph.errors import ArgumentError, ConvergenceError, GraphError
from lpgraph.linalg.dense_rows import rowwise_product

from .construction import NewRows
from .operators import as_symmetric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lpgraph._utils.checks import Numbers
    from lpgraph._utils.types import Array

    from .construction import Items, Rows

#: Numbers of dense new items that are placed at a time: 64 MB.
_NUMBERS = 1 << 23


@dataclass(frozen=True, eq=False)
class Extension:
    r"""Nystrom's formula, which places new items in an embedding (Bengio et al. 2004).

    .. math:: y_k(x) = \frac{s_k}{\lambda_k} \sum_i v_{ik} K(x, x_i)

    where :math:`s_k v_k` is the embedding's k-th column. For the adjacency spectral embedding
    (:math:`s_k = \sqrt{|\lambda_k|}`, :math:`K(x, x_i)` the new vertex's edge to i) and :math:`\lambda_k > 0` this
    is the least-squares rule :math:`T_n(X) = Z^+ \xi` of Tang, Park & Priebe (2013), Eq. (4), for
    :math:`Z^+ = S^{-1/2} U^T`. Where :math:`\lambda_k < 0` it keeps the sign that the literal pseudo-inverse
    loses.

    Attributes
    ----------
    basis : ndarray of shape (n, d)
        :math:`v_k s_k / \lambda_k`: the columns that rows of the kernel are multiplied by.
    zero : tuple of int
        The columns with :math:`\lambda_k = 0`, which cannot be extended.
    """

    basis: Array
    zero: tuple[int, ...] = ()

    def __call__(self, rows: Rows) -> Array:
        """Return the (m, d) positions of m new items from their (m, n) kernel rows, dense or sparse."""
        if self.zero:
            least = min(self.zero)
            remedy = f"at most {least} dimensions" if least else "other neighbors or edges"
            raise ArgumentError(
                f"Eigenvalue {least + 1} of {self.basis.shape[1]} is 0, so that Nystrom's formula cannot "
                f"place new items. Fit with {remedy}."
            )
        return rowwise_product(rows, self.basis) if is_array(rows) else rows @ self.basis

    def turned(self, turn: Array) -> Extension:
        """Return the extension whose positions are multiplied by a matrix."""
        return replace(self, basis=self.basis @ turn)


@dataclass(frozen=True, eq=False)
class Placement:
    """The part of a fitted embedding that places new items; it can be loaded separately from a saved model.

    Attributes
    ----------
    new_rows : NewRows
        Kernel rows of new items.
    extensions : mapping of str to Extension
        By side: "out", and "in" for a directed network.
    prefix : str
        First part of the names of the coordinates.
    """

    new_rows: NewRows
    extensions: Mapping[str, Extension]
    prefix: str

    @property
    def columns(self) -> list[str]:
        """Names of the coordinates."""
        return [f"{self.prefix}{k}" for k in range(self.extensions["out"].basis.shape[1])]

    def __call__(self, new: Numbers | sparse.csr_array, side: str = "out") -> Array:
        """Return the (m, d) positions of m new items; raise ArgumentError if one is not finite.

        The position of an item is the same, bit for bit, alone, in any batch, and with any number of threads.
        """
        extension = self.extensions[side]
        if self.new_rows.plain:
            return extension(_in_doubles(new))
        result = np.empty((new.shape[0], extension.basis.shape[1]))
        step = self.new_rows.batch(len(extension.basis))
        step = min(step, _NUMBERS // max(1, new.shape[1])) if is_array(new) else step
        for part in slices(new.shape[0], step):
            # A slice of a sparse array is a copy.
            some = _in_doubles(new if part.stop - part.start == new.shape[0] else new[part])
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                rows = self.new_rows(some, side)
                if isinstance(rows, sparse.csr_array) and not rows.has_sorted_indices:
                    # Sums are taken in the order of the entries, which may depend on the other rows.
                    rows = rows.sorted_indices()
                result[part] = self.new_rows.finish(extension(rows), some)
        if not np.isfinite(result).all():
            i = int(np.argmin(np.isfinite(result).all(axis=1)))
            raise ArgumentError(
                f"New item {i} has no finite position, because its values or those of the model are too large; "
                "pass items of the magnitude of the training items."
            )
        return result


def _in_doubles(new: Numbers | sparse.csr_array) -> Items:
    """Return items as they are if they are sparse, else in double precision; points may be of another type."""
    return np.asarray(new, dtype=np.float64) if is_array(new) else new


def extend_bottom(matrix: object, known: ArrayLike, vectors: ArrayLike) -> Array:
    """Extend vectors from known items to all items harmonically, as bottom eigenvectors of a matrix extend.

    With the items split into known ones (m) and unknown ones (u), ``V_u = -inv(K_uu) K_um V_m`` minimises
    ``trace(V.T K V)`` over the unknown rows, with the known ones fixed. Vectors of the *smallest* eigenvalues of a
    positive semi-definite K extend like this: a Laplacian, or the :math:`(I - W)^T (I - W)` of locally linear
    embedding. The top ones extend by Nystrom's formula (`Extension`), which is the same minimisation with the
    inverse of K in place of K.

    Parameters
    ----------
    matrix : sparse matrix or array, or ndarray, of shape (n, n)
        K, symmetric and positive semi-definite.
    known : array-like of int, shape (m,)
        The known items, each once. The rows of `vectors` are in their order.
    vectors : array-like of shape (m, q)
        V_m. The identity gives the linear map itself, whose rows sum to 1 where ``K 1 = 0``.

    Returns
    -------
    ndarray of shape (n, q)
        V, the known rows as they were given.

    Raises
    ------
    ArgumentError
        If `known` does not name m different items, or `vectors` has another number of rows.
    GraphError
        If K is not square and symmetric, or some unknown items are not tied to any known one (K_uu singular).

    References
    ----------
    Williams, C. K. I. (2006), "On the extension of eigenvectors to new datapoints", Eq. (9) with K in the place
    of its inverse. Weinberger, K., Packer, B. & Saul, L. (2005), "Nonlinear dimensionality reduction by
    semidefinite programming and kernel matrix factorization", AISTATS 10, Eq. (11), where the sign is missing.

    Examples
    --------
    On a path the harmonic continuation is linear interpolation:

    >>> import numpy as np
    >>> import lpgraph as lp
    >>> path = np.array([[1.0, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]])
    >>> lp.extend_bottom(path, [0, 3], [[0.0], [6.0]]).ravel()
    array([0., 2., 4., 6.])
    """
    from .shift_invert import factorised

    K = sparse.csr_array(as_symmetric(matrix))
    n, fixed = K.shape[0], np.asarray(known)
    free = np.arange(n)
    if fixed.ndim == 1 and fixed.dtype.kind in "iu":
        free = np.setdiff1d(free, fixed)
    if not len(fixed) or len(free) != n - fixed.size:
        raise ArgumentError(
            f"known={known!r:.80}; pass the indices of at least one item, from 0 to {n - 1}, each once."
        )
    given = check_finite_array("vectors", vectors, ndim=2)
    if len(given) != len(fixed):
        raise ArgumentError(
            f"vectors has {len(given)} rows but known has {len(fixed)} items; pass one row for each."
        )
    result = np.empty((n, given.shape[1]))
    result[fixed] = given
    if not len(free):
        return result
    lower = K[free]
    inner, pull = lower[:, free], lower[:, fixed] @ given
    try:
        factors = factorised(inner)
        # A random right side is amplified by nearly the norm of the inverse: an estimate of the condition number.
        probe = factors.solve(np.random.default_rng(0).standard_normal(len(free)))
        condition = float(np.abs(probe).max()) * abs(inner).max()
    except ConvergenceError:  # the matrix is exactly singular
        condition = np.inf
    if not condition < 1e13:
        raise GraphError(
            "Some unknown items are not tied to any known one, so that nothing says where they are; "
            "add one of each connected component to known."
        )
    solved = factors.solve(pull)
    # One step of iterative refinement recovers the digits that diagonal pivots may have lost.
    solved += factors.solve(pull - inner @ solved)
    result[free] = -solved
    return result
