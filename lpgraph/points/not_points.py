"""Networks that are passed where points are expected."""

from __future__ import annotations

import sys

from lpgraph.errors import ArgumentTypeError

__all__ = ["network_kind", "refuse_network"]


def refuse_network(name: str, X: object, caller: str) -> None:
    """Raise if X is a network, of networkx, igraph or this library.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.manifold.Isomap().fit(lp.from_edges([0], [1]))
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentTypeError: X is a network (lpgraph.Adjacency), but Isomap embeds points; ...
    """
    kind = network_kind(X)
    if kind is not None:
        raise ArgumentTypeError(
            f"{name} is a network ({kind}), but {caller} embeds points; pass it to "
            "lpgraph.AdjacencySpectralEmbedding, or to lpgraph.NetworkManifold, which embeds its positions by a "
            "method for points."
        )


def network_kind(X: object) -> str | None:
    """Return the library and class of a network of networkx, igraph or this library, else None.

    Examples
    --------
    >>> import networkx as nx
    >>> from lpgraph.points.not_points import network_kind
    >>> network_kind(nx.Graph())
    'networkx.Graph'
    """
    classes = (("networkx", "Graph"), ("igraph", "GraphBase"))
    loaded = tuple(getattr(sys.modules[module], kind) for module, kind in classes if module in sys.modules)
    if isinstance(X, loaded) or (hasattr(X, "adjacency") and hasattr(X, "directed")):
        return f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"
    return None
