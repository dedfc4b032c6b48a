"""Labels of the neighbors of vertices, and visits of random walks from labelled vertices, as features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse

from lpgraph.embed.rows import degrees_of
from lpgraph.spectral.operators import Matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.infer.arcs import Arcs
    from lpgraph.spectral.construction import Array

__all__ = ["NeighborLabels"]

#: Steps of the random walks from labelled vertices.
_STEPS = 20
#: Steps in which labels spread among new vertices; with 10, they do not reach the middle of large batches.
_NEW_STEPS = 50
#: Degrees of at most this, in graphs whose largest weight is at least 1e-100, are 0.
_LEAST = 1e-200
#: Parts of the labelled vertices whose labels are hidden in turn.
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class NeighborLabels:
    """Labels of the known vertices, which give features of known and of new vertices.

    The share of a class is the weight of the edges to labelled neighbors of this class, divided by the weight of
    the edges to all labelled neighbors. A vertex's own label is never counted, so that the features of labelled
    and of unlabelled vertices mean the same. The features of a vertex with k labelled neighbors are, for each
    class, ``(k s + t) / (k + 1)``, where s is its share, and t its share of the visits to the neighbors, so that t
    decides where k is small. In directed graphs the shares in the arcs from the vertex, and in the arcs to it,
    follow; edges of negative weight have shares of their own.

    Visits are those of random walks that start at a labelled vertex of each class, chosen at random: the expected
    numbers of visits to a vertex in 20 steps, divided by its degree. All classes have the same number of walks, so
    that a class with few labels is not outvoted by one with many. With more steps, differences between classes
    converge to those of Poisson learning (Calder et al. 2020, equation 2.6). Walks do not use negative edges. For
    labelled vertices visits are computed five times, each time without the labels of a fifth of them, so that no
    label returns to its own vertex.

    Attributes
    ----------
    labels : csr_array of shape (n, n_classes)
        1 at the class of each labelled vertex.
    visits : ndarray of shape (n, n_classes)
        Expected visits to each vertex from each class in a step, divided by its degree; means over the steps.
    signed : bool
        Whether the graph has negative weights.

    References
    ----------
    Calder, J., Cook, B., Thorpe, M. & Slepcev, D. (2020), "Poisson learning: graph based semi-supervised learning
    at very low label rates", ICML.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> from lpgraph.graph.construct import as_adjacency
    >>> from lpgraph.infer.arcs import known_arcs
    >>> from lpgraph.infer.neighbor_labels import NeighborLabels
    >>> path = known_arcs(as_adjacency(nx.path_graph(4)))
    >>> found = NeighborLabels.of(path, np.array([0, 1, -1, 1]), 2)
    >>> found.of_known(path, found.near_known(path)).round(2)
    array([[0.  , 1.  ],
           [0.77, 0.23],
           [0.15, 0.85],
           [0.5 , 0.5 ]])
    """

    labels: sparse.csr_array
    visits: Array
    signed: bool

    @classmethod
    def of(cls, arcs: Arcs, codes: NDArray[np.intp], n_classes: int) -> Self:
        """Return the labels of a graph; `codes` has the class of each vertex, -1 if unknown."""
        rows = np.flatnonzero(codes >= 0)
        entries = (np.ones(len(rows)), (rows, codes[rows]))
        labels = sparse.csr_array(entries, shape=(len(codes), n_classes))
        signed = any((rows.data < 0).any() for rows in arcs)
        return cls(labels, _visits(_product(arcs, signed=signed), labels.toarray()), signed)

    def of_known(self, arcs: Arcs, near: Array) -> Array:
        """Return the features of the vertices of the graph itself; `near` is what `near_known` returns."""
        shares = self._shares(arcs)
        return self._features(shares, near)

    def near_known(self, arcs: Arcs) -> Array:
        """Return the (n, n_classes) shares of the classes in the visits to the neighbors of known vertices.

        Labels of a fifth of the labelled vertices are hidden in turn, so that none counts for its own vertex.
        """
        product = _product(arcs, signed=self.signed)
        near, labels = product(self.visits), self.labels.toarray()
        labelled = np.flatnonzero(labels.any(axis=1))
        # Each fold hides about a fifth of each class.
        labelled = labelled[np.argsort(labels[labelled].argmax(axis=1), kind="stable")]
        for fold in range(min(_FOLDS, len(labelled))):
            hidden, others = labelled[fold::_FOLDS], labels.copy()
            others[hidden] = 0.0
            near[hidden] = product(_visits(product, others))[hidden]
        return _to_one(near)

    def of_new(self, arcs: Arcs, near: Array) -> Array:
        """Return the features of new vertices; `near` is what `near_new` returns for their edges to known ones."""
        return self._features(self._shares(arcs), near)

    def near_new(self, arcs: Arcs) -> Array:
        """Return the (m, n_classes) shares of the classes in the visits to the neighbors of new vertices."""
        return _to_one(np.asarray(_attracting(arcs, signed=self.signed) @ self.visits))

    def spread(self, arcs: Arcs, features: Array, among: sparse.csr_array) -> tuple[Array, Array]:
        """Return the shares of the classes that spread among new vertices, and how far these count alone.

        Each new vertex takes the mean of the shares by its edges to known vertices and of those of its new
        neighbors, weighted by the edges, again and again.

        Parameters
        ----------
        arcs : tuple of csr_array of shape (m, n)
            Their edges to known vertices.
        features : ndarray of shape (m, p)
            What `of_new` returns.
        among : csr_array of shape (m, m)
            Absolute weights of the edges among them.

        Returns
        -------
        shares : ndarray of shape (m, n_classes)
            Rows of zeros for vertices that no label reaches.
        alone : ndarray of shape (m,)
            With a edges to known and b to new vertices, a / (a + b + 1) if b > 0, and 1 otherwise.
        """
        edges = _attracting(arcs, signed=False)
        inverse = _inverse(degrees_of(edges) + degrees_of(among))
        shares = by_known = degrees_of(edges)[:, None] * features[:, : self.labels.shape[1]]
        for _ in range(_NEW_STEPS):
            shares = by_known + among @ (inverse * shares)
        known, new = np.diff(edges.indptr), np.diff(among.indptr)
        return _to_one(shares), np.where(new > 0, known / (known + new + 1), 1.0)

    def _shares(self, arcs: Arcs) -> Array:
        """Return the number of labelled neighbors, and the shares of the classes among them by kind of edges."""
        kinds = [_attracting(arcs, signed=False)]
        if self.signed:
            kinds += [_part(rows, sign) for rows in arcs for sign in (1.0, -1.0)]
        elif len(arcs) == 2:
            kinds += [abs(rows) for rows in arcs]
        edges = kinds[0]
        linked = sparse.csr_array((edges.data > 0, edges.indices, edges.indptr), shape=edges.shape)
        count = np.asarray(linked @ self.labels.sum(axis=1))[:, None]
        return np.hstack([count, *(_to_one((rows @ self.labels).toarray()) for rows in kinds)])

    def _features(self, shares: Array, near: Array) -> Array:
        end = 1 + near.shape[1]
        return np.hstack([_to_one(shares[:, :1] * shares[:, 1:end] + near), shares[:, end:]])


def _product(arcs: Arcs, *, signed: bool) -> Callable[[Array], Array]:
    """Return the product with the edges by which walks go, of arcs in both directions."""
    edges = Matrix(_attracting(arcs, signed=signed))
    if edges.product is None:
        return lambda block: np.asarray(edges @ block)

    def by_pairs(block: Array) -> Array:
        # Numbers that products of large networks gather, of two columns in single precision, stay in the cache.
        result = np.empty(block.shape)
        for j in range(0, block.shape[1], 2):
            result[:, j : j + 2] = edges @ np.ascontiguousarray(block[:, j : j + 2], dtype=np.float32)
        return result

    return by_pairs


def _visits(product: Callable[[Array], Array], labels: Array) -> Array:
    """Return the expected visits of walks that start at the labels of each class, divided by the degrees."""
    inverse = _inverse(product(np.ones((len(labels), 1))).ravel())
    step = inverse * (labels / np.maximum(labels.sum(axis=0), 1.0))
    total = step.copy()
    for _ in range(_STEPS):
        step = product(step)
        step *= inverse
        total += step
    total /= _STEPS + 1
    return np.asarray(total)


def _inverse(degrees: Array) -> Array:
    """Return a column with the inverse of each degree, 0 for a degree of 0."""
    return np.asarray(np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > _LEAST))[:, None]


def _attracting(arcs: Arcs, *, signed: bool) -> sparse.csr_array:
    """Return the weights of edges in both directions: only positive ones if `signed`, else absolute ones."""
    rows = [_part(side, 1.0) if signed else abs(side) for side in arcs]
    return rows[0] if len(rows) == 1 else sparse.csr_array(rows[0] + rows[1])


def _part(rows: sparse.csr_array, sign: float) -> sparse.csr_array:
    return sparse.csr_array((np.maximum(sign * rows.data, 0.0), rows.indices, rows.indptr), shape=rows.shape)


def _to_one(sums: Array) -> Array:
    """Return rows divided by their sums; rows of zeros remain."""
    total = sums.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(sums, total, out=np.zeros_like(sums), where=total > 0))
