"""``lpgraph info`` and ``lpgraph convert``: a summary of a graph, and the graph in another format."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli._groups import Reading
from lpgraph.cli._options import Graph, Json, Largest
from lpgraph.cli._outputs import check_outputs, print_facts, write_network

__all__ = ["convert", "info"]


def info(graph: Graph, *, reading: Reading, as_json: Json = False) -> None:
    """Show sizes, degrees and components of a graph.

    Example:
      lpgraph info graph.csv
      zcat graph.csv.gz | lpgraph info - --json
    """
    network = reading.read(graph)
    found = lp.summary(network)
    facts = {
        "vertices": found.n_vertices,
        "edges": found.n_edges,
        "directed": found.directed,
        "weighted": found.weighted,
        "loops": found.loops,
        "density": found.density,
        "reciprocity": found.reciprocity,
        "components": found.components,
        "largest_component": found.largest_component,
        "isolated_vertices": found.isolated_vertices,
        "out_degree" if found.directed else "degree": {
            "least": int(found.degrees["min"]),
            "median": found.degrees["median"],
            "mean": found.degrees["mean"],
            "most": int(found.degrees["max"]),
        },
        "heavy_tailed": found.heavy_tailed,
        "weights": [network.lowest_weight, network.highest_weight] if found.weighted else None,
        "first_vertices": list(network.names[:5]),
        "vertex_attributes": list(network.vertex_attributes),
    }
    print_facts({key: value for key, value in facts.items() if value not in (None, [])}, as_json)


def convert(
    graph: Graph,
    written: Annotated[str, Argument(metavar="OUTPUT", help="File to write; - is standard output.")],
    *,
    reading: Reading,
    to: Annotated[
        str | None,
        Option("--to", metavar="FORMAT", help="Format of OUTPUT; by default what its suffix says."),
    ] = None,
    largest: Largest = False,
    loops: Annotated[str, Option("--loops", metavar="RULE", help="keep, drop or error.")] = "keep",
    multi_edges: Annotated[
        str,
        Option("--multi-edges", metavar="RULE", help="sum, collapse or error: edges given several times."),
    ] = "sum",
) -> None:
    """Write a graph in another format.

    Example:
      lpgraph convert graph.gml graph.csv
      lpgraph convert graph.mtx - --to csv | head
    """
    check_outputs(other=[written])
    network = reading.read(graph, largest=largest, loops=loops, multi_edges=multi_edges)
    write_network(network, written, to)
