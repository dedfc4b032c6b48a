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

from lpgraph._utils.checks import check_generator
from lpgraph._utils.compiled import blas_alone
from lpgraph.spectral.completion import LowRank, core, estimated
from lpgraph.spectral.dimension import CRITICAL, EIGENVALUE_CV, DimensionChoice
from lpgraph.spectral.eigenvalue_cv import BATCH, RESTARTS, held_out_parts, split_entries, z_statistics
from lpgraph.spectral.whole_matrix import LARGEST

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph._utils.types import Array, Seed
    from lpgraph.spectral.completion import Partial
    from lpgraph.spectral.problem import End


@blas_alone()
def completed_rank(partial: Partial, end: End = "magnitude", random_state: Seed = None) -> DimensionChoice:
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
    rng = check_generator(0 if random_state is None else random_state)
    n, folds = partial.known.shape[0], _folds(partial, rng)
    most, found = min(LARGEST, n), np.empty(0)
    for rank in range(most):
        # The parts that are held out are disjoint, so that their statistics are nearly independent.
        z = np.sum([fold.statistics(min(rank + BATCH, n), end, rng) for fold in folds], axis=0)
        found = np.append(found, z.max() / np.sqrt(len(folds)))
        if found[-1] <= CRITICAL:
            return DimensionChoice(EIGENVALUE_CV, max(rank, 1), False, found)
        for fold in folds:
            fold.fit(rank + 1, end)
        if not any(fold.low.values[-1] for fold in folds):  # below the noise, and so not filled in
            return DimensionChoice(EIGENVALUE_CV, rank + 1, False, found)
    return DimensionChoice(EIGENVALUE_CV, most, True, found)


def _folds(partial: Partial, rng: np.random.Generator) -> list[_Fold]:
    """Return one division of the edges, or several if there are few, in which each edge is held out once."""
    seed, folds = int(rng.integers(1 << 62)), []
    for low, high in held_out_parts(partial.known.nnz * (2 if partial.directed else 1)):
        again = np.random.default_rng(seed)
        train, test = split_entries(partial.known, low, high, again, symmetric=not partial.directed)
        train.data /= 1 - (high - low)
        folds.append(_Fold(partial, replace(partial, known=train), test, high - low))
    return folds


class _Fold:
    """A division of the edges: the kept ones, scaled to the whole, with a fit to them, and those held out.

    `low` is the fit, and `pairs` are the leading eigenvectors of the matrix that it completes.
    """

    pairs: LowRank

    def __init__(self, whole: Partial, kept: Partial, test: sparse.csr_array, share: float) -> None:
        self.whole, self.kept, self.test, self.share = whole, kept, test, share
        nothing = np.empty((kept.known.shape[0], 0))
        self.low = LowRank(nothing, np.empty(0), nothing)

    def statistics(self, count: int, end: End, rng: np.random.Generator) -> Array:
        """Return the z statistics of the leading eigenvectors, or singular vectors, that the fit lacks."""
        operator = self.kept.filled(self.low, self.low.at(self.kept.listed))
        self.pairs = core(operator, count, end, rng, restarts=RESTARTS)
        pairs, squares = self.pairs.take(slice(len(self.low.values), None)), self.whole.known.power(2)
        left, right = pairs.left, pairs.right
        expected = self.share * self.whole.observed_product(self.low, right)
        held_out = np.einsum("ij,ij->j", left, self.test @ right - expected)
        variance = np.einsum("ij,ij->j", left**2, squares @ right**2)
        if not self.whole.directed:
            variance = 2 * variance - squares.diagonal() @ left**4
        return z_statistics(pairs.values, held_out, self.share * variance, end)

    def fit(self, rank: int, end: End) -> None:
        """Fit to the kept edges, from the eigenvectors found last."""
        pairs = self.pairs.take(slice(rank))
        values = pairs.values.copy()
        # A start has the value of all pairs; only observed pairs contribute to that of the completed matrix.
        values[-1] *= len(pairs.left) ** 2 / self.whole.n_observed
        self.low = estimated(self.kept, replace(pairs, values=values), end)[0]
