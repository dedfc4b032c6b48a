"""Gaussian mixtures of positions, with number of clusters and covariance model chosen by BIC."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from lpgraph._utils.checks import check_choice, check_finite_array, check_generator, check_integer, is_integer
from lpgraph._utils.compiled import one_thread
from lpgraph._utils.estimators import Shown
from lpgraph._utils.progress import tell
from lpgraph.errors import ArgumentError, ConvergenceError

from .block_partition import by_size
from .vertices import check_numbers, in_blocks, log

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike

    from lpgraph._utils.types import Array, Integers, Seed


__all__ = ["PositionMixture", "choose_mixture"]

COVARIANCES = ("full", "tied", "diag", "spherical")
#: Largest number of clusters that is tried by default.
MOST_GAUSSIAN = 20
#: Numbers of clusters without a smaller BIC after which larger numbers are not tried by default.
_PATIENCE = 3


@dataclass(frozen=True, eq=False, repr=False)
class PositionMixture(Shown):
    """A Gaussian mixture of positions; its clusters are numbered by decreasing size.

    Attributes
    ----------
    n_clusters, covariance : int, str
        The chosen number and covariance model.
    bic : dict
        BIC of each (number of clusters, covariance model) that was fitted; smaller is better.
    mixture : sklearn.mixture.GaussianMixture
        The fitted mixture of the positions divided by `scale`.
    scale : float
        Root mean square deviation of the positions. By this scaling the regularisation of the mixture does not
        depend on the density of the network.
    rank : ndarray of shape (n_clusters,)
        Rank of each component of `mixture` in the order of decreasing size.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> points = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], [40, 20], axis=0)
    >>> mixture = lp.infer.mixture.choose_mixture(points, range(1, 4))
    >>> mixture.n_clusters, mixture.predict([[0, 0], [9, 9]]).tolist()
    (2, [0, 1])
    """

    n_clusters: int
    covariance: str
    bic: dict[tuple[int, str], float]
    mixture: GaussianMixture
    scale: float
    rank: Integers

    def __repr__(self) -> str:
        tried = f"{len(self.bic)} models compared"
        return f"PositionMixture(n_clusters={self.n_clusters}, covariance={self.covariance!r}, {tried})"

    def predict(self, *positions: ArrayLike) -> Integers:
        """Return the clusters of positions of shape (m, d), of a directed network on both sides."""
        return np.asarray(self.rank[in_blocks(self.mixture, "predict", np.hstack(positions) / self.scale)])

    def predict_proba(self, *positions: ArrayLike) -> Array:
        """Return the (m, n_clusters) probabilities of positions to belong to each cluster."""
        probabilities = in_blocks(self.mixture, "predict_proba", np.hstack(positions) / self.scale)
        return np.asarray(probabilities[:, np.argsort(self.rank)])


def cluster_numbers(n_clusters: int | Iterable[int] | None, n: int) -> list[int]:
    """Return the numbers of Gaussian clusters to try for n positions, increasing."""
    if n_clusters is None:
        return list(range(1, max(1, min(MOST_GAUSSIAN, n // 5)) + 1))
    return check_numbers("n_clusters", n_clusters)


def check_distinct(numbers: Sequence[int], distinct: int, n: int, what: str) -> None:
    """Raise if no number of clusters is at most the number of distinct positions, or one is larger than n."""
    if numbers[0] > distinct or numbers[-1] > n:
        wrong = numbers[0] if numbers[0] > distinct else numbers[-1]
        raise ArgumentError(f"n_clusters={wrong}: {distinct} {what} are distinct; pass n_clusters <= {distinct}.")


def choose_mixture(
    positions: ArrayLike,
    n_clusters: int | Iterable[int] | None = None,
    *,
    covariance: str | None = None,
    n_init: int = 3,
    random_state: Seed = 0,
) -> PositionMixture:
    """Fit Gaussian mixtures to positions and return the one with the smallest BIC.

    Parameters
    ----------
    positions : array-like of shape (n, d)
        Positions of known or new vertices.
    n_clusters : int, iterable of int, or None
        The number, or the numbers to choose from; None means 1 to 20, and at most a fifth of the positions.
    covariance : {"full", "tied", "diag", "spherical"}, optional
        Covariance model; None means the best of the four.
    n_init : int, default 3
        Number of starts of each fit, from k-means; the fit of largest likelihood is used.
    random_state : int, Generator or None, default 0
        Seed of the starts.

    Returns
    -------
    PositionMixture

    Raises
    ------
    ArgumentError
        If n_clusters is not between 1 and n, or the positions are not finite.
    ConvergenceError
        If no mixture converged.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> rng = np.random.default_rng(0)
    >>> positions = np.vstack([rng.normal(0, 1, (90, 2)), rng.normal(9, 1, (60, 2))])
    >>> mixture = lp.infer.mixture.choose_mixture(positions, range(1, 5))
    >>> mixture.n_clusters, mixture.predict([[0.0, 0.0], [9.0, 9.0]]).tolist()
    (2, [0, 1])
    """
    points = check_finite_array("positions", positions, ndim=2)
    sizes = cluster_numbers(n_clusters, len(points))
    models = COVARIANCES if covariance is None else (check_choice("covariance", covariance, COVARIANCES),)
    n_init = check_integer("n_init", n_init, low=1)
    # scikit-learn takes 32 bits and no Generator.
    if not is_integer(random_state) or not 0 <= random_state < 1 << 32:
        random_state = int(check_generator(random_state).integers(1 << 32))
    seed = int(random_state)
    # Positions that coincide differ by rounding errors, which are no spread.
    magnitude = float(np.abs(points).max(initial=0.0))
    spread = float(np.sqrt(points.var(axis=0).mean()))
    scale = spread if spread > 1e-8 * magnitude else magnitude or 1.0
    points = points / scale
    # There cannot be more clusters than distinct positions.
    distinct = len(np.unique(np.round(points, 6), axis=0))
    check_distinct(sizes, distinct, len(points), "positions")
    best: GaussianMixture | None = None
    bic: dict[tuple[int, str], float] = {}
    for model in models:
        least, since = np.inf, 0
        for size in sizes:
            # For one cluster "tied" equals "full".
            if size > distinct or (size == 1 and model == "tied" and len(models) > 1):
                continue
            mixture = GaussianMixture(size, covariance_type=model, n_init=n_init, max_iter=500, random_state=seed)
            with warnings.catch_warnings(), one_thread():
                warnings.simplefilter("ignore", ConvergenceWarning)
                mixture.fit(points)
            # The BIC of the positions themselves, whose density is smaller by the scale in each dimension.
            found = float(mixture.bic(points) + 2 * points.size * np.log(scale))
            tell(log, "mixture of %d clusters, %s covariance: BIC %.6g", size, model, found)
            if not mixture.converged_:
                continue
            if found < min(bic.values(), default=np.inf):
                best = mixture
            bic[size, model] = found
            since = 0 if found < least else since + 1
            least = min(least, found)
            if n_clusters is None and since == _PATIENCE:
                break
    if best is None:
        raise ConvergenceError(f"No mixture of {sizes} clusters converged in 500 steps; pass fewer clusters.")
    rank = by_size(best.predict(points), best.n_components)
    return PositionMixture(best.n_components, best.covariance_type, bic, best, scale, rank)
