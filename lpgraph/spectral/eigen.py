"""Eigenpairs and singular triplets: a problem, what is known of it, and the solver that is called.

A solver is an object with one method, ``pairs(problem)``; each is defined in a file of its own (`Lapack`,
`Lanczos`, `ShiftInvert`, `Multigrid`), and `lpgraph.spectral.auto.Auto` chooses one. A solver's own test of
convergence is not relied on: it returns ``problem.measured(vectors)``, which multiplies the vectors once more by
the operator, and `eigenpairs` raises if a residual ``norm(M v - l v)`` is too large. The embedding uses that
product again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from lpgraph._utils.checks import check_choice, check_generator, check_integer, check_real, is_integer
from lpgraph._utils.compiled import in_threads
from lpgraph.errors import ArgumentError, ArgumentTypeError, ConvergenceError
from lpgraph.linalg.room import empty
from lpgraph.spectral.operators import Bipartite, SymmetricOperator, Wrapped, as_matrix, as_operator, new_product
from lpgraph.spectral.tolerances import NEAR_SHARE, NORM_SHARE, TIE

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph.linalg.matvec import AnyMatrix
    from lpgraph.spectral.operators import Operator

Array: TypeAlias = NDArray[np.float64]

#: Ends of a spectrum: eigenvalues of largest magnitude, the largest ones, or the smallest ones.
End: TypeAlias = Literal["magnitude", "largest", "smallest"]

Result = TypeVar("Result")

ENDS: tuple[End, ...] = ("magnitude", "largest", "smallest")

#: What a caller of this module can change if an iteration does not converge.
REMEDIES = "a larger tol, or a smaller k"


@dataclass(frozen=True, eq=False)
class EigenPairs:
    r"""Eigenvalues and eigenvectors of a symmetric operator, with their residuals and cost.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Eigenvalues in the wanted order: by decreasing magnitude (of a pair +-l the positive one first),
        decreasing, or increasing.
    vectors : ndarray of shape (n, k)
        Orthonormal eigenvectors; in each the entry of largest magnitude is positive.
    images : ndarray of shape (n, k)
        The measured products ``M @ vectors``.
    residuals : ndarray of shape (k,)
        Measured :math:`\|M v - \lambda v\| / \max(|\lambda|, \|M\| / 1000)`: relative to the eigenvalue, or to a
        thousandth of the operator's norm if the eigenvalue is smaller than that. With an `origin` of `eigenpairs`
        relative to the eigenvalue's distance from it, or to the norm / 10^5.
    solver : str
        "lapack", "lanczos", "inverse" (Lanczos's method on an inverse) or "multigrid" (Davidson's method); see
        `lpgraph.spectral.auto`.
    iterations : int
        Restarts of Lanczos's method, steps of Davidson's; 0 for LAPACK.
    products : int
        Number of vectors multiplied by the operator.
    norm : float
        The largest magnitude of an eigenvalue, as far as it is known.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import eigenpairs
    >>> pairs = eigenpairs(np.diag([3.0, -5.0, 1.0]), 2)
    >>> pairs.values.tolist(), pairs.solver
    ([-5.0, 3.0], 'lapack')
    >>> pairs.take([1]).values.tolist()
    [3.0]
    """

    values: Array
    vectors: Array
    images: Array
    residuals: Array
    solver: str
    iterations: int
    products: int
    norm: float

    def __len__(self) -> int:
        return len(self.values)

    @property
    def stacked(self) -> Array:
        """Vectors from which another search of the same operator can start."""
        return self.vectors

    @property
    def left(self) -> Array:
        """The eigenvectors, as `SingularTriplets` calls those of the rows."""
        return self.vectors

    @property
    def right(self) -> Array:
        """The eigenvectors, as `SingularTriplets` calls those of the columns."""
        return self.vectors

    def take(self, index: slice | NDArray[np.intp] | NDArray[np.bool_] | list[int]) -> EigenPairs:
        """Return the chosen pairs."""
        return replace(
            self,
            values=self.values[index],
            vectors=self.vectors[:, index],
            images=self.images[:, index],
            residuals=self.residuals[index],
        )


@dataclass(frozen=True, eq=False)
class SingularTriplets:
    r"""Singular values with their left and right vectors, residuals and cost.

    Attributes
    ----------
    left : ndarray of shape (m, k)
        Left singular vectors u.
    values : ndarray of shape (k,)
        Singular values, decreasing.
    right : ndarray of shape (n, k)
        Right singular vectors v.
    left_images, right_images : ndarray of shape (m, k) and (n, k)
        The measured products ``A @ right`` and ``A.T @ left``.
    residuals : ndarray of shape (k,)
        Measured :math:`\|[A v - s u; A^T u - s v]\| / (\sqrt{2} \max(s, \|A\| / 1000))`.
    solver, iterations, products
        As in `EigenPairs`.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import singular_triplets
    >>> triplets = singular_triplets(np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]]), 1)
    >>> triplets.values, triplets.left.shape, triplets.right.shape
    (array([2.]), (3, 1), (2, 1))
    """

    left: Array
    values: Array
    right: Array
    left_images: Array
    right_images: Array
    residuals: Array
    solver: str
    iterations: int
    products: int

    @classmethod
    def of_pairs(cls, pairs: EigenPairs, m: int) -> SingularTriplets:
        """Return the triplets of an m x n matrix A from positive eigenpairs of ``[[0, A], [A.T, 0]]``."""
        # An eigenvector is [u; v] / sqrt(2); the images are A v in the upper part and A.T u in the lower.
        vectors, images = 2**0.5 * pairs.vectors, 2**0.5 * pairs.images
        found = pairs.residuals, pairs.solver, pairs.iterations, pairs.products
        return cls(vectors[:m], pairs.values, vectors[m:], images[:m], images[m:], *found)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def norm(self) -> float:
        """The largest singular value."""
        return float(self.values[0])

    @property
    def stacked(self) -> Array:
        """Vectors from which another search of the same operator can start."""
        return np.vstack([self.left, self.right])

    def take(self, index: slice | NDArray[np.intp]) -> SingularTriplets:
        """Return the chosen triplets."""
        return replace(
            self,
            left=self.left[:, index],
            values=self.values[index],
            right=self.right[:, index],
            left_images=self.left_images[:, index],
            right_images=self.right_images[:, index],
            residuals=self.residuals[index],
        )


@dataclass(frozen=True, eq=False)
class KnownPairs:
    """Orthonormal eigenvectors at the wanted end of a spectrum, before all others.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Their eigenvalues in the wanted order.
    vectors : csc_array of shape (n, m)
        The eigenvectors.
    left_out : ndarray of shape (m,), optional
        Coefficients of a unit vector in their span that is not wanted; then all values are equal.
    """

    values: Array
    vectors: sparse.csc_array
    left_out: Array | None = None

    def __len__(self) -> int:
        return len(self.values) - (self.left_out is not None)

    def leading(self, k: int) -> tuple[Array, Array]:
        """Return the first k values and vectors."""
        if self.left_out is None:
            return self.values[:k], self.vectors[:, :k].toarray()
        # A Householder reflection maps the first axis to the unwanted vector; its other columns are wanted.
        normal = self.left_out.copy()
        normal[0] += np.copysign(1.0, normal[0])
        normal /= np.linalg.norm(normal)
        vectors = self.vectors[:, 1 : k + 1].toarray()
        vectors -= np.multiply.outer(self.vectors @ normal, 2 * normal[1 : k + 1])
        return self.values[:k], vectors


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of an operator before its eigenvectors are searched; a solver may use it.

    Attributes
    ----------
    null : ndarray of shape (n,), optional
        A unit eigenvector that is not wanted, such as the constant one; not for the end "magnitude". The vectors
        found are orthogonal to it to rounding.
    first : callable, optional
        Returns, for k, `KnownPairs` that come first in the wanted order; then `null` is among them.
    matrix : csr_array or callable, optional
        A sparse positive semi-definite matrix with the wanted eigenvectors at its lower end, or what returns it.
    root : callable, optional
        Returns a square matrix B with ``B.T B`` equal to that matrix and `null`, which has no zeros, as its null
        vector. Its factors have fewer entries.
    smooth : ndarray of shape (n,), optional
        A vector without zeros whose image by that matrix is small, for multigrid.
    origin : float, optional
        The eigenvalue from which the wanted ones are counted: residuals are relative to the distance from there.
        Wanted eigenvalues that crowd there are otherwise not told apart.
    """

    null: Array | None = None
    first: Callable[[int], KnownPairs] | None = None
    matrix: sparse.csr_array | Callable[[], sparse.csr_array] | None = None
    root: Callable[[], sparse.csr_array] | None = None
    smooth: Array | None = None
    origin: float | None = None

    def formed(self) -> sparse.csr_array:
        """Return the matrix; raise if there is none."""
        if self.matrix is None:
            raise ArgumentError("There is no sparse matrix to factorise; pass solver='auto'.")
        return self.matrix() if callable(self.matrix) else self.matrix


@dataclass(frozen=True, eq=False)
class Vectors:
    """What a solver has found, before it is measured.

    Attributes
    ----------
    vectors : ndarray of shape (n, k)
        Nearly orthonormal, in any precision.
    solver : str
        Its name.
    norm : float
        The largest magnitude of an eigenvalue, as far as it is known; 0 for that of the k eigenvalues.
    iterations, products : int
        The cost so far; see `EigenPairs`.
    """

    vectors: NDArray[np.floating]
    solver: str
    norm: float = 0.0
    iterations: int = 0
    products: int = 0


@dataclass(frozen=True, eq=False)
class Problem:
    """The eigenpairs that are wanted, as a solver gets them.

    Attributes
    ----------
    operator : SymmetricOperator
        M.
    k, end : int, str
        How many pairs of which end.
    tol : float
        Bound on the measured residuals.
    known : Known
        What is known of M.
    start : ndarray of shape (n, s), optional
        Vectors to begin with.
    random_state : int, Generator or None
        Seed of starting vectors; None is 0.
    """

    operator: SymmetricOperator
    k: int
    end: End = "magnitude"
    tol: float = 1e-6
    known: Known = field(default_factory=Known)
    start: Array | None = None
    random_state: int | np.random.Generator | None = None

    @property
    def size(self) -> int:
        """Number of rows of M."""
        return self.operator.shape[0]

    def generator(self) -> np.random.Generator:
        """Return the source of random numbers; a seed gives a new one, so that each search begins alike."""
        return check_generator(0 if self.random_state is None else self.random_state)

    def measured(self, found: Vectors) -> EigenPairs:
        """Return the pairs of a solver's vectors, with their residuals."""
        return measured(self.operator, found, self.end, self.known.origin)

    def solved_by(self, pairs: EigenPairs) -> bool:
        """Whether all residuals are small enough."""
        return float(pairs.residuals.max()) <= self.tol


class Solver(Protocol):
    """A method that finds eigenpairs: one file each, and no list of solvers elsewhere."""

    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs as ``problem.measured(vectors)``, converged or not.

        Raise ConvergenceError if there are none at all, such as after a factorisation that failed.
        """


def eigenpairs(
    operator: Operator | AnyMatrix,
    k: int,
    end: End = "magnitude",
    *,
    solver: Solver | None = None,
    tol: float = 1e-6,
    known: Known | None = None,
    start: Array | None = None,
    random_state: int | np.random.Generator | None = None,
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
    from lpgraph.spectral.auto import Auto

    operator, known = as_operator(operator), known or Known()
    n, least = operator.shape[0], known.null is not None and known.first is None
    why = f"but the operator has only {n} rows{', one of them known beforehand' if least else ''}"
    k = check_integer("k", k, low=1, high=n - least, why=why)
    check_choice("end", end, ENDS)
    if end == "magnitude" and least:
        raise ArgumentError(f"end={end!r} with a known null vector; pass 'largest' or 'smallest'.")
    if end == "magnitude" and (known.matrix is not None or known.root is not None):
        raise ArgumentError(
            f"end={end!r} with a known matrix, of which one end is meant; pass 'largest' or 'smallest'."
        )
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


@dataclass(frozen=True, eq=False)
class _Others(Wrapped):
    """``P M P - shift V V'`` with ``P = I - V V'``: M with the eigenvalue ``-shift`` for known eigenvectors V."""

    operator: SymmetricOperator
    vectors: sparse.csc_array
    shift: float

    def __matmul__(self, block: Array) -> Array:
        along = self.vectors.T @ block
        product = self.operator @ (block - self.vectors @ along)
        product -= self.vectors @ (self.vectors.T @ product + self.shift * along)
        return np.asarray(product)


def _beside_known(problem: Problem, first: KnownPairs, solver: Solver, remedies: str) -> EigenPairs:
    """Return the wanted pairs, of which only those that are not known are searched."""
    values, vectors = first.leading(min(problem.k, len(first)))
    vectors *= fix_signs(vectors)
    images = np.asarray(problem.operator @ vectors)
    norm = float(np.abs(first.values).max())
    gap = np.linalg.norm(images - vectors * values, axis=0)
    residuals = gap / relative_scale(values, norm)
    if problem.k <= len(first):
        return EigenPairs(values, vectors, images, residuals, "known", 0, len(values), norm)
    rest = _Others(problem.operator, first.vectors, norm if problem.end == "largest" else 0.0)
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
    random_state: int | np.random.Generator | None = None,
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
        bipartite,
        k,
        "largest",
        solver=solver,
        tol=tol,
        start=start,
        random_state=random_state,
        remedies=remedies,
    )
    return SingularTriplets.of_pairs(pairs, m)


def measured(operator: SymmetricOperator, found: Vectors, end: End, origin: float | None = None) -> EigenPairs:
    """Return the pairs of the span of nearly orthonormal vectors by Rayleigh-Ritz, their residuals measured.

    The pairs' vectors are orthonormal to rounding, whatever the precision of those that were found.
    """
    given = found.vectors
    n, k = given.shape
    images = np.ascontiguousarray(new_product(operator, given, single=operator.exact_in_single))
    if operator.product is not None:
        operator.product.release_blocks()
    vectors: Array = empty((n, k))

    def project(rows: slice) -> tuple[Array, Array]:
        block = given[rows].astype(np.float64, copy=False)
        return block.T @ images[rows], block.T @ block

    parts = over_rows(n, k, project)
    small, metric = (reduce(np.add, (part[side] for part in parts)) for side in (0, 1))
    # The metric corrects for the imperfect orthogonality of a basis in single precision.
    values, rotation = scipy.linalg.eigh((small + small.T) / 2, metric)
    order = wanted(values, end)
    values, rotation = values[order], rotation[:, order]

    def rotate(rows: slice) -> Array:
        block = vectors[rows]
        block[...] = given[rows].astype(np.float64, copy=False) @ rotation
        image = images[rows]
        image[...] = image @ rotation
        return np.asarray(np.square(image - block * values).sum(axis=0))

    gap = np.sqrt(sum(over_rows(n, k, rotate)))
    sign = fix_signs(vectors)
    for array in vectors, images:
        scaled_columns(array, sign, out=array)
    norm = found.norm or float(np.abs(values).max())
    scale = relative_scale(values, norm, origin)
    residuals = np.divide(gap, scale, out=np.zeros_like(gap), where=scale > 0)
    return EigenPairs(values, vectors, images, residuals, found.solver, found.iterations, found.products + k, norm)


def wanted(values: Array, end: End) -> NDArray[np.intp]:
    """Return the indices of `values` in the wanted order, best first.

    "magnitude" breaks the tie of a pair +-l (every eigenvalue of a bipartite graph has one) by taking the positive
    one first. Magnitudes that agree to rounding count as equal, so that the order does not depend on noise.
    """
    if end == "largest":
        return np.argsort(-values, kind="stable")
    if end == "smallest":
        return np.argsort(values, kind="stable")
    magnitude = np.abs(values)
    order = np.argsort(-magnitude, kind="stable")
    ranked = magnitude[order]
    level = np.zeros(len(values), dtype=np.intp)
    if len(values):
        level[1:] = np.cumsum(ranked[:-1] - ranked[1:] > TIE * ranked[0])
    # Within a level and a sign the larger magnitude stays first: of two copies, the more accurate one.
    return order[np.lexsort((values[order] < 0, level))]


def relative_scale(values: Array, norm: float, origin: float | None = None) -> Array:
    """Return what a residual is relative to: its eigenvalue, or norm / 1000 if that is larger.

    With `origin` it is the eigenvalue's distance from there, or norm / 10^5.
    """
    if origin is None:
        return np.maximum(np.abs(values), NORM_SHARE * norm)
    return np.maximum(np.abs(values - origin), NEAR_SHARE * norm)


def over_rows(n: int, k: int, work: Callable[[slice], Result]) -> list[Result]:
    """Call a function for blocks of rows of an (n, k) array, in threads; return its results in their order.

    The blocks stay in the cache, and their k x k products are too small for BLAS to start its own threads, which
    wait for one another on a busy machine.
    """
    step = max(256, min(65536 // k, 262144 // k**2))
    bounds = [*range(0, n, step), n]
    results: dict[int, Result] = {}

    def one(low: int, high: int) -> None:
        results[low] = work(slice(low, high))

    in_threads(one, bounds)
    return [results[low] for low in bounds[:-1]]


def fix_signs(vectors: Array) -> Array:
    """Return the sign (+1 or -1) that makes the largest entry of each column positive.

    Entries within a thousandth of the largest count as equally large and the first of them decides, so that
    structural ties, as in a graph with a symmetry, do not depend on the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import fix_signs
    >>> fix_signs(np.array([[0.1, 0.7], [-0.9, -0.7]]))
    array([-1.,  1.])
    """
    n, k = vectors.shape
    largest = over_rows(n, k, lambda rows: (rows, np.abs(vectors[rows]).max(axis=0)))
    sign = np.ones(k)
    for j, most in enumerate(np.max([block for _, block in largest], axis=0)):
        rows = next(rows for rows, block in largest if block[j] >= 0.999 * most)
        column = vectors[rows, j]
        sign[j] = -1.0 if column[np.argmax(np.abs(column) >= 0.999 * most)] < 0 else 1.0
    return sign


def scaled_columns(array: Array, factors: Array, out: Array | None = None) -> Array:
    """Return an array, `out` if given, with each column multiplied by its factor."""
    result = empty(array.shape) if out is None else out
    over_rows(len(array), array.shape[1], lambda rows: np.multiply(array[rows], factors, out=result[rows]))
    return result
