"""Two rules for the number of dimensions that need the whole matrix: sign flips and residual subsampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._checks import check_generator
from lpgraph.spectral.choice import DimensionChoice
from lpgraph.spectral.pairs import EigenPairs, SingularTriplets
from lpgraph.spectral.rank_tests import LEVEL, by_ranks, leading, smallest_accepted
from lpgraph.spectral.residual_subsampling import residual_statistics
from lpgraph.spectral.scree import RESIDUAL_SUBSAMPLING, SIGN_FLIPS
from lpgraph.spectral.sign_flips import FLIPS, flipped_edges

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph.spectral.sign_flips import Flip

__all__ = ["LARGEST", "above_flips", "by_residuals"]

#: The largest number of dimensions that is tried.
LARGEST = 64

#: Pairs of the first look; each next one has twice as many.
_FIRST = 8

#: Returns the k leading pairs, to a few digits.
Leading: TypeAlias = Callable[[int], EigenPairs | SingularTriplets]


def above_flips(
    pairs_of: Leading,
    flip: Flip,
    which: str,
    most: int,
    random_state: int | np.random.Generator | None,
    *,
    flips: int = FLIPS,
    level: float = LEVEL,
) -> DimensionChoice:
    """Return the number of leading eigenvalues above those of matrices with random signs, one at least.

    Parameters
    ----------
    pairs_of : callable
        Returns the k leading pairs.
    flip : callable
        Returns the operator with random signs.
    which : {"LM", "LA"}
        The end of the spectrum.
    most : int
        The largest number of dimensions.
    random_state : int, Generator or None
        Seed of the signs; None is 0.
    flips : int, default 19
        Number of matrices with random signs.
    level : float, default 0.05
        An eigenvalue counts if its p-value is at most this.
    """
    edges = flipped_edges(flip, which, flips, random_state)
    k = min(_FIRST, most)
    while True:
        values = pairs_of(k).values
        # At the upper end negative values are not wanted.
        values = values if which == "LM" else np.maximum(values, 0.0)
        count = leading(by_ranks(values, edges), level)
        if count < k or k == most:
            return DimensionChoice(SIGN_FLIPS, max(1, count), count == most, values=values, edges=edges)
        k = min(2 * k, most)


def by_residuals(
    pairs_of: Leading,
    matrix: sparse.csr_array,
    most: int,
    random_state: int | np.random.Generator | None,
    *,
    subsample: float | None = None,
    level: float = LEVEL,
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
    subsample : float or None, default None
        One of so many pairs is sampled; None is the root of n.
    level : float, default 0.05
        A number of dimensions is rejected if its p-value is at most this.
    """
    seed = int(check_generator(0 if random_state is None else random_state).integers(1 << 62))
    k = min(_FIRST, most)
    while True:
        rng = np.random.default_rng(seed)  # every look samples the same pairs
        pairs = pairs_of(k)
        sides = (pairs.vectors, pairs.vectors) if isinstance(pairs, EigenPairs) else (pairs.left, pairs.right)
        z = residual_statistics(
            matrix,
            pairs.values,
            *sides,
            symmetric=isinstance(pairs, EigenPairs),
            subsample=subsample,
            rng=rng,
        )
        accepted = smallest_accepted(z, level)
        if accepted is not None or k == most:
            count = k if accepted is None else accepted
            return DimensionChoice(RESIDUAL_SUBSAMPLING, count, accepted is None, z=z, values=pairs.values)
        k = min(2 * k, most)
