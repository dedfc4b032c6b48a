"""``lpgraph sample``: graphs from latent position models, and the vertices that arrive later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpgraph.cli._groups import as_command
from lpgraph.cli._options import APP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph.models.graphs import LatentPositionGraph

__all__ = ["app"]

#: Of more edges than this no file is written: it would have tens of gigabytes.
_MOST = 1e9

app = typer.Typer(
    help="Draw a graph from a latent position model.",
    no_args_is_help=True,
    **APP,
)

GraphOutput = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where the graph goes, in the format of its suffix; - is csv."
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same graph.")]
AsArcs = Annotated[bool, typer.Option("--directed", help="Draw arcs.")]
Sparsity = Annotated[
    float, typer.Option("--sparsity", metavar="RHO", help="Factor of all probabilities, in (0, 1].")
]
LabelsOutput = Annotated[
    str | None, typer.Option("--labels", metavar="FILE", help="Write the vertices' blocks here, a table.")
]
PositionsOutput = Annotated[
    str | None, typer.Option("--positions", metavar="FILE", help="Write the latent positions here, a table.")
]
NewVertices = Annotated[
    int,
    typer.Option(
        "--arrivals", metavar="M", help="Draw M vertices that arrive later; they are called new0, new1, ..."
    ),
]
NewOutput = Annotated[
    str | None, typer.Option("--arrivals-output", metavar="FILE", help="Where their edges go, a graph file.")
]
NewLabels = Annotated[
    str | None, typer.Option("--arrivals-labels", metavar="FILE", help="Where their blocks go, a table.")
]
Sizes = Annotated[str, typer.Option("--sizes", metavar="N1,N2,...", help="Vertices of each block.")]
Blocks = Annotated[
    str,
    typer.Option("--probabilities", metavar="ROWS", help="Of edges between blocks, row by row: 0.5,0.1;0.1,0.5."),
]
Positions = Annotated[str, typer.Argument(metavar="POSITIONS", help="Table of numbers, one position a row.")]


@app.command("erdos-renyi")
@as_command
def erdos_renyi(
    n: Annotated[int, typer.Argument(metavar="N", help="Number of vertices.")],
    p: Annotated[float, typer.Argument(metavar="P", help="Probability of an edge.")],
    output: GraphOutput = "-",
    directed: AsArcs = False,
    seed: Seed = 0,
) -> None:
    """Join every pair with the same probability.

    Example:
      lpgraph sample erdos-renyi 1000 0.01 -o graph.csv
    """
    import lpgraph as lp

    _check(output)
    _check_size(n * (n - 1) * p / (1 if directed else 2))
    _write(lp.erdos_renyi(n, p, directed=directed, random_state=seed), output)


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
    arrivals: NewVertices = 0,
    arrivals_output: NewOutput = None,
    arrivals_labels: NewLabels = None,
) -> None:
    """Draw a stochastic block model.

    Example:
      lpgraph sample sbm --sizes 60,40 --probabilities '0.5,0.1;0.1,0.5' -o graph.csv --labels labels.csv
    """
    import lpgraph as lp
    from lpgraph.cli._values import as_integers, as_matrix

    _check(output, labels, arrivals_labels, arrivals=(arrivals, arrivals_output, arrivals_labels))
    blocks = as_integers("--sizes", sizes), as_matrix("--probabilities", probabilities)
    _check_size(_between_blocks(*blocks) * sparsity / (1 if directed else 2))
    graph = lp.stochastic_block_model(*blocks, sparsity=sparsity, directed=directed, random_state=seed)
    _write(graph, output, labels=labels)
    _arrive(graph, arrivals, arrivals_output, arrivals_labels, seed)


@app.command("mixed-membership")
@as_command
def mixed_membership(
    n: Annotated[int, typer.Argument(metavar="N", help="Number of vertices.")],
    alpha: Annotated[
        str, typer.Option("--alpha", metavar="A1,A2,...", help="Parameters of the Dirichlet distribution.")
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
    import lpgraph as lp
    from lpgraph.cli._values import as_matrix, as_numbers

    _check(output, labels, positions)
    weights = as_numbers("--alpha", alpha, "0.3,0.3")
    matrix = as_matrix("--probabilities", probabilities)
    shares = [n * weight / (sum(weights) or 1) for weight in weights]
    _check_size(_between_blocks(shares, matrix) * sparsity / (1 if directed else 2))
    graph = lp.mixed_membership_block_model(
        n, weights, matrix, sparsity=sparsity, directed=directed, random_state=seed
    )
    _write(graph, output, labels=labels, positions=positions)


@app.command()
@as_command
def rdpg(
    positions: Positions,
    output: GraphOutput = "-",
    signature: Annotated[
        str | None,
        typer.Option("--signature", metavar="P,Q", help="Columns that count with plus, and with minus."),
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
    import lpgraph as lp
    from lpgraph.cli._tables import read_numbers
    from lpgraph.cli._values import as_integers
    from lpgraph.errors import ArgumentError

    _check(output, inputs=[positions])
    points, options = read_numbers(positions), {"sparsity": sparsity, "directed": directed}
    if signature is None:
        _write(lp.random_dot_product_graph(points, random_state=seed, **options), output)
        return
    signs = as_integers("--signature", signature)
    if len(signs) != 2 or sum(signs) != points.shape[1]:
        raise ArgumentError(
            f"--signature={signature}; pass two numbers whose sum is {points.shape[1]}, the columns."
        )
    graph = lp.generalized_random_dot_product_graph(points, (signs[0], signs[1]), random_state=seed, **options)
    _write(graph, output)


@app.command()
@as_command
def gaussian(
    positions: Positions,
    sigma: Annotated[
        float, typer.Option("--sigma", metavar="S", help="Width of the kernel exp(-|x - y|^2 / S^2).")
    ],
    output: GraphOutput = "-",
    sparsity: Sparsity = 1.0,
    directed: AsArcs = False,
    seed: Seed = 0,
) -> None:
    """Join points the likelier the nearer they are.

    Example:
      lpgraph sample gaussian points.csv --sigma 0.5 -o graph.csv
    """
    import lpgraph as lp
    from lpgraph.cli._tables import read_numbers

    _check(output, inputs=[positions])
    points = read_numbers(positions)
    model = lp.LatentPositionModel(lp.kernels.Gaussian(sigma), points, sparsity=sparsity, directed=directed)
    _write(model.sample(random_state=seed), output)


def _between_blocks(sizes: Sequence[float], probabilities: Sequence[Sequence[float]]) -> float:
    """Return the expected number of arcs between blocks, those within them included."""
    rows = zip(sizes, probabilities, strict=False)  # what does not fit is the model's to refuse
    return sum(m * sum(k * p for k, p in zip(sizes, row, strict=False)) for m, row in rows)


def _check_size(edges: float) -> None:
    from lpgraph.errors import ArgumentError

    if edges > _MOST:
        raise ArgumentError(
            f"The graph would have about {edges:.2g} edges, more than {_MOST:.0g}; pass fewer vertices or lower "
            "probabilities."
        )


def _check(
    output: str,
    *tables: str | None,
    arrivals: tuple[int, str | None, str | None] = (0, None, None),
    inputs: Sequence[str] = (),
) -> None:
    from lpgraph.cli._outputs import check_outputs
    from lpgraph.errors import ArgumentError

    for table in tables:
        check_outputs(table=table)
    check_outputs(other=[output, arrivals[1]], inputs=inputs)
    count, edges, _ = arrivals
    if count < 0 or (count > 0) != (edges is not None):
        raise ArgumentError(f"--arrivals={count} goes with --arrivals-output; pass both, with M >= 1, or neither.")
    if count == 0 and arrivals[2] is not None:
        raise ArgumentError(
            f"--arrivals-labels={arrivals[2]} without arrivals; pass --arrivals and --arrivals-output."
        )


def _write(
    graph: LatentPositionGraph, output: str, *, labels: str | None = None, positions: str | None = None
) -> None:
    import lpgraph as lp
    from lpgraph.cli._outputs import write_table
    from lpgraph.cli._progress import say
    from lpgraph.cli._standard import Standard

    if output == "-":
        lp.write_graph(graph, Standard(), format="csv")
    else:
        lp.write_graph(graph, output)
    vertices = range(graph.n_vertices)
    if labels is not None and graph.labels is not None:
        write_table({"vertex": vertices, "label": graph.labels}, labels)
    if positions is not None:
        columns = {f"x{k}": graph.positions[:, k] for k in range(graph.positions.shape[1])}
        write_table({"vertex": vertices, **columns}, positions)
    say(f"{graph.n_vertices} vertices, {graph.n_edges} edges")


def _arrive(graph: LatentPositionGraph, m: int, output: str | None, labels: str | None, seed: int) -> None:
    """Write the edges of vertices that arrive later, between them and the known ones and among themselves."""
    if output is None:
        return
    import numpy as np

    import lpgraph as lp
    from lpgraph.cli._outputs import write_table

    # A second stream of the same seed: the same as the graph's would repeat its draws.
    new = graph.new_vertices(m, random_state=np.random.default_rng([seed, 1]))
    blocks: list[tuple[Any, str, str]] = [(new.adjacency, "new", ""), (new.among, "new", "new")]
    if new.adjacency_in is not None:
        blocks.append((new.adjacency_in.T, "", "new"))
    source: list[str] = []
    target: list[str] = []
    for matrix, head, tail in blocks:
        rows, columns = matrix.tocoo().coords
        once = np.ones(len(rows), bool) if graph.directed or matrix is not new.among else rows < columns
        source += [f"{head}{i}" for i in rows[once].tolist()]
        target += [f"{tail}{j}" for j in columns[once].tolist()]
    lp.write_graph(lp.from_edges(source, target, directed=graph.directed), output)
    if labels is not None:
        write_table({"vertex": [f"new{i}" for i in range(m)], "label": new.labels}, labels)
