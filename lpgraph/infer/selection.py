"""Choice of the number of coordinates, and of the penalty, of a vertex classifier by cross-validation."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from lpgraph._progress import tell
from lpgraph.infer.foreign import classifier_errors

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


@dataclass(frozen=True)
class Selection:
    """The features and the classifier with the best score.

    Attributes
    ----------
    n_columns : int
        Number of leading columns of the embedding.
    second : bool
        Whether the second block of labels is used.
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
    second: bool
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

    def scaler(n_columns: int, second: bool) -> StandardScaler:
        return StandardScaler().set_output(transform="default").fit(features.rows(reference, n_columns, second))

    def trial(n_columns: int, second: bool, C: float = 0.1) -> tuple[float, Array | None]:
        tell(_log, "cross-validation of a classifier of %d coordinates, penalty %g", n_columns, 1 / C)
        X = features.rows(sample, n_columns, second)
        if classifier is not None:
            return _trial(classifier, X, y, folds)
        return _trial(_logistic(C, _COARSE), scaler(n_columns, second).transform(X), y, folds)

    most, second, C = features.n_columns, features.labels is not None, 0.1
    held_out = None
    if choose and folds:
        numbers = {2**k for k in range(1, most.bit_length()) if 2**k < most} | {most}
        if features.degrees is not None or features.labels is not None:
            numbers.add(0)
        scores = {n_columns: trial(n_columns, False)[0] for n_columns in sorted(numbers)}
        most = max(scores, key=lambda n_columns: scores[n_columns])
        second = second and trial(most, True)[0] > scores[most]
    if classifier is None and folds:
        penalties = {C: trial(most, second, C) for C in _PENALTIES}
        C = max(penalties, key=lambda C: penalties[C][0])
        held_out = penalties[C][1]
    if classifier is not None:
        return Selection(most, second, classifier, sample, None)
    scale = FrozenEstimator(scaler(most, second))
    chosen = Pipeline([("scale", scale), ("logistic", _logistic(C, _FINE))])
    return Selection(most, second, chosen, sample, held_out)


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


def _trial(
    classifier: Classifier, X: NDArray[np.float64], y: NDArray[np.generic], folds: Folds
) -> tuple[float, Array | None]:
    """Return the mean log-likelihood of the held-out labels, and the class probabilities of their vertices.

    If the classifier has no probabilities, the first is the accuracy, and the second None.
    """
    classes, codes = np.unique(y, return_inverse=True)
    held_out = np.zeros((len(y), len(classes)))
    right = np.zeros(len(y), dtype=bool)
    for train, test in folds:
        model = clone(classifier)
        with warnings.catch_warnings():
            # A candidate that does not converge has a poor score.
            warnings.simplefilter("ignore", ConvergenceWarning)
            with classifier_errors(classifier, "fit"):
                model.fit(X[train], y[train])
        if not hasattr(model, "predict_proba"):
            with classifier_errors(classifier, "predict"):
                right[test] = model.predict(X[test]) == y[test]
            continue
        with classifier_errors(classifier, "predict_proba"):
            held_out[np.ix_(test, np.searchsorted(classes, model.classes_))] = model.predict_proba(X[test])
    if not hasattr(model, "predict_proba"):
        return float(right.mean()), None
    likelihood = held_out[np.arange(len(y)), codes]
    return float(np.log(np.maximum(likelihood, _UNSEEN)).mean()), held_out
