"""Shepard diagram: distances in an embedding against distances in the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_generator, check_integer
from lpgraph._html import facts_html
from lpgraph.errors import ArgumentError
from lpgraph.metrics.comparison import Comparison
from lpgraph.metrics.pair_correlation import correlation, rank_correlation, sampling_error, stress
from lpgraph.metrics.reading import Reading

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.metrics.reading import Embedded
    from lpgraph.points.types import Metric

__all__ = ["ShepardDiagram", "check_varied", "shepard"]


@dataclass(frozen=True, eq=False, repr=False)
class ShepardDiagram:
    """Pairs of distances, in the data and in the embedding; `lpgraph.plot.shepard` plots them.

    Attributes
    ----------
    distances : ndarray of shape (l,)
        Distances of pairs in the data, or along its neighbor graph.
    embedded : ndarray of shape (l,)
        Distances of the same pairs in the embedding.
    groups : ndarray of shape (l,)
        Groups of pairs that were drawn together: each pair for itself, or the pairs of one source of paths.
    sampled : bool
        Whether the pairs are a sample.
    geodesic : bool
        Whether the distances are lengths of shortest paths.
    held_out : bool
        Whether the pairs are those of a new and a training point.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> lp.metrics.shepard(X, X[:, :2])
    ShepardDiagram(correlation 0.991, rank correlation 0.987, stress 0.075, all 1770 pairs)
    """

    distances: NDArray[np.float64]
    embedded: NDArray[np.float64]
    groups: NDArray[np.intp]
    sampled: bool
    geodesic: bool
    held_out: bool

    @property
    def correlation(self) -> float:
        """Pearson's correlation of the distances."""
        return correlation(self.distances, self.embedded)[0]

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the distances."""
        return rank_correlation(self.distances, self.embedded)[0]

    @property
    def residual_variance(self) -> float:
        """One minus the squared correlation (Tenenbaum, de Silva & Langford 2000)."""
        return 1 - self.correlation**2

    @property
    def stress(self) -> float:
        r"""Kruskal's stress of the embedding at its best scale, :math:`\min_a \sqrt{\sum (d - a e)^2 / \sum d^2}`.

        It is 0 if the distances d of the data are proportional to those of the embedding, e, and at most 1.
        """
        return stress(self.distances, self.embedded)[0]

    @property
    def standard_errors(self) -> dict[str, float]:
        """Standard errors of `correlation`, `rank_correlation` and `stress`; 0 if the pairs are all pairs."""
        found = {"correlation": correlation, "rank_correlation": rank_correlation, "stress": stress}
        if not self.sampled:
            return dict.fromkeys(found, 0.0)
        return {
            name: sampling_error(of(self.distances, self.embedded)[1], self.groups) for name, of in found.items()
        }

    def _facts(self) -> list[tuple[str, str]]:
        errors = self.standard_errors
        names = {"correlation": "correlation", "rank correlation": "rank_correlation", "stress": "stress"}
        shown = {title: f"{getattr(self, name):.3f}" for title, name in names.items()}
        if self.sampled:
            shown = {title: f"{value} ± {errors[names[title]]:.1g}" for title, value in shown.items()}
        kind = "pairs with new points" if self.held_out else "pairs"
        return [*shown.items(), ("pairs", f"{'' if self.sampled else 'all '}{len(self.distances)} {kind}")]

    def __repr__(self) -> str:
        *measures, (_, pairs) = self._facts()
        kind = "geodesic distances, " if self.geodesic else ""
        return f"ShepardDiagram({kind}{', '.join(f'{name} {value}' for name, value in measures)}, {pairs})"

    def _repr_html_(self) -> str:
        return facts_html(f"{'Geodesic' if self.geodesic else 'All'} distances and embedding", self._facts())


def shepard(
    X: object,
    embedding: Embedded,
    *,
    metric: Metric | None = None,
    new: object = None,
    new_embedding: ArrayLike | None = None,
    max_pairs: int = 500_000,
    random_state: int | np.random.Generator | None = None,
) -> ShepardDiagram:
    """Return pairs of distances in the data and in an embedding, with their correlations and stress.

    Parameters
    ----------
    X : array-like or sparse array of shape (n, p), or (n, n)
        Training points or, with ``"precomputed"``, their distances.
    embedding : array-like of shape (n, d) or fitted estimator
        Their positions, or an embedding fitted to X, as for `trustworthiness`.
    metric : str or callable, optional
        As for `trustworthiness`.
    new, new_embedding : array-like of shape (m, p), or (m, n), and (m, d), optional
        New points and their positions: the pairs are then those of a new and a training point.
    max_pairs : int, default 500000
        If there are more pairs, so many are drawn at random, with replacement.
    random_state : int, Generator or None
        Seed of the draw; None means a fixed seed.

    Returns
    -------
    ShepardDiagram

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If shapes do not match, or if there are fewer than two pairs.

    References
    ----------
    Shepard, R. N. (1962), "The analysis of proximities", Psychometrika 27. Kruskal, J. B. (1964),
    "Multidimensional scaling by optimizing goodness of fit to a nonmetric hypothesis", Psychometrika 29.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> found = lp.metrics.shepard(X, lp.manifold.ClassicalMDS(2).fit(X))
    >>> round(found.correlation, 3), round(found.stress, 3)
    (0.998, 0.04)
    """
    compared = Comparison.of(Reading.of(X, embedding, metric, new, new_embedding))
    i, j, sampled = _pairs(compared, check_integer("max_pairs", max_pairs, low=2), random_state)
    distances = check_varied("X", compared.data.pairs(i, j))
    embedded = check_varied("embedding", compared.embedding.pairs(i, j))
    return ShepardDiagram(distances, embedded, np.arange(len(i)), sampled, False, compared.held_out)


def check_varied(name: str, distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances; raise if they are all equal, up to rounding, so that they have no correlation."""
    low, high = float(distances.min()), float(distances.max())
    if high - low <= 1e-12 * high:
        raise ArgumentError(
            f"{name} has the distance {high:.3g} for all {len(distances)} pairs, so there is no correlation; pass "
            "points at different distances."
        )
    return distances


def _pairs(
    compared: Comparison, most: int, random_state: int | np.random.Generator | None
) -> tuple[NDArray[np.intp], NDArray[np.intp], bool]:
    """Return the points of all pairs or, if there are too many, of a sample, and whether it is one."""
    rng = check_generator(0 if random_state is None else random_state)
    m, others = compared.n_points, compared.n_others
    total = m * others if compared.held_out else m * others // 2
    if total < 2:
        raise ArgumentError(f"X and new have {total} pairs of points; pass more points.")
    if total <= most:
        if compared.held_out:
            i, j = np.divmod(np.arange(total), others)
        else:
            i, j = np.triu_indices(m, 1)
        return i, j, False
    i, j = rng.integers(m, size=most), rng.integers(others, size=most)
    return i, j if compared.held_out else j + (j >= i), True
