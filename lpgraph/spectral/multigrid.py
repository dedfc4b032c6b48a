r"""Davidson's method: smallest eigenpairs of a sparse Laplacian by means of an approximate inverse of it.

A Krylov method needs about :math:`\sqrt{norm / gap}` products, thousands for a large graph of low dimension. Here
the residual of every Ritz vector is multiplied by an approximate inverse before it is added to the basis. How many
such steps are needed depends on the quality of the inverse only: about twenty with multigrid cycles.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from scipy import sparse

from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.progress import tell
from lpgraph.errors import ArgumentError, ConvergenceError

from .cycle import Cycle
from .lapack import Lapack, small
from .operators import Matrix, SymmetricOperator
from .problem import EigenPairs, orthonormal, relative_scale
from .tolerances import SETTLED_POWER

if TYPE_CHECKING:
    from lpgraph._utils.types import Array

    from .problem import Problem


#: Steps that are taken at most: with cycles, of which twenty are usual, and with the diagonal.
_STEPS, _CHEAP_STEPS = 100, 1000

#: Share of the tolerance left for what the operator's products differ from the matrix's by rounding.
_INNER = 0.8

#: Columns of the basis: so many for each pair and in addition, or fewer for many pairs, to bound the memory. With
#: half of them ten pairs need twice the steps.
_EACH, _SPARE = 6, 40
_MANY, _LIMIT = 2, 190

#: Largest entry of the diagonal, relative to its mean, above which the diagonal alone is an inverse that helps.
_SPREAD = 8.0

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True)
class Multigrid:
    """Davidson's method with multigrid cycles on `Known.matrix`, whose smooth vector and origin are known.

    The operator is ``origin I - A`` or A, for the matrix A with a positive diagonal. The inverse of the diagonal
    is used if there are no smaller matrices for cycles and the diagonal is uneven, as in networks with hubs.
    """

    @blas_alone()  # a last bit that depends on the number of threads would be enlarged by the iteration
    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs; raise ConvergenceError if there is no approximate inverse."""
        if small(problem):
            return Lapack().pairs(problem)
        matrix, smooth, origin = problem.known.formed(), problem.known.smooth, problem.known.origin
        if smooth is None or origin is None:
            raise ArgumentError("There is no sparse Laplacian for multigrid; pass solver='auto'.")
        rng = problem.generator()
        cycle = Cycle.of(matrix, smooth, rng)
        diagonal, start = matrix.diagonal(), problem.start
        if cycle is None and diagonal.max() <= _SPREAD * diagonal.mean():
            raise ConvergenceError("The matrix has no smaller ones for multigrid; pass solver='auto'.")
        if start is None:
            size = problem.k + 2
            start = cycle.smoothest(size) if cycle else rng.standard_normal((problem.size, size))
        inverse = cycle or Matrix(sparse.csr_array(sparse.diags_array(1 / diagonal)))
        return davidson(problem, Matrix(matrix), inverse, start, _STEPS if cycle else _CHEAP_STEPS, rng)


def davidson(
    problem: Problem,
    operator: SymmetricOperator,
    inverse: SymmetricOperator,
    start: Array,
    steps: int,
    rng: np.random.Generator,
) -> EigenPairs:
    """Return the pairs of the smallest eigenvalues, their residuals within the tolerance, or the best at the end.

    Parameters
    ----------
    problem : Problem
        How many vectors to which tolerance, and the null vector that is not wanted.
    operator : SymmetricOperator
        Positive semi-definite A, n x n.
    inverse : SymmetricOperator
        Close to A's inverse on the orthogonal complement of the null vector.
    start : ndarray of shape (n, s)
        Vectors to begin with; random ones are added.
    steps : int
        How many are taken at most.
    rng : Generator
        Gives one more direction to begin with.

    Notes
    -----
    The next Ritz vector after the wanted ones is improved as well until its residual is small against its distance
    from them, and a random direction is among the first: a pair that `start` lacks is found.
    """
    n, k, null = problem.size, problem.k, problem.known.null
    left_out = np.empty((n, 0)) if null is None else null[:, None]
    tol, norm = _INNER * problem.tol, max(1.0, abs(problem.known.origin or 0.0))  # about the norm of A
    most = n - left_out.shape[1]
    look = min(k + 1, most)
    room = min(most, _EACH * look + _SPARE, _MANY * look + _LIMIT)
    more = inverse @ rng.standard_normal((n, max(1, look + 1 - start.shape[1])))
    basis = orthonormal(np.column_stack([start, more]), left_out)
    projection = basis.T @ (operator @ basis)
    step, products = 0, basis.shape[1]
    while True:
        values, rotation = scipy.linalg.eigh((projection + projection.T) / 2, driver="evd")
        vectors = basis @ rotation[:, :look]
        residual = operator @ vectors - values[:look] * vectors
        products += look
        lengths, unit = np.linalg.norm(residual, axis=0), relative_scale(values[:look], norm, 0.0)
        allowed = tol * unit
        allowed[k:] = np.maximum(tol**SETTLED_POWER * unit[k:], values[k:look] - values[k - 1])
        open_ = np.flatnonzero(lengths > allowed)
        found, worst = int(k - (open_ < k).sum()), float((lengths / unit)[:k].max())
        tell(_log, "%d of %d eigenpairs converged, residual %.0e, step %d", found, k, worst, step)
        if not len(open_) or step == steps:
            return problem.measured(vectors[:, :k], "multigrid", norm, iterations=step, products=products)
        if basis.shape[1] + len(open_) > room:
            keep = min(k + (basis.shape[1] - k) // 3, room - len(open_))
            basis, projection = basis @ rotation[:, :keep], np.diag(values[:keep])
        new = orthonormal(inverse @ residual[:, open_], left_out, basis)
        image = operator @ new
        along = basis.T @ image
        projection = np.block([[projection, along], [along.T, new.T @ image]])
        basis = np.hstack([basis, new])
        step, products = step + 1, products + new.shape[1]
