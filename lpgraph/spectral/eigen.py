"""Eigenpairs and singular triplets: check arguments, choose a solver, measure residuals.

A solver's own test of convergence is not relied on. `eigenpairs` multiplies the vectors once more by the operator
and reports ``norm(M v - l v)``. The embedding uses that product again (see `lpgraph.spectral.embedding`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
import scipy.linalg

from lpgraph._checks import check_choice, check_generator, check_integer, check_real
from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.linalg.basis import single_pays
from lpgraph.spectral.filtered import lanczos
from lpgraph.spectral.measure import measured
from lpgraph.spectral.operators import Bipartite, Deflated, as_matrix, as_operator
from lpgraph.spectral.order import END_NAMES, wanted
from lpgraph.spectral.pairs import EigenPairs, SingularTriplets
from lpgraph.spectral.ritz import WIDTH, Task
from lpgraph.spectral.tolerances import (
    FINE,
    INNER,
    INNER_FINE,
    LOOSE,
    OUTSTANDING_TOL,
    SINGLE,
    STRICTER,
    STRICTEST,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.linalg.matvec import AnyMatrix
    from lpgraph.spectral.operators import Operator, SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["eigenpairs", "singular_triplets"]

#: Up to this size LAPACK on the dense matrix is the fastest and most accurate solver.
DENSE_SIZE = 600


#: Vectors of a block if a product costs more than a basis. For a block model of 10^7 edges, blocks of 2, 4 and 8
#: take 33, 25 and 21 products, and with weak blocks 150, 66 and 50; a basis of 8 is twice as long as of 4.
WIDE = 4

#: What a caller of this module can change if an iteration does not converge.
REMEDIES = "a larger tol or max_restarts, or a smaller k"

SOLVERS = ("auto", "lapack", "lanczos")


class Options(TypedDict, total=False):
    """Parameters of `eigenpairs` that other functions hand on to it."""

    start: Array | None
    random_state: int | np.random.Generator | None
    remedies: str


def _dense(operator: SymmetricOperator, without: Array | None) -> tuple[Array, Array]:
    """Return all eigenpairs by LAPACK, or those in the orthogonal complement of the unit vector `without`."""
    n = operator.shape[0]
    matrix = operator @ np.eye(n)
    if without is None:
        return scipy.linalg.eigh(matrix, driver="evd")
    # A Householder reflection maps the unwanted vector to an axis; the other axes span its complement.
    normal = without.copy()
    normal[0] += np.copysign(1.0, without[0])
    normal /= np.linalg.norm(normal)
    matrix -= 2 * np.outer(normal, normal @ matrix)
    matrix -= 2 * np.outer(matrix @ normal, normal)
    values, inner = scipy.linalg.eigh(matrix[1:, 1:], driver="evd")
    vectors = np.vstack([np.zeros(n - 1), inner])
    vectors -= 2 * np.outer(normal, normal @ vectors)
    return values, vectors


def _orthogonal_to(vector: Array, block: NDArray[np.floating]) -> Array:
    """Return an orthonormal basis of what is left of the block without the given unit vector."""
    left: Array = block.astype(np.float64, copy=False)
    for _ in range(2):
        left = np.linalg.qr(left - np.multiply.outer(vector, vector @ left))[0]
    return left


def _norm(operator: SymmetricOperator, rng: np.random.Generator) -> float:
    """Return the operator's norm within some percent, from below, by twenty steps of the power method."""
    vector = rng.standard_normal((operator.shape[0], 1))
    for _ in range(20):
        vector = operator @ (vector / max(float(np.linalg.norm(vector)), np.finfo(float).tiny))
    return float(np.linalg.norm(vector))


def _far(operator: SymmetricOperator, without: Array, which: str, rng: np.random.Generator) -> float:
    """Return an eigenvalue at the unwanted end, to be given to the vector that is left out."""
    # With "LA" its own eigenvalue is negated; with "SA" that is often 0, and the norm is used.
    return _norm(operator, rng) if which == "SA" else -abs(float(without @ (operator @ without[:, None])[:, 0]))


def dense_pays(n: int, k: int) -> bool:
    """Whether "auto" takes LAPACK for k pairs of n."""
    return n <= DENSE_SIZE or (3 * k > n and n <= 8192)


def eigenpairs(
    operator: Operator | AnyMatrix,
    k: int,
    which: str = "LM",
    *,
    solver: str = "auto",
    tol: float = 1e-6,
    max_restarts: int = 1000,
    start: Array | None = None,
    random_state: int | np.random.Generator | None = None,
    without: Array | None = None,
    transformed: Operator | None = None,
    origin: float | None = None,
    early: bool = False,
    width: int | None = None,
    remedies: str = REMEDIES,
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
        its square. A bound above 0.01 applies to eigenvalues within about 2 % of the last wanted one, as those in
        the bulk of a spectrum are; eigenvalues that stand out are found to 0.001.
    max_restarts : int, default 1000
        Restarts of the iterative solver before it gives up.
    start : ndarray of shape (n, s), optional
        Vectors to begin with, such as eigenvectors of a nearby operator; random ones if absent.
    random_state : int, Generator or None
        Seed of the starting vectors. None is a *fixed* seed: the same operator always gives the same pairs.
    without : ndarray of shape (n,), optional
        A unit eigenvector known beforehand and not wanted, such as the constant one; not for ``which="LM"``. The
        vectors found are orthogonal to it to rounding.
    transformed : Operator, optional
        Another operator with the same eigenvectors, the wanted ones at its upper end and well separated there,
        such as an inverse; not for ``which="LM"``. The iterative solver works on it, but residuals are measured
        with `operator`.
    origin : float, optional
        An end of the spectrum, such as the eigenvalue of `without`: residuals are then relative to the distance of
        the eigenvalues from there. Wanted eigenvalues that crowd there are otherwise not told apart.
    early : bool, default False
        Whether the iterative solver gives up as soon as residuals fall too slowly for `max_restarts`.
    width : int, optional
        Vectors of a block of the iterative solver. None: 2, or more if a product costs more than a basis; see
        `Operator.dear`.
    remedies : str, optional
        What ConvergenceError advises to pass. A caller with other parameters names its own; "" if none helps.

    Returns
    -------
    EigenPairs
        Values, vectors, images, residuals, and how they were found.

    Raises
    ------
    ArgumentError
        If k is not in [1, n], or `which`, `solver` or `tol` is not allowed.
    GraphError
        If a matrix is not square, symmetric, real and finite.
    ConvergenceError
        If a residual is above `tol` after `max_restarts`; ``error.result`` holds the pairs found.

    Notes
    -----
    A Krylov space of b random directions holds at most b vectors of each eigenspace. Two are used, so that an
    eigenvalue found once is simple. If two of the first k + 1 agree, or with `start`, new random directions are
    added to the space, and the result is accepted only if they do not change it. If many pairs of a sparse matrix
    are wanted, the search continues with a Chebyshev polynomial of it; see ``lpgraph.spectral.filtered``.

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
    if which == "LM" and not (without is None and transformed is None):
        raise ArgumentError(f'which={which!r} with `without` or `transformed`; pass which="LA" or "SA".')
    check_choice("solver", solver, SOLVERS)
    tol = check_real("tol", tol, low=0.0, high=0.1, open_low=True)
    max_restarts = check_integer("max_restarts", max_restarts, low=1)
    rng = check_generator(0 if random_state is None else random_state)

    if solver == "lapack" or (solver == "auto" and dense_pays(n, k)):
        values, vectors = _dense(operator, without)
        chosen = wanted(values, which)[:k]
        norm = float(np.abs(values).max())
        if without is not None:  # the others may all be 0
            norm = max(norm, float(np.linalg.norm(operator @ without[:, None])))
        pairs = measured(operator, vectors[:, chosen], which, norm, "lapack", 0, n, origin)
    else:
        # A last bit that depends on the number of threads would be enlarged by a basis in single precision.
        with blas_alone():
            search, end = (operator, which) if transformed is None else (as_operator(transformed), "LA")
            if without is not None:
                value = _far(operator, without, which, rng) if transformed is None else 0.0
                search = Deflated(search, without, value)
            inner, restarts, products = (INNER if tol >= FINE else INNER_FINE) * tol, 0, 0
            dtype: type[np.floating] = np.float64
            if tol >= SINGLE and origin is None and single_pays(n):
                dtype = np.float32
            near = origin if transformed is None else None
            width = width or (WIDE if operator.dear else WIDTH)
            while True:
                task = Task(search, k, end, inner, max_restarts - restarts, rng, dtype, near, early, width)
                if tol > LOOSE and transformed is None and start is None:
                    task = replace(task, tol=OUTSTANDING_TOL, loose=inner)
                run = lanczos(task, start)
                restarts += run.restarts
                # One more product: errors of the inverse's small eigenvalues are large residuals of the operator.
                found = run.vectors if transformed is None else search @ run.vectors.astype(np.float64, copy=False)
                found = found if without is None else _orthogonal_to(without, found)
                norm = run.norm if transformed is None else _norm(operator, rng)
                products += run.products
                pairs = measured(operator, found, which, norm, "lanczos", restarts, products, origin)
                products = pairs.products
                if pairs.residuals.max() <= tol or restarts >= max_restarts or inner < STRICTEST:
                    break
                if early and not run.converged:
                    break
                # The measured residual exceeds the estimate: continue in double precision, or more strictly.
                inner, start = (inner if dtype is np.float32 else STRICTER * inner), pairs.vectors
                dtype = np.float64
    return converged(pairs, tol, remedies)


def converged(pairs: EigenPairs, tol: float, remedies: str) -> EigenPairs:
    """Return the pairs, or raise ConvergenceError with them if a residual is above `tol`."""
    worst = float(pairs.residuals.max())
    if worst > tol:
        cycles = f"{pairs.iterations} {'steps' if pairs.solver == 'multigrid' else 'restarts'}"
        advice = f"; pass {remedies}" if remedies else ""
        raise ConvergenceError(
            f"{int((pairs.residuals > tol).sum())} of {len(pairs)} eigenpairs have a relative residual above "
            f"tol={tol:g} (worst {worst:.2g}) after {cycles}{advice}. "
            "The pairs found are in error.result.",
            pairs,
        )
    return pairs


def singular_triplets(
    matrix: AnyMatrix | Bipartite,
    k: int,
    *,
    solver: str = "auto",
    tol: float = 1e-6,
    max_restarts: int = 1000,
    **options: Unpack[Options],
) -> SingularTriplets:
    """Find the `k` largest singular triplets of a matrix by `eigenpairs`.

    The eigenpairs of ``[[0, A], [A.T, 0]]`` at the upper end are (s, [u; v] / sqrt(2)). Nothing is
    squared, so small singular values keep their precision.

    Parameters
    ----------
    matrix : sparse matrix or array, ndarray, or Bipartite
        A, of shape (m, n); a `Bipartite` gives A with its rows and columns scaled.
    k : int
        Number of triplets, 1 <= k <= min(m, n).
    solver, tol, max_restarts, **options
        As in `eigenpairs`: also start, with m + n rows, random_state and remedies.

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
    pairs = eigenpairs(bipartite, k, "LA", solver=solver, tol=tol, max_restarts=max_restarts, **options)
    return SingularTriplets.of_pairs(pairs, m)
