"""A graph in memory as numbered edges: what steps 1 and 2 make of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.files.common import file_names
from lpgraph.scale.building.chunk_file import write_arrays
from lpgraph.scale.building.names_out import names_writer
from lpgraph.scale.building.number import vertex_dtype
from lpgraph.scale.building.read import CHUNK
from lpgraph.scale.building.work import Work
from lpgraph.scale.layout import NAMES

__all__ = ["list_graph"]


def list_graph(work: Work, store: Path, graph: Adjacency) -> int:
    """Write the edges and the names of a graph, and return how many vertices there are."""
    arrow = import_extra("pyarrow", "scale")
    names, n = file_names(graph), graph.n_vertices
    source, target, weight = graph.edge_list()
    if not isinstance(names, range):
        listed: list[str | int] = list(names)  # type: ignore[arg-type]  # file_names makes them so
        order = np.array(sorted(range(n), key=listed.__getitem__), dtype=np.intp)
        rank = np.empty(n, dtype=np.intp)
        rank[order] = np.arange(n)
        source, target = rank[source], rank[target]
        if [listed[i] for i in order] != list(range(n)):
            with names_writer(store / NAMES, texts=isinstance(listed[0], str)) as out:
                out.add(arrow.array([listed[i] for i in order.tolist()]))
    dtype = vertex_dtype(n)
    for k, start in enumerate(range(0, max(len(source), 1), CHUNK)):
        here = slice(start, start + CHUNK)
        weights = [weight[here]] if graph.weighted else []
        arrays = [source[here].astype(dtype), target[here].astype(dtype), *weights]
        write_arrays(work.chunk(k, "edges"), {"count": len(arrays[0])}, arrays)
    return n
