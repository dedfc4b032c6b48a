"""Eigenvalues that are zero to rounding, by which no new item can be placed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.spectral.pairs import EigenPairs, SingularTriplets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Construction

__all__ = ["check_rank", "counted", "noise", "rank_of", "usable"]

Pairs = TypeVar("Pairs", EigenPairs, SingularTriplets)


def noise(pairs: EigenPairs | SingularTriplets, construction: Construction) -> float:
    """Return what rounding can add to the eigenvalues of an operator of this size."""
    size = len(pairs.vectors if isinstance(pairs, EigenPairs) else pairs.left)
    return float(max(size, 100) * np.finfo(float).eps * max(pairs.norm, construction.scale))


def _extends(
    pairs: EigenPairs | SingularTriplets, construction: Construction, positive: bool
) -> NDArray[np.bool_]:
    """Return whether each value is not zero to rounding, or is positive."""
    return np.asarray((pairs.values if positive else np.abs(pairs.values)) > noise(pairs, construction))


def rank_of(pairs: EigenPairs | SingularTriplets, construction: Construction, *, positive: bool) -> int:
    """Return how many of the values are not zero to rounding, or are positive."""
    return int(_extends(pairs, construction, positive).sum())


def usable(pairs: Pairs, construction: Construction) -> Pairs:
    """Return the pairs before the first that cannot be extended; one pair at least."""
    # Coordinates of power 0 exist where the eigenvalue is 0.
    if construction.end == "smallest" or construction.power == 0:
        return pairs
    extends = _extends(pairs, construction, construction.positive)
    return pairs if extends.all() else pairs.take(slice(max(1, int(extends.argmin()))))


def check_rank(
    pairs: EigenPairs | SingularTriplets,
    construction: Construction,
    argument: str,
    *,
    positive: bool,
    count: int | None = None,
) -> None:
    """Raise if one of the wanted values is zero to rounding (or not positive): it cannot be extended.

    `count` is how many are wanted, if there may be fewer pairs.
    """
    extends = _extends(pairs, construction, positive)
    rank = len(pairs) if extends.all() else int(extends.argmin())
    count = len(pairs) if count is None else count
    if rank == count:
        return
    if rank == 0:
        what = "the matrix has no positive eigenvalue"
        if not positive:
            what = "the largest eigenvalues are zero to rounding" if pairs.norm else "the matrix is zero"
        raise ArgumentError(f"There is nothing to embed: {what}; pass another graph.")
    what = counted(rank, construction, two_sided=isinstance(pairs, SingularTriplets))
    remedy = f"pass {argument} <= {rank}"
    if construction.landmarks is not None:
        what, remedy = f"{what.replace('the matrix', 'that of the landmarks')}", f"{remedy}, or more landmarks"
    raise ArgumentError(f"{argument}={count} but {what}; {remedy}.")


def counted(rank: int, construction: Construction, *, two_sided: bool) -> str:
    """Return what a number of usable pairs counts."""
    if construction.end == "largest" and not two_sided:
        return f"only {rank} eigenvalue{'s are' if rank > 1 else ' is'} positive"
    return f"the matrix has rank {rank}"
