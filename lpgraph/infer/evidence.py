"""Evidence on the classes of vertices: features, labels of neighbors, mean directions, and their pool.

Weights of the pool, and exponents that calibrate its probabilities, are learnt from held-out labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax

from lpgraph._utils.checks import check_choice
from lpgraph._utils.compiled import slices
from lpgraph.embed.constructions import degrees_of
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import is_listing
from lpgraph.linalg.sparse_structure import weak_components
from lpgraph.spectral.operators import Matrix

from .block_partition import signed_layers
from .vertices import linked_to, undirected, unit_rows, without_weights

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Flags, Integers

    from .vertices import Arcs


#: Names of the parts.
FEATURES = ("unit_rows", "positions", "degrees", "neighbor_labels")
#: Steps of the random walks from labelled vertices.
_STEPS = 20
#: Steps in which labels spread among new vertices; with 10, they do not reach the middle of large batches.
_NEW_STEPS = 50
#: How certain a vertex without a known neighbor may be, relative to its neighbors; chosen by the likelihood of
#: labels of lastfm, citeseer, polblogs and Cora.
_AS_SURE = 0.9
#: Degrees of at most this, in graphs whose largest weight is at least 1e-100, are 0.
_LEAST = 1e-200
#: Parts of the labelled vertices whose labels are hidden in turn.
_FOLDS = 5
#: Vertices that are read at a time.
_BATCH = 1 << 15
#: Powers of the eigenvalues by which coordinates are weighted to compare directions, by the name of the evidence;
#: also the numbers of columns for each class.
_POWERS = {"directions": 1, "directions, squared eigenvalues": 2, "directions, fourth powers": 4}
#: Weights of the kinds of evidence before any label is held out, if each class has many labels. They were chosen
#: on networks with 1 to 5 labels for each class; half or twice these change the mean accuracy by less than 0.003.
_PRIOR = {
    "features": 0.2,
    **dict.fromkeys(_POWERS, 3.0),
    "visits": 1.0,
    "class shares": 0.3,
    "neighbor labels": 1.0,
}
#: What is added to probabilities and shares before logarithms are taken.
_ADDED = {
    "features": 1e-4,
    "visits": 1e-2,
    "class shares": 1e-3,
    "neighbor labels": 1e-2,
    "by known vertices": 1e-3,
}
#: Standard deviation of the logarithm of a weight; 0.5 and 2 differ little.
_DEVIATION = 0.7
#: Least number of labelled neighbors of each group except the first, which has none.
_BOUNDS = (1, 2, 4, 8)
#: Number of groups.
_GROUPS = len(_BOUNDS) + 1
#: Precisions of the normal distributions of the mean logarithm of the exponents, which has mean 0, and of their
#: logarithms, which have that mean.
_COMMON, _OWN = 100.0, 30.0


def check_features(features: object) -> tuple[str, ...]:
    """Return the names of the parts."""
    named = features if is_listing(features) else [features]
    chosen = tuple(check_choice("features", name, FEATURES) for name in named)
    if not chosen or {"unit_rows", "positions"} <= set(chosen):
        raise ArgumentError(f"features={features!r}; pass some of {FEATURES}, not both of the first two.")
    return chosen


@dataclass(frozen=True, eq=False)
class VertexFeatures:
    """Features of m vertices.

    Attributes
    ----------
    sides : sequence of ndarray of shape (m, D)
        Positions; of a directed embedding as sources and as targets. Empty if no coordinates are used.
    scaled : bool
        Whether the rows of the leading coordinates are divided by their lengths.
    degrees : ndarray of shape (m, 1) or (m, 2), or None
        log(1 + degree), from absolute weights; in directed graphs of arcs from and of arcs to the vertices. With
        unit rows it keeps what the division of the rows removes.
    labels : ndarray of shape (m, p) or None
        Those of `NeighborLabels`.
    """

    sides: Sequence[Array]
    scaled: bool
    degrees: Array | None
    labels: Array | None

    @classmethod
    def of(cls, parts: Sequence[str], sides: Sequence[Array], arcs: Arcs, labels: Array | None) -> Self:
        """Return the chosen parts of the features of vertices."""
        scaled, degrees = "unit_rows" in parts, None
        if "degrees" in parts:
            degrees = np.column_stack([np.log1p(abs(rows).sum(axis=1)) for rows in arcs])
        return cls(sides if scaled or "positions" in parts else (), scaled, degrees, labels)

    @property
    def n_columns(self) -> int:
        """Number of columns of the embedding; 0 if no coordinates are used."""
        return self.sides[0].shape[1] if self.sides else 0

    def rows(self, chosen: Integers, n_columns: int) -> Array:
        """Return the features of the chosen vertices, with the first `n_columns` columns of each side."""
        leading = [side[chosen, :n_columns] for side in self.sides]
        parts = [unit_rows(side) for side in leading] if self.scaled else leading
        parts += [part[chosen] for part in (self.degrees, self.labels) if part is not None]
        return np.hstack(parts)


@dataclass(frozen=True, eq=False)
class LabelReach:
    """Which known vertices have labels, and which are connected to a labelled one.

    Positions and labels of neighbors say nothing about the class of a vertex that no path joins to a labelled one.
    The direction of arcs is ignored.

    Attributes
    ----------
    labelled : ndarray of shape (n,)
        Whether the label of each known vertex was given.
    others : ndarray of shape (n,)
        Whether another vertex of its component is labelled.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> from lpgraph.graph.construct import as_adjacency
    >>> from lpgraph.infer.evidence import LabelReach
    >>> from lpgraph.infer.vertices import known_arcs
    >>> arcs = known_arcs(as_adjacency(nx.Graph([(0, 1), (1, 2), (3, 4)])))
    >>> found = LabelReach.of(arcs, np.array([True, False, False, False, False]))
    >>> found.others
    array([False,  True,  True, False, False])
    >>> found.neighbors(arcs)
    array([0, 1, 0, 0, 0])
    """

    labelled: Flags
    others: Flags

    @classmethod
    def of(cls, arcs: Arcs, labelled: Flags) -> Self:
        """Return what a graph without loops, and its labels, say."""
        _, component = weak_components(arcs[0], directed=len(arcs) == 2)
        return cls(labelled, np.bincount(component, labelled)[component] > labelled)

    def neighbors(self, arcs: Arcs) -> Integers:
        """Return the number of labelled neighbors of each vertex; arcs in both directions count once."""
        edges = without_weights(undirected(tuple(map(without_weights, arcs))))
        return np.asarray(edges @ self.labelled.astype(np.intp))

    def of_new(self, arcs: Arcs, among: sparse.csr_array | None, labelled: Flags) -> Flags:
        """Whether a path joins each new vertex to another labelled one.

        `among` has the edges among them that count, and `labelled` says which of them have given labels.
        """
        direct = linked_to(self.labelled | self.others, arcs)
        if among is None:
            return direct
        _, component = weak_components(among, directed=False)
        return np.bincount(component, direct + labelled.astype(float))[component] > labelled


@dataclass(frozen=True, eq=False)
class Spread:
    """Labels that spread among m new vertices; see `NeighborLabels.spread`.

    Attributes
    ----------
    shares : ndarray of shape (m, n_classes)
        Shares of the classes; rows of zeros for vertices that no label reaches.
    alone : ndarray of shape (m,)
        How far their edges to known vertices count alone: with a edges to known and b to new vertices,
        a / (a + b + 1) if b > 0, and 1 otherwise.
    among : csr_array of shape (m, m)
        Absolute weights of the edges among them.
    labelled : ndarray of shape (m,)
        Whether their labels were given.
    """

    shares: Array
    alone: Array
    among: sparse.csr_array
    labelled: Flags


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
    >>> from lpgraph.infer.evidence import NeighborLabels
    >>> from lpgraph.infer.vertices import known_arcs
    >>> path = known_arcs(as_adjacency(nx.path_graph(4)))
    >>> found, near = NeighborLabels.of(path, np.array([0, 1, -1, 1]), 2)
    >>> found.features(path, near).round(2)
    array([[0.  , 1.  ],
           [0.77, 0.23],
           [0.15, 0.85],
           [0.5 , 0.5 ]])
    """

    labels: sparse.csr_array
    visits: Array
    signed: bool

    @classmethod
    def of(cls, arcs: Arcs, codes: Integers, n_classes: int) -> tuple[Self, Array]:
        """Return the labels of a graph, and what `near_known` returns; `codes` are its classes, -1 if unknown."""
        rows = np.flatnonzero(codes >= 0)
        entries = (np.ones(len(rows)), (rows, codes[rows]))
        labels = sparse.csr_array(entries, shape=(len(codes), n_classes))
        signed = any((rows.data < 0).any() for rows in arcs)
        visits, near = _visits(arcs, labels, signed=signed)
        return cls(labels, visits, signed), near

    def near_known(self, arcs: Arcs) -> Array:
        """Return the (n, n_classes) shares of the classes in the visits to the neighbors of known vertices.

        Labels of a fifth of the labelled vertices are hidden in turn, so that none counts for its own vertex.
        """
        return _visits(arcs, self.labels, signed=self.signed)[1]

    def near_new(self, arcs: Arcs) -> Array:
        """Return the (m, n_classes) shares of the classes in the visits to the neighbors of new vertices."""
        return _to_one(_attracting(arcs, signed=self.signed) @ self.visits)

    def spread(self, arcs: Arcs, features: Array, among: sparse.csr_array, codes: Integers) -> Spread:
        """Return the shares of the classes that spread among new vertices.

        Each new vertex takes the mean of the shares by its edges to known vertices and of those of its new
        neighbors, weighted by the edges, again and again. Those with a given label have this class for their
        neighbors; their own shares are those without given labels.

        Parameters
        ----------
        arcs : tuple of csr_array of shape (m, n)
            Their edges to known vertices.
        features : ndarray of shape (m, p)
            What `features` returns.
        among : csr_array of shape (m, m)
            Absolute weights of the edges among them.
        codes : ndarray of int of shape (m,)
            Their given classes, -1 if unknown.
        """
        edges, labelled = _attracting(arcs, signed=False), codes >= 0
        inverse = _inverse(degrees_of(edges) + degrees_of(among))[:, None]
        by_known = degrees_of(edges)[:, None] * features[:, : self.labels.shape[1]]
        given = np.where(labelled[:, None], np.eye(self.labels.shape[1])[codes], 0.0)

        def spread(free: Array | float) -> Array:
            shares = by_known
            for _ in range(_NEW_STEPS):
                shares = by_known + among @ (free * (inverse * shares) + (1.0 - free) * given)
            return _to_one(shares)

        shares = spread(1.0)
        if labelled.any():
            shares = np.where(labelled[:, None], shares, spread(np.where(labelled, 0.0, 1.0)[:, None]))
        known, new = np.diff(edges.indptr), np.diff(among.indptr)
        return Spread(shares, np.where(new > 0, known / (known + new + 1), 1.0), among, labelled)

    def features(self, arcs: Arcs, near: Array) -> Array:
        """Return the features of vertices by their edges; `near` is what `near_known` or `near_new` returns."""
        kinds = [_attracting(arcs, signed=False)]
        if self.signed:
            kinds += [part for rows in arcs for part in signed_layers(rows)]
        elif len(arcs) == 2:
            kinds += [abs(rows) for rows in arcs]
        count = ((kinds[0] > 0) @ self.labels.sum(axis=1))[:, None]
        shares, *others = (_to_one((rows @ self.labels).toarray()) for rows in kinds)
        return np.hstack([_to_one(count * shares + near), *others])


def _visits(arcs: Arcs, labels: sparse.csr_array, *, signed: bool) -> tuple[Array, Array]:
    """Return the visits of `NeighborLabels`, and the shares of the classes in those to neighbors of each vertex.

    Visits are linear in the labels: those of all walks are sums over walks from a fifth of the labels.
    """
    edges, given = Matrix(_attracting(arcs, signed=signed)), labels.toarray()
    inverse = _inverse(edges @ np.ones((len(given), 1)))
    labelled = np.flatnonzero(given.any(axis=1))
    # Each fold hides about a fifth of each class.
    labelled = labelled[np.argsort(given[labelled].argmax(axis=1), kind="stable")]
    visits, near = np.zeros((2, *given.shape))
    counts = np.tile(given.sum(axis=0), (len(given), 1))  # of the labels that count for each vertex
    for hidden in (labelled[fold::_FOLDS] for fold in range(min(_FOLDS, len(labelled)))):
        step = np.zeros_like(given)
        step[hidden] = inverse[hidden] * given[hidden]
        total = step.copy()
        for _ in range(_STEPS):
            step = edges @ step
            step *= inverse
            total += step
        visits += total
        counts[hidden] -= given[hidden].sum(axis=0)
        total = edges @ total
        total[hidden] = 0.0
        near += total
    return visits / (np.maximum(given.sum(axis=0), 1.0) * (_STEPS + 1)), _to_one(near / np.maximum(counts, 1.0))


def _inverse(degrees: Array) -> Array:
    """Return the inverse of each degree, 0 for a degree of 0."""
    return np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > _LEAST)


def _attracting(arcs: Arcs, *, signed: bool) -> sparse.csr_array:
    """Return the weights of edges in both directions: only positive ones if `signed`, else absolute ones."""
    return undirected(tuple(signed_layers(side)[0] if signed else abs(side) for side in arcs))


def _to_one(sums: Array) -> Array:
    """Return rows divided by their sums; rows of zeros remain."""
    total: Array = sums.sum(axis=1, keepdims=True)
    return np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Means of unit rows of the labelled vertices of each class, in coordinates with the given weights.

    Coordinates of spectral embeddings are eigenvectors times the roots of their eigenvalues. Weights that are
    powers of the eigenvalues make leading directions, which networks of few blocks consist of, count more than
    others.

    Attributes
    ----------
    weights : sequence of ndarray of shape (p,)
        Weights of the leading p coordinates; one array for each side of a directed embedding.
    means : ndarray of shape (n_classes, q)
        Means of the unit rows, of all sides side by side and divided by the root of their number.
    known : ndarray of shape (n_classes,)
        Whether a labelled vertex of the class has a position.

    References
    ----------
    Qin, T. & Rohe, K. (2013), "Regularized spectral clustering under the degree-corrected stochastic blockmodel",
    NIPS 26 (rows of unit length in as many dimensions as there are blocks).

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.evidence import ClassMeans
    >>> positions = [np.array([[2.0, 0.1], [1.0, 0.0], [0.1, 3.0], [0.0, 1.0]])]
    >>> model, held_out = ClassMeans.of(positions, np.array([0, 0, 1, -1]), np.array([0, 1, 2]), 1)
    >>> model.scores(positions).argmax(axis=1)
    array([0, 0, 1, 1])
    >>> held_out.argmax(axis=1)  # the only vertex of class 1 has no other one
    array([0, 0, 0])
    """

    weights: Sequence[Array]
    means: Array
    known: Flags

    @classmethod
    def of(
        cls, sides: Sequence[Array], codes: Integers, labelled: Integers, power: int, others: Array | None = None
    ) -> tuple[Self, Array]:
        """Return the means, and the scores of the labelled vertices by the means without their own rows.

        Parameters
        ----------
        sides : sequence of ndarray of shape (n, d)
            Positions.
        codes : ndarray of int of shape (n,)
            Classes of all vertices, -1 where unknown.
        labelled : ndarray of int of shape (m,)
            Labelled vertices that have an edge.
        power : int
            Coordinates are eigenvectors times this power of the absolute eigenvalues. The number of coordinates is
            this power times the number of classes.
        others : ndarray of shape (n, n_classes), optional
            Weights with which all vertices also count for each class.
        """
        n_classes, codes = int(codes.max()) + 1, codes[labelled]
        weights = [_weights(side[:, : power * n_classes], power) for side in sides]
        rows = _rows([side[labelled] for side in sides], weights)
        placed = rows.any(axis=1)
        counts = np.bincount(codes[placed], minlength=n_classes).astype(float)
        sums = np.zeros((n_classes, rows.shape[1]))
        np.add.at(sums, codes, rows)
        known = counts > 0
        if others is not None:
            for part in slices(len(others), _BATCH):
                more = _rows([side[part] for side in sides], weights)
                share = others[part] * more.any(axis=1, keepdims=True)
                sums += share.T @ more
                counts += share.sum(axis=0)
        found = cls(weights, sums / np.maximum(counts, 1e-300)[:, None], known)
        held_out = found._compared(rows)
        left = counts[codes] - 1
        means = (sums[codes] - rows) / np.maximum(left, 1e-9)[:, None]
        own = np.einsum("ij,ij->i", rows, means) - 0.5 * np.einsum("ij,ij->i", means, means)
        own[left < 1e-9] = -np.inf
        held_out[np.arange(len(codes)), codes] = np.where(placed, own, 0.0)
        return found, _finite(held_out)

    def scores(self, sides: Sequence[Array]) -> Array:
        """Return minus half of the squared distances of vertices to the means, up to a constant for each vertex.

        They have the shape (m, n_classes), and are 0 for vertices at the origin. Each row has the same bits alone
        and in any batch.
        """
        result = np.empty((len(sides[0]), len(self.means)))
        for part in slices(len(result), _BATCH):
            result[part] = _finite(self._compared(_rows([side[part] for side in sides], self.weights)))
        return result

    def _compared(self, rows: Array) -> Array:
        # Not BLAS, whose sums depend on the number of rows.
        result: Array = np.einsum("ij,kj->ik", rows, self.means)
        result -= 0.5 * np.einsum("ij,ij->i", self.means, self.means)
        result[:, ~self.known] = -np.inf
        result[~rows.any(axis=1)] = 0.0
        return result


def _weights(side: Array, power: int) -> Array:
    # The length of a column is the root of its absolute eigenvalue.
    lengths = np.sqrt(np.einsum("ij,ij->j", side, side))
    return np.asarray((lengths / max(lengths.max(initial=0.0), 1e-300)) ** (2 * power - 1))


def _rows(sides: Sequence[Array], weights: Sequence[Array]) -> Array:
    rows = [unit_rows(side[:, : len(weight)] * weight) for side, weight in zip(sides, weights, strict=True)]
    return np.asarray(np.hstack(rows) / np.sqrt(len(rows)))


def _finite(scores: Array) -> Array:
    """Replace the scores of classes without a mean by the lowest ones of the same rows."""
    finite = np.isfinite(scores)
    return np.where(finite, scores, scores.min(axis=1, where=finite, initial=0.0, keepdims=True))


@dataclass(frozen=True, eq=False)
class ClassPool:
    """Weights of the kinds of evidence on the classes of vertices, and what is needed to compute it.

    Attributes
    ----------
    weights : dict of str to float
        Weights of the kinds of evidence: "features", the classifier of the features; the nearness to the mean
        direction of each class, with coordinates weighted in three ways; "visits", the shares of the classes in
        the visits to neighbors (see `NeighborLabels`); and "class shares". Without
        held-out labels, the classifier of the features is left out.
    spread : float
        Weight of the shares of the classes that spread among new vertices.
    means : dict of str to ClassMeans
        The mean directions of the classes.
    shares : ndarray of shape (n_classes,)
        Shares of the classes among the labels.
    """

    weights: dict[str, float]
    spread: float
    means: dict[str, ClassMeans]
    shares: Array

    @classmethod
    def of(
        cls,
        features: VertexFeatures,
        near: Array | None,
        codes: Integers,
        trained: Integers,
        sample: Integers,
        by_features: Array | None,
    ) -> tuple[Self, Integers, Array]:
        """Return the pool, the vertices whose labels were held out, and their probabilities without these labels.

        Parameters
        ----------
        features : VertexFeatures
            Features of the n known vertices.
        near : ndarray of shape (n, n_classes) or None
            Shares of the classes in the visits to their neighbors.
        codes : ndarray of int of shape (n,)
            Their classes, -1 if unknown.
        trained : ndarray of int
            Labelled vertices to train on.
        sample : ndarray of int
            The vertices whose labels were held out in the cross-validation of the classifier of the features.
        by_features : ndarray of shape (len(sample), p) or None
            Their class probabilities by this classifier, in columns of the classes among them.
        """
        shares = np.bincount(codes[codes >= 0]) / np.count_nonzero(codes >= 0)
        k = len(shares)
        found: dict[str, tuple[ClassMeans, Array]] = {}
        held_out: dict[str, Array] = {}
        counts = np.bincount(codes[trained], minlength=k)
        # The class of a single label is unknown when that is held out.
        several = counts[codes[sample]] > 1
        if by_features is not None and several.any():
            probabilities = np.zeros((len(sample), k))
            probabilities[:, np.unique(codes[sample])] = by_features
            held_out["features"] = _logs("features", probabilities[several])
        sample = sample[several]
        if features.scaled and features.n_columns:
            found = _class_means(features.sides, near, codes, trained)
            held_out |= {name: scores[np.searchsorted(trained, sample)] for name, (_, scores) in found.items()}
        if near is not None:
            held_out["visits"] = _logs("visits", near[sample])
        weights, spread, own = {"features": 1.0}, {"neighbor labels": 1.0}, codes[sample]
        if set(held_out) - {"features"}:
            held_out["class shares"] = _logs("class shares", np.tile(shares, (len(sample), 1)))
            weights = pool_weights(held_out, own, counts)
        if features.labels is not None:
            joined = {"neighbor labels": _logs("neighbor labels", features.labels[sample, :k])}
            spread = pool_weights(joined, own, counts)
        pool = cls(weights, spread["neighbor labels"], {name: means for name, (means, _) in found.items()}, shares)
        if not held_out:
            return pool, sample[:0], np.zeros((0, k))
        return pool, sample, np.exp(log_pool(held_out, weights))

    def probabilities(self, by_features: Array, sides: Sequence[Array], near: Array | None) -> Array:
        """Return class probabilities of m vertices by all evidence.

        `by_features` are probabilities by the classifier of the features, and the other arguments as in `of`.
        """
        scores = {name: means.scores(sides) for name, means in self.means.items()}
        shares = {
            "features": by_features,
            "visits": near,
            "class shares": np.tile(self.shares, (len(by_features), 1)),
        }
        scores |= {name: _logs(name, each) for name, each in shares.items() if each is not None}
        return np.exp(log_pool(scores, self.weights))

    def with_new_neighbors(self, probabilities: Array, spread: Spread) -> Array:
        """Return class probabilities of m new vertices with edges to other new ones.

        The two sources share the weight: a position by few of the edges says little, and labels of few new
        neighbors add little to many known ones. In networks in which labels do not spread, such as bipartite ones,
        the weight `spread` is low. The largest probability of a vertex without a known neighbor exceeds the
        share of that class by at most 0.9 times the excess of its most certain neighbor; otherwise probabilities
        are moved towards the shares of the classes.

        Parameters
        ----------
        probabilities : ndarray of shape (m, n_classes)
            Their probabilities by edges to known vertices.
        spread : Spread
            The labels that spread among them.
        """
        joint = np.flatnonzero((spread.alone < 1) & spread.shares.any(axis=1))
        alone, result = spread.alone[joint, None], probabilities.copy()
        own = alone * _logs("by known vertices", probabilities[joint])
        others = (1.0 - alone) * _logs("neighbor labels", spread.shares[joint])
        result[joint] = np.exp(log_softmax(own + self.spread * others, axis=1))
        done, edges = spread.alone > 0, without_weights(spread.among)
        for _ in range(_NEW_STEPS):
            top, share = result.max(axis=1), self.shares[result.argmax(axis=1)]
            most = (edges * np.where(spread.labelled, 1.0, done * top)).max(axis=1).toarray().ravel()
            found = np.flatnonzero(~done & (most > 0) & (top > share))
            kept = np.clip(_AS_SURE * (most - share)[found] / (top - share)[found], 0.0, 1.0)[:, None]
            result[found] = self.shares + kept * (result[found] - self.shares)
            done |= most > 0
        return result


def pool_weights(held_out: Mapping[str, Array], codes: Integers, counts: Integers) -> dict[str, float]:
    """Return the weights of a logarithmic pool of largest posterior density, given labels that were held out.

    The pool is softmax of the weighted sum of scores (Genest & Zidek 1986), stacked by held-out labels (Wolpert
    1992). Logarithms of weights are normal around those of `_PRIOR`, so that few labels change the weights little,
    and many determine them. With c labels in a class, its mean has the variance 1 / c of a vertex, and distances
    to it the variance 1 + 1 / c; prior weights are divided by the mean of this over the classes.

    Parameters
    ----------
    held_out : mapping of str to ndarray of shape (m, n_classes)
        Scores of each kind of evidence for m vertices, without their own labels. The keys are among those of
        `_PRIOR`.
    codes : ndarray of int of shape (m,)
        Their classes.
    counts : ndarray of int of shape (n_classes,)
        Labels of each class.

    References
    ----------
    Genest, C. & Zidek, J. V. (1986), "Combining probability distributions: a critique and an annotated
    bibliography", Statistical Science 1. Wolpert, D. H. (1992), "Stacked generalization", Neural Networks 5.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.evidence import pool_weights
    >>> codes, noise = np.tile([0, 1], 200), np.random.default_rng(0).integers(0, 2, 400)
    >>> scores = {"visits": np.eye(2)[codes], "class shares": np.eye(2)[noise]}
    >>> found = pool_weights(scores, codes, np.full(2, 200))
    >>> found["visits"] > 2, found["class shares"] < 0.3
    (True, True)
    """
    start = np.log(list(_prior(held_out, counts).values()))
    scores, own = np.stack([*held_out.values()]), np.arange(len(codes))

    def loss(logarithms: Array) -> tuple[float, Array]:
        weights, change = np.exp(logarithms), (logarithms - start) / _DEVIATION
        pooled = log_pool(held_out, dict(zip(held_out, weights, strict=True)))
        expected = np.einsum("emc,mc->e", scores, np.exp(pooled))
        slopes = weights * (expected - scores[:, own, codes].sum(axis=1))
        return float(0.5 * change @ change - pooled[own, codes].sum()), slopes + change / _DEVIATION

    best = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return dict(zip(held_out, np.exp(best).tolist(), strict=True))


def _prior(names: Iterable[str], counts: Integers) -> dict[str, float]:
    """Return the weights without held-out labels."""
    variance = 1.0 + float(np.mean(1.0 / counts[counts > 0]))
    return {name: _PRIOR[name] / variance for name in names}


def _class_means(
    sides: Sequence[Array], near: Array | None, codes: Integers, trained: Integers
) -> dict[str, tuple[ClassMeans, Array]]:
    """Return the mean directions by name, and the scores of the labelled vertices without their own labels.

    Few labels determine a mean badly. Unlabelled vertices therefore count by the probabilities that means of
    labelled ones give them, which is a step of the EM algorithm; together they weigh as much as the labelled ones.
    """

    def means_of(others: Array | None) -> dict[str, tuple[ClassMeans, Array]]:
        return {name: ClassMeans.of(sides, codes, trained, power, others) for name, power in _POWERS.items()}

    scores = {name: means.scores(sides) for name, (means, _) in means_of(None).items()}
    if near is not None:
        scores["visits"] = _logs("visits", near)
    others = np.exp(log_pool(scores, _prior(scores, np.bincount(codes[trained]))))
    others[trained] = 0.0
    others *= len(trained) / len(others)
    return means_of(others)


def log_pool(scores: Mapping[str, Array], weights: Mapping[str, float]) -> Array:
    """Return logarithms of probabilities that are proportional to exponentials of weighted sums of scores.

    Each row has the same bits alone and in any batch.
    """
    total = sum((weight * scores[name] for name, weight in weights.items()), np.zeros(()))
    return log_softmax(total, axis=1)


def _logs(name: str, shares: Array) -> Array:
    """Return logarithms of (m, k) shares; rows of zeros are taken as equal shares."""
    some = shares.any(axis=1, keepdims=True)
    return np.log(np.where(some, shares, 1.0 / shares.shape[1]) + _ADDED[name])


@dataclass(frozen=True, eq=False)
class Calibration:
    """Exponents of class probabilities that make these agree with the share of right predictions.

    Logistic regression weighs the share of a class among the labelled neighbors alike for one neighbor and for
    ten. Its probabilities are therefore too high with one labelled neighbor, and too low with many. The
    probabilities p of a vertex become ``p**b / sum(p**b)``, which is temperature scaling (Guo et al. 2017, Section
    4.2) with temperature 1 / b. The exponent b is one of five, by the number of labelled neighbors: 0, 1, 2 to 3,
    4 to 7, and 8 or more. The most probable class remains.

    Attributes
    ----------
    exponents : ndarray of shape (5,)
        The exponent of each group; by default 1, which changes nothing.

    References
    ----------
    Guo, C., Pleiss, G., Sun, Y. & Weinberger, K. Q. (2017), "On calibration of modern neural networks", ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.evidence import Calibration
    >>> calibration = Calibration(np.array([1.0, 0.5, 1.0, 1.0, 2.0]))
    >>> calibration.by_neighbors(np.array([[0.8, 0.2], [0.8, 0.2], [0.8, 0.2]]), np.array([0, 1, 9])).round(2)
    array([[0.8 , 0.2 ],
           [0.67, 0.33],
           [0.94, 0.06]])
    """

    exponents: Array = field(default_factory=lambda: np.ones(_GROUPS))

    @classmethod
    def of(cls, held_out: Array, neighbors: Integers, codes: Integers) -> Self:
        """Return the exponents of largest posterior density, given labels that were held out.

        Their logarithms are normal with standard deviation 0.18 around a common value, which is normal with
        standard deviation 0.1 around 0, so that few labels change the probabilities little.

        Parameters
        ----------
        held_out : ndarray of shape (m, n_classes)
            Probabilities of labelled vertices, whose labels were held out.
        neighbors : ndarray of int of shape (m,)
            Their numbers of labelled neighbors.
        codes : ndarray of int of shape (m,)
            The classes of the vertices.
        """
        given = held_out[np.arange(len(codes)), codes]
        # A class that the training folds lack has probability 0 with any exponent.
        usable = np.flatnonzero(given > 0)
        groups = np.digitize(neighbors, _BOUNDS)[usable]
        logs = np.log(np.maximum(held_out[usable], np.finfo(float).tiny))
        logs -= logs.max(axis=1, keepdims=True)
        own = logs[np.arange(len(usable)), codes[usable]]

        def loss(parameters: Array) -> tuple[float, Array]:
            # The first parameter is the mean of the logarithms, and the others are their differences to it.
            logarithms = parameters[0] + parameters[1:]
            exponents = np.exp(logarithms)[groups]
            powers = np.exp(exponents[:, None] * logs)
            total = powers.sum(axis=1)
            likelihood = (exponents * own - np.log(total)).sum()
            slopes = exponents * (own - np.einsum("ij,ij->i", powers, logs) / total)
            by_group = np.bincount(groups, slopes, _GROUPS)
            penalty = 0.5 * (_COMMON * parameters[0] ** 2 + _OWN * (parameters[1:] ** 2).sum())
            slope = np.concatenate([[_COMMON * parameters[0] - by_group.sum()], _OWN * parameters[1:] - by_group])
            return penalty - likelihood, slope

        found = minimize(loss, np.zeros(_GROUPS + 1), jac=True, method="L-BFGS-B")
        return cls(np.exp(found.x[0] + found.x[1:]))

    def by_neighbors(self, probabilities: Array, neighbors: Integers) -> Array:
        """Return calibrated probabilities of m vertices with the given numbers of labelled neighbors."""
        exponents = self.exponents[np.digitize(neighbors, _BOUNDS)][:, None]
        powers = (probabilities / probabilities.max(axis=1, keepdims=True)) ** exponents
        # Rows with the exponent 1 remain as they are, bit for bit.
        return np.where(exponents == 1.0, probabilities, powers / powers.sum(axis=1, keepdims=True))
