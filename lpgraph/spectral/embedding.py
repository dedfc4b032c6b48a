"""From the wanted end of a spectrum to coordinates and the extension that continues them.

The product ``M v`` that measures a pair's residual is used once more: the embedding is ``s M v / l`` rather
than ``s v``. The two agree to the measured residual, and the first *is* the extension of the training rows,
so ``transform(training) == embedding_`` holds to rounding however loose the tolerance. Because the residual
is orthogonal to the vectors, the columns stay orthogonal to the square of the residual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.extension import Extension
from lpgraph.spectral.measure import scale_columns
from lpgraph.spectral.pairs import EigenPairs
from lpgraph.spectral.scree import choose_dimension, is_rule, scree_length

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.spectral.affinity import Affinity
    from lpgraph.spectral.operators import Bipartite

__all__ = ["SpectralEmbedding", "TwoSidedEmbedding", "embed", "embed_two_sided"]


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    """Coordinates of n items from the eigenpairs of their affinity.

    Attributes
    ----------
    coordinates : ndarray of shape (n, d)
        ``|l_k|^power v_k``: ``sqrt|l_k| v_k``, or ``v_k`` where the method does not scale.
    values : ndarray of shape (d,)
        Eigenvalues, in the wanted order.
    residuals : ndarray of shape (d,)
        Their measured relative residuals.
    extension : Extension
        What carries new items into it.
    scree : ndarray of shape (s,)
        All eigenvalues that were looked at to choose d; the d values themselves where d was given.
    """

    coordinates: NDArray[np.float64]
    values: NDArray[np.float64]
    residuals: NDArray[np.float64]
    extension: Extension
    scree: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TwoSidedEmbedding:
    """Coordinates of rows and columns from singular triplets: what a vertex sends, and what it receives.

    Attributes
    ----------
    left, right : ndarray of shape (m, d) and (n, d)
        ``sqrt(s_k) u_k`` and ``sqrt(s_k) v_k``.
    values : ndarray of shape (d,)
        Singular values, decreasing.
    residuals : ndarray of shape (d,)
        Their measured relative residuals.
    extend_left, extend_right : Extension
        From a new row of the matrix to a left position, and from a new column to a right one.
    scree : ndarray of shape (s,)
        All singular values that were looked at.
    solver : str
        The solver that found them.
    """

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    values: NDArray[np.float64]
    residuals: NDArray[np.float64]
    extend_left: Extension
    extend_right: Extension
    scree: NDArray[np.float64]
    solver: str


def _refuse_rank(
    values: NDArray[np.float64], size: int, *, positive: bool = False, argument: str = "n_components"
) -> None:
    """Raise if one of the wanted values is zero to rounding (or not `positive`): nothing extends along it."""
    magnitude = np.abs(values)
    noise = max(size, 100) * np.finfo(float).eps * magnitude.max(initial=0.0)
    rank = int(((values if positive else magnitude) > noise).sum())
    if rank == 0:
        what = "has no positive eigenvalue" if positive and magnitude.any() else "is zero"
        raise ArgumentError(f"The matrix {what}: there is nothing to embed. Pass a graph with an edge.")
    if rank < len(values) and positive:
        raise ArgumentError(
            f"{argument}={len(values)} but only {rank} eigenvalues are positive; pass {argument} <= {rank}."
        )
    if rank < len(values):
        raise ArgumentError(f"{argument}={len(values)} but the matrix has rank {rank}; pass {argument} <= {rank}.")


def _remedies(n_components: object, argument: str) -> str:
    """Return what an estimator's user can change where the eigensolver does not converge."""
    # A rule's eigenvalues are found to a tolerance of their own.
    return f"a larger tol, or {'a number as' if is_rule(n_components) else 'a smaller'} {argument}"


def _find(
    n_components: int | str | Callable[[NDArray[np.float64]], int] | None,
    size: int,
    find: Callable[..., Any],
) -> tuple[Any, NDArray[np.float64]]:
    """Return d pairs and the scree. A rule reads a scree found coarsely, and only its choice is refined."""
    if not is_rule(n_components):
        result = find(n_components)
        return result, result.values
    # The eigenvalues' error is of the order of the square of the residual: 1e-3 gives a scree to six digits.
    coarse = find(scree_length(size), tol=1e-3)
    d = choose_dimension(coarse.values, n_components, size)
    start = coarse.vectors if isinstance(coarse, EigenPairs) else np.vstack([coarse.left, coarse.right])
    return find(d, start=start[:, :d]), coarse.values


def embed(
    affinity: Affinity,
    n_components: int | str | Callable[[NDArray[np.float64]], int] | None,
    *,
    argument: str = "n_components",
    which: str = "LM",
    power: float = 0.5,
    positive: bool = False,
    inverse_of: Callable[[], sparse.csr_array] | None = None,
    solver: str = "auto",
    tol: float = 1e-6,
    random_state: int | np.random.Generator | None = None,
    remedies: str | None = None,
) -> SpectralEmbedding:
    """Embed by the wanted eigenpairs of an affinity, scaled by ``|l|^power``; see `eigenpairs` for the rest.

    `inverse_of` returns the sparse matrix whose lower end the pairs are; see `bottom_pairs`. With `positive`,
    eigenvalues that are not positive are refused, by the name that `argument` gives the number of dimensions. The
    affinity's trivial vector is left out. `remedies` replace a larger tol and fewer dimensions.
    """
    operator = affinity.operator
    size = operator.shape[0]

    def find(k: int, tol: float = tol, start: NDArray[np.float64] | None = None) -> EigenPairs:
        options: dict[str, Any] = {"solver": solver, "tol": tol, "random_state": random_state}
        advice = _remedies(n_components, argument) if remedies is None else remedies
        options |= {"without": affinity.trivial, "start": start, "remedies": advice}
        if inverse_of is not None:
            return bottom_pairs(operator, k, which, inverse_of=inverse_of, **options)
        return eigenpairs(operator, k, which, **options)

    pairs, scree = _find(n_components, size, find)
    _refuse_rank(pairs.values, size, positive=positive, argument=argument)
    ratio = np.abs(pairs.values) ** power / pairs.values
    # Images and vectors become coordinates and basis where they are: nothing else of their size is made.
    coordinates, basis = pairs.images, pairs.vectors
    scale_columns(coordinates, ratio)
    scale_columns(basis, ratio)
    return SpectralEmbedding(coordinates, pairs.values, pairs.residuals, Extension(basis), scree)


def embed_two_sided(
    matrix: Bipartite,
    n_components: int | str | Callable[[NDArray[np.float64]], int] | None,
    *,
    solver: str = "auto",
    tol: float = 1e-6,
    random_state: int | np.random.Generator | None = None,
) -> TwoSidedEmbedding:
    """Embed rows and columns by the largest singular triplets; see `singular_triplets` for the parameters."""
    size = min(matrix.matrix.shape)

    def find(k: int, tol: float = tol, start: NDArray[np.float64] | None = None) -> Any:
        options: dict[str, Any] = {"solver": solver, "tol": tol, "random_state": random_state}
        remedies = _remedies(n_components, "n_components")
        return singular_triplets(matrix, k, start=start, remedies=remedies, **options)

    triplets, scree = _find(n_components, size, find)
    _refuse_rank(triplets.values, size)
    ratio = 1 / np.sqrt(triplets.values)
    return TwoSidedEmbedding(
        left=triplets.left_images * ratio,
        right=triplets.right_images * ratio,
        values=triplets.values,
        residuals=triplets.residuals,
        extend_left=Extension(triplets.right * ratio),
        extend_right=Extension(triplets.left * ratio),
        scree=scree,
        solver=triplets.solver,
    )
