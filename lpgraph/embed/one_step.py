"""One-step estimator of latent positions: a step of Fisher scoring from the adjacency spectral embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import blas_alone, in_threads
from lpgraph._utils.estimators import check_fitted
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.names import as_labels, code_names
from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product
from lpgraph.linalg.packed import packed, pairs, unpacked
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Matrix

from .base import NetworkEmbedding, resampling
from .constructions import VertexRows, degrees_of, with_values
from .edge_probabilities import bounded_degrees

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Network
    from lpgraph.spectral.construction import Items
    from lpgraph.spectral.embedding import SpectralEmbedding

#: Least probability of an edge or of an absent edge, relative to the product of the degrees.
_LEAST = 0.1
#: Entries of the work arrays of each thread: 16 MB.
_CHUNK = 1 << 21
#: Up to so many dimensions, products of all pairs of columns take less time than columns times weights.
_FEW = 8


@dataclass(eq=False, repr=False, kw_only=True)
class OneStepEmbedding(NetworkEmbedding):
    r"""Embed the vertices of a network by the one-step estimator, which is efficient in dense networks.

    From the adjacency spectral embedding :math:`\hat x_i` with signature S, each position makes one step of Fisher
    scoring for the likelihood of its row of edges (Xie & Xu 2019):

    .. math:: \tilde x_i = \hat x_i + \Big\{\sum_j \frac{w_j w_j^T}{\hat p_{ij} (1 - \hat p_{ij})}\Big\}^{-1}
        \sum_j \frac{(A_{ij} - \hat x_i^T w_j)\, w_j}{\hat p_{ij} (1 - \hat p_{ij})}, \qquad w_j = S \hat x_j

    where :math:`\hat p_{ij} = \hat x_i^T w_j`, bounded as in the notes. The first spectral embedding minimises the
    squared error, as if all pairs had the same variance; the step weights them by their variances.

    Parameters
    ----------
    n_components : int, None, str, callable or DimensionChoice
        Dimension d; see `AdjacencySpectralEmbedding`.
    which : {"LM", "LA"}, default "LM"
        The d eigenvalues of largest magnitude, or the d largest.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver. None means a fixed seed: the same graph always gives the same
        embedding.
    align_to : fitted embedding, data frame, mapping or None, default None
        An earlier fit, to whose positions the coordinates are rotated; see `AdjacencySpectralEmbedding`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, d)
        Positions of the vertices; ``(embedding_ * signature_) @ embedding_.T`` estimates the probabilities.
    eigenvalues_, signature_, singular_values_, residuals_, scree_, dimension_choice_
        Of the adjacency matrix, as in `AdjacencySpectralEmbedding`.
    alignment_, vertex_names_, directed_, weighted_, graph_
        As in `AdjacencySpectralEmbedding`.

    Raises
    ------
    GraphError
        By `fit`, if the graph is directed or weighted.

    See Also
    --------
    AdjacencySpectralEmbedding : the first estimate; for every network, and in linear time.
    OutOfSample : the rule "likelihood" makes such a step for new vertices of an adjacency embedding.

    Notes
    -----
    The step takes O(n^2 d^2) time and O(n d + 10^6) memory: no n x n array is formed. 20 000 vertices in 5
    dimensions take 21 seconds on one core.

    In dense networks the covariance of a position is the inverse of the sum in braces, which no regular estimator
    improves (Xie & Xu 2019); `covariances` returns it. Products :math:`\hat x_i^T w_j` outside (0, 1) are no
    probabilities. Bounds that are the same for all pairs, such as 1/n, give a few pairs nearly all of the weight,
    and the step may be worse than none. Here p is at least a tenth of the product of the degrees, :math:`d_i d_j /
    2m`, and 1 - p accordingly.

    `transform` makes the same step from the least-squares position of a new vertex, so that ``transform(A)``
    equals `embedding_` to rounding.

    References
    ----------
    Xie, F. & Xu, Y. (2019), "Efficient estimation for random dot product graphs via a one-step procedure",
    arXiv:1910.04333. Wu, D. & Xie, F. (2022), "Statistical inference of random graphs with a surrogate likelihood
    function", arXiv:2207.01702, on the instability of likelihoods near 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 60], [[0.8, 0.1], [0.1, 0.4]], random_state=0)
    >>> model = lp.OneStepEmbedding(2).fit(graph)
    >>> model.embedding_.shape, model.covariances([0, 1]).shape
    ((120, 2), (2, 2, 2))
    >>> model.transform({"new": [0, 1, 2]}).shape
    (1, 2)
    """

    which: str = "LM"

    _prefix = "one_step"
    _undirected = True

    def _read(self, X: object) -> Network:
        network = super()._read(X)
        if network.weighted:
            raise GraphError("The graph has weights; pass as_adjacency(graph, weight=None) to OneStepEmbedding.")
        return network

    def _construct(self, items: Network) -> Construction:
        total = float(items.degrees.sum())
        rows = OneStepRows(bounded_degrees(items.degrees, total, items.n_vertices), total)

        def training(found: SpectralEmbedding) -> Array:
            edges = items.rows(np.arange(items.n_vertices))
            return rows.fitted(found.extension.basis).finish(found.coordinates, edges)

        return Construction(
            Matrix(items.product),
            rows,
            end=self._end,
            positive=False,
            resampling=resampling(items, lambda part: Matrix(part.product)),
            training=training,
        )

    def covariances(self, vertices: Iterable[Hashable] | None = None) -> Array:
        """Return the estimated covariance of each position: the inverse of its information.

        Parameters
        ----------
        vertices : iterable of hashable, optional
            Names of vertices; by default all.

        Returns
        -------
        ndarray of shape (m, d, d), or (n, d (d + 1) / 2)
            The matrices of chosen vertices; of all vertices their upper triangles, row by row. They refer to the
            position up to the orthogonal matrix that no network determines.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        UnknownVertexError
            If a name is not a vertex.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> model = lp.OneStepEmbedding(2).fit(nx.complete_multipartite_graph(9, 9, 9))
        >>> model.covariances().shape, model.covariances([3]).shape
        ((27, 3), (1, 2, 2))
        """
        check_fitted(self, "embedding_")
        fit = cast("OneStepRows", self._placement.new_rows)
        positions, degrees = self.embedding_, fit.degrees
        if vertices is not None:
            chosen = code_names(as_labels(vertices, "vertices"), self.vertex_index_)
            positions, degrees = positions[chosen], degrees[chosen]
        # The information depends on the degrees, not on the edges.
        found = fit.step(positions, degrees, sparse.csr_array((len(positions), len(fit.degrees))))[1]
        return found if vertices is None else unpacked(found)


@dataclass(frozen=True, eq=False)
class OneStepRows(VertexRows):
    """Edges of new vertices, whose least-squares positions are improved by one step of Fisher scoring.

    Attributes
    ----------
    degrees : ndarray of shape (n,)
        Degrees of the known vertices, bounded so that the products below are probabilities.
    total : float
        Sum of the degrees.
    design : ndarray of shape (n, d) or None
        Rows w_j, so that ``y @ w_j`` estimates the probability of an edge between the position y and vertex j: the
        positions times the signature. None before the fit.
    """

    degrees: Array
    total: float
    design: Array | None = None

    @blas_alone()
    def fitted(self, basis: Array) -> OneStepRows:
        """Return the rows that are kept: a basis Z S / |l| has the design Z S."""
        return OneStepRows(self.degrees, self.total, basis @ np.linalg.inv(basis.T @ basis))

    def finish(self, coordinates: Array, new: Items) -> Array:
        """Return the positions after the step from the least-squares positions `coordinates`."""
        rows = sparse.csr_array(new)
        if (rows.data != 1).any():
            raise ArgumentError("new has edges of other weights than 1; OneStepEmbedding is for weights of 1.")
        degrees = bounded_degrees(degrees_of(rows), self.total, len(self.degrees))
        return self.step(coordinates, degrees, rows)[0]

    def step(self, positions: Array, degrees: Array, rows: sparse.csr_array) -> tuple[Array, Array]:
        """Return positions and covariances after a step; see `fisher_step`."""
        return fisher_step(np.asarray(self.design), self.degrees / self.total, positions, degrees, rows)


@blas_alone()
def fisher_step(
    design: Array, shares: Array, positions: Array, degrees: Array, rows: sparse.csr_array, product: float = 0.0
) -> tuple[Array, Array]:
    """Return positions after a step of Fisher scoring, and their packed covariances, the inverse information.

    The log-likelihood of the row xi for the probabilities ``p = W y`` has the score ``W.T V^-1 (xi - W y)`` and
    the information ``W.T V^-1 W`` with V = diag(p (1 - p)). One step from any y gives the weighted least-squares
    position ``(W.T V^-1 W)^-1 W.T V^-1 xi``, so that y enters by V only.

    The products of some positions are no probabilities, so that their weights ``1 / (p (1 - p))`` would be
    negative or without bound. Here p and 1 - p are at least `_LEAST` times those of the product of the degrees.

    Parameters
    ----------
    design : ndarray of shape (n, d)
        Rows w_j of the known vertices.
    shares : ndarray of shape (n,)
        Degrees of the known vertices, bounded, divided by their sum.
    positions : ndarray of shape (m, d)
        Positions of the vertices before the step.
    degrees : ndarray of shape (m,)
        Their degrees, bounded.
    rows : csr_array of shape (m, n)
        Their edges, of weight 1.
    product : float
        Weight of the product of the degrees in p; that of the product of the positions is the rest.

    Returns
    -------
    positions : ndarray of shape (m, d)
    covariances : ndarray of shape (m, d (d + 1) / 2)
    """
    m, d = positions.shape
    columns = np.ascontiguousarray(design.T)
    found, covariances = np.empty((m, d)), np.empty((m, d * (d + 1) // 2))

    def block(low: int, high: int) -> None:
        by_degrees = np.multiply.outer(degrees[low:high], shares)
        p = columnwise_product(positions[low:high], columns)
        if product:
            p += product * (by_degrees - p)
        least = _LEAST * np.minimum(by_degrees, 1 - by_degrees)
        p = np.clip(p, least, 1 - least)
        weights = 1 / (p * (1 - p))
        if d <= _FEW:
            information = unpacked(rowwise_product(weights, pairs(columns).T))
        else:
            information = (columns * weights[:, None, :]) @ design
        inverses = np.asarray(np.linalg.inv(information))
        some = rows[low:high]
        pull = with_values(some, weights[some.tocoo(copy=False).coords]) @ design
        found[low:high] = (inverses @ pull[:, :, None])[:, :, 0]
        covariances[low:high] = packed(inverses)

    in_threads(block, [*range(0, m, max(1, _CHUNK // design.size)), m])
    return found, covariances
