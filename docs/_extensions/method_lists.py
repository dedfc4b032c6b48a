"""Lists of methods on the page ``api.rst``, from the tables of public names.

A line ``{lpgraph.embed}`` in a list of names is replaced by the public classes that this package defines.
"""

from __future__ import annotations

import importlib
import re
import tempfile
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.autosummary.generate import generate_autosummary_docs

from lpgraph._utils.names import homes

_PAGE = "api"
_LINE = re.compile(r"^   \{([\w.]+)\}$", re.MULTILINE)
#: The table that lists the methods of a package.
_TABLES = {"lpgraph.embed": "lpgraph", "lpgraph.manifold": "lpgraph.manifold"}


def _methods(folder: str) -> list[str]:
    """Return the names of the methods of a package, as the page writes them."""
    table = _TABLES[folder]
    importlib.import_module(table)
    prefix = table.removeprefix("lpgraph").lstrip(".")
    found = [name for name, home in homes(table).items() if home.startswith(f"{folder}.") and name[0].isupper()]
    return [f"{prefix}.{name}" if prefix else name for name in found]


def fill(text: str) -> str:
    """Return the text of the page with the lists filled in."""
    return _LINE.sub(lambda line: "\n".join(f"   {name}" for name in _methods(line[1])), text)


def _fill_source(app: Sphinx, page: str, source: list[str]) -> None:
    if page == _PAGE:
        source[0] = fill(source[0])


def _write_pages(app: Sphinx) -> None:
    """Write the page of each method; autosummary itself reads the file, in which the lists are not filled in."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"{_PAGE}.rst"
        copy.write_text(fill((app.srcdir / f"{_PAGE}.rst").read_text(encoding="utf-8")), encoding="utf-8")
        generate_autosummary_docs([str(copy)], app.srcdir / "generated", app=app)


def _outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    return [_PAGE]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", _write_pages)
    app.connect("source-read", _fill_source)
    app.connect("env-get-outdated", _outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
