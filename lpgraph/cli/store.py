"""``lpgraph store``: networks on disk, built from files of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

import lpgraph as lp
from lpgraph.errors import ArgumentError

from .inputs import Columns
from .options import Application, AsJson, as_command
from .outputs import print_facts, progress

if TYPE_CHECKING:
    from lpgraph.graph.adjacency import Adjacency

app = Application(help="Build an edge store, a network in a folder for more edges than memory holds; check one.")


@app.command("build")
@as_command
def build(
    edges: Annotated[
        list[str],
        Argument(
            metavar="EDGES... STORE",
            help="Files of edges (Parquet, Arrow, csv, tsv, txt), and the folder of the store, which is made.",
        ),
    ],
    *,
    directed: bool = False,
    form: Annotated[Literal["csv", "tsv", "txt", "parquet", "feather"] | None, Option("--format")] = None,
    reading: Columns,
    multi_edges: Literal["sum", "collapse"] = "sum",
    memory: str = "2GB",
    as_json: AsJson = False,
) -> None:
    """Build an edge store from files of edges, in bounded memory.

    The files are Parquet, Arrow, csv, tsv or txt, the last three also gzipped. A build that was stopped goes on if
    the same command is given again. Names of vertices are integers if all are; vertices are in the order of their
    names.

    Parameters
    ----------
    directed
        Read edges as arcs from source to target.
    form
        By default that of the suffix.
    multi_edges
        Edges listed several times, which weigh the sum or the largest.
    memory : SIZE
        How much memory to take.

    Example:
      lpgraph store build edges/*.parquet graph.store
      lpgraph store build edges.csv.gz graph.store --multi-edges collapse --memory 4GB
    """
    if len(edges) < 2:
        raise ArgumentError(f"EDGES={edges[0]} but there is no folder for the store; name it last.")
    with progress():
        store = lp.scale.build_store(
            edges[:-1],
            edges[-1],
            directed=directed,
            format=form,
            multi_edges=multi_edges,
            memory=memory,
            **reading.columns,
        )
    print_facts(_facts(store), as_json)


@app.command("info")
@as_command
def info(
    store: Annotated[str, Argument(metavar="STORE", help="Folder of an edge store.")],
    *,
    verify: bool = False,
    as_json: AsJson = False,
) -> None:
    """Show the sizes of an edge store.

    Parameters
    ----------
    verify
        Compare the checksums of all files, and check the matrix.

    Example:
      lpgraph store info graph.store --verify
    """
    print_facts(_facts(lp.scale.open_store(store, verify=verify)), as_json)


def _facts(store: Adjacency) -> dict[str, object]:
    """Return the sizes of an edge store."""
    return {
        "vertices": store.n_vertices,
        "edges": store.n_edges,
        "directed": store.directed,
        "weights": [store.lowest_weight, store.highest_weight],
        "first_vertices": list(store.names[:5]),
    }
