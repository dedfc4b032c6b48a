"""Symmetric matrices in packed form: their upper triangles, row after row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Flags


def pairs(columns: Array) -> Array:
    """Return the products of all pairs of columns, which are the rows of the argument.

    Parameters
    ----------
    columns : ndarray of shape (k, m)
        Row a has the entries a of m vectors.

    Returns
    -------
    ndarray of shape (k (k + 1) / 2, m)
        Column j is the packed ``x_j x_j.T``.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.packed import pairs
    >>> pairs(np.array([[2.0], [3.0]])).ravel()
    array([4., 6., 9.])
    """
    columns, k = np.ascontiguousarray(columns), len(columns)
    result, first = np.empty((k * (k + 1) // 2, columns.shape[1])), 0
    for a in range(k):
        np.multiply(columns[a], columns[a:], out=result[first : first + k - a])
        first += k - a
    return result


def packed(matrices: Array) -> Array:
    """Return the upper triangles of symmetric matrices of shape (m, d, d), of shape (m, d (d + 1) / 2)."""
    rows, columns = np.triu_indices(matrices.shape[1])
    return matrices[:, rows, columns]


def unpacked(triangles: Array) -> Array:
    """Return the symmetric matrices (m, d, d) with the given upper triangles (m, d (d + 1) / 2).

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.packed import unpacked
    >>> unpacked(np.array([[1.0, 2.0, 3.0]]))[0]
    array([[1., 2.],
           [2., 3.]])
    """
    m, size = triangles.shape
    d = (int(np.sqrt(8 * size + 1)) - 1) // 2
    result = np.empty((m, d, d))
    rows, columns = np.triu_indices(d)
    result[:, rows, columns] = triangles
    result[:, columns, rows] = triangles
    return result


def are_definite(triangles: Array) -> Flags:
    """Return which of m symmetric matrices are positive definite.

    Parameters
    ----------
    triangles : ndarray of shape (d (d + 1) / 2, m)
        Column j is the upper triangle of a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.packed import are_definite
    >>> are_definite(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 3.0]]).T)
    array([False,  True])
    """
    return np.linalg.eigvalsh(unpacked(triangles.T))[:, 0] > 0
