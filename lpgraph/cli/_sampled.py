"""Sampled graphs and their arrivals: what is refused before they are drawn, and how they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph.models.graphs import LatentPositionGraph

__all__ = ["between_blocks", "check_sample", "check_size", "write_arrivals", "write_sample"]

#: Of more edges than this no file is written: it would have tens of gigabytes.
_MOST = 1e9


def between_blocks(sizes: Sequence[float], probabilities: Sequence[Sequence[float]]) -> float:
    """Return the expected number of arcs between blocks, those within them included."""
    rows = zip(sizes, probabilities, strict=False)  # what does not fit is the model's to refuse
    return sum(m * sum(k * p for k, p in zip(sizes, row, strict=False)) for m, row in rows)


def check_size(edges: float) -> None:
    """Refuse a graph of more edges than any file should have, before it is drawn."""
    from lpgraph.errors import ArgumentError

    if edges > _MOST:
        raise ArgumentError(
            f"The graph would have about {edges:.2g} edges, more than {_MOST:.0g}; pass fewer vertices or lower "
            "probabilities."
        )


def check_sample(
    output: str,
    *tables: str | None,
    arrivals: tuple[int, str | None, str | None] = (0, None, None),
    inputs: Sequence[str] = (),
) -> None:
    """Refuse what could not be written, or arrivals without a place for them."""
    from lpgraph.cli._outputs import check_outputs
    from lpgraph.errors import ArgumentError

    for table in tables:
        check_outputs(table=table)
    check_outputs(other=[output, arrivals[1]], inputs=inputs)
    count, edges, _ = arrivals
    if count < 0 or (count > 0) != (edges is not None):
        raise ArgumentError(f"--arrivals={count} goes with --arrivals-output; pass both, with M >= 1, or neither.")
    if count == 0 and arrivals[2] is not None:
        raise ArgumentError(
            f"--arrivals-labels={arrivals[2]} without arrivals; pass --arrivals and --arrivals-output."
        )


def write_sample(
    graph: LatentPositionGraph, output: str, *, labels: str | None = None, positions: str | None = None
) -> None:
    """Write a sampled graph, and its labels and positions where they are asked for."""
    import lpgraph as lp
    from lpgraph.cli._outputs import write_table
    from lpgraph.cli._progress import say
    from lpgraph.cli._standard import Standard

    if output == "-":
        lp.write_graph(graph, Standard(), format="csv")
    else:
        lp.write_graph(graph, output)
    vertices = range(graph.n_vertices)
    if labels is not None and graph.labels is not None:
        write_table({"vertex": vertices, "label": graph.labels}, labels)
    if positions is not None:
        columns = {f"x{k}": graph.positions[:, k] for k in range(graph.positions.shape[1])}
        write_table({"vertex": vertices, **columns}, positions)
    say(f"{graph.n_vertices} vertices, {graph.n_edges} edges")


def write_arrivals(graph: LatentPositionGraph, m: int, output: str | None, labels: str | None, seed: int) -> None:
    """Write the edges of vertices that arrive later, between them and the known ones and among themselves."""
    if output is None:
        return
    import numpy as np

    import lpgraph as lp
    from lpgraph.cli._outputs import write_table

    # A second stream of the same seed: the same as the graph's would repeat its draws.
    new = graph.new_vertices(m, random_state=np.random.default_rng([seed, 1]))
    blocks: list[tuple[Any, str, str]] = [(new.adjacency, "new", ""), (new.among, "new", "new")]
    if new.adjacency_in is not None:
        blocks.append((new.adjacency_in.T, "", "new"))
    source: list[str] = []
    target: list[str] = []
    for matrix, head, tail in blocks:
        rows, columns = matrix.tocoo().coords
        once = np.ones(len(rows), bool) if graph.directed or matrix is not new.among else rows < columns
        source += [f"{head}{i}" for i in rows[once].tolist()]
        target += [f"{tail}{j}" for j in columns[once].tolist()]
    lp.write_graph(lp.from_edges(source, target, directed=graph.directed), output)
    if labels is not None:
        write_table({"vertex": [f"new{i}" for i in range(m)], "label": new.labels}, labels)
