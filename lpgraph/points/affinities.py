"""Affinities of neighbors, computed from distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import check_real
from lpgraph.errors import ArgumentTypeError, GraphError
from lpgraph.linalg.csr_check import check_structure
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["as_sparse", "binary_affinity", "gaussian_affinity", "with_diagonal"]


def gaussian_affinity(distances: object, sigma: float) -> sparse.csr_array:
    r"""Return :math:`\exp(-d^2 / \sigma^2)` of every stored distance.

    Parameters
    ----------
    distances : sparse array of shape (m, n)
        As returned by `neighbor_graph`; stored zeros are edges and have affinity 1.
    sigma : float
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
    >>> from lpgraph.points.affinities import gaussian_affinity
    >>> gaussian_affinity(lp.neighbor_graph([[0.0], [1.0]], n_neighbors=1), sigma=1.0).toarray().round(3)
    array([[0.   , 0.368],
           [0.368, 0.   ]])
    """
    sigma = check_real("sigma", sigma, low=0.0, open_low=True)
    matrix = as_sparse("distances", distances)
    with np.errstate(over="ignore"):
        return _like(matrix, np.exp(-np.square(matrix.data / sigma)))


def binary_affinity(distances: object) -> sparse.csr_array:
    """Return 1 for every stored distance.

    Parameters
    ----------
    distances : sparse array of shape (m, n)
        As returned by `neighbor_graph`; stored zeros are edges.

    Returns
    -------
    csr_array of shape (m, n)

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.points.affinities import binary_affinity
    >>> binary_affinity(lp.neighbor_graph([[0.0], [0.0], [3.0]], n_neighbors=1)).toarray()
    array([[0., 1., 1.],
           [1., 0., 1.],
           [1., 1., 0.]])
    """
    matrix = as_sparse("distances", distances)
    return _like(matrix, np.ones(matrix.nnz))


def with_diagonal(matrix: object, value: float) -> sparse.csr_array:
    """Return a square sparse array with every diagonal entry stored and set to `value`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.points.affinities import binary_affinity, with_diagonal
    >>> with_diagonal(binary_affinity(lp.neighbor_graph([[0.0], [1.0]], n_neighbors=1)), 2.0).toarray()
    array([[2., 1.],
           [1., 2.]])
    """
    value = check_real("value", value)
    entries = as_sparse("matrix", matrix).tocoo()
    n = entries.shape[0]
    if entries.shape[1] != n:
        raise GraphError(f"matrix has shape {entries.shape}; pass a square one.")
    row, column = entries.coords
    apart = row != column
    everyone = np.arange(n, dtype=row.dtype)
    return sparse.csr_array(
        (
            np.concatenate((entries.data[apart], np.full(n, value))),
            (np.concatenate((row[apart], everyone)), np.concatenate((column[apart], everyone))),
        ),
        shape=(n, n),
    )


def as_sparse(name: str, matrix: object) -> sparse.csr_array:
    """Return a sparse array as csr. Dense arrays raise an error, because they cannot store edges of length 0."""
    if not is_sparse(matrix):
        raise ArgumentTypeError(
            f"{name} is {a_type(matrix)}; pass a sparse array of distances, as neighbor_graph returns."
        )
    check_structure(name, matrix)
    result: sparse.csr_array = sparse.csr_array(matrix).astype(np.float64, copy=False)
    return result


def _like(matrix: sparse.csr_array, data: NDArray[np.float64]) -> sparse.csr_array:
    result = sparse.csr_array((data, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)
    result.has_canonical_format = matrix.has_canonical_format
    return result
