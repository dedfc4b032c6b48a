"""Covariate-assisted spectral embedding: the Laplacian of a network and the covariates of its vertices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_flag
from lpgraph._utils.types import Array
from lpgraph.errors import ArgumentError
from lpgraph.graph.preprocess import inverse_power
from lpgraph.graph.vertex_values import as_covariates
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Matrix, Squared, Sum

from .base import NetworkEmbedding
from .constructions import DegreeRows, VertexRows, tau_of
from .covariate_terms import CovariateGram, weight_of_covariates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Network
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.spectral.construction import Items


@dataclass(frozen=True, eq=False)
class CovariateRows(VertexRows):
    """Rows of an embedding with covariates: edges scaled by both degrees, the covariates, and 1.

    The basis that they are multiplied by has a row for each known vertex, for each covariate, and one for the
    means of the covariates.

    Attributes
    ----------
    edges : DegreeRows
        Scales the edges.
    n_covariates : int
        Number R of covariates, the last columns of new vertices.
    lift : callable or None
        Returns that basis from the one of the extension; None after a fit. The kernel is a product: that of L L
        is a row of L, multiplied by ``L @ basis``.
    """

    edges: DegreeRows
    n_covariates: int
    lift: Callable[[Array], Array] | None = None

    def __call__(self, new: Items, side: str = "out") -> sparse.csr_array:
        """Return the (m, n + R + 1) rows of (m, n + R) edges and covariates."""
        n, given = len(self.edges.left), sparse.csr_array(new)
        if given.shape[1] != n + self.n_covariates:
            raise ArgumentError("new has no covariates; pass covariates=, or what read_new returns with them.")
        ones = sparse.csr_array(np.ones((given.shape[0], 1)))
        return sparse.csr_array(sparse.hstack([self.edges(given[:, :n]), given[:, n:], ones]))

    def fitted(self, basis: Array) -> CovariateRows:
        """Return the rows that are kept."""
        return replace(self, lift=None)

    def lifted(self, basis: Array) -> Array:
        """Return what the rows are multiplied by."""
        return basis if self.lift is None else self.lift(basis)


@dataclass(eq=False, repr=False, kw_only=True)
class CovariateAssistedEmbedding(NetworkEmbedding):
    r"""Embed the vertices of a network by their edges and their covariates.

    The leading eigenvectors of :math:`L^2 + \alpha X X^T` are computed, where
    :math:`L = (D + \tau)^{-1/2} A (D + \tau)^{-1/2}` and X has the covariates of the vertices in rows (Binkiewicz,
    Vogelstein & Rohe 2017). Neither matrix is formed.

    Parameters
    ----------
    n_components : int, None, str, callable or DimensionChoice
        Dimension d; see `AdjacencySpectralEmbedding`. None means the elbow of the eigenvalues.
    covariates : DataFrame, mapping, array-like or sparse matrix
        Numbers of each vertex: a table of any library with the names of vertices in its index or in one
        column, ``{name: numbers}``, or an array or sparse matrix of shape (n, R) in the order of the vertices.
        Rows of other names are left out.
    alpha : float or {"balance", "kmeans"}, default "balance"
        Weight of the covariates. "balance" makes the largest eigenvalues of both terms equal. "kmeans" is the
        paper's rule: the weight between two bounds for which the rows of the ``n_components`` eigenvectors have
        the least k-means objective; it needs a number as `n_components`, and a dozen decompositions.
    assortative : bool, default False
        Whether L is used instead of :math:`L^2`, for networks whose edges join vertices of the same group. The
        square also takes groups whose vertices avoid each other.
    standardize : bool, default True
        Whether each covariate is centred and divided by its standard deviation. Sparse covariates remain sparse.
    regularizer : float or "mean", default "mean"
        tau >= 0, added to every degree; "mean" is the mean degree.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver and of k-means; None means a fixed seed.
    align_to : fitted embedding, data frame, mapping or None, default None
        An earlier fit, to whose positions the coordinates are rotated; see `AdjacencySpectralEmbedding`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, d)
        Positions of the vertices: :math:`\lambda_k^{1/4} v_k`, so that alpha = 0 gives the magnitudes of
        `LaplacianSpectralEmbedding`; :math:`\lambda_k^{1/2} v_k` if `assortative`.
    eigenvalues_ : ndarray of shape (d,)
        The largest eigenvalues, decreasing.
    alpha_, regularizer_ : float
        The weight and the tau that were used.
    n_covariates_ : int
        R, the number of covariates.
    covariate_names_ : ndarray of str of shape (R,), or None
        Titles of the columns of a data frame.
    signature_, singular_values_, residuals_, scree_, dimension_choice_
        As in `AdjacencySpectralEmbedding`.
    alignment_, vertex_names_, directed_, weighted_, graph_
        As in `AdjacencySpectralEmbedding`.

    Raises
    ------
    ArgumentError
        By `fit`, if a vertex has no covariates, or one that is missing; the message names the vertex.
    GraphError
        By `fit`, if the graph is directed or has negative weights.

    See Also
    --------
    LaplacianSpectralEmbedding : the edges alone.

    Notes
    -----
    A new vertex has the row :math:`\ell^T L + \alpha x^T X^T`, where :math:`\ell` is its row of L and x its
    covariates, standardised by the means and deviations of the known vertices. So ``transform(A, covariates=X)``
    equals `embedding_` to rounding, and a vertex without edges is placed by its covariates. `save` does not store
    `covariates`.

    The bounds of "kmeans" are :math:`(\lambda_K(M) - \lambda_{K+1}(M)) / \lambda_1(X X^T)` and
    :math:`\lambda_1(M) / (\lambda_K(X X^T) - \lambda_{K+1}(X X^T))` with :math:`M = L^2`, or L if `assortative`;
    with R <= K the denominator is the least positive eigenvalue of :math:`X X^T`.

    References
    ----------
    Binkiewicz, N., Vogelstein, J. T. & Rohe, K. (2017), "Covariate-assisted spectral clustering", Biometrika 104,
    361-377.

    Examples
    --------
    Both groups have the same edges, and their covariates differ:

    >>> import numpy as np
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([50, 50], [[0.3, 0.2], [0.2, 0.3]], random_state=0)
    >>> noise = np.random.default_rng(0).standard_normal((100, 3))
    >>> model = lp.CovariateAssistedEmbedding(2, covariates=graph.labels[:, None] + 0.5 * noise).fit(graph)
    >>> model.embedding_.shape
    (100, 2)
    >>> model.transform({"new": [0, 1, 2]}, covariates={"new": [0.1, -0.2, 0.3]}).shape
    (1, 2)
    """

    covariates: object = None
    alpha: float | str = "balance"
    assortative: bool = False
    standardize: bool = True
    regularizer: float | str = "mean"

    _prefix = "case"
    _nonnegative = True
    _undirected = True

    alpha_: float = field(init=False)
    regularizer_: float = field(init=False)
    n_covariates_: int = field(init=False)
    covariate_names_: NDArray[np.str_] | None = field(init=False)

    def _construct(self, items: Network) -> Construction:
        tau = tau_of(self.regularizer, items)
        squared = not check_flag("assortative", self.assortative)
        given = as_covariates(self.covariates, items.names)
        gram = CovariateGram.of(given.matrix, standardize=check_flag("standardize", self.standardize))
        count, root = given.matrix.shape[1], inverse_power(items.degrees + tau)
        laplacian = Matrix(items.product, root)
        network, rest = Squared(laplacian) if squared else laplacian, gram.operator
        weigh = partial(weight_of_covariates, tol=self.tol, random_state=self.random_state)
        alpha = weigh(self.alpha, network, rest, self.n_components)

        def lift(basis: Array) -> Array:
            return np.vstack([laplacian @ basis if squared else basis, alpha * gram.for_new(basis)])

        return Construction(
            Sum(network, rest, alpha),
            CovariateRows(DegreeRows(root, root, tau), count, lift),
            power=0.25 if squared else 0.5,
            attributes={
                "alpha_": alpha,
                "regularizer_": tau,
                "n_covariates_": count,
                "covariate_names_": given.titles,
            },
        )

    def _with_covariates(self, vertices: NewEdges, covariates: object) -> NewEdges:
        if covariates is None:
            return vertices
        found = as_covariates(covariates, vertices.names).in_order_of(self.covariate_names_, self.n_covariates_)
        return replace(vertices, covariates=sparse.csr_array(found.matrix))

    def transform(self, new: object, *, direction: str | None = None, covariates: object = None) -> Array:
        """Embed new vertices by their edges to the known vertices and their covariates.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            As for `AdjacencySpectralEmbedding.transform`.
        direction : {"out"}, optional
            The graph is undirected.
        covariates : DataFrame, mapping, array-like or sparse matrix
            The covariates of the new vertices, as those of the known ones in the constructor; arrays in the order
            of ``read_new(new).names``.

        Returns
        -------
        ndarray of shape (m, d)
            One row for each new vertex, the same alone and in any batch.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, a new vertex has no covariates, or these have other columns.
        """
        return super().transform(self.read_new(new, covariates=covariates), direction=direction)
