"""Choice of a solver by the size of a problem and by what is known of its operator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lpgraph._utils.checks import check_choice
from lpgraph.errors import ConvergenceError

from .lanczos import Lanczos
from .lapack import Lapack, small
from .multigrid import Multigrid
from .shift_invert import ShiftInvert, expected_fill

if TYPE_CHECKING:
    from .problem import EigenPairs, Problem, Solver

#: Entries of a triangular factor, 12 bytes each, beyond which a matrix is not factorised for its lower end.
_MOST_ENTRIES = 500_000_000

#: From so many points on, multigrid is used for a Laplacian.
_LARGE = 20_000

#: But a connected graph of n vertices and n + x edges has at most 2 x vertices left when those of one and two
#: neighbors are eliminated, and so at most 2 x^2 entries in a factor. Up to this x it is factorised.
_EXCESS = 3000

#: And if the factor's rows would have more entries than this, the space has more than two dimensions and the gaps
#: may be large. Then Lanczos's method is first, with at most so many restarts.
_WIDE = 200
_SOON = 16

#: Restarts of Lanczos's method before the matrix of a network is factorised; most networks need fewer than ten.
_FIRST = 50

#: Up to so many entries in a row of the factor, a matrix is factorised for the upper end. Measured: at 3000 points
#: in space (68 entries) both solvers took equally long; on surfaces (40 entries at 10^5 points) the inverse was 5
#: times faster, in space at 30 000 points (230 entries) 5 times slower.
_MOST_FILL = 64


@dataclass(frozen=True)
class Auto:
    """LAPACK for small problems, then what is expected to be fastest.

    Without a sparse matrix (`Known.matrix`) that is Lanczos's method on the operator, which is also tried first at
    the upper end of a network, whose eigenvalues have no `Known.origin`. With one it is the inverse,
    unless its factors are expected to be large: for the upper end, where Lanczos's method converges faster, more
    than 64 entries in a row, for the lower end more than 5e8 in all. For a Laplacian of 20 000 rows or more it is
    multigrid, unless the graph is nearly a tree (the inverse), or has more than two dimensions and
    Lanczos's method converges soon.

    Attributes
    ----------
    max_restarts : int
        Restarts of Lanczos's method on the operator before it gives up.
    """

    max_restarts: int = 1000

    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs."""
        if small(problem):
            return Lapack().pairs(problem)
        known = problem.known
        if known.matrix is not None and known.origin is None and problem.end == "largest":
            found = Lanczos(_FIRST).pairs(problem)  # only long and thin networks are slow
            if problem.solved_by(found):
                return found
            problem = replace(problem, start=found.vectors)
        try:
            by_matrix = None if known.matrix is None else _by_matrix(problem)
        except ConvergenceError:  # the matrix, or a part of it, cannot be factorised
            by_matrix = None
        return Lanczos(self.max_restarts).pairs(problem) if by_matrix is None else by_matrix


def _by_matrix(problem: Problem) -> EigenPairs | None:
    """Return the pairs by the known matrix; None if Lanczos's method on the operator is to be used."""
    known, n = problem.known, problem.size
    matrix = known.formed()
    problem = replace(problem, known=replace(known, matrix=matrix))
    if problem.end == "smallest":
        # Lanczos's method needs thousands of products there, but no memory.
        too_large = n * n > 2 * _MOST_ENTRIES and expected_fill(matrix) * n > _MOST_ENTRIES
        return None if too_large else ShiftInvert().pairs(problem)
    if matrix.nnz - 3 * n <= 2 * _EXCESS:
        return ShiftInvert().pairs(problem)
    fill = expected_fill(matrix)
    if known.smooth is None or known.origin is None or n < _LARGE:
        return ShiftInvert().pairs(problem) if fill <= _MOST_FILL else None
    if fill > _WIDE:
        found = Lanczos(_SOON).pairs(problem)
        if problem.solved_by(found):
            return found
        problem = replace(problem, start=found.vectors)
    found = Multigrid().pairs(problem)
    return found if problem.solved_by(found) else None


def solver_named(name: object) -> Solver:
    """Return the solver that a parameter names: "auto", "lapack", "lanczos", "inverse" or "multigrid"."""
    solvers: dict[str, Solver] = {
        "auto": Auto(),
        "lapack": Lapack(),
        "lanczos": Lanczos(),
        "inverse": ShiftInvert(),
        "multigrid": Multigrid(),
    }
    return solvers[check_choice("solver", name, tuple(solvers))]
