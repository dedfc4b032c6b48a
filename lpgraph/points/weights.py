"""Weights of edges: affinities of distances, and affine weights that reconstruct points from neighbors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import LARGEST, check_real
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph.errors import ArgumentError

from .checks import check_indices, check_points
from .rows import Points, dense, doubles, is_sparse

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Integers


_WORK = 1 << 22

#: A smaller regularizer is lost in rounding, and the Gram matrix may be singular.
_FLOOR = 1e-14


def affinity(distances: sparse.csr_array, sigma: float | None) -> sparse.csr_array:
    r"""Return :math:`\exp(-d^2 / \sigma^2)` of every stored distance, or 1 if sigma is None.

    Parameters
    ----------
    distances : csr_array of shape (m, n)
        As returned by `neighbor_graph`; stored zeros are edges and have affinity 1.
    sigma : float or None
        The kernel width, positive.

    Returns
    -------
    csr_array of shape (m, n)
        Has the same stored entries, including those whose affinity underflows to 0.

    References
    ----------
    M. Tang, Y. Park, C. E. Priebe. "Out-of-sample extension for latent position graphs." 2013. The kernel is
    that of Proposition 6, with the square of sigma that is missing in print.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.points.weights import affinity
    >>> affinity(lp.neighbor_graph([[0.0], [1.0]], n_neighbors=1), sigma=1.0).toarray().round(3)
    array([[0.   , 0.368],
           [0.368, 0.   ]])
    """
    matrix = distances.copy()
    with np.errstate(over="ignore"):
        matrix.data[:] = 1.0 if sigma is None else np.exp(-np.square(matrix.data / sigma))
    return matrix


def with_diagonal(matrix: sparse.csr_array, value: float) -> sparse.csr_array:
    """Return a square sparse array with every diagonal entry stored and set to `value`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.points.weights import with_diagonal
    >>> with_diagonal(lp.neighbor_graph([[0.0], [1.0]], n_neighbors=1), 2.0).toarray()
    array([[2., 1.],
           [1., 2.]])
    """
    result = matrix.copy()
    result.setdiag(value)
    result.sort_indices()
    return result


def reconstruction_weights(
    points: object, neighbours_of: object, indices: object, regularizer: float = 1e-3
) -> sparse.csr_array:
    r"""Return the affine weights that best reconstruct each point from given neighbors.

    For a point x with neighbors z_1, ..., z_k they minimise :math:`|x - \sum_j w_j z_j|^2 + R |w|^2` over weights
    with sum 1, which is the solution of :math:`(G + R I) w = 1`, scaled to sum 1;
    :math:`G_{ij} = \langle x - z_i, x - z_j \rangle` and ``R = regularizer * trace(G)``. They are invariant under
    translations, rotations and scaling.

    Parameters
    ----------
    points : array_like or sparse array of shape (n, p)
        The points that are combined.
    neighbours_of : array_like or sparse array of shape (m, p)
        The points to reconstruct; `points` itself for the weights of locally linear embedding.
    indices : array_like of shape (m, k) of ints
        ``indices[i]`` are k rows of `points`, the neighbors of ``neighbours_of[i]``.
    regularizer : float, default 1e-3
        Not negative. With 0, a singular Gram matrix (as with more neighbors than coordinates) is regularised
        only as much as rounding requires, which gives nearly the minimum-norm solution.

    Returns
    -------
    csr_array of shape (m, n)
        Rows sum to 1. If x and all its neighbors coincide, the weights are equal.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If shapes do not match, entries are not finite, or an index is out of range.

    References
    ----------
    L. K. Saul, S. T. Roweis. "Think globally, fit locally: unsupervised learning of low dimensional manifolds."
    JMLR 4, 2003.

    Examples
    --------
    >>> import lpgraph as lp
    >>> points = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]
    >>> lp.reconstruction_weights(points, [[1.0, 1.0]], [[0, 1, 2]], regularizer=0.0).toarray().round(6)
    array([[0.5 , 0.25, 0.25]])
    """
    known = check_points("points", points)
    targets = check_points("neighbours_of", neighbours_of, known.shape[1], as_sparse=is_sparse(known))
    neighbors = check_indices("indices", indices, known.shape[0], 2)
    if neighbors.shape[0] != targets.shape[0] or neighbors.shape[1] == 0:
        raise ArgumentError(
            f"indices has shape {neighbors.shape}; pass ({targets.shape[0]}, k), a row for each point."
        )
    return affine_weights(known, targets, neighbors, check_real("regularizer", regularizer, low=0.0, high=LARGEST))


def affine_weights(points: Points, targets: Points, neighbors: Integers, regularizer: float) -> sparse.csr_array:
    """Do as `reconstruction_weights` with checked arguments."""
    strength = max(regularizer, _FLOOR)
    m, k = neighbors.shape
    weights = np.empty((m, k))
    for part in slices(m, _WORK // (k * (points.shape[1] + k))):
        weights[part] = _weights(_steps(points, neighbors[part], targets[part]), strength)
    return weight_rows(weights, neighbors, points.shape[0])


def weight_rows(values: Array, indices: Integers, n: int) -> sparse.csr_array:
    """Return (m, k) weights of the points `indices` as (m, n) rows."""
    m, k = indices.shape
    # A copy of the indices, because they are sorted in place; weights of a point that is listed twice are added.
    rows = sparse.csr_array((values.ravel(), indices.flatten(), np.arange(0, m * k + 1, k)), shape=(m, n))
    rows.sum_duplicates()
    return rows


def _steps(points: Points, neighbors: Integers, targets: Points) -> Array:
    """Return the (m, k, p) steps from points to their neighbors; if sparse, only columns with entries."""
    if not is_sparse(points):
        return doubles(points[neighbors]) - dense(targets)[:, None, :]
    m, k = neighbors.shape
    steps = sparse.csr_array(points[neighbors.ravel()] - targets[np.repeat(np.arange(m), k)])
    used, place = np.unique(steps.indices, return_inverse=True)
    # Weights depend on products of steps only, to which columns of zeros do not contribute.
    narrow = sparse.csr_array((steps.data, place, steps.indptr), shape=(m * k, max(1, len(used))))
    return narrow.toarray().reshape(m, k, -1)


@blas_alone()
def _weights(steps: Array, strength: float) -> Array:
    """Return the weights of (m, k, p) steps from points to their neighbors."""
    # Scaled to lengths near 1, so that squares neither overflow nor underflow.
    largest = np.abs(steps).max(axis=(1, 2), keepdims=True)
    steps = steps / np.where(largest > 0, largest, 1.0)
    gram = steps @ np.swapaxes(steps, 1, 2)
    diagonal = np.einsum("ijj->ij", gram)  # a writable view
    trace = diagonal.sum(axis=1)
    diagonal += np.where(trace > 0, strength * trace, 1.0)[:, None]
    solved = np.linalg.solve(gram, np.ones((*gram.shape[:2], 1)))[:, :, 0]
    return np.asarray(solved / solved.sum(axis=1, keepdims=True))
