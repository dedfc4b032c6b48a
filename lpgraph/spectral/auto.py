"""Choice of a solver by the size of a problem and by what is known of its operator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lpgraph._utils.checks import check_choice
from lpgraph.errors import ConvergenceError
from lpgraph.spectral.lanczos import Lanczos
from lpgraph.spectral.lapack import Lapack, small

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph.spectral.eigen import EigenPairs, Problem, Solver

#: Entries of a triangular factor, 12 bytes each, beyond which a matrix is not factorised for its lower end.
_MOST_ENTRIES = 500_000_000

#: From so many points on, multigrid is used for a Laplacian.
_LARGE = 20_000

#: But if the factor's rows would have more entries than this, the space has more than two dimensions and the gaps
#: may be large. Then Lanczos's method is first, and goes on if it seems to need at most so many restarts.
_WIDE = 200
_SOON = 24

#: Up to so many entries in a row of the factor, a matrix is factorised for the upper end. Measured: at 3000 points
#: in space (68 entries) both solvers took equally long; on surfaces (40 entries at 10^5 points) the inverse was 5
#: times faster, in space at 30 000 points (230 entries) 5 times slower.
_MOST_FILL = 64


@dataclass(frozen=True)
class Auto:
    """LAPACK for small problems, then what is expected to be fastest.

    Without a sparse matrix (`Known.matrix`) that is Lanczos's method on the operator. With one it is the inverse,
    unless its factors are expected to be large: for the upper end, where Lanczos's method converges faster, more
    than 64 entries in a row, for the lower end more than 5e8 in all. For a Laplacian of 20 000 rows or more it is
    multigrid, unless the graph has more than two dimensions and Lanczos's method converges soon.

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
        if problem.known.matrix is None:
            return self._lanczos(problem)
        try:
            return self._at_the_bottom(problem) if problem.end == "smallest" else self._at_the_top(problem)
        except ConvergenceError:  # the matrix, or a part of it, cannot be factorised
            return self._lanczos(problem)

    def _lanczos(self, problem: Problem) -> EigenPairs:
        return Lanczos(self.max_restarts).pairs(problem)

    def _at_the_bottom(self, problem: Problem) -> EigenPairs:
        from lpgraph.spectral.shift_invert import by_root, first_shift

        if problem.known.root is not None:
            root = problem.known.root()
            # The shift makes the parts regular; the fill-in does not depend on it.
            found = None if _too_large(root, 1.0) else by_root(problem, root)
            if found is not None:
                return found
        matrix = problem.known.formed()
        if _too_large(matrix, first_shift(problem, matrix)):
            # Lanczos's method needs thousands of products there, but no memory.
            return self._lanczos(problem)
        return self._by_inverse(problem, matrix)

    def _at_the_top(self, problem: Problem) -> EigenPairs:
        from lpgraph.spectral.shift_invert import expected_fill, first_shift

        known, matrix = problem.known, problem.known.formed()
        fill = expected_fill(matrix, first_shift(problem, matrix))
        if known.smooth is None or known.origin is None or problem.size < _LARGE:
            return self._by_inverse(problem, matrix) if fill <= _MOST_FILL else self._lanczos(problem)
        from lpgraph.spectral.multigrid import by_cycles

        if fill > _WIDE:
            found = Lanczos(_SOON, early=True).pairs(problem)
            if problem.solved_by(found):
                return found
            problem = replace(problem, start=found.vectors)
        by_grids = by_cycles(problem, matrix)
        return by_grids if by_grids is not None and problem.solved_by(by_grids) else self._lanczos(problem)

    def _by_inverse(self, problem: Problem, matrix: sparse.csr_array) -> EigenPairs:
        from lpgraph.spectral.shift_invert import by_shifts

        return by_shifts(problem, matrix)


def _too_large(matrix: sparse.csr_array, shift: float) -> bool:
    from lpgraph.spectral.shift_invert import expected_fill

    n = matrix.shape[0]
    return n * n > 2 * _MOST_ENTRIES and expected_fill(matrix, shift) * n > _MOST_ENTRIES


def solver_named(name: object) -> Solver:
    """Return the solver that a parameter names: "auto", "lapack", "lanczos", "inverse" or "multigrid"."""
    from lpgraph.spectral.multigrid import Multigrid
    from lpgraph.spectral.shift_invert import ShiftInvert

    solvers: dict[str, Solver] = {
        "auto": Auto(),
        "lapack": Lapack(),
        "lanczos": Lanczos(),
        "inverse": ShiftInvert(),
        "multigrid": Multigrid(),
    }
    return solvers[check_choice("solver", name, tuple(solvers))]
