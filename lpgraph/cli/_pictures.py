"""What all pictures need: a place checked before anything is computed, and a file written whole."""

from __future__ import annotations

from typing import Annotated, Any

import typer

__all__ = ["Axes", "Picture", "as_axes", "prepare", "save_picture"]

Picture = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf; - is png on standard output."
    ),
]
Axes = Annotated[str, typer.Option("--axes", metavar="I,J", help="Which dimensions to draw, the first being 1.")]


def prepare(output: str) -> Any:
    """Refuse a picture that could not be saved, and return pyplot, drawing without a screen."""
    from pathlib import Path

    from lpgraph._checks import import_extra
    from lpgraph.cli._outputs import check_outputs
    from lpgraph.errors import ArgumentError

    if output != "-" and Path(output).suffix not in (".png", ".svg", ".pdf"):
        raise ArgumentError(f"--output={output} is no picture; name a file that ends in .png, .svg or .pdf.")
    check_outputs(other=[output])
    import_extra("matplotlib", "plot").use("Agg")
    return import_extra("matplotlib.pyplot", "plot")


def save_picture(figure: Any, output: str) -> None:
    """Write the picture in the format of its suffix."""
    import io
    from pathlib import Path

    from lpgraph.cli._outputs import write_bytes
    from lpgraph.cli._progress import say

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png" if output == "-" else Path(output).suffix[1:], dpi=150)
    write_bytes(output, buffer.getvalue())
    say(f"written to {output}")


def as_axes(text: str) -> tuple[int, int]:
    """Return "1,2" as (0, 1)."""
    from lpgraph.cli._values import as_integers
    from lpgraph.errors import ArgumentError

    chosen = [axis - 1 for axis in as_integers("--axes", text)]
    if len(chosen) != 2 or min(chosen) < 0:
        raise ArgumentError(f"--axes={text}; pass two dimensions, the first being 1, such as 1,2.")
    return chosen[0], chosen[1]
