"""What is known of an unfolding: how its constraints are met, and how far it can be from the optimum."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph.errors import GraphError, LpgraphWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.manifold.unfolding.rigid import RigidPairs

__all__ = ["Bound", "Constraints", "bounded_pairs", "constraint_report", "falls_apart"]

#: Distances below this share of the median one are taken to be that long: what a constraint on them could
#: keep is lost in rounding, and its multiplier would have to be larger by the square of the ratio.
_SHORTEST = 1e-6
#: Distances that shrink to less than this in the median say that the constraints do not hold the points out.
_SATURATED = 0.8


class Bound(NamedTuple):
    """What the largest trace under the inequalities lies between."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """Their relative distance."""
        return (self.upper - self.lower) / self.upper


@dataclass(frozen=True)
class Constraints:
    """How the distances of the constrained pairs came out.

    Attributes
    ----------
    count : int
        How many pairs there are.
    monitored : int
        How many of them the solver was ever shown.
    violation : float
        How much the squared distance of a pair grew at most, relative to what it was; 0 if none grew.
    rms : float
        Root mean square of the relative changes of squared distances.
    median_ratio : float
        Median of new distance over old.
    """

    count: int
    monitored: int
    violation: float
    rms: float
    median_ratio: float


def constraint_report(used: NDArray[np.float64], monitored: int) -> Constraints:
    """Return the report for squared distances relative to what they were, and warn if most of them shrank."""
    ratio = float(np.median(np.sqrt(used)))
    if ratio < _SATURATED:
        warnings.warn(
            f"Half of the distances between neighbours shrank to less than {ratio:.2f} of what they were: the "
            "points are noisy, or have more dimensions than the landmarks span, and distances in the embedding "
            "are too short; pass more landmarks, or reduce the noise first, for example by principal components.",
            LpgraphWarning,
            stacklevel=5,
        )
    return Constraints(
        count=len(used),
        monitored=monitored,
        violation=max(float(used.max()) - 1, 0.0),
        rms=float(np.sqrt(np.mean((used - 1) ** 2))),
        median_ratio=ratio,
    )


def bounded_pairs(pairs: RigidPairs) -> RigidPairs:
    """Return the pairs, none shorter than what can be told from 0, and say so if one was."""
    floor = _SHORTEST * float(np.median(pairs.distance))
    short = int((pairs.distance < floor).sum())
    if not short:
        return pairs
    warnings.warn(
        f"{short} pairs of points are nearly duplicates, less than {floor:.2g} apart; their distance is bounded "
        "by that from below. Round X to drop them.",
        LpgraphWarning,
        stacklevel=5,
    )
    return pairs._replace(distance=np.maximum(pairs.distance, floor))


def falls_apart(pairs: RigidPairs, names: NDArray[np.intp]) -> GraphError:
    """Return the error for constraints that do not bound the trace."""
    count, labels = pairs.components()
    if count == 1:
        return GraphError(
            "The constrained pairs leave a direction free: distances differ by too many orders; "
            "drop near-duplicates and outliers, or pass fewer landmarks."
        )
    sizes = np.bincount(labels)
    shown = ", ".join(f"{sizes[c]} with point {names[np.argmax(labels == c)]}" for c in np.argsort(-sizes)[:5])
    return GraphError(
        f"The constrained pairs fall into {count} components (points: {shown}{', ...' if count > 5 else ''}), "
        "which nothing keeps together: the trace has no bound. Pass a larger n_neighbors, or embed each by itself."
    )
