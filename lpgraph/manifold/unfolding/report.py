"""Diagnostics of an unfolding: violation of constraints, bounds of the trace, warnings and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph._warnings import warn
from lpgraph.errors import GraphError, LpgraphWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.manifold.unfolding.rigid import RigidPairs

__all__ = ["Bound", "Constraints", "bounded_pairs", "constraint_report", "falls_apart"]

#: Distances below this fraction of the median are replaced by it. Shorter ones are lost in rounding, and their
#: multipliers would be larger by the square of the ratio.
_SHORTEST = 1e-6
#: If the median ratio of new to old distances is below this, the points did not unfold.
_SATURATED = 0.8


class Bound(NamedTuple):
    """Lower and upper bound of the largest trace under the inequalities."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """The relative distance of the bounds."""
        return (self.upper - self.lower) / self.upper


@dataclass(frozen=True)
class Constraints:
    """Changes of the distances of the constrained pairs.

    Attributes
    ----------
    count : int
        The number of pairs.
    monitored : int
        The number of pairs that the solver checked.
    violation : float
        The largest relative growth of a squared distance; 0 if none grew.
    rms : float
        Root mean square of the relative changes of squared distances.
    median_ratio : float
        Median ratio of new to old distances.
    """

    count: int
    monitored: int
    violation: float
    rms: float
    median_ratio: float


def constraint_report(used: NDArray[np.float64], monitored: int) -> Constraints:
    """Return the report for ratios of new to old squared distances, and warn if most distances shrank."""
    ratio = float(np.median(np.sqrt(used)))
    if ratio < _SATURATED:
        warn(
            f"Half of the distances between neighbors shrank to less than {ratio:.2f} of their length, and "
            "distances in the embedding are too short. The points are noisy, or have more dimensions than the "
            "landmarks span. Pass more landmarks, or reduce the noise first, for example by principal components.",
            LpgraphWarning,
        )
    return Constraints(
        count=len(used),
        monitored=monitored,
        violation=max(float(used.max()) - 1, 0.0),
        rms=float(np.sqrt(np.mean((used - 1) ** 2))),
        median_ratio=ratio,
    )


def bounded_pairs(pairs: RigidPairs) -> RigidPairs:
    """Return the pairs with distances bounded below, and warn if one was shorter."""
    floor = _SHORTEST * float(np.median(pairs.distance))
    short = int((pairs.distance < floor).sum())
    if not short:
        return pairs
    warn(
        f"{short} pairs of points are nearly duplicates: their distances are less than {floor:.2g}, which is used "
        "instead. Round X to merge them.",
        LpgraphWarning,
    )
    return pairs._replace(distance=np.maximum(pairs.distance, floor))


def falls_apart(pairs: RigidPairs, names: NDArray[np.intp]) -> GraphError:
    """Return the error for constraints that leave the trace unbounded."""
    count, labels = pairs.components()
    if count == 1:
        return GraphError(
            "The constrained pairs do not bound the trace, because distances differ by too many orders of "
            "magnitude; drop near-duplicates and outliers, or pass fewer landmarks."
        )
    sizes = np.bincount(labels)
    shown = ", ".join(f"{sizes[c]} with point {names[np.argmax(labels == c)]}" for c in np.argsort(-sizes)[:5])
    return GraphError(
        f"The constrained pairs have {count} components (points: {shown}{', ...' if count > 5 else ''}), "
        "so that the trace has no bound. Pass a larger n_neighbors, or embed each component separately."
    )
