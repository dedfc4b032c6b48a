"""Number of dimensions by parallel analysis with sign flips, which needs the whole matrix.

Parallel analysis by sign flips: Hong, D., Sheng, Y. & Dobriban, E. (2020), "Selecting the number of components in
PCA via random signflips", arXiv:2012.02985. A random sign for each entry destroys low-rank structure and keeps the
size of each entry, so that networks with very different degrees have a threshold of their own. The entries keep
the second moment p in place of the variance p (1 - p): in dense networks the threshold is too high.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_generator
from lpgraph._utils.types import Seed

from .dimension import SIGN_FLIPS, DimensionChoice
from .eigen import eigenpairs
from .operators import SymmetricOperator
from .problem import EigenPairs, End

#: Pairs of the first look; each next one has twice as many.
_FIRST = 8

#: The largest number of dimensions that rules with tests try.
LARGEST = 64

#: Number of matrices with random signs: an eigenvalue must be above those of all, for a p-value of 0.05.
FLIPS = 19

#: Bound on the residuals: their squares are the errors of the eigenvalues.
_TOL = 3e-3

#: Returns the k leading pairs, to a few digits.
Leading: TypeAlias = Callable[[int], EigenPairs]

#: Returns the operator with a random sign for each entry.
Flip: TypeAlias = Callable[[np.random.Generator], SymmetricOperator]


def above_flips(pairs_of: Leading, flip: Flip, end: End, most: int, random_state: Seed) -> DimensionChoice:
    """Return the number of leading eigenvalues above those of matrices with random signs, one at least.

    Parameters
    ----------
    pairs_of : callable
        Returns the k leading pairs.
    flip : callable
        Returns the matrix with random signs.
    end : {"magnitude", "largest"}
        The end of the spectrum.
    most : int
        The largest number of dimensions.
    random_state : int, Generator or None
        Seed of the signs; None is 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.spectral.whole_matrix import above_flips
    >>> ase, graph = lp.AdjacencySpectralEmbedding(8), lp.erdos_renyi(200, 0.1, random_state=0)
    >>> flip = ase._construct(lp.as_adjacency(graph)).resampling.flip
    >>> choice = above_flips(lambda k: eigenpairs(graph.adjacency, k), flip, "magnitude", 8, 0)
    >>> choice.n_components, bool((abs(choice.edges / (2 * 20**0.5) - 1) < 0.1).all())
    (1, True)
    """
    rng = check_generator(0 if random_state is None else random_state)
    remedies = "a number as n_components"
    found = [eigenpairs(flip(rng), 1, end, tol=_TOL, remedies=remedies).values[0] for _ in range(FLIPS)]
    edges, k = np.abs(found), min(_FIRST, most)
    while True:
        values = pairs_of(k).values
        # At the upper end negative values are not wanted.
        values = values if end == "magnitude" else np.maximum(values, 0.0)
        count = int(np.argmin(np.append(np.abs(values) > edges.max(), False)))
        if count < k or k == most:
            return DimensionChoice(SIGN_FLIPS, max(1, count), count == most, values=values, edges=edges)
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
