"""Rules of the parts of models: graphs, kernel rows, neighbors and extensions.

Names of sizes: n training items, m rows of a basis, d dimensions, p columns of new items, k clusters, c classes.
The size "sparse" is 1 if new items are sparse, else 0; "directed" is 1 for directed graphs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import LARGEST, is_string
from lpgraph.points.metric import is_euclidean
from lpgraph.points.rows import PointRows
from lpgraph.saved.checks import (
    Checker,
    Rule,
    Sizes,
    any_of,
    array,
    choice,
    fields_of,
    flag,
    indices,
    integer,
    keyed,
    later,
    matrix,
    nothing,
    part,
    plain,
    real,
    text,
)
from lpgraph.saved.classes import name_of
from lpgraph.storage.names import StoredNames

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NETWORK_ROWS", "PARTS", "directed", "graph", "names", "placement"]

#: Kernel rows by the estimators that have them.
NETWORK_ROWS = ("AdjacencyRows", "CovariateRows", "DegreeRows", "ModularityRows", "OneStepRows")


def names(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the names of n vertices."""
    if isinstance(value, StoredNames):
        # They are compared with each other when they are read.
        checker.size("n", value.n, sizes, where)
        return
    if not isinstance(value, tuple | range):
        checker.fail(where, f"is a {type(value).__name__} instead of vertex names")
    checker.size("n", len(value), sizes, where)
    if isinstance(value, range):
        if value != range(len(value)):
            checker.fail(where, f"is {value} instead of range({len(value)})")
        return

    def distinct() -> None:
        try:
            count = len(set(value))
        except TypeError:
            checker.fail(where, "has a name that is not hashable")
        if count < len(value):
            checker.fail(where, "has a name twice")

    checker.once("distinct", value, distinct)


graph = part("Adjacency", n="n", directed="directed")


def directed(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check whether a graph is directed."""
    flag(checker, value, sizes, where)
    checker.size("directed", int(bool(value)), sizes, where)


def _edges(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the size of the matrix of a graph; the graph itself checks the rest."""
    if not isinstance(value, sparse.csr_array):
        checker.fail(where, f"is a {type(value).__name__} instead of a matrix")
    checker.size("n", value.shape[0], sizes, where)


def _weights(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    largest = max(-value.lowest_weight, value.highest_weight)
    if largest > LARGEST or 0 < largest < 1 / LARGEST:
        checker.fail(where, f"has weights of up to {largest:g}, which no estimator takes")


def points(shape: str) -> Any:
    """Return the check of points in rows, dense or sparse, of shape (rows, columns)."""
    rows, columns = shape.split()
    dense, stored, typed = array(shape), matrix(shape, canonical=False), part("PointRows", n=rows, p=columns)

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        checker.size("sparse", int(sparse.issparse(value)), sizes, where)
        found = stored if sparse.issparse(value) else typed if isinstance(value, PointRows) else dense
        found(checker, value, sizes, where)

    return check


def placement(*rows: str, m: str = "m", p: str = "p") -> Any:
    """Return the check of a placement whose kernel rows are of one of some classes."""
    inner = part("Placement", m=m, d="d", p=p, sparse="sparse", directed="directed")

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        inner(checker, value, sizes, where)
        found = name_of(fields_of(value)["new_rows"])
        if found not in rows:
            checker.fail(f"{where}.new_rows", f"is a {found} instead of {' or '.join(rows)}")

    return check


def _rows(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    part(*_ALL_ROWS, m="m", d="d", p="p", sparse="sparse")(checker, value, sizes, where)


def _sides(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the extensions by side."""
    keyed(part("Extension", m="m", d="d"), choice("out", "in"))(checker, value, sizes, where)
    if "out" not in value:  # type: ignore[operator]  # a dict by now
        checker.fail(where, 'has no "out"')
    checker.size("directed", int("in" in value), sizes, where)  # type: ignore[operator]


def _columns(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the columns that cannot be extended."""
    if type(value) is not tuple:
        checker.fail(where, f"is a {type(value).__name__} instead of a tuple")
    for k, column in enumerate(value):
        integer(below="d")(checker, column, sizes, f"{where}[{k}]")


def _metric(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    any_of(text, part("MetricWithParams", p="p"))(checker, value, sizes, where)


def _scale(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    any_of(nothing, array("p"), array("p _"))(checker, value, sizes, where)


def _radius(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    any_of(nothing, real(0.0, infinite=True))(checker, value, sizes, where)


def _attributes(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the attributes of n vertices."""
    keyed(_values, text)(checker, value, sizes, where)


def _values(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    if not isinstance(value, list | tuple | np.ndarray) or np.ndim(value) < 1:
        checker.fail(where, f"is a {type(value).__name__} instead of a list")
    checker.size("n", len(value), sizes, where)
    if not isinstance(value, np.ndarray) or value.dtype.kind == "O":
        for item in value:
            plain(checker, item, sizes, where)


def _hood(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if (value.n_neighbors is None) == (value.radius is None):
        checker.fail(where, "has not one of n_neighbors and radius")
    if value.n_neighbors is not None and value.n_neighbors >= sizes["q"]:
        checker.fail(where, f"has {value.n_neighbors} neighbors for {sizes['q']} points")
    if is_string(value.metric, "precomputed") and sizes["p"] != sizes["q"]:
        checker.fail(where, f"has precomputed distances of {sizes['q']} points to {sizes['p']}")
    cells = value.cells
    if cells is not None and (
        value.n_neighbors is None
        or sparse.issparse(value.points)
        or not is_euclidean(value.metric)
        or cells.centres.shape[1] != value.points.shape[1]
    ):
        checker.fail(where, "has cells that do not belong to its points or its metric")


def _neighbors(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    pairwise = is_string(value.hood.metric, "precomputed")
    if value.pairwise != pairwise:
        checker.fail(where, "is pairwise, but its metric is not, or the other way round")
    columns = value.hood.points.shape[1]
    if sizes.setdefault("p", columns) != columns and not pairwise:
        checker.fail(where, f"has points with {columns} coordinates where other parts have {sizes['p']}")
    if pairwise and value.kept.max() >= sizes["p"]:
        checker.fail(where, "keeps a point that does not exist")


def _kernel(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    from lpgraph.manifold.kernels import HalfSquares

    if value.points is None or value.kernel is None:
        if value.points is not None:
            checker.fail(where, "has points without a kernel")
        checker.size("sparse", 0, sizes, where)
        if value.columns is None:
            checker.size("p", sizes["m"], sizes, where)
    elif value.columns is not None:
        checker.fail(where, "has points and columns of values")
    elif isinstance(value.kernel, HalfSquares) and is_string(value.kernel.metric, "precomputed"):
        checker.fail(where, "has points and precomputed distances")
    if isinstance(value.kernel, HalfSquares):
        array("m m", high=0.0)(checker, fields_of(value)["matrix"], sizes, f"{where}.matrix")


def _similarity(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if value.neighbors is not None:
        return
    if value.points.shape[0] != sizes["m"]:
        checker.fail(where, "has another number of points")
    if value.sigma is None:
        checker.fail(where, "has no width")
    if is_string(value.metric, "precomputed"):
        if sizes["p"] != sizes["m"]:
            checker.fail(where, f"has precomputed distances of {sizes['m']} points to {sizes['p']}")
    elif sizes.setdefault("p", value.points.shape[1]) != value.points.shape[1]:
        checker.fail(
            where, f"has points of {value.points.shape[1]} coordinates where other parts have {sizes['p']}"
        )


def _covariates(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if sizes["p"] + sizes["r"] + 1 != sizes["m"]:
        checker.fail(
            where, f"has {sizes['p']} vertices and {sizes['r']} covariates for a basis of {sizes['m']} rows"
        )


def _signs_compared(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse eigenvalues with random signs without any, or without others that are compared with them."""
    if value.edges is not None and (not len(value.edges) or value.values is None):
        checker.fail(where, "has no eigenvalues to compare with those of random signs")


def _unfolding(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if value.n_reconstruction_neighbors > value.points.hood.n_points:
        checker.fail(
            where, f"has {value.n_reconstruction_neighbors} neighbors for {value.points.hood.n_points} points"
        )


def _local(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if sizes["k"] != value.hood.n_neighbors:
        checker.fail(where, f"has {sizes['k']} neighbors where its neighborhood has {value.hood.n_neighbors}")


def _permutation(values: NDArray[Any]) -> bool:
    return bool((np.sort(values) == np.arange(len(values))).all())


#: Shares are sums that may exceed 1 by rounding.
_ONE = 1.0 + 1e-6
_DISTANCES = matrix("q q", low=0.0, canonical=False)

_SIGNS = array("d", "i", values=lambda entries: bool((np.abs(entries) == 1).all()))

#: The rules of each class, by the name under which it is stored.
PARTS: dict[str, Rule] = {
    "Adjacency": Rule(
        {"names": names, "directed": directed, "matrix": _edges, "vertex_attributes": _attributes},
        relations=[_weights],
    ),
    "Placement": Rule({"extensions": _sides, "new_rows": _rows, "prefix": text}),
    "Extension": Rule({"basis": array("m d"), "zero": _columns}),
    "DimensionChoice": Rule(
        {
            "rule": text,
            "n_components": integer(),
            "at_cap": flag,
            "z": any_of(nothing, array("_", low=-math.inf, high=math.inf)),
            "values": any_of(nothing, array("_")),
            "edges": any_of(nothing, array("_", low=0.0)),
        },
        relations=[_signs_compared],
    ),
    "Alignment": Rule(
        {
            "rotation": array("d d"),
            "signature": _SIGNS,
            "cosines": array("d", low=0.0, high=1.0),
            "rows": indices("c", below="n"),
            "distances": array("c", low=0.0),
            "ratios": array("c", low=0.0),
            "n_new": integer(),
            "n_gone": integer(),
        }
    ),
    "Completion": Rule(
        {
            "share": real(0.0, 1.0, above=0.0),
            "noise": real(0.0),
            "objective": array("_", low=0.0),
            "change": real(0.0),
        }
    ),
    "NamedPositions": Rule(
        {
            "out": array("n d"),
            "names": names,
            "into": any_of(nothing, array("n d")),
            "signature": any_of(nothing, _SIGNS),
            "kind": any_of(nothing, text),
        }
    ),
    "AtMost": Rule({"count": integer(low=1)}),
    # Networks
    "AdjacencyRows": Rule({}),
    "DegreeRows": Rule(
        {
            "left": array("m", low=0.0),
            "right": array("m", low=0.0),
            "regularizer": real(0.0),
            "power": real(0.0, 1.0, above=0.0),
        }
    ),
    "CovariateRows": Rule(
        {"edges": part("DegreeRows", m="p"), "n_covariates": integer("r", low=1)},
        relations=[_covariates],
    ),
    "ModularityRows": Rule(
        {
            "degrees": nothing,
            "total": real(above=0.0),
            "projection": any_of(nothing, array("d")),
        }
    ),
    "OneStepRows": Rule({"degrees": array("m", above=0.0), "total": real(above=0.0), "design": array("m d")}),
    # Points
    "PointRows": Rule({"values": array("n p", "biuf", single=True)}),
    "Neighborhood": Rule(
        {
            "points": points("q p"),
            "metric": _metric,
            "n_neighbors": any_of(nothing, integer(low=1)),
            "radius": _radius,
            "radii": array("q", low=0.0, infinite=True),
            "distances": later(_DISTANCES),
            "cells": any_of(nothing, part("Cells", q="q")),
        },
        relations=[_hood],
    ),
    "Cells": Rule(
        {
            "centres": array("g _"),
            "cell": indices("q", below="g"),
            "probes": integer(low=1, most="g"),
            "recall": real(0.0, 1.0),
        }
    ),
    "Neighbors": Rule(
        {
            "hood": part("Neighborhood", q="q", sparse="sparse"),
            "graph": later(_DISTANCES),
            "bridges": later(any_of(nothing, _DISTANCES)),
            "kept": indices("q"),
            "pairwise": flag,
        },
        relations=[_neighbors],
    ),
    "MetricWithParams": Rule(
        {
            "name": choice("minkowski", "seuclidean", "mahalanobis"),
            "p": real(1.0, infinite=True),
            "scale": _scale,
        }
    ),
    "HalfSquares": Rule({"metric": _metric}),
    "KernelFunction": Rule(
        {
            "name": choice("linear", "rbf", "poly", "sigmoid", "cosine", "laplacian"),
            "gamma": real(),
            "degree": real(),
            "coef0": real(),
        }
    ),
    "PreImage": Rule(
        {"kernel": part("KernelFunction"), "coordinates": array("n d"), "coefficients": array("n p")}
    ),
    "Centring": Rule({"means": array("m"), "mean": real()}),
    "ScalarProducts": Rule({"points": points("m p"), "mean": array("p"), "as_distances": flag}),
    "SparseScalarProducts": Rule(
        {"points": points("m p"), "centring": part("Centring", m="m"), "as_distances": flag}
    ),
    "CentredKernel": Rule(
        {
            "matrix": array("m m"),
            "centring": part("Centring", m="m"),
            "points": any_of(nothing, points("m p")),
            "kernel": any_of(nothing, part("KernelFunction"), part("HalfSquares", p="p")),
            "columns": any_of(nothing, indices("m", below="p")),
        },
        relations=[_kernel],
    ),
    "PointSimilarity": Rule(
        {
            "points": later(points("_ _")),
            "metric": _metric,
            "neighbors": any_of(nothing, part("Neighbors", q="m", p="p", sparse="sparse")),
            "sigma": any_of(nothing, real(above=0.0)),
        },
        relations=[_similarity],
    ),
    "GivenSimilarity": Rule({"matrix": points("m m"), "kept": indices("m", below="p")}),
    "NormalisedSimilarity": Rule(
        {
            "kernel": part("PointSimilarity", "GivenSimilarity", m="m", p="p", sparse="sparse"),
            "weights": later(any_of(matrix("m m", low=0.0, canonical=False), array("m m", low=0.0))),
            "density": any_of(nothing, array("m", above=0.0)),
            "degrees": array("m", above=0.0),
            "alpha": real(0.0, 1.0),
            "leave_trivial": flag,
            "walk": real(),
            "unit": flag,
        }
    ),
    "LocalNeighbors": Rule(
        {
            "hood": part("Neighborhood", q="m", p="p", sparse="sparse"),
            "indices": indices("m k", below="m"),
            "bridges": indices("_ 2", below="m"),
            "vertices": indices("m"),
            "kept": indices("n"),
            "place": indices("n", below="m"),
        },
        relations=[_local],
    ),
    "lpgraph.manifold.isomap:Geodesics": Rule(
        {
            "neighbors": part("Neighbors", q="q", p="p", sparse="sparse"),
            "landmarks": indices("m", below="q"),
            "lengths": array("q m", low=0.0),
            "centring": part("Centring", m="m"),
        }
    ),
    "lpgraph.manifold.lle:Reconstruction": Rule(
        {
            "neighbors": part("LocalNeighbors", m="m", p="p", sparse="sparse"),
            "W": later(matrix("m m", canonical=False)),
            "regularizer": real(0.0),
            "c": any_of(nothing, real()),
        }
    ),
    "lpgraph.manifold.ltsa:TangentRows": Rule(
        {
            "neighbors": part("LocalNeighbors", m="m", p="p", sparse="sparse"),
            "alignment": later(matrix("m m", canonical=False)),
            "n_components": integer(low=1),
        }
    ),
    "RigidPairs": Rule(
        {
            "n": integer("q"),
            "first": indices("e", below="q"),
            "second": indices("e", below="q"),
            "distance": array("e", low=0.0),
        }
    ),
    "Distinct": Rule(
        {
            "hood": part("Neighborhood", q="q", p="p", sparse="sparse"),
            "origin": indices("m", below="q"),
            "first": indices("q", below="m"),
            "pairs": later(part("RigidPairs", q="q")),
        }
    ),
    "Unfolding": Rule(
        {
            "factor": array("m r"),
            "points": part("Distinct", m="m", p="p", sparse="sparse"),
            "n_reconstruction_neighbors": integer(low=1),
            "regularizer": real(0.0),
        },
        relations=[_unfolding],
    ),
    "Bound": Rule({"lower": real(), "upper": real()}),
    "Constraints": Rule(
        {
            "count": integer(),
            "monitored": integer(),
            "violation": real(),
            "rms": real(),
            "median_ratio": real(),
        }
    ),
    # Labels and clusters
    "NeighborLabels": Rule(
        {
            "labels": matrix("n c", low=1.0, high=1.0),
            "shares": matrix("n c", low=0.0, high=_ONE, canonical=False),
            "spread": array("n c", low=0.0, high=_ONE),
            "signed": flag,
        }
    ),
    "LabelReach": Rule(
        {
            "labelled": array("n", "b", low=0.0, high=1.0),
            "others": array("n", "b", low=0.0, high=1.0),
        }
    ),
    "Calibration": Rule({"exponents": array("5", above=0.0), "spread": real(above=0.0)}),
    "BlockPartition": Rule(
        {
            "degrees": array("k", low=0.0, values=lambda found: bool(found.sum() > 0)),
            "labels": indices("n", below="k"),
            "rates": array("k k", above=0.0),
            "mean_weight": real(low=1e-200),
        }
    ),
    "PositionMixture": Rule(
        {
            "n_clusters": integer("k"),
            "covariance": choice("full", "tied", "diag", "spherical"),
            "bic": keyed(real(), plain),
            "mixture": part("GaussianMixture", c="k", p="p"),
            "scale": real(above=0.0),
            "rank": indices("k", below="k", values=_permutation),
        }
    ),
}
_ALL_ROWS = (
    *NETWORK_ROWS,
    "ScalarProducts",
    "SparseScalarProducts",
    "CentredKernel",
    "NormalisedSimilarity",
    "Unfolding",
    "lpgraph.manifold.isomap:Geodesics",
    "lpgraph.manifold.lle:Reconstruction",
    "lpgraph.manifold.ltsa:TangentRows",
)
