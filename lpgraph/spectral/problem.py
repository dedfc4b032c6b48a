"""Eigenproblems: what is wanted, what is known beforehand, what a solver returns, and how that is measured.

A solver is an object with one method, ``pairs(problem)``; each is defined in a file of its own (`Lapack`,
`Lanczos`, `ShiftInvert`, `Multigrid`). A solver's own test of convergence is not relied on: it returns
``problem.measured(vectors, name)``, which multiplies the vectors once more by the operator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, Self, TypeAlias

import numpy as np
import scipy.linalg

from lpgraph._utils.checks import check_generator
from lpgraph._utils.compiled import in_threads
from lpgraph._utils.types import Array, Flags, Floats, Integers, Seed
from lpgraph.errors import ArgumentError
from lpgraph.linalg.room import empty

from .operators import SymmetricOperator, new_product
from .tolerances import NEAR_SHARE, NORM_SHARE, TIE

if TYPE_CHECKING:
    from scipy import sparse


#: Ends of a spectrum: eigenvalues of largest magnitude, the largest ones, or the smallest ones.
End: TypeAlias = Literal["magnitude", "largest", "smallest"]


@dataclass(frozen=True, eq=False)
class _Found:
    """What eigenpairs and singular triplets have in common."""

    values: Array
    residuals: Array
    solver: str
    iterations: int
    products: int
    norm: float

    def __len__(self) -> int:
        return len(self.values)

    def take(self, index: slice | Integers | Flags | list[int]) -> Self:
        """Return the chosen pairs or triplets."""
        arrays = {name: part[..., index] for name, part in vars(self).items() if isinstance(part, np.ndarray)}
        return type(self)(**(vars(self) | arrays))


@dataclass(frozen=True, eq=False)
class EigenPairs(_Found):
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

    vectors: Array
    images: Array

    @property
    def left(self) -> Array:
        """The eigenvectors, by the names that `SingularTriplets` has for those of rows and columns."""
        return self.vectors

    right = left

    def sides(self, n: int) -> tuple[Array, Array]:
        """Return the vectors of the n rows of a matrix, and those of its columns, which `Bipartite` has below."""
        if len(self.vectors) == n:
            return self.vectors, self.vectors
        # An eigenvector of [[0, A], [A.T, 0]] is [u; v] / sqrt(2).
        vectors = 2**0.5 * self.vectors
        return vectors[:n], vectors[n:]


@dataclass(frozen=True, eq=False)
class SingularTriplets(_Found):
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
    norm : float
        The largest singular value.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import singular_triplets
    >>> triplets = singular_triplets(np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]]), 1)
    >>> triplets.values, triplets.left.shape, triplets.right.shape
    (array([2.]), (3, 1), (2, 1))
    """

    left: Array
    right: Array
    left_images: Array
    right_images: Array

    @classmethod
    def of_pairs(cls, pairs: EigenPairs, m: int) -> SingularTriplets:
        """Return the triplets of an m x n matrix A from positive eigenpairs of ``[[0, A], [A.T, 0]]``."""
        images = 2**0.5 * pairs.images  # A v in the upper part, and A.T u in the lower
        cost, norm = (pairs.solver, pairs.iterations, pairs.products), float(pairs.values[0])
        return cls(pairs.values, pairs.residuals, *cost, norm, *pairs.sides(m), images[:m], images[m:])


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
    smooth : ndarray of shape (n,), optional
        A vector without zeros whose image by that matrix is small, for multigrid.
    origin : float, optional
        The eigenvalue from which the wanted ones are counted: residuals are relative to the distance from there.
        Wanted eigenvalues that crowd there are otherwise not told apart.
    """

    null: Array | None = None
    first: Callable[[int], KnownPairs] | None = None
    matrix: sparse.csr_array | Callable[[], sparse.csr_array] | None = None
    smooth: Array | None = None
    origin: float | None = None

    def formed(self) -> sparse.csr_array:
        """Return the matrix; raise if there is none."""
        if self.matrix is None:
            raise ArgumentError("There is no sparse matrix to factorise; pass solver='auto'.")
        return self.matrix() if callable(self.matrix) else self.matrix


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
    random_state: Seed = None

    @property
    def size(self) -> int:
        """Number of rows of M."""
        return self.operator.shape[0]

    def generator(self) -> np.random.Generator:
        """Return the source of random numbers; a seed gives a new one, so that each search begins alike."""
        return check_generator(0 if self.random_state is None else self.random_state)

    def measured(
        self,
        found: Floats,
        solver: str,
        norm: float = 0.0,
        *,
        iterations: int = 0,
        products: int = 0,
    ) -> EigenPairs:
        """Return the pairs of the span of nearly orthonormal vectors by Rayleigh-Ritz, their residuals measured.

        The pairs' vectors are orthonormal to rounding, whatever the precision of those that were found.

        Parameters
        ----------
        found : ndarray of shape (n, k)
            Nearly orthonormal, in any precision.
        solver : str
            Name of the solver that found them.
        norm : float
            The largest magnitude of an eigenvalue, as far as it is known; 0 for that of the k eigenvalues.
        iterations, products : int
            The cost so far; see `EigenPairs`.
        """
        operator, (n, k) = self.operator, found.shape
        # Without a scale, the compiled product of a block in single precision is as exact as of one in double.
        exact = operator.product is not None and operator.product.scale is None
        given = found if exact else found.astype(np.float64, copy=False)
        images = np.ascontiguousarray(new_product(operator, given))
        del given  # the vectors take its memory
        vectors: Array = empty((n, k))

        def project(rows: slice) -> Array:
            block = found[rows].astype(np.float64, copy=False)
            return np.stack([block.T @ images[rows], block.T @ block])

        small, metric = np.sum(over_rows(n, k, project), axis=0)
        # The metric corrects for the imperfect orthogonality of a basis in single precision.
        values, rotation = scipy.linalg.eigh((small + small.T) / 2, metric)
        order = wanted(values, self.end)
        values, rotation = values[order], rotation[:, order]

        def rotate(rows: slice) -> Array:
            block, image = vectors[rows], images[rows]
            block[...] = found[rows].astype(np.float64, copy=False) @ rotation
            image[...] = image @ rotation
            return np.asarray(np.square(image - block * values).sum(axis=0))

        gap = np.sqrt(sum(over_rows(n, k, rotate)))
        sign = fix_signs(vectors)
        vectors *= sign
        images *= sign
        norm = norm or float(np.abs(values).max())
        scale = relative_scale(values, norm, self.known.origin)
        residuals = np.divide(gap, scale, out=np.zeros_like(gap), where=scale > 0)
        return EigenPairs(values, residuals, solver, iterations, products + k, norm, vectors, images)

    def solved_by(self, pairs: EigenPairs) -> bool:
        """Whether all residuals are small enough."""
        return float(pairs.residuals.max()) <= self.tol


class Solver(Protocol):
    """A method that finds eigenpairs: one file each, and no list of solvers elsewhere."""

    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs as ``problem.measured(vectors, name)``, converged or not.

        Raise ConvergenceError if there are none at all, such as after a factorisation that failed.
        """


def wanted(values: Array, end: End) -> Integers:
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


def over_rows(n: int, k: int, work: Callable[[slice], Array]) -> list[Array]:
    """Call a function for blocks of rows of an (n, k) array, in threads; return its results in their order.

    The blocks stay in the cache, and their k x k products are too small for BLAS to start its own threads, which
    wait for one another on a busy machine.
    """
    step = max(256, min(65536 // k, 262144 // k**2))
    bounds = [*range(0, n, step), n]
    results: dict[int, Array] = {}

    def one(low: int, high: int) -> None:
        results[low] = work(slice(low, high))

    in_threads(one, bounds)
    return [results[low] for low in bounds[:-1]]


def orthonormal(block: Array, *others: Array) -> Array:
    """Return an orthonormal basis of a block's columns without their parts along orthonormal others."""
    for _ in range(2):  # rounding leaves such parts after the first time
        for other in others:
            block = block - other @ (other.T @ block)
        block = np.linalg.qr(block)[0]
    return block


def fix_signs(vectors: Array) -> Array:
    """Return the sign (+1 or -1) that makes the largest entry of each column positive.

    Entries within a thousandth of the largest count as equally large and the first of them decides, so that
    structural ties, as in a graph with a symmetry, do not depend on the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.problem import fix_signs
    >>> fix_signs(np.array([[0.1, 0.7], [-0.9, -0.7]]))
    array([-1.,  1.])
    """
    sign = np.ones(vectors.shape[1])
    for j, column in enumerate(vectors.T):
        size = np.abs(column)
        sign[j] = -1.0 if column[np.argmax(size >= 0.999 * size.max())] < 0 else 1.0
    return sign
