"""Graphs in coordinate format: the `edge_index` of PyTorch Geometric and OGB, without importing torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import as_real, check_count
from lpgraph.errors import ArgumentError
from lpgraph.graph.assemble import EdgeList, Rules, edges_matrix, tidy_matrix

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array


def has_edge_index(graph: Foreign) -> bool:
    """Whether a value is an object or a mapping with an `edge_index`, and not a table with such a column."""
    return _field(graph, "edge_index") is not None and not hasattr(graph, "columns")


def _field(graph: Foreign, name: str) -> Foreign:
    return graph.get(name) if isinstance(graph, Mapping) else getattr(graph, name, None)


def read_edge_index(graph: Foreign, weight: str | None) -> EdgeList:
    """Return the edges of a graph with an `edge_index`, and its labels `y` as a vertex attribute.

    Entry (0, k) of `edge_index` is the source of arc k, and entry (1, k) its target. The graph is undirected if
    its matrix is symmetric, that is, if each edge is listed from both ends.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If `edge_index` is not an array of integers from 0 to ``num_nodes - 1`` with two rows, or there is not one
        weight for each arc.
    GraphError
        If there are no vertices, or a weight is not finite.
    """
    index = as_real("edge_index", _field(graph, "edge_index"))
    if index.ndim != 2 or len(index) != 2 or (index.size and index.dtype.kind not in "iu"):
        raise ArgumentError(f"edge_index is {index.dtype} of shape {index.shape}; pass integers of shape (2, m).")
    source, target = index.astype(np.intp, copy=False)
    least, most = (int(index.min()), int(index.max())) if index.size else (0, -1)
    n = _field(graph, "num_nodes")
    n = check_count("num_nodes", most + 1 if n is None else n)
    if least < 0 or most >= n:
        raise ArgumentError(
            f"edge_index has numbers from {least} to {most} and num_nodes is {n}; pass 0 ... n - 1."
        )
    y, weights = _field(graph, "y"), _weights(graph, weight, len(source))
    labelled = np.shape(y) in ((n,), (n, 1))  # otherwise `y` labels the graph, or several tasks
    attributes = {"y": np.asarray(y).ravel().tolist()} if labelled else {}
    arcs = EdgeList(range(n), source, target, weights, True, attributes)
    if tidy_matrix(edges_matrix(arcs, Rules().of_weight(weight)), None, Rules())[1]:
        return arcs
    once = source <= target
    weights = None if weights is None else weights[once]
    return EdgeList(range(n), source[once], target[once], weights, False, attributes)


def _weights(graph: Foreign, weight: str | None, m: int) -> Array | None:
    """Return the weights of m arcs, by default `edge_weight`."""
    if weight is None:
        return None
    default = weight == "weight"
    name = "edge_weight" if default and _field(graph, weight) is None else weight
    given = _field(graph, name)
    if given is not None:
        values = as_real(name, given)
        if values.shape not in ((m,), (m, 1)):
            raise ArgumentError(f"{name} has shape {values.shape} for {m} arcs; pass {m} weights, or weight=None.")
        return values.ravel().astype(np.float64, copy=False)
    if not default:
        raise ArgumentError(f"weight={weight!r}, which the graph with an edge_index lacks; pass weight=None.")
    return None
