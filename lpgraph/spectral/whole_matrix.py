"""Two rules for the number of dimensions that need the whole matrix: sign flips and residual subsampling.

Parallel analysis by sign flips: Hong, D., Sheng, Y. & Dobriban, E. (2020), "Selecting the number of components in
PCA via random signflips", arXiv:2012.02985. A random sign for each entry destroys low-rank structure and keeps the
size of each entry, so that networks with very different degrees have a threshold of their own. The entries keep
the second moment p in place of the variance p (1 - p): in dense networks the threshold is too high.

Residual subsampling: Han, X., Yang, Q. & Fan, Y. (2019), "Universal rank inference via residual subsampling with
application to large networks", arXiv:1912.11583. With k dimensions fitted, the residuals of all entries are close
to the noise, but their sum is not: errors of the fit add up. In a small random part they do not, and the sum is
approximately normal if k is the rank.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_generator
from lpgraph._utils.compiled import slices
from lpgraph._utils.types import Array, Integers, Seed
from lpgraph.spectral.dimension import (
    LEVEL,
    RESIDUAL_SUBSAMPLING,
    SIGN_FLIPS,
    DimensionChoice,
    by_ranks,
    leading,
    two_sided,
)
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.operators import SymmetricOperator
from lpgraph.spectral.problem import EigenPairs, End, SingularTriplets

#: Pairs of the first look; each next one has twice as many.
_FIRST = 8

#: The largest number of dimensions that rules with tests try.
LARGEST = 64

#: Number of matrices with random signs: an eigenvalue must be above those of all, for a p-value of 0.05.
FLIPS = 19

#: Bound on the residuals: their squares are the errors of the eigenvalues.
_TOL = 3e-3

#: Sampled pairs times dimensions, at a time: 32 MB.
_CHUNK = 1 << 22

#: Most pairs that are sampled: the part becomes smaller in large networks.
_MOST = 5_000_000

#: Returns the k leading pairs, to a few digits.
Leading: TypeAlias = Callable[[int], EigenPairs | SingularTriplets]

#: Returns the operator with a random sign for each entry.
Flip: TypeAlias = Callable[[np.random.Generator], SymmetricOperator]


def above_flips(pairs_of: Leading, edges: Array, end: End, most: int) -> DimensionChoice:
    """Return the number of leading eigenvalues above those of matrices with random signs, one at least.

    Parameters
    ----------
    pairs_of : callable
        Returns the k leading pairs.
    edges : ndarray
        The leading eigenvalues of the matrices with random signs, as `flipped_edges` returns them.
    end : {"magnitude", "largest"}
        The end of the spectrum.
    most : int
        The largest number of dimensions.
    """
    k = min(_FIRST, most)
    while True:
        values = pairs_of(k).values
        # At the upper end negative values are not wanted.
        values = values if end == "magnitude" else np.maximum(values, 0.0)
        count = leading(by_ranks(values, edges), LEVEL)
        if count < k or k == most:
            return DimensionChoice(SIGN_FLIPS, max(1, count), count == most, values=values, edges=edges)
        k = min(2 * k, most)


def by_residuals(
    pairs_of: Leading,
    matrix: sparse.csr_array,
    most: int,
    random_state: Seed,
) -> DimensionChoice:
    """Return the least number of dimensions, one at least, whose residuals pass the test.

    Parameters
    ----------
    pairs_of : callable
        Returns the k leading pairs; those of a directed network are `SingularTriplets`.
    matrix : csr_array of shape (n, n)
        The matrix that is decomposed.
    most : int
        The largest number of dimensions.
    random_state : int, Generator or None
        Seed of the sampled pairs; None is 0.
    """
    seed = int(check_generator(0 if random_state is None else random_state).integers(1 << 62))
    k = min(_FIRST, most)
    while True:
        rng = np.random.default_rng(seed)  # every look samples the same pairs
        pairs = pairs_of(k)
        z = residual_statistics(matrix, pairs.values, (pairs.left, pairs.right), rng)
        accepted = np.flatnonzero(two_sided(z[1:]) > LEVEL)
        if len(accepted) or k == most:
            count = int(accepted[0]) + 1 if len(accepted) else k
            return DimensionChoice(RESIDUAL_SUBSAMPLING, count, not len(accepted), z=z, values=pairs.values)
        k = min(2 * k, most)


def flipped_entries(matrix: sparse.csr_array, rng: np.random.Generator, *, symmetric: bool) -> sparse.csr_array:
    """Return the matrix with random signs, of pairs (i, j) and (j, i) together if it is symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.whole_matrix import flipped_entries
    >>> matrix = sparse.csr_array(np.ones((3, 3)))
    >>> flipped = flipped_entries(matrix, np.random.default_rng(0), symmetric=True)
    >>> (flipped != flipped.T).nnz, abs(flipped).sum()
    (0, np.float64(9.0))
    """
    half = sparse.csr_array(sparse.triu(matrix)) if symmetric else matrix.copy()
    half.data = half.data * (2.0 * rng.integers(0, 2, len(half.data)) - 1.0)
    return sparse.csr_array(half + sparse.triu(half, 1).T) if symmetric else half


def flipped_edges(flip: Flip, end: End, random_state: Seed, flips: int = FLIPS) -> Array:
    """Return the leading eigenvalues, or their magnitudes, of `flips` matrices with random signs.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.spectral.whole_matrix import flipped_edges
    >>> graph = lp.erdos_renyi(200, 0.1, random_state=0)
    >>> resampling = lp.AdjacencySpectralEmbedding()._construct(lp.as_adjacency(graph)).resampling
    >>> bool((abs(flipped_edges(resampling.flip, "magnitude", 0, 3) / (2 * 20**0.5) - 1) < 0.1).all())
    True
    """
    rng = check_generator(0 if random_state is None else random_state)
    remedies = "a number as n_components"
    found = [eigenpairs(flip(rng), 1, end, tol=_TOL, remedies=remedies) for _ in range(flips)]
    return np.abs([pairs.values[0] for pairs in found])


def residual_statistics(
    matrix: sparse.csr_array,
    values: Array,
    sides: tuple[Array, Array],
    rng: np.random.Generator,
) -> Array:
    r"""Return the statistics of the hypotheses that 0, 1, ..., K dimensions are enough.

    :math:`T_k = \sqrt m \sum w_{ij} y_{ij} / (\sum w_{ij}^2)^{1/2}` over the pairs i < j, or over all i != j if
    the matrix is not symmetric. Here w are the residuals of k dimensions, and each y is 1 with probability 1 / m,
    and otherwise 0. This is their T_n for networks without loops; m is the root of n, or more if over 5 million
    pairs were sampled otherwise.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
    values, sides : ndarray of shape (K,), and two of shape (n, K)
        The leading eigenpairs, with the same array on both sides, or singular triplets. With eigenpairs, entries
        (i, j) and (j, i) are one pair.
    rng : Generator
        Source of y.

    Returns
    -------
    ndarray of shape (K + 1,)

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> from lpgraph.spectral.whole_matrix import residual_statistics
    >>> A = lp.as_adjacency(lp.erdos_renyi(400, 0.2, random_state=0)).matrix
    >>> values, vectors = np.linalg.eigh(A.toarray())
    >>> first = vectors[:, -1:]
    >>> abs(residual_statistics(A, values[-1:], (first, first), np.random.default_rng(0))) > 3
    array([ True, False])
    """
    left, right = sides
    symmetric, (n, K) = left is right, left.shape
    m = max(np.sqrt(n), n * n / (2 * _MOST))
    rows, columns = _sampled(n, 1 / m, symmetric, rng)
    entries = matrix[rows, columns]
    sums = np.zeros(K + 1)
    for part in slices(len(rows), max(1, _CHUNK // (K + 1))):
        fitted = np.zeros((len(rows[part]), K + 1))
        np.cumsum(left[rows[part]] * values * right[columns[part]], axis=1, out=fitted[:, 1:])
        sums += entries[part].sum() - fitted.sum(axis=0)
    # The fit is orthogonal to its residuals; the diagonal is no pair.
    squares = (matrix.data**2).sum() - np.r_[0.0, np.cumsum(values**2)]
    diagonal = np.zeros((n, K + 1))
    np.cumsum(left * values * right, axis=1, out=diagonal[:, 1:])
    squares -= ((matrix.diagonal()[:, None] - diagonal) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(m) * sums / np.sqrt(np.maximum(squares, 0.0) / (2 if symmetric else 1)))


def _sampled(n: int, share: float, symmetric: bool, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Return rows and columns of entries, each sampled with the given probability; of a symmetric matrix i < j."""
    # The gaps between sampled places are geometric.
    expected = n * n * share
    gaps = rng.geometric(share, int(expected + 10 * np.sqrt(expected) + 10))
    places = np.cumsum(gaps) - 1
    rows, columns = np.divmod(places[places < n * n], n)
    kept = rows < columns if symmetric else rows != columns
    return rows[kept], columns[kept]
