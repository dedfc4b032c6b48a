"""Arguments and options that several commands share.

The methods are those of the tables of public names.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Argument, Option, Typer

from lpgraph.cli._methods import METHODS

#: Applications with plain help, which needs no rich; errors are left to `lpgraph.cli.run`.
Application = partial(Typer, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)

Graph = Annotated[str, Argument(metavar="GRAPH", help="File with the graph; - is standard input.")]
New = Annotated[
    str, Argument(metavar="NEW", help="File with edges between new and known vertices; - is standard input.")
]
Format = Annotated[
    str | None,
    Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, txt, parquet, graphml, gml, mtx or npz; by default that of the suffix, csv for -.",
    ),
]
Directed = Annotated[
    bool | None,
    Option("--directed/--undirected", help="Read edges as arcs, or arcs as edges; by default as the file says."),
]
Weight = Annotated[str, Option("--weight", metavar="NAME", help="Column or attribute with the weights.")]
Unweighted = Annotated[bool, Option("--unweighted", help="Ignore weights: every edge weighs 1.")]
Source = Annotated[
    str | None, Option("--source", metavar="NAME", help="Column with the source of each edge; with --target.")
]
Target = Annotated[
    str | None, Option("--target", metavar="NAME", help="Column with the target of each edge; with --source.")
]
Header = Annotated[
    bool | None,
    Option(
        "--header/--no-header",
        help="Whether the first line of an edge list has titles; by default as its content suggests.",
    ),
]
MaxBytes = Annotated[
    int | None,
    Option(
        "--max-bytes",
        metavar="N",
        help="Limit of the memory for reading a file; by default 200 times its size, at least 200 MB.",
    ),
]
Unknown = Annotated[
    str,
    Option(
        "--unknown",
        metavar="RULE",
        help="Labels of vertices that the graph does not have: error, or ignore, which counts them in a warning.",
    ),
]
Largest = Annotated[bool, Option("--largest-component", help="Keep the largest connected component only.")]
Output = Annotated[
    str,
    Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The table: .csv, .tsv, .parquet or .json; - is standard output.",
    ),
]
Json = Annotated[bool, Option("--json", help="Write one JSON object to standard output.")]
GraphOrModel = Annotated[
    str,
    Argument(metavar="GRAPH|MODEL.lpg", help="File with the graph (- is standard input), or a saved model."),
]
Save = Annotated[
    str | None, Option("--save", metavar="MODEL.lpg", help="Save the fitted model, which extend can use.")
]
Method = Annotated[str, Option("--method", metavar="NAME", help=f"{', '.join(METHODS['lpgraph'])}.")]
Dimension = Annotated[
    str,
    Option(
        "--dimension",
        "-d",
        metavar="D",
        help="A number, eigenvalue_cv, elbow, second_elbow or third_elbow.",
    ),
]
#: The same of a classifier or a clustering, which has a default embedding.
OwnMethod = Annotated[
    str | None,
    Option(
        "--method",
        metavar="NAME",
        help=f"{', '.join(METHODS['lpgraph'])}; by default laplacian with the mean degree.",
    ),
]
OwnDimension = Annotated[
    str | None,
    Option(
        "--dimension",
        "-d",
        metavar="D",
        help="A number, eigenvalue_cv, elbow, second_elbow or third_elbow; by default 64, of which "
        "cross-validation uses as many as it needs, or 16 for clusters.",
    ),
]
Regularizer = Annotated[
    str | None,
    Option("--regularizer", metavar="TAU", help="For laplacian: a number that is added to every degree, or mean."),
]
Clusters = Annotated[
    str | None,
    Option("--clusters", "-k", metavar="K", help="A number, a range such as 2-8 to choose from, or auto."),
]
Labels = Annotated[
    str | None, Option("--labels", metavar="FILE", help="Table with a column of vertices and one of labels.")
]
Column = Annotated[
    str | None, Option("--column", metavar="NAME", help="Column of the labels, if the table has several.")
]
PointsMethod = Annotated[
    str, Option("--method", metavar="NAME", help=f"{', '.join(METHODS['lpgraph.manifold'])}.")
]
Coordinates = Annotated[int, Option("--dimension", "-d", metavar="D", help="Number of coordinates.")]
Neighbors = Annotated[
    int | None,
    Option("--neighbors", "-k", metavar="K", help="Nearest neighbors of each point, for the graph of points."),
]
Kernel = Annotated[
    str | None,
    Option("--kernel", metavar="NAME", help="For kernel-pca: linear, rbf, poly, sigmoid, cosine or laplacian."),
]
Components = Annotated[
    str | None,
    Option(
        "--components", metavar="RULE", help="If the graph of points is disconnected: error, largest or bridge."
    ),
]
Seed = Annotated[int, Option("--seed", metavar="N", help="The same seed gives the same result.")]
Axes = Annotated[str, Option("--axes", metavar="I,J", help="Which dimensions to draw, the first being 1.")]
Picture = Annotated[
    str,
    Option("--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf; - is png on standard output."),
]
