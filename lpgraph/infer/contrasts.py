r"""Differences of the positions of pairs of vertices, with their covariances and distributions.

The positions y and z of a pair are sums of ``xi_j b_j`` and of ``eta_j b_j``. If both are equal, an edge to a
vertex j that is not a common neighbor belongs to either vertex with probability 1/2. Given these edges, the
difference has the covariance :math:`\sum_j (\xi_j - \eta_j)^2 b_j b_j^\top`.

If positions are equal up to a factor, the edges of the first vertex are a random sample of all N of these edges,
given the degrees. The difference ``y - r z`` for the ratio r of the degrees then has the covariance
:math:`r N / (N - 1) \sum_j (\xi_j - \eta_j)^2 b_j b_j^\top`, minus a multiple of the square of ``y + z``. The sum
``y + z`` is the same for any sample. The squared distance from the multiples of ``y + z`` does not depend on the
subtracted term.

In both cases the squared distance has exactly the mean of chi-squared, and its variance follows from the terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from lpgraph.linalg.packed import packed, pairs, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.infer.pair_edges import Units

    Array = NDArray[np.float64]

__all__ = ["Contrasts"]

#: Edges added to those of each vertex in the covariance, so that it has an inverse for vertices with few edges.
_MORE = 0.01


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Differences ``y - r z`` of positions of m pairs of vertices, for factors r.

    In both directions of a directed graph, positions as sources and as targets are side by side, and each
    direction has a factor; k is the number of directions.

    Attributes
    ----------
    units : Units
        Edges of the pairs.
    offsets : ndarray of shape (m, k d)
        The differences.
    terms : ndarray of shape (e, k d)
        Vectors with random signs, one for each unit.
    scale : ndarray of shape (m, k d)
        Standard deviations of the signs.
    design : ndarray of shape (m, k d, c)
        Vectors whose multiples are added to the differences: none, or one for each direction.
    numbers : ndarray of shape (m,)
        Numbers of the random signs; 1 less if their sum is given.
    """

    units: Units
    offsets: Array
    terms: Array
    scale: Array
    design: Array
    numbers: Array

    @classmethod
    def equal(cls, units: Units) -> Contrasts:
        """Return the contrasts of equal positions."""
        weights = units.first - units.second
        terms = units.terms(weights)
        offsets = units.sums(terms)
        design = np.empty((*offsets.shape, 0))
        return cls(units, offsets, terms, np.ones_like(offsets), design, _numbers(units, weights))

    @classmethod
    def proportional(cls, units: Units) -> Contrasts:
        """Return the contrasts of positions that are equal up to a factor.

        Weights are divided by those of a typical edge of their vertex, so that multiples of its weights do not
        matter.
        """
        ends = units.first, units.second
        degrees = [units.sums(abs(end)) + _MORE for end in ends]
        # The root of the ratio of typical weights, sums of squares by sums.
        balance = np.sqrt((units.sums(ends[1] ** 2) + _MORE) / degrees[1] * degrees[0])
        balance /= np.sqrt(units.sums(ends[0] ** 2) + _MORE)
        ratios = degrees[0] / degrees[1] * balance**2
        first, second = ends[0] * balance[units.pairs], ends[1] / balance[units.pairs]
        weights = first - second
        sums = units.sums(abs(weights)) ** 2
        shares = np.divide(units.sums(weights**2), sums, out=np.ones_like(sums), where=sums > 0)
        d = units.basis.shape[2]
        # 1 / (1 - share) is N / (N - 1). If there is only one edge, the p-value is 1 anyway.
        scale = np.repeat(np.sqrt(ratios / np.maximum(1 - shares, 0.5)), d, axis=1)
        y, z = units.sums(units.terms(first)), units.sums(units.terms(second))
        design = (y + z)[:, :, None] * np.repeat(np.eye(ratios.shape[1]), d, axis=0)
        offsets = y - np.repeat(ratios, d, axis=1) * z
        return cls(units, offsets, units.terms(weights), scale, design, _numbers(units, weights) - 1)

    def test(self, least: Array) -> tuple[Array, Array]:
        """Return the squared Mahalanobis distances of the differences from 0, and their p-values.

        Parameters
        ----------
        least : ndarray of shape (k d, k d)
            Mean square of the term of an edge to any vertex.

        Notes
        -----
        Given the terms, the distance is that of a sum with random signs. Its mean is the number of degrees of
        freedom f. It is also the sum of the contributions of the terms, n of equal size or `effective`. Its
        variance is that of chi-squared times ``1 - f / n``. The distribution is the multiple of a beta
        distribution with these moments, as for Gaussian terms.
        """
        products = pairs(np.ascontiguousarray(self.terms.T)).T
        covariances = unpacked(self.units.sums(products)) + 2 * _MORE * least
        covariances *= self.scale[:, :, None] * self.scale[:, None, :]
        # In coordinates in which the covariances are the identity.
        roots = np.linalg.inv(np.linalg.cholesky(covariances))
        offsets = (roots @ self.offsets[:, :, None])[:, :, 0]
        along = np.linalg.qr(roots @ self.design)[0]
        explained = (np.swapaxes(along, 1, 2) @ offsets[:, :, None])[:, :, 0]
        distances = np.maximum((offsets**2).sum(axis=1) - (explained**2).sum(axis=1), 0.0)
        rest = roots - along @ (np.swapaxes(along, 1, 2) @ roots)
        metric = packed(np.swapaxes(rest, 1, 2) @ rest * self.scale[:, :, None] * self.scale[:, None, :])
        metric *= 2 - (packed(np.eye(roots.shape[1])[None]) != 0)
        lengths = (products * metric[self.units.pairs]).sum(axis=1)
        freedom = self.design.shape[1] - self.design.shape[2]
        squares = self.units.sums(lengths**2)
        effective = self.units.sums(lengths) ** 2 / np.where(squares > 0, squares, 1.0)
        return distances, _p_values(distances, freedom, self.numbers, effective)


def _numbers(units: Units, weights: Array) -> Array:
    return units.sums((weights != 0).any(axis=1).astype(np.float64))


def _p_values(distances: Array, freedom: int, n: Array, effective: Array) -> Array:
    """Return the probabilities of larger squared distances, given n terms that vary as `effective` equal ones."""
    # The distance cannot exceed n. That of no more terms than dimensions does not depend on the signs.
    size, enough = np.maximum((freedom + 2) / freedom * effective - 2, n), n > freedom
    rest = np.where(enough, size - freedom, 1.0) / 2
    found = stats.beta.sf(distances / np.where(enough, size, 1.0), freedom / 2, rest)
    return np.where(enough, found, 1.0)
