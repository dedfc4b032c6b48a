r"""Positions of all items from the eigenvectors of a few, the landmarks.

The matrix of the landmarks is decomposed, and other items are placed by their rows with Nystrom's formula, which
is the out-of-sample rule of Tang, Park & Priebe (2013, Section 3.1). For the positions Z of all items,
:math:`Z S Z^T` is a Nystrom approximation of their matrix M.

Passes start from the rows of the landmarks: their leading right singular vectors, which place all items by their
columns there. These have much more of the matrix than the part that landmarks have with one another: of a
network of mean degree 100, a landmark of 5 % has 5 edges with others, but 100 in its row.

A pass places every item again, by its row of all items and the positions so far. As a map of the positions this is
a product with M, so that passes are steps of orthogonal iteration: errors outside of the leading eigenvectors
shrink by about :math:`\lambda_{d + 1} / \lambda_d` in each. Rayleigh-Ritz gives the eigenvalues of the new
positions. In it more eigenvectors than wanted are used, because the last ones are the least exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from scipy import sparse

from lpgraph._utils.checks import check_real
from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.linalg.sparse_structure import is_csr
from lpgraph.spectral.embedding import OfEachSign, check_rank, placed, wanted_pairs
from lpgraph.spectral.operators import Bipartite, Gram
from lpgraph.spectral.problem import EigenPairs, End, Problem, SingularTriplets

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Integers, Seed
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.embedding import Dimension, Pairs, Settings, SpectralEmbedding
    from lpgraph.spectral.operators import MatrixOperator, SymmetricOperator
    from lpgraph.spectral.problem import Solver


#: Tolerances of the vectors from which passes start: of the landmarks' part, and of their rows.
_OF_PART, _OF_ROWS = 1e-3, 0.03

#: Tolerance of the landmarks' own eigenvectors if passes follow.
_COARSE = 1e-3

#: Squared lengths below this share of the largest, of combinations of unit vectors, are left out.
_DEPENDENT = 1e-10

#: Mean number of edges of a landmark with other landmarks, over the ends of edges, and of other landmarks at the
#: end of two edges, below which the positions of nearly all models and real networks that were tried say little
#: of those by all vertices.
_EDGES, _WALKS = 4.0, 36.0

#: Of fewer landmarks these numbers say nothing.
_MANY = 50


@dataclass(frozen=True, eq=False)
class Landmarks:
    """The items by which all others are placed.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The landmarks.
    operator : MatrixOperator
        The matrix of all n items.
    start : MatrixOperator
        The matrix of the landmarks from whose eigenvectors passes start if only the largest eigenvalues are
        wanted: their part of `operator`, or one that is scaled by the degrees among
        landmarks, which have less noise.
    passes : int
        How often all items are placed again.
    solver, random_state
        Of the searches for the vectors from which passes start.
    """

    rows: Integers
    operator: MatrixOperator
    start: MatrixOperator
    passes: int
    solver: Solver
    random_state: Seed

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.operator.matrix.shape[0])

    def lifted(self, vectors: Array) -> Array:
        """Return vectors of landmarks as vectors of all items, 0 elsewhere."""
        result = np.zeros((self.n, vectors.shape[1]))
        result[self.rows] = vectors
        return result

    def _coarse(self, operator: SymmetricOperator, end: End, k: int, tol: float, otherwise: Array) -> Array:
        """Return the k leading eigenvectors of an operator to a tolerance, or others if that fails."""
        problem = Problem(operator, k, end, tol, random_state=self.random_state)
        pairs = self.solver.pairs(problem)
        return pairs.vectors if problem.solved_by(pairs) else otherwise

    def pairs(self, found: EigenPairs, end: End, wanted: OfEachSign | None = None) -> EigenPairs:
        """Return pairs of all items from those of the landmarks.

        Parameters
        ----------
        found : EigenPairs
            The d wanted pairs of the landmarks.
        end : {"magnitude", "largest"}
            Order of the pairs.
        wanted : OfEachSign, optional
            How many of each sign there must be.

        Returns
        -------
        EigenPairs
            d pairs; the vectors are orthonormal. Without a pass, the vectors are 0 except at landmarks, and images
            are not multiples of them.
        """
        d = len(found)
        if not self.passes:
            vectors = self.lifted(found.vectors)
            return replace(found, vectors=vectors, images=self.operator @ vectors)
        k = min(2 * d, len(self.rows))
        if end == "magnitude":  # singular values have no sign
            block = self._placed(found.vectors, k)
        else:
            part = self.start.matrix
            if is_csr(part):
                warn_of_few_edges(part, self.n)
            block = self.operator @ self.lifted(self._coarse(self.start, end, k, _OF_PART, found.vectors))
        ritz = ritz_pairs(self.operator, block, self.passes - 1, end)
        # Positions are divided by the lengths of images: singular vectors of noise combine eigenvectors with both
        # signs, so that their Ritz values are near 0.
        ritz = replace(ritz, values=np.copysign(np.linalg.norm(ritz.images, axis=0), ritz.values))
        if wanted is None:
            return ritz.take(slice(d))
        chosen = wanted.among(ritz.values)
        if len(chosen) < d:
            raise ArgumentError(
                f"align_to has {wanted.positive} positive and {wanted.negative} negative eigenvalues, but "
                f"{len(self.rows)} landmarks do not show so many; pass more landmarks."
            )
        return ritz.take(chosen)

    def triplets(self, found: SingularTriplets) -> SingularTriplets:
        """Return the triplets of all items of a directed network from those of the landmarks, as `pairs` does."""
        operator, d = self.operator, len(found)
        assert isinstance(operator, Bipartite)  # of directed networks
        if not self.passes:
            left, right = self.lifted(found.left), self.lifted(found.right)
            images = operator @ np.vstack([left, right])
            return replace(
                found, left=left, right=right, left_images=images[: self.n], right_images=images[self.n :]
            )
        k = min(2 * d, len(self.rows))
        into, out = self._placed(found.left, k), self._placed(found.right, k, transposed=True)
        ritz = ritz_triplets(operator, out, into, self.passes - 1)
        sizes = [np.linalg.norm(images, axis=0) for images in (ritz.left_images, ritz.right_images)]
        return replace(ritz, values=np.sqrt(sizes[0] * sizes[1])).take(slice(d))

    def _placed(self, found: Array, k: int, *, transposed: bool = False) -> Array:
        """Return the leading right singular vectors of the landmarks' rows, or columns, not of unit length."""
        rows = self.operator.some_rows(self.rows, transposed=transposed)
        if is_csr(rows):
            _warn_of_few_walks(rows)
        gram = Gram(rows)
        return gram.back(self._coarse(gram, "largest", k, _OF_ROWS, found))

    @blas_alone()
    def error(self, found: SpectralEmbedding) -> float:
        r"""Return :math:`\|M - Z S Z^T\|_F / \|M\|_F` for the positions Z of all items, or that of the two sides.

        The square is :math:`\|M\|^2 - 2 \operatorname{tr}(S Z^T M Z) + \operatorname{tr}((S Z^T Z)^2)`, which
        takes one product with M.
        """
        out, into = found.coordinates, found.coordinates_in
        every = out if into is None else np.vstack([out, into])
        forms = np.einsum("ij,ij->j", every, self.operator @ every)  # x' M x for each column x
        if into is None:
            signs = np.sign(found.values)
            gram = (out * signs).T @ out
            fitted, cross = (gram * gram.T).sum(), forms @ signs
        else:
            # The form of both sides together has each product twice.
            fitted, cross = ((out.T @ out) * (into.T @ into)).sum(), forms.sum() / 2
        whole = self.operator.squared_norm()
        return float(np.sqrt(max(whole - 2 * cross + fitted, 0.0) / whole))


def embed_by_landmarks(
    part: Construction, landmarks: Landmarks, n_components: Dimension | OfEachSign, settings: Settings
) -> SpectralEmbedding:
    """Return the embedding of all items from the construction of the landmarks.

    Parameters
    ----------
    part : Construction
        The operator of the landmarks.
    landmarks : Landmarks
        How all items are placed.
    n_components, settings
        As in `lpgraph.spectral.embedding.embed`.
    """
    settings = replace(settings, more=", or more landmarks")
    if landmarks.passes:
        # The landmarks' eigenvectors are a start.
        tol = check_real("tol", settings.tol, low=0.0, high=0.1, open_low=True)
        settings = replace(settings, tol=max(tol, _COARSE))
    pairs, scree, choice = wanted_pairs(part, n_components, settings)
    if isinstance(pairs, SingularTriplets):
        every: Pairs = landmarks.triplets(pairs)
    else:
        wanted = n_components if isinstance(n_components, OfEachSign) else None
        every = landmarks.pairs(pairs, part.end, wanted)
    check_rank(every, part, settings, count=len(pairs))
    found = replace(placed(part, every, scree), choice=choice)
    return replace(found, nystrom_error=landmarks.error(found))


@blas_alone()
def ritz_pairs(operator: SymmetricOperator, block: Array, products: int, end: End) -> EigenPairs:
    """Return the Ritz pairs of ``M^products block``, in the order of an end.

    Parameters
    ----------
    operator : SymmetricOperator
        M.
    block : ndarray of shape (n, k)
        The first vectors.
    products : int
        How often they are multiplied; Rayleigh-Ritz takes one more product.
    end : {"magnitude", "largest"}
        Order of the pairs.

    Returns
    -------
    EigenPairs
        k pairs, or fewer if the vectors are dependent; not converged.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.operators import Matrix
    >>> from lpgraph.spectral.landmarks import ritz_pairs
    >>> pairs = ritz_pairs(Matrix(np.diag([4.0, -2.0, 1e-3])), np.ones((3, 2)) + np.eye(3)[:, :2], 2, "magnitude")
    >>> pairs.values.round(6)
    array([ 4., -2.])
    """
    k = block.shape[1]
    for _ in range(products):
        block = operator @ _orthonormal(block)
    found = _orthonormal(block)
    return Problem(operator, k, end).measured(found, "subspace", iterations=products, products=products * k)


@blas_alone()
def ritz_triplets(operator: Bipartite, left: Array, right: Array, products: int) -> SingularTriplets:
    """Return the approximate singular triplets of A in the spans of two blocks that are multiplied by A and A.T.

    Parameters
    ----------
    operator : Bipartite
        ``[[0, A], [A.T, 0]]``.
    left, right : ndarray of shape (m, k) and (n, k)
        The first vectors.
    products : int
        How often they are multiplied.

    Returns
    -------
    SingularTriplets
        k triplets, or fewer if vectors are dependent; not converged. The values decrease.
    """
    m, k = left.shape
    # The eigenvectors of the operator are [u; v] and [u; -v]: both halves are projected by themselves.
    out, into = _orthonormal(left), _orthonormal(right)
    for _ in range(products):
        images = operator @ scipy.linalg.block_diag(out, into)
        out, into = _orthonormal(images[:m, out.shape[1] :]), _orthonormal(images[m:, : out.shape[1]])
    rank, apart = min(out.shape[1], into.shape[1]), scipy.linalg.block_diag(out, into)
    cost = {"iterations": products, "products": 2 * products * k}
    pairs = Problem(operator, k, "largest").measured(apart, "subspace", **cost)
    return SingularTriplets.of_pairs(pairs.take(slice(rank)), m)


def _orthonormal(block: Array) -> Array:
    """Return an orthonormal basis of the span of the columns, to about 1e-6, without nearly dependent directions.

    The eigenvectors of the small matrix of scalar products give it in less than half of the time of a QR
    decomposition. `measured` corrects for what is missing to orthonormality.
    """
    gram = block.T @ block
    lengths = np.sqrt(np.diagonal(gram))
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    values, vectors = np.linalg.eigh(gram * np.multiply.outer(inverse, inverse))
    kept = values > _DEPENDENT * values[-1]
    return np.asarray(block @ (inverse[:, None] * vectors[:, kept] / np.sqrt(values[kept])))


def warn_of_few_edges(part: sparse.csr_array, n: int) -> None:
    """Warn if the landmarks' own network, of n vertices, is so sparse that it shows no structure."""
    out, into = _counts(part)
    _warn_below(_EDGES, ((out**2).sum() + (into**2).sum()) / (2 * part.nnz), part.shape[0], n)


def _warn_of_few_walks(part: sparse.csr_array) -> None:
    """Warn if two edges lead from a landmark to so few others that the landmarks' rows show no structure."""
    out, into = _counts(part)
    walks = (out * (out - 1)).sum() * (into * (into - 1)).sum() / max(part.nnz, 1) ** 2
    _warn_below(_WALKS, walks, *part.shape)


def _counts(part: sparse.csr_array) -> tuple[Array, Array]:
    """Return how many entries each row and each column has."""
    return np.diff(part.indptr).astype(float), np.bincount(part.indices, minlength=part.shape[1]).astype(float)


def _warn_below(least: float, found: float, m: int, n: int) -> None:
    """Warn if the number `found` of m landmarks of n vertices is below `least`."""
    if found < least and _MANY <= m < n:
        warn(
            f"The {m} landmarks have few edges ({found:.1f} where {least:g} are needed), so that positions are "
            "mostly noise; pass more landmarks, or fit without LandmarkEmbedding.",
            LpgraphWarning,
        )
