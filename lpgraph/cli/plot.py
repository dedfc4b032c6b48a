"""``lpgraph plot``: pictures of a graph, straight from its file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lpgraph.cli._options import (
    APP,
    Clusters,
    Column,
    Dimension,
    Directed,
    Format,
    Graph,
    Labels,
    Method,
    Regularizer,
    Unweighted,
    Weight,
    with_examples,
)

__all__ = ["app"]

app = typer.Typer(help="Draw a picture: png, svg or pdf.", no_args_is_help=True, **APP)

Picture = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf; - is png on standard output."
    ),
]
Axes = Annotated[str, typer.Option("--axes", metavar="I,J", help="Which dimensions to draw, the first being 1.")]


@app.command()
@with_examples
def scree(
    graph: Graph,
    output: Picture = "scree.png",
    cross_validation: Annotated[
        bool, typer.Option("--cross-validation", help="Draw the cross-validated loss below.")
    ] = False,
    method: Method = "adjacency",
    dimension: Dimension = "elbow",
    regularizer: Regularizer = None,
    form: Format = None,
    directed: Directed = None,
    weight: Weight = "weight",
    unweighted: Unweighted = False,
) -> None:
    """Draw the eigenvalues, the elbow, and the cross-validated loss.

    Example:
      lpgraph plot scree graph.csv --cross-validation -o scree.png
    """
    from lpgraph.cli._progress import bar

    pyplot = _prepare(output)
    network, embedding = _embed(graph, (method, dimension, regularizer), form, directed, weight, unweighted)
    from lpgraph import plot
    from lpgraph.infer.dimension import cross_validate

    if not cross_validation:
        _save(plot.scree(embedding).figure, output)
        return
    with bar("Cross-validating") as progress:
        found = cross_validate(network, progress=progress)
    figure, (top, bottom) = pyplot.subplots(2, 1, figsize=(6, 7), layout="constrained")
    plot.scree(embedding, validation=found, axes=top)
    plot.validation(found, axes=bottom)
    _save(figure, output)


@app.command()
@with_examples
def embedding(
    graph: Graph,
    output: Picture = "embedding.png",
    labels: Labels = None,
    column: Column = None,
    clusters: Clusters = None,
    arrivals: Annotated[
        str | None,
        typer.Option("--arrivals", metavar="FILE", help="Edges of vertices that arrive later; drawn as crosses."),
    ] = None,
    axes: Axes = "1,2",
    pairs: Annotated[bool, typer.Option("--pairs", help="Draw all pairs of the first five dimensions.")] = False,
    ellipses: Annotated[
        bool, typer.Option("--ellipses", help="Draw the 95 % ellipse of each class or cluster.")
    ] = False,
    method: Method = "adjacency",
    dimension: Dimension = "2",
    regularizer: Regularizer = None,
    form: Format = None,
    directed: Directed = None,
    weight: Weight = "weight",
    unweighted: Unweighted = False,
) -> None:
    """Draw the embedded vertices, coloured by label or cluster, and vertices that arrive later.

    Example:
      lpgraph plot embedding graph.csv --labels labels.csv --ellipses -o embedding.png
      lpgraph plot embedding graph.csv -d 4 --clusters 2-8 --pairs -o pairs.png
    """
    from lpgraph.cli._inputs import as_integers, read_arrivals
    from lpgraph.errors import ArgumentError

    _prepare(output)
    chosen = tuple(axis - 1 for axis in as_integers("--axes", axes))
    if len(chosen) != 2 or min(chosen) < 0:
        raise ArgumentError(f"--axes={axes}; pass two dimensions, the first being 1, such as 1,2.")
    if pairs and (arrivals is not None or axes != "1,2"):
        raise ArgumentError("--pairs draws no arrivals and all dimensions; leave out --arrivals and --axes.")
    network, fitted = _embed(graph, (method, dimension, regularizer), form, directed, weight, unweighted)
    positions = fitted.embedding_
    if positions.shape[1] < 2:
        raise ArgumentError(
            f"--dimension={dimension} gives 1 dimension; pass --dimension 2 or more for a picture."
        )
    if max(chosen) >= positions.shape[1]:
        raise ArgumentError(
            f"--axes={axes} but there are {positions.shape[1]} dimensions; pass -d {max(chosen) + 1}."
        )
    kinds, ellipse = _kinds(network, positions, labels, column, clusters)
    ellipse = (ellipse or "classes") if ellipses else None
    from lpgraph import plot

    if pairs:
        _save(plot.pairs(positions, kinds, ellipse=ellipse), output)
        return
    new = None
    if arrivals is not None:
        new = fitted.transform(read_arrivals(arrivals, fitted, weight=weight, unweighted=unweighted))
    drawn = plot.positions(positions, kinds, out_of_sample=new, dimensions=(chosen[0], chosen[1]), ellipse=ellipse)
    _save(drawn.figure, output)


@app.command()
@with_examples
def adjacency(
    graph: Graph,
    output: Picture = "adjacency.png",
    labels: Labels = None,
    column: Column = None,
    clusters: Clusters = None,
    bins: Annotated[int, typer.Option("--bins", metavar="N", help="Pixels along each side.")] = 500,
    dimension: Dimension = "elbow",
    form: Format = None,
    directed: Directed = None,
    weight: Weight = "weight",
    unweighted: Unweighted = False,
) -> None:
    """Draw the adjacency matrix, its vertices sorted by label or cluster, and by degree.

    Example:
      lpgraph plot adjacency graph.csv --clusters 2-8 -o adjacency.png
    """
    from lpgraph.cli._inputs import read_graph

    _prepare(output)
    if clusters is not None:
        network, fitted = _embed(graph, ("adjacency", dimension, None), form, directed, weight, unweighted)
        kinds, _ = _kinds(network, fitted.embedding_, labels, column, clusters)
    else:
        network = read_graph(graph, format=form, directed=directed, weight=weight, unweighted=unweighted)
        kinds, _ = _kinds(network, None, labels, column, None)
    from lpgraph import plot

    _save(plot.adjacency(network, kinds, bins=bins).figure, output)


@app.command()
@with_examples
def points(
    table: Annotated[str, typer.Argument(metavar="POINTS", help="Table of numbers, one point a row.")],
    output: Picture = "points.png",
    neighbors: Annotated[
        int, typer.Option("--neighbors", "-k", metavar="K", help="Nearest neighbours joined.")
    ] = 8,
    axes: Axes = "1,2",
) -> None:
    """Draw the neighbour graph of points over two of their coordinates.

    Example:
      lpgraph plot points points.csv --neighbors 8 -o points.png
    """
    import lpgraph as lp
    from lpgraph.cli._inputs import as_integers, read_numbers
    from lpgraph.errors import ArgumentError

    _prepare(output)
    X = read_numbers(table)
    chosen = tuple(axis - 1 for axis in as_integers("--axes", axes))
    if len(chosen) != 2 or min(chosen) < 0 or max(chosen) >= X.shape[1]:
        raise ArgumentError(f"--axes={axes}; pass two of the {X.shape[1]} columns of {table}, such as 1,2.")
    drawn = lp.plot.point_graph(lp.neighbor_graph(X, n_neighbors=neighbors), X, dimensions=(chosen[0], chosen[1]))
    _save(drawn.figure, output)


def _prepare(output: str) -> Any:
    """Refuse a picture that could not be saved, and return pyplot, drawing without a screen."""
    from pathlib import Path

    from lpgraph._checks import import_extra
    from lpgraph.cli._outputs import check_outputs
    from lpgraph.errors import ArgumentError

    if output != "-" and Path(output).suffix not in (".png", ".svg", ".pdf"):
        raise ArgumentError(f"--output={output} is no picture; name a file that ends in .png, .svg or .pdf.")
    check_outputs(other=[output])
    import_extra("matplotlib", "plot").use("Agg")
    return import_extra("matplotlib.pyplot", "plot")


def _save(figure: Any, output: str) -> None:
    import io
    from pathlib import Path

    from lpgraph.cli._outputs import write_bytes
    from lpgraph.cli._progress import say

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png" if output == "-" else Path(output).suffix[1:], dpi=150)
    write_bytes(output, buffer.getvalue())
    say(f"written to {output}")


def _embed(
    graph: str,
    embedding: tuple[str, str, str | None],
    form: str | None,
    directed: bool | None,
    weight: str,
    unweighted: bool,
) -> tuple[Any, Any]:
    from lpgraph.cli._fit import make_embedding
    from lpgraph.cli._inputs import read_graph
    from lpgraph.cli._progress import fitting

    network = read_graph(graph, format=form, directed=directed, weight=weight, unweighted=unweighted)
    fitted = make_embedding(network, *embedding)
    with fitting(f"Embedding {network.n_vertices} vertices"):
        fitted.fit(network)
    return network, fitted


def _kinds(
    network: Any, positions: Any, labels: str | None, column: str | None, clusters: str | None
) -> tuple[Any, Any]:
    """Return what colours the vertices, and the mixture if they are clustered."""
    from lpgraph.cli._inputs import as_range, read_labels
    from lpgraph.errors import ArgumentError

    if labels is not None and clusters is not None:
        raise ArgumentError("--labels and --clusters both say how to colour the vertices; pass one of them.")
    if labels is not None:
        known = read_labels(labels, network, column)
        missing = "unlabelled" if any(isinstance(label, str) for label in known.values()) else -1
        return [known.get(name, missing) for name in network.names], None
    if column is not None:
        raise ArgumentError(f"--column={column} is a column of --labels; pass that too.")
    if clusters is None:
        return None, None
    from lpgraph.infer.mixture import choose_mixture

    mixture = choose_mixture(positions, as_range("--clusters", clusters))
    return mixture.predict(positions), mixture
