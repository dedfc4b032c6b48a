"""Edge stores in the place of files with a graph: folders that ``lpgraph store build`` made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lpgraph.cli._errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lpgraph.scale.store import EdgeStore

__all__ = ["is_parts", "is_store", "open_store", "parts_of"]

#: What a folder of an edge store has, also if its build was stopped.
_SIGNS = ("manifest.json", "building")


def is_store(path: str) -> bool:
    """Whether a path is the folder of an edge store."""
    return path != "-" and any((Path(path) / name).exists() for name in _SIGNS)


def open_store(path: str, chosen: Mapping[str, object]) -> EdgeStore:
    """Return the store; refuse options that say how a file is read, given by name with their values."""
    import lpgraph as lp

    passed = [option for option, value in chosen.items() if value]
    if passed:
        raise CommandError(
            f"{path} is an edge store, whose edges were read by lpgraph store build; leave {', '.join(passed)} "
            "out, or pass it there."
        )
    return lp.scale.EdgeStore(path)


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
