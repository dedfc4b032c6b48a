"""Rules of the estimators of lpgraph: their fitted attributes, and what relates these to each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lpgraph.saved.checker import Check, Checker, Rule, Sizes, plain
from lpgraph.saved.checks import (
    any_of,
    array,
    choice,
    flag,
    indices,
    integer,
    keyed,
    labels,
    later,
    matrix,
    nothing,
    part,
    real,
    text,
)
from lpgraph.saved.network_parts import directed, network, vertex_names
from lpgraph.saved.part_rules import placement
from lpgraph.saved.sklearn_rules import CLASSIFIERS

__all__ = ["ESTIMATORS"]

_NETWORKS = (
    "AdjacencySpectralEmbedding",
    "CovariateAssistedEmbedding",
    "LaplacianSpectralEmbedding",
    "ModularityEmbedding",
    "OneStepEmbedding",
    "RandomWalkEmbedding",
)
#: Estimators that may embed the network of a classifier or clustering.
_EMBEDDINGS = (*_NETWORKS, "OutOfSample", "Pipeline")


#: Estimators that may embed the positions of a network again.
_MAPS = (
    "ClassicalMDS",
    "KernelPCA",
    "Isomap",
    "LaplacianEigenmaps",
    "DiffusionMap",
    "SpectralClustering",
    "LocallyLinearEmbedding",
    "LocalTangentSpaceAlignment",
    "SemidefiniteEmbedding",
    "PCA",
    "Pipeline",
)


def _sparse(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    flag(checker, value, sizes, where)
    checker.size("sparse", int(bool(value)), sizes, where)


def _two_sided(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if an embedding of an undirected graph has attributes of directed ones, or the reverse."""
    held = vars(value)
    wanted = ["embedding_in_"] if value.directed_ else ["eigenvalues_", "signature_"]
    found = [key for key in ("embedding_in_", "eigenvalues_", "signature_") if key in held]
    if found != wanted:
        checker.fail(where, f"has {', '.join(found) or 'nothing'} instead of {', '.join(wanted)}")


def _covariates(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if the covariates of new vertices are counted differently in two places."""
    if value._placement.new_rows.n_covariates != value.n_covariates_:
        checker.fail(where, "has rows of another number of covariates")


def _network(rows: str, *, parameters: dict[str, Check] | None = None, **more: Check) -> Rule:
    """Return the rule of an embedding of networks; `more` are attributes of its own."""
    return Rule(
        {
            "embedding_": array("n d"),
            "directed_": directed,
            "_placement": placement(rows, m="n", p="n"),
            "n_features_in_": integer("n"),
            "vertex_names_": vertex_names,
            "embedding_in_": array("n d"),
            "weighted_": flag,
            "residuals_": array("d", low=0.0),
            "eigenvalues_": array("d"),
            "singular_values_": array("d", low=0.0),
            "scree_": array("_"),
            "dimension_choice_": any_of(nothing, part("DimensionChoice")),
            "alignment_": any_of(nothing, part("Alignment", n="n", d="d")),
            "signature_": array("d", "i", low=-1, high=1),
            "graph_": network,
            **more,
        },
        optional=("embedding_in_", "eigenvalues_", "signature_"),
        parameters={"align_to": later(any_of(nothing, text, part("NamedPositions"))), **(parameters or {})},
        relations=[_two_sided],
    )


def _with_covariates() -> Rule:
    """Return the rule of an embedding with covariates, whose basis also has rows for these."""
    rule = _network(
        "CovariateRows",
        parameters={"covariates": nothing},  # those of the known vertices are not stored
        _placement=placement("CovariateRows", m="m", p="n"),
        alpha_=real(0.0),
        regularizer_=real(0.0),
        n_covariates_=integer("r", low=1),
        covariate_names_=any_of(nothing, array("r", "U")),
    )
    return replace(rule, relations=[*rule.relations, _covariates])


def _points(*rows: str, **more: Check) -> Rule:
    """Return the rule of an embedding of points."""
    return Rule(
        {
            "embedding_": array("n d"),
            "n_features_in_": integer("p"),
            "_sparse_input": _sparse,
            "_placement": placement(*rows),
            "residuals_": array("d", low=0.0),
            "eigenvalues_": array("d"),
            **more,
        }
    )


_PAIRS = later(any_of(nothing, matrix("_ _", low=0.0, high=1.0), part("Adjacency")))
_RECALL = {"recall_": real(0.0, 1.0)}
_KEPT = {"kept_": indices("n"), **_RECALL}
_SIMILAR = {**_KEPT, "recall_": any_of(nothing, real(0.0, 1.0)), "sigma_": any_of(nothing, real(above=0.0))}
_LOCAL = {**_KEPT, "vertices_": indices("_")}
_LANDMARKS = {"landmarks_": any_of(nothing, indices("m", below="n"))}
_ERROR = any_of(nothing, real(0.0))
_PRODUCTS = ("ScalarProducts", "SparseScalarProducts", "CentredKernel")

_VERTICES: dict[str, Check] = {
    "n_features_in_": integer("n"),
    "vertex_names_": vertex_names,
    "graph_": network,
}


def _sides(value: Any) -> int:
    return 2 if "embedding_in_" in vars(value.fitted_embedding_) else 1


def _directions(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    inside = value.fitted_embedding_
    if getattr(inside, "directed_", value.directed_) and not value.directed_:
        checker.fail(where, "has a directed embedding of an undirected graph")


def _features(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if the classifier was trained on another number of features than it would be given."""
    from lpgraph.infer.features import check_features

    parts, count, found = check_features(value.features), sizes["c"], 0
    directions = 2 if value.directed_ else 1
    if {"unit_rows", "positions"} & set(parts):
        found += value.n_coordinates_ * _sides(value)
    if "degrees" in parts:
        found += directions
    if "neighbor_labels" in parts:
        if value.neighbor_labels_ is None:
            checker.fail(where, "has no labels of neighbors")
        kinds = 1 + 2 * directions if value.neighbor_labels_.signed else 2 * directions - 1
        found += count * kinds
    elif value.neighbor_labels_ is not None:
        checker.fail(where, "has labels of neighbors, which are no feature")
    expected = getattr(value.classifier_, "n_features_in_", found)
    if expected != found:
        checker.fail(where, f"has {found} features, but its classifier has {expected}")


def _evidence(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse a pool of evidence that cannot be computed."""
    pool = value.pool_
    if pool is None:
        return
    computed = {"features", "class shares", *pool.means} | (
        {"visits"} if value.neighbor_labels_ is not None else set()
    )
    if not pool.weights or not set(pool.weights) <= computed:
        checker.fail(f"{where}.pool_", f"has weights of unknown evidence, {sorted(pool.weights)!r:.100}")
    for name, means in pool.means.items():
        if len(means.weights) != _sides(value) or max(map(len, means.weights)) > sizes["d"]:
            checker.fail(f"{where}.pool_.means[{name!r:.40}]", "has weights of other coordinates")


def _classes(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    classes, inside = value.classes_, np.asarray(getattr(value.classifier_, "classes_", ()))
    try:
        distinct = bool((classes[1:] > classes[:-1]).all())
        known = bool(np.isin(inside, classes).all())
    except TypeError:
        checker.fail(where, "has classes of several types")
    if not (distinct and known and inside.dtype.kind == classes.dtype.kind):
        checker.fail(where, "has classes that are not sorted, or not those of its classifier")

    def check_labels(checker: Checker, found: Any, sizes: Sizes, where: str) -> None:
        if not np.isin(found, classes).all():
            checker.fail(where, "has a label that is none of its classes")

    later(check_labels)(checker, vars(value)["transduction_"], sizes, f"{where}.transduction_")


def _found(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if a clustering has not one of a partition and a mixture, or one of another size."""
    partition, mixture = vars(value).get("partition_"), vars(value).get("mixture_")
    if (partition is None) == (mixture is None):
        checker.fail(where, "has not one of partition_ and mixture_")
    if mixture is not None and mixture.mixture.means_.shape[1] != _sides(value) * sizes["d"]:
        checker.fail(where, "has a mixture of another number of dimensions")


def _steps(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse if the second embedding takes other positions than the first one gives."""
    inside = value.network_embedding_
    if getattr(inside, "directed_", value.directed_) and not value.directed_:
        checker.fail(where, "has a directed embedding of an undirected graph")
    width = sizes["d"] * (2 if "embedding_in_" in vars(inside) else 1)
    if sizes.get("w", width) != width:
        checker.fail(where, f"has positions of {width} coordinates, but its manifold is one of {sizes['w']}")


#: The rules of each estimator, by its name.
ESTIMATORS: dict[str, Rule] = {
    "AdjacencySpectralEmbedding": _network(
        "AdjacencyRows",
        parameters={"observed": _PAIRS, "unobserved": _PAIRS},
        diagonal_=any_of(nothing, array("n")),
        completion_=any_of(nothing, part("Completion")),
        landmarks_=_LANDMARKS["landmarks_"],
        nystrom_error_=_ERROR,
    ),
    "LaplacianSpectralEmbedding": _network(
        "DegreeRows", regularizer_=real(0.0), landmarks_=_LANDMARKS["landmarks_"], nystrom_error_=_ERROR
    ),
    "CovariateAssistedEmbedding": _with_covariates(),
    "RandomWalkEmbedding": _network("DegreeRows", left_embedding_=array("n d")),
    "ModularityEmbedding": _network("ModularityRows"),
    "OneStepEmbedding": _network("OneStepRows"),
    "OutOfSample": Rule(
        {"fitted_embedding_": part(*_NETWORKS, n="n", d="d", directed="directed"), **_VERTICES},
        parameters={"embedding": part(*_NETWORKS)},
    ),
    "ClassicalMDS": _points(*_PRODUCTS, **_LANDMARKS),
    "KernelPCA": _points(
        *_PRODUCTS,
        gamma_=any_of(nothing, real()),
        **_LANDMARKS,
        _pre_image=any_of(nothing, part("PreImage", n="m", d="d")),
    ),
    "Isomap": _points("lpgraph.manifold.isomap:Geodesics", **_KEPT, landmarks_=indices("_")),
    "LaplacianEigenmaps": _points("NormalisedSimilarity", **_SIMILAR),
    "DiffusionMap": _points("NormalisedSimilarity", **_SIMILAR),
    "SpectralClustering": _points("NormalisedSimilarity", **_SIMILAR, labels_=indices("n"), centers_=array("k d")),
    "LocallyLinearEmbedding": _points(
        "lpgraph.manifold.lle:Reconstruction", **_LOCAL, reconstruction_error_=real()
    ),
    "LocalTangentSpaceAlignment": _points("lpgraph.manifold.ltsa:TangentRows", **_LOCAL),
    "SemidefiniteEmbedding": _points(
        "Unfolding",
        kernel_=array("n r"),
        spectrum_=array("r"),
        bound_=any_of(nothing, part("Bound")),
        landmarks_=any_of(nothing, indices("_")),
        constraints_=part("Constraints"),
        **_RECALL,
    ),
    "VertexClassifier": Rule(
        {
            "directed_": directed,
            "fitted_embedding_": part(*_EMBEDDINGS, n="n", d="d"),
            **_VERTICES,
            "n_coordinates_": integer(most="d"),
            "few_labels_": flag,
            "pool_": any_of(nothing, part("ClassPool", c="c")),
            "classes_": labels("c"),
            "class_shares_": array("c", low=0.0, high=1.0),
            "neighbor_labels_": any_of(nothing, part("NeighborLabels", n="n", c="c")),
            "label_reach_": part("LabelReach", n="n"),
            "calibration_": part("Calibration"),
            "classifier_": part(*CLASSIFIERS),
            "transduction_": later(labels("n")),
        },
        parameters={
            "embedding": any_of(nothing, part(*_EMBEDDINGS)),
            "classifier": any_of(nothing, part(*CLASSIFIERS)),
        },
        relations=[_directions, _features, _classes, _evidence],
    ),
    "NetworkManifold": Rule(
        {
            "directed_": directed,
            "network_embedding_": part(*_EMBEDDINGS, n="n", d="d"),
            "manifold_": part(*_MAPS, n="n", p="w", d="k"),
            "embedding_": array("n k"),
            **_VERTICES,
        },
        parameters={
            "network_embedding": any_of(nothing, part(*_EMBEDDINGS)),
            "manifold": any_of(nothing, part(*_MAPS)),
        },
        relations=[_steps],
    ),
    "VertexClustering": Rule(
        {
            "directed_": directed,
            "fitted_embedding_": part(*_EMBEDDINGS, n="n", d="d"),
            **_VERTICES,
            "n_coordinates_": integer(most="d"),
            "n_clusters_": integer("k"),
            "partition_": part("BlockPartition", n="n", k="k"),
            "mixture_": part("PositionMixture", k="k"),
            "labels_": indices("n", below="k"),
            "cluster_shares_": array("k", low=0.0, high=1.0),
            "has_position_": array("n", "b", low=0.0, high=1.0),
            "description_lengths_": keyed(real(), plain),
            "covariance_": choice("full", "tied", "diag", "spherical"),
            "bic_": keyed(real(), plain),
        },
        optional=("partition_", "mixture_", "description_lengths_", "covariance_", "bic_"),
        parameters={"embedding": any_of(nothing, part(*_EMBEDDINGS))},
        relations=[_directions, _found],
    ),
}
