"""Pictures of points: their graph, and how well their embedding does."""

from __future__ import annotations

from typing import Annotated

import typer

from lpgraph.cli._manifold import Manifold
from lpgraph.cli._pictures import Axes, Picture, as_axes, prepare, save_picture

__all__ = ["loss", "points", "stability"]

Points = Annotated[str, typer.Argument(metavar="POINTS", help="Table of numbers, one point a row.")]


def points(
    table: Points,
    output: Picture = "points.png",
    neighbors: Annotated[
        int, typer.Option("--neighbors", "-k", metavar="K", help="Nearest neighbours joined.")
    ] = 8,
    axes: Axes = "1,2",
) -> None:
    """Draw the neighbour graph of points.

    It is drawn over two of their coordinates.

    Example:
      lpgraph plot points points.csv --neighbors 8 -o points.png
    """
    import lpgraph as lp
    from lpgraph.cli._tables import read_numbers
    from lpgraph.errors import ArgumentError

    prepare(output)
    X = read_numbers(table)
    chosen = as_axes(axes)
    if max(chosen) >= X.shape[1]:
        raise ArgumentError(f"--axes={axes}; pass two of the {X.shape[1]} columns of {table}, such as 1,2.")
    drawn = lp.plot.point_graph(lp.neighbor_graph(X, n_neighbors=neighbors), X, dimensions=chosen)
    save_picture(drawn.figure, output)


def loss(
    table: Points,
    output: Picture = "loss.png",
    held_out: Annotated[
        str | None,
        typer.Option("--held-out", metavar="FILE", help="Table of other points: the loss of extending to them."),
    ] = None,
    most: Annotated[
        int | None, typer.Option("--max", metavar="M", help="Eigenfunctions to go to; by default --dimension.")
    ] = None,
    *,
    manifold: Manifold,
) -> None:
    """Draw the loss of an embedding of points.

    How well do few eigenfunctions rebuild its kernel? The loss of Bengio et al. (2004) is a mean over all pairs
    of points, or pairs of held-out points with the others.

    Example:
      lpgraph plot loss points.csv --method isomap --neighbors 8 --max 10 -o loss.png
      lpgraph plot loss points.csv --method mds --held-out others.csv
    """
    import lpgraph as lp
    from lpgraph.cli._progress import computing
    from lpgraph.cli._tables import read_numbers
    from lpgraph.errors import ArgumentError

    prepare(output)
    model = manifold.estimator()
    if manifold.method == "lle":
        raise ArgumentError(
            "--method=lle has a kernel only for a finite c, which this command does not take; pass another "
            "method, or call lpgraph.metrics.reconstruction_loss."
        )
    X = read_numbers(table)
    others = None if held_out is None else read_numbers(held_out)
    if others is not None and others.shape[1] != X.shape[1]:
        raise ArgumentError(
            f"{held_out} has {others.shape[1]} columns and {table} {X.shape[1]}; pass points of the same kind."
        )
    with computing(f"Embedding {len(X)} points"):
        found = lp.metrics.reconstruction_loss(model.fit(X), others, most)
    save_picture(lp.plot.loss(found).figure, output)


def stability(
    table: Points,
    output: Picture = "stability.png",
    fractions: Annotated[
        str, typer.Option("--fractions", metavar="A,B,...", help="Shares of the points that are exchanged.")
    ] = "0.01,0.02,0.04,0.08,0.16",
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Splits for each share.")] = 1,
    held_out: Annotated[
        int | None,
        typer.Option("--held-out", metavar="N", help="Points left out in turn, each for a fit; by default all."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same splits.")] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Processes; -1 for one on each core.")
    ] = 1,
    *,
    manifold: Manifold,
) -> None:
    """Draw how stable an embedding of points is.

    Is extending to a point as good as training on it? The error of the extension is held against what
    exchanging some of the points does to the embedding (Bengio et al. 2004, Figure 2): above zero the extension
    does less harm.

    Example:
      lpgraph plot stability points.csv --method isomap --neighbors 8 --held-out 20 -o stability.png
    """
    import lpgraph as lp
    from lpgraph.cli._progress import working
    from lpgraph.cli._tables import read_numbers
    from lpgraph.cli._values import as_numbers

    prepare(output)
    model, shares = manifold.estimator(), as_numbers("--fractions", fractions, "0.02,0.1")
    X = read_numbers(table)
    with working(f"Fitting parts of {len(X)} points again and again"):
        found = lp.metrics.stability(
            model, X, shares, repeats, n_held_out=held_out, random_state=seed, n_jobs=jobs
        )
    save_picture(lp.plot.stability(found).figure, output)
