"""`Report`: a page about a network that shows itself in a notebook."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from lpgraph._articles import a_type
from lpgraph._cached import cached_property
from lpgraph._files import replace_file
from lpgraph._html import clean, shortened
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentTypeError, LpgraphWarning
from lpgraph.reporting.page import compose

if TYPE_CHECKING:
    from lpgraph.reporting.findings import Findings
    from lpgraph.reporting.unusual import UnusualVertices

__all__ = ["Report"]

#: Vertices drawn, and characters of the page, in a notebook, which stores what it shows.
_FRAMED, _LARGEST = 10_000, 5_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A self-contained HTML page about a network, from `lpgraph.report`.

    A notebook shows the page in a frame. The frame is sandboxed: the page's script has no access to the notebook.
    It draws at most 10 000 vertices, sampled at random, so that the notebook stays small. `save` and `open` have
    the whole page.

    Attributes
    ----------
    html : str
        The page.
    title : str
        Its heading.
    unusual : UnusualVertices or None
        The vertices that fit the clusters worst, and bridges between clusters: ``unusual.worst_fit`` and
        ``unusual.bridges`` are lists with ``name``, ``cluster``, ``degree``, ``score`` and ``neighbors``, and
        ``print(unusual)`` shows them. None with fewer than 50 vertices or two clusters.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> page = lp.report(nx.karate_club_graph(), title="Karate club", n_clusters=2)
    >>> page
    Report('Karate club', 34 vertices)
    >>> page.html.startswith("<!doctype html>")
    True
    """

    _findings: Findings

    @cached_property
    def html(self) -> str:
        """The page."""
        return compose(self._findings)

    @property
    def title(self) -> str:
        """The heading of the page."""
        return self._findings.title

    @property
    def unusual(self) -> UnusualVertices | None:
        """The vertices that fit the clusters worst, and bridges between clusters."""
        return self._findings.unusual

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path
            The file, which is replaced as a whole if it exists.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If the file cannot be written, or `path` is no path.
        """
        if not isinstance(path, str | os.PathLike):
            raise ArgumentTypeError(f"path={path!r:.40} is {a_type(path)}; pass a str or a path.")
        replace_file(path, self.html.encode())

    def open(self) -> Path:
        """Write the page to a temporary file, and open it in the browser.

        Returns
        -------
        Path
            The file.

        Warns
        -----
        LpgraphWarning
            If there is no browser.
        """
        path = Path(tempfile.mkdtemp(prefix="lpgraph-")) / "report.html"
        self.save(path)
        if not webbrowser.open(path.as_uri()):
            warn(f"No browser could be started; open {path} in one.", LpgraphWarning)
        return path

    def __repr__(self) -> str:
        return f"Report({shortened(self.title)!r}, {self._findings.graph.n_vertices} vertices)"

    def _repr_html_(self) -> str:
        few = replace(self._findings, max_points=min(self._findings.max_points, _FRAMED))
        page = self.html if few.max_points >= few.graph.n_vertices else compose(few)
        if len(page) > _LARGEST:
            size = f"{len(page) / 1e6:.0f} MB, too large for a notebook"
            return f"<p>{escape(clean(repr(self)))}: the page has {size}. Call .open() or .save(path).</p>"
        # Without allow-same-origin the page has no cookies, storage or parent.
        style = "display:block;width:100%;height:min(80vh,42rem);border:1px solid #8c8c8c"
        rights = f'sandbox="allow-scripts" title="{escape(clean(self.title))}" style="{style}"'
        return f'<iframe srcdoc="{escape(page)}" {rights}></iframe>'
