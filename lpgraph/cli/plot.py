"""``lpgraph plot``: pictures of graphs and their embeddings."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option
from typer.core import TyperGroup

import lpgraph as lp
from lpgraph.errors import ArgumentError

from . import inputs, options
from .inputs import Colouring, Reading, is_model, table_of
from .learn import loaded
from .methods import Fitting, Learning
from .options import as_command, as_numbers
from .outputs import check_picture, progress, write_bytes
from .vertices import unconnected

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign


class _MapByDefault(TyperGroup):
    """Commands, of which `map` is the default."""

    def resolve_command(self, ctx: Foreign, args: list[str]) -> Foreign:
        """Return the command and its arguments."""
        return super().resolve_command(ctx, args if args[0] in self.commands else ["map", *args])


app = options.Application(cls=_MapByDefault, help="Draw a picture (png, svg, pdf), by default a map.")

Picture = Annotated[
    str,
    Option("--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf; - is png on standard output."),
]


def _prepare(output: str, *paths: str | None) -> None:
    """Refuse missing inputs and a picture that could not be saved, and draw without a screen."""
    from lpgraph._utils.checks import import_extra

    check_picture(output, *paths)
    import_extra("matplotlib", "plot").use("Agg")


def _save(picture: Foreign, output: str) -> None:
    """Write axes or a figure in the format of the suffix."""
    buffer = io.BytesIO()
    form = "png" if output == "-" else Path(output).suffix[1:]
    picture.figure.savefig(buffer, format=form, dpi=150)
    write_bytes(output, buffer.getvalue())


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
    with progress():
        found = lp.infer.dimension.cross_validate(network) if cross_validation else None
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
    The embedding is by default that of report and cluster, of each component by itself.

    Parameters
    ----------
    new : NEW
        File with edges of new vertices, which are drawn as rings. They are filled with the colour of the cluster,
        or of the class that a saved classifier predicts; with labels they are white.

    Example:
      lpgraph plot map graph.csv --labels labels.csv -o map.png
      lpgraph plot map graph.csv --clusters auto --new new.csv
      lpgraph plot map model.lpg --new new.csv
    """
    _prepare(output, graph, table_of(colouring.labels), new)
    if is_model(graph):
        fitted, placed = loaded(graph, new, fitting, reading, fits=colouring != Colouring())
        _save(lp.plot.map(fitted, None, placed, random_state=seed), output)
        return
    network, known = colouring.read(graph, reading)
    model: Foreign = fitting.embedding()
    if colouring.n_clusters is not None:
        model = lp.VertexClustering(model, colouring.numbers)
    with progress():
        shown: Foreign = network if model is None else model.fit(network)
        vertices: Foreign = None
        if new is not None:
            directed = getattr(shown, "directed_", network.directed)
            vertices = inputs.renamed(reading.graph(new, directed), network.index)
            if fitting.covariates is not None:
                vertices = shown.read_new(vertices, covariates=inputs.read_covariates(fitting.covariates))
        _save(lp.plot.map(shown, known, vertices, random_state=seed), output)


@app.command()
@as_command
def embedding(
    graph: options.Graph,
    output: Picture = "embedding.png",
    new: str | None = None,
    new_labels: str | None = None,
    axes: str = "1,2",
    pairs: bool = False,
    ellipses: bool = False,
    *,
    colouring: Colouring,
    fitting: Learning,
    reading: Reading,
) -> None:
    """Draw the embedded vertices.

    They are coloured by label or cluster. New vertices are crosses, white unless --new-labels has labels for them.
    The embedding is by default that of report and cluster.

    Parameters
    ----------
    new : NEW
        File with edges of new vertices, which are drawn as crosses.
    new_labels : FILE
        Table of labels of the new vertices, such as the output of classify, which colours them.
    axes : I,J
        Which dimensions to draw, the first being 1.
    pairs
        Draw all pairs of the first five dimensions.
    ellipses
        Draw the 95 % ellipse of each class or cluster.

    Example:
      lpgraph plot embedding graph.csv --labels labels.csv --ellipses -o embedding.png
      lpgraph plot embedding graph.csv --labels labels.csv --new new.csv --new-labels predictions.csv
      lpgraph plot embedding graph.csv -d 4 --clusters 2-8 --pairs -o pairs.png
    """
    _prepare(output, graph, table_of(colouring.labels), new, new_labels)
    from lpgraph.infer.cluster_choice import clustering_embedding
    from lpgraph.plot._models import placed_new

    if new_labels is not None and new is None:
        raise ArgumentError(f"new_labels={new_labels} but there are no new vertices; pass --new NEW.")
    network, known = colouring.read(graph, reading)
    unfitted, fitted_to = fitting.embedding(), network
    if unfitted is None:
        unfitted, fitted_to = clustering_embedding(network)
    with progress():
        fitted = unfitted.fit(fitted_to)
    chosen: Foreign = tuple(axis - 1 for axis in as_numbers("axes", axes))
    kinds = colouring.kinds(network, known)
    placed = predicted = None
    if new is not None:
        vertices = reading.read_new(new, fitted, fitting.covariates)
        unconnected(vertices)
        placed = placed_new(fitted, vertices)
        if new_labels is not None:
            found = lp.read_labels(inputs.source_of(new_labels), vertices.names, unknown="ignore")
            predicted = [found.get(name) for name in vertices.names]
    draw = lp.plot.pairs if pairs else partial(lp.plot.positions, dimensions=chosen)
    _save(draw(fitted, kinds, out_of_sample=placed, out_labels=predicted, ellipse=ellipses), output)


@app.command()
@as_command
def adjacency(
    graph: options.Graph,
    output: Picture = "adjacency.png",
    *,
    colouring: Colouring,
    reading: Reading,
) -> None:
    """Draw the sorted adjacency matrix.

    Its vertices are sorted by label or cluster, and by degree.

    Example:
      lpgraph plot adjacency graph.csv --clusters 2-8 -o adjacency.png
    """
    _prepare(output, graph, table_of(colouring.labels))
    network, known = colouring.read(graph, reading)
    _save(lp.plot.adjacency(network, colouring.kinds(network, known)), output)
