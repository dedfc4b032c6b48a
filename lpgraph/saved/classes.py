"""Classes that a model file may contain, by name: those of lpgraph that are data, and some of scikit-learn."""

from __future__ import annotations

import dataclasses
import importlib
import re
from functools import cache

__all__ = ["REFITTED", "SKLEARN_NAMES", "class_of", "name_of"]

#: Estimators of scikit-learn that consist of arrays and numbers. Trees, forests and kernel machines contain
#: compiled structures, which could read other memory if a file is damaged or malicious.
_SKLEARN = {
    "sklearn.decomposition": ("PCA",),
    "sklearn.discriminant_analysis": ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    "sklearn.dummy": ("DummyClassifier",),
    "sklearn.frozen": ("FrozenEstimator",),
    "sklearn.linear_model": ("LogisticRegression", "RidgeClassifier"),
    "sklearn.mixture": ("GaussianMixture",),
    "sklearn.naive_bayes": ("GaussianNB",),
    "sklearn.neighbors": ("KNeighborsClassifier", "NearestCentroid", "RadiusNeighborsClassifier"),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": ("LabelBinarizer", "MinMaxScaler", "Normalizer", "RobustScaler", "StandardScaler"),
    "sklearn.svm": ("LinearSVC",),
}
_HOME = {name: module for module, names in _SKLEARN.items() for name in names}
#: Classes of scikit-learn, for error messages.
SKLEARN_NAMES = sorted(_HOME)
#: Classifiers that are fitted again to their training data, because their search structures are compiled.
REFITTED = ("KNeighborsClassifier", "RadiusNeighborsClassifier")
#: Modules of lpgraph whose classes may be part of a model.
_OWN = re.compile(r"lpgraph\.(graph|points|spectral|models|embed|manifold|infer)(\.[a-z_]+)+")


def name_of(value: object) -> str | None:
    """Return the name under which a value's class is stored, or None if it cannot be stored."""
    kind = type(value)
    name = kind.__name__ if kind.__module__.startswith("sklearn.") else f"{kind.__module__}:{kind.__name__}"
    return name if class_of(name) is kind else None


@cache
def class_of(name: str) -> type | None:
    """Return the class that is stored under a name, or None if none is: no other is ever made."""
    from sklearn.base import BaseEstimator

    module, _, kind = name.rpartition(":")
    if not module:
        found = getattr(importlib.import_module(_HOME[name]), name) if name in _HOME else None
        return found if isinstance(found, type) else None
    if not _OWN.fullmatch(module):
        return None
    try:
        found = vars(importlib.import_module(module)).get(kind)
    except ModuleNotFoundError:
        return None
    if not isinstance(found, type) or found.__module__ != module:
        return None
    is_data = dataclasses.is_dataclass(found) or hasattr(found, "_fields") or issubclass(found, BaseEstimator)
    return found if is_data else None
