"""Pools of what several kinds of evidence say about classes, with weights learnt from held-out labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.optimize import minimize

from lpgraph.infer.class_means import ClassMeans

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from lpgraph.infer.features import VertexFeatures
    from lpgraph.infer.selection import Selection
    from lpgraph.spectral.construction import Array

__all__ = ["ClassPool", "log_pool", "pool_weights"]

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


@dataclass(frozen=True, eq=False)
class ClassPool:
    """Weights of the kinds of evidence on the classes of vertices, and what is needed to compute it.

    Attributes
    ----------
    weights : dict of str to float
        Weights of the kinds of evidence: "features", the classifier of the features; the nearness to the mean
        direction of each class, with coordinates weighted in three ways; "visits", the shares of the classes in
        the visits to neighbors (see `lpgraph.infer.neighbor_labels.NeighborLabels`); and "class shares". Without
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
        codes: NDArray[np.intp],
        trained: NDArray[np.intp],
        shares: Array,
        selected: Selection,
    ) -> tuple[Self, NDArray[np.intp], Array]:
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
        shares : ndarray of shape (n_classes,)
            Shares of the classes among the labels.
        selected : Selection
            The cross-validation of the classifier of the features.
        """
        k = len(shares)
        means: dict[str, ClassMeans] = {}
        held_out: dict[str, Array] = {}
        counts = np.bincount(codes[trained], minlength=k)
        # The class of a single label is unknown when that is held out.
        alone = counts[codes[selected.sample]] < 2
        sample = selected.sample[~alone]
        if selected.held_out is not None and len(sample):
            probabilities = np.zeros((len(sample), k))
            probabilities[:, np.unique(codes[selected.sample])] = selected.held_out[~alone]
            held_out["features"] = _logs("features", probabilities)
        if features.scaled and features.n_columns:
            means, scores = _class_means(features.sides, near, trained, codes[trained], k, counts)
            held_out |= {name: each[np.searchsorted(trained, sample)] for name, each in scores.items()}
        if near is not None:
            held_out["visits"] = _logs("visits", near[sample])
        weights, spread, own = {"features": 1.0}, 1.0, codes[sample]
        if set(held_out) - {"features"}:
            held_out["class shares"] = _logs("class shares", np.broadcast_to(shares, (len(sample), k)))
            weights = pool_weights(held_out, own, counts)
        if features.labels is not None:
            joined = {"neighbor labels": _logs("neighbor labels", features.labels[sample, :k])}
            spread = pool_weights(joined, own, counts)["neighbor labels"]
        pool = cls(weights, spread, means, shares)
        if not held_out:
            return pool, sample[:0], np.zeros((0, k))
        return pool, sample, np.exp(log_pool(held_out, weights))

    def probabilities(self, by_features: Array, sides: Sequence[Array], near: Array | None) -> Array:
        """Return class probabilities of m vertices by all evidence.

        `by_features` are probabilities by the classifier of the features, and the other arguments as in `of`.
        """
        scores = {name: means.scores(sides) for name, means in self.means.items()}
        scores["features"] = _logs("features", by_features)
        if near is not None:
            scores["visits"] = _logs("visits", near)
        scores["class shares"] = _logs("class shares", np.broadcast_to(self.shares, by_features.shape))
        return np.exp(log_pool(scores, self.weights))

    def with_new_neighbors(self, probabilities: Array, shares: Array, alone: Array) -> Array:
        """Return class probabilities of m new vertices with edges to other new ones.

        The two sources share the weight: a position by few of the edges says little, and labels of few new
        neighbors add little to many known ones. In networks in which labels do not spread, such as bipartite ones,
        the weight `spread` is low.

        Parameters
        ----------
        probabilities : ndarray of shape (m, n_classes)
            Their probabilities by edges to known vertices.
        shares, alone : ndarray of shape (m, n_classes) and (m,)
            See `lpgraph.infer.neighbor_labels.NeighborLabels.spread`.
        """
        own = alone[:, None] * _logs("by known vertices", probabilities)
        spread = (1.0 - alone[:, None]) * _logs("neighbor labels", shares)
        return np.exp(log_pool({"own": own, "spread": spread}, {"own": 1.0, "spread": self.spread}))


def pool_weights(
    held_out: Mapping[str, Array], codes: NDArray[np.intp], counts: NDArray[np.intp]
) -> dict[str, float]:
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
    >>> from lpgraph.infer.pooling import pool_weights
    >>> codes, noise = np.tile([0, 1], 200), np.random.default_rng(0).integers(0, 2, 400)
    >>> scores = {"visits": np.eye(2)[codes], "class shares": np.eye(2)[noise]}
    >>> found = pool_weights(scores, codes, np.full(2, 200))
    >>> found["visits"] > 2, found["class shares"] < 0.3
    (True, True)
    """
    start = np.log(list(_prior(held_out, counts).values()))
    scores, own = np.stack(list(held_out.values())), np.arange(len(codes))

    def loss(logarithms: Array) -> tuple[float, Array]:
        weights, change = np.exp(logarithms), (logarithms - start) / _DEVIATION
        pooled = log_pool(dict(zip(held_out, scores, strict=True)), dict(zip(held_out, weights, strict=True)))
        expected = np.einsum("emc,mc->e", scores, np.exp(pooled))
        slopes = weights * (expected - scores[:, own, codes].sum(axis=1))
        return float(0.5 * change @ change - pooled[own, codes].sum()), slopes + change / _DEVIATION

    best = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return dict(zip(held_out, np.exp(best).tolist(), strict=True))


def _prior(names: Iterable[str], counts: NDArray[np.intp]) -> dict[str, float]:
    """Return the weights without held-out labels."""
    variance = 1.0 + float(np.mean(1.0 / counts[counts > 0]))
    return {name: _PRIOR[name] / variance for name in names}


def _class_means(
    sides: Sequence[Array],
    near: Array | None,
    trained: NDArray[np.intp],
    own: NDArray[np.intp],
    k: int,
    counts: NDArray[np.intp],
) -> tuple[dict[str, ClassMeans], dict[str, Array]]:
    """Return the mean directions by name, and the scores of the labelled vertices without their own labels.

    Few labels determine a mean badly. Unlabelled vertices therefore count by the probabilities that means of
    labelled ones give them, which is a step of the EM algorithm; together they weigh as much as the labelled ones.
    """

    def means_of(others: Array | None) -> dict[str, tuple[ClassMeans, Array]]:
        return {
            name: ClassMeans.of(sides, trained, own, k, power, power * k, others)
            for name, power in _POWERS.items()
        }

    scores = {name: means.scores(sides) for name, (means, _) in means_of(None).items()}
    if near is not None:
        scores["visits"] = _logs("visits", near)
    others = np.exp(log_pool(scores, _prior(scores, counts)))
    others[trained] = 0.0
    others *= len(trained) / len(others)
    found = means_of(others)
    return {name: means for name, (means, _) in found.items()}, {name: each for name, (_, each) in found.items()}


def log_pool(scores: Mapping[str, Array], weights: Mapping[str, float]) -> Array:
    """Return logarithms of probabilities that are proportional to exponentials of weighted sums of scores.

    Each row has the same bits alone and in any batch.
    """
    total = np.zeros_like(next(iter(scores.values())))
    for name, weight in weights.items():
        total += weight * scores[name]
    total -= total.max(axis=1, keepdims=True)
    return np.asarray(total - np.log(np.exp(total).sum(axis=1, keepdims=True)))


def _logs(name: str, shares: Array) -> Array:
    """Return logarithms of (m, k) shares; rows of zeros are taken as equal shares."""
    some = shares.any(axis=1, keepdims=True)
    return np.asarray(np.log(np.where(some, shares, 1.0 / shares.shape[1]) + _ADDED[name]))
