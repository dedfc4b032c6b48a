"""``lpgraph store``: networks on disk, built from files of edges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli import _choices as choices
from lpgraph.cli import _options as options
from lpgraph.cli._command import as_command
from lpgraph.cli._errors import CommandError
from lpgraph.cli._options import Application, Json
from lpgraph.cli._outputs import print_facts
from lpgraph.cli._progress import computing, say

if TYPE_CHECKING:
    from lpgraph.graph.adjacency import Adjacency

__all__ = ["app", "store_facts"]

app = Application(help="Build an edge store, a network in a folder for more edges than memory holds; check one.")

Store = Annotated[str, Argument(metavar="STORE", help="Folder of an edge store.")]
Form = Annotated[
    str | None,
    Option(
        "--format",
        metavar="FORMAT",
        help=f"{choices.SHARD_FORMATS}; by default that of the suffix.",
        autocompletion=choices.SHARD_FORMATS.complete,
    ),
]
Rule = Annotated[
    str,
    Option(
        "--multi-edges",
        metavar="RULE",
        help=f"{choices.STORED_EDGES}: edges listed several times, which weigh the sum or the largest.",
        autocompletion=choices.STORED_EDGES.complete,
    ),
]


@app.command("build")
@as_command
def build(
    edges: Annotated[
        list[str],
        Argument(metavar="EDGES... STORE", help="Files of edges, and the folder of the store, which is made."),
    ],
    *,
    directed: Annotated[bool, Option("--directed", help="Read edges as arcs from source to target.")] = False,
    form: Form = None,
    weight: options.Weight = "weight",
    unweighted: options.Unweighted = False,
    source: options.Source = None,
    target: options.Target = None,
    header: options.Header = None,
    multi_edges: Rule = "sum",
    memory: Annotated[str, Option("--memory", metavar="SIZE", help="How much memory to take.")] = "2GB",
    temporary: Annotated[
        str | None,
        Option("--temporary", metavar="FOLDER", help="For temporary files; by default the folder of the store."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Build an edge store from files of edges, in bounded memory.

    The files are Parquet, Arrow, csv, tsv or txt, the last three also gzipped. A build that was stopped goes on if
    the same command is given again. Names of vertices are integers if all are; vertices are in the order of their
    names.

    Example:
      lpgraph store build edges/*.parquet graph.store
      lpgraph store build edges.csv.gz graph.store --multi-edges collapse --memory 4GB
    """
    if len(edges) < 2:
        raise CommandError(f"EDGES={edges[0]} but there is no folder for the store; name it last.")
    if (source is None) is not (target is None):
        given, other = ("--source", "--target") if target is None else ("--target", "--source")
        raise CommandError(f"{given} is passed without {other}; pass the columns of both end points.")
    with computing("Building the store"):
        store = lp.scale.build_store(
            edges[:-1],
            edges[-1],
            directed=directed,
            weight=None if unweighted else weight,
            source=source,
            target=target,
            header=header,
            format=form,
            multi_edges=multi_edges,
            memory=memory,
            temporary=temporary,
        )
    facts = store_facts(store)
    if as_json:
        print_facts(facts, as_json)
    else:
        say("\n".join(f"{name.replace('_', ' '):10}  {value}" for name, value in facts.items()))


@app.command("info")
@as_command
def info(store: Store, *, as_json: Json = False) -> None:
    """Show the sizes of an edge store.

    Example:
      lpgraph store info graph.store
    """
    print_facts(store_facts(lp.scale.open_store(store)), as_json)


@app.command("verify")
@as_command
def verify(store: Store) -> None:
    """Compare the checksums of all files of an edge store, and check its matrix.

    Example:
      lpgraph store verify graph.store
    """
    with computing("Checking the store"):
        found = lp.scale.open_store(store, verify=True)
    print_facts({**store_facts(found), "verified": True}, False)


def store_facts(store: Adjacency) -> dict[str, object]:
    """Return the sizes of an edge store."""
    facts = {
        "store": str(store.store),
        "vertices": store.n_vertices,
        "edges": store.n_edges,
        "directed": store.directed,
        "weighted": store.weighted,
        "weights": [store.lowest_weight, store.highest_weight] if store.weighted else None,
        "first_vertices": list(store.names[:5]),
        "bytes": sum(file.stat().st_size for file in Path(str(store.store)).iterdir()),
    }
    return {key: value for key, value in facts.items() if value is not None}
