"""Eigenpairs of the smallest eigenvalues of a sparse Laplacian by Davidson's method with multigrid cycles."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lpgraph._checks import check_generator
from lpgraph._threads import blas_alone
from lpgraph.spectral.davidson import davidson
from lpgraph.spectral.measure import measured
from lpgraph.spectral.multigrid import Multigrid
from lpgraph.spectral.operators import Matrix
from lpgraph.spectral.order import relative_scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.pairs import EigenPairs

    Array = NDArray[np.float64]

__all__ = ["multigrid_pairs"]

#: Steps that are taken at most; twenty are usual.
_STEPS = 100

#: Share of the tolerance left for what the operator's products differ from the matrix's by rounding.
_INNER = 0.8


def multigrid_pairs(
    operator: SymmetricOperator,
    matrix: sparse.csr_array,
    smooth: Array,
    k: int,
    which: str,
    *,
    tol: float,
    origin: float,
    without: Array | None = None,
    start: Array | None = None,
    random_state: int | np.random.Generator | None = None,
) -> EigenPairs | None:
    """Return the pairs of an operator that belong to the smallest eigenvalues of a matrix, converged or not.

    Parameters
    ----------
    operator : SymmetricOperator
        ``origin I - A`` or A: its pairs are returned, and its residuals measured.
    matrix : csr_array of shape (n, n)
        A, positive semi-definite, its diagonal positive.
    smooth : ndarray of shape (n,)
        A vector without zeros whose image by A is small.
    k, which, tol, without, random_state
        As in `lpgraph.spectral.eigen.eigenpairs`.
    origin : float
        The operator's eigenvalue where A's is 0; residuals are relative to the distance from it.
    start : ndarray of shape (n, s), optional
        Vectors near the wanted ones.

    Returns
    -------
    EigenPairs or None
        None if no smaller matrices were found for the cycles.
    """
    rng = check_generator(0 if random_state is None else random_state)
    # A last bit that depends on the number of threads would be enlarged by the iteration.
    with blas_alone():
        cycle = Multigrid.of(matrix, smooth, rng)
        if cycle is None:
            return None
        norm = max(1.0, abs(origin))
        first = cycle.smoothest(k + 2) if start is None else start
        scale = partial(relative_scale, norm=norm, origin=0.0)
        run = davidson(
            Matrix(matrix), cycle, first, k, _INNER * tol, scale, without=without, max_steps=_STEPS, rng=rng
        )
        return measured(operator, run.vectors, which, norm, "multigrid", run.steps, run.products, origin)
