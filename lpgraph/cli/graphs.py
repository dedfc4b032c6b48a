"""``lpgraph info`` and ``lpgraph convert``: a summary of a graph, and the graph in another format."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from lpgraph.cli import _choices as choices
from lpgraph.cli._groups import Reading
from lpgraph.cli._options import Graph, Json
from lpgraph.cli._outputs import check_outputs, print_facts, write_network
from lpgraph.cli._words import Words, translated

__all__ = ["convert", "info"]


def info(graph: Graph, *, reading: Reading, as_json: Json = False) -> None:
    """Show sizes, degrees and components of a graph.

    The weights of repeated edges, which are listed before, are added up. So are those of merged arcs, which are
    listed in both directions in a graph without directions: --directed keeps them apart, and lpgraph convert
    --multi-edges collapse keeps the larger weight.

    Example:
      lpgraph info graph.csv
      zcat graph.csv.gz | lpgraph info - --json
    """
    import numpy as np

    from lpgraph.graph.components import connected_components, isolated_vertices
    from lpgraph.graph.repeats import Repeats

    found: list[Repeats] = []
    network = reading.read(graph, listen=lambda edges: found.append(Repeats.of(edges)))
    n, matrix = network.n_vertices, network.matrix
    loops = int(np.count_nonzero(network.diagonal))
    count, labels = connected_components(network)
    pairs = n * (n - 1) / (1 if network.directed else 2)
    degrees = np.diff(matrix.indptr)
    facts = {
        "vertices": n,
        "edges": network.n_edges,
        "directed": network.directed,
        "weighted": network.weighted,
        "repeated_edges": found[0].repeated if found else None,
        "merged_arcs": found[0].merged if found and not network.directed else None,
        "loops": loops,
        "density": (network.n_edges - loops) / pairs if pairs else 0.0,
        "components": int(count),
        "largest_component": int(np.bincount(labels).max()),
        "isolated_vertices": len(isolated_vertices(network)),
        "out_degree" if network.directed else "degree": {
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
    written: Annotated[str, Argument(metavar="OUTPUT", help="File to write; - is standard output.")],
    *,
    reading: Reading,
    to: Annotated[
        str | None,
        Option(
            "--to",
            metavar="FORMAT",
            help="Format of OUTPUT; by default what its suffix says.",
            autocompletion=choices.FORMATS.complete,
        ),
    ] = None,
    loops: Annotated[
        str,
        Option("--loops", metavar="RULE", help=f"{choices.LOOPS}.", autocompletion=choices.LOOPS.complete),
    ] = "keep",
    multi_edges: Annotated[
        str,
        Option(
            "--multi-edges",
            metavar="RULE",
            help=f"{choices.MULTI_EDGES}: edges given several times.",
            autocompletion=choices.MULTI_EDGES.complete,
        ),
    ] = "sum",
) -> None:
    """Write a graph in another format.

    Example:
      lpgraph convert graph.gml graph.csv
      lpgraph convert graph.mtx - --to csv | head
    """
    from lpgraph.graph.assemble import Rules

    check_outputs(other=[written])
    network = reading.read(graph, rules=Rules(loops, multi_edges))  # type: ignore[arg-type]  # it checks them
    with translated(Words({"format": "--to"})):
        write_network(network, written, to)
