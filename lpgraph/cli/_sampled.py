"""Sampled graphs and new vertices: checks before they are drawn, and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lpgraph as lp
from lpgraph.cli._errors import CommandError
from lpgraph.cli._outputs import check_outputs, columns, write_network, write_table
from lpgraph.cli._progress import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scipy import sparse

    from lpgraph.models.graphs import LatentPositionGraph

__all__ = ["between_blocks", "check_sample", "check_size", "write_new", "write_sample"]

#: A larger number of edges is refused: the file would have tens of gigabytes.
_MOST = 1e9


def between_blocks(sizes: Sequence[float], probabilities: Sequence[Sequence[float]]) -> float:
    """Return the expected number of arcs between and within blocks."""
    rows = zip(sizes, probabilities, strict=False)  # the model refuses sizes that do not fit
    return sum(m * sum(k * p for k, p in zip(sizes, row, strict=False)) for m, row in rows)


def check_size(edges: float) -> None:
    """Refuse a graph with too many edges for a file, before it is drawn."""
    if edges > _MOST:
        raise CommandError(
            f"The graph would have about {edges:.2g} edges, more than {_MOST:.0g}; pass fewer vertices or lower "
            "probabilities."
        )


def check_sample(
    output: str,
    *tables: str | None,
    new: tuple[int, str | None, str | None] = (0, None, None),
    inputs: Sequence[str] = (),
) -> None:
    """Refuse files that could not be written, and new vertices without a file."""
    for table in tables:
        check_outputs(table=table)
    count, edges, classes = new
    check_outputs(other=[output, edges], inputs=inputs)
    if count < 0 or (count > 0) != (edges is not None):
        raise CommandError(f"--new={count} goes with --new-output; pass both, with M >= 1, or neither.")
    if count == 0 and classes is not None:
        raise CommandError(f"--new-labels={classes} without --new; pass --new and --new-output.")


def write_sample(
    graph: LatentPositionGraph, output: str, *, labels: str | None = None, positions: str | None = None
) -> None:
    """Write a sampled graph, and its labels and positions where they are asked for."""
    write_network(graph, output)
    vertices = range(graph.n_vertices)
    if labels is not None and graph.labels is not None:
        write_table({"name": vertices, "label": graph.labels}, labels)
    if positions is not None:
        names = [f"x{k}" for k in range(graph.positions.shape[1])]
        write_table({"name": vertices, **columns(names, graph.positions)}, positions)
    say(f"{graph.n_vertices} vertices, {graph.n_edges} edges")


def write_new(graph: LatentPositionGraph, m: int, output: str | None, labels: str | None, seed: int) -> None:
    """Write the edges of new vertices, to known ones and among themselves."""
    if output is None:
        return
    import numpy as np

    # A second stream of the seed: the stream of the graph would repeat its draws.
    new = graph.new_vertices(m, random_state=np.random.default_rng([seed, 1]))
    blocks: list[tuple[sparse.csr_array | sparse.csc_array, str, str]] = [
        (new.adjacency, "new", ""),
        (new.among, "new", "new"),
    ]
    if new.adjacency_in is not None:
        blocks.append((new.adjacency_in.T, "", "new"))
    source: list[str] = []
    target: list[str] = []
    for matrix, head, tail in blocks:
        i, j = matrix.tocoo().coords
        once = np.ones(len(i), bool) if graph.directed or matrix is not new.among else i < j
        source += [f"{head}{k}" for k in i[once].tolist()]
        target += [f"{tail}{k}" for k in j[once].tolist()]
    names = [f"new{i}" for i in range(m)]
    vertices = list(dict.fromkeys([*names, *source, *target]))  # also new ones without an edge
    write_network(lp.from_edges(source, target, directed=graph.directed, vertices=vertices), output)
    if labels is not None:
        write_table({"name": names, "label": new.labels}, labels)
