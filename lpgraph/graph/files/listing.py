"""Lists of nodes and edges in a file, for GML and GraphML."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.graph.assemble import EdgeList
from lpgraph.graph.files.common import shown
from lpgraph.graph.files.memory import EDGE, NAME, TEXT, VALUE
from lpgraph.graph.names import as_names
from lpgraph.graph.unused_weights import may_be_weight, report_unused

if TYPE_CHECKING:
    from lpgraph.graph.files.common import Source

__all__ = ["GraphListing"]


#: Bytes of a missing value in a column, which grows by more than it needs.
_GAP = 12
#: Numeric attributes of edges that are remembered, if no edge has a weight.
_CANDIDATES = 10


class GraphListing:
    """Collects nodes and edges; edges may come before the nodes they join."""

    def __init__(self, source: Source, *, directed: bool) -> None:
        self.source, self.directed = source, directed
        self.row: dict[Hashable, int] = {}
        self.columns: dict[str, list[object]] = {}
        self._ends: dict[Hashable, Hashable] = {}  # equal names of end points are one object
        self._edges: list[Hashable] = []
        self._weights = array("d")
        self._weighted = False
        self._numeric: set[str] = set()  # attributes of edges that may be the weights
        self._values = 0  # bytes of the columns

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
            raise ValueError(f"the node id {shown(node)} is given twice")
        n = len(self.row)
        self.row[node] = n
        for key, value in attributes.items():
            column = self.columns.setdefault(key, [])
            self._values += VALUE + _GAP * (n - len(column)) + (0 if column else NAME)
            self._check_memory()
            column.extend([None] * (n - len(column)))
            column.append(value)
        self._check_memory()

    def add_edge(self, source: Hashable, target: Hashable, attributes: Mapping[str, object]) -> None:
        """Add an edge; its weight is the attribute of that name, or 1."""
        if source is None or target is None:
            raise ValueError("an edge has no source or no target")
        ends = self._ends
        self._edges += (ends.setdefault(source, source), ends.setdefault(target, target))
        self._check_memory()
        weight = 1.0
        if self.source.weight is not None and self.source.weight in attributes:
            value, self._weighted = attributes[self.source.weight], True
            try:
                weight = float(value) if isinstance(value, int | float) else math.nan
            except OverflowError:  # an integer beyond all floats
                weight = math.inf
            if not math.isfinite(weight):
                raise ValueError(
                    f"the edge {shown(source)}, {shown(target)} has {self.source.weight}={shown(value)}, "
                    "which is no finite number"
                )
        elif not self._weighted and len(self._numeric) < _CANDIDATES:
            self._numeric.update(may_be_weight(attributes))
        self._weights.append(weight)

    def _check_memory(self) -> None:
        needed = NAME * (len(self.row) + len(self._ends)) + EDGE * len(self._edges) // 2 + self._values
        self.source.check_bytes(needed, 2 * needed + TEXT * len(self.source.content))

    def edges(self, names: Sequence[Hashable]) -> EdgeList:
        """Return the collected graph, with the given names of nodes."""
        n = len(self.row)
        if n == 0:
            raise self.source.error("the graph has no nodes")
        if self._weights and not self._weighted and self.source.weight is not None:
            report_unused(self.source.weight, sorted(self._numeric), "{}", what=self.source.path)
        row = self.row
        try:
            ends = np.fromiter(map(row.__getitem__, self._edges), dtype=np.intp, count=len(self._edges))
        except KeyError as error:
            raise self.source.error(
                f"an edge ends in {shown(error.args[0])}, which is no node; add it or drop the edge"
            ) from None
        self._values += sum(_GAP * (n - len(column)) for column in self.columns.values())
        self._check_memory()
        for column in self.columns.values():
            column.extend([None] * (n - len(column)))
        weights = np.array(self._weights) if self._weighted else None
        return EdgeList(as_names(names), ends[0::2], ends[1::2], weights, self.directed, self.columns)
