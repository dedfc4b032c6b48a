"""Eigenpairs at the lower end of a sparse positive semi-definite matrix, by an inverse of it if that is faster.

The smallest eigenvalues of such a matrix lie close together compared with its norm, so that Lanczos's method on
the matrix itself needs many steps. The inverse of the shifted matrix has the same eigenvectors, with the wanted
eigenvalues largest and far apart. It needs a sparse factorisation, whose memory grows quickly with the graph's
dimension and size. For large Laplacians an approximate inverse by multigrid does as well, in linear time and
memory.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from lpgraph._checks import check_choice, check_integer
from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.spectral.by_multigrid import multigrid_pairs
from lpgraph.spectral.eigen import REMEDIES, SOLVERS, Options, converged, dense_pays, eigenpairs
from lpgraph.spectral.inverse import Inverse, RootInverse, expected_fill
from lpgraph.spectral.operators import as_operator
from lpgraph.spectral.pairs import EigenPairs

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.spectral.operators import Operator

__all__ = ["bottom_pairs"]

#: The first shift, relative to the mean of the diagonal. "SA" needs the smaller one: wanted eigenvalues may be as
#: small as 1e-10 of the mean. With "LA" residuals are relative to values near 1, and 1e-10 changes nothing.
_SHIFT = {"SA": 1e-12, "LA": 1e-10}

#: The shift after a failure: more eigenvalues that are 0 made the inverse so large that rounding hid wanted ones,
#: or the factorisation found the matrix singular.
_LARGER_SHIFT = 1e-8

#: Restarts with the first shift; a run that converges at all needs far fewer.
_FIRST_RESTARTS = 100

#: Entries of a triangular factor, 12 bytes each, beyond which "auto" does not factorise for "SA".
_MOST_ENTRIES = 500_000_000

#: From so many points on, "auto" uses multigrid for a Laplacian.
_LARGE = 20_000

#: But if the factor's rows would have more entries than this, the space has more than two dimensions and the gaps
#: may be large. Then Lanczos's method is first, and goes on if it seems to need at most so many restarts.
_WIDE = 200
_SOON = 24

#: Up to so many entries in a row of the factor, "auto" factorises for "LA". Measured: at 3000 points in space (68
#: entries) both solvers took equally long; on surfaces (40 entries at 10^5 points) the inverse was 5 times faster,
#: in space at 30 000 points (230 entries) 5 times slower.
_MOST_FILL = 64


def bottom_pairs(
    operator: Operator,
    k: int,
    which: str = "SA",
    *,
    inverse_of: sparse.csr_array | Callable[[], sparse.csr_array] | None = None,
    root: Callable[[], sparse.csr_array] | None = None,
    smooth: NDArray[np.float64] | None = None,
    without: NDArray[np.float64] | None = None,
    solver: str = "auto",
    tol: float = 1e-6,
    max_restarts: int = 1000,
    origin: float | None = None,
    **options: Unpack[Options],
) -> EigenPairs:
    """Find the `k` eigenpairs of an operator that belong to the smallest eigenvalues of a sparse matrix.

    Parameters
    ----------
    operator : sparse matrix or array, ndarray, or Operator
        The symmetric operator whose pairs are returned, and by which residuals are measured.
    k : int
        Number of pairs.
    which : {"SA", "LA"}, default "SA"
        The end of the operator's spectrum: "SA" if the operator is the positive semi-definite matrix itself,
        "LA" if it decreases with the matrix, such as ``K`` where the matrix is :math:`I - K`.
    inverse_of : csr_array, or function that returns one, optional
        The positive semi-definite matrix, which has the operator's eigenvectors. A function is called only if the
        matrix is needed.
    root : function, optional
        Returns a square matrix B, not symmetric, with ``B.T B`` equal to that matrix and `without`, which then has
        no zeros, as its null vector. Its factors have fewer entries and are used instead, unless it has other null
        vectors.
    smooth : ndarray of shape (n,), optional
        A vector without zeros whose image by that matrix is small, such as the eigenvector of a Laplacian's
        eigenvalue 0; with it and `origin`, multigrid can be used.
    solver : {"auto", "lapack", "lanczos", "inverse", "multigrid"}, default "auto"
        "lapack" and "lanczos" work on the operator; see `eigenpairs`. "inverse" is Lanczos's method on the
        factorised matrix, "multigrid" Davidson's method with multigrid cycles, or LAPACK for small n. "auto" takes
        LAPACK for small n, multigrid from 20 000 rows on (unless the graph has more than two dimensions and
        Lanczos's method converges soon), else the inverse. It takes Lanczos's method on the operator without
        `inverse_of`, if the factorisation fails, or if the factors are expected to be large: for "LA", where it
        converges faster, more than 64 entries in a row, for "SA" more than 5e8 in all.
    tol, max_restarts, without, origin, **options
        As in `eigenpairs`: also start, random_state and remedies.

    Returns
    -------
    EigenPairs
        Pairs of `operator`, with the `solver` that found them.

    Raises
    ------
    ArgumentError, GraphError
        As `eigenpairs` does; ArgumentError also for "inverse" and "multigrid" without what they need.
    ConvergenceError
        If a residual is above `tol`; with "inverse" if the matrix cannot be factorised, with "multigrid" if it
        cannot be made smaller.

    Examples
    --------
    >>> from scipy import sparse
    >>> from lpgraph.spectral.bottom import bottom_pairs
    >>> path = sparse.diags_array([1.0] + [2.0] * 1998 + [1.0]) - sparse.eye_array(2000, k=1)
    >>> laplacian = sparse.csr_array(path - sparse.eye_array(2000, k=-1))
    >>> pairs = bottom_pairs(laplacian, 2, inverse_of=laplacian)
    >>> print(pairs.solver, pairs.values.round(8))
    inverse [0.00e+00 2.47e-06]
    """
    operator = as_operator(operator)
    n = operator.shape[0]
    k = check_integer("k", k, low=1, high=n, why=f"but the operator has only {n} rows")
    check_choice("which", which, tuple(_SHIFT))
    check_choice("solver", solver, (*SOLVERS, "inverse", "multigrid"))
    find = partial(eigenpairs, operator, k, which, tol=tol, without=without, **options)
    find = partial(find, max_restarts=max_restarts, origin=origin)
    if solver in ("lapack", "lanczos") or (solver == "auto" and (inverse_of is None or dense_pays(n, k))):
        return find(solver=solver)
    if inverse_of is None or (solver == "multigrid" and (smooth is None or origin is None)):
        what = "Laplacian" if solver == "multigrid" else "matrix to factorise"
        raise ArgumentError(f"solver={solver!r} but there is no sparse {what}; pass 'auto'.")
    if root is not None and without is not None and solver in ("auto", "inverse"):
        pairs = _by_root(find, root(), without, min(max_restarts, _FIRST_RESTARTS), solver)
        if pairs is not None:
            return pairs
    matrix = inverse_of() if callable(inverse_of) else inverse_of
    if solver == "multigrid" and dense_pays(n, k):
        return find(solver="lapack")
    mean = float(matrix.diagonal().mean())
    large = solver == "auto" and which == "SA" and n * n > 2 * _MOST_ENTRIES
    if large and expected_fill(matrix, _SHIFT[which] * mean) * n > _MOST_ENTRIES:
        # Lanczos's method needs thousands of products there, but no memory.
        return find(solver="lanczos")
    if solver == "inverse" or (solver == "auto" and which == "SA"):
        return _by_inverse(find, matrix, mean, which, max_restarts, solver)
    fill = expected_fill(matrix, _SHIFT[which] * mean) if solver == "auto" else 0.0
    if smooth is None or origin is None or (solver == "auto" and n < _LARGE):
        if fill <= _MOST_FILL:
            return _by_inverse(find, matrix, mean, which, max_restarts, solver)
        return find(solver="lanczos")
    seed, start = options.get("random_state"), options.get("start")
    grid = partial(multigrid_pairs, operator, matrix, smooth, k, which, tol=tol, origin=origin)
    grid = partial(grid, without=without, random_state=seed)
    if solver == "multigrid":
        pairs = grid(start=start)
        if pairs is None:
            raise ConvergenceError("The matrix has no smaller ones for multigrid; pass solver='auto'.")
        return converged(pairs, tol, options.get("remedies", REMEDIES))
    return _by_multigrid(find, grid, start, tol, min(max_restarts, _SOON) if fill > _WIDE else 0)


def _by_root(
    find: Callable[..., EigenPairs],
    root: sparse.csr_array,
    without: NDArray[np.float64],
    restarts: int,
    solver: str,
) -> EigenPairs | None:
    """Find pairs by Lanczos's method with the factors of a root; None if that fails, or they would be large."""
    n = root.shape[0]
    # The shift makes the parts regular; the fill-in does not depend on it.
    if solver == "auto" and n * n > 2 * _MOST_ENTRIES and expected_fill(root, 1.0) * n > _MOST_ENTRIES:
        return None
    try:
        with blas_alone():
            pairs = find(solver="lanczos", transformed=RootInverse(root, without), max_restarts=restarts)
            return replace(pairs, solver="inverse")
    except ConvergenceError:
        return None


def _by_multigrid(
    find: Callable[..., EigenPairs],
    grid: Callable[..., EigenPairs | None],
    start: NDArray[np.float64] | None,
    tol: float,
    first: int,
) -> EigenPairs:
    """Find pairs by multigrid, unless Lanczos's method needs at most `first` restarts, or multigrid fails."""
    if first:
        try:
            return find(solver="lanczos", max_restarts=first, early=True)
        except ConvergenceError as error:
            # Its traceback would keep the basis in memory.
            found = error.with_traceback(None).result
        start = found.vectors if isinstance(found, EigenPairs) else start
    pairs = grid(start=start)
    if pairs is not None and pairs.residuals.max() <= tol:
        return pairs
    return find(solver="lanczos", start=start)


def _by_inverse(
    find: Callable[..., EigenPairs],
    matrix: sparse.csr_array,
    mean: float,
    which: str,
    max_restarts: int,
    solver: str,
) -> EigenPairs:
    """Find pairs by Lanczos's method on the factorised matrix; with "auto", on the operator if that fails."""
    tries = (_SHIFT[which] * mean, min(max_restarts, _FIRST_RESTARTS)), (_LARGER_SHIFT * mean, max_restarts)
    with blas_alone():
        for shift, restarts in tries:
            try:
                pairs = find(solver="lanczos", transformed=Inverse(matrix, shift), max_restarts=restarts)
                return replace(pairs, solver="inverse")
            except ConvergenceError as error:
                # Its traceback would keep the first factors in memory while the second are made.
                failure, found = error.with_traceback(None), error.result
            if isinstance(found, EigenPairs):
                find = partial(find, start=found.vectors)
    if found is None and solver == "auto":
        return find(solver="lanczos")
    raise failure
