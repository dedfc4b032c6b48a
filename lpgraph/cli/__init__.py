"""The command ``lpgraph``; needs typer and rich (``pip install 'lpgraph[cli]'``).

A module is one group of commands; `lpgraph.cli.inputs`, `options` and `outputs` are what they share, and
`lpgraph.cli.run` shows errors. None imports numpy before a command runs, so that help and completion are fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

import lpgraph

from . import graphs, joint, learn, pages, plot, sample, store, vertices
from .options import Application, as_command

__all__ = ["app"]

app = Application(name="lpgraph")

for _command in (
    graphs.info,
    vertices.embed,
    vertices.extend,
    learn.classify,
    learn.cluster,
    graphs.dimension,
    joint.joint,
    graphs.convert,
    pages.report,
    pages.demo,
):
    app.command()(as_command(_command))
app.add_typer(sample.app, name="sample")
app.add_typer(plot.app, name="plot")
app.add_typer(store.app, name="store")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(lpgraph.__version__)
        raise typer.Exit


@app.callback()
@as_command
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Latent position graphs: embed networks, and new vertices.

    Graphs are edge lists (csv, tsv, txt, parquet) or GraphML, GML, Pajek, GEXF, JSON, Matrix Market and npz files,
    also gzipped; a file called - is standard input or output. Results are tables: csv, tsv, parquet or json. Exit
    codes: 0 done, 1 a computation failed, 2 wrong input, 130 interrupted.

    Example:
      lpgraph embed graph.csv --save model.lpg -o embedding.csv
      lpgraph extend model.lpg new.csv
    """
