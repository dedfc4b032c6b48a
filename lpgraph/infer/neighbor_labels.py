"""Labels of the neighbors of vertices, and labels that spread from further away, as features of a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse

from lpgraph.embed.rows import degrees_of
from lpgraph.infer.arcs_elsewhere import ArcsElsewhere
from lpgraph.spectral.operators import Matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.infer.arcs import Arcs, KnownArcs
    from lpgraph.spectral.construction import Array

    #: The features "first" and "second".
    Blocks = tuple[Array, Array]

__all__ = ["NeighborLabels"]

#: Steps in which labels spread.
_STEPS = 10
#: Degrees of at most this, in graphs whose largest weight is at least 1e-100, are 0.
_LEAST = 1e-200
#: Parts of the labelled vertices whose labels are hidden in turn.
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class NeighborLabels:
    """Labels of the known vertices, which give features of known and of new vertices.

    The share of a class is the weight of the edges to labelled neighbors of this class, divided by the weight of
    the edges to all labelled neighbors. A vertex's own label is never counted, so that the features of labelled
    and of unlabelled vertices mean the same. There are two blocks of features, with a column for each class:

    - "first": the shares s, shrunk towards the labels t that spread to the neighbors. With k labelled neighbors
      this is ``(k s + t) / (k + 1)``, so that t decides where there are few. In directed graphs the shares in the
      arcs from the vertex, and in the arcs to it, follow; edges of negative weight have shares of their own.
    - "second": the mean of the shares of the neighbors.

    Labels spread by label propagation: each unlabelled vertex takes the mean of its neighbors, ten times. For
    labelled vertices this is done five times, each time without the labels of a fifth of them, so that no label
    returns to its own vertex. Their labelled neighbors keep their labels, as those of unlabelled vertices do.

    Attributes
    ----------
    labels : csr_array of shape (n, n_classes)
        1 at the class of each labelled vertex.
    shares : csr_array of shape (n, n_classes)
        The shares of each known vertex, from all edges, as its neighbors use them.
    spread : ndarray of shape (n, n_classes)
        The labels that reached each vertex; those of labelled vertices are their own.
    signed : bool
        Whether the graph has negative weights.

    References
    ----------
    Zhu, X., Ghahramani, Z. & Lafferty, J. (2003), "Semi-supervised learning using Gaussian fields and harmonic
    functions", ICML.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> from lpgraph.graph.construct import as_adjacency
    >>> from lpgraph.infer.arcs import known_arcs
    >>> from lpgraph.infer.neighbor_labels import NeighborLabels
    >>> path = known_arcs(as_adjacency(nx.path_graph(4)))
    >>> found = NeighborLabels.of(path, np.array([0, 1, -1, 1]), 2)
    >>> first, _ = found.of_known(path)
    >>> first.round(2)
    array([[0.  , 1.  ],
           [0.83, 0.17],
           [0.  , 1.  ],
           [0.  , 1.  ]])
    """

    labels: sparse.csr_array
    shares: sparse.csr_array
    spread: Array
    signed: bool

    @classmethod
    def of(cls, arcs: KnownArcs, codes: NDArray[np.intp], n_classes: int) -> Self:
        """Return the labels of a graph; `codes` has the class of each vertex, -1 if unknown."""
        rows = np.flatnonzero(codes >= 0)
        entries = (np.ones(len(rows)), (rows, codes[rows]))
        labels = sparse.csr_array(entries, shape=(len(codes), n_classes))
        if isinstance(arcs, ArcsElsewhere):
            dense = labels.toarray()
            found = sparse.csr_array(_shares(arcs.product(dense)))
            return cls(labels, found, _spread_by(arcs.product, dense, codes >= 0), signed=False)
        signed = any((rows.data < 0).any() for rows in arcs)
        everything = _kinds(arcs, signed=signed)[0]
        shares = sparse.csr_array(_shares((everything @ labels).toarray()))
        return cls(labels, shares, _spread(Matrix(everything), labels.toarray(), codes >= 0), signed)

    def of_known(self, arcs: KnownArcs, near: Array | None = None) -> Blocks:
        """Return the features of the vertices of the graph itself; `near` is what `near_known` returns."""
        near = self.near_known(arcs) if near is None else near
        if not isinstance(arcs, ArcsElsewhere):
            kinds = _kinds(arcs, signed=self.signed)
            counts = sparse.csr_array(kinds[0] @ self.labels)
            return self._blocks(kinds, near, self._without_own_label(kinds[0], counts, self.labels))
        counts, blocks = sparse.csr_array(arcs.product(self.labels.toarray())), []
        for part, some in arcs.pieces():
            kinds = _kinds(some, signed=False)  # type: ignore[arg-type]  # one or two
            blocks.append(
                self._blocks(kinds, near[part], self._without_own_label(kinds[0], counts, self.labels[part]))
            )
        first, second = (np.concatenate(block) for block in zip(*blocks, strict=True))
        return first, second

    def near_known(self, arcs: KnownArcs) -> Array:
        """Return the (n, n_classes) shares among the labels that reached the neighbors of known vertices.

        Labels of a fifth of the labelled vertices are hidden in turn while labels spread, so that none counts for
        its own vertex.
        """
        if isinstance(arcs, ArcsElsewhere):
            return self._near(arcs.product, lambda labels, known: _spread_by(arcs.product, labels, known))
        edges = Matrix(_kinds(arcs, signed=self.signed)[0])
        return self._near(edges.__matmul__, lambda labels, known: _spread(edges, labels, known))

    def _near(
        self, product: Callable[[Array], Array], spread_of: Callable[[Array, NDArray[np.bool_]], Array]
    ) -> Array:
        near = product(self.spread)
        labels = self.labels.toarray()
        known = np.asarray(labels.any(axis=1))
        labelled = np.flatnonzero(known)
        for fold in range(_FOLDS):
            hidden = labelled[fold::_FOLDS]
            others, still_known = labels.copy(), known.copy()
            others[hidden], still_known[hidden] = 0.0, False
            spread = np.where(known[:, None], labels, spread_of(others, still_known))
            near[hidden] = product(spread)[hidden]
        return _shares(near)

    def of_new(self, arcs: Arcs, among: sparse.csr_array | None = None) -> Blocks:
        """Return the features of new vertices.

        Parameters
        ----------
        arcs : tuple of csr_array of shape (m, n)
            Their edges to known vertices.
        among : csr_array of shape (m, m), optional
            Absolute weights of edges among them. Labels then spread from known to new vertices and among these, as
            among unlabelled vertices of the graph; those of the known vertices stay as they are.

        Returns
        -------
        pair of ndarray with m rows
            The blocks "first" and "second".
        """
        kinds = _kinds(arcs, signed=self.signed)
        everything = kinds[0]
        second = (everything @ self.shares).toarray()
        if among is not None:
            second = second + among @ _shares((everything @ self.labels).toarray())
        return self._blocks(kinds, self.near_new(arcs, among), second)

    def near_new(self, arcs: Arcs, among: sparse.csr_array | None) -> Array:
        """Return the (m, n_classes) shares among the labels that reached the neighbors of new vertices."""
        everything = _kinds(arcs, signed=self.signed)[0]
        near = from_known = np.asarray(everything @ self.spread)
        if among is not None:
            inverse = _inverse(degrees_of(everything) + degrees_of(among))
            for _ in range(_STEPS):
                near = from_known + among @ (inverse * near)
        return _shares(near)

    def _blocks(self, kinds: list[sparse.csr_array], near: Array, second: Array) -> Blocks:
        everything, *others = [_shares((rows @ self.labels).toarray()) for rows in kinds]
        pattern = sparse.csr_array((kinds[0].data > 0, kinds[0].indices, kinds[0].indptr), shape=kinds[0].shape)
        count = np.asarray(pattern @ self.labels.sum(axis=1))[:, None]
        return np.hstack([_shares(count * everything + near), *others]), _shares(second)

    @staticmethod
    def _without_own_label(rows: sparse.csr_array, counts: sparse.csr_array, own: sparse.csr_array) -> Array:
        """Return the weighted sums of the neighbors' shares, each without the label of the vertex itself.

        Neighbor u of v has the share (B Y)_u / (B Y 1)_u. Without v both lose the weight B_uv where v is labelled.
        `counts` is B Y, and `own` the rows of Y of the vertices.
        """
        total, known = np.asarray(counts.sum(axis=1)), np.asarray(own.sum(axis=1))
        owner = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        rest = total[rows.indices] - rows.data * known[owner]
        # Differences below rounding are neighbors with no other labelled neighbor.
        usable = rest > 1e-9 * total[rows.indices]
        weight = np.divide(rows.data, rest, out=np.zeros_like(rest), where=usable)
        scaled = sparse.csr_array((weight, rows.indices, rows.indptr), shape=rows.shape)
        returned = np.bincount(owner, weight * rows.data, minlength=rows.shape[0])
        sums = scaled @ counts - sparse.diags_array(returned, dtype=np.float64) @ own
        return np.asarray(np.maximum(sums.toarray(), 0.0))


def _spread(edges: Matrix, labels: Array, known: NDArray[np.bool_]) -> Array:
    """Return the labels that reach each vertex; the known vertices keep theirs."""
    # Numbers that products of large networks gather, of two classes in single precision, stay in the cache.
    pairs = [np.ascontiguousarray(labels[:, j : j + 2]) for j in range(0, labels.shape[1], 2)]
    dtype = np.float64 if edges.product is None else np.float32
    return np.hstack([_spread_by(lambda pair: edges @ pair.astype(dtype), pair, known) for pair in pairs])


def _spread_by(product: Callable[[Array], Array], labels: Array, known: NDArray[np.bool_]) -> Array:
    inverse = _inverse(product(np.ones((len(labels), 1))).ravel())
    reached = labels
    for _ in range(_STEPS):
        reached = np.where(known[:, None], labels, inverse * product(reached))
    return reached


def _inverse(degrees: Array) -> Array:
    """Return a column with the inverse of each degree, 0 for a degree of 0."""
    return np.asarray(np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > _LEAST))[:, None]


def _kinds(arcs: Arcs, *, signed: bool) -> list[sparse.csr_array]:
    """Return the weights of the edges of each kind as nonnegative rows; the first kind is all edges."""
    magnitudes = [abs(rows) for rows in arcs]
    everything = magnitudes[0] if len(arcs) == 1 else sparse.csr_array(magnitudes[0] + magnitudes[1])
    if signed:
        return [everything, *(_part(rows, sign) for rows in arcs for sign in (1.0, -1.0))]
    return [everything] if len(arcs) == 1 else [everything, *magnitudes]


def _part(rows: sparse.csr_array, sign: float) -> sparse.csr_array:
    return sparse.csr_array((np.maximum(sign * rows.data, 0.0), rows.indices, rows.indptr), shape=rows.shape)


def _shares(sums: Array) -> Array:
    """Return rows divided by their sums; rows of zeros remain."""
    total = sums.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(sums, total, out=np.zeros_like(sums), where=total > 0))
