"""One-step estimator of latent positions: a step of Fisher scoring from the adjacency spectral embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import blas_alone, in_threads
from lpgraph._utils.estimators import check_fitted
from lpgraph.embed.base import NetworkEmbedding, resampling
from lpgraph.embed.constructions import VertexRows, degrees_of, with_values
from lpgraph.embed.edge_probabilities import bounded_degrees
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.names import as_labels, code_names
from lpgraph.linalg.dense_rows import columnwise_product
from lpgraph.linalg.packed import packed, pairs, unpacked
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Matrix

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from lpgraph._utils.types import Array
    from lpgraph.graph.network import Network
    from lpgraph.spectral.construction import Items
    from lpgraph.spectral.embedding import SpectralEmbedding

#: Least probability of an edge or of an absent edge, relative to the product of the degrees.
_LEAST = 0.1
#: Entries of the work arrays of each thread: 8 MB.
_CHUNK = 1 << 20


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
        rows = cast("OneStepRows", self._placement.new_rows)
        if vertices is not None:
            chosen = code_names(as_labels(vertices, "vertices"), self.vertex_index_)
            return rows.covariances(self.embedding_[chosen], rows.degrees[chosen])
        return packed(rows.covariances(self.embedding_, rows.degrees))


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
        return self._by_information(coordinates, degrees, rows)

    def covariances(self, positions: Array, degrees: Array) -> Array:
        """Return the inverse information of vertices with the given positions and bounded degrees, (m, d, d)."""
        found = self._by_information(positions, degrees, None)
        return (found + np.swapaxes(found, 1, 2)) / 2

    def _by_information(self, positions: Array, degrees: Array, rows: sparse.csr_array | None) -> Array:
        """Return the positions after a step for rows of edges, of shape (m, d), or without rows the inverses.

        The information is ``sum_j w_j w_j.T / (p (1 - p))``, of shape (m, d, d). The products of the positions are
        no probabilities in some places, whose weights ``1 / (p (1 - p))`` would be negative or without bound; p is
        at least `_LEAST` times the product of the degrees.
        """
        design = np.asarray(self.design)
        n, d = design.shape
        columns = np.ascontiguousarray(design.T)
        products = np.ascontiguousarray(pairs(columns).T)
        result = np.empty((len(positions), d) if rows is not None else (len(positions), d, d))

        def block(low: int, high: int) -> None:
            product = np.multiply.outer(degrees[low:high], self.degrees / self.total)
            least = _LEAST * np.minimum(product, 1 - product)
            p = np.clip(columnwise_product(positions[low:high], columns), least, 1 - least)
            weights = 1 / (p * (1 - p))
            # One product for each row, so that its bits do not depend on the other rows.
            information = unpacked(np.matmul(weights[:, None, :], products)[:, 0])
            if rows is None:
                result[low:high] = np.linalg.inv(information)
                return
            some = rows[low:high]
            at = np.repeat(np.arange(high - low), np.diff(some.indptr))
            pull = with_values(some, weights[at, some.indices]) @ design
            result[low:high] = np.linalg.solve(information, pull[:, :, None])[:, :, 0]

        with blas_alone():
            in_threads(block, [*range(0, len(positions), max(1, _CHUNK // n)), len(positions)])
        return result
