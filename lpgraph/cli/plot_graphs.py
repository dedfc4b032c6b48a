"""Pictures of graphs: their scree, their embedded vertices, their matrix."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lpgraph.cli._groups import Colouring, Fitting, Flat, Reading
from lpgraph.cli._options import Column, Dimension, Graph, GraphOrModel, Labels
from lpgraph.cli._pictures import Axes, Picture, as_axes, prepare, save_picture

__all__ = ["adjacency", "embedding", "scree", "truth"]


def scree(
    graph: Graph,
    output: Picture = "scree.png",
    cross_validation: Annotated[
        bool, typer.Option("--cross-validation", help="Draw the cross-validated loss below.")
    ] = False,
    *,
    fitting: Fitting,
    reading: Reading,
) -> None:
    """Draw the eigenvalues and their elbow.

    Example:
      lpgraph plot scree graph.csv --cross-validation -o scree.png
    """
    from lpgraph.cli._progress import bar

    pyplot = prepare(output)
    network, fitted = _embed(graph, fitting, reading)
    from lpgraph import plot
    from lpgraph.infer.dimension import cross_validate

    if not cross_validation:
        save_picture(plot.scree(fitted).figure, output)
        return
    with bar("Cross-validating") as progress:
        found = cross_validate(network, progress=progress)
    figure, (top, bottom) = pyplot.subplots(2, 1, figsize=(6, 7), layout="constrained")
    plot.scree(fitted, validation=found, axes=top)
    plot.validation(found, axes=bottom)
    save_picture(figure, output)


def embedding(
    graph: Graph,
    output: Picture = "embedding.png",
    arrivals: Annotated[
        str | None,
        typer.Option("--arrivals", metavar="FILE", help="Edges of vertices that arrive later; drawn as crosses."),
    ] = None,
    axes: Axes = "1,2",
    pairs: Annotated[bool, typer.Option("--pairs", help="Draw all pairs of the first five dimensions.")] = False,
    ellipses: Annotated[
        bool, typer.Option("--ellipses", help="Draw the 95 % ellipse of each class or cluster.")
    ] = False,
    *,
    colouring: Colouring,
    fitting: Flat,
    reading: Reading,
) -> None:
    """Draw the embedded vertices.

    They are coloured by label or cluster. Vertices that arrive later are crosses.

    Example:
      lpgraph plot embedding graph.csv --labels labels.csv --ellipses -o embedding.png
      lpgraph plot embedding graph.csv -d 4 --clusters 2-8 --pairs -o pairs.png
    """
    from lpgraph.cli._inputs import read_arrivals
    from lpgraph.errors import ArgumentError

    prepare(output)
    chosen = as_axes(axes)
    if pairs and (arrivals is not None or axes != "1,2"):
        raise ArgumentError("--pairs draws no arrivals and all dimensions; leave out --arrivals and --axes.")
    network, fitted = _embed(graph, fitting, reading)
    positions = fitted.embedding_
    if positions.shape[1] < 2:
        raise ArgumentError(
            f"--dimension={fitting.dimension} gives 1 dimension; pass --dimension 2 or more for a picture."
        )
    if max(chosen) >= positions.shape[1]:
        raise ArgumentError(
            f"--axes={axes} but there are {positions.shape[1]} dimensions; pass -d {max(chosen) + 1}."
        )
    kinds, mixture = colouring.kinds(network, positions)
    ellipse = (mixture or "classes") if ellipses else None
    from lpgraph import plot

    if pairs:
        save_picture(plot.pairs(positions, kinds, ellipse=ellipse), output)
        return
    new = None if arrivals is None else fitted.transform(read_arrivals(arrivals, fitted, **reading.options))
    drawn = plot.positions(positions, kinds, out_of_sample=new, dimensions=chosen, ellipse=ellipse)
    save_picture(drawn.figure, output)


def adjacency(
    graph: Graph,
    output: Picture = "adjacency.png",
    bins: Annotated[int, typer.Option("--bins", metavar="N", help="Pixels along each side.")] = 500,
    dimension: Dimension = "elbow",
    *,
    colouring: Colouring,
    reading: Reading,
) -> None:
    """Draw the sorted adjacency matrix.

    Its vertices are sorted by label or cluster, and by degree.

    Example:
      lpgraph plot adjacency graph.csv --clusters 2-8 -o adjacency.png
    """
    prepare(output)
    if colouring.clusters is not None:
        network, fitted = _embed(graph, Fitting(dimension=dimension), reading)
        kinds, _ = colouring.kinds(network, fitted.embedding_)
    else:
        network = reading.read(graph)
        kinds, _ = colouring.kinds(network, None)
    from lpgraph import plot

    save_picture(plot.adjacency(network, kinds, bins=bins).figure, output)


def truth(
    graph: GraphOrModel,
    positions: Annotated[
        str,
        typer.Argument(
            metavar="TRUTH",
            help="Table of the true positions: a row for each vertex, named in the first column or in order.",
        ),
    ],
    output: Picture = "truth.png",
    sparsity: Annotated[
        float, typer.Option("--sparsity", metavar="RHO", help="As in sample: estimates are divided by its root.")
    ] = 1.0,
    axes: Axes = "1,2",
    labels: Labels = None,
    column: Column = None,
    *,
    reading: Reading,
) -> None:
    """Draw estimated over true positions.

    The estimates are turned onto the true ones. A graph is embedded in as many dimensions as TRUTH has; a saved
    model has them already. A graph with a truth: lpgraph sample rdpg positions.csv -o graph.csv.

    Example:
      lpgraph plot truth graph.csv positions.csv -o truth.png
      lpgraph plot truth model.lpg positions.csv --labels labels.csv
    """
    from math import sqrt

    from lpgraph.cli._inputs import embedding_of, is_model, load_model
    from lpgraph.cli._tables import read_positions
    from lpgraph.errors import ArgumentError

    prepare(output)
    chosen = as_axes(axes)
    if not 0 < sparsity <= 1:
        raise ArgumentError(f"--sparsity={sparsity}; pass a number in (0, 1], as in sample.")
    network: Any
    if is_model(graph):
        fitted = embedding_of(load_model(graph), graph)
        network, real = fitted.graph_, read_positions(positions, fitted.vertex_names_)
    else:
        network = reading.read(graph)
        real = read_positions(positions, network.names)
    width = real.shape[1]
    if max(chosen) >= width:
        raise ArgumentError(f"--axes={axes} but {positions} has {width} columns of numbers; pass two of these.")
    if not is_model(graph):
        fitted = _fit(network, Fitting(dimension=str(width)))
    if fitted.embedding_.shape[1] != width:
        raise ArgumentError(
            f"{graph} has {fitted.embedding_.shape[1]} dimensions and {positions} {width}; fit a model with "
            f"--dimension {width}, or pass the graph."
        )
    kinds, _ = Colouring(labels, column).kinds(network, None)
    from lpgraph import plot

    estimate = fitted.embedding_ / sqrt(sparsity)
    save_picture(plot.truth(estimate, real, kinds, dimensions=chosen).figure, output)


def _embed(graph: str, fitting: Fitting, reading: Reading) -> tuple[Any, Any]:
    network = reading.read(graph)
    return network, _fit(network, fitting)


def _fit(network: Any, fitting: Fitting) -> Any:
    from lpgraph.cli._progress import computing

    fitted = fitting.embedding(network)
    with computing(f"Embedding {network.n_vertices} vertices"):
        fitted.fit(network)
    return fitted
