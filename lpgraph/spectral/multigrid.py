r"""Davidson's method: smallest eigenpairs of a sparse Laplacian by means of an approximate inverse of it.

A Krylov method needs about :math:`\sqrt{norm / gap}` products, thousands for a large graph of low dimension. Here
the residual of every Ritz vector is multiplied by an approximate inverse before it is added to the basis. How many
such steps are needed depends on the quality of the inverse only: about twenty with multigrid cycles.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.progress import tell
from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.linalg.basis import Basis
from lpgraph.spectral.cycle import Cycle
from lpgraph.spectral.eigen import EigenPairs, Vectors, relative_scale
from lpgraph.spectral.krylov import Block, add_block
from lpgraph.spectral.lapack import Lapack, small
from lpgraph.spectral.operators import Matrix, SymmetricOperator
from lpgraph.spectral.tolerances import SETTLED_POWER

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.spectral.eigen import Problem

    Array = NDArray[np.float64]

#: Steps that are taken at most; twenty are usual.
_STEPS = 100

#: Share of the tolerance left for what the operator's products differ from the matrix's by rounding.
_INNER = 0.8

#: Columns of the basis in addition to one for each pair: a fixed number, and a number for each pair up to a limit,
#: which bounds the memory. With half of them ten pairs need twice the steps.
_SPARE = 20
_EACH = 5
_LIMIT = 150

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True)
class Multigrid:
    """Davidson's method with multigrid cycles on `Known.matrix`, whose smooth vector and origin are known."""

    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs; raise ConvergenceError if there are no smaller matrices for the cycles."""
        found = Lapack().pairs(problem) if small(problem) else by_cycles(problem, problem.known.formed())
        if found is None:
            raise ConvergenceError("The matrix has no smaller ones for multigrid; pass solver='auto'.")
        return found


@blas_alone()  # a last bit that depends on the number of threads would be enlarged by the iteration
def by_cycles(problem: Problem, matrix: sparse.csr_array) -> EigenPairs | None:
    """Return the pairs that belong to the smallest eigenvalues of a matrix, converged or not; None without cycles.

    The operator is ``origin I - A`` or A, for the matrix A with a positive diagonal.
    """
    smooth, origin = problem.known.smooth, problem.known.origin
    if smooth is None or origin is None:
        raise ArgumentError("There is no sparse Laplacian for multigrid; pass solver='auto'.")
    rng = problem.generator()
    cycle = Cycle.of(matrix, smooth, rng)
    if cycle is None:
        return None
    norm = max(1.0, abs(origin))
    first = cycle.smoothest(problem.k + 2) if problem.start is None else problem.start
    run = davidson(problem, Matrix(matrix), cycle, first, norm, rng)
    return problem.measured(Vectors(run.vectors, "multigrid", norm, run.steps, run.products))


@dataclass(frozen=True, eq=False)
class DavidsonRun:
    """Orthonormal vectors of the smallest eigenvalues, the steps taken, and products with the matrix."""

    vectors: Array
    steps: int
    products: int


@dataclass(eq=False)
class _Subspace:
    """An orthonormal basis, and the projection of a matrix onto it; the first `fixed` columns are left out."""

    operator: SymmetricOperator
    basis: Basis
    rng: np.random.Generator
    fixed: int = 0
    size: int = 0
    products: int = 0
    projection: Array = field(init=False)

    def __post_init__(self) -> None:
        room = self.basis.array.shape[1]
        self.projection = np.zeros((room, room))

    def fix(self, vector: Array) -> None:
        """Store a unit vector that the others are to be orthogonal to."""
        add_block(self.basis, 0, Block.of(vector[None].copy()), self.rng)
        self.fixed = self.size = 1

    def add(self, columns: Array) -> None:
        """Add directions, two at a time, as the compiled loops take them."""
        for j in range(0, columns.shape[1], 2):
            rows = np.ascontiguousarray(columns[:, j : j + 2].T)
            self.basis.take_out(self.size, rows, before=np.linalg.norm(rows, axis=1))
            add_block(self.basis, self.size, Block.of(rows), self.rng)
            grown = self.size + len(rows)
            block = np.ascontiguousarray(self.basis.block(self.size, grown))
            image = np.ascontiguousarray((self.operator @ block).T)
            along = self.basis.products(0, grown, image)[0]
            self.projection[:grown, self.size : grown] = along
            self.projection[self.size : grown, :grown] = along.T
            self.size, self.products = grown, self.products + len(rows)

    def ritz(self) -> tuple[Array, Array]:
        """Return Ritz values, smallest first, and the vectors' coefficients."""
        inner = self.projection[self.fixed : self.size, self.fixed : self.size]
        values, vectors = scipy.linalg.eigh((inner + inner.T) / 2, driver="evd")
        return values, vectors

    def vectors(self, rotation: Array) -> Array:
        """Return combinations of the columns."""
        return np.asarray(self.basis.array[:, self.fixed : self.size] @ rotation)

    def restart(self, rotation: Array) -> None:
        """Keep some combinations of the columns only, given by their orthonormal coefficients."""
        keep = self.fixed + rotation.shape[1]
        whole = np.zeros((self.size, keep))
        whole[: self.fixed, : self.fixed] = np.eye(self.fixed)
        whole[self.fixed :, self.fixed :] = rotation
        inner = self.projection[self.fixed : self.size, self.fixed : self.size]
        inner = rotation.T @ (inner + inner.T) @ rotation / 2
        self.basis.rotate(self.size, whole)
        self.size = keep
        self.projection[:] = 0.0
        self.projection[self.fixed : keep, self.fixed : keep] = inner


def davidson(
    problem: Problem,
    operator: SymmetricOperator,
    inverse: SymmetricOperator,
    start: Array,
    norm: float,
    rng: np.random.Generator,
) -> DavidsonRun:
    """Return vectors of the smallest eigenvalues whose residuals are within the tolerance, or the best at the end.

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
    norm : float
        About A's norm, for the scale of residuals.
    rng : Generator
        Replaces directions that vanish, and gives one more to begin with.

    Notes
    -----
    The next Ritz vector after the wanted ones is improved as well until its residual is small against its distance
    from them, and a random direction is among the first: a pair that `start` lacks is found.
    """
    n, k, null = problem.size, problem.k, problem.known.null
    tol = _INNER * problem.tol
    look = min(k + 1, n - (null is not None))
    room = min(n, max(look + min(_EACH * look, max(look, _LIMIT)), start.shape[1]) + _SPARE)
    space = _Subspace(operator, Basis(n, room + 2), rng)
    if null is not None:
        space.fix(null)
    more = max(1, look + 1 - start.shape[1])
    space.add(np.column_stack([start, inverse @ rng.standard_normal((n, more))]))
    step, before = 0, np.zeros((0, 0))
    while True:
        values, rotation = space.ritz()
        vectors = space.vectors(rotation[:, :look])
        residual = operator @ vectors - values[:look] * vectors
        space.products += look
        lengths, unit = np.linalg.norm(residual, axis=0), relative_scale(values[:look], norm, 0.0)
        allowed = tol * unit
        allowed[k:] = np.maximum(tol**SETTLED_POWER * unit[k:], values[k:look] - values[k - 1])
        open_ = np.flatnonzero(lengths > allowed)
        found = int(k - (open_ < k).sum())
        tell(
            _log,
            "%d of %d eigenpairs converged, residual %.0e, step %d, %d products",
            found,
            k,
            float((lengths / unit)[:k].max()),
            step,
            space.products,
        )
        if not len(open_) or step == _STEPS:
            return DavidsonRun(vectors[:, :k], step, space.products)
        if space.size + len(open_) > room:
            # With the last step's vectors the next steps are nearly as good as with all that is left out.
            left = room - space.fixed - len(open_)
            keep = min(k + (space.size - space.fixed - k) // 3, left)
            last = np.zeros((len(rotation), min(before.shape[1], left - keep)))
            last[: len(before)] = before[:, : last.shape[1]]
            kept = np.linalg.qr(np.column_stack([rotation[:, :keep], last]))[0]
            space.restart(kept)
            rotation = kept.T @ rotation
        before = rotation[:, open_]
        space.add(inverse @ residual[:, open_])
        step += 1
