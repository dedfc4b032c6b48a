"""Pictures of points: their graph, and the loss, the stability and the quality of their embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import lpgraph as lp
from lpgraph._warnings import warn
from lpgraph.cli._errors import CommandError
from lpgraph.cli._groups import Manifold
from lpgraph.cli._options import Picture, Seed
from lpgraph.cli._pictures import as_axes, prepare, save_picture
from lpgraph.cli._progress import computing
from lpgraph.cli._tables import read_numbers
from lpgraph.cli._values import as_numbers
from lpgraph.cli._words import Sets, Words, translated
from lpgraph.errors import DisconnectedError, LpgraphWarning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.manifold.base import PointsEmbedding

__all__ = ["loss", "points", "quality", "shepard", "stability"]

#: Points that stability leaves out by default: with five fractions, some hundred fits.
_HELD_OUT = 20

Points = Annotated[str, Argument(metavar="POINTS", help="Table of numbers, one point a row."), Sets("X")]
NewPoints = Annotated[
    str | None,
    Option("--held-out", metavar="FILE", help="Table of other points, whose embedding is measured."),
    Sets("new"),
]


def points(
    table: Points,
    output: Picture = "points.png",
    neighbors: Annotated[
        int, Option("--neighbors", "-k", metavar="K", help="Nearest neighbors joined."), Sets("n_neighbors")
    ] = 8,
    axes: Annotated[
        str | None,
        Option(
            "--axes",
            metavar="I,J",
            help="Which columns to draw, the first being 1; by default 1,2, or principal components if one of "
            "these has one value.",
        ),
    ] = None,
) -> None:
    """Draw the neighbor graph of points over two of their coordinates.

    Example:
      lpgraph plot points points.csv --neighbors 8 -o points.png
    """
    prepare(output, table)
    X = read_numbers(table)
    chosen = None if axes is None else as_axes(axes)
    if max(chosen or (0, 1)) >= X.shape[1]:
        raise CommandError(f"--axes={axes}; pass two of the {X.shape[1]} columns of {table}, such as 1,2.")
    drawn = lp.plot.point_graph(lp.neighbor_graph(X, n_neighbors=neighbors), X, dimensions=chosen)
    save_picture(drawn, output)


def loss(
    table: Points,
    output: Picture = "loss.png",
    held_out: Annotated[
        str | None,
        Option("--held-out", metavar="FILE", help="Table of other points, for the loss of extending to them."),
    ] = None,
    most: Annotated[
        int | None, Option("--max", metavar="M", help="Largest number of eigenfunctions; by default --dimension.")
    ] = None,
    *,
    manifold: Manifold,
) -> None:
    """Draw the loss of an embedding of points.

    The loss of Bengio et al. (2004) measures how well the first eigenfunctions reproduce the kernel. It is a mean
    over all pairs of points, or over pairs of held-out points with the others.

    Example:
      lpgraph plot loss points.csv --method isomap --neighbors 8 --max 10 -o loss.png
      lpgraph plot loss points.csv --method mds --held-out others.csv
    """
    prepare(output, table, held_out)
    from lpgraph.manifold.local_weights import LocalRows

    model = manifold.embedding()
    X = read_numbers(table)
    others = _others(held_out, table, X)
    with computing(f"Embedding {len(X)} points"):
        model = _fitted(model, X, manifold.components)
        if isinstance(model.kernel_rows_, LocalRows):
            raise CommandError(f"--method={manifold.method} has weights and no kernel; pass another method.")
        with translated(Words() if most is None else Words({"n_components": "--max"})):
            found = lp.metrics.reconstruction_loss(model, others, most)
    save_picture(lp.plot.loss(found), output)


def stability(
    table: Points,
    output: Picture = "stability.png",
    fractions: Annotated[
        str, Option("--fractions", metavar="A,B,...", help="Shares of the points that are exchanged.")
    ] = "0.01,0.02,0.04,0.08,0.16",
    repeats: Annotated[int, Option("--repeats", metavar="N", help="Splits for each share.")] = 1,
    held_out: Annotated[
        int | None,
        Option(
            "--held-out",
            metavar="N",
            help=f"Number of points that are left out in turn, one fit each; by default {_HELD_OUT}, or as many "
            "as remain.",
        ),
        Sets("n_held_out"),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[
        int, Option("--jobs", "-j", metavar="N", help="Processes; -1 for one on each core."), Sets("n_jobs")
    ] = 1,
    *,
    manifold: Manifold,
) -> None:
    """Draw how stable an embedding of points is.

    The error of extending to a point is compared with the change of the embedding when some of the training
    points are exchanged (Bengio et al. 2004, Figure 2). Above zero, the extension changes less. A fit for each
    point that is left out, at each share, takes most of the time: more points make the intervals narrower.

    Example:
      lpgraph plot stability points.csv --method isomap --neighbors 8 --held-out 20 -o stability.png
    """
    prepare(output, table)
    model, shares = manifold.embedding(), as_numbers("--fractions", fractions, "0.02,0.1")
    X = read_numbers(table)
    if held_out is None and shares:
        remaining = len(X) - 2 * max(1, round(max(shares) * len(X)))
        held_out = max(1, min(_HELD_OUT, remaining))
    with computing(f"Fitting parts of {len(X)} points"):
        found = lp.metrics.stability(
            _fitted(model, X, manifold.components),
            X,
            shares,
            repeats,
            n_held_out=held_out,
            random_state=seed,
            n_jobs=jobs,
        )
    save_picture(lp.plot.stability(found), output)


def quality(
    table: Points,
    output: Picture = "quality.png",
    held_out: NewPoints = None,
    seed: Seed = 0,
    *,
    manifold: Manifold,
) -> None:
    """Draw how an embedding of points keeps their neighbors.

    The curves are trustworthiness and continuity (Venna & Kaski 2001), and the share of neighbors that are kept,
    above chance, by the number of neighbors. Of more than 2000 points, so many are drawn at random and measured.
    If the graph of points is disconnected, its components are joined, and a warning says so; --components chooses.

    Example:
      lpgraph plot quality points.csv --method isomap --neighbors 8 -o quality.png
      lpgraph plot quality points.csv --method isomap --held-out others.csv
    """
    prepare(output, table)
    model = manifold.embedding()
    X = read_numbers(table)
    others = _others(held_out, table, X)
    with computing(f"Embedding {len(X)} points"):
        found = lp.metrics.neighbor_curves(
            X, _fitted(model, X, manifold.components), new=others, random_state=seed
        )
    save_picture(lp.plot.neighbor_curves(found), output)


def shepard(
    table: Points,
    output: Picture = "shepard.png",
    held_out: NewPoints = None,
    seed: Seed = 0,
    *,
    manifold: Manifold,
) -> None:
    """Draw distances in an embedding against distances of the points.

    The title has their correlations and the stress. Of more than 500000 pairs, so many are drawn at random.

    Example:
      lpgraph plot shepard points.csv --method mds -o shepard.png
    """
    prepare(output, table)
    model = manifold.embedding()
    X = read_numbers(table)
    others = _others(held_out, table, X)
    with computing(f"Embedding {len(X)} points"):
        found = lp.metrics.shepard(X, _fitted(model, X, manifold.components), new=others, random_state=seed)
    save_picture(lp.plot.shepard(found), output)


def _fitted(model: PointsEmbedding, X: NDArray[np.float64], components: str | None) -> PointsEmbedding:
    """Return the fitted embedding; components are joined with a warning if the user has not chosen a rule."""
    try:
        return model.fit(X)
    except DisconnectedError as error:
        if components is not None:
            raise
        found = str(error).partition(";")[0]
    warn(
        f"{found}, which are joined by their shortest bridges; raise --neighbors, or pass --components=largest to "
        "leave out the other points.",
        LpgraphWarning,
    )
    joined: PointsEmbedding = model.set_params(components="bridge").fit(X)
    return joined


def _others(held_out: str | None, table: str, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the points of a second table, if there is one."""
    if held_out is None:
        return None
    others = read_numbers(held_out)
    if others.shape[1] != X.shape[1]:
        raise CommandError(
            f"{held_out} has {others.shape[1]} columns and {table} {X.shape[1]}; pass points of the same kind."
        )
    return others
