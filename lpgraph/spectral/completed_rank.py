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

from .auto import Auto
from .completion import ROUGH, LowRank, estimated
from .dimension import CRITICAL, EIGENVALUE_CV, DimensionChoice
from .eigenvalue_cv import BATCH, RESTARTS, Split, held_out_parts, split_entries
from .problem import Problem
from .whole_matrix import LARGEST

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Seed

    from .completion import Partial
    from .problem import EigenPairs, End


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
    seed, n = int(rng.integers(1 << 62)), partial.known.shape[0]
    # One division of the edges, or several if there are few, in which each edge is held out once.
    parts = held_out_parts(partial.known.nnz * (2 if partial.directed else 1))
    folds = [_Fold(partial, low, high, end, seed) for low, high in parts]
    most, found = min(LARGEST, n), np.empty(0)
    for rank in range(most):
        # The parts that are held out are disjoint, so that their statistics are nearly independent.
        z = np.sum([fold.statistics(min(rank + BATCH, n), rng) for fold in folds], axis=0)
        found = np.append(found, z.max() / np.sqrt(len(folds)))
        if found[-1] <= CRITICAL:
            return DimensionChoice(EIGENVALUE_CV, max(rank, 1), False, found)
        for fold in folds:
            fold.fit(rank + 1)
        if not any(fold.low.values[-1] for fold in folds):  # below the noise, and so not filled in
            return DimensionChoice(EIGENVALUE_CV, rank + 1, False, found)
    return DimensionChoice(EIGENVALUE_CV, most, True, found)


class _Fold:
    """A division of the edges: the kept ones, scaled to the whole, with a fit to them, and those held out.

    `low` is the fit, and `pairs` are the leading eigenpairs of the operator that it completes.
    """

    pairs: EigenPairs

    def __init__(self, partial: Partial, low: float, high: float, end: End, seed: int) -> None:
        rng, self.share, self.end = np.random.default_rng(seed), high - low, end
        train, self.test = split_entries(partial.known, low, high, rng, symmetric=not partial.directed)
        train.data /= 1 - self.share
        self.kept, squares = replace(partial, known=train), partial.known.power(2)
        self.squares = partial.operator(squares)
        self.diagonal = np.zeros(self.squares.shape[0]) if partial.directed else squares.diagonal()
        nothing = np.empty((train.shape[0], 0))
        self.low = LowRank(nothing, np.empty(0), nothing)

    def statistics(self, count: int, rng: np.random.Generator) -> Array:
        """Return the z statistics of the leading eigenvectors that the fit lacks."""
        kept, low, entries = self.kept, self.low, self.low.at(self.kept.listed)
        train, side = kept.filled(low, entries), "largest" if kept.directed else self.end
        self.pairs = Auto(RESTARTS).pairs(Problem(train, count, side, ROUGH, random_state=rng))
        expected = replace(low, values=-self.share * low.values)
        test = kept.with_part(self.test, expected, -self.share * entries, unobserved=False)
        split = Split(train, test, self.squares, self.diagonal, self.share)
        return split.statistics(self.pairs.take(slice(len(low.values), None)), self.end)

    def fit(self, rank: int) -> None:
        """Fit to the kept edges, from the eigenvectors found last."""
        n, values = self.kept.known.shape[0], self.pairs.values[:rank].copy()
        # A start has the value of all pairs; only observed pairs contribute to that of the completed matrix.
        values[-1] *= n**2 / self.kept.n_observed
        start = replace(LowRank.of(self.pairs.take(slice(rank)), n), values=values)
        self.low = estimated(self.kept, start, self.end)[0]
