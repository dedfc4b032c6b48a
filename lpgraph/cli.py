"""The command ``lpgraph``; needs typer and rich (``pip install 'lpgraph[cli]'``)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import lpgraph

__all__ = ["app"]

app = typer.Typer(
    name="lpgraph",
    help="Latent position graphs: embed networks, and the vertices that arrive later.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(lpgraph.__version__)
        raise typer.Exit


@app.callback(no_args_is_help=True)
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Latent position graphs: embed networks, and the vertices that arrive later."""


@app.command()
def demo(
    picture: Annotated[Path, typer.Option(help="Where to write the picture: png, pdf or svg.")] = Path(
        "lpgraph-demo.png"
    ),
) -> None:
    """Embed two networks that ship with the dependencies, classify held-out vertices, draw a picture.

    Example: lpgraph demo --picture demo.svg
    """
    from lpgraph.demo import draw, run

    console = Console()
    with console.status("Embedding two networks ..."):
        results = run()
    table = Table(title="Share of held-out vertices misclassified")
    table.add_column("network")
    for heading in ("in-sample", "out-of-sample", "seconds"):
        table.add_column(heading, justify="right")
    for result in results:
        table.add_row(
            result.title,
            f"{result.in_sample_error:.1%}",
            f"{result.out_of_sample_error:.1%}",
            f"{result.seconds:.1f}",
        )
    console.print(table)
    draw(results, picture)
    console.print(f"Picture written to {picture}")
