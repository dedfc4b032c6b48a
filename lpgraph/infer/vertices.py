"""Edges and embeddings of vertices that are to be classified or clustered, and calls of estimators of users."""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import igraph
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from lpgraph._utils.checks import check_integer
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph._utils.estimators import replace_state
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.laplacian import LaplacianSpectralEmbedding
from lpgraph.embed.vertex_results import is_joint, sides_of
from lpgraph.errors import ArgumentError, ArgumentTypeError, DisconnectedGraphWarning
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import is_listing, name_at
from lpgraph.spectral.embedding import AtMost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Flags
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency, Network
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_vertices import NewEdges


E = TypeVar("E", bound=BaseEstimator)

log = logging.getLogger("lpgraph.infer")

#: Rows of vertices: their edges, or their outgoing and their incoming arcs.
Arcs: TypeAlias = tuple[sparse.csr_array, ...]
#: Bound on residuals in the bulk of the spectrum; eigenvalues that stand out are found to 0.001. Smaller bounds
#: change neither accuracy nor agreement of clusters on labelled networks.
COARSE = 0.1
#: A single row is filled up to a block, and each block is a call of scikit-learn, which takes 0.1 ms or more.
_ROWS = 512


def known_arcs(graph: Adjacency) -> Arcs:
    """Return the rows of a graph without loops, and of a directed graph also those of the arcs to each vertex."""
    matrix = graph.matrix
    loops = matrix.diagonal()
    if loops.any():
        matrix = sparse.csr_array(matrix - sparse.diags_array(loops))
        matrix.eliminate_zeros()
    return (matrix, sparse.csr_array(matrix.T)) if graph.directed else (matrix,)


def new_arcs(vertices: NewEdges) -> Arcs:
    """Return the rows of new vertices, and in a directed graph also those of the arcs to them."""
    return (vertices.rows,) if vertices.rows_in is None else (vertices.rows, vertices.rows_in)


def arcs_among(vertices: NewEdges) -> sparse.csr_array | None:
    """Return the absolute weights of the edges among new vertices, without directions; None if there are none."""
    if vertices.among is None:
        return None
    edges = abs(vertices.among)
    if vertices.rows_in is not None:
        edges = edges + edges.T
    edges = sparse.csr_array(edges - sparse.diags_array(edges.diagonal()))
    edges.eliminate_zeros()
    return edges if len(edges.data) else None


def undirected(arcs: Arcs) -> sparse.csr_array:
    """Return the edges without directions."""
    return arcs[0] if len(arcs) == 1 else sparse.csr_array(arcs[0] + arcs[1])


def without_weights(rows: sparse.csr_array) -> sparse.csr_array:
    """Return 1 for each edge, so that weights cannot cancel in sums."""
    return sparse.csr_array((np.ones(len(rows.data), dtype=np.intp), rows.indices, rows.indptr), shape=rows.shape)


def linked_to(chosen: Flags, arcs: Arcs) -> Flags:
    """Whether each vertex has an edge to one of the chosen known vertices."""
    return np.asarray(np.any([without_weights(rows) @ chosen.astype(np.intp) > 0 for rows in arcs], axis=0))


def isolated(arcs: Arcs) -> Flags:
    """Whether each vertex has no edge."""
    return np.asarray(sum(np.diff(rows.indptr) for rows in arcs) == 0)


def counted(chosen: Flags, names: Names, kind: str = "") -> str:
    """Return how many of the vertices are chosen, and the name of the first."""
    return f"{chosen.sum()} of {len(chosen)} {kind}vertices, such as {name_at(names, chosen.argmax())!r},"


def unit_rows(positions: Array) -> Array:
    """Return the rows divided by their lengths; rows of zeros remain."""
    length = np.sqrt(np.einsum("ij,ij->i", positions, positions))[:, None]
    return np.asarray(np.divide(positions, length, out=np.zeros_like(positions), where=length > 0))


def is_bipartite(edges: sparse.csr_array) -> bool:
    """Whether vertices have two sides with all edges between them, and the spectrum is therefore symmetric."""
    arcs = edges.tocoo()
    ends = np.column_stack([arcs.row, arcs.col])[arcs.row < arcs.col]
    return not edges.diagonal().any() and igraph.Graph(n=edges.shape[0], edges=ends).is_bipartite()


def default_embedding(graph: Network, most: int) -> NetworkEmbedding:
    """Return an unfitted embedding in `most` dimensions, or as many as the matrix has eigenvalues that are not 0.

    It is the Laplacian spectral embedding regularised by the mean degree, or the adjacency spectral embedding if
    there are negative weights, for which degrees are not defined.
    """
    if graph.lowest_weight < 0:
        return AdjacencySpectralEmbedding(AtMost(most), tol=COARSE)
    return LaplacianSpectralEmbedding(AtMost(most), regularizer="mean", tol=COARSE)


def check_estimator(argument: str, estimator: object, methods: Sequence[str], example: str) -> None:
    """Raise ArgumentTypeError for a class, or a value that is not an estimator with some methods."""
    needed = ("get_params", *methods)
    if isinstance(estimator, type) or not all(callable(getattr(estimator, name, None)) for name in needed):
        raise ArgumentTypeError(
            f"{argument}={estimator!r:.300} is no estimator with {' and '.join(methods)}; pass {example}."
        )


def unfitted(embedding: object, argument: str = "embedding") -> NetworkEmbedding:
    """Return an unfitted copy of an embedding that was passed as an argument; raise if it is none."""
    check_estimator(argument, embedding, ["fit_transform"], "AdjacencySpectralEmbedding()")
    copy: NetworkEmbedding = clone(embedding)
    return copy


def read_network(graph: object, embedding: Foreign) -> tuple[Adjacency, object]:
    """Return the network, and what the embedding is fitted to: of a joint one, networks whose sum is the first."""
    if is_joint(embedding):
        check_estimator("embedding", embedding, ["fit_transform"], "UnfoldedEmbedding()")
        networks = embedding.read(graph)
        return networks.total, networks
    network = as_adjacency(graph)
    return network, network


def embedded(embedding: NetworkEmbedding, graph: object, *, quiet: bool) -> list[Array]:
    """Fit an embedding, and return the positions of the vertices, on both sides if it is directed.

    `quiet` suppresses the warning of components, for callers that treat vertices outside of the largest one.
    """
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore", DisconnectedGraphWarning)
        positions = embedding.fit_transform(graph)
    several = is_joint(embedding) or getattr(embedding, "embedding_in_", None) is not None
    # Sums over rows of tables, which are stored by columns, would differ in their last bits.
    sides = sides_of(embedding) if several else [positions]
    return [np.ascontiguousarray(side) for side in sides]


def check_numbers(argument: str, numbers: object) -> list[int]:
    """Return one or several numbers of clusters, increasing."""
    several = numbers if is_listing(numbers) else [numbers]
    found = sorted({check_integer(argument, number, low=1) for number in several})
    if not found:
        raise ArgumentError(f"{argument} is empty; pass at least one number.")
    return found


def fit_anew(estimator: E, *data: object) -> E:
    """Fit an estimator by `_fit`, which sets attributes; if that fails, an earlier fit remains as it is."""
    fitted = type(estimator)(**estimator.get_params(deep=False))
    fitted._fit(*data)
    replace_state(estimator, {name: value for name, value in vars(fitted).items() if name.endswith("_")})
    return estimator


def in_blocks(estimator: BaseEstimator, method: str, rows: Array) -> NDArray[np.generic]:
    """Return the predictions for rows, the same for a row alone and in any batch.

    scikit-learn multiplies all rows at once, and BLAS chooses its loops by their number. Here all calls have the
    same number of rows; the last block is filled with copies of its first row. BLAS has one thread.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of scikit-learn, or one like it. Random numbers that it draws depend on the place.
    method : {"predict", "predict_proba"}
        What is computed.
    rows : ndarray of shape (m, p)
        Features.

    Returns
    -------
    ndarray of shape (m,) or (m, k)

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.vertices import in_blocks
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> in_blocks(model, "predict", np.array([[0.5], [4.5]]))
    array([0, 1])
    """
    predict, found = getattr(estimator, method), []
    with blas_alone():
        for part in slices(max(1, len(rows)), _ROWS):
            some = rows[part]
            block = np.zeros((_ROWS, rows.shape[1]))
            block[: len(some)], block[len(some) :] = some, some[:1] if len(some) else 0.0
            found.append(np.asarray(predict(block))[: len(some)])
    return np.concatenate(found)
