"""Spectral clustering with clusters for new points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin

from lpgraph._utils.checks import check_generator, check_integer
from lpgraph._utils.estimators import check_fitted
from lpgraph._utils.types import Array, Integers
from lpgraph.points.metric import Metric
from lpgraph.points.rows import Points
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.embedding import SpectralEmbedding

from .similarity import SimilarityEmbedding


@dataclass(eq=False, repr=False)
class SpectralClustering(ClusterMixin, SimilarityEmbedding):
    r"""Cluster points by the top eigenvectors of their similarity graph, and new points by Nystrom's formula.

    The top ``n_clusters`` eigenvectors of :math:`K_n(a, b) = K(a, b) / \sqrt{S(a) S(b)}` are computed, where S is
    the degree. Each point has a row of their entries; the rows are scaled to unit length and clustered by
    k-means. The row of a new point is given by Nystrom's formula and scaled; the point gets the cluster of the
    nearest centre.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    n_neighbors : int or None, default 10
        Points are neighbors if one is among the `n_neighbors` nearest of the other, ties included. If both this
        and `radius` are None, all pairs are similar, as in the original method; pass ``affinity="gaussian"`` and
        `sigma` with it (n x n memory).
    radius : float, optional
        Points are neighbors if they are at most this far apart; pass ``n_neighbors=None`` with it.
    affinity : {"binary", "gaussian", "precomputed"}, default "binary"
        The similarity K of neighbors: 1, :math:`\exp(-d^2 / \sigma^2)`, or X itself, as in `LaplacianEigenmaps`.
        "gaussian" is better if edges between clusters are longer than within, but a few points that are far from
        all others may become a cluster.
    sigma : float, optional
        Width of the Gaussian; None means the root mean square length of the edges.
    diagonal : {"keep", "drop"}, default "keep"
        As in `LaplacianEigenmaps`.
    metric : str or callable, default "euclidean"
        As in `LaplacianEigenmaps`.
    metric_params : mapping, optional
        As in `LaplacianEigenmaps`.
    neighbors : {"exact", "approximate"} or int, default "exact"
        Whether neighbors are searched among all points, or approximately: 99 % of a sample's neighbors are found
        (see `recall_`). A number means approximately if there are more points. See `lpgraph.neighbor_graph`.
    n_init : int, default 10
        Number of starts of k-means, the best of which is used.
    solver, tol
        As in `LaplacianEigenmaps`.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver and of k-means; None means a fixed seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters of the training points.
    embedding_ : ndarray of shape (n, n_clusters)
        Unit rows of eigenvectors; `transform` gives those of new points.
    centers_ : ndarray of shape (n_clusters, n_clusters)
        Centres of the clusters of rows.
    eigenvalues_, residuals_, sigma_, graph_, recall_, n_features_in_
        As in `LaplacianEigenmaps`, also where an eigenvalue is 0; here the eigenvalue 1 is included, once for each
        connected component.

    References
    ----------
    Ng, A., Jordan, M. & Weiss, Y. (2002), "On spectral clustering: analysis and an algorithm", NIPS 14. Bengio, Y.
    et al. (2004), "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering", NIPS 16,
    Eq. (3) and Section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = lp.manifold.SpectralClustering(2, n_neighbors=4).fit(np.vstack([circle, 3 * circle]))
    >>> new = model.predict([[0.9, 0.1], [0.0, 1.1], [2.9, 0.0], [0.0, -3.1]])
    >>> bool(new[0] == new[1] != new[2] == new[3])
    True
    """

    n_clusters: int = 2
    _: KW_ONLY
    n_neighbors: int | None = 10
    radius: float | None = None
    affinity: str = "binary"
    sigma: float | None = None
    diagonal: str = "keep"
    metric: Metric = "euclidean"
    metric_params: Mapping[str, object] | None = None
    neighbors: str | int = "exact"
    n_init: int = 10
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    _size = "n_clusters"

    labels_: NDArray[np.int64] = field(init=False)
    centers_: Array = field(init=False)

    def _construct(self, items: Points) -> Construction:
        check_integer("n_init", self.n_init, low=1)
        # Components are clusters and are not joined.
        return self._normalised(items, clusters=True).construction(0.0)

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        from sklearn.cluster import KMeans

        rng = check_generator(0 if self.random_state is None else self.random_state)
        means = KMeans(self.n_clusters, n_init=self.n_init, random_state=int(rng.integers(2**31))).fit(positions)
        return {"labels_": means.labels_.astype(np.intp), "centers_": means.cluster_centers_}

    def predict(self, X: object) -> Integers:
        """Return the clusters of new points.

        Parameters
        ----------
        X : array-like of shape (m, p), or (m, n)
            New points; with ``metric="precomputed"`` their distances to the training points, with
            ``affinity="precomputed"`` their similarities.

        Returns
        -------
        ndarray of shape (m,)
        """
        from scipy.spatial.distance import cdist

        check_fitted(self, "centers_")
        # `set_output` applies to `transform` only.
        return np.asarray(cdist(np.asarray(self.transform(X)), self.centers_).argmin(axis=1))
