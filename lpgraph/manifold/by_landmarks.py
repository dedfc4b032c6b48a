"""Embedding of landmarks by a kernel, and of all points by the rule for new points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph.manifold.landmarks import landmarks_among
from lpgraph.points.metric import determined
from lpgraph.points.rows import in_memory
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.placement import Placement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.types import Array, Metric, Points, Values
    from lpgraph.spectral.construction import KernelRows
    from lpgraph.spectral.embedding import SpectralEmbedding

__all__ = ["Basis"]


@dataclass(frozen=True, eq=False)
class Basis:
    """The points by which a kernel is decomposed: all training points, or landmarks.

    The positions of other training points follow by the formula for new points. With the kernel of squared
    distances this is landmark multidimensional scaling (de Silva & Tenenbaum 2004).

    Attributes
    ----------
    items : ndarray or csr_array of shape (n, p)
        All training points, or their values for all pairs.
    landmarks : ndarray of shape (L,) or None
        The landmarks; None if all points are used.
    pairwise : bool
        Whether `items` has a column for each point.
    """

    items: Points
    landmarks: NDArray[np.intp] | None
    pairwise: bool

    @classmethod
    def of(
        cls,
        items: Points,
        landmarks: Any,
        n_components: int | None,
        random_state: int | np.random.Generator | None,
        *,
        pairwise: bool,
    ) -> Basis:
        """Choose the landmarks; see `lpgraph.manifold.landmarks.landmarks_among`."""
        if landmarks is None:
            return cls(items, None, pairwise)
        every = np.arange(items.shape[0])
        return cls(items, landmarks_among(landmarks, every, n_components, random_state), pairwise)

    @property
    def points(self) -> Values:
        """The landmarks, or their values for all pairs of landmarks."""
        if self.landmarks is None:
            return in_memory(self.items)
        chosen = in_memory(self.items[self.landmarks])
        return chosen[:, self.landmarks] if self.pairwise else chosen

    @property
    def columns(self) -> NDArray[np.intp] | None:
        """The columns of new values that belong to landmarks; None if all do, or new items are coordinates."""
        return self.landmarks if self.pairwise else None

    def metric(self, metric: Metric) -> Metric:
        """Return a metric with the parameters that it takes from all points, not only from landmarks."""
        return metric if self.landmarks is None else determined(metric, self.items)

    def construction(self, kernel: KernelRows, *, rank: int | None = None) -> Construction:
        """Return the construction of a kernel of `points`, whose training positions are those of all points."""
        attributes = {"landmarks_": self.landmarks}
        if self.landmarks is None:
            return Construction(kernel.operator, kernel, rank=rank, attributes=attributes)
        training = partial(_placed, kernel, self.items)
        return Construction(kernel.operator, kernel, rank=rank, attributes=attributes, training=training)


def _placed(kernel: KernelRows, items: Points, found: SpectralEmbedding) -> Array:
    """Return the positions of all points, batch by batch."""
    return Placement(kernel, {"out": found.extension}, "")(items)
