"""``lpgraph info`` and ``lpgraph convert``: a summary of a graph, and the graph in another format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli import _choices as choices
from lpgraph.cli._options import Graph, Json
from lpgraph.cli._outputs import check_outputs, print_facts, write_network
from lpgraph.cli._reading import Reading
from lpgraph.cli._words import Words, translated

if TYPE_CHECKING:
    from lpgraph.graph.assemble import EdgeList

__all__ = ["convert", "info"]


def info(graph: Graph, *, reading: Reading, as_json: Json = False) -> None:
    """Show sizes, degrees and components of a graph.

    The weights of repeated edges, which are listed before, are added up. So are those of merged arcs, which are
    listed in both directions in a graph without directions: --directed keeps them apart, and lpgraph convert
    --multi-edges collapse keeps the larger weight. Zero and negative weights are counted as they are listed: an
    edge of weight 0 is left out. Degrees do not count loops.

    Example:
      lpgraph info graph.csv
      zcat graph.csv.gz | lpgraph info - --json
    """
    check_outputs(inputs=[graph])
    from lpgraph.graph.repeats import Repeats

    listed: list[EdgeList] = []
    network = reading.read(graph, listen=listed.append)
    repeats = [Repeats.of(edges) for edges in listed]
    found = lp.summary(network)
    titles = listed[0].titles if listed else None
    facts = {
        "titles": (list(titles) or "none") if titles is not None else None,
        "vertices": found.n_vertices,
        "edges": found.n_edges,
        "directed": found.directed,
        "weighted": found.weighted,
        "repeated_edges": repeats[0].repeated if repeats else None,
        "merged_arcs": repeats[0].merged if repeats and not found.directed else None,
        "loops": found.loops,
        "density": found.density,
        "reciprocity": found.reciprocity,
        "components": found.components,
        "largest_component": found.largest_component,
        "isolated_vertices": found.isolated_vertices,
        "zero_weights": repeats[0].zeros if repeats else None,
        "negative_weights": repeats[0].negative if repeats else found.negative_weights or None,
        "out_degree" if found.directed else "degree": {
            "least": int(found.degrees["min"]),
            "median": found.degrees["median"],
            "mean": found.degrees["mean"],
            "most": int(found.degrees["max"]),
        },
        "heavy_tailed": found.heavy_tailed,
        "largest_degrees": found.to_dict()["largest_degrees"],
        "largest_strengths": found.to_dict()["largest_strengths"],
        "weights": [network.lowest_weight, network.highest_weight] if found.weighted else None,
        "first_vertices": list(network.names[:5]),
        "vertex_attributes": list(network.vertex_attributes),
    }
    print_facts({key: value for key, value in facts.items() if value not in (None, [], {})}, as_json)


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
            autocompletion=choices.WRITTEN.complete,
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
