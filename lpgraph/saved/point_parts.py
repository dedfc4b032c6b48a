"""Rules of points and their neighbors.

Names of sizes: q points, p coordinates, m points that are kept, k neighbors, g cells, e pairs; "sparse" is 1 if
new points are sparse, else 0.
"""

from __future__ import annotations

from typing import Any

from scipy import sparse

from lpgraph._checks import is_string
from lpgraph.points.metric import is_euclidean
from lpgraph.points.rows import PointRows
from lpgraph.saved.checker import Checker, Rule, Sizes
from lpgraph.saved.checks import (
    any_of,
    array,
    choice,
    flag,
    indices,
    integer,
    later,
    matrix,
    nothing,
    part,
    real,
    text,
)

__all__ = ["POINT_PARTS", "metric", "points"]


def points(shape: str) -> Any:
    """Return the check of points in rows, dense or sparse, of shape (rows, columns)."""
    rows, columns = shape.split()
    dense, stored, typed = array(shape), matrix(shape, canonical=False), part("PointRows", n=rows, p=columns)

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        checker.size("sparse", int(sparse.issparse(value)), sizes, where)
        found = stored if sparse.issparse(value) else typed if isinstance(value, PointRows) else dense
        found(checker, value, sizes, where)

    return check


def metric(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check a metric."""
    any_of(text, part("MetricWithParams", p="p"))(checker, value, sizes, where)


def _scale(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    any_of(nothing, array("p"), array("p _"))(checker, value, sizes, where)


def _radius(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    any_of(nothing, real(0.0, infinite=True))(checker, value, sizes, where)


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


def _local(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if sizes["k"] != value.hood.n_neighbors:
        checker.fail(where, f"has {sizes['k']} neighbors where its neighborhood has {value.hood.n_neighbors}")


_DISTANCES = matrix("q q", low=0.0, canonical=False)

#: The rules of each class, by the name under which it is stored.
POINT_PARTS: dict[str, Rule] = {
    "PointRows": Rule({"values": array("n p", "biuf", single=True)}),
    "Neighborhood": Rule(
        {
            "points": points("q p"),
            "metric": metric,
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
}
