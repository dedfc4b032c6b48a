"""The effect of several components on an embedding, and the warning about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._warnings import warn
from lpgraph.errors import DisconnectedGraphWarning
from lpgraph.graph.components import connected_components
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import name_at
from lpgraph.graph.network import ProductNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.network import Network
    from lpgraph.spectral.construction import Array

__all__ = ["at_origin", "many", "warn_if_disconnected"]

#: A component has a dimension if its vertices have more than this share of a unit vector; the rest is rounding, or
#: the residual of the solver.
_SHARE = 1e-4
#: Share of vertices that may be at the origin without a warning.
_FEW = 0.01
#: Rows that are read at a time.
_ROWS = 1 << 18


def at_origin(graph: Adjacency | Network, sides: Sequence[Array]) -> NDArray[np.bool_]:
    """Whether each vertex is at the origin, to rounding, because its component has no dimension.

    Parameters
    ----------
    graph : Adjacency
        The embedded graph.
    sides : sequence of ndarray of shape (n, d)
        The coordinates; of directed graphs as sources and as targets.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.embed.disconnected import at_origin
    >>> graph = lp.from_edges([0, 1, 3], [1, 2, 4])
    >>> at_origin(graph, [np.array([[0.8], [1.2], [0.8], [0.0], [0.0]])])
    array([False, False, False,  True,  True])
    """
    count, labels = connected_components(as_adjacency(graph))
    return np.asarray(_without(_shares(sides, labels, count))[labels])


def many(chosen: NDArray[np.bool_]) -> bool:
    """Whether so many vertices are at the origin that a warning says so."""
    return bool(chosen.sum() > _FEW * len(chosen))


def _shares(sides: Sequence[Array], labels: NDArray[np.signedinteger], count: int) -> Array:
    """Return the share of each component in the squares of each dimension, of shape (d, count)."""
    largest = int(np.bincount(labels).argmax())
    totals = np.sum([np.einsum("ij,ij->j", side, side) for side in sides], axis=0)
    sums, outside = np.zeros((len(totals), count)), np.flatnonzero(labels != largest)
    for low in range(0, len(outside), _ROWS):  # the squares of all would be as large as the coordinates
        rows = outside[low : low + _ROWS]
        squares = np.sum([side[rows] ** 2 for side in sides], axis=0)
        sums += [np.bincount(labels[rows], column, minlength=count) for column in squares.T]
    sums[:, largest] = np.maximum(totals - sums.sum(axis=1), 0.0)
    return np.asarray(sums / np.maximum(totals, np.finfo(float).tiny)[:, None])


def _without(shares: Array) -> NDArray[np.bool_]:
    """Whether each component has no dimension."""
    return np.asarray(shares.max(axis=0) < _SHARE)


def warn_if_disconnected(graph: Adjacency | Network, sides: Sequence[Array], remedy: str) -> None:
    """Warn if components other than the largest take dimensions, or leave many vertices without a position.

    An eigenvector belongs to one component, and is 0 in the others: vertices of a component without an eigenvector
    among the chosen ones are at the origin, and so are isolated vertices. A regulariser moves the eigenvalues of
    small components away from the first ones, but does not change this.

    Parameters
    ----------
    graph : Adjacency
        The embedded graph.
    sides : sequence of ndarray of shape (n, d)
        The coordinates along the eigenvectors; of directed graphs as sources and as targets.
    remedy : str
        The last part of the message.

    Warns
    -----
    DisconnectedGraphWarning
        If most of an eigenvector is outside of the largest component, or more than 1 % of the vertices are at the
        origin.
    """
    if isinstance(graph, ProductNetwork):  # its components are not known
        return
    count, labels = connected_components(as_adjacency(graph))
    if count == 1:
        return
    shares = _shares(sides, labels, count)
    other = np.arange(count) != np.bincount(labels).argmax()
    dimensions = int((shares[:, other].sum(axis=1) > 0.5).sum())
    unplaced = _without(shares)[labels]
    words = []
    if dimensions:
        belong = "belongs" if dimensions == 1 else "belong"
        words.append(f"{dimensions} of {len(shares)} dimensions {belong} to components other than the largest")
    if many(unplaced):
        name = name_at(graph.names, unplaced.argmax())
        words.append(f"{unplaced.sum()} of {len(labels)} vertices, such as {name!r}, are at the origin")
    if words:
        warn(f"The graph has {count} components: {', and '.join(words)}; {remedy}.", DisconnectedGraphWarning)
