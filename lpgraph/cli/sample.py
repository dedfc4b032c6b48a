"""``lpgraph sample``: graphs from latent position models, also fitted ones, and new vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph.cli import _choices as choices
from lpgraph.cli._command import as_command
from lpgraph.cli._errors import CommandError
from lpgraph.cli._options import Application, Graph, Seed
from lpgraph.cli._outputs import write_network
from lpgraph.cli._progress import computing, say
from lpgraph.cli._reading import Reading
from lpgraph.cli._sampled import between_blocks, check_sample, check_size, write_new, write_sample
from lpgraph.cli._tables import read_numbers
from lpgraph.cli._values import as_dimension, as_integers, as_matrix, as_numbers, as_range
from lpgraph.cli._words import Sets

if TYPE_CHECKING:
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.infer.fit.model_fit import ModelFit

__all__ = ["app"]

app = Application(help="Draw a graph from a latent position model.")

GraphOutput = Annotated[
    str,
    Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File for the graph, in the format of its suffix; - is standard output, as csv.",
    ),
]
AsArcs = Annotated[
    bool,
    Option("--directed", help="Draw arcs; the two of a pair are independent, so that few are reciprocated."),
]
Sparsity = Annotated[float, Option("--sparsity", metavar="RHO", help="Factor of all probabilities, in (0, 1].")]
LabelsOutput = Annotated[
    str | None, Option("--labels", metavar="FILE", help="File for a table of the blocks of the vertices.")
]
PositionsOutput = Annotated[
    str | None, Option("--positions", metavar="FILE", help="File for a table of the latent positions.")
]
NewVertices = Annotated[
    int,
    Option("--new", metavar="M", help="Draw M new vertices in addition; they are called new0, new1, ..."),
]
NewOutput = Annotated[
    str | None, Option("--new-output", metavar="FILE", help="File for the edges of the new vertices.")
]
NewLabels = Annotated[
    str | None,
    Option("--new-labels", metavar="FILE", help="File for a table of the blocks of the new vertices."),
]
Sizes = Annotated[str, Option("--sizes", metavar="N1,N2,...", help="Vertices of each block.")]
Blocks = Annotated[
    str,
    Option(
        "--probabilities",
        metavar="ROWS",
        help="Edge probabilities of pairs of blocks, row by row: 0.5,0.1;0.1,0.5.",
    ),
    Sets("B", "kernel"),
]
Positions = Annotated[str, Argument(metavar="POSITIONS", help="Table of numbers, one position a row."), Sets("X")]


@app.command("erdos-renyi")
@as_command
def erdos_renyi(
    n: Annotated[int, Argument(metavar="N", help="Number of vertices.")],
    p: Annotated[float, Argument(metavar="P", help="Probability of an edge.")],
    output: GraphOutput = "-",
    directed: AsArcs = False,
    seed: Seed = 0,
) -> None:
    """Join every pair with the same probability.

    Example:
      lpgraph sample erdos-renyi 1000 0.01 -o graph.csv
    """
    check_sample(output)
    check_size(n * (n - 1) * p / (1 if directed else 2))
    write_sample(lp.erdos_renyi(n, p, directed=directed, random_state=seed), output)


@app.command()
@as_command
def like(
    graph: Graph,
    output: GraphOutput = "-",
    model: Annotated[
        str,
        Option(
            "--model",
            metavar="NAME",
            help=f"{choices.FITTED_MODELS}; dcsbm is the degree-corrected block model.",
            autocompletion=choices.FITTED_MODELS.complete,
        ),
    ] = "dcsbm",
    blocks: Annotated[
        str | None,
        Option(
            "--blocks",
            "-k",
            metavar="K",
            help="For dcsbm and sbm: a number, or a range such as 2-8 to choose from.",
        ),
        Sets("n_blocks"),
    ] = None,
    dimension: Annotated[
        str | None,
        Option("--dimension", "-d", metavar="D", help=f"For rdpg: a number, {choices.DIMENSIONS}."),
        Sets("n_components"),
    ] = None,
    seed: Seed = 0,
    *,
    reading: Reading,
) -> None:
    """Draw a graph like a given one: a model is fitted to it, and a graph is drawn from the model.

    It has the vertices of GRAPH, by name. Edges have no weights.

    Example:
      lpgraph sample like graph.csv -o drawn.csv
      lpgraph sample like graph.csv --model rdpg -d 8 --seed 1 -o drawn.csv
    """
    choices.FITTED_MODELS.check("--model", model)
    if blocks is not None and model not in ("dcsbm", "sbm"):
        raise CommandError(f"--blocks={blocks} is for --model=dcsbm and --model=sbm; leave it out for {model}.")
    if dimension is not None and model != "rdpg":
        raise CommandError(f"--dimension={dimension} is for --model=rdpg; leave it out for {model}.")
    check_sample(output, inputs=[graph])
    network = reading.read(graph)
    with computing(f"Fitting a model to {network.n_vertices} vertices"):
        fitted = _fitted(model, network, as_range("--blocks", blocks), dimension)
    drawn = fitted.sample(random_state=seed)
    write_network(drawn, output)
    say(f"{drawn.n_vertices} vertices, {drawn.n_edges} edges")


def _fitted(model: str, graph: Adjacency, blocks: int | range | None, dimension: str | None) -> ModelFit:
    """Return the model that is fitted to a graph."""
    if model == "erdos-renyi":
        return lp.fit_erdos_renyi(graph)
    if model == "rdpg":
        return lp.fit_random_dot_product_graph(graph, None if dimension is None else as_dimension(dimension))
    fit = lp.fit_block_model if model == "sbm" else lp.fit_degree_corrected_block_model
    return fit(graph, n_blocks=blocks)


@app.command()
@as_command
def sbm(
    sizes: Sizes,
    probabilities: Blocks,
    output: GraphOutput = "-",
    labels: LabelsOutput = None,
    sparsity: Sparsity = 1.0,
    directed: AsArcs = False,
    seed: Seed = 0,
    new: NewVertices = 0,
    new_output: NewOutput = None,
    new_labels: NewLabels = None,
) -> None:
    """Draw a stochastic block model.

    Example:
      lpgraph sample sbm --sizes 60,40 --probabilities '0.5,0.1;0.1,0.5' -o graph.csv --labels labels.csv
    """
    check_sample(output, labels, new_labels, new=(new, new_output, new_labels))
    blocks = as_integers("--sizes", sizes), as_matrix("--probabilities", probabilities)
    check_size(between_blocks(*blocks) * sparsity / (1 if directed else 2))
    graph = lp.stochastic_block_model(*blocks, sparsity=sparsity, directed=directed, random_state=seed)
    write_sample(graph, output, labels=labels)
    write_new(graph, new, new_output, new_labels, seed)


@app.command("mixed-membership")
@as_command
def mixed_membership(
    n: Annotated[int, Argument(metavar="N", help="Number of vertices.")],
    alpha: Annotated[
        str, Option("--alpha", metavar="A1,A2,...", help="Parameters of the Dirichlet distribution.")
    ],
    probabilities: Blocks,
    output: GraphOutput = "-",
    labels: LabelsOutput = None,
    positions: PositionsOutput = None,
    sparsity: Sparsity = 1.0,
    directed: AsArcs = False,
    seed: Seed = 0,
) -> None:
    """Draw a mixed membership block model.

    Labels are the largest memberships.

    Example:
      lpgraph sample mixed-membership 500 --alpha 0.3,0.3 --probabilities '0.5,0.1;0.1,0.5' -o graph.csv
    """
    check_sample(output, labels, positions)
    weights = as_numbers("--alpha", alpha, "0.3,0.3")
    matrix = as_matrix("--probabilities", probabilities)
    shares = [n * weight / (sum(weights) or 1) for weight in weights]
    check_size(between_blocks(shares, matrix) * sparsity / (1 if directed else 2))
    graph = lp.mixed_membership_block_model(
        n, weights, matrix, sparsity=sparsity, directed=directed, random_state=seed
    )
    write_sample(graph, output, labels=labels, positions=positions)


@app.command()
@as_command
def rdpg(
    positions: Positions,
    output: GraphOutput = "-",
    signature: Annotated[
        str | None,
        Option("--signature", metavar="P,Q", help="Number of columns with positive sign, and with negative sign."),
    ] = None,
    sparsity: Sparsity = 1.0,
    directed: AsArcs = False,
    seed: Seed = 0,
) -> None:
    """Draw a random dot product graph.

    With --signature it is a generalised one.

    Example:
      lpgraph sample rdpg positions.csv -o graph.csv
    """
    check_sample(output, inputs=[positions])
    points = read_numbers(positions)
    if signature is None:
        graph = lp.random_dot_product_graph(points, sparsity=sparsity, directed=directed, random_state=seed)
        write_sample(graph, output)
        return
    signs = as_integers("--signature", signature)
    if len(signs) != 2 or sum(signs) != points.shape[1]:
        raise CommandError(
            f"--signature={signature}; pass two numbers whose sum is {points.shape[1]}, the columns."
        )
    graph = lp.generalized_random_dot_product_graph(
        points, (signs[0], signs[1]), sparsity=sparsity, directed=directed, random_state=seed
    )
    write_sample(graph, output)


@app.command()
@as_command
def gaussian(
    positions: Positions,
    sigma: Annotated[float, Option("--sigma", metavar="S", help="Width of the kernel exp(-|x - y|^2 / S^2).")],
    output: GraphOutput = "-",
    sparsity: Sparsity = 1.0,
    directed: AsArcs = False,
    seed: Seed = 0,
) -> None:
    """Draw a graph with a Gaussian kernel: near points are joined with higher probability.

    Example:
      lpgraph sample gaussian points.csv --sigma 0.5 -o graph.csv
    """
    check_sample(output, inputs=[positions])
    points = read_numbers(positions)
    model = lp.LatentPositionModel(lp.kernels.Gaussian(sigma), points, sparsity=sparsity, directed=directed)
    write_sample(model.sample(random_state=seed), output)
