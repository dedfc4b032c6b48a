"""``lpgraph plot``: pictures of graphs, and of points and their embeddings."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option
from typer.core import TyperGroup

import lpgraph as lp
from lpgraph.cli import inputs, options
from lpgraph.cli.inputs import Colouring, Reading, embedding_of, is_model, read_numbers, table_of
from lpgraph.cli.learn import Classifying, check_no_fit
from lpgraph.cli.methods import Fitting, Learning, Manifold
from lpgraph.cli.options import as_axes, as_command
from lpgraph.cli.outputs import check_files, check_picture, progress, say, write_bytes
from lpgraph.cli.vertices import warn_of_unconnected
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign


class _MapByDefault(TyperGroup):
    """Commands of which the first argument may be left out if it is followed by a file: a map is drawn."""

    def resolve_command(self, ctx: Foreign, args: list[str]) -> Foreign:
        """Return the command and its arguments."""
        named = args[0] in self.commands or not (Path(args[0]).suffix or Path(args[0]).is_dir())
        return super().resolve_command(ctx, args if named else ["map", *args])


app = options.Application(cls=_MapByDefault, help="Draw a picture (png, svg, pdf), by default a map.")

#: Points that stability leaves out by default: with five fractions, some hundred fits.
_HELD_OUT = 20

#: Number of classes up to which new vertices are classified for a map, which has so many colours.
_CLASSES = 64

Picture = Annotated[
    str,
    Option("--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf; - is png on standard output."),
]
HeldOut = Annotated[
    str | None,
    Option("--held-out", metavar="FILE", help="Table of other points, whose embedding is measured."),
]


def _prepare(output: str, *paths: str | None) -> None:
    """Refuse missing inputs and a picture that could not be saved, and draw without a screen."""
    from lpgraph._utils.checks import import_extra

    check_files(reads=paths)
    check_picture(output)
    import_extra("matplotlib", "plot").use("Agg")


def _save(picture: Foreign, output: str) -> None:
    """Write axes or a figure in the format of the suffix."""
    buffer = io.BytesIO()
    form = "png" if output == "-" else Path(output).suffix[1:]
    picture.figure.savefig(buffer, format=form, dpi=150)
    write_bytes(output, buffer.getvalue())
    say(f"written to {output}")


@app.command()
@as_command
def scree(
    graph: options.Graph,
    output: Picture = "scree.png",
    cross_validation: bool = False,
    *,
    fitting: Fitting,
    reading: Reading,
) -> None:
    """Draw the eigenvalues and their elbow.

    Parameters
    ----------
    cross_validation
        Draw the cross-validated loss too.

    Example:
      lpgraph plot scree graph.csv --cross-validation -o scree.png
    """
    _prepare(output, graph)
    network = reading.read(graph)
    fitted = fitting.fit(network)
    if not cross_validation:
        _save(lp.plot.scree(fitted), output)
        return
    with progress():
        found = lp.infer.dimension.cross_validate(network)
    _save(lp.plot.scree(fitted, validation=found), output)


@app.command("map")
@as_command
def network_map(
    graph: options.GraphOrModel,
    output: Picture = "map.png",
    new: str | None = None,
    seed: options.Seed = 0,
    *,
    colouring: Colouring,
    fitting: Learning,
    reading: Reading,
) -> None:
    """Draw the map of a graph: all vertices and edges, with groups apart.

    Vertices are coloured by label or cluster; those of a saved classifier or clustering by what it predicts.
    `lpgraph plot graph.csv` is the same command. The embedding is by default that of report and cluster, of each
    component by itself.

    Parameters
    ----------
    new : NEW
        File with edges of new vertices, which are drawn as rings, in the colours of their clusters, or of their
        classes, which a classifier predicts from --labels.

    Example:
      lpgraph plot map graph.csv --labels labels.csv -o map.png
      lpgraph plot graph.csv --clusters auto --new new.csv
      lpgraph plot model.lpg --new new.csv
    """
    _prepare(output, graph, table_of(colouring.labels), new)
    if is_model(graph):
        check_no_fit(graph, fitting, reading, fits=colouring != Colouring())
        fitted = lp.load(graph)
        placed = new and reading.read_new(new, embedding_of(fitted, graph), fitting.covariates)
        _save(lp.plot.map(fitted, None, placed, random_state=seed), output)
        return
    network, known = colouring.read(graph, reading)
    model: Foreign = fitting.embedding()
    if colouring.n_clusters is not None:
        model = lp.VertexClustering(model, colouring.numbers)
    elif new is not None and known is not None and 1 < len(set(known.values())) <= _CLASSES:
        model = Classifying().unfitted(fitting)
    kinds = None if known is None else colouring.kinds(network, known)
    with progress():
        fits = (network, known) if isinstance(model, lp.VertexClassifier) else (network,)
        shown: Foreign = network if model is None else model.fit(*fits)
        vertices: Foreign = None
        if new is not None:
            directed = bool(getattr(shown, "directed_", network.directed))
            vertices = inputs.renamed(reading.graph(new, directed), network.index)
            if fitting.covariates is not None:
                vertices = shown.read_new(vertices, covariates=inputs.read_covariates(fitting.covariates))
        _save(lp.plot.map(shown, kinds, vertices, random_state=seed), output)


@app.command()
@as_command
def embedding(
    graph: options.Graph,
    output: Picture = "embedding.png",
    new: str | None = None,
    new_labels: str | None = None,
    axes: str | None = None,
    scale: options.Scale = "auto",
    pairs: bool = False,
    ellipses: bool = False,
    *,
    colouring: Colouring,
    fitting: Learning,
    reading: Reading,
) -> None:
    """Draw the embedded vertices.

    They are coloured by label or cluster. New vertices are crosses, white unless --new-labels has labels for them.
    The picture says how positions were scaled.
    The embedding is by default that of report and cluster.

    Parameters
    ----------
    new : NEW
        File with edges of new vertices, which are drawn as crosses.
    new_labels : FILE
        Table of labels of the new vertices, such as the output of classify, which colours them, or a vertex
        attribute of NEW.
    axes : I,J
        Which dimensions to draw, the first being 1; by default 1,2, or 2,3 if rows are scaled to unit length.
    scale
        none, unit (rows of unit length), ranks, or auto: unit or ranks if degrees are heavy-tailed.
    pairs
        Draw all pairs of the first five dimensions.
    ellipses
        Draw the 95 % ellipse of each class or cluster.

    Example:
      lpgraph plot embedding graph.csv --labels labels.csv --ellipses -o embedding.png
      lpgraph plot embedding graph.csv --labels labels.csv --new new.csv --new-labels predictions.csv
      lpgraph plot embedding graph.csv -d 4 --clusters 2-8 --pairs -o pairs.png
    """
    _prepare(output, graph, table_of(colouring.labels), new, table_of(new_labels))
    from lpgraph.infer.cluster_choice import clustering_embedding
    from lpgraph.plot._models import placed_new

    if pairs and axes is not None:
        raise ArgumentError("pairs draws all of the first five dimensions; leave out --axes.")
    if new_labels is not None and new is None:
        raise ArgumentError(f"new_labels={new_labels} but there are no new vertices; pass --new NEW.")
    network, known = colouring.read(graph, reading)
    unfitted, fitted_to = fitting.embedding(), network
    if unfitted is None:
        unfitted, fitted_to = clustering_embedding(network)
    with progress():
        fitted = unfitted.fit(fitted_to)
    chosen = None if axes is None else as_axes(axes, fitted.embedding_.shape[1])
    kinds = colouring.kinds(network, known)
    placed = predicted = None
    if new is not None:
        vertices = reading.read_new(new, fitted, fitting.covariates)
        warn_of_unconnected(vertices)
        placed = placed_new(fitted, vertices)
        if new_labels is not None:
            added = None if table_of(new_labels) else reading.graph(new, bool(fitted.directed_))
            predicted = inputs.labels_of_new(new_labels, vertices, added)
    draw = lp.plot.pairs if pairs else partial(lp.plot.positions, dimensions=chosen)
    ellipse = "classes" if ellipses else None
    _save(draw(fitted, kinds, out_of_sample=placed, out_labels=predicted, scale=scale, ellipse=ellipse), output)


@app.command()
@as_command
def adjacency(
    graph: options.Graph,
    output: Picture = "adjacency.png",
    bins: int = 500,
    *,
    colouring: Colouring,
    reading: Reading,
) -> None:
    """Draw the sorted adjacency matrix.

    Its vertices are sorted by label or cluster, and by degree.

    Parameters
    ----------
    bins : N
        Pixels along each side.

    Example:
      lpgraph plot adjacency graph.csv --clusters 2-8 -o adjacency.png
    """
    _prepare(output, graph, table_of(colouring.labels))
    network, known = colouring.read(graph, reading)
    _save(lp.plot.adjacency(network, colouring.kinds(network, known), bins=bins), output)


@app.command()
@as_command
def points(
    table: options.Points,
    output: Picture = "points.png",
    n_neighbors: options.Neighbors = 8,
    axes: str = "1,2",
) -> None:
    """Draw the neighbor graph of points over two of their coordinates.

    Parameters
    ----------
    axes : I,J
        Which columns to draw, the first being 1.

    Example:
      lpgraph plot points points.csv --neighbors 8 -o points.png
    """
    _prepare(output, table)
    X = read_numbers(table)
    chosen = as_axes(axes, X.shape[1])
    _save(lp.plot.point_graph(lp.neighbor_graph(X, n_neighbors=n_neighbors), X, dimensions=chosen), output)


@app.command()
@as_command
def loss(
    table: options.Points,
    output: Picture = "loss.png",
    held_out: HeldOut = None,
    most: Annotated[int | None, Option("--max", metavar="M")] = None,
    *,
    manifold: Manifold,
) -> None:
    """Draw the loss of an embedding of points.

    The loss of Bengio et al. (2004) measures how well the first eigenfunctions reproduce the kernel. It is a mean
    over all pairs of points, or over pairs of held-out points with the others.

    Parameters
    ----------
    most
        Largest number of eigenfunctions; by default --dimension.

    Example:
      lpgraph plot loss points.csv --method isomap --neighbors 8 --max 10 -o loss.png
      lpgraph plot loss points.csv --method mds --held-out others.csv
    """
    X, others = _points(output, table, held_out)
    with progress():
        found = lp.metrics.reconstruction_loss(manifold.embedding().fit(X), others, most)
    _save(lp.plot.loss(found), output)


@app.command()
@as_command
def stability(
    table: options.Points,
    output: Picture = "stability.png",
    fractions: str = "0.01,0.02,0.04,0.08,0.16",
    repeats: int = 1,
    n_held_out: Annotated[int | None, Option("--n-held-out", "--held-out", metavar="N")] = None,
    seed: options.Seed = 0,
    n_jobs: Annotated[int, Option("--n-jobs", "--jobs", "-j", metavar="N")] = 1,
    *,
    manifold: Manifold,
) -> None:
    """Draw how stable an embedding of points is.

    The error of extending to a point is compared with the change of the embedding when some of the training
    points are exchanged (Bengio et al. 2004, Figure 2). Above zero, the extension changes less. A fit for each
    point that is left out, at each share, takes most of the time: more points make the intervals narrower.

    Parameters
    ----------
    fractions : A,B,...
        Shares of the points that are exchanged.
    repeats : N
        Splits for each share.
    n_held_out
        Number of points that are left out in turn, one fit each; by default 20, or as many as remain.
    n_jobs
        Processes; -1 for one on each core.

    Example:
      lpgraph plot stability points.csv --method isomap --neighbors 8 --held-out 20 -o stability.png
    """
    X, _ = _points(output, table, None)
    shares = options.as_numbers("fractions", fractions)
    if n_held_out is None:
        remaining = len(X) - 2 * max(1, round(max(shares) * len(X)))
        n_held_out = max(1, min(_HELD_OUT, remaining))
    with progress():
        found = lp.metrics.stability(
            manifold.embedding().fit(X),
            X,
            shares,
            repeats,
            n_held_out=n_held_out,
            random_state=seed,
            n_jobs=n_jobs,
        )
    _save(lp.plot.stability(found), output)


@app.command()
@as_command
def quality(
    table: options.Points,
    output: Picture = "quality.png",
    held_out: HeldOut = None,
    seed: options.Seed = 0,
    *,
    manifold: Manifold,
) -> None:
    """Draw how an embedding of points keeps their neighbors.

    The curves are trustworthiness and continuity (Venna & Kaski 2001), and the share of neighbors that are kept,
    above chance, by the number of neighbors. Of more than 2000 points, so many are drawn at random and measured.
    If the graph of points is disconnected, its components are joined; --components chooses.

    Example:
      lpgraph plot quality points.csv --method isomap --neighbors 8 -o quality.png
      lpgraph plot quality points.csv --method isomap --held-out others.csv
    """
    X, others = _points(output, table, held_out)
    with progress():
        found = lp.metrics.neighbor_curves(X, manifold.embedding().fit(X), new=others, random_state=seed)
    _save(lp.plot.neighbor_curves(found), output)


@app.command()
@as_command
def shepard(
    table: options.Points,
    output: Picture = "shepard.png",
    held_out: HeldOut = None,
    seed: options.Seed = 0,
    *,
    manifold: Manifold,
) -> None:
    """Draw distances in an embedding against distances of the points.

    The title has their correlations and the stress. Of more than 500000 pairs, so many are drawn at random.

    Example:
      lpgraph plot shepard points.csv --method mds -o shepard.png
    """
    X, others = _points(output, table, held_out)
    with progress():
        found = lp.metrics.shepard(X, manifold.embedding().fit(X), new=others, random_state=seed)
    _save(lp.plot.shepard(found), output)


def _points(
    output: str, table: str, held_out: str | None
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the points of a table and the held-out ones of another, after a check of all files."""
    _prepare(output, table, held_out)
    return read_numbers(table), None if held_out is None else read_numbers(held_out)
