"""What options mean in every command that has them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

__all__ = [
    "APP",
    "Arrivals",
    "Clusters",
    "Column",
    "Dimension",
    "Directed",
    "Format",
    "Graph",
    "GraphOrModel",
    "Json",
    "Labels",
    "Largest",
    "Method",
    "Output",
    "Regularizer",
    "Save",
    "Unweighted",
    "Weight",
]

#: What all applications share: plain help, which needs no rich, and errors left to `lpgraph.cli.run`.
APP: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}


Graph = Annotated[str, typer.Argument(metavar="GRAPH", help="File with the graph; - is standard input.")]
Arrivals = Annotated[
    str,
    typer.Argument(
        metavar="ARRIVALS", help="File with edges between new and known vertices; - is standard input."
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, txt, parquet, graphml, gml, mtx or npz; by default what the suffix says, csv for -.",
    ),
]
Directed = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected", help="Read edges as arcs, or arcs as edges; by default as the file says."
    ),
]
Weight = Annotated[str, typer.Option("--weight", metavar="NAME", help="Column or attribute with the weights.")]
Unweighted = Annotated[bool, typer.Option("--unweighted", help="Ignore weights: every edge weighs 1.")]
Largest = Annotated[bool, typer.Option("--largest-component", help="Keep the largest connected component only.")]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where the table goes: .csv, .tsv, .parquet or .json; - is standard output.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON object to standard output.")]
GraphOrModel = Annotated[
    str,
    typer.Argument(metavar="GRAPH|MODEL.lpg", help="File with the graph (- is standard input), or a saved model."),
]
Save = Annotated[
    str | None, typer.Option("--save", metavar="MODEL.lpg", help="Save the fitted model here, to extend it later.")
]
Method = Annotated[
    str, typer.Option("--method", metavar="NAME", help="adjacency or laplacian: which spectral embedding.")
]
Dimension = Annotated[
    str,
    typer.Option(
        "--dimension",
        "-d",
        metavar="D",
        help="A number, elbow, second_elbow, third_elbow or cross-validation.",
    ),
]
Regularizer = Annotated[
    str | None,
    typer.Option("--regularizer", metavar="TAU", help="Added to every degree by the Laplacian: a number or mean."),
]
Clusters = Annotated[
    str | None,
    typer.Option("--clusters", "-k", metavar="K", help="A number, or a range such as 2-8 from which BIC chooses."),
]
Labels = Annotated[
    str | None, typer.Option("--labels", metavar="FILE", help="Table with a column of vertices and one of labels.")
]
Column = Annotated[
    str | None, typer.Option("--column", metavar="NAME", help="Column of the labels, if the table has several.")
]
