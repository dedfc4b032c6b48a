"""Landmark selection, and the linear map of semidefinite embedding that places all points by the landmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph

from lpgraph._checks import check_generator, check_integer
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.spectral.extension import extend_bottom

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["choose_landmarks", "landmark_map", "landmarks_among", "orthonormal_range"]


def _landmark_array(landmarks: object) -> NDArray[Any]:
    """Return landmarks as an array; a list that is not rectangular is refused."""
    try:
        return np.asarray(landmarks)
    except ValueError:
        raise ArgumentError(f"landmarks={landmarks!r:.80}; pass a number, or indices of points.") from None


def choose_landmarks(
    landmarks: Any, origin: NDArray[np.intp], n: int, least: int, random_state: int | np.random.Generator | None
) -> NDArray[np.intp]:
    """Return the landmarks as increasing indices of the n distinct points.

    Parameters
    ----------
    landmarks : int or array-like of int
        The number to draw at random, or indices of the points that were passed.
    origin : ndarray of int
        For each point that was passed, the index of its distinct point.
    n : int
        Number of distinct points.
    least : int
        Smallest number of landmarks.
    random_state : int, Generator or None
        Seed of the draw.
    """
    given = _landmark_array(landmarks)
    if given.ndim == 0:
        count = check_integer("landmarks", landmarks, low=least, high=n, why=f"with {n} distinct points")
        return np.sort(check_generator(random_state).choice(n, count, replace=False)).astype(np.intp)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"landmarks has dtype {given.dtype} and shape {given.shape}; pass a number or a list of indices."
        )
    if len(given) and (given.min() < 0 or given.max() >= len(origin)):
        wrong = given.min() if given.min() < 0 else given.max()
        raise ArgumentError(f"landmarks has the index {wrong}; pass indices from 0 to {len(origin) - 1}.")
    found = np.unique(origin[given])
    if len(found) < least:
        raise ArgumentError(f"landmarks has {len(found)} distinct points; pass at least {least}.")
    return found


def landmarks_among(
    landmarks: Any,
    kept: NDArray[np.intp],
    n_components: int | None,
    random_state: int | np.random.Generator | None,
) -> NDArray[np.intp]:
    """Return the landmarks as indices among the kept points: increasing if drawn, else in the given order.

    Parameters
    ----------
    landmarks : int or array-like of int
        The number to draw at random, or indices of the points that were passed.
    kept : ndarray of shape (n,)
        The kept points among those that were passed, increasing.
    n_components : int or None
        Number of dimensions, which must be smaller than the number of landmarks.
    random_state : int, Generator or None
        Seed of the draw; None means a fixed seed.

    Raises
    ------
    ArgumentError
        If there are too few or too many, or an index is repeated or not that of a kept point.
    """
    n, low = len(kept), 2 if n_components is None else n_components + 1
    chosen = _landmark_array(landmarks)
    if chosen.ndim == 0:
        why = f"but n_components={n_components} and {n} points"
        count = check_integer("landmarks", landmarks, low=low, high=n, why=why)
        rng = check_generator(0 if random_state is None else random_state)
        return np.sort(rng.choice(n, count, replace=False))
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or len(np.unique(chosen)) < len(chosen):
        raise ArgumentError(f"landmarks={landmarks!r:.80}; pass a number, or distinct indices of points.")
    if len(chosen) < low:
        raise ArgumentError(
            f"landmarks has {len(chosen)} points but n_components={n_components}; pass at least {low}."
        )
    places = np.searchsorted(kept, chosen)
    missing = (chosen < 0) | (places >= n)
    missing[~missing] = kept[places[~missing]] != chosen[~missing]
    if missing.any():
        raise ArgumentError(
            f"landmarks has {chosen[missing][0]}, which is not one of the {n} embedded points; "
            "pass indices of those (see kept_)."
        )
    return np.asarray(places)


def landmark_map(weights: sparse.csr_array, landmarks: NDArray[np.intp], names: NDArray[np.intp]) -> Array:
    """Return the (n, m) matrix Q that places all points by the landmarks; its rows sum to 1.

    The other positions minimise ``sum_i |y_i - sum_j W_ij y_j|^2``:
    ``Q = [I; -inv(Phi_uu) Phi_ul]`` with ``Phi = (I - W).T (I - W)``.

    Parameters
    ----------
    weights : csr_array of shape (n, n)
        W, reconstruction weights: rows sum to 1.
    landmarks : ndarray of shape (m,)
        Their indices.
    names : ndarray of shape (n,)
        Numbers of the points in error messages.

    References
    ----------
    Weinberger, Packer & Saul (2005), Eq. (11), where the minus sign is missing. Williams (2006), Eq. (9).
    """
    count, labels = csgraph.connected_components(weights, directed=False)
    without = np.setdiff1d(np.arange(count), labels[landmarks])
    if len(without):
        members = np.flatnonzero(labels == without[0])
        raise GraphError(
            f"{len(without)} of {count} components of the reconstruction graph have no landmark; the first has "
            f"{len(members)} points, among them point {names[members[0]]}. Pass landmarks in every component, or "
            "a larger n_reconstruction_neighbors."
        )
    n = weights.shape[0]
    residual = sparse.csr_array(sparse.eye_array(n) - weights)
    phi = sparse.csr_array(residual.T @ residual)
    Q = extend_bottom((phi + phi.T) / 2, landmarks, np.eye(len(landmarks)))
    # They are 1 in exact arithmetic. Phi squares the condition number of I - W; the deviation measures the loss.
    sums = Q.sum(axis=1)
    error = float(np.abs(sums - 1).max())
    if not error <= 1e-3:
        raise GraphError(
            f"The landmarks do not determine all points: rows of their map sum to 1 only to {error:.1g}; "
            "pass more landmarks or a larger regularizer."
        )
    return np.asarray(Q / sums[:, None])


def orthonormal_range(Q: Array) -> Array:
    """Return an orthonormal basis U, (n, m - 1), of the centred range of Q: ``U.T U = I`` and ``U.T 1 = 0``.

    Then ``K = U Z U.T`` is centred for every Z, and ``trace K = trace Z``. With ``K = Q L Q.T`` no L would be
    strictly feasible, because centring forces L to be singular.
    """
    centred = Q - Q.mean(axis=0)
    values, vectors = linalg.eigh(centred.T @ centred)
    # Rows of Q sum to 1, so that centring removes exactly one direction, the constant one.
    keep = values > 1e-12 * values[-1]
    keep[0] = False
    U = centred @ (vectors[:, keep] / np.sqrt(values[keep]))
    # Directions with small singular values are orthogonal to few digits only, which these steps repair.
    for _ in range(2):
        U -= U.mean(axis=0)
        U = U @ linalg.inv(linalg.cholesky(U.T @ U)) if U.shape[1] else U
    return np.asarray(U)
