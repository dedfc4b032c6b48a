"""The weight of covariates beside the edges of a network (Binkiewicz, Vogelstein & Rohe 2017)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_choice, check_generator, check_integer, check_real
from lpgraph.errors import ArgumentError
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.operators import Sum

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.spectral.construction import Array
    from lpgraph.spectral.operators import Operator

    Random = int | np.random.Generator | None

__all__ = ["weight_of_covariates"]

#: Weights that are tried between the ends of the range, on a geometric grid.
_TRIALS = 12
#: Gaps below this share of the largest eigenvalue are ties.
_TIE = 1e-9


def weight_of_covariates(
    alpha: float | str,
    network: Operator,
    covariates: Operator,
    n_clusters: object,
    rank: int,
    *,
    tol: float,
    random_state: Random,
) -> float:
    r"""Return the weight alpha of :math:`M + \alpha X X^T`.

    Parameters
    ----------
    alpha : float or {"balance", "kmeans"}
        The weight itself; :math:`\lambda_1(M) / \lambda_1(X X^T)`; or the weight of least k-means objective.
    network, covariates : Operator
        M and :math:`X X^T`.
    n_clusters : object
        Number of clusters K, needed by "kmeans".
    rank : int
        Upper bound of the rank of :math:`X X^T`.
    tol, random_state
        As in `lpgraph.spectral.eigen.eigenpairs`.

    Raises
    ------
    ArgumentError
        If alpha is negative or another name, or "kmeans" has no number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.embed.covariate_weight import weight_of_covariates
    >>> from lpgraph.spectral.operators import Matrix
    >>> M, XX = Matrix(np.diag([1.0, 0.5, 0.1])), Matrix(np.diag([4.0, 2.0, 0.0]))
    >>> weight_of_covariates("balance", M, XX, 2, 2, tol=1e-9, random_state=None)
    0.25
    """
    if not isinstance(alpha, str):
        return check_real("alpha", alpha, low=0.0)
    by_objective = check_choice("alpha", alpha, ("balance", "kmeans")) == "kmeans"
    n = network.shape[0]
    search = partial(eigenpairs, which="LA", tol=tol, random_state=random_state)
    if not by_objective:
        return float(search(network, 1).values[0] / search(covariates, 1).values[0])
    if isinstance(n_clusters, str) or not hasattr(n_clusters, "__index__"):
        raise ArgumentError(
            f'alpha="kmeans" needs the number of clusters, but n_components={n_clusters!r}; pass a number.'
        )
    k = check_integer("n_components", n_clusters, low=2, high=n - 1, why=f"but only {n} vertices")
    low, high = _range(search(network, k + 1).values, search(covariates, min(k + 1, n)).values, k, rank)
    trials = np.geomspace(low, high, _TRIALS)
    seed = int(check_generator(0 if random_state is None else random_state).integers(2**31))
    losses = [_objective(search, network, covariates, weight, k, seed) for weight in trials]
    return float(trials[int(np.argmin(losses))])


def _range(own: Array, others: Array, k: int, rank: int) -> tuple[float, float]:
    """Return the least and the largest weight, beyond which one part alone decides the leading k eigenvectors."""
    present = others[others > _TIE * others[0]]
    gap = present[-1] if min(rank, len(present)) <= k else present[k - 1] - present[k]
    if gap <= _TIE * others[0]:
        gap = present[k - 1]  # tied: no weight lets the covariates alone decide
    balance = own[0] / others[0]
    # With a tied k-th eigenvalue of the network any weight decides; the range then spans three powers of ten.
    low = max((own[k - 1] - own[k]) / others[0], 1e-3 * balance)
    return float(low), float(own[0] / gap)


def _objective(
    search: Callable[..., object], network: Operator, covariates: Operator, weight: float, k: int, seed: int
) -> float:
    """Return the sum of squares within the clusters of the rows of the k leading eigenvectors."""
    from sklearn.cluster import KMeans

    vectors = search(Sum(network, covariates, weight), k).vectors  # type: ignore[attr-defined]  # EigenPairs
    return float(KMeans(k, n_init=10, random_state=seed).fit(vectors).inertia_)
