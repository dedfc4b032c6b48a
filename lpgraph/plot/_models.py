"""Arguments of plots: positions, labels and graphs, also as fitted models and sampled graphs that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.checks import check_finite_array, is_integer, is_missing, type_of, without_masked
from lpgraph.embed.base import at_origin
from lpgraph.embed.procrustes import NamedPositions, fitted_part
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import listed
from lpgraph.graph.preprocess import neighbor_counts as neighbor_counts
from lpgraph.graph.vertex_values import in_order, row_names
from lpgraph.infer.vertices import linked_to, new_arcs
from lpgraph.models.latent_position import LatentPositionGraph
from lpgraph.points.checks import network_kind

from .palette import UNLABELLED, Classes

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse
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


def read_points(argument: str, holder: Positions, dimensions: tuple[int, int] = (0, 1)) -> tuple[Array, Names]:
    """Return positions, or those of a model, and the names of their rows; check that they have the columns."""
    if is_model(holder):
        read = NamedPositions.of(argument, holder.positions if isinstance(holder, LatentPositionGraph) else holder)
        points, names = read.out, read.names
    else:
        if kind := network_kind(holder):
            raise ArgumentTypeError(f"{argument} is a network ({kind}); pass a fitted embedding of it.")
        points = check_finite_array(argument, holder, ndim=2)
        names = row_names(holder, len(points))
    d = points.shape[1]
    if d == 1:
        raise ArgumentError(f"{argument} has one dimension, and two are drawn; fit with n_components=2.")
    if np.shape(dimensions) != (2,) or not all(is_integer(k) and 0 <= k < d for k in dimensions):
        raise ArgumentError(f"dimensions={dimensions!r:.60}; pass two columns from 0 to {d - 1} of {argument}.")
    return points, names


def row_labels(name: str, labels: Labels | None, n: int, names: Names | None = None) -> NDArray[np.generic]:
    """Return an array with one label per row; zeros if `labels` is None.

    Mappings and pandas objects are read by the names of the rows, which are 0 ... n-1 by default. Missing and
    masked ones, and rows that a mapping lacks, become `UNLABELLED`, and other labels then strings.
    """
    if labels is None:
        return np.zeros(n, dtype=int)
    ordered = in_order(labels, range(n) if names is None else names, name, partial=True)
    given = without_masked(ordered.to_list() if hasattr(ordered, "to_list") else ordered)
    if isinstance(given, np.ndarray) and given.dtype.kind == "M":
        given = given.astype("datetime64[us]")
    kinds = np.asarray(given, dtype=object)
    if kinds.shape != (n,):
        raise ArgumentError(f"{name} has shape {kinds.shape}; pass one label for each of {n} rows.")
    missing = np.array(list(map(is_missing, kinds)), dtype=bool)
    types = set(map(type, kinds[~missing]))
    if missing.any() or (len(types) > 1 and not types <= {int, float}):  # they cannot be sorted
        # A column of integers in which some are missing has become one of floats.
        known = [int(k) if isinstance(k, float) and k.is_integer() else k for k in kinds[~missing]]
        kinds = np.full(n, UNLABELLED, dtype=object)
        kinds[~missing] = list(map(str, known))
    return kinds


def row_classes(
    labels: Labels | None, holder: Foreign, n: int, names: Names | None = None
) -> tuple[Classes, Integers]:
    """Return the classes of labels, by default those of a model, and the class of each row.

    Numbers from a model are names.
    """
    source = holder if labels is None and is_model(holder) else labels
    kinds = row_labels("labels", labels_of(source, required=labels is not None), n, names)
    classes = Classes.of(kinds, named=is_model(source))
    return classes, classes.codes(kinds)


def pair_counts(matrix: sparse.csr_array, codes: Integers, k: int) -> Integers:
    """Return the numbers of entries between k groups of rows, of shape (k, k)."""
    row, column = (codes[part] for part in matrix.tocoo().coords)
    return np.bincount(row * k + column, minlength=k * k).reshape(k, k)


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
    if not is_model(holder):
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


def graph_of(graph: Foreign) -> Foreign:
    """Return the graph that a model was fitted to, or made of its points; other values as they are."""
    if not hasattr(graph, "get_params"):
        return graph
    held = getattr(graph if hasattr(graph, "graph_") else fitted_part(graph), "graph_", None)
    if held is None:
        raise ArgumentError(f"graph is {type_of(graph)} without a graph; pass a fitted model or a graph.")
    return held


def check_result(result: object, kind: type, maker: str, name: str = "result") -> None:
    """Refuse an object that is not the result of a function, which is named in the error."""
    if not isinstance(result, kind):
        raise ArgumentTypeError(f"{name} is {type_of(result)}; pass what lpgraph.{maker} returns.")


def is_model(value: object) -> bool:
    """Whether a value holds positions or labels."""
    return hasattr(value, "get_params") or isinstance(value, LatentPositionGraph)
