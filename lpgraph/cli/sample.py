"""``lpgraph sample``: graphs from latent position models, also fitted ones, and new vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli import options
from lpgraph.cli.inputs import Reading, read_numbers
from lpgraph.cli.options import as_command, as_numbers
from lpgraph.cli.outputs import check_files, progress, say, write_network, write_table
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.infer.fit.model_fit import ModelFit
    from lpgraph.models.latent_position import LatentPositionGraph, NewVertices

app = options.Application(help="Draw a graph from a latent position model.")


@dataclass(frozen=True)
class Drawing:
    """How a graph is drawn, and where it goes.

    Attributes
    ----------
    output
        File for the graph, in the format of its suffix; - is standard output, as csv.
    sparsity : RHO
        Factor of all probabilities, in (0, 1].
    directed
        Draw arcs; the two of a pair are independent, so that few are reciprocated.
    """

    output: options.Output = "-"
    sparsity: float = 1.0
    directed: bool = False
    seed: options.Seed = 0

    def draw(self, model: Callable[..., LatentPositionGraph], *parameters: object) -> LatentPositionGraph:
        """Draw a graph and write it."""
        sampled = model(*parameters, sparsity=self.sparsity, directed=self.directed, random_state=self.seed)
        _write(sampled, self.output)
        return sampled


def _write(graph: LatentPositionGraph | Adjacency, output: str) -> None:
    write_network(graph, output)
    say(f"{graph.n_vertices} vertices, {graph.n_edges} edges")


def _named_edges(graph: LatentPositionGraph, new: NewVertices) -> Adjacency:
    """Return the edges of new vertices, to known ones and among themselves; they are called new0, new1, ..."""
    from scipy import sparse

    names, known = [f"new{i}" for i in range(new.adjacency.shape[0])], list(map(str, range(graph.n_vertices)))
    among = new.among if graph.directed else sparse.triu(new.among)
    parts = [(new.adjacency, names, known), (among, names, names)]
    if new.adjacency_in is not None:
        parts.append((new.adjacency_in.T, known, names))
    source, target = [], []
    for matrix, rows, columns in parts:
        i, j = matrix.tocoo().coords
        source += [rows[place] for place in i]
        target += [columns[place] for place in j]
    vertices = list(dict.fromkeys([*names, *source, *target]))  # also new ones without an edge
    return lp.from_edges(source, target, directed=graph.directed, vertices=vertices)


@app.command("erdos-renyi")
@as_command
def erdos_renyi(
    n: options.Vertices,
    p: Annotated[float, Argument(metavar="P", help="Probability of an edge.")],
    output: options.Output = "-",
    directed: bool = False,
    seed: options.Seed = 0,
) -> None:
    """Join every pair with the same probability.

    Parameters
    ----------
    output
        File for the graph, in the format of its suffix; - is standard output, as csv.
    directed
        Draw arcs; the two of a pair are independent, so that few are reciprocated.

    Example:
      lpgraph sample erdos-renyi 1000 0.01 -o graph.csv
    """
    check_files(writes=[output])
    _write(lp.erdos_renyi(n, p, directed=directed, random_state=seed), output)


@app.command()
@as_command
def like(
    graph: options.Graph,
    output: options.Output = "-",
    model: Literal["dcsbm", "sbm", "rdpg", "erdos-renyi"] = "dcsbm",
    n_blocks: Annotated[str | None, Option("--n-blocks", "--blocks", "-k", metavar="K")] = None,
    n_components: options.Dimension = None,
    seed: options.Seed = 0,
    *,
    reading: Reading,
) -> None:
    """Draw a graph like a given one: a model is fitted to it, and a graph is drawn from the model.

    It has the vertices of GRAPH, by name. Edges have no weights.

    Parameters
    ----------
    output
        File for the graph, in the format of its suffix; - is standard output, as csv.
    model
        dcsbm is the degree-corrected block model.
    n_blocks
        For dcsbm and sbm: a number, or a range such as 2-8 to choose from.
    n_components
        For rdpg: a number, or a rule as for embed.

    Example:
      lpgraph sample like graph.csv -o drawn.csv
      lpgraph sample like graph.csv --model rdpg -d 8 --seed 1 -o drawn.csv
    """
    if n_blocks is not None and model not in ("dcsbm", "sbm"):
        raise ArgumentError(f"n_blocks={n_blocks} is for dcsbm and sbm; leave it out for {model}.")
    if n_components is not None and model != "rdpg":
        raise ArgumentError(f"n_components={n_components} is for rdpg; leave it out for {model}.")
    check_files(reads=[graph], writes=[output])
    network = reading.read(graph)
    fitted: ModelFit
    with progress():
        if model == "erdos-renyi":
            fitted = lp.fit_erdos_renyi(network)
        elif model == "rdpg":
            fitted = lp.fit_random_dot_product_graph(network, options.as_number(n_components))
        else:
            fit = lp.fit_block_model if model == "sbm" else lp.fit_degree_corrected_block_model
            fitted = fit(network, n_blocks=options.as_range("n_blocks", n_blocks))
    _write(fitted.sample(random_state=seed), output)


@app.command()
@as_command
def sbm(
    sizes: str,
    probabilities: str,
    *,
    drawing: Drawing,
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
    graph = drawing.draw(lp.stochastic_block_model, as_numbers("sizes", sizes), matrix)
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
def rdpg(
    positions: options.Points,
    *,
    signature: str | None = None,
    drawing: Drawing,
) -> None:
    """Draw a random dot product graph.

    With --signature it is a generalised one.

    Parameters
    ----------
    signature : P,Q
        Number of columns with positive sign, and with negative sign.

    Example:
      lpgraph sample rdpg positions.csv -o graph.csv
    """
    check_files(reads=[positions], writes=[drawing.output])
    X = read_numbers(positions)
    if signature is None:
        drawing.draw(lp.random_dot_product_graph, X)
        return
    signs = as_numbers("signature", signature)
    if len(signs) != 2:
        raise ArgumentError(f"signature={signature}; pass two numbers, such as 2,1.")
    drawing.draw(lp.generalized_random_dot_product_graph, X, signs)
