"""Diffusion maps: eigenfunctions of a random walk on points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from lpgraph._utils.checks import check_real
from lpgraph.points.metric import Metric
from lpgraph.points.rows import Points
from lpgraph.spectral.construction import Construction

from .similarity import SimilarityEmbedding


@dataclass(eq=False, repr=False)
class DiffusionMap(SimilarityEmbedding):
    r"""Embed points by the eigenfunctions of a random walk, so that distances are diffusion distances.

    The walk steps from a to b with probability :math:`P(a, b) = K_\alpha(a, b) / S(a)`, where
    :math:`K_\alpha(a, b) = K(a, b) / (q(a) q(b))^\alpha` is the similarity after division by powers of the
    density q. The coordinates are :math:`\lambda_k^t \psi_k(x)` with the eigenfunctions :math:`\psi_k` of P; for
    new points :math:`\psi_k(x) = \sum_i P(x, x_i) \psi_k(x_i) / \lambda_k`.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    n_neighbors : int or None, default 10
        Points are neighbors if one is among the `n_neighbors` nearest of the other, ties included. If both this
        and `radius` are None, all pairs are similar, as in the original method (n x n memory; `sigma` must be
        given).
    radius : float, optional
        Points are neighbors if they are at most this far apart; pass ``n_neighbors=None`` with it.
    sigma : float, optional
        Width of the similarity :math:`\exp(-d^2 / \sigma^2)`; None means the root mean square length of edges.
    alpha : float, default 1.0
        Between 0 and 1. 1 removes the influence of the density (Laplace-Beltrami operator), 1/2 gives the
        Fokker-Planck operator, 0 the normalised Laplacian.
    time : float, default 1.0
        The time t >= 0 of the walk; 0 leaves the eigenfunctions unscaled.
    metric, metric_params, neighbors, components, solver, tol, random_state
        As in `LaplacianEigenmaps`.

    Attributes
    ----------
    embedding_, residuals_, sigma_, kept_, recall_, n_features_in_
        As in `LaplacianEigenmaps`. The eigenfunctions have unit variance in the stationary distribution.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the walk after the trivial 1, decreasing.
    graph_ : csr_array or ndarray of shape (n, n)
        The similarities :math:`K_\alpha`.

    Notes
    -----
    If `time` is not 0, eigenvalues that are not positive are refused.

    With all positive eigenvalues embedded, the squared distance of two rows is Coifman & Lafon's diffusion
    distance at time t, :math:`\sum_z (p_t(x, z) - p_t(y, z))^2 / \pi(z)`, up to the contribution of negative
    eigenvalues.

    References
    ----------
    Coifman, R. & Lafon, S. (2006), "Diffusion maps", Applied and Computational Harmonic Analysis 21.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((100, 2)) * [5, 1]
    >>> model = lp.manifold.DiffusionMap(1).fit(X)
    >>> bool(abs(np.corrcoef(model.embedding_[:, 0], X[:, 0])[0, 1]) > 0.9)
    True
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int | None = 10
    radius: float | None = None
    sigma: float | None = None
    alpha: float = 1.0
    time: float = 1.0
    metric: Metric = "euclidean"
    metric_params: Mapping[str, object] | None = None
    neighbors: str | int = "exact"
    components: str = "warn"
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    def _construct(self, items: Points) -> Construction:
        time = check_real("time", self.time, low=0.0)
        similarity = self._normalised(items)
        # Coordinates have unit variance in the stationary distribution.
        return replace(similarity, walk=float(np.sqrt(similarity.degrees.sum()))).construction(time)
