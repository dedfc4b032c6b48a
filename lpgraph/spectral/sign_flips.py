"""The number of eigenvalues above those of the matrix with random signs: parallel analysis by sign flips.

Hong, D., Sheng, Y. & Dobriban, E. (2020), "Selecting the number of components in PCA via random signflips",
arXiv:2012.02985.

A random sign for each entry destroys low-rank structure and keeps the size of each entry, so that networks with
very different degrees have a threshold of their own. The entries keep the second moment p in place of the variance
p (1 - p): in dense networks the threshold is too high.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lpgraph._checks import check_generator
from lpgraph.spectral.eigen import eigenpairs

if TYPE_CHECKING:
    from lpgraph.spectral.operators import SymmetricOperator

__all__ = ["FLIPS", "Flip", "flipped_edges", "flipped_entries"]

Array: TypeAlias = NDArray[np.float64]

#: Returns the operator with a random sign for each entry.
Flip: TypeAlias = Callable[[np.random.Generator], "SymmetricOperator"]

#: Number of matrices with random signs: an eigenvalue must be above those of all, for a p-value of 0.05.
FLIPS = 19

#: Bound on the residuals: their squares are the errors of the eigenvalues.
_TOL = 3e-3


def flipped_entries(matrix: sparse.csr_array, rng: np.random.Generator, *, symmetric: bool) -> sparse.csr_array:
    """Return the matrix with random signs, of pairs (i, j) and (j, i) together if it is symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.sign_flips import flipped_entries
    >>> matrix = sparse.csr_array(np.ones((3, 3)))
    >>> flipped = flipped_entries(matrix, np.random.default_rng(0), symmetric=True)
    >>> (flipped != flipped.T).nnz, abs(flipped).sum()
    (0, np.float64(9.0))
    """
    half = sparse.csr_array(sparse.triu(matrix)) if symmetric else matrix.copy()
    half.data = half.data * (2.0 * rng.integers(0, 2, len(half.data)) - 1.0)
    return sparse.csr_array(half + sparse.triu(half, 1).T) if symmetric else half


def flipped_edges(flip: Flip, which: str, flips: int, random_state: int | np.random.Generator | None) -> Array:
    """Return the leading eigenvalues, or their magnitudes, of `flips` matrices with random signs.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.spectral.sign_flips import flipped_edges
    >>> graph = lp.erdos_renyi(200, 0.1, random_state=0)
    >>> flip = lp.AdjacencySpectralEmbedding()._construct(lp.as_adjacency(graph)).flip
    >>> bool((abs(flipped_edges(flip, "LM", 3, 0) / (2 * 20**0.5) - 1) < 0.1).all())
    True
    """
    rng = check_generator(0 if random_state is None else random_state)
    remedies = "a number as n_components"
    search = partial(eigenpairs, k=1, which=which, tol=_TOL, random_state=0, remedies=remedies)
    found = [search(flip(rng)) for _ in range(flips)]
    return np.abs([pairs.values[0] for pairs in found])
