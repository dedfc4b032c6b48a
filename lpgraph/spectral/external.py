"""What a matrix that is not in memory does for the eigensolver: it finds eigenpairs in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.spectral.pairs import EigenPairs

    Array = NDArray[np.float64]

__all__ = ["FindsPairs"]


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

        Returns
        -------
        EigenPairs or None
            None if the matrix is so small that products with blocks in memory serve as well.
        """
