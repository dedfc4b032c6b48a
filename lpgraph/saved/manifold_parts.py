"""Rules of kernels, graph constructions of points, and their kernel rows.

Names of sizes: n points, m rows of a basis, d dimensions, p columns of new points, q points before repeated ones
are left out, r columns of a factor.
"""

from __future__ import annotations

from typing import Any

from lpgraph._checks import is_string
from lpgraph.saved.checker import Checker, Rule, Sizes, fields_of
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
)
from lpgraph.saved.point_parts import metric, points

__all__ = ["MANIFOLD_PARTS", "MANIFOLD_ROWS"]

#: Kernel rows of new points.
MANIFOLD_ROWS = (
    "ScalarProducts",
    "SparseScalarProducts",
    "CentredKernel",
    "NormalisedSimilarity",
    "Unfolding",
    "lpgraph.manifold.isomap:Geodesics",
    "lpgraph.manifold.lle:Reconstruction",
    "lpgraph.manifold.ltsa:TangentRows",
)


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


def _unfolding(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if value.n_reconstruction_neighbors > value.points.hood.n_points:
        checker.fail(
            where, f"has {value.n_reconstruction_neighbors} neighbors for {value.points.hood.n_points} points"
        )


#: The rules of each class, by the name under which it is stored.
MANIFOLD_PARTS: dict[str, Rule] = {
    "HalfSquares": Rule({"metric": metric}),
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
            "metric": metric,
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
}
