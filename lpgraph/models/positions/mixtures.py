"""Distributions of positions with labels: Dirichlet and Gaussian mixture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array
from lpgraph.errors import ArgumentError
from lpgraph.models.positions.base import Independent, freeze

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.models.positions.base import Drawn


def _check_simplex(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = check_finite_array(name, values, ndim=1)
    if array.size == 0 or array.min() < 0 or abs(array.sum() - 1) > 1e-8:
        raise ArgumentError(f"{name}={array} sums to {array.sum():g}; pass numbers >= 0 with sum 1.")
    return np.asarray(array / array.sum())


@dataclass(frozen=True, eq=False)
class Dirichlet(Independent):
    """Dirichlet distribution on the simplex; a point's label is the index of its largest coordinate.

    Parameters
    ----------
    alpha : array_like of shape (p,)
        Positive, p >= 2.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> x, labels = lp.positions.Dirichlet([1.0, 1.0, 1.0]).initial(100, np.random.default_rng(0))
    >>> bool(np.allclose(x.sum(axis=1), 1)), sorted(set(labels.tolist()))
    (True, [0, 1, 2])
    """

    alpha: ArrayLike

    def __post_init__(self) -> None:
        alpha = np.array(check_finite_array("alpha", self.alpha, ndim=1))
        if len(alpha) < 2 or alpha.min() <= 0:
            raise ArgumentError(f"alpha={alpha}; pass at least two numbers, all > 0.")
        freeze(self, alpha=alpha)

    def draw(self, n: int, rng: np.random.Generator) -> Drawn:
        """Return n positions and their labels."""
        points = rng.dirichlet(np.asarray(self.alpha), size=n)
        return points, np.argmax(points, axis=1)


@dataclass(frozen=True, eq=False)
class GaussianMixture(Independent):
    """Gaussian mixture; a point's label is its component.

    Parameters
    ----------
    means : array_like of shape (K, p)
    covariances : float, array_like of shape (p, p), or sequence of K such matrices
        A number is the variance in every direction. One matrix is used for all components.
    weights : array_like of shape (K,), optional
        Non-negative, with sum 1. Default: equal weights.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> source = lp.positions.GaussianMixture([[1.0, 1.0], [-1.0, -1.0]], 1.0)
    >>> x, labels = source.initial(1000, np.random.default_rng(0))
    >>> x.shape, np.bincount(labels).tolist()
    ((1000, 2), [473, 527])
    """

    means: ArrayLike
    covariances: ArrayLike
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        means = np.array(check_finite_array("means", self.means, ndim=2))
        n_components, p = means.shape
        covariances = check_finite_array("covariances", self.covariances)
        if covariances.ndim == 0:
            covariances = covariances * np.eye(p)
        if covariances.shape not in ((p, p), (n_components, p, p)):
            raise ArgumentError(
                f"covariances has shape {covariances.shape}; pass a variance, a matrix of shape {(p, p)}, or "
                f"{n_components} of them."
            )
        covariances = np.array(np.broadcast_to(covariances, (n_components, p, p)))
        for k, matrix in enumerate(covariances):
            if not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix)[0] < -1e-10 * np.abs(matrix).max():
                raise ArgumentError(f"covariances[{k}] is not symmetric with eigenvalues >= 0; pass a covariance.")
        weights = np.full(n_components, 1 / n_components)
        if self.weights is not None:
            weights = _check_simplex("weights", self.weights)
        if len(weights) != n_components:
            raise ArgumentError(f"weights has {len(weights)} entries; pass one for each of {n_components} means.")
        freeze(self, means=means, covariances=covariances, weights=weights)

    def draw(self, n: int, rng: np.random.Generator) -> Drawn:
        """Return n positions and their labels."""
        means, weights = np.asarray(self.means), np.asarray(self.weights)
        labels = rng.choice(len(means), size=n, p=weights)
        points = np.empty((n, means.shape[1]))
        for k, covariance in enumerate(np.asarray(self.covariances)):
            member = labels == k
            points[member] = rng.multivariate_normal(means[k], covariance, size=int(member.sum()), method="eigh")
        return points, labels
