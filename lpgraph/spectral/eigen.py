"""Eigenpairs and singular triplets: a solver is called, and residuals that are too large are an error.

The embedding uses the product of the operator and the vectors, by which residuals are measured, again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_choice, check_generator, check_integer, check_real, is_integer
from lpgraph.errors import ArgumentError, ArgumentTypeError, ConvergenceError

from .auto import Auto
from .operators import Bipartite, Deflated, as_matrix, as_operator
from .problem import (
    EigenPairs,
    End,
    Known,
    KnownPairs,
    Problem,
    SingularTriplets,
    Solver,
    fix_signs,
    relative_scale,
)

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Seed
    from lpgraph.linalg.matvec import AnyMatrix

    from .operators import Operator


__all__ = ["EigenPairs", "End", "Known", "KnownPairs", "Problem", "SingularTriplets", "Solver"]
__all__ += ["eigenpairs", "singular_triplets"]

ENDS: tuple[End, ...] = ("magnitude", "largest", "smallest")

#: What a caller of this module can change if an iteration does not converge.
REMEDIES = "a larger tol, or a smaller k"


def eigenpairs(
    operator: Operator | AnyMatrix,
    k: int,
    end: End = "magnitude",
    *,
    solver: Solver | None = None,
    tol: float = 1e-6,
    known: Known | None = None,
    start: Array | None = None,
    random_state: Seed = None,
    remedies: str = REMEDIES,
) -> EigenPairs:
    """Find the `k` wanted eigenpairs of a symmetric operator, with their multiplicity.

    Parameters
    ----------
    operator : sparse matrix or array, ndarray, or Operator
        Symmetric, n x n; or any object with ``.shape`` and a product ``operator @ block``.
    k : int
        Number of pairs, 1 <= k <= n.
    end : {"magnitude", "largest", "smallest"}, default "magnitude"
        Which end of the spectrum: largest magnitude, largest (algebraic), smallest (algebraic).
    solver : Solver, optional
        None is `lpgraph.spectral.auto.Auto()`: LAPACK up to n = 600, or when k is a large part of n, and otherwise
        Lanczos's method on the operator or on an inverse, or multigrid.
    tol : float, default 1e-6
        Bound on every *measured* relative residual; see `EigenPairs`. The eigenvalue error is of the order of
        its square. A bound above 0.01 applies to eigenvalues within about 2 % of the last wanted one, as those in
        the bulk of a spectrum are; eigenvalues that stand out are found to 0.001.
    known : Known, optional
        What is known of the operator.
    start : ndarray of shape (n, s), optional
        Vectors to begin with, such as eigenvectors of a nearby operator; random ones if absent.
    random_state : int, Generator or None
        Seed of the starting vectors. None is a *fixed* seed: the same operator always gives the same pairs.
    remedies : str, optional
        What ConvergenceError advises to pass. A caller with other parameters names its own; "" if none helps.

    Returns
    -------
    EigenPairs
        Values, vectors, images, residuals, and how they were found.

    Raises
    ------
    ArgumentError
        If k is not in [1, n], or `end` or `tol` is not allowed, or the solver needs what is not known.
    GraphError
        If a matrix is not square, symmetric, real and finite.
    ConvergenceError
        If a residual is above `tol`; ``error.result`` holds the pairs found.

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
    operator, known = as_operator(operator), known or Known()
    n, least = operator.shape[0], known.null is not None and known.first is None
    why = f"but the operator has only {n} rows{', one of them known beforehand' if least else ''}"
    k = check_integer("k", k, low=1, high=n - least, why=why)
    check_choice("end", end, ENDS)
    if end == "magnitude" and (least or known.matrix is not None):
        raise ArgumentError(f"end={end!r} with a known null vector or matrix; pass 'largest' or 'smallest'.")
    start = None if start is None else np.asarray(start)
    if start is not None and (start.ndim != 2 or len(start) != n):
        raise ArgumentError(f"start has shape {start.shape}; pass one row for each of {n} rows of the operator.")
    if isinstance(solver, str):
        raise ArgumentTypeError(f"solver={solver!r}; pass an object, such as lpgraph.spectral.lapack.Lapack().")
    tol = check_real("tol", tol, low=0.0, high=0.1, open_low=True)
    checked = check_generator(0 if random_state is None else random_state)
    seed = random_state if random_state is None or is_integer(random_state) else checked
    problem = Problem(operator, k, end, tol, known, start, seed)
    find = Auto() if solver is None else solver
    if known.first is not None:
        return _beside_known(problem, known.first(k), find, remedies)
    return _converged(problem, find.pairs(problem), remedies)


def _converged(problem: Problem, pairs: EigenPairs, remedies: str) -> EigenPairs:
    """Return the pairs, or raise ConvergenceError with them if a residual is above the tolerance."""
    if problem.solved_by(pairs):
        return pairs
    missed, worst = int((pairs.residuals > problem.tol).sum()), float(pairs.residuals.max())
    raise ConvergenceError(
        f"{missed} of {len(pairs)} eigenpairs have residuals above tol={problem.tol:g} (worst {worst:.2g}) "
        f"after {pairs.iterations} restarts or steps{f'; pass {remedies}' if remedies else ''}. "
        "The pairs found are in error.result.",
        pairs,
    )


def _beside_known(problem: Problem, first: KnownPairs, solver: Solver, remedies: str) -> EigenPairs:
    """Return the wanted pairs, of which only those that are not known are searched."""
    values, vectors = first.leading(min(problem.k, len(first)))
    vectors *= fix_signs(vectors)
    images = problem.operator @ vectors
    norm = float(np.abs(first.values).max())
    gap = np.linalg.norm(images - vectors * values, axis=0)
    residuals = gap / relative_scale(values, norm)
    if problem.k <= len(first):
        return EigenPairs(values, residuals, "known", 0, len(values), norm, vectors, images)
    rest = Deflated(problem.operator, first.vectors, -norm if problem.end == "largest" else 0.0)
    smaller = replace(problem, operator=rest, k=problem.k - len(first), known=Known(), start=None)
    others = solver.pairs(smaller)
    # What the others' residuals are relative to is known from the whole spectrum.
    rescaled = others.residuals * relative_scale(others.values, others.norm) / relative_scale(others.values, norm)
    joined = replace(
        others,
        values=np.r_[values, others.values],
        vectors=np.hstack([vectors, others.vectors]),
        # By the operator itself, because the extension of training items is this product.
        images=np.hstack([images, problem.operator @ others.vectors]),
        residuals=np.r_[residuals, rescaled],
        norm=norm,
    )
    return _converged(problem, joined, remedies)


def singular_triplets(
    matrix: AnyMatrix | Bipartite,
    k: int,
    *,
    solver: Solver | None = None,
    tol: float = 1e-6,
    start: Array | None = None,
    random_state: Seed = None,
    remedies: str = REMEDIES,
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
    solver, tol, start, random_state, remedies
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
        bipartite, k, "largest", solver=solver, tol=tol, start=start, random_state=random_state, remedies=remedies
    )
    return SingularTriplets.of_pairs(pairs, m)
