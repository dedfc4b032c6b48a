"""Rules of the parts of models: placements and extensions, labels and clusters, and all others.

Names of sizes: n training items, m rows of a basis, d dimensions, p columns of new items, k clusters, c classes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._articles import a_type, with_article
from lpgraph.saved.checker import Checker, Rule, Sizes, fields_of, plain
from lpgraph.saved.checks import (
    any_of,
    array,
    choice,
    flag,
    indices,
    integer,
    keyed,
    matrix,
    nothing,
    part,
    real,
    sequence,
    text,
)
from lpgraph.saved.classes import name_of
from lpgraph.saved.manifold_parts import MANIFOLD_PARTS, MANIFOLD_ROWS
from lpgraph.saved.network_parts import NETWORK_PARTS, NETWORK_ROWS
from lpgraph.saved.point_parts import POINT_PARTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PARTS", "placement"]


def placement(*rows: str, m: str = "m", p: str = "p") -> Any:
    """Return the check of a placement whose kernel rows are of one of some classes."""
    inner = part("Placement", m=m, d="d", p=p, sparse="sparse", directed="directed")

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        inner(checker, value, sizes, where)
        found = name_of(fields_of(value)["new_rows"])
        if found not in rows:
            checker.fail(f"{where}.new_rows", f"is {with_article(str(found))} instead of {' or '.join(rows)}")

    return check


def _rows(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    part(*NETWORK_ROWS, *MANIFOLD_ROWS, m="m", d="d", p="p", sparse="sparse")(checker, value, sizes, where)


def _sides(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the extensions by side."""
    keyed(part("Extension", m="m", d="d"), choice("out", "in"))(checker, value, sizes, where)
    if "out" not in value:  # type: ignore[operator]  # a dict by now
        checker.fail(where, 'has no "out"')
    checker.size("directed", int("in" in value), sizes, where)  # type: ignore[operator]


def _columns(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the columns that cannot be extended."""
    if type(value) is not tuple:
        checker.fail(where, f"is {a_type(value)} instead of a tuple")
    for k, column in enumerate(value):
        integer(below="d")(checker, column, sizes, f"{where}[{k}]")


def _has_rates(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if value.positive is None and value.negative is None:
        checker.fail(where, "has no rates")


def _confirmed(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse a choice without the statistic, or the eigenvalue, of its last dimension."""
    if value.edges is not None and (not len(value.edges) or value.values is None):
        checker.fail(where, "has no eigenvalues to compare with those of random signs")
    compared = value.values if value.edges is not None else value.z if value.cross_validated else None
    if compared is not None and not 1 <= value.n_components <= len(compared):
        checker.fail(where, f"has {value.n_components} dimensions by {len(compared)} statistics")


def _columns_of_means(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    """Refuse means of classes with another number of columns than weights."""
    if sum(map(len, value.weights)) != value.means.shape[1]:
        checker.fail(where, f"has {value.means.shape[1]} columns of means, but other numbers of weights")


def _permutation(values: NDArray[Any]) -> bool:
    return bool((np.sort(values) == np.arange(len(values))).all())


#: Shares are sums that may exceed 1 by rounding.
_ONE = 1.0 + 1e-6

#: The rules of each class, by the name under which it is stored.
PARTS: dict[str, Rule] = {
    **NETWORK_PARTS,
    **POINT_PARTS,
    **MANIFOLD_PARTS,
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
        relations=[_confirmed],
    ),
    "AtMost": Rule({"count": integer(low=1)}),
    "NeighborLabels": Rule(
        {
            "labels": matrix("n c", low=1.0, high=1.0),
            "visits": array("n c", low=0.0, high=_ONE),
            "signed": flag,
        }
    ),
    "LabelReach": Rule(
        {
            "labelled": array("n", "b", low=0.0, high=1.0),
            "others": array("n", "b", low=0.0, high=1.0),
        }
    ),
    "Calibration": Rule({"exponents": array("5", above=0.0)}),
    "ClassMeans": Rule(
        {
            "weights": sequence(array("_", low=0.0)),
            "means": array("c _"),
            "known": array("c", "b", low=0.0, high=1.0),
        },
        relations=[_columns_of_means],
    ),
    "ClassPool": Rule(
        {
            "weights": keyed(real(above=0.0), text),
            "spread": real(above=0.0),
            "means": keyed(part("ClassMeans", c="c"), text),
            "shares": array("c", low=0.0, high=1.0),
        }
    ),
    "BlockPartition": Rule(
        {
            "labels": indices("n", below="k"),
            "has_cluster": array("n", "b", low=0.0, high=1.0),
            "positive": any_of(nothing, part("EdgeRates", k="k")),
            "negative": any_of(nothing, part("EdgeRates", k="k")),
        },
        relations=[_has_rates],
    ),
    "EdgeRates": Rule(
        {
            "degrees": array("k", low=0.0, values=lambda found: bool(found.sum() > 0)),
            "rates": matrix("k k", low=1e-200),
            "mean_weight": real(low=1e-200),
            "elsewhere": real(above=0.0),
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
