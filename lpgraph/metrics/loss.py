"""Reconstruction loss of spectral embeddings, on training points and held-out points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import check_integer
from lpgraph._html import columns_html
from lpgraph._slices import slices
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.points.rows import in_memory
from lpgraph.spectral.construction import ProductRows
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.operators import Deflated, Gram, Operator
from lpgraph.spectral.pairs import EigenPairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.points.types import Points

    Array = NDArray[np.float64]

__all__ = ["ReconstructionLoss", "reconstruction_loss"]

#: Columns of the kernel matrix formed at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False, repr=False)
class ReconstructionLoss:
    """Mean squared error of a kernel's reconstruction from its first m eigenfunctions, for m = 0, 1, ...

    Attributes
    ----------
    positive : ndarray of shape (n_components + 1,)
        Entry m is the loss with the m largest eigenvalues, which are positive, as in embeddings. Entry 0 is the
        mean squared kernel value.
    magnitude : ndarray of shape (n_components + 1,)
        Entry m is the loss with the m eigenvalues of largest magnitude, of either sign, which minimise the loss on
        the training points. It differs from `positive` if negative eigenvalues are large.
    positive_eigenvalues, magnitude_eigenvalues : ndarray of shape (n_components,)
        The eigenvalues in both orders.
    held_out : bool
        Whether the loss is over pairs of new and training points rather than pairs of training points.
    n_pairs : int
        Number of pairs.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> model = lp.manifold.ClassicalMDS(2).fit(np.random.default_rng(0).standard_normal((40, 2)))
    >>> found = lp.metrics.reconstruction_loss(model)
    >>> bool(found.relative[2] < 1e-12), found.n_pairs  # the data have two dimensions
    (True, 1600)
    """

    positive: NDArray[np.float64]
    magnitude: NDArray[np.float64]
    positive_eigenvalues: NDArray[np.float64]
    magnitude_eigenvalues: NDArray[np.float64]
    held_out: bool
    n_pairs: int

    def __repr__(self) -> str:
        kind = "held-out" if self.held_out else "in-sample"
        last = f"{self.relative[-1]:.3g} of the mean square left by {len(self.positive) - 1} eigenfunctions"
        return f"ReconstructionLoss({last}, {self.n_pairs} {kind} pairs)"

    def _repr_html_(self) -> str:
        columns = enumerate(zip(self.positive, self.magnitude, self.relative, strict=True))
        rows = [(str(m), *(f"{value:.4g}" for value in row)) for m, row in columns]
        title = f"Reconstruction loss of {self.n_pairs:,} {'held-out' if self.held_out else 'in-sample'} pairs"
        return columns_html(title, ("eigenfunctions", "positive", "magnitude", "relative"), rows)

    @property
    def relative(self) -> NDArray[np.float64]:
        """`positive` divided by the mean squared kernel value, comparable between kernels and sizes."""
        return np.asarray(self.positive / self.positive[0])


def reconstruction_loss(
    model: PointsEmbedding, X: ArrayLike | None = None, n_components: int | None = None
) -> ReconstructionLoss:
    r"""Return the reconstruction loss of a fitted embedding of points.

    The loss is the mean over pairs (Bengio et al. 2004, Section 5) of

    .. math:: L(x, x_j) = (K_n(x, x_j) - \sum_k \lambda_k v_k(x) v_k(x_j))^2

    for the first m = 0, ..., n_components eigenvectors :math:`v_k`, extended to new points by Nystrom's formula.
    The trivial eigenvector of a method, if any, is removed from the kernel first.

    Parameters
    ----------
    model : fitted estimator of `lpgraph.manifold`
        The estimator of the kernel K_n; `LocallyLinearEmbedding` needs a finite c.
    X : array-like of shape (m, p) or (m, n), optional
        Held-out points, as for ``model.transform``: the pairs are those of held-out and training points. Default:
        all pairs of training points (of landmarks, if the method has them).
    n_components : int, optional
        Maximum number of eigenfunctions. Default: the number of dimensions of the model.

    Returns
    -------
    ReconstructionLoss
        The curves for both orders of eigenvalues.

    Raises
    ------
    ArgumentError
        If there are fewer than n_components positive eigenvalues, or K_n does not exist (``c=None``).
    ArgumentTypeError
        If `model` is not an embedding of points.

    NotFittedError
        If it is not fitted.

    Notes
    -----
    Since the eigenvectors are orthonormal, the squared error of a row r of the kernel is
    :math:`|r|^2 - \sum_k (r \cdot v_k)^2`. No matrix of all pairs is stored.

    References
    ----------
    Bengio, Y. et al. (2004), "Learning eigenfunctions links spectral embedding and kernel PCA", Neural Computation
    16, Section 5 and Proposition 3. The proposition orders the eigenvalues by value; the optimum is by magnitude.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((200, 3)) * [3, 2, 1]
    >>> model = lp.manifold.ClassicalMDS(2).fit(X)
    >>> loss = lp.metrics.reconstruction_loss(model, n_components=3)
    >>> loss.relative.round(2)  # three dimensions reproduce the kernel
    array([1.  , 0.16, 0.01, 0.  ])
    """
    if not isinstance(model, PointsEmbedding):
        raise ArgumentTypeError(f"model is {a_type(model)}; pass a fitted estimator of lpgraph.manifold.")
    kernel = model.kernel_rows_
    operator, trivial = kernel.operator, kernel.trivial
    size = operator.shape[0]
    most = size - 1
    d = model.embedding_.shape[1] if n_components is None else n_components
    d = check_integer("n_components", d, low=1, high=most, why=f"but only {size} training points")
    if trivial is not None:
        operator = Deflated(operator, trivial)  # now the trivial vector has the eigenvalue 0 and comes last
    remedies = "a model with a larger tol, or a smaller n_components"
    # An inverse finds one end of the spectrum only, and the order by magnitude needs both.
    solver = "auto" if model.solver in ("inverse", "multigrid") else model.solver
    solve = partial(eigenpairs, solver=solver, tol=model.tol, random_state=model.random_state, remedies=remedies)
    algebraic, absolute = solve(operator, d, "LA"), solve(operator, d, "LM")
    noise = size * np.finfo(float).eps * abs(algebraic.values[0])
    positive = int((algebraic.values > noise).sum())
    if positive < d:
        raise ArgumentError(
            f"n_components={d} but only {positive} eigenvalues are positive; pass n_components <= {positive}."
        )
    if X is None:
        total, n_pairs = _squares(operator), size * size
        energies = [pairs.values**2 for pairs in (algebraic, absolute)]
    else:
        new = model.read_new(X)
        if not new.shape[0]:
            raise ArgumentError("X has 0 rows; pass at least one point, or None for the training points.")
        n_pairs = new.shape[0] * size
        total, energies = _held_out(model, new, trivial, (algebraic, absolute))
    curves = [np.maximum(total - np.concatenate([[0.0], np.cumsum(e)]), 0.0) / n_pairs for e in energies]
    return ReconstructionLoss(curves[0], curves[1], algebraic.values, absolute.values, X is not None, n_pairs)


def _squares(operator: Operator) -> float:
    """Return the sum of squares of an operator's entries, computed by blocks of columns."""
    if isinstance(operator, Gram):
        return _row_squares(operator.factor.T @ operator.factor)
    n, total = operator.shape[0], 0.0
    for part in slices(n, _BLOCK):
        total += float(np.square(operator @ np.eye(n, part.stop - part.start, -part.start)).sum())
    return total


def _held_out(
    model: PointsEmbedding, new: Points, trivial: Array | None, orders: tuple[EigenPairs, ...]
) -> tuple[float, list[Array]]:
    """Return ``sum |r|^2`` over the rows r of new points, and ``sum (r . v_k)^2`` for each k in both orders."""
    total, energies = 0.0, [np.zeros(len(pairs)) for pairs in orders]
    kernel = model.kernel_rows_
    for part in slices(new.shape[0], kernel.batch(kernel.operator.shape[0])):
        rows = kernel.kernel_rows(in_memory(new[part]))
        total += _row_squares(rows)
        if trivial is not None:
            total -= float(np.square(rows @ trivial[:, None]).sum())
        for energy, pairs in zip(energies, orders, strict=True):
            energy += np.square(rows @ pairs.vectors).sum(axis=0)
    return total, energies


def _row_squares(rows: object) -> float:
    if isinstance(rows, ProductRows):
        return float(((rows.left @ (rows.right.T @ rows.right)) * rows.left).sum())
    return float(np.square(rows.data if isinstance(rows, sparse.csr_array) else np.asarray(rows)).sum())
