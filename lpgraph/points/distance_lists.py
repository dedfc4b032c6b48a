"""Checks of sparse distance matrices, in which every stored entry, including 0, is the distance of a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import check_finite_array, is_string
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.csr_check import check_structure
from lpgraph.points.checks import check_distances, check_points
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.types import Points

__all__ = ["check_given", "check_listed", "is_precomputed"]

#: The two distances stored for a pair may differ by this fraction of the largest: neighbor searches by scalar
#: products, or in single precision, round them differently.
_ROUNDING = 1e-6


def is_precomputed(metric: object) -> bool:
    """Whether distances are passed instead of points."""
    return is_string(metric, "precomputed")


def check_given(
    name: str, X: object, as_distances: bool, n: int | None = None, *, as_sparse: bool | None = None
) -> Points:
    """Return checked points, or distances of points.

    Parameters
    ----------
    name : str
        The name of the argument.
    X : array_like or sparse array
        Points or distances.
    as_distances : bool
        Whether X is distances.
    n : int, optional
        For new points, the number of columns.
    as_sparse : bool, optional
        Whether points and distances are sparse; by default as in X.
    """
    if not as_distances:
        points: Points = check_points(name, X, n, as_sparse=as_sparse)
        return points
    listed = is_sparse(X) if as_sparse is None else as_sparse
    return check_listed(name, X, n) if listed else check_distances(name, X, n)


def check_listed(name: str, distances: object, n: int | None = None) -> sparse.csr_array:
    """Return listed distances as a csr_array: symmetric with stored zeros on the diagonal, or rows of new points.

    Parameters
    ----------
    name : str
        The name of the argument.
    distances : sparse matrix or array
        (n, n) distances of training points or, if `n` is given, (m, n) distances from new points to them. A pair
        of training points may be stored once or twice. Dense (m, n) rows list every distance.
    n : int, optional
        The number of training points.
    """
    if not is_sparse(distances):
        dense = check_finite_array(name, distances, ndim=2)
        row, column = np.indices(dense.shape).reshape(2, -1)
        distances = sparse.coo_array((dense.ravel(), (row, column)), shape=dense.shape)
    if distances.format in ("bsr", "dia"):
        raise ArgumentTypeError(
            f"{name} is in the format {distances.format!r}, which stores zeros that are not distances; "
            f"pass {name}.tocsr() after eliminate_zeros()."
        )
    if distances.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"{name} has dtype {distances.dtype}; pass distances as real numbers.")
    check_structure(name, distances)
    shape = distances.shape
    if n is None and shape[0] != shape[1]:
        raise ArgumentError(
            f"{name} has shape {shape}; with metric='precomputed' pass an (n, n) graph of distances."
        )
    if n is not None and shape[1] != n:
        raise ArgumentError(
            f"{name} has rows of {shape[1]} distances but there are {n} training points; pass shape (m, {n})."
        )
    entries = distances.tocoo()
    row, column = (index.astype(np.intp) for index in entries.coords)
    values = entries.data.astype(np.float64)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        e = int(np.argmax(wrong))
        raise ArgumentError(
            f"{name}[{row[e]}, {column[e]}] is {values[e]}; pass distances, which are finite and not negative."
        )
    if len(np.unique(row * np.int64(max(1, shape[1])) + column)) < len(row):
        raise ArgumentError(f"{name} lists a distance twice; pass each once, as {name}.tocsr() of one list does.")
    if n is not None:
        return _csr(row, column, values, shape)
    return _symmetric(name, row, column, values, shape[0])


def _symmetric(
    name: str, row: NDArray[np.intp], column: NDArray[np.intp], values: NDArray[np.float64], n: int
) -> sparse.csr_array:
    loop = row == column
    if values[loop].any():
        i = int(row[loop][np.argmax(values[loop] != 0)])
        raise ArgumentError(f"{name}[{i}, {i}] is not 0; the distance of a point to itself is 0, so leave it out.")
    low, high = np.minimum(row, column)[~loop], np.maximum(row, column)[~loop]
    values = values[~loop]
    key, first, times = np.unique(low * np.int64(n) + high, return_inverse=True, return_counts=True)
    mean = np.bincount(first, weights=values, minlength=len(key)) / times
    off = np.abs(values - mean[first]) > _ROUNDING * values.max(initial=0.0)
    if off.any():
        e = int(np.argmax(off))
        raise ArgumentError(
            f"{name} lists two different distances of points {low[e]} and {high[e]}; distances are symmetric."
        )
    # The mean of two equal numbers is that number, exactly: (d + d) / 2 == d.
    one, other, everyone = key // n, key % n, np.arange(n)
    return _csr(
        np.concatenate([one, other, everyone]),
        np.concatenate([other, one, everyone]),
        np.concatenate([mean, mean, np.zeros(n)]),
        (n, n),
    )


def _csr(
    row: NDArray[np.intp], column: NDArray[np.intp], values: NDArray[np.float64], shape: tuple[int, int]
) -> sparse.csr_array:
    result = sparse.csr_array((values, (row, column)), shape=shape)
    result.sort_indices()
    return result
