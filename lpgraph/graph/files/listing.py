"""Lists of nodes and edges in a file, for GML and GraphML."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.graph.assemble import EdgeList
from lpgraph.graph.names import as_names

if TYPE_CHECKING:
    from lpgraph.graph.files.common import Source

__all__ = ["GraphListing"]


class GraphListing:
    """Collects nodes and edges; edges may come before the nodes they join."""

    def __init__(self, source: Source, *, directed: bool) -> None:
        self.source, self.directed = source, directed
        self.row: dict[Hashable, int] = {}
        self.columns: dict[str, list[object]] = {}
        self._edges: list[tuple[Hashable, Hashable]] = []
        self._weights: list[float] = []
        self._weighted = False

    @property
    def ids(self) -> list[Hashable]:
        """The nodes' ids in the file's order."""
        return list(self.row)

    def unique(self, key: str) -> bool:
        """Whether every node has a value of an attribute, and no two values are written alike."""
        values = self.columns.get(key, [None])
        return None not in values and len(values) == len(self.row) == len(set(map(str, values)))

    def add_node(self, node: Hashable, attributes: Mapping[str, object]) -> None:
        """Add a node with its attributes; errors are ValueErrors, to which the reader adds the place."""
        if node is None:
            raise ValueError("a node has no id")
        if node in self.row:
            raise ValueError(f"the node id {node!r} is given twice")
        n = len(self.row)
        self.row[node] = n
        for key, value in attributes.items():
            column = self.columns.setdefault(key, [])
            column.extend([None] * (n - len(column)))
            column.append(value)

    def add_edge(self, source: Hashable, target: Hashable, attributes: Mapping[str, object]) -> None:
        """Add an edge; its weight is the attribute of that name, or 1."""
        if source is None or target is None:
            raise ValueError("an edge has no source or no target")
        self._edges.append((source, target))
        weight = 1.0
        if self.source.weight is not None and self.source.weight in attributes:
            value, self._weighted = attributes[self.source.weight], True
            try:
                weight = float(value) if isinstance(value, int | float) else math.nan
            except OverflowError:  # an integer beyond all floats
                weight = math.inf
            if not math.isfinite(weight):
                raise ValueError(
                    f"the edge {source!r}, {target!r} has {self.source.weight}={str(value)[:40]}, "
                    "which is no finite number"
                )
        self._weights.append(weight)

    def edges(self, names: Sequence[Hashable]) -> EdgeList:
        """Return the collected graph, with the given names of nodes."""
        n = len(self.row)
        if n == 0:
            raise self.source.error("the graph has no nodes")
        row = self.row
        try:
            rows = np.array([(row[u], row[v]) for u, v in self._edges], dtype=np.intp).reshape(-1, 2)
        except KeyError as error:
            raise self.source.error(
                f"an edge ends in {error.args[0]!r}, which is no node; add it or drop the edge"
            ) from None
        for column in self.columns.values():
            column.extend([None] * (n - len(column)))
        weights = np.array(self._weights, dtype=np.float64) if self._weighted else None
        return EdgeList(as_names(names), rows[:, 0], rows[:, 1], weights, self.directed, self.columns)
