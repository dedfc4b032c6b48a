"""Classes that a model file may contain, by name."""

from __future__ import annotations

import importlib
from functools import cache

from lpgraph._names import homes
from lpgraph.spectral.construction import NewRows
from lpgraph.storage.unread import Unread

__all__ = ["class_of", "model_fits", "name_of", "network_embeddings", "stored_attributes"]

#: Parts of models. Estimators, and the rows that methods define, are found by the tables of public names.
_VALUES = {
    "lpgraph.embed.one_step_rows": ("OneStepRows",),
    "lpgraph.embed.rows": ("AdjacencyRows", "CovariateRows", "DegreeRows", "ModularityRows"),
    "lpgraph.graph.adjacency": ("Adjacency",),
    "lpgraph.infer.block_partition": ("BlockPartition", "EdgeRates"),
    "lpgraph.infer.calibration": ("Calibration",),
    "lpgraph.infer.class_means": ("ClassMeans",),
    "lpgraph.infer.label_reach": ("LabelReach",),
    "lpgraph.infer.mixture": ("PositionMixture",),
    "lpgraph.infer.neighbor_labels": ("NeighborLabels",),
    "lpgraph.infer.pooling": ("ClassPool",),
    "lpgraph.manifold.connected_neighbors": ("Neighbors",),
    "lpgraph.manifold.kernels": (
        "CentredKernel",
        "Centring",
        "HalfSquares",
        "KernelFunction",
        "ScalarProducts",
        "SparseScalarProducts",
    ),
    "lpgraph.manifold.local_weights": ("LocalNeighbors",),
    "lpgraph.manifold.preimage": ("PreImage",),
    "lpgraph.manifold.similarity": ("GivenSimilarity", "NormalisedSimilarity", "PointSimilarity"),
    "lpgraph.manifold.unfolding.kernel": ("Unfolding",),
    "lpgraph.manifold.unfolding.learn": ("Distinct",),
    "lpgraph.manifold.unfolding.report": ("Bound", "Constraints"),
    "lpgraph.manifold.unfolding.rigid": ("RigidPairs",),
    "lpgraph.points.metric_params": ("MetricWithParams",),
    "lpgraph.points.neighborhood": ("Neighborhood",),
    "lpgraph.points.rows": ("PointRows",),
    "lpgraph.points.search.cells": ("Cells",),
    "lpgraph.spectral.aligned": ("Alignment",),
    "lpgraph.spectral.choice": ("DimensionChoice",),
    "lpgraph.spectral.completion": ("Completion",),
    "lpgraph.spectral.extension": ("Extension",),
    "lpgraph.spectral.named_positions": ("NamedPositions",),
    "lpgraph.spectral.placement": ("Placement",),
    "lpgraph.spectral.scree": ("AtMost",),
}
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
_HOME = {name: module for table in (_VALUES, _SKLEARN) for module, names in table.items() for name in names}
#: Packages whose public classes are estimators.
_ESTIMATORS = ("lpgraph.embed.", "lpgraph.infer.", "lpgraph.manifold.")
#: Package whose public classes are fitted random graph models, and their base class.
_FITS = "lpgraph.infer.fit."
#: Classifiers that are fitted again to their training data, because their search structures are compiled.
REFITTED = ("KNeighborsClassifier", "RadiusNeighborsClassifier")
#: Attributes that are computed from others, and not stored.
DERIVED = ("_fitted_names", "vertex_index_")
#: Classes of scikit-learn, for error messages.
SKLEARN_NAMES = sorted(name for names in _SKLEARN.values() for name in names)


@cache
def _public() -> dict[str, str]:
    """Return the modules of the estimators, from the tables of public names."""
    importlib.import_module("lpgraph.manifold")
    names = homes("lpgraph") | homes("lpgraph.manifold")
    return {name: home for name, home in names.items() if home.startswith(_ESTIMATORS) and name[0].isupper()}


@cache
def model_fits() -> dict[str, str]:
    """Return the modules of the fitted random graph models, from the table of public names."""
    names = homes("lpgraph.infer")
    return {name: home for name, home in names.items() if home.startswith(_FITS) and name != "ModelFit"}


def network_embeddings() -> set[str]:
    """Return the names of the estimators of networks that have their own placement."""
    return {name for name, home in _public().items() if home.startswith("lpgraph.embed.")} - {"OutOfSample"}


def stored_attributes(estimator: object) -> dict[str, object]:
    """Return the attributes of an estimator that are stored; what is in a file stays unread."""
    state = {key: held for key, held in vars(estimator).items() if key not in DERIVED}
    if "align_to" in state and not isinstance(state["align_to"], Unread):
        from lpgraph.embed.align import stored_positions

        state["align_to"] = stored_positions(state["align_to"])
    for key in ("observed", "unobserved"):
        if key in state and not isinstance(state[key], Unread):
            from lpgraph.graph.observed import stored_pairs

            state[key] = stored_pairs(state[key])
    if "covariates" in state:  # large, possibly confidential, and needed by another fit only
        state["covariates"] = None
    return state


def name_of(value: object) -> str | None:
    """Return the name under which a value's class is stored, or None if it cannot be stored."""
    kind = type(value)
    for name in (kind.__name__, f"{kind.__module__}:{kind.__name__}"):
        if class_of(name) is kind:
            return name
    return None


def class_of(name: object) -> type | None:
    """Return the class that is stored under a name, or None if there is none.

    Rows that a method's own module defines are stored as ``module:class``; the module must be in the tables.
    """
    if not isinstance(name, str):
        return None
    module, _, kind = name.rpartition(":")
    if not module:
        home = _HOME.get(name) or _public().get(name) or model_fits().get(name)
        found = None if home is None else getattr(importlib.import_module(home), name)
        return found if isinstance(found, type) else None
    if module not in _public().values():
        return None
    found = vars(importlib.import_module(module)).get(kind)
    own = isinstance(found, type) and issubclass(found, NewRows) and found.__module__ == module
    return found if own else None
