"""Pictures of graphs: scree, embedded vertices, adjacency matrix, estimated and true positions."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli import _choices as choices
from lpgraph.cli._errors import CommandError
from lpgraph.cli._groups import Colouring, Fitting, Learning
from lpgraph.cli._inputs import embedding_of, is_model, load_model, warn_of_unconnected
from lpgraph.cli._labels import labels_of_new, table_of_labels
from lpgraph.cli._new_details import NewDetails
from lpgraph.cli._options import Axes, Column, Graph, GraphOrModel, Labels, NewLabels, Picture, Unknown
from lpgraph.cli._pictures import as_axes, prepare, save_picture
from lpgraph.cli._progress import bar
from lpgraph.cli._reading import Reading
from lpgraph.cli._tables import read_positions

__all__ = ["adjacency", "embedding", "scree", "truth"]


def scree(
    graph: Graph,
    output: Picture = "scree.png",
    cross_validation: Annotated[
        bool, Option("--cross-validation", help="Draw the cross-validated loss below.")
    ] = False,
    *,
    fitting: Fitting,
    reading: Reading,
) -> None:
    """Draw the eigenvalues and their elbow.

    Example:
      lpgraph plot scree graph.csv --cross-validation -o scree.png
    """
    pyplot = prepare(output, graph)
    network = reading.read(graph)
    fitted = fitting.fit(network)
    if not cross_validation:
        save_picture(lp.plot.scree(fitted), output)
        return
    with bar("Cross-validating") as progress:
        found = lp.infer.dimension.cross_validate(network, progress=progress)
    figure, (top, bottom) = pyplot.subplots(2, 1, figsize=(6, 7), layout="constrained")
    lp.plot.scree(fitted, validation=found, axes=top)
    lp.plot.validation(found, axes=bottom)
    save_picture(figure, output)


def embedding(
    graph: Graph,
    output: Picture = "embedding.png",
    new: Annotated[
        str | None,
        Option("--new", metavar="NEW", help="File with edges of new vertices, which are drawn as crosses."),
    ] = None,
    new_labels: NewLabels = None,
    axes: Annotated[
        str | None,
        Option(
            "--axes",
            metavar="I,J",
            help="Which dimensions to draw, the first being 1; by default 1,2, or 2,3 if rows are scaled to unit "
            "length, unless others separate the classes or spread the vertices clearly better.",
        ),
    ] = None,
    scale: Annotated[
        str,
        Option(
            "--scale",
            metavar="NAME",
            help="none, unit (rows of unit length), ranks, or auto: unit or ranks if degrees are heavy-tailed.",
            autocompletion=choices.SCALES.complete,
        ),
    ] = "auto",
    pairs: Annotated[bool, Option("--pairs", help="Draw all pairs of the first five dimensions.")] = False,
    ellipses: Annotated[
        bool, Option("--ellipses", help="Draw the 95 % ellipse of each class or cluster.")
    ] = False,
    *,
    colouring: Colouring,
    fitting: Learning,
    reading: Reading,
) -> None:
    """Draw the embedded vertices.

    They are coloured by label or cluster. New vertices are crosses, white unless --new-labels has labels for them.
    The picture says how positions were scaled.
    The embedding is by default that of report and cluster.

    Example:
      lpgraph plot embedding graph.csv --labels labels.csv --ellipses -o embedding.png
      lpgraph plot embedding graph.csv --labels labels.csv --new new.csv --new-labels predictions.csv
      lpgraph plot embedding graph.csv -d 4 --clusters 2-8 --pairs -o pairs.png
    """
    prepare(output, graph, table_of_labels(colouring.labels), new)
    from lpgraph.plot._models import exact_zeros, placed_new
    from lpgraph.plot.scaling import Scaling

    chosen = None if axes is None else as_axes(axes)
    choices.SCALES.check("--scale", scale)  # before the graph is read
    if pairs and axes is not None:
        raise CommandError("--pairs draws all of the first five dimensions; leave out --axes.")
    if new_labels is not None and new is None:
        raise CommandError(f"--new-labels={new_labels} but there are no new vertices; pass --new NEW.")
    network, known = colouring.read(graph, reading)
    fitted = fitting.fit(network)
    positions = exact_zeros(fitted.embedding_, fitted.graph_)
    if positions.shape[1] < 2:
        raise CommandError("The embedding has 1 dimension; pass --dimension 2 or more for a picture.")
    if chosen is not None and max(chosen) >= positions.shape[1]:
        raise CommandError(
            f"--axes={axes} but there are {positions.shape[1]} dimensions; pass -d {max(chosen) + 1}."
        )
    scaling = Scaling.of(scale, positions)
    kinds = colouring.kinds(network, known)
    ellipse = "classes" if ellipses else None
    placed = predicted = None
    if new is not None:
        listed = reading.listed_new(new, bool(fitted.directed_))
        vertices = reading.new_of(listed, fitted, NewDetails(fitting.covariates))
        warn_of_unconnected(vertices)
        placed = placed_new(fitted, vertices)
        if new_labels is not None:
            added = None if listed is None else listed.graph
            predicted = labels_of_new(new_labels, vertices.names, added, new)
    draw = lp.plot.pairs if pairs else partial(lp.plot.positions, dimensions=chosen)
    drawn = draw(positions, kinds, out_of_sample=placed, out_labels=predicted, scale=scaling.kind, ellipse=ellipse)
    save_picture(drawn, output)


def adjacency(
    graph: Graph,
    output: Picture = "adjacency.png",
    bins: Annotated[int, Option("--bins", metavar="N", help="Pixels along each side.")] = 500,
    *,
    colouring: Colouring,
    reading: Reading,
) -> None:
    """Draw the sorted adjacency matrix.

    Its vertices are sorted by label or cluster, and by degree.

    Example:
      lpgraph plot adjacency graph.csv --clusters 2-8 -o adjacency.png
    """
    prepare(output, graph, table_of_labels(colouring.labels))
    network, known = colouring.read(graph, reading)
    kinds = colouring.kinds(network, known)
    save_picture(lp.plot.adjacency(network, kinds, bins=bins), output)


def truth(
    graph: GraphOrModel,
    positions: Annotated[
        str,
        Argument(
            metavar="TRUTH",
            help="Table of the true positions: a row for each vertex, named in the first column or in order.",
        ),
    ],
    output: Picture = "truth.png",
    sparsity: Annotated[
        float, Option("--sparsity", metavar="RHO", help="As in sample: estimates are divided by its root.")
    ] = 1.0,
    axes: Axes = "1,2",
    labels: Labels = None,
    column: Column = None,
    unknown: Unknown = "warn",
    *,
    reading: Reading,
) -> None:
    """Draw estimated over true positions.

    The estimates are rotated onto the true positions. A graph is embedded in as many dimensions as TRUTH has; a
    saved model must have that many. A graph with known positions: lpgraph sample rdpg positions.csv -o graph.csv.

    Example:
      lpgraph plot truth graph.csv positions.csv -o truth.png
      lpgraph plot truth model.lpg positions.csv --labels labels.csv
    """
    prepare(output, graph, positions, table_of_labels(labels))
    chosen = as_axes(axes)
    if not 0 < sparsity <= 1:
        raise CommandError(f"--sparsity={sparsity}; pass a number in (0, 1], as in sample.")
    colouring = Colouring(labels, column, unknown)
    if is_model(graph):
        if reading.chosen:
            raise CommandError(f"{graph} is fitted already; leave out the options of reading a graph.")
        fitted = embedding_of(load_model(graph), graph)
        network, known = fitted.graph_, colouring.known(fitted.graph_, graph)
    else:
        network, known = colouring.read(graph, reading)
    real = read_positions(positions, network.names)
    width = real.shape[1]
    if max(chosen) >= width:
        raise CommandError(f"--axes={axes} but {positions} has {width} columns of numbers; pass two of these.")
    if not is_model(graph):
        fitted = Fitting(dimension=str(width)).fit(network)
    if fitted.embedding_.shape[1] != width:
        raise CommandError(
            f"{graph} has {fitted.embedding_.shape[1]} dimensions and {positions} {width}; fit a model with "
            f"--dimension {width}, or pass the graph."
        )
    kinds = colouring.kinds(network, known)
    estimate = fitted.embedding_ / sqrt(sparsity)
    save_picture(lp.plot.truth(estimate, real, kinds, dimensions=chosen), output)
