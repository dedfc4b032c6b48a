"""Choice of the number of coordinates, and of the penalty, of a vertex classifier by cross-validation."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from lpgraph._progress import tell
from lpgraph._threads import in_threads
from lpgraph.infer.foreign import classifier_errors
from lpgraph.infer.race import Race

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.infer.features import VertexFeatures
    from lpgraph.spectral.construction import Array

    Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]

__all__ = ["Classifier", "Selection", "select"]

_log = logging.getLogger("lpgraph.infer")

_FOLDS = 5
#: Labelled vertices used in cross-validation; the standard error of their accuracy is below one percent.
_MOST = 3000
#: Vertices from which the scales of the features are estimated.
_REFERENCE = 10_000
#: Inverse penalties of logistic regression.
_PENALTIES = (0.01, 0.1, 1.0)
#: Tolerances of logistic regression in cross-validation, and of the classifier.
_COARSE, _FINE = 1e-2, 1e-3
#: Probability of a class that the training folds lack.
_UNSEEN = 1e-6


class Classifier(Protocol):
    """A classifier of scikit-learn."""

    def fit(self, X: NDArray[np.float64], y: NDArray[np.generic]) -> object:
        """Train on features."""

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.generic]:
        """Return labels."""


def _logistic(C: float, tol: float) -> LogisticRegression:
    return LogisticRegression(C=C, tol=tol, max_iter=1000)


class _Candidate(NamedTuple):
    """A number of columns, and the inverse penalty."""

    n_columns: int
    C: float


@dataclass(frozen=True)
class Selection:
    """The features and the classifier with the best score.

    Attributes
    ----------
    n_columns : int
        Number of leading columns of the embedding.
    classifier : estimator
        The unfitted classifier.
    sample : ndarray of int
        The labelled vertices of the cross-validation.
    held_out : ndarray of shape (len(sample), n_classes) or None
        Their class probabilities when their labels are held out, in columns of their sorted labels, by the default
        classifier; 0 in the column of a class that the training folds lack. None for another classifier, and if
        there are too few labels.
    """

    n_columns: int
    classifier: Classifier | Pipeline
    sample: NDArray[np.intp]
    held_out: Array | None


def select(
    features: VertexFeatures,
    labels: NDArray[np.generic],
    labelled: NDArray[np.intp],
    classifier: Classifier | None,
    rng: np.random.Generator,
    *,
    choose: bool,
) -> Selection:
    """Choose features and the penalty of the default classifier by cross-validation, one after the other.

    The numbers of columns to choose from are 2, 4, 8, ... and all, and 0 if there are other features: the columns
    of one decomposition are nested. The score is the mean log-likelihood of held-out labels, or the accuracy if
    the classifier has no probabilities.

    Parameters
    ----------
    features : VertexFeatures
        Features of the n known vertices.
    labels : ndarray of shape (n,)
        Their labels.
    labelled : ndarray of int
        The vertices with labels.
    classifier : estimator or None
        The classifier; None means logistic regression on scaled features, whose penalty is chosen.
    rng : Generator
        Divides the labelled vertices into folds.
    choose : bool
        Whether to choose features; otherwise all are used.
    """
    sample, folds = _folds(labels, labelled, rng)
    y = labels[sample]
    # Labelled vertices may be few, so that scales are taken from vertices with and without labels.
    reference = np.sort(rng.permutation(len(labels))[:_REFERENCE])

    def scaler(n_columns: int) -> StandardScaler:
        return StandardScaler().set_output(transform="default").fit(features.rows(reference, n_columns))

    @cache
    def rows(n_columns: int) -> NDArray[np.floating]:
        X = features.rows(sample, n_columns)
        # Half the time; the coarse tolerance is a thousand times the rounding errors of single precision. BLAS may
        # report invalid values in products of finite numbers of this type: it computes on what is beside them.
        return X if classifier is not None else scaler(n_columns).transform(X).astype(np.float32)

    def scores(candidate: _Candidate, fold: int) -> Array:
        shown = candidate.n_columns, 1 / candidate.C
        tell(_log, "cross-validation of a classifier of %d coordinates, penalty %g", *shown)
        X, (train, test) = rows(candidate.n_columns), folds[fold]
        if classifier is not None:
            return _scores(classifier, X[train], y[train], X[test], y[test])
        with np.errstate(invalid="ignore"):
            return _scores(_logistic(candidate.C, _COARSE), X[train], y[train], X[test], y[test])

    # A classifier of the user may not be made for several threads.
    held_out = None
    race = Race(scores, len(folds), threads=None if classifier is None else 1)
    found = _Candidate(features.n_columns, 0.1)
    with warnings.catch_warnings():
        # A candidate that does not converge has a poor score.
        warnings.simplefilter("ignore", ConvergenceWarning)
        if choose and folds:
            numbers = {2**k for k in range(1, found.n_columns.bit_length()) if 2**k < found.n_columns}
            numbers |= {found.n_columns}
            if features.degrees is not None or features.labels is not None:
                numbers.add(0)
            found = race.best([_Candidate(n_columns, 0.1) for n_columns in sorted(numbers)])
        if classifier is None and folds:
            found = race.best([found._replace(C=C) for C in _PENALTIES])
            with np.errstate(invalid="ignore"):
                held_out = _held_out(_logistic(found.C, _COARSE), rows(found.n_columns), y, folds)
    if classifier is not None:
        return Selection(found.n_columns, classifier, sample, None)
    scale = FrozenEstimator(scaler(found.n_columns))
    pipeline = Pipeline([("scale", scale), ("logistic", _logistic(found.C, _FINE))])
    return Selection(found.n_columns, pipeline, sample, held_out)


def _folds(
    labels: NDArray[np.generic], labelled: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.intp], Folds]:
    """Return at most `_MOST` labelled vertices, and stratified folds of them.

    There are no folds if one would leave a single class to train on.
    """
    sample = rng.permutation(labelled)[:_MOST]
    sample = sample[np.argsort(labels[sample], kind="stable")]
    fold = np.arange(len(sample)) % _FOLDS
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(min(_FOLDS, len(sample)))]
    trainable = all(len(np.unique(labels[sample[train]])) > 1 for train, _ in folds)
    return sample, folds if trainable else []


def _scores(
    classifier: Classifier,
    X: NDArray[np.floating],
    y: NDArray[np.generic],
    held: NDArray[np.floating],
    truth: NDArray[np.generic],
) -> Array:
    """Return the log-likelihoods of held-out labels; without probabilities, 1 where the label is predicted."""
    model = clone(classifier)
    with classifier_errors(classifier, "fit"):
        model.fit(X, y)
    if not hasattr(model, "predict_proba"):
        with classifier_errors(classifier, "predict"):
            return np.asarray(model.predict(held) == truth, dtype=np.float64)
    with classifier_errors(classifier, "predict_proba"):
        column = np.minimum(np.searchsorted(model.classes_, truth), len(model.classes_) - 1)
        likelihood = model.predict_proba(held)[np.arange(len(truth)), column].astype(np.float64)
    seen = model.classes_[column] == truth
    return np.log(np.where(seen, np.maximum(likelihood, _UNSEEN), _UNSEEN))


def _held_out(
    classifier: LogisticRegression, X: NDArray[np.floating], y: NDArray[np.generic], folds: Folds
) -> Array:
    """Return the class probabilities of vertices whose labels are held out, in columns of the sorted labels."""
    classes = np.unique(y)
    result = np.zeros((len(y), len(classes)))

    def work(low: int, high: int) -> None:
        for train, test in folds[low:high]:
            model = clone(classifier).fit(X[train], y[train])
            result[np.ix_(test, np.searchsorted(classes, model.classes_))] = model.predict_proba(X[test])

    in_threads(work, range(len(folds) + 1))
    return result
