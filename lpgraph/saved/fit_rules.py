"""Rules of random graph models fitted to a graph: their fields, and what relates these to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph.saved.checker import Check, Checker, Rule, Sizes
from lpgraph.saved.checks import (
    array,
    flag,
    integer,
    labels,
    part,
    real,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FITS"]

#: Sums of probabilities may differ from 1 by rounding.
_ROUNDING = 1e-6

_COMMON: dict[str, Check] = {
    "graph": part("Adjacency", n="n", directed="directed"),
    "loops": flag,
    "log_likelihood": real(high=_ROUNDING),
    "n_parameters": integer(),
    "penalty": real(),
}
_BLOCKS: dict[str, Check] = {"labels": labels("n"), "blocks": labels("k")}


def _codes(checker: Checker, value: Any, where: str) -> NDArray[np.intp]:
    """Return the blocks of the vertices; refuse if they are not those of the labels."""
    try:
        blocks, codes = np.unique(value.labels, return_inverse=True)
        same = value.labels.dtype.kind == value.blocks.dtype.kind and np.array_equal(blocks, value.blocks)
    except TypeError:
        same = False
    if not same:
        checker.fail(where, "has blocks that are not its distinct labels, sorted")
    return np.asarray(codes)


def _symmetric(checker: Checker, value: Any, where: str) -> None:
    if not value.directed and not np.array_equal(value.B, value.B.T):
        checker.fail(where, "is of an undirected graph, but its B is not symmetric")


def _block_model(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    _codes(checker, value, where)
    _symmetric(checker, value, where)


def _degree_corrected(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    codes = _codes(checker, value, where)
    _symmetric(checker, value, where)
    for weights in (value.weights, value.weights_in):
        sums = np.bincount(codes, weights=weights)
        if not (np.isclose(sums, 1.0, atol=_ROUNDING) | (sums == 0)).all():
            checker.fail(where, "has weights of a block whose sum is not 1")
    if not value.directed and not np.array_equal(value.weights, value.weights_in):
        checker.fail(where, "is of an undirected graph, but its weights differ from its weights_in")


def _signature(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the numbers of dimensions whose products are added and subtracted."""
    if type(value) is not tuple or len(value) != 2:
        checker.fail(where, f"is {value!r:.40} instead of two integers")
    for number in value:
        integer()(checker, number, sizes, where)
    checker.size("d", sum(value), sizes, where)


def _random_dot_product(checker: Checker, value: Any, sizes: Sizes, where: str) -> None:
    if value.directed and value.signature[1]:
        checker.fail(where, "is of a directed graph, but subtracts products")
    for field in "positions", "floors":
        if not value.directed and not np.array_equal(getattr(value, field), getattr(value, f"{field}_in")):
            checker.fail(where, f"is of an undirected graph, but its {field} differ from its {field}_in")


#: The rules of each fit, by its name.
FITS: dict[str, Rule] = {
    "ErdosRenyiFit": Rule({**_COMMON, "p": real(0.0, 1.0)}),
    "BlockModelFit": Rule(
        {**_COMMON, **_BLOCKS, "B": array("k k", low=0.0, high=1.0)},
        relations=[_block_model],
    ),
    "DegreeCorrectedFit": Rule(
        {
            **_COMMON,
            **_BLOCKS,
            "B": array("k k", low=0.0),
            "weights": array("n", low=0.0, high=1.0),
            "weights_in": array("n", low=0.0, high=1.0),
        },
        relations=[_degree_corrected],
    ),
    "RandomDotProductFit": Rule(
        {
            **_COMMON,
            "positions": array("n d"),
            "positions_in": array("n d"),
            "signature": _signature,
            "floors": array("n", low=0.0),
            "floors_in": array("n", low=0.0),
            "high": real(low=0.5, high=1.0),
            "clipped": real(0.0, 1.0),
            "excess": real(low=-1.0),
        },
        relations=[_random_dot_product],
    ),
}
