"""Laplacian eigenmaps: the smoothest functions on a neighbor graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

import numpy as np

from lpgraph._utils.checks import check_choice
from lpgraph.points.metric import Metric
from lpgraph.points.rows import Points
from lpgraph.spectral.construction import Construction

from .similarity import SimilarityEmbedding


@dataclass(eq=False, repr=False)
class LaplacianEigenmaps(SimilarityEmbedding):
    r"""Embed points by the eigenvectors of the normalised Laplacian of their similarity graph.

    Neighbors are joined by edges with similarity K. The kernel is :math:`K_n(a, b) = K(a, b) / \sqrt{S(a) S(b)}`
    (Bengio et al. 2004, Eq. (8)), where S is the degree. Its top eigenvector :math:`\sqrt{S}` is trivial and is
    left out. The next eigenvectors v, of unit length, give the embedding :math:`v_{ik} / \sqrt{S(x_i)}` (Belkin &
    Niyogi 2003). By Nystrom's formula a new point x has the coordinates
    :math:`\sum_i v_{ik} K_n(x, x_i) / (\lambda_k \sqrt{S(x)})`: the mean of its neighbors' coordinates, weighted
    by their similarities, divided by :math:`\lambda_k`.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    n_neighbors : int or None, default 10
        Points are neighbors if one is among the `n_neighbors` nearest of the other, ties included. If both this
        and `radius` are None, all pairs are similar (Gaussian, n x n memory).
    radius : float, optional
        Points are neighbors if they are at most this far apart; pass ``n_neighbors=None`` with it.
    affinity : {"binary", "gaussian", "precomputed"}, default "binary"
        The similarity K of neighbors: 1, or :math:`\exp(-d^2 / \sigma^2)`. With "precomputed", X is the (n, n)
        matrix K, dense or sparse, and new points are passed as their (m, n) similarities to the training points;
        pass ``n_neighbors=None`` with it.
    sigma : float, optional
        Width of the Gaussian; None means the root mean square length of the edges.
    diagonal : {"keep", "drop"}, default "keep"
        Whether ``K(x, x)``, which is 1 unless X is K, is included in the matrix and in the degrees. With "keep",
        K_n is the same function for training and new points, and ``transform(X_train)`` equals `embedding_`.
        "drop" is the convention of Bengio et al. (2004), footnote 2, and of scikit-learn; with it,
        ``transform(X_train)`` differs from `embedding_`.
    normalization : {"random_walk", "symmetric"}, default "random_walk"
        The coordinates are :math:`y = v / \sqrt{S}`, the solutions of Belkin & Niyogi's generalised problem
        :math:`(S - K) y = (1 - \lambda) S y`, or the eigenvectors v themselves, as in Bengio et al. (2004). The
        latter have the root of the degree as a factor, so that neighbors of different degree are not near each
        other: on images they keep up to half fewer neighbors.
    metric : str or callable, default "euclidean"
        Name of a metric in scikit-learn, a function of two points, or "precomputed". In the last case X is the
        (n, n) distances, and new points are passed as their (m, n) distances to the training points. A sparse X
        lists the distances of neighbors, as from `sklearn.neighbors.KNeighborsTransformer`; every stored entry is
        a distance, including 0.
    metric_params : mapping, optional
        Parameters of the metric: `p` and `w` of "minkowski", `V` of "seuclidean", `V` or `VI` of "mahalanobis",
        further keyword arguments of a function; see `lpgraph.points.metric.with_params`.
    neighbors : {"exact", "approximate"} or int, default "exact"
        Whether neighbors are searched among all points, or approximately: 99 % of a sample's neighbors are found
        (see `recall_`). A number means approximately if there are more points. See `lpgraph.neighbor_graph`.
    components : {"warn", "bridge", "largest", "error"}, default "warn"
        If the graph has several components: join them by the shortest edges between them, with a warning or
        without; embed only the largest (`kept_`); or raise an error. A new point at the place of an end has the
        same edges. Similarities and lists of distances cannot be joined: with "warn" they are an error.
    solver : {"auto", "lapack", "lanczos", "inverse", "multigrid"}, default "auto"
        See `lpgraph.spectral.auto.Auto`. "inverse" applies the inverse of the Laplacian by a sparse
        factorisation. It is much faster for many points on a curve or surface, but the factors need much memory
        if the points have three or more dimensions. "multigrid" needs O(n k) memory and nearly linear time. "auto"
        takes LAPACK up to 600 points, and multigrid from 20 000 on, unless the points have three or more
        dimensions and Lanczos's method converges soon. Between these sizes it predicts the size of the factors
        from two small parts of the graph, and takes the inverse if it is small, else Lanczos's method.
    tol : float, default 1e-6
        Bound on the measured residuals of the eigenpairs, relative to ``1 - l`` (or to 1e-5 if that is smaller).
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver; None means a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points, or of those in `kept_`.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues l of K_n after the trivial 1, decreasing; those of the Laplacian are 1 - l.
    residuals_ : ndarray of shape (n_components,)
        Measured residuals of the eigenpairs, relative as `tol`.
    sigma_ : float or None
        The width that was used; None for other similarities than the Gaussian.
    kept_ : ndarray
        Indices of the points that were embedded: all, unless ``components="largest"`` removed some.
    recall_ : float
        The share of nearest neighbors that were found, estimated from a sample; 1 for an exact search.
    graph_ : csr_array or ndarray of shape (n, n)
        The similarities K.
    n_features_in_ : int
        Number of coordinates, or of training points if X was distances or similarities.

    Notes
    -----
    Eigenvalues may be negative or 0, as those of paths, stars and complete graphs. Where one of the wanted
    eigenvalues is 0 to the precision of the solver, `embedding_` is defined and `transform` raises ArgumentError.

    Memory is O(n k). With ``diagonal="drop"`` the embedding is that of scikit-learn's SpectralEmbedding up to
    signs for the same K. With ``n_neighbors`` the similarities differ: scikit-learn's number counts the point
    itself, so that k there is k - 1 here, and an edge has weight 1/2 there if only one of its ends is among the
    nearest of the other.

    References
    ----------
    Belkin, M. & Niyogi, P. (2003), "Laplacian eigenmaps for dimensionality reduction and data representation",
    Neural Computation 15. Bengio, Y. et al. (2004), "Learning eigenfunctions links spectral embedding and kernel
    PCA", Neural Computation 16, Eqs. (7)-(9).

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> arc = np.linspace(0, 3, 40)
    >>> X = np.column_stack([np.cos(arc), np.sin(arc)])
    >>> model = lp.manifold.LaplacianEigenmaps(1, n_neighbors=4).fit(X)
    >>> bool(abs(np.corrcoef(model.embedding_[:, 0], arc)[0, 1]) > 0.95)  # the arc unrolled
    True
    >>> bool(np.allclose(model.transform(X[:3]), model.embedding_[:3]))
    True
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int | None = 10
    radius: float | None = None
    affinity: str = "binary"
    sigma: float | None = None
    diagonal: str = "keep"
    normalization: str = "random_walk"
    metric: Metric = "euclidean"
    metric_params: Mapping[str, object] | None = None
    neighbors: str | int = "exact"
    components: str = "warn"
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    def _construct(self, items: Points) -> Construction:
        check_choice("normalization", self.normalization, ("random_walk", "symmetric"))
        return self._normalised(items, float(self.normalization == "random_walk")).construction(0.0)
