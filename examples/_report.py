"""Pages of results in docs/results: a table and a picture for each example and benchmark."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(os.environ.get("LPGRAPH_RESULTS", Path(__file__).resolve().parent.parent / "docs" / "results"))


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    header = list(rows[0])
    shown = [[f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    return ["| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *shown)]


def report(
    name: str,
    title: str,
    rows: list[dict[str, Any]],
    notes: str = "",
    figure: Any = None,
    *,
    folder: str = "examples",
    peers: tuple[str, ...] = (),
) -> None:
    """Print a table, write it to docs/results/NAME.md, and the figure beside it as NAME.png.

    `folder` is the script's; `peers` are packages whose versions are of interest besides the usual ones.
    """
    lines = table(rows)
    command = f"python {folder}/{name}.py" + "".join(f" {a}" for a in sys.argv[1:])
    packages = ", ".join(f"{p} {version(p)}" for p in ("lpgraph", "numpy", "scipy", "scikit-learn", *peers))
    text = [
        f"# {title}",
        "",
        *lines,
        "",
        notes,
        "",
        f"Made by `{command}` with Python {platform.python_version()}, {packages}; {os.cpu_count()} cores.",
    ]
    print("\n".join([title, *lines, notes]))
    RESULTS.mkdir(parents=True, exist_ok=True)
    if figure is not None:
        figure.savefig(RESULTS / f"{name}.png", dpi=110)
        text += ["", f"![{title}]({name}.png)"]
    (RESULTS / f"{name}.md").write_text("\n".join(text) + "\n")
