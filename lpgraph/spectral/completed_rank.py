"""The number of dimensions of a network with unobserved pairs, by edges that are held out.

Cross-validated eigenvalues (see `lpgraph.spectral.eigenvalue_cv`) would count directions that the unobserved pairs
make: with zeros in their places, the matrix of the observed pairs has a larger rank than that of all pairs. Here
the rank grows one by one. A fit to the kept edges fills the unobserved pairs in, and its next eigenvectors u are
tested by the residuals of the held-out edges, ``u' (M o (A - X)) u``, whose mean is 0 if X has all dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_generator
from lpgraph._utils.compiled import blas_alone
from lpgraph.spectral.completion import LowRank, core, estimated
from lpgraph.spectral.dimension import CRITICAL, EIGENVALUE_CV, DimensionChoice
from lpgraph.spectral.eigenvalue_cv import BATCH, FEW, LARGEST, RESTARTS, SHARE, split_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.spectral.completion import Partial
    from lpgraph.spectral.problem import End

    Array = NDArray[np.float64]


@blas_alone()
def completed_rank(
    partial: Partial, end: End = "magnitude", random_state: int | np.random.Generator | None = None
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
    rng = check_generator(0 if random_state is None else random_state)
    n, folds = partial.known.shape[0], _folds(partial, rng)
    lows = [LowRank(np.empty((n, 0)), np.empty(0), np.empty((n, 0)))] * len(folds)
    most, found = min(LARGEST, n), np.empty(0)
    for rank in range(most):
        looks = [fold.look(low, min(rank + BATCH, n), end, rng) for fold, low in zip(folds, lows, strict=True)]
        # The parts that are held out are disjoint, so that their statistics are nearly independent.
        z = np.sum([fold.statistics(*look, end) for fold, look in zip(folds, looks, strict=True)], axis=0)
        found = np.append(found, z.max() / np.sqrt(len(folds)))
        if found[-1] <= CRITICAL:
            return DimensionChoice(EIGENVALUE_CV, max(rank, 1), False, found)
        lows = [
            estimated(fold.kept, fold.start(pairs.take(slice(rank + 1))), end)[0]
            for fold, (_, pairs) in zip(folds, looks, strict=True)
        ]
        if not any(low.values[-1] for low in lows):  # below the noise, and so not filled in
            return DimensionChoice(EIGENVALUE_CV, rank + 1, False, found)
    return DimensionChoice(EIGENVALUE_CV, most, True, found)


def _folds(partial: Partial, rng: np.random.Generator) -> list[_Fold]:
    """Return one division of the edges, or several if there are few, in which each edge is held out once."""
    entries = partial.known.nnz * (2 if partial.directed else 1)
    parts = next((parts for limit, parts in FEW.items() if entries <= limit), 1)
    cuts = [0.0, SHARE] if parts == 1 else np.linspace(0.0, 1.0, parts + 1).tolist()
    seed, folds = int(rng.integers(1 << 62)), []
    for low, high in pairwise(cuts):
        again = np.random.default_rng(seed)
        train, test = split_entries(partial.known, low, high, again, symmetric=not partial.directed)
        train.data /= 1 - (high - low)
        folds.append(_Fold(partial, replace(partial, known=train), test, high - low))
    return folds


@dataclass(frozen=True, eq=False)
class _Fold:
    """A division of the edges: the kept ones, scaled to the whole, and those that are held out."""

    whole: Partial
    kept: Partial
    test: sparse.csr_array
    share: float

    def look(self, low: LowRank, count: int, end: End, rng: np.random.Generator) -> tuple[LowRank, LowRank]:
        """Return a fit to the kept edges, and the leading eigenvectors of the matrix that it completes."""
        operator = self.kept.filled([(1.0, low, low.at(self.kept.listed))])
        return low, core(operator, count, end, rng, restarts=RESTARTS)

    def start(self, pairs: LowRank) -> LowRank:
        """Return a start whose last value is that of all pairs; only observed pairs contribute to that of W."""
        values = pairs.values.copy()
        values[-1] *= len(pairs.left) ** 2 / self.whole.n_observed
        return replace(pairs, values=values)

    def statistics(self, low: LowRank, pairs: LowRank, end: End) -> Array:
        """Return the z statistics of the eigenvectors, or pairs of singular vectors, after those of the fit."""
        pairs, squares = pairs.take(slice(len(low.values), None)), self.whole.known.power(2)
        left, right = pairs.left, pairs.right
        expected = self.share * self.whole.observed_product(low, right)
        held_out = np.einsum("ij,ij->j", left, self.test @ right - expected)
        variance = np.einsum("ij,ij->j", left**2, squares @ right**2)
        if not self.whole.directed:
            variance = 2 * variance - squares.diagonal() @ left**4
        sign = np.sign(pairs.values) if end == "magnitude" else (pairs.values > 0).astype(float)
        spread = np.sqrt(self.share * np.maximum(variance, 0.0))
        return np.asarray(np.divide(sign * held_out, spread, out=np.zeros(len(sign)), where=spread > 0))
