"""The report: embed, cluster, and put what was found on a page."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lpgraph._checks import check_integer
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.base import NetworkEmbedding
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.construct import as_adjacency
from lpgraph.infer._labels import known_labels
from lpgraph.infer.cluster import VertexClustering
from lpgraph.reporting.findings import Findings
from lpgraph.reporting.page import compose

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["report"]


def report(
    graph: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    labels: Any = None,
    embedding: Any = None,
    n_clusters: int | Iterable[int] | None = None,
    title: str = "Network",
    max_points: int = 100_000,
) -> str:
    """Embed and cluster a graph, and return a page about it: one HTML file that needs no network when opened.

    It has an interactive scatter with the vertices' names, the scree, clusters and the densities between them, the
    measured residuals, and every setting. It follows the reader's choice of light or dark, works by keyboard, and
    contains no date, so that the same graph gives the same page.

    Parameters
    ----------
    graph : graph
        Whatever `lpgraph.as_adjacency` takes.
    path : str or path, optional
        Where to write the page, too.
    labels : array-like of shape (n,) or mapping, optional
        Known classes, to colour by and to compare the clusters with; as for `VertexClassifier.fit`.
    embedding : estimator, optional
        An embedding of networks; `AdjacencySpectralEmbedding` with its dimension at the elbow if absent.
    n_clusters : int, iterable of int, or None
        As for `VertexClustering`.
    title : str
        Heading of the page.
    max_points : int, default 100 000
        Of larger graphs that many vertices are drawn, chosen at random, and the page says so; all else is of the
        whole.

    Returns
    -------
    str
        The page.

    Raises
    ------
    ArgumentError
        If the labels do not fit the graph.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> page = lp.report(nx.karate_club_graph(), title="Karate club", n_clusters=2)
    >>> page.startswith("<!doctype html>")
    True
    """
    if embedding is not None and not isinstance(embedding, NetworkEmbedding):
        raise ArgumentTypeError(
            f"embedding is a {type(embedding).__name__}; pass an AdjacencySpectralEmbedding or a "
            "LaplacianSpectralEmbedding."
        )
    if not isinstance(title, str):
        raise ArgumentTypeError(f"title={title!r} is a {type(title).__name__}; pass a text.")
    network = as_adjacency(graph)
    kinds = None
    if labels is not None:
        found, known = known_labels(labels, network.names)
        kinds = [str(label) if seen else None for label, seen in zip(found.tolist(), known, strict=True)]
    clustering = VertexClustering(AdjacencySpectralEmbedding() if embedding is None else embedding, n_clusters)
    clustering.fit(network)
    findings = Findings(network, clustering, kinds, title, check_integer("max_points", max_points, low=1))
    page = compose(findings)
    if path is not None:
        _write(page, path)
    return page


def _write(page: str, path: str | os.PathLike[str]) -> None:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise ArgumentError(f"path={str(path)!r} is a folder; name a file, such as report.html.")
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        draft.write_text(page, encoding="utf-8")
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
