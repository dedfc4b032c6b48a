"""Fitted models and sampled graphs as arguments of plots: the positions, labels and graphs that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from lpgraph._articles import a_type
from lpgraph.embed.disconnected import at_origin
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.names import listed
from lpgraph.graph.vertex_values import in_order, of_attribute
from lpgraph.infer.arcs import linked_to, new_arcs
from lpgraph.models.graphs import LatentPositionGraph
from lpgraph.points.not_points import network_kind
from lpgraph.spectral.named_positions import NamedPositions, fitted_part

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.plot._style import Labels

    #: Positions, or a model that holds them.
    Positions: TypeAlias = ArrayLike | BaseEstimator | LatentPositionGraph

__all__ = ["Positions", "classified", "ellipses_of", "exact_zeros", "graph_of", "placed_new", "positions_of"]

if not TYPE_CHECKING:
    Positions = object

#: Attributes with one label for each vertex or point.
_LABELS = ("transduction_", "labels_", "labels")

T = TypeVar("T")


def classified(argument: str, holder: Positions, labels: Labels | None) -> tuple[Any, Any]:
    """Return positions and labels; those of a model are in its order, and its labels are the default ones.

    Parameters
    ----------
    argument : str
        What the caller calls the positions, for errors.
    holder : array-like, fitted estimator or sampled graph
        Positions, or what holds them.
    labels : array-like, mapping, pandas Series, fitted estimator, sampled graph or None
        Labels, or what holds them; of a model of a network also the name of a vertex attribute.
    """
    if not _is_model(holder):
        kind = network_kind(holder)
        if kind is not None:
            raise ArgumentTypeError(
                f"{argument} is a network ({kind}); pass a fitted embedding, for example "
                "lpgraph.LaplacianSpectralEmbedding(2).fit(graph)."
            )
        return holder, labels_of(labels)
    graph = getattr(fitted_part(holder), "graph_", None) if hasattr(holder, "get_params") else None
    given = of_attribute(labels, graph, "labels") if isinstance(graph, Adjacency) else labels
    found = labels_of(holder if given is None else given, required=given is not None)
    read = NamedPositions.of(argument, holder.positions if isinstance(holder, LatentPositionGraph) else holder)
    shown = exact_zeros(read.out, graph) if isinstance(graph, Adjacency) else read.out
    found = _of_kept(found, getattr(holder, "kept_", None), len(shown))
    return shown, None if found is None else np.asarray(in_order(found, read.names, "labels", partial=True))


def _of_kept(labels: Any, kept: NDArray[np.intp] | None, n: int) -> Any:
    """Return labels of the n points that a model of the largest component keeps; refuse those of all points."""
    if kept is None or labels is None or isinstance(labels, Mapping) or not hasattr(labels, "__len__"):
        return labels
    column = hasattr(labels, "to_numpy")
    if len(labels) == n:
        chosen = column and np.array_equal(getattr(labels, "index", ()), kept)  # labels[model.kept_]
        return labels.to_numpy() if chosen else labels
    if len(labels) <= max(kept, default=0):
        return labels
    array = "labels" if hasattr(labels, "shape") else "numpy.array(labels)"
    raise ArgumentError(
        f"labels has {len(labels)} values and the model has positions of {n} points, those of kept_; pass "
        f"{array}[model.kept_]."
    )


def exact_zeros(positions: NDArray[np.float64], graph: Adjacency) -> NDArray[np.float64]:
    """Return positions in which vertices of components without a dimension are exactly at the origin.

    What they have is the error of the eigenvectors, whose directions scaling to unit length would show.
    """
    unplaced = at_origin(graph, [positions])
    return np.where(unplaced[:, None], 0.0, positions) if unplaced.any() else positions


def placed_new(embedding: NetworkEmbedding, vertices: NewEdges) -> NDArray[np.float64]:
    """Return positions of new vertices, exactly 0 if all known neighbors are at the origin.

    With covariates, vertices without edges have positions as well.
    """
    if vertices.covariates is not None:
        return np.asarray(embedding.transform(vertices))
    linked = linked_to(~at_origin(embedding.graph_, [embedding.embedding_]), new_arcs(vertices))
    return np.where(linked[:, None], embedding.transform(vertices), 0.0)


def positions_of(argument: str, holder: Positions) -> Any:
    """Return the positions that a fitted model or a sampled graph holds; other values are returned as they are."""
    return classified(argument, holder, None)[0]


def labels_of(holder: Any, *, required: bool = True) -> Any:
    """Return the labels that a model holds, by name if it has names; other values are returned as they are."""
    if not _is_model(holder):
        return holder
    found = next((value for name in _LABELS if (value := getattr(holder, name, None)) is not None), None)
    if found is None:
        if required:
            raise ArgumentError(
                f"labels is {a_type(holder)} without labels; pass a fitted VertexClassifier or "
                "VertexClustering, or the labels."
            )
        return None
    names = getattr(holder, "vertex_names_", None)
    return found if names is None else dict(zip(listed(names), np.asarray(found).tolist(), strict=True))


def graph_of(graph: Any, labels: Any) -> tuple[Any, Any]:
    """Return the graph that a model was fitted to, or made of its points, and labels; by default the model's."""
    if not hasattr(graph, "get_params"):
        return graph, labels_of(labels)
    found = labels_of(graph if labels is None else labels, required=labels is not None)
    held = getattr(graph if hasattr(graph, "graph_") else fitted_part(graph), "graph_", None)
    if held is None:
        raise ArgumentError(f"graph is {a_type(graph)} without a graph; pass a fitted model or a graph.")
    return held, found


def ellipses_of(holder: T) -> T:
    """Return the mixture that a `VertexClustering` holds; other values are returned as they are."""
    if not hasattr(holder, "get_params"):
        return holder
    mixture: T | None = getattr(holder, "mixture_", None)
    if mixture is None:
        raise ArgumentError(
            f"ellipse is {a_type(holder)} without a mixture; pass VertexClustering(method='gaussian'), "
            'fitted, or "classes".'
        )
    return mixture


def _is_model(value: object) -> bool:
    return hasattr(value, "get_params") or isinstance(value, LatentPositionGraph)
