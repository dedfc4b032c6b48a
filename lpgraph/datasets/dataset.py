"""The `Dataset` class: a network or points, with labels, citation and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lpgraph._utils.estimators import Shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Adjacency

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Shown):
    """A network or points, with labels, citation and licence.

    Attributes
    ----------
    name, description : str
        Name and description.
    citation : str
        The work to cite.
    licence : str
        Licence according to the source, or "none stated".
    source : str
        Web page, or function of another library.
    graph : Adjacency or None
        The network; None for points.
    points : ndarray of shape (n, p) or None
        The points; None for a network.
    labels : ndarray of shape (n,) or None
        Classes, in the order of the vertices or points.
    parameters : ndarray of shape (n, q) or None
        Parameters from which the points were generated, if known.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.karate()
    Dataset('karate', Adjacency(34 vertices, 78 edges, undirected), 2 classes)
    """

    name: str
    description: str
    citation: str
    licence: str
    source: str
    graph: Adjacency | None = None
    points: Array | None = None
    labels: NDArray[np.generic] | None = None
    parameters: Array | None = None

    def __repr__(self) -> str:
        what = self.graph if self.points is None else "{} points of {} coordinates".format(*self.points.shape)
        classes = "" if self.labels is None else f", {len(set(self.labels.tolist()))} classes"
        return f"Dataset({self.name!r}, {what}{classes})"
