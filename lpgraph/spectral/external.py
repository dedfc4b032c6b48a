"""What a matrix that is not in memory does for the eigensolver: it finds eigenpairs in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.linalg.external import ExternalMatrix
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.pairs import EigenPairs

    Array = NDArray[np.float64]

__all__ = ["FindsPairs", "pairs_elsewhere"]


@runtime_checkable
class FindsPairs(Protocol):
    """A matrix with an eigensolver of its own; an `lpgraph.linalg.external.ExternalMatrix` may be one."""

    def pairs(
        self,
        scales: tuple[Array, Array] | None,
        k: int,
        which: str,
        *,
        two_sided: bool,
        tol: float,
        max_restarts: int,
        rng: np.random.Generator,
        start: Array | None = None,
        known: tuple[Array, Array] | None = None,
        resumable: bool = True,
    ) -> EigenPairs | None:
        """Return eigenpairs of ``diag(s) A diag(s)``, or of ``[[0, M], [M.T, 0]]`` with ``M = diag(s) A diag(t)``.

        Parameters
        ----------
        scales : tuple of ndarray or None
            s and t; None if all are 1.
        k, which, tol, max_restarts, rng
            As in `lpgraph.spectral.eigen.eigenpairs`.
        two_sided : bool
            Whether the second matrix is meant.
        start : ndarray of shape (n, s), optional
            Vectors to begin with; as many of them as fit in a block of the search.
        known : tuple of ndarray, optional
            Orthonormal eigenvectors and values found before, the best of the wanted ones: the search begins with
            them in its basis, from random directions orthogonal to them. Not with `start`.
        resumable : bool
            Whether the search goes on from a checkpoint if there is one; not if it is part of a longer
            computation.

        Returns
        -------
        EigenPairs or None
            None if the matrix is so small that products with blocks in memory serve as well.
        """

    def forms(
        self,
        squares: ExternalMatrix,
        scales: tuple[Array, Array] | None,
        vectors: Array,
        *,
        two_sided: bool,
        power: int,
        single: bool,
    ) -> tuple[Array, Array]:
        """Return ``x' M x`` and ``x^p' S x^p`` for each column x, in one reading of the edges.

        Parameters
        ----------
        squares : ExternalMatrix
            Of the same network. S is its matrix with the squares of the scales.
        scales, two_sided
            As of `pairs`, for M.
        vectors : ndarray of shape (n, k)
            The columns; (2 n, k) if `two_sided`.
        power : int
            p; powers are entrywise.
        single : bool
            Whether columns are rounded to single precision before they are multiplied.

        Returns
        -------
        tuple of ndarray of shape (k,)
            The forms of M, and of S.
        """


def pairs_elsewhere(
    operator: SymmetricOperator,
    k: int,
    which: str,
    *,
    tol: float,
    max_restarts: int,
    rng: np.random.Generator,
    start: Array | None = None,
    known: tuple[Array, Array] | None = None,
    resumable: bool = True,
) -> EigenPairs | None:
    """Return the pairs of a matrix that is not in memory, converged or not; None if it is, or is small.

    Parameters
    ----------
    operator : SymmetricOperator
        With or without such a matrix inside.
    k, which, tol, max_restarts, rng, start, known, resumable
        As in `FindsPairs.pairs`.
    """
    inside = operator.external
    if inside is None or not isinstance(inside.matrix, FindsPairs):
        return None
    return inside.matrix.pairs(
        inside.scales,
        k,
        which,
        two_sided=inside.two_sided,
        tol=tol,
        max_restarts=max_restarts,
        rng=rng,
        start=start,
        known=known,
        resumable=resumable,
    )
