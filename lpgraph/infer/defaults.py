"""Embeddings of classifiers and clusterings of vertices, and their default."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import clone

from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.laplacian import LaplacianSpectralEmbedding
from lpgraph.errors import ArgumentTypeError, DisconnectedGraphWarning
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.infer.components import Components
from lpgraph.spectral.scree import AtMost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.network import Network
    from lpgraph.spectral.construction import Array

__all__ = ["clustering_embedding", "default_embedding", "embedded", "significant_dimensions", "unfitted"]

N = TypeVar("N", bound="Network")

#: Bound on residuals in the bulk of the spectrum; eigenvalues that stand out are found to 0.001. Smaller bounds
#: change neither accuracy nor agreement of clusters on labelled networks.
_TOL = 0.1
#: Number of dimensions of the default embedding of a clustering.
_COLUMNS = 16


def default_embedding(graph: Network, most: int) -> NetworkEmbedding:
    """Return an unfitted embedding in `most` dimensions, or as many as the matrix has eigenvalues that are not 0.

    It is the Laplacian spectral embedding regularised by the mean degree, or the adjacency spectral embedding if
    there are negative weights, for which degrees are not defined.
    """
    if graph.lowest_weight < 0:
        return AdjacencySpectralEmbedding(AtMost(most), tol=_TOL)
    return LaplacianSpectralEmbedding(AtMost(most), regularizer="mean", tol=_TOL)


def clustering_embedding(graph: N) -> tuple[NetworkEmbedding, N | Adjacency]:
    """Return the default embedding of clusterings and pictures, unfitted, and the network that it describes.

    This is the graph without directions, and without the edges of small components: an eigenvector belongs to one
    component, and those of small ones can come first.
    """
    network = as_adjacency(graph, directed=False) if graph.directed else graph
    if isinstance(network, Adjacency):
        components = Components.of(network)
        if components.n_large < components.n_joined:
            network = _with_edges_of(network, components.labels < components.n_large)
    return default_embedding(graph, _COLUMNS), network


def _with_edges_of(graph: Adjacency, chosen: NDArray[np.bool_]) -> Adjacency:
    """Return a graph with the edges of some of its components."""
    counts = np.diff(graph.matrix.indptr)
    kept, indptr = np.repeat(chosen, counts), np.concatenate([[0], np.cumsum(np.where(chosen, counts, 0))])
    parts = graph.matrix.data[kept], graph.matrix.indices[kept], indptr.astype(graph.matrix.indptr.dtype)
    return Adjacency.of_canonical(sparse.csr_array(parts, shape=graph.matrix.shape), graph.names, directed=False)


def unfitted(embedding: object, argument: str = "embedding") -> NetworkEmbedding:
    """Return an unfitted copy of an embedding that was passed as an argument; raise if it is none."""
    if (
        isinstance(embedding, type)
        or not hasattr(embedding, "get_params")
        or not hasattr(embedding, "fit_transform")
    ):
        raise ArgumentTypeError(
            f"{argument}={embedding!r} is no estimator; pass one of a network, such as "
            "AdjacencySpectralEmbedding(), and other parameters by name."
        )
    copy: NetworkEmbedding = clone(embedding)
    return copy


def embedded(embedding: NetworkEmbedding, graph: Network, *, quiet: bool) -> list[Array]:
    """Fit an embedding, and return the positions of the vertices, on both sides if it is directed.

    `quiet` suppresses the warning of components, for callers that treat vertices outside of the largest one.
    """
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore", DisconnectedGraphWarning)
        positions = embedding.fit_transform(graph)
    inward = getattr(embedding, "embedding_in_", None)
    # Sums over rows of tables, which are stored by columns, would differ in their last bits.
    sides = [positions] if inward is None else [embedding.embedding_, inward]
    return [np.ascontiguousarray(side) for side in sides]


def significant_dimensions(arcs: sparse.csr_array) -> int:
    """Return the number of significant eigenvectors of the regularised Laplacian; 1 is that of the degrees."""
    embedding = LaplacianSpectralEmbedding("eigenvalue_cv", regularizer="mean", tol=_TOL)
    graph = Adjacency.of_canonical(arcs, range(arcs.shape[0]), directed=False)
    return int(embedded(embedding, graph, quiet=True)[0].shape[1])
