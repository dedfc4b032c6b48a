"""Arguments of plots: positions, labels and graphs, also as fitted models and sampled graphs that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.checks import check_finite_array, is_integer, is_missing, type_of, without_masked
from lpgraph.embed.base import at_origin
from lpgraph.embed.procrustes import NamedPositions, fitted_part
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.names import listed
from lpgraph.graph.vertex_values import in_order, of_attribute
from lpgraph.infer.vertices import linked_to, new_arcs
from lpgraph.models.latent_position import LatentPositionGraph
from lpgraph.plot.palette import UNLABELLED
from lpgraph.points.checks import network_kind

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Integers
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_vertices import NewEdges

    #: Labels in the order of the rows, or by name, or a model that holds them.
    Labels: TypeAlias = ArrayLike | Mapping[Hashable, object] | BaseEstimator
    #: Positions, or a model that holds them.
    Positions: TypeAlias = ArrayLike | BaseEstimator | LatentPositionGraph

#: Attributes with one label for each vertex or point.
_LABELS = ("transduction_", "labels_", "labels")


def read_points(name: str, points: ArrayLike, dimensions: tuple[int, int] = (0, 1)) -> Array:
    """Return points as an array of at least two columns, and check that it has the columns `dimensions`."""
    array = check_finite_array(name, points, ndim=2)
    if array.shape[1] == 1:
        raise ArgumentError(f"{name} has one dimension, and two are drawn; fit with n_components=2.")
    if np.shape(dimensions) != (2,) or not all(is_integer(k) and 0 <= k < array.shape[1] for k in dimensions):
        most = array.shape[1] - 1
        raise ArgumentError(f"dimensions={dimensions!r:.60}; pass two columns from 0 to {most} of {name}.")
    return array


def row_labels(name: str, labels: Labels | None, n: int, names: Names | None = None) -> NDArray[np.generic]:
    """Return an array with one label per row; zeros if `labels` is None.

    Mappings and pandas objects are read by the names of the rows, which are 0 ... n-1 by default. Missing and
    masked ones, and rows that a mapping lacks, become `UNLABELLED`, and other labels then strings.
    """
    if labels is None:
        return np.zeros(n, dtype=int)
    ordered = in_order(labels, range(n) if names is None else names, name, partial=True)
    if hasattr(ordered, "to_list"):  # numpy may not have the type of a column
        ordered = ordered.to_list()
    given = without_masked(ordered)
    # numpy makes "nan" of NaN in a list of texts.
    lost = isinstance(given, list) and any(map(is_missing, given))
    kinds = np.asarray(given, dtype=object if lost else None)
    if kinds.shape != (n,):
        raise ArgumentError(f"{name} has shape {kinds.shape}; pass one label for each of {n} rows.")
    missing = np.array(list(map(is_missing, kinds.tolist())), dtype=bool)
    if kinds.dtype == object or missing.any():  # objects of several types cannot be sorted
        # A column of integers in which some are missing has become one of floats.
        known = [int(k) if isinstance(k, float) and k.is_integer() else k for k in kinds[~missing].tolist()]
        kinds = np.full(n, UNLABELLED, dtype=object)
        kinds[~missing] = list(map(str, known))
        return kinds.astype(str)
    return kinds


def classified(argument: str, holder: Positions, labels: Labels | None = None) -> tuple[Foreign, Foreign]:
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
    network = graph if isinstance(graph, Adjacency) else None
    given = labels if network is None else of_attribute(labels, network, "labels")
    found = labels_of(holder if given is None else given, required=given is not None)
    read = NamedPositions.of(argument, holder.positions if isinstance(holder, LatentPositionGraph) else holder)
    return read.out, None if found is None else np.asarray(in_order(found, read.names, "labels", partial=True))


def neighbor_counts(graph: Adjacency) -> Integers:
    """Return the number of neighbors of each vertex; in a directed graph, the sum of in- and out-degree."""
    degrees = np.diff(graph.matrix.indptr).astype(np.intp)
    return degrees + np.bincount(graph.matrix.indices, minlength=len(degrees)) if graph.directed else degrees


def placed_new(embedding: NetworkEmbedding, vertices: NewEdges) -> Array:
    """Return positions of new vertices, exactly 0 if all known neighbors are at the origin.

    With covariates, vertices without edges have positions as well.
    """
    if vertices.covariates is not None:
        return embedding.transform(vertices)
    linked = linked_to(~at_origin(embedding.graph_, [embedding.embedding_]), new_arcs(vertices))
    return np.where(linked[:, None], embedding.transform(vertices), 0.0)


def labels_of(holder: Foreign, *, required: bool = True) -> Foreign:
    """Return the labels that a model holds, by name if it has names; other values are returned as they are."""
    if not _is_model(holder):
        return holder
    found = next((value for name in _LABELS if (value := getattr(holder, name, None)) is not None), None)
    if found is None and required:
        raise ArgumentError(
            f"labels is {type_of(holder)} without labels; pass a fitted model that has some, or labels."
        )
    names = getattr(holder, "vertex_names_", None)
    if found is None or names is None:
        return found
    return dict(zip(listed(names), np.asarray(found).tolist(), strict=True))


def graph_of(graph: Foreign, labels: Foreign) -> tuple[Foreign, Foreign]:
    """Return the graph that a model was fitted to, or made of its points, and labels; by default the model's."""
    if not hasattr(graph, "get_params"):
        return graph, labels_of(labels)
    found = labels_of(graph if labels is None else labels, required=labels is not None)
    held = getattr(graph if hasattr(graph, "graph_") else fitted_part(graph), "graph_", None)
    if held is None:
        raise ArgumentError(f"graph is {type_of(graph)} without a graph; pass a fitted model or a graph.")
    return held, found


def check_result(result: object, kind: type, maker: str, name: str = "result") -> None:
    """Refuse an object that is not the result of a function, which is named in the error."""
    if not isinstance(result, kind):
        raise ArgumentTypeError(f"{name} is {type_of(result)}; pass what lpgraph.{maker} returns.")


def _is_model(value: object) -> bool:
    return hasattr(value, "get_params") or isinstance(value, LatentPositionGraph)
