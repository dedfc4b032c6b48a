"""Folders as outputs, in which results are written in parts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lpgraph.cli._errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_parts", "parts_of"]


def is_parts(output: str) -> bool:
    """Whether an output is a folder, in which results are written in parts."""
    return output.endswith(("/", os.sep))


def parts_of(output: str, passed: Mapping[str, object]) -> str:
    """Return the folder of an output in parts; refuse options that need all new vertices, by name with values."""
    given = [option for option, value in passed.items() if value]
    if given:
        raise CommandError(
            f"--output={output} is a folder, in which new vertices are written in parts, without "
            f"{', '.join(given)}; leave it out, or name a file."
        )
    parent = Path(output).parent
    if not parent.is_dir():
        raise CommandError(f"{output}: there is no folder {parent}; make it first.")
    return output
