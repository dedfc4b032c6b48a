"""Rules of the estimators of scikit-learn: their fitted attributes, and one use of each.

Attributes depend on the version of scikit-learn. Therefore those that are not listed here are allowed if they are
plain values or arrays, and each estimator is used on one point.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from lpgraph.saved.checker import Check, Checker, Rule, Sizes
from lpgraph.saved.checks import (
    any_of,
    array,
    choice,
    flag,
    integer,
    labels,
    nothing,
    part,
    real,
    sequence,
)

__all__ = ["CLASSIFIERS", "SKLEARN"]

#: Smallest number that features are divided by.
_TINY = 1e-100
#: Methods that are tried, and whether each gives numbers.
_METHODS = {"predict": False, "predict_proba": True, "decision_function": True, "transform": True}


def _parameters(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if a parameter is invalid."""
    try:
        value._validate_params()
    except (TypeError, ValueError) as error:
        checker.fail(where, f"has an invalid parameter ({str(error)[:100]})")


def _used(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if an estimator fails for a point."""
    width = getattr(value, "n_features_in_", None)
    if not isinstance(width, int) or width < 1:
        checker.fail(where, "has no number of features")
    # A classifier by radius needs neighbors, so that a point of its own is used.
    known = vars(value).get("_fit_X")
    lengths: dict[str, int] = {}
    point = np.zeros((1, width)) if known is None else np.asarray(known[:1])
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for method, numeric in _METHODS.items():
                # Some classifiers have a method "transform" that does not apply to their solver.
                if hasattr(value, method) and not (method == "transform" and hasattr(value, "classes_")):
                    found = np.asarray(getattr(value, method)(point))
                    lengths[method] = len(found) if not numeric or found.dtype.kind in "fiu" else -1
    except (ArithmeticError, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError) as error:
        checker.fail(where, f"fails in use ({type(error).__name__}: {str(error)[:100]})")
    if set(lengths.values()) != {1}:
        checker.fail(where, f"gives results of lengths {lengths} for one point")


def _ordered(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    classes = value.classes_
    try:
        sound = bool((classes[1:] > classes[:-1]).all())
    except TypeError:
        sound = False
    if not sound:
        checker.fail(where, "has classes that are not sorted")


def _rows_of_classes(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check coefficients: a row for each class, or one for two classes."""
    row = "1" if sizes["c"] == 2 else "c"
    array("p" if row == "1" and np.ndim(value) == 1 else f"{row} p")(checker, value, sizes, where)  # type: ignore[arg-type]


def _intercepts(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    any_of(array("1" if sizes["c"] == 2 else "c"), real())(checker, value, sizes, where)


def _rule(
    fields: Mapping[str, Check],
    *,
    optional: tuple[str, ...] = (),
    parameters: Mapping[str, Check] | None = None,
    relations: tuple[Check, ...] = (),
) -> Rule:
    first = {"n_features_in_": integer("p", low=1)}
    return Rule({**first, **fields}, optional, parameters or {}, (*relations, _used), (_parameters,), open=True)


def _classifier(
    fields: Mapping[str, Check], *, optional: tuple[str, ...] = (), parameters: Mapping[str, Check] | None = None
) -> Rule:
    fields = {"classes_": labels("c"), **fields}
    return _rule(fields, optional=optional, parameters=parameters, relations=(_ordered,))


def _covariances(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check covariances, precisions or their factors, whose shape depends on the model."""
    any_of(array("c p p"), array("c p"), array("p p"), array("c"))(checker, value, sizes, where)


def _mixture(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if covariances have not the shape of their model."""
    c, p = sizes["c"], sizes["p"]
    shapes = {"full": (c, p, p), "tied": (p, p), "diag": (c, p), "spherical": (c,)}
    parts = (value.covariances_, value.precisions_, value.precisions_cholesky_)
    if any(found.shape != shapes.get(value.covariance_type) for found in parts):
        checker.fail(where, "has covariances of another shape than its model")
    # Logarithms are taken of the diagonals of the factors.
    factors = value.precisions_cholesky_
    diagonal = (
        factors if value.covariance_type in ("diag", "spherical") else np.diagonal(factors, axis1=-2, axis2=-1)
    )
    if not (diagonal > 0).all():
        checker.fail(where, "has factors of precisions that are not positive")


def _steps(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the steps of a pipeline: each takes as many columns as the one before returns."""
    if type(value) is not list or not value:
        checker.fail(where, "has no steps")
    width: int | None = None
    for k, step in enumerate(value):
        place = f"{where}[{k}]"
        if type(step) is not tuple or len(step) != 2 or not isinstance(step[0], str):
            checker.fail(place, "is no pair of a name and an estimator")
        if step[1] is None or step[1] == "passthrough":
            continue
        inner: Sizes = {}
        checker.state(step[1], inner, place)
        taken = inner.get("p", inner.get("n"))
        if width is not None and taken is not None and taken != width:
            checker.fail(place, f"takes {taken} columns, but the step before gives {width}")
        if "p" not in sizes and taken is not None:
            sizes["p"] = taken
        width = inner.get("d", taken)
    if len({step[0] for step in value}) < len(value):
        checker.fail(where, "has two steps of one name")
    if width is not None:
        sizes["d"] = width


#: Threads of searches for neighbors. Any number would be started.
_JOBS = {"n_jobs": any_of(nothing, real(-1024, 1024))}
_TREE = {**_JOBS, "leaf_size": real(1, 2**30)}  # beyond, scikit-learn's sizes of leaves overflow
_SCALE = array("p", low=_TINY)
_COUNT = any_of(real(0.0), array("p", "if", low=0.0))

#: The rules of each class, by its name.
SKLEARN: dict[str, Rule] = {
    "PCA": _rule(
        {
            "components_": array("d p"),
            "mean_": array("p"),
            "n_components_": integer("d"),
            "explained_variance_": array("d", low=0.0),
            "noise_variance_": real(0.0),
        }
    ),
    "LinearDiscriminantAnalysis": _classifier(
        {
            "priors_": array("c", low=0.0, high=1.0),
            "means_": array("c p"),
            "coef_": _rows_of_classes,
            "intercept_": _intercepts,
            "xbar_": array("p"),
            "scalings_": array("p _"),
            "covariance_": array("p p"),
            "_max_components": integer(low=1),
        },
        optional=("xbar_", "scalings_", "covariance_"),
    ),
    "QuadraticDiscriminantAnalysis": _classifier(
        {
            "priors_": array("c", above=0.0, high=1.0),
            "means_": array("c p"),
            "rotations_": sequence(array("p _"), "c"),
            "scalings_": sequence(array("_", low=_TINY), "c"),
        }
    ),
    "DummyClassifier": _classifier(
        {
            "n_classes_": integer("c"),
            "class_prior_": array("c", low=0.0, high=1.0, values=lambda found: abs(found.sum() - 1) < 1e-6),
            "n_outputs_": integer("1"),
            "_strategy": choice("most_frequent", "prior", "stratified", "uniform", "constant"),
            "sparse_output_": flag,
        }
    ),
    "FrozenEstimator": Rule(
        {}, parameters={"estimator": lambda c, v, s, w: c.state(v, s, w)}, always=(_parameters,), open=True
    ),
    "LogisticRegression": _classifier({"coef_": _rows_of_classes, "intercept_": _intercepts}),
    "RidgeClassifier": _rule(
        {
            "_label_binarizer": part("LabelBinarizer", c="c"),
            "coef_": _rows_of_classes,
            "intercept_": _intercepts,
        }
    ),
    "LabelBinarizer": Rule(
        {
            "classes_": labels("c"),
            "y_type_": choice("binary", "multiclass"),
            "sparse_input_": flag,
        },
        relations=(_ordered,),
        always=(_parameters,),
        open=True,
    ),
    "LinearSVC": _classifier({"coef_": _rows_of_classes, "intercept_": _intercepts}),
    "GaussianMixture": _rule(
        {
            "weights_": array("c", above=0.0, high=1.0 + 1e-6),
            "means_": array("c p"),
            "covariances_": _covariances,
            "precisions_": _covariances,
            "precisions_cholesky_": _covariances,
            "converged_": flag,
        },
        relations=(_mixture,),
    ),
    "GaussianNB": _classifier(
        {
            "class_prior_": array("c", above=0.0, high=1.0),
            "theta_": array("c p"),
            "var_": array("c p", low=_TINY),
        }
    ),
    "KNeighborsClassifier": _classifier({"_fit_X": array("_ p")}, parameters=_TREE),
    "RadiusNeighborsClassifier": _classifier({"_fit_X": array("_ p")}, parameters=_TREE),
    "NearestCentroid": _classifier(
        {
            "centroids_": array("c p"),
            "class_prior_": array("c", above=0.0, high=1.0),
            "within_class_std_dev_": any_of(nothing, array("p", low=0.0)),
        },
        optional=("class_prior_", "within_class_std_dev_"),
    ),
    "Pipeline": Rule({}, parameters={"steps": _steps, "memory": nothing}, always=(_parameters,), open=True),
    "MinMaxScaler": _rule(
        {"scale_": _SCALE, "min_": array("p"), "n_samples_seen_": _COUNT},
        parameters={"feature_range": sequence(real(), "2", tuple)},
    ),
    "Normalizer": _rule({}),
    "RobustScaler": _rule({"center_": any_of(nothing, array("p")), "scale_": any_of(nothing, _SCALE)}),
    "StandardScaler": _rule(
        {
            "mean_": any_of(nothing, array("p")),
            "var_": any_of(nothing, array("p", low=0.0)),
            "scale_": any_of(nothing, _SCALE),
            "n_samples_seen_": _COUNT,
        }
    ),
}
#: Classes that may classify vertices.
CLASSIFIERS = (
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "DummyClassifier",
    "FrozenEstimator",
    "LogisticRegression",
    "RidgeClassifier",
    "LinearSVC",
    "GaussianNB",
    "KNeighborsClassifier",
    "RadiusNeighborsClassifier",
    "NearestCentroid",
    "Pipeline",
)
