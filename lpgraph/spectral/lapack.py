"""All eigenpairs by LAPACK on the dense matrix: the fastest and most accurate solver for small ones."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph._utils.compiled import blas_alone
from lpgraph.spectral.problem import EigenPairs, wanted

if TYPE_CHECKING:
    from lpgraph._utils.types import Array
    from lpgraph.spectral.problem import Problem


#: Up to this size LAPACK on the dense matrix is the fastest and most accurate solver.
DENSE_SIZE = 600


def small(problem: Problem) -> bool:
    """Whether LAPACK is fastest: the matrix is small, or many of its pairs are wanted."""
    return problem.size <= DENSE_SIZE or 3 * problem.k > problem.size


@dataclass(frozen=True)
class Lapack:
    """LAPACK's divide and conquer, by the product of the operator with the identity."""

    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs."""
        operator, n, null = problem.operator, problem.size, problem.known.null
        # Threads of BLAS gain nothing on small matrices, and wait for one another on a busy machine.
        with blas_alone() if n <= DENSE_SIZE else nullcontext():
            values, vectors = _dense(operator @ np.eye(n), null)
        norm = float(np.abs(values).max())
        if null is not None:  # the others may all be 0
            norm = max(norm, float(np.linalg.norm(operator @ null[:, None])))
        chosen = wanted(values, problem.end)[: problem.k]
        return problem.measured(vectors[:, chosen], "lapack", norm, products=n)


def _dense(matrix: Array, without: Array | None) -> tuple[Array, Array]:
    """Return all eigenpairs, or those in the orthogonal complement of the unit vector `without`."""
    if without is None:
        return scipy.linalg.eigh(matrix, driver="evd")
    # A Householder reflection maps the unwanted vector to an axis; the other axes span its complement.
    normal = without.copy()
    normal[0] += np.copysign(1.0, without[0])
    normal /= np.linalg.norm(normal)
    matrix -= 2 * np.outer(normal, normal @ matrix)
    matrix -= 2 * np.outer(matrix @ normal, normal)
    values, inner = scipy.linalg.eigh(matrix[1:, 1:], driver="evd")
    vectors = np.vstack([np.zeros(len(matrix) - 1), inner])
    vectors -= 2 * np.outer(normal, normal @ vectors)
    return values, vectors
