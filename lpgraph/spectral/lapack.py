"""All eigenpairs by LAPACK on the dense matrix: the fastest and most accurate solver for small ones."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph._utils.compiled import blas_alone

from .problem import EigenPairs, wanted

if TYPE_CHECKING:
    from .problem import Problem


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
        n, null, norm = problem.size, problem.known.null, 0.0
        # Threads of BLAS gain nothing on small matrices, and wait for one another on a busy machine.
        with blas_alone() if n <= DENSE_SIZE else nullcontext():
            matrix = problem.operator @ np.eye(n)
            if null is not None:
                # The vector that is left out gets an eigenvalue beyond all others, at the other end.
                image, far = matrix @ null, 2 * float(np.linalg.norm(matrix, 1)) or 1.0
                value = -far if problem.end == "largest" else far
                matrix += np.outer(null, (null @ image + value) * null - image) - np.outer(image, null)
                norm = float(np.linalg.norm(image))
            values, vectors = scipy.linalg.eigh(matrix, driver="evd")
        order = wanted(values, problem.end)
        norm = max(norm, float(np.abs(values[order[: n - (null is not None)]]).max(initial=0.0)))
        return problem.measured(vectors[:, order[: problem.k]], "lapack", norm, products=n)
