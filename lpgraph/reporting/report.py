"""The function `report`: embed and cluster a graph, and describe the result on a page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lpgraph._articles import a_type
from lpgraph._checks import check_integer
from lpgraph.embed.base import NetworkEmbedding
from lpgraph.embed.covariate_assisted import CovariateAssistedEmbedding
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.vertex_values import of_attribute
from lpgraph.infer._labels import known_labels
from lpgraph.infer.cluster import VertexClustering
from lpgraph.reporting.findings import Findings
from lpgraph.reporting.frame import Report
from lpgraph.reporting.new_vertices import NewVertices

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.graph.unknown_labels import UnknownLabels

__all__ = ["describe", "label_texts", "report"]


def report(
    graph: object,
    path: str | os.PathLike[str] | None = None,
    *,
    labels: ArrayLike | Mapping[Hashable, object] | str | None = None,
    embedding: NetworkEmbedding | None = None,
    n_clusters: int | Iterable[int] | None = None,
    new: object = None,
    new_covariates: object = None,
    unknown: UnknownLabels = "warn",
    title: str = "Network",
    max_points: int = 100_000,
) -> Report:
    """Embed and cluster a graph, and return a self-contained HTML page with the results.

    The page has an interactive scatter plot with the vertices' names, the scree plot, the clusters and the edge
    densities between them, the residuals, and all parameters. It has light and dark themes and keyboard control,
    and contains no date, so that the same graph gives the same page. A notebook shows it in a frame.

    Parameters
    ----------
    graph : graph
        A graph in a form that `lpgraph.as_adjacency` accepts.
    path : str or path, optional
        File to which the page is also written.
    labels : array-like of shape (n,), mapping, pandas Series or str, optional
        Known classes, or the name of a vertex attribute, as for `VertexClassifier.fit`. They are shown as colours
        and compared with the clusters.
    embedding : estimator, optional
        An embedding of networks. Default: that of `VertexClustering`.
    n_clusters : int, iterable of int, or None
        As for `VertexClustering`.
    new : optional
        New vertices and their edges, in any form that ``VertexClustering.predict`` takes. They are placed and
        drawn, and a table has their clusters.
    new_covariates : DataFrame, mapping, array-like or sparse matrix, optional
        Covariates of the new vertices, if `embedding` is a `CovariateAssistedEmbedding`.
    unknown : {"warn", "error", "ignore"}
        What to do with labels of vertices that the graph does not have, as in `VertexClassifier`.
    title : str
        Heading of the page.
    max_points : int, default 100 000
        Maximum number of vertices in the scatter plot; larger graphs are sampled at random, and the page says so.
        All other results use the whole graph.

    Returns
    -------
    Report
        The page: ``report.html``, ``report.save(path)``, ``report.open()`` in a browser.

    Raises
    ------
    ArgumentError
        If the labels do not match the graph, or new vertices lack covariates.

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
    if embedding is not None and not isinstance(embedding, NetworkEmbedding):
        raise ArgumentTypeError(
            f"embedding is {a_type(embedding)}; pass an AdjacencySpectralEmbedding or a "
            "LaplacianSpectralEmbedding."
        )
    if not isinstance(title, str):
        raise ArgumentTypeError(f"title={title!r} is {a_type(title)}; pass a string.")
    network = as_adjacency(graph)
    kinds = label_texts(network, labels, unknown)
    clustering = VertexClustering(embedding, n_clusters).fit(network)
    if new is None and new_covariates is not None:
        raise ArgumentError("new_covariates was passed without new vertices; pass new=EDGES as well.")
    if new is not None and new_covariates is None and getattr(new, "covariates", None) is None:
        _check_no_covariates(embedding)
    vertices = None if new is None else clustering.read_new(new, covariates=new_covariates)
    page = describe(network, clustering, kinds, vertices, title, max_points)
    if path is not None:
        page.save(path)
    return page


def _check_no_covariates(embedding: NetworkEmbedding | None) -> None:
    if isinstance(embedding, CovariateAssistedEmbedding):
        raise ArgumentError("The new vertices have no covariates, but embedding has; pass new_covariates=VALUES.")


def describe(
    network: Adjacency,
    clustering: VertexClustering,
    kinds: list[str | None] | None,
    vertices: NewEdges | None,
    title: str,
    max_points: int = 100_000,
) -> Report:
    """Return the page about a fitted clustering, labels (None if unknown) and new vertices."""
    new = None if vertices is None else NewVertices.of(clustering, vertices)
    most = check_integer("max_points", max_points, low=1)
    return Report(Findings(network, clustering, kinds, title, most, new))


def label_texts(
    network: Adjacency, labels: ArrayLike | Mapping[Hashable, object] | str | None, unknown: UnknownLabels
) -> list[str | None] | None:
    """Return the label of each vertex as text, None where it is not known; None without labels."""
    if labels is None:
        return None
    given = of_attribute(labels, network, "labels")
    found, known = known_labels(given, network.names, unknown=unknown, argument="labels")
    return [str(label) if seen else None for label, seen in zip(found.tolist(), known, strict=True)]
