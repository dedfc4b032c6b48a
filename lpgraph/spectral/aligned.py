"""How a fit is aligned to an earlier one: the rotation and what moved, and the directions that both fits have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.estimators import Column
    from lpgraph._utils.types import Array, Integers

    Signs = NDArray[np.int64]


#: A principal direction is common to two embeddings if its cosine is at least this: at most 60 degrees.
LEAST_COSINE = 0.5


@dataclass(frozen=True, eq=False)
class Alignment:
    """How an embedding was aligned to an earlier one.

    Attributes
    ----------
    rotation : ndarray of shape (d, d)
        The orthogonal matrix W that was applied: ``embedding_ @ W.T`` are the coordinates by eigenvectors.
    signature : ndarray of shape (d,)
        The sign of each column of the aligned embedding.
    cosines : ndarray of shape (d,)
        Cosines of the principal angles between the positions of the common vertices in both fits, largest first.
        A direction whose cosine is below 0.5 is not in both fits, for example because eigenvectors changed places.
    rows : ndarray of shape (c,)
        Rows of the vertices of both fits, beginning with the one that moved most.
    distances : ndarray of shape (c,)
        Their distances from the earlier positions, within the directions whose cosine is at least 0.5, if any is.
    ratios : ndarray of shape (c,)
        By which `rows` are sorted: distances divided by the root of a vertex's mean distance from the origin, both
        within these directions, as multiples of the median. In adjacency embeddings the variance of a position
        grows with that distance.
    n_new, n_gone : int
        Number of vertices that only this fit has, and that only the earlier one has.
    degree_change, changed_neighbors : ndarray of shape (c,), or None
        By how much the degree of each vertex of `rows` changed, and the number of neighbors that only one of the
        two networks has; see `lpgraph.graph.changes.neighbor_changes`. None if the earlier network is not known.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> karate = nx.karate_club_graph()
    >>> earlier = lp.AdjacencySpectralEmbedding(2).fit(karate)
    >>> karate.add_edges_from([(16, 33), (16, 32), (16, 30), (16, 24)])
    >>> model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(karate)
    >>> model.alignment_
    Alignment of 34 common vertices, 0 new, 0 gone
    >>> model.alignment_.cosines.round(2)
    array([1., 1.])
    >>> model.moved(1)[["name", "degree_change", "changed_neighbors"]]
       name  degree_change  changed_neighbors
    0    16            4.0                  4
    """

    rotation: Array
    signature: NDArray[np.int64]
    cosines: Array
    rows: Integers
    distances: Array
    ratios: Array
    n_new: int
    n_gone: int
    degree_change: Array | None = None
    changed_neighbors: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        return f"Alignment of {len(self.rows)} common vertices, {self.n_new} new, {self.n_gone} gone"

    def moved(self, names: NDArray[np.generic] | range, n: int | None = None) -> dict[str, Column]:
        """Return columns of the n vertices that moved most; see `AdjacencySpectralEmbedding.moved`."""
        last = len(self.rows) if n is None else check_integer("n", n, low=0)
        columns: dict[str, NDArray[np.generic] | None] = {
            "name": np.asarray(names)[self.rows],
            "distance": self.distances,
            "ratio": self.ratios,
            "degree_change": self.degree_change,
            "changed_neighbors": self.changed_neighbors,
        }
        return {name: column[:last] for name, column in columns.items() if column is not None}


def common_directions(a: Array, b: Array, left: Signs, right: Signs) -> tuple[Array, Array, Array]:
    """Return the principal angles between the columns of `a` and of `b`, separately for each sign.

    Bjorck & Golub (1973), "Numerical methods for computing angles between linear subspaces", Mathematics of
    Computation 27, Theorem 1: the cosines are the singular values of the product of two orthonormal bases.

    Parameters
    ----------
    a, b : ndarray of shape (n, d)
        Corresponding rows, of full column rank for each sign.
    left, right : ndarray of shape (d,)
        The sign of each column of `a` and of `b`, equally many of each.

    Returns
    -------
    cosines : ndarray of shape (d,)
        Cosines of the principal angles, largest first.
    here, there : ndarray of shape (d, d)
        Matrices whose product with the rows of `a` and of `b` leaves what belongs to principal directions with a
        cosine of at least `LEAST_COSINE`. If all or none are, they are unit matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.aligned import common_directions
    >>> a, b = np.eye(4)[:, :2], 3 * np.eye(4)[:, [2, 0]]
    >>> cosines, here, there = common_directions(a, b, np.array([1, 1]), np.array([1, 1]))
    >>> cosines
    array([1., 0.])
    >>> (a @ here)[:2], (b @ there)[:3]
    (array([[1., 0.],
           [0., 0.]]), array([[0., 3.],
           [0., 0.],
           [0., 0.]]))
    """
    d = len(left)
    cosines, here, there = [], np.zeros((d, d)), np.zeros((d, d))
    for sign in (1, -1):
        i, j = np.flatnonzero(left == sign), np.flatnonzero(right == sign)
        (q_a, r_a), (q_b, r_b) = np.linalg.qr(a[:, i]), np.linalg.qr(b[:, j])
        u, found, vt = np.linalg.svd(q_a.T @ q_b)
        cosines.append(np.minimum(np.abs(found), 1.0))
        kept = found >= LEAST_COSINE
        here[np.ix_(i, i)] = _projection(r_a, u[:, kept])
        there[np.ix_(j, j)] = _projection(r_b, vt[kept].T)
    every = np.sort(np.concatenate(cosines))[::-1]
    if every.min() >= LEAST_COSINE or every.max() < LEAST_COSINE:
        return every, np.eye(d), np.eye(d)
    return every, here, there


def _projection(r: Array, kept: Array) -> Array:
    """Return P for which ``q @ r @ P`` is the projection of ``q @ r`` onto the columns of ``q @ kept``."""
    return np.asarray(np.linalg.solve(r, kept @ (kept.T @ r)))
