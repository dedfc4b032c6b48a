"""``lpgraph sample``: graphs from latent position models, and new vertices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from typer import Option

import lpgraph as lp
from lpgraph.errors import ArgumentError

from . import options
from .inputs import read_numbers
from .options import as_command, as_numbers
from .outputs import check_files, write_network, write_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph._utils.checks import Foreign
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.models.latent_position import LatentPositionGraph, NewVertices

app = options.Application(help="Draw a graph from a latent position model.")

Sparsity = Annotated[float, Option(metavar="RHO", help="Factor of all probabilities, in (0, 1].")]


@dataclass(frozen=True)
class Drawing:
    """How a graph is drawn, and where it goes.

    Attributes
    ----------
    output
        File for the graph, in the format of its suffix; - is standard output, as csv.
    directed
        Draw arcs; the two of a pair are independent, so that few are reciprocated.
    """

    output: options.Output = "-"
    directed: bool = False
    seed: options.Seed = 0

    def draw(self, model: Callable[..., LatentPositionGraph]) -> LatentPositionGraph:
        """Draw a graph and write it."""
        sampled = model(directed=self.directed, random_state=self.seed)
        write_network(sampled, self.output)
        return sampled


def _named_edges(graph: LatentPositionGraph, new: NewVertices) -> Adjacency:
    """Return the edges of new vertices, to known ones and among themselves; they are called new0, new1, ..."""
    import numpy as np
    from scipy import sparse

    inward = new.adjacency if new.adjacency_in is None else new.adjacency_in
    blocks: list[list[Foreign]] = [[new.among, new.adjacency], [inward.T, None]]
    names = [*(f"new{i}" for i in range(new.adjacency.shape[0])), *map(str, range(graph.n_vertices))]
    whole = lp.as_adjacency(sparse.block_array(blocks), directed=graph.directed, names=names)
    linked = whole.degrees + whole.in_degrees > 0
    linked[: -graph.n_vertices] = True  # also new ones without an edge
    return whole.take(np.flatnonzero(linked))


@app.command()
@as_command
def sbm(
    sizes: str,
    probabilities: str,
    *,
    drawing: Drawing,
    sparsity: Sparsity = 1.0,
    labels: str | None = None,
    new: int = 0,
    new_output: str | None = None,
    new_labels: str | None = None,
) -> None:
    """Draw a stochastic block model.

    Parameters
    ----------
    sizes : N1,N2,...
        Vertices of each block.
    probabilities : ROWS
        Edge probabilities B of pairs of blocks, row by row: 0.5,0.1;0.1,0.5.
    labels : FILE
        File for a table of the blocks of the vertices.
    new : M
        Draw M new vertices in addition; they are called new0, new1, ...
    new_output : FILE
        File for the edges of the new vertices.
    new_labels : FILE
        File for a table of the blocks of the new vertices.

    Example:
      lpgraph sample sbm --sizes 60,40 --probabilities '0.5,0.1;0.1,0.5' -o graph.csv --labels labels.csv
    """
    if (new > 0) is (new_output is None):
        raise ArgumentError(f"new={new}; pass --new M and --new-output FILE together, with M >= 1.")
    check_files(tables=[labels, new_labels], writes=[drawing.output, new_output])
    matrix = [as_numbers("probabilities", row) for row in probabilities.split(";")]
    model = partial(lp.stochastic_block_model, as_numbers("sizes", sizes), matrix, sparsity=sparsity)
    graph = drawing.draw(model)
    if labels is not None:
        write_table({"name": range(graph.n_vertices), "label": graph.labels}, labels)
    if new_output is not None:
        import numpy as np

        # A second stream of the seed: the stream of the graph would repeat its draws.
        drawn = graph.new_vertices(new, random_state=np.random.default_rng([drawing.seed, 1]))
        write_network(_named_edges(graph, drawn), new_output)
        if new_labels is not None:
            write_table({"name": [f"new{i}" for i in range(new)], "label": drawn.labels}, new_labels)


@app.command()
@as_command
def rdpg(positions: options.Points, sparsity: Sparsity = 1.0, *, drawing: Drawing) -> None:
    """Draw a random dot product graph.

    Example:
      lpgraph sample rdpg positions.csv -o graph.csv
    """
    check_files(reads=[positions], writes=[drawing.output])
    drawing.draw(partial(lp.random_dot_product_graph, read_numbers(positions), sparsity=sparsity))
