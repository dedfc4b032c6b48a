"""``lpgraph info`` and ``lpgraph convert``: what a graph is, and the same graph in another format."""

from __future__ import annotations

from typing import Annotated

import typer

from lpgraph.cli._groups import Reading
from lpgraph.cli._options import Graph, Json, Largest

__all__ = ["convert", "info"]


def info(
    graph: Graph,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Say what is in a graph: sizes, degrees, components.

    Example:
      lpgraph info graph.csv
      zcat graph.csv.gz | lpgraph info - --json
    """
    import numpy as np

    from lpgraph.cli._outputs import print_facts
    from lpgraph.graph.components import connected_components, isolated_vertices

    network = reading.read(graph)
    n, matrix = network.n_vertices, network.matrix
    loops = int(np.count_nonzero(matrix.diagonal()))
    count, labels = connected_components(network)
    pairs = n * (n - 1) / (1 if network.directed else 2)
    degrees = np.diff(matrix.indptr)
    facts = {
        "vertices": n,
        "edges": network.n_edges,
        "directed": network.directed,
        "weighted": network.weighted,
        "loops": loops,
        "density": (network.n_edges - loops) / pairs if pairs else 0.0,
        "components": int(count),
        "largest_component": int(np.bincount(labels).max()),
        "isolated_vertices": len(isolated_vertices(network)),
        "degree" if not network.directed else "out_degree": {
            "least": int(degrees.min()),
            "median": float(np.median(degrees)),
            "mean": float(degrees.mean()),
            "most": int(degrees.max()),
        },
        "weights": [float(matrix.data.min()), float(matrix.data.max())] if network.weighted else None,
        "first_vertices": list(network.names[:5]),
        "vertex_attributes": list(network.vertex_attributes),
    }
    print_facts({key: value for key, value in facts.items() if value not in (None, [])}, as_json)


def convert(
    graph: Graph,
    target: Annotated[str, typer.Argument(metavar="OUTPUT", help="File to write; - is standard output.")],
    *,
    reading: Reading,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="Format of OUTPUT; by default what its suffix says."),
    ] = None,
    largest: Largest = False,
    loops: Annotated[str, typer.Option("--loops", metavar="RULE", help="keep, drop or error.")] = "keep",
    multi_edges: Annotated[
        str,
        typer.Option("--multi-edges", metavar="RULE", help="sum, collapse or error: edges given several times."),
    ] = "sum",
) -> None:
    """Write a graph in another format.

    Example:
      lpgraph convert graph.gml graph.csv
      lpgraph convert graph.mtx - --to csv | head
    """
    import lpgraph as lp
    from lpgraph.cli._outputs import check_outputs
    from lpgraph.cli._standard import Standard

    check_outputs(other=[target])
    network = reading.read(graph, largest=largest, loops=loops, multi_edges=multi_edges)
    if target == "-":
        lp.write_graph(network, Standard(), format="csv" if to is None else to)
    else:
        lp.write_graph(network, target, format=to)
