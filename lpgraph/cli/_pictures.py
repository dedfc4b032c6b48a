"""Pictures: a check of the output before anything is computed, and a file written as a whole."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lpgraph.cli._errors import CommandError
from lpgraph.cli._outputs import check_outputs, write_bytes
from lpgraph.cli._progress import say
from lpgraph.cli._values import as_integers

if TYPE_CHECKING:
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["as_axes", "check_picture", "prepare", "save_picture"]


def check_picture(output: str, option: str) -> None:
    """Refuse a picture that could not be saved."""
    if Path(output).suffix not in (".png", ".svg", ".pdf"):
        raise CommandError(f"{option}={output} is no picture; name a file that ends in .png, .svg or .pdf.")
    check_outputs(other=[output])


def prepare(output: str, *inputs: str | None) -> ModuleType:
    """Refuse missing inputs and a picture that could not be saved; return pyplot, drawing without a screen."""
    from lpgraph._checks import import_extra

    check_outputs(inputs=inputs)
    if output != "-":
        check_picture(output, "--output")
    import_extra("matplotlib", "plot").use("Agg")
    return import_extra("matplotlib.pyplot", "plot")


def save_picture(picture: Axes | Figure, output: str) -> None:
    """Write a picture in the format of its suffix."""
    buffer = io.BytesIO()
    figure: Any = picture.figure
    figure.savefig(buffer, format="png" if output == "-" else Path(output).suffix[1:], dpi=150)
    write_bytes(output, buffer.getvalue())
    say(f"written to {output}")


def as_axes(text: str) -> tuple[int, int]:
    """Return "1,2" as (0, 1)."""
    chosen = [axis - 1 for axis in as_integers("--axes", text)]
    if len(chosen) != 2 or min(chosen) < 0:
        raise CommandError(f"--axes={text}; pass two dimensions, the first being 1, such as 1,2.")
    return chosen[0], chosen[1]
