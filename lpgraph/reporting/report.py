"""The function `report`: embed and cluster a graph, and describe the result on an HTML page."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
import webbrowser
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_integer
from lpgraph._utils.estimators import check_fitted, clean, shortened
from lpgraph._utils.files import replace_file
from lpgraph.embed.base import NetworkEmbedding
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import as_names
from lpgraph.graph.vertex_values import in_order, of_attribute
from lpgraph.infer._labels import known_labels
from lpgraph.infer.classify import VertexClassifier
from lpgraph.infer.cluster import VertexClustering
from lpgraph.joint.base import JointEmbedding
from lpgraph.plot.palette import UNLABELLED

from .findings import MOST_SHOWN, Findings, SequenceFindings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from lpgraph.graph.vertex_values import UnknownLabels

    from .findings import Texts
    from .unusual import UnusualVertices

#: Vertices drawn in a notebook, which stores what it shows.
_FRAMED = 10_000


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
        The vertices that fit the clusters or classes worst, and bridges between them: ``unusual.worst_fit`` and
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

    _findings: Findings | SequenceFindings

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
        replace_file(path, self.html.encode())

    def open(self) -> Path:
        """Write the page to a temporary file, and open it in the browser.

        Returns
        -------
        Path
            The file.
        """
        path = Path(tempfile.mkdtemp(prefix="lpgraph-")) / "report.html"
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def __repr__(self) -> str:
        return f"Report({shortened(self.title)!r}, {self._findings.graph.n_vertices} vertices)"

    def _repr_html_(self) -> str:
        page = compose(replace(self._findings, max_points=min(self._findings.max_points, _FRAMED)))
        # Without allow-same-origin the page has no cookies, storage or parent.
        style = "display:block;width:100%;height:min(80vh,42rem);border:1px solid #8c8c8c"
        rights = f'sandbox="allow-scripts" title="{escape(clean(self.title))}" style="{style}"'
        return f'<iframe srcdoc="{escape(page)}" {rights}></iframe>'


def report(
    graph: object,
    *,
    labels: ArrayLike | Mapping[Hashable, object] | str | None = None,
    names: ArrayLike | Mapping[Hashable, object] | str | None = None,
    embedding: NetworkEmbedding | None = None,
    n_clusters: int | Iterable[int] | None = None,
    new: object = None,
    new_covariates: object = None,
    unknown: UnknownLabels = "warn",
    title: str = "Network",
    max_points: int = 100_000,
) -> Report:
    """Embed and cluster a graph, and return a self-contained HTML page with the results.

    The page has an interactive map with the vertices' names, the scree plot, the clusters and the edge
    densities between them, the residuals, and all parameters. It has light and dark themes and keyboard control,
    and contains no date, so that the same graph gives the same page. A notebook shows it in a frame.

    Parameters
    ----------
    graph : graph, VertexClassifier, VertexClustering or fitted embedding of lpgraph.joint
        A graph in a form that `lpgraph.as_adjacency` accepts; or a fitted clustering, whose clusters are shown; or
        a fitted classifier, whose predicted classes take the place of clusters; or a joint embedding of several
        networks, whose page has no clusters, and a slider that shows the positions in one network after the other.
    labels : array-like of shape (n,), mapping, pandas Series or str, optional
        Known classes, or the name of a vertex attribute, as for `VertexClassifier.fit`. They are shown as colours
        and compared with the clusters, or with a classifier's classes of the vertices that it was not trained on.
        More than 64 numbers or dates are shown as eight ranges. Default: those that a classifier was trained on.
    names : array-like of shape (n,), mapping, pandas Series or str, optional
        Unique names, such as titles, that the page shows instead of the names of the vertices; or the name
        of a vertex attribute. New vertices keep their names.
    embedding : estimator, optional
        An embedding of networks. Default: that of `VertexClustering`.
    n_clusters : int, iterable of int, or None
        As for `VertexClustering`.
    new : optional
        New vertices and their edges, in any form that ``VertexClustering.predict`` takes. They are placed and
        drawn, and a table has their clusters, or the classes that a classifier predicts.
    new_covariates : DataFrame, mapping, array-like or sparse matrix, optional
        Covariates of the new vertices, if `embedding` is a `CovariateAssistedEmbedding`.
    unknown : {"warn", "error", "ignore"}
        What to do with labels of vertices that the graph does not have, as in `VertexClassifier`.
    title : str
        Heading of the page.
    max_points : int, default 100 000
        Maximum number of vertices in the map; larger graphs are sampled at random, and the page says so.
        All other results use the whole graph. Of several networks, positions in all networks count.

    Returns
    -------
    Report
        The page: ``report.html``, ``report.save(path)``, ``report.open()`` in a browser.

    Raises
    ------
    ArgumentError
        If the labels do not match the graph, new vertices lack covariates, or a fitted model was passed with an
        embedding or clusters, or a joint one with names or new vertices.

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
    title, most = str(title), check_integer("max_points", max_points, low=1)
    if isinstance(graph, JointEmbedding):
        _refuse("joint embedding", embedding, n_clusters, new=new, names=names, new_covariates=new_covariates)
        check_fitted(graph, "embeddings_")
        kinds = label_texts(graph.graphs_.graphs[0], labels, unknown, "vertex")
        return Report(SequenceFindings(graph, kinds, title, most))
    if isinstance(graph, VertexClassifier | VertexClustering):
        _refuse("fitted model", embedding, n_clusters)
        check_fitted(graph, "fitted_embedding_")
        if not isinstance(graph.fitted_embedding_, NetworkEmbedding):
            raise ArgumentError("graph is a model of several networks; pass its fitted joint embedding.")
        network, model = graph.graph_, graph
    else:
        network = as_adjacency(graph)
        model = VertexClustering(embedding, n_clusters).fit(network)
    kinds = label_texts(network, labels, unknown, UNLABELLED)
    if labels is None and isinstance(model, VertexClassifier):
        kinds = np.where(model.label_reach_.labelled, model.transduction_.astype(str), UNLABELLED)
    given = new is not None or new_covariates is not None
    placed = model.read_new(new, covariates=new_covariates) if given else None
    predicted = None if placed is None else model._predict(placed)
    if names is not None:
        shown = as_names(in_order(of_attribute(names, network, "names"), network.names, "names"), len(network))
        network = Adjacency.of_canonical(network.matrix, shown, network.directed, network.vertex_attributes)
    return Report(Findings(network, model, kinds, title, most, placed, predicted))


def _refuse(kind: str, embedding: object, n_clusters: object, **others: object) -> None:
    """Refuse arguments that are not for this kind of graph."""
    given = {"embedding": embedding, "n_clusters": n_clusters} | others
    if passed := [name for name, value in given.items() if value is not None]:
        raise ArgumentError(f"graph is a {kind}; leave out {', '.join(passed)}.")


def label_texts(network: Adjacency, labels: object, unknown: UnknownLabels, absent: str) -> Texts:
    """Return the label of each vertex as text; `absent` for all without labels."""
    if labels is None:
        return np.full(len(network), absent)
    given = of_attribute(labels, network, "labels")
    found, known = known_labels(given, network.names, unknown=unknown, argument="labels")
    return np.where(known, found.astype(str), UNLABELLED)


def compose(findings: Findings | SequenceFindings) -> str:
    """Return the HTML page, from the template `page.html`, which escapes all names and labels."""
    from jinja2 import Environment  # not before a report is made

    script, style, template = (
        resources.files("lpgraph.reporting").joinpath(name).read_text(encoding="utf-8").strip()
        for name in ("page.js", "page.css", "page.html")
    )
    environment = Environment(autoescape=True)
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    # The policy of the page allows only the script with this hash, so that text in a name is never executed.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {"digest": digest, "script": script, "style": style, "most_shown": MOST_SHOWN}
    page = environment.from_string(template).render(parts, found=findings, points=findings.points())
    return clean(page)
