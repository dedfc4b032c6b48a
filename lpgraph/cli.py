"""The command ``lpgraph``; needs typer and rich (``pip install 'lpgraph[cli]'``)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from lpgraph._checks import import_extra
from lpgraph.errors import LpgraphError

__all__ = ["main"]


def _demo(picture: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    from lpgraph.demo import draw, run

    console = Console()
    with console.status("Embedding two networks ..."):
        results = run()
    table = Table(title="Share of held-out vertices misclassified")
    for heading, side in (("network", "left"), ("in-sample", "right"), ("out-of-sample", "right"), ("s", "right")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    for result in results:
        table.add_row(
            result.title,
            f"{result.in_sample_error:.1%}",
            f"{result.out_of_sample_error:.1%}",
            f"{result.seconds:.1f}",
        )
    console.print(table)
    draw(results, picture)
    console.print(f"Picture written to {picture}.")


def main() -> None:
    """Run the command line; errors are one line on standard error and exit code 2."""
    try:
        typer = import_extra("typer", "cli")
        import_extra("rich", "cli")
        app = typer.Typer(
            name="lpgraph",
            help="Latent position graphs: embed networks, and the vertices that arrive later.",
            no_args_is_help=True,
            add_completion=True,
            rich_markup_mode=None,
        )

        @app.callback(invoke_without_command=True)
        def common(
            version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
        ) -> None:
            if version:
                import lpgraph

                typer.echo(lpgraph.__version__)
                raise typer.Exit

        @app.command()
        def demo(
            picture: Annotated[Path, typer.Option(help="Where to write the picture (png, pdf or svg).")] = Path(
                "lpgraph-demo.png"
            ),
        ) -> None:
            """Embed two networks that ship with the dependencies, classify held-out vertices, draw a picture."""
            _demo(picture)

        app()
    except LpgraphError as error:
        print(f"lpgraph: {error}", file=sys.stderr)
        raise SystemExit(2) from None
