"""Principal angles between two embeddings of the same items, and the directions that both have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Signs = NDArray[np.int64]

#: A principal direction is common to two embeddings if its cosine is at least this: at most 60 degrees.
LEAST_COSINE = 0.5


class CommonDirections(NamedTuple):
    """Principal angles between the column spaces of two embeddings, and projections onto the common directions.

    Attributes
    ----------
    cosines : ndarray of shape (d,)
        Cosines of the principal angles, largest first.
    here, there : ndarray of shape (d, d)
        Matrices whose product with the rows of the first and of the second embedding leaves what belongs to
        principal directions with a cosine of at least `LEAST_COSINE`. If all or none are, they are unit matrices.
    """

    cosines: Array
    here: Array
    there: Array


def common_directions(a: Array, b: Array, left: Signs, right: Signs) -> CommonDirections:
    """Return the principal angles between the columns of `a` and of `b`, separately for each sign.

    Bjorck & Golub (1973), "Numerical methods for computing angles between linear subspaces", Mathematics of
    Computation 27, Theorem 1: the cosines are the singular values of the product of two orthonormal bases.

    Parameters
    ----------
    a, b : ndarray of shape (n, d)
        Corresponding rows, of full column rank for each sign.
    left, right : ndarray of shape (d,)
        The sign of each column of `a` and of `b`, equally many of each.

    Returns
    -------
    CommonDirections

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.principal import common_directions
    >>> a, b = np.eye(4)[:, :2], 3 * np.eye(4)[:, [2, 0]]
    >>> found = common_directions(a, b, np.array([1, 1]), np.array([1, 1]))
    >>> found.cosines
    array([1., 0.])
    >>> (a @ found.here)[:2], (b @ found.there)[:3]
    (array([[1., 0.],
           [0., 0.]]), array([[0., 3.],
           [0., 0.],
           [0., 0.]]))
    """
    d = len(left)
    cosines, here, there = [], np.zeros((d, d)), np.zeros((d, d))
    for sign in (1, -1):
        i, j = np.flatnonzero(left == sign), np.flatnonzero(right == sign)
        (q_a, r_a), (q_b, r_b) = np.linalg.qr(a[:, i]), np.linalg.qr(b[:, j])
        u, found, vt = np.linalg.svd(q_a.T @ q_b)
        cosines.append(np.minimum(np.abs(found), 1.0))
        kept = found >= LEAST_COSINE
        here[np.ix_(i, i)] = _projection(r_a, u[:, kept])
        there[np.ix_(j, j)] = _projection(r_b, vt[kept].T)
    every = np.sort(np.concatenate(cosines))[::-1]
    if every.min() >= LEAST_COSINE or every.max() < LEAST_COSINE:
        return CommonDirections(every, np.eye(d), np.eye(d))
    return CommonDirections(every, here, there)


def _projection(r: Array, kept: Array) -> Array:
    """Return P for which ``q @ r @ P`` is the projection of ``q @ r`` onto the columns of ``q @ kept``."""
    return np.asarray(np.linalg.solve(r, kept @ (kept.T @ r)))
