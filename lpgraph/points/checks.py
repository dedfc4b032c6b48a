"""Checks of points and of distances between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import as_real, check_finite_array
from lpgraph._slices import slices
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.points.rows import blocks, doubles, is_mapped
from lpgraph.points.sparse_points import WORK, check_sparse, is_sparse

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from lpgraph.points.types import Numbers

__all__ = ["check_distances", "check_points"]

#: So many numbers, 64 MB of doubles, are converted to doubles at once.
_FEW = 1 << 23


def check_points(name: str, points: object, width: int | None = None, *, as_sparse: bool | None = None) -> Any:
    """Return `points` as finite (m, p) points: a copy in C order, or a mapped file, which is not copied.

    Few points are copied as doubles, many in their own type, and sparse points as a csr_array of doubles.
    `as_sparse` says whether new points are returned sparse or dense, like the training points.
    """
    array: Any = check_sparse(name, points) if is_sparse(points) else as_real(name, points)
    if array.ndim != 2:
        remedy = f"{name}.reshape(-1, 1) for one coordinate or {name}.reshape(1, -1) for one point"
        remedy = f"Reshape your data: pass {remedy}" if array.ndim == 1 else "Pass (m, p)"
        raise ArgumentError(f"{name} has shape {array.shape}. {remedy}.")
    if array.shape[1] == 0:
        raise ArgumentError(
            f"{name} has shape {array.shape}: 0 feature(s) (shape={array.shape}) while a minimum of 1 is "
            "required; pass points with at least one coordinate."
        )
    if width is not None and array.shape[1] != width:
        raise ArgumentError(
            f"{name} has points of {array.shape[1]} coordinates but the training points have {width}; "
            f"pass shape (m, {width})."
        )
    if not is_sparse(array):
        if not as_sparse:
            return _kept(name, array)
        return check_sparse(name, sparse.csr_array(doubles(_kept(name, array))))
    return array.toarray() if as_sparse is False else array


def _kept(name: str, array: NDArray[Any]) -> Numbers:
    """Return dense points that do not change when those that were passed do; raise if one is not finite."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # infinities are refused
            array = array.astype(np.float64)
    if array.dtype.kind == "f":
        for part in blocks(array):
            # NaN, or an infinity, is the smallest or the largest.
            if not (np.isfinite(array[part].min()) and np.isfinite(array[part].max())):
                i, j = (int(at[0]) for at in np.nonzero(~np.isfinite(array[part])))
                raise ArgumentError(
                    f"{name}[{part.start + i}, {j}] is {array[part][i, j]}; remove or replace NaN and infinite "
                    "values."
                )
    if is_mapped(array):
        return array
    dtype = np.dtype(np.float64) if array.size <= _FEW else array.dtype.newbyteorder("=")
    return np.asarray(np.add(array, dtype.type(0), dtype=dtype, order="C"))  # a copy; and -0.0 becomes 0.0


def check_distances(name: str, distances: object, n: int | None = None) -> NDArray[np.float64]:
    """Return `distances` as a checked (n, n) training matrix or, given `n`, as (m, n) rows of new points."""
    if hasattr(distances, "toarray"):
        raise ArgumentTypeError(f"{name} is a sparse matrix; pass every distance, as {name}.toarray().")
    array = check_finite_array(name, distances)
    if n is not None and array.ndim == 1:
        raise ArgumentError(
            f"{name} has shape {array.shape}. Reshape your data: pass {name}.reshape(1, -1) for one point."
        )
    if array.ndim != 2 or (n is None and array.shape[0] != array.shape[1]):
        raise ArgumentError(
            f"{name} has shape {array.shape}; with metric='precomputed' pass the (n, n) distances of all pairs."
        )
    if n is not None and array.shape[1] != n:
        raise ArgumentError(
            f"{name} has rows of {array.shape[1]} distances but there are {n} training points; "
            f"pass shape (m, {n})."
        )
    if array.size and array.min() < 0:
        row, j = np.unravel_index(int(np.argmin(array)), array.shape)
        raise ArgumentError(
            f"Negative values in data: {name}[{row}, {j}] is {array[row, j]}; "
            "pass distances, which are not negative."
        )
    if n is not None:
        return array
    diagonal = np.diagonal(array)
    if diagonal.any():
        i = int(np.argmax(diagonal != 0))
        raise ArgumentError(
            f"{name}[{i}, {i}] is {diagonal[i]}; the distance of a point to itself is 0: fill the diagonal with 0."
        )
    _check_symmetric(name, array)
    return array


def _check_symmetric(name: str, array: NDArray[np.float64]) -> None:
    for part in slices(len(array), WORK // max(1, len(array))):
        one, other = array[part], array[:, part].T
        differ = np.abs(one - other) > 1e-10 * (one + other)
        if differ.any():
            row, j = np.unravel_index(int(np.argmax(differ)), differ.shape)
            i = part.start + int(row)
            raise ArgumentError(
                f"{name}[{i}, {j}] is {array[i, j]} but {name}[{j}, {i}] is {array[j, i]}; "
                f"distances are symmetric: pass ({name} + {name}.T) / 2."
            )
