"""The one door to eigenpairs and singular triplets: check, choose a solver, measure what came out.

A solver's own word on convergence is never taken. `eigenpairs` multiplies the vectors it found once more by
the operator and reports ``norm(M v - l v)``; that product is not wasted, for it is also the embedding's (see
`lpgraph.spectral.embedding`).
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

from lpgraph._checks import check_choice, check_generator, check_integer, check_real
from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.linalg.basis import single_pays
from lpgraph.spectral.filtered import lanczos
from lpgraph.spectral.measure import measured
from lpgraph.spectral.operators import Bipartite, Deflated, Operator, as_matrix, as_operator
from lpgraph.spectral.order import END_NAMES, wanted
from lpgraph.spectral.pairs import EigenPairs, SingularTriplets

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["eigenpairs", "singular_triplets"]

#: Up to this size LAPACK on the dense matrix is both the fastest and the most exact solver.
DENSE_SIZE = 600

#: Down to this tolerance the basis is first kept in single precision, if that pays.
SINGLE_TOL = 3e-7

#: From so many pairs on the matrices of the iteration are large enough for BLAS to wake its threads.
_LARGE = 30

SOLVERS = ("auto", "lapack", "lanczos")


def _dense(operator: Operator, without: NDArray[np.float64] | None) -> tuple[Any, Any]:
    """Return all eigenpairs by LAPACK, or those in the orthogonal complement of the unit vector `without`."""
    n = operator.shape[0]
    matrix = operator @ np.eye(n)
    if without is None:
        return scipy.linalg.eigh(matrix, driver="evd")
    # A Householder reflection takes the unwanted vector to an axis; the other axes span its complement.
    normal = without.copy()
    normal[0] += np.copysign(1.0, without[0])
    normal /= np.linalg.norm(normal)
    matrix -= 2 * np.outer(normal, normal @ matrix)
    matrix -= 2 * np.outer(matrix @ normal, normal)
    values, inner = scipy.linalg.eigh(matrix[1:, 1:], driver="evd")
    vectors = np.vstack([np.zeros(n - 1), inner])
    vectors -= 2 * np.outer(normal, normal @ vectors)
    return values, vectors


def _orthogonal_to(vector: NDArray[np.float64], block: NDArray[Any]) -> NDArray[np.float64]:
    """Return an orthonormal basis of what is left of the block without the given unit vector."""
    block = block.astype(np.float64, copy=False)
    for _ in range(2):
        block = np.linalg.qr(block - np.multiply.outer(vector, vector @ block))[0]
    return block


def _norm(operator: Operator, rng: np.random.Generator) -> float:
    """Return the operator's norm within some percent, from below, by twenty steps of the power method."""
    vector, norm = rng.standard_normal((operator.shape[0], 1)), 0.0
    for _ in range(20):
        vector = operator @ (vector / max(float(np.linalg.norm(vector)), np.finfo(float).tiny))
        norm = float(np.linalg.norm(vector))
    return norm


def eigenpairs(
    operator: Any,
    k: int,
    which: str = "LM",
    *,
    solver: str = "auto",
    tol: float = 1e-6,
    max_restarts: int = 1000,
    start: NDArray[np.float64] | None = None,
    random_state: int | np.random.Generator | None = None,
    without: NDArray[np.float64] | None = None,
    transformed: Operator | None = None,
) -> EigenPairs:
    """Find the `k` wanted eigenpairs of a symmetric operator, with their multiplicity.

    Parameters
    ----------
    operator : sparse matrix or array, ndarray, or Operator
        Symmetric, n x n; or any object with ``.shape`` and a product ``operator @ block``.
    k : int
        Number of pairs, 1 <= k <= n.
    which : {"LM", "LA", "SA"}, default "LM"
        Which end of the spectrum: largest magnitude, largest (algebraic), smallest (algebraic).
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        "lapack" makes the operator dense. "lanczos" is thick-restart block Lanczos with full
        reorthogonalisation. "auto" takes LAPACK up to n = 600, or when k is a large part of n.
    tol : float, default 1e-6
        Bound on every *measured* relative residual; see `EigenPairs`. The eigenvalue error is of the order of
        its square.
    max_restarts : int, default 1000
        Restarts of the iterative solver before it gives up.
    start : ndarray of shape (n, s), optional
        Vectors to begin with, such as eigenvectors of a nearby operator; random ones if absent.
    random_state : int, Generator or None
        Seed of the starting vectors. None is a *fixed* seed: the same operator always gives the same pairs.
    without : ndarray of shape (n,), optional
        A unit eigenvector known beforehand and not wanted, such as the constant one; ``which="LA"`` only. The
        vectors found are orthogonal to it to rounding.
    transformed : Operator, optional
        Another operator of the same eigenvectors, the wanted ones at its upper end and well separated there,
        such as an inverse; ``which="LA"`` only. The iterative solver works on it, but what is measured is
        `operator`.

    Returns
    -------
    EigenPairs
        Values, vectors, images, residuals, and how they were found.

    Raises
    ------
    ArgumentError
        If k is not in [1, n], or `which`, `solver` or `tol` makes no sense.
    GraphError
        If a matrix is not square, symmetric, real and finite.
    ConvergenceError
        If a residual is above `tol` after `max_restarts`; ``error.result`` holds the pairs found.

    Notes
    -----
    A Krylov space of b random directions holds at most b vectors of each eigenspace. Two are used, so that an
    eigenvalue that shows once is simple; where two of the first k + 1 lie together, or with `start`, the space is
    widened by fresh random directions before the answer is given, which stands only if they change nothing.
    Where many pairs are wanted of the bulk of a sparse matrix's spectrum, the search goes on with a Chebyshev
    polynomial of it; see ``lpgraph.spectral.filtered``.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import eigenpairs
    >>> pairs = eigenpairs(np.diag([1.0, -5.0, 3.0]), 2)
    >>> pairs.values
    array([-5.,  3.])
    >>> bool(pairs.residuals.max() < 1e-6)
    True
    """
    operator = as_operator(operator)
    n = operator.shape[0]
    most, known = (n, "") if without is None else (n - 1, ", one of them known beforehand")
    k = check_integer("k", k, low=1, high=most, why=f"but the operator has only {n} rows{known}")
    check_choice("which", which, END_NAMES)
    if which != "LA" and not (without is None and transformed is None):
        raise ArgumentError(f'which={which!r} with `without` or `transformed`; pass which="LA".')
    check_choice("solver", solver, SOLVERS)
    tol = check_real("tol", tol, low=0.0, high=0.1, open_low=True)
    max_restarts = check_integer("max_restarts", max_restarts, low=1)
    rng = check_generator(0 if random_state is None else random_state)

    if solver == "lapack" or (solver == "auto" and (n <= DENSE_SIZE or (3 * k > n and n <= 8192))):
        vectors: Any
        values, vectors = _dense(operator, without)
        chosen = wanted(values, which)[:k]
        norm = float(np.abs(values).max())
        pairs = measured(operator, vectors[:, chosen], which, norm, "lapack", 0, n)
    else:
        search = operator if transformed is None else transformed
        if without is not None:
            # Of the operator itself the unwanted vector goes to the far end; the inverse's lower end is 0 already.
            far = 0.0 if transformed is not None else -abs(float(without @ (operator @ without[:, None])[:, 0]))
            search = Deflated(search, without, far)
        # What is measured is more than what was estimated by the rounding of the basis, some 1e-7.
        inner, restarts, products = (0.8 if tol >= 1e-6 else 0.5) * tol, 0, 0
        dtype: Any = np.float32 if tol >= SINGLE_TOL and single_pays(n) else np.float64
        with blas_alone() if single_pays(n) and k >= _LARGE else nullcontext():
            while True:
                run = lanczos(search, k, which, inner, max_restarts - restarts, start, rng, dtype=dtype)
                restarts += run.restarts
                vectors = run.vectors if without is None else _orthogonal_to(without, run.vectors)
                norm = run.norm if transformed is None else _norm(operator, rng)
                pairs = measured(operator, vectors, which, norm, "lanczos", restarts, products + run.products)
                products = pairs.products
                if pairs.residuals.max() <= tol or restarts >= max_restarts or inner < 1e-15:
                    break
                # What is measured is above what was estimated: go on from here in double precision, or more
                # strictly.
                inner, start = (inner if dtype is np.float32 else 0.1 * inner), pairs.vectors
                dtype = np.float64
    worst = float(pairs.residuals.max())
    if worst > tol:
        raise ConvergenceError(
            f"{int((pairs.residuals > tol).sum())} of {k} eigenpairs have a relative residual above "
            f"tol={tol:g} (worst {worst:.2g}) after {pairs.iterations} restarts; pass a larger tol or "
            "max_restarts, or a smaller k. The pairs found are in error.result.",
            pairs,
        )
    return pairs


def singular_triplets(
    matrix: Any,
    k: int,
    *,
    solver: str = "auto",
    tol: float = 1e-6,
    max_restarts: int = 1000,
    start: NDArray[np.float64] | None = None,
    random_state: int | np.random.Generator | None = None,
) -> SingularTriplets:
    """Find the `k` largest singular triplets of a matrix by the road of `eigenpairs`.

    The eigenpairs of ``[[0, A], [A.T, 0]]`` at the upper end are (s, [u; v] / sqrt(2)): nothing is squared,
    so nothing of the small singular values is lost.

    Parameters
    ----------
    matrix : sparse matrix or array, ndarray, or Bipartite
        A, of shape (m, n); a `Bipartite` gives A with its rows and columns scaled.
    k : int
        Number of triplets, 1 <= k <= min(m, n).
    solver, tol, max_restarts, start, random_state
        As in `eigenpairs`; `start` has m + n rows.

    Returns
    -------
    SingularTriplets
        Left vectors, values, right vectors, images, residuals, and how they were found. Triplets whose
        singular value is zero to rounding have arbitrary vectors.

    Raises
    ------
    ArgumentError, GraphError, ConvergenceError
        As `eigenpairs` does.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import singular_triplets
    >>> singular_triplets(np.array([[0.0, 2.0], [1.0, 0.0]]), 2).values
    array([2., 1.])
    """
    bipartite = matrix if isinstance(matrix, Bipartite) else Bipartite(as_matrix(matrix))
    m, n = bipartite.matrix.shape
    k = check_integer("k", k, low=1, high=min(m, n), why=f"but the matrix is {m} x {n}")
    pairs = eigenpairs(
        bipartite,
        k,
        "LA",
        solver=solver,
        tol=tol,
        max_restarts=max_restarts,
        start=start,
        random_state=random_state,
    )
    # An eigenvector is [u; v] / sqrt(2); the images carry A v in their upper part and A.T u in their lower.
    root = np.sqrt(2.0)
    return SingularTriplets(
        left=root * pairs.vectors[:m],
        values=pairs.values,
        right=root * pairs.vectors[m:],
        left_images=root * pairs.images[:m],
        right_images=root * pairs.images[m:],
        residuals=pairs.residuals,
        solver=pairs.solver,
        iterations=pairs.iterations,
        products=pairs.products,
    )
