"""Arguments and options that several commands share.

`Sets` says which parameters of the library an option sets, if they have other names than the option.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Argument, Option, Typer

from lpgraph.cli import _choices as choices
from lpgraph.cli._words import Sets

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
        help=f"{choices.FORMATS}; by default that of the suffix, csv for -.",
        autocompletion=choices.FORMATS.complete,
    ),
]
Directed = Annotated[
    bool | None,
    Option("--directed/--undirected", help="Read edges as arcs, or arcs as edges; by default as the file says."),
]
Weight = Annotated[str, Option("--weight", metavar="NAME", help="Column or attribute with the weights.")]
Unweighted = Annotated[
    bool,
    Option("--unweighted", help="Every edge weighs 1, however often it is listed."),
    Sets("weight=None"),
]
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
Unknown = Annotated[
    str,
    Option(
        "--unknown",
        metavar="RULE",
        help="Labels of vertices that the graph does not have: warn, which leaves them out and counts them, but "
        "refuses them if they are more than half; error; or ignore.",
        autocompletion=choices.UNKNOWN.complete,
    ),
]
Largest = Annotated[
    bool,
    Option("--largest-component", help="Keep the largest connected component only."),
    Sets("lpgraph.largest_component(graph)"),
]
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
Method = Annotated[
    str,
    Option(
        "--method",
        metavar="NAME",
        help=f"{choices.NETWORK_METHODS}. Dot products of adjacency estimate probabilities of edges; laplacian is "
        "better for groups of vertices in networks with hubs.",
        autocompletion=choices.NETWORK_METHODS.complete,
    ),
]
Dimension = Annotated[
    str,
    Option(
        "--dimension",
        "-d",
        metavar="D",
        help=f"A number, {choices.DIMENSIONS}.",
        autocompletion=choices.DIMENSIONS.complete,
    ),
    Sets("n_components"),
]
#: The same of a classifier or a clustering, which has a default embedding.
OwnMethod = Annotated[
    str | None,
    Option(
        "--method",
        metavar="NAME",
        help=f"{choices.NETWORK_METHODS}; by default laplacian with the mean degree.",
        autocompletion=choices.NETWORK_METHODS.complete,
    ),
]
OwnDimension = Annotated[
    str | None,
    Option(
        "--dimension",
        "-d",
        metavar="D",
        help=f"A number, {choices.DIMENSIONS}; by default 64; cross-validation uses as many of them as it "
        "needs, or 16 for clusters and pictures.",
        autocompletion=choices.DIMENSIONS.complete,
    ),
    Sets("n_components"),
]
Regularizer = Annotated[
    str | None,
    Option(
        "--regularizer",
        metavar="TAU",
        help="For laplacian and covariate-assisted: a number that is added to every degree, or mean.",
        autocompletion=choices.MEAN.complete,
    ),
]
Covariates = Annotated[
    str | None,
    Option(
        "--covariates",
        metavar="FILE",
        help="For covariate-assisted: table with titles, the names of vertices in the first column, and numbers "
        "in the others; also of new vertices. Rows of other vertices are left out.",
    ),
]
Unobserved = Annotated[
    str | None,
    Option(
        "--unobserved",
        metavar="FILE",
        help="List of the pairs of vertices that were not observed: whether they have an edge is not known.",
    ),
]
Alpha = Annotated[
    str | None,
    Option(
        "--alpha",
        metavar="A",
        help="For covariate-assisted: weight of the covariates, a number, balance or kmeans.",
        autocompletion=choices.WEIGHTS.complete,
    ),
]
LandmarkVertices = Annotated[
    str | None,
    Option(
        "--landmarks",
        metavar="M",
        help="For adjacency and laplacian: number of vertices by which the others are placed, or a share such as "
        "0.1; by default all.",
    ),
]
LandmarkRule = Annotated[
    str | None,
    Option(
        "--landmark-rule",
        metavar="RULE",
        help=f"How landmarks are drawn: {choices.LANDMARK_RULES}; by default degree.",
        autocompletion=choices.LANDMARK_RULES.complete,
    ),
]
LandmarkPasses = Annotated[
    int | None,
    Option(
        "--landmark-passes",
        metavar="N",
        help="How often all vertices are placed again, by all of their edges; by default once.",
    ),
]
Clusters = Annotated[
    str | None,
    Option(
        "--clusters",
        "-k",
        metavar="K",
        help="A number, a range such as 2-8 to choose from, or auto.",
        autocompletion=choices.AUTO.complete,
    ),
    Sets("n_clusters"),
]
NewLabels = Annotated[
    str | None,
    Option(
        "--new-labels",
        metavar="FILE",
        help="Table of labels of the new vertices, such as the output of classify, which colours them, or a "
        "vertex attribute of NEW.",
    ),
]
Labels = Annotated[
    str | None,
    Option(
        "--labels",
        metavar="FILE|NAME",
        help="Table with a column of vertices and one of labels, or a vertex attribute of the graph.",
    ),
]
Column = Annotated[
    str | None, Option("--column", metavar="NAME", help="Column of the labels, if the table has several.")
]
PointsMethod = Annotated[
    str,
    Option(
        "--method",
        metavar="NAME",
        help=f"{choices.POINT_METHODS}.",
        autocompletion=choices.POINT_METHODS.complete,
    ),
]
Coordinates = Annotated[
    int, Option("--dimension", "-d", metavar="D", help="Number of coordinates."), Sets("n_components")
]
Neighbors = Annotated[
    int | None,
    Option("--neighbors", "-k", metavar="K", help="Nearest neighbors of each point, for the graph of points."),
    Sets("n_neighbors"),
]
Kernel = Annotated[
    str | None,
    Option(
        "--kernel",
        metavar="NAME",
        help=f"For kernel-pca: {choices.KERNELS}.",
        autocompletion=choices.KERNELS.complete,
    ),
]
Landmarks = Annotated[
    int | None,
    Option(
        "--landmarks", metavar="L", help="Points drawn at random by which the others are placed; by default all."
    ),
    Sets("landmarks"),
]
Components = Annotated[
    str | None,
    Option(
        "--components",
        metavar="RULE",
        help=f"If the graph of points is disconnected: {choices.COMPONENTS}.",
        autocompletion=choices.COMPONENTS.complete,
    ),
]
Seed = Annotated[
    int, Option("--seed", metavar="N", help="The same seed gives the same result."), Sets("random_state")
]
Axes = Annotated[str, Option("--axes", metavar="I,J", help="Which dimensions to draw, the first being 1.")]
Picture = Annotated[
    str,
    Option("--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf; - is png on standard output."),
]
