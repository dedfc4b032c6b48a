"""Rules of the parts of models of networks: graphs, names, positions, and kernel rows of new vertices.

Names of sizes: n vertices, m rows of a basis, d dimensions, c vertices in common, r covariates; "directed" is 1
for directed graphs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import LARGEST
from lpgraph.graph.network import NetworkElsewhere
from lpgraph.saved.checker import Checker, Rule, Sizes, plain
from lpgraph.saved.checks import (
    any_of,
    array,
    flag,
    indices,
    integer,
    keyed,
    later,
    nothing,
    part,
    real,
    text,
)
from lpgraph.scale.names_file import FileNames
from lpgraph.scale.reference import ReferredNames, StoreReference
from lpgraph.storage.names import StoredNames

__all__ = ["NETWORK_PARTS", "NETWORK_ROWS", "directed", "names", "network", "vertex_names"]

#: Kernel rows by the estimators that have them.
NETWORK_ROWS = ("AdjacencyRows", "CovariateRows", "DegreeRows", "ModularityRows", "OneStepRows")


def names(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the names of n vertices."""
    if isinstance(value, StoredNames):
        # They are compared with each other when they are read.
        checker.size("n", value.n, sizes, where)
        return
    if not isinstance(value, tuple | range):
        checker.fail(where, f"is {a_type(value)} instead of vertex names")
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


def vertex_names(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the names of n vertices, which may be in an edge store."""
    if isinstance(value, ReferredNames):
        checker.size("n", value.reference.n_vertices, sizes, where)
    elif isinstance(value, FileNames):
        checker.size("n", len(value), sizes, where)
    else:
        names(checker, value, sizes, where)


def network(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the graph of an estimator, which may be in an edge store."""
    if isinstance(value, StoreReference | NetworkElsewhere):
        checker.size("n", value.n_vertices, sizes, where)
        checker.size("directed", int(value.directed), sizes, where)
    else:
        _graph(checker, value, sizes, where)


_graph = later(part("Adjacency", n="n", directed="directed"))


def directed(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check whether a graph is directed."""
    flag(checker, value, sizes, where)
    checker.size("directed", int(bool(value)), sizes, where)


def _edges(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the size of the matrix of a graph; the graph itself checks the rest."""
    if not isinstance(value, sparse.csr_array):
        checker.fail(where, f"is {a_type(value)} instead of a matrix")
    checker.size("n", value.shape[0], sizes, where)


def _weights(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    largest = max(-value.lowest_weight, value.highest_weight)
    if largest > LARGEST or 0 < largest < 1 / LARGEST:
        checker.fail(where, f"has weights of up to {largest:g}, which no estimator takes")


def _attributes(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the attributes of n vertices."""
    keyed(_values, text)(checker, value, sizes, where)


def _values(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    if not isinstance(value, list | tuple) and not (isinstance(value, np.ndarray) and value.ndim):
        checker.fail(where, f"is {a_type(value)} instead of a list")
    checker.size("n", len(value), sizes, where)
    if not isinstance(value, np.ndarray) or value.dtype.kind == "O":
        for item in value:
            plain(checker, item, sizes, where)


def _covariates(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if sizes["p"] + sizes["r"] + 1 != sizes["m"]:
        checker.fail(
            where, f"has {sizes['p']} vertices and {sizes['r']} covariates for a basis of {sizes['m']} rows"
        )


_SIGNS = array("d", "i", values=lambda entries: bool((np.abs(entries) == 1).all()))

#: The rules of each class, by the name under which it is stored.
NETWORK_PARTS: dict[str, Rule] = {
    "Adjacency": Rule(
        {"names": names, "directed": directed, "matrix": _edges, "vertex_attributes": _attributes},
        relations=[_weights],
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
            "degree_change": any_of(nothing, array("c")),
            "changed_neighbors": any_of(nothing, array("c", "i", low=0)),
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
            "names": vertex_names,
            "into": any_of(nothing, array("n d")),
            "signature": any_of(nothing, _SIGNS),
            "kind": any_of(nothing, text),
        }
    ),
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
}
