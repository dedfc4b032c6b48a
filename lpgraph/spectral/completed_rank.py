"""The number of dimensions of a network with unobserved pairs, by edges that are held out.

Cross-validated eigenvalues (see `lpgraph.spectral.eigenvalue_cv`) would count directions that the unobserved pairs
make: with zeros in their places, the matrix of the observed pairs has a larger rank than that of all pairs. Here
the rank grows one by one. A fit to the kept edges fills the unobserved pairs in, and its next eigenvectors u are
tested by the residuals of the held-out edges, ``u' (M o (A - X)) u``, whose mean is 0 if X has all dimensions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import check_generator
from lpgraph._threads import blas_alone
from lpgraph.spectral.choice import CRITICAL, DimensionChoice
from lpgraph.spectral.completion import LowRank, core, estimated
from lpgraph.spectral.eigenvalue_cv import BATCH, LARGEST, SHARE
from lpgraph.spectral.scree import EIGENVALUE_CV
from lpgraph.spectral.split import split_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.completion import Partial

    Array = NDArray[np.float64]

__all__ = ["completed_rank"]


@blas_alone()
def completed_rank(
    partial: Partial, which: str = "LM", random_state: int | np.random.Generator | None = None
) -> DimensionChoice:
    """Return the least rank whose fit leaves no significant eigenvector, at least 1 and at most 64.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from scipy import sparse
    >>> from lpgraph.spectral.completed_rank import completed_rank
    >>> from lpgraph.spectral.completion import Partial
    >>> graph = lp.stochastic_block_model([80, 80], [[0.6, 0.1], [0.1, 0.6]], random_state=0)
    >>> completed_rank(Partial(graph.adjacency, sparse.csr_array((160, 160)), True, False)).n_components
    2
    """
    n = partial.known.shape[0]
    rng = check_generator(0 if random_state is None else random_state)
    train, test = split_entries(partial.known, 0.0, SHARE, rng, symmetric=not partial.directed)
    train.data /= 1 - SHARE
    kept = replace(partial, known=train)
    low = LowRank(np.empty((n, 0)), np.empty(0), np.empty((n, 0)))
    most, found = min(LARGEST, n), np.empty(0)
    for rank in range(most):
        operator = kept.filled([(1.0, low, low.at(kept.listed))])
        pairs = core(operator, min(rank + BATCH, n), which, 0.0, rng)
        z = _statistics(partial, low, pairs.take(slice(rank, None)), test, which)
        found = np.append(found, z.max())
        if z.max() <= CRITICAL:
            return DimensionChoice(EIGENVALUE_CV, max(rank, 1), False, found)
        low = estimated(kept, pairs.take(slice(rank + 1)), which)[0]
        if not low.values[-1]:  # below the noise that shrinks eigenvalues, and so not filled in
            return DimensionChoice(EIGENVALUE_CV, rank + 1, False, found)
    return DimensionChoice(EIGENVALUE_CV, most, True, found)


def _statistics(partial: Partial, low: LowRank, pairs: LowRank, test: sparse.csr_array, which: str) -> Array:
    """Return the z statistics of eigenvectors, or of pairs of singular vectors."""
    left, right = pairs.left, pairs.right
    held_out = np.einsum("ij,ij->j", left, test @ right - SHARE * partial.observed_product(low, right))
    squares = partial.known.power(2)
    variance = np.einsum("ij,ij->j", left**2, squares @ right**2)
    if not partial.directed:
        variance = 2 * variance - squares.diagonal() @ left**4
    sign = np.sign(pairs.values) if which == "LM" else (pairs.values > 0).astype(float)
    spread = np.sqrt(SHARE * np.maximum(variance, 0.0))
    return np.asarray(np.divide(sign * held_out, spread, out=np.zeros(len(sign)), where=spread > 0))
