"""Checks of X: points, distances of all pairs or of listed pairs, similarities, kernel values and graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import Numbers, as_real, check_finite_array, check_scale, is_string
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.csr_check import check_structure

from .rows import Points, Values, blocks, doubles, is_mapped, is_sparse

if TYPE_CHECKING:
    from lpgraph._utils.types import Flags, Integers


#: Coordinates of points, or values with one column for each training point.
Kind: TypeAlias = Literal["points", "distances", "similarities", "kernel"]

#: So many numbers, 64 MB of doubles, are converted to doubles at once.
_FEW = 1 << 23
#: The two distances listed for a pair may differ by this fraction of the largest: neighbor searches by scalar
#: products, or in single precision, round them differently.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Input:
    """The kind of X, and whether X may be sparse.

    Attributes
    ----------
    kind : {"points", "distances", "similarities", "kernel"}
        Coordinates of points, or values with one column for each training point.
    sparse : bool
        Whether X may be a sparse matrix; a sparse matrix of distances contains those of neighbors.
    """

    kind: Kind
    sparse: bool

    @property
    def pairwise(self) -> bool:
        """Whether X has one column for each training point."""
        return self.kind != "points"

    def training(self, X: object, caller: str) -> Points:
        """Return the checked training points, or their values for all pairs."""
        network = network_kind(X)
        if network is not None:
            raise ArgumentTypeError(f"X is a network ({network}), but {caller} embeds points; pass points.")
        if self.kind == "points" and is_sparse(X) and not self.sparse:
            raise ArgumentTypeError(f"X is a sparse matrix, which {caller} does not accept; pass X.toarray().")
        return self._checked(X, None, None if self.sparse else False)

    def new(self, X: object, n: int, as_sparse: bool) -> Points:
        """Return checked new points: n columns, sparse if the training points were, else in C order."""
        points = self._checked(X, n, as_sparse)
        # Sums over a row are taken in an order that depends on the order in memory.
        return points if not self.pairwise or is_sparse(points) else np.ascontiguousarray(points)

    def _checked(self, X: object, n: int | None, as_sparse: bool | None) -> Points:
        values = check_given("X", X, self.kind, n, as_sparse=as_sparse)
        numbers = values.data if is_sparse(values) else values
        if numbers.size:
            check_scale("X has numbers", float(numbers.min()), float(numbers.max()), new=n is not None)
        return values


def network_kind(X: object) -> str | None:
    """Return the library and class of a network of networkx, igraph or this library, else None.

    Examples
    --------
    >>> import networkx as nx
    >>> from lpgraph.points.checks import network_kind
    >>> network_kind(nx.Graph())
    'networkx.Graph'
    """
    if hasattr(type(X), "is_directed") or (hasattr(X, "adjacency") and hasattr(X, "directed")):
        return f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"
    return None


def is_precomputed(metric: object) -> bool:
    """Whether distances are passed instead of points."""
    return is_string(metric, "precomputed")


def kind_of(metric: object) -> Literal["points", "distances"]:
    """Return what is passed with a metric."""
    return "distances" if is_precomputed(metric) else "points"


def check_given(
    name: str, X: object, kind: Kind, n: int | None = None, *, as_sparse: bool | None = None
) -> Points:
    """Return checked points, or values of pairs of points.

    Parameters
    ----------
    name : str
        The name of the argument.
    X : array_like or sparse array
        Points, or distances, similarities or kernel values; a sparse array of distances lists some.
    kind : {"points", "distances", "similarities", "kernel"}
        What X is.
    n : int, optional
        For new points, the number of columns.
    as_sparse : bool, optional
        Whether the result is sparse; by default as X is.
    """
    if kind == "points":
        return check_points(name, X, n, as_sparse=as_sparse)
    if kind == "distances" and (is_sparse(X) if as_sparse is None else as_sparse):
        return _check_listed(name, X, n)
    return _check_matrix(name, X, kind, n, as_sparse)


def check_points(name: str, points: object, width: int | None = None, *, as_sparse: bool | None = None) -> Points:
    """Return `points` as finite (m, p) points: a copy in C order, or a mapped file, which is not copied.

    Few points are copied as doubles, many in their own type, and sparse points as a csr_array of doubles, in which
    equal rows are stored equally. `as_sparse` says whether new points are returned sparse or dense.
    """
    array: Points = _check_sparse(name, points) if is_sparse(points) else as_real(name, points)
    if array.ndim != 2:
        raise ArgumentError(f"{name} has shape {array.shape}. Reshape your data: pass one row for each point.")
    if array.shape[1] == 0:
        raise ArgumentError(f"{name} has 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    if width is not None and array.shape[1] != width:
        raise ArgumentError(f"{name} has {array.shape[1]} columns; pass {width}, as the training data have.")
    if is_sparse(array):
        return array.toarray() if as_sparse is False else array
    dense = _kept(name, array)
    return _check_sparse(name, sparse.csr_array(doubles(dense))) if as_sparse else dense


def _check_pairs(name: str, shape: tuple[int, ...], kind: Kind, n: int | None) -> None:
    """Raise unless the shape is that of values of pairs: (n, n), or (m, n) for new points."""
    if len(shape) != 2 or shape[1] != (shape[0] if n is None else n):
        wanted = "(n, n)" if n is None else f"(m, {n})"
        raise ArgumentError(f"{name} has shape {shape}. Reshape your data: pass {wanted} {kind}.")


def _kept(name: str, array: Numbers) -> Numbers:
    """Return dense points that do not change when those that were passed do; raise if one is not finite."""
    if array.dtype.kind == "f":
        for part in blocks(array):
            wrong = ~np.isfinite(array[part])
            if wrong.any():
                i, j = np.argwhere(wrong)[0] + (part.start, 0)
                raise ArgumentError(
                    f"{name}[{i}, {j}] is {array[i, j]}; remove or replace NaN and infinite values."
                )
    if is_mapped(array):
        return array
    dtype = np.dtype(np.float64) if array.size <= _FEW else array.dtype.newbyteorder("=")
    with np.errstate(over="ignore"):  # of long doubles: what becomes infinite is refused as too large
        return np.add(array, dtype.type(0), dtype=dtype, order="C")  # a copy; and -0.0 becomes 0.0


def _check_sparse(name: str, points: sparse.csr_array) -> sparse.csr_array:
    """Return a copy of a sparse matrix as a canonical csr_array of finite float64."""
    if points.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"{name} has dtype {points.dtype}; pass real numbers, as by {name}.astype(float).")
    check_structure(name, points)
    result: sparse.csr_array = sparse.csr_array(points, copy=True).astype(np.float64)
    result.sum_duplicates()
    result.eliminate_zeros()
    _check_entries(name, result, np.isfinite(result.data), "finite numbers")
    return result


def _check_entries(name: str, matrix: sparse.csr_array | sparse.coo_array, sound: Flags, what: str) -> None:
    """Raise if a stored entry of a sparse matrix is not sound."""
    if not sound.all():
        e, entries = np.argmin(sound), matrix.tocoo()
        row, column = entries.coords
        raise ArgumentError(f"{name}[{row[e]}, {column[e]}] is {entries.data[e]}; pass {what}.")


def _check_matrix(name: str, X: object, kind: Kind, n: int | None, as_sparse: bool | None) -> Values:
    """Return distances, similarities or kernel values of all pairs of training points or, given n, of new ones."""
    if is_sparse(X) and kind != "similarities":
        raise ArgumentTypeError(f"{name} is a sparse matrix; pass the {kind} of all pairs, as {name}.toarray().")
    array: Values = _check_sparse(name, X) if is_sparse(X) else check_finite_array(name, X)
    values = array.data if is_sparse(array) else array
    _check_pairs(name, array.shape, kind, n)
    if kind != "kernel" and values.size and values.min() < 0:
        raise ArgumentError(f"Negative values in data: {name} has {values.min()}; pass {kind} >= 0.")
    if n is None:
        if kind == "distances" and array.diagonal().any():
            raise ArgumentError(f"{name} has a point at a distance from itself; fill the diagonal with 0.")
        check_symmetric(name, array)
    if kind != "similarities" or as_sparse is None or as_sparse == is_sparse(array):
        return array
    return array.toarray() if is_sparse(array) else sparse.csr_array(array)


def _check_listed(name: str, X: object, n: int | None) -> sparse.csr_array:
    """Return listed distances, of which stored zeros are some, as a csr_array with sorted indices.

    Those of training points are made symmetric, with zeros on the diagonal; a pair may be stored once or twice.
    Given `n`, they are (m, n) rows of new points; dense rows list every distance.
    """
    if not is_sparse(X):
        dense = check_finite_array(name, X, ndim=2)
        X = sparse.coo_array((dense.ravel(), np.indices(dense.shape).reshape(2, -1)), shape=dense.shape)
    if X.format in ("bsr", "dia") or X.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"{name} has {X.dtype} as {X.format}; pass real distances as csr.")
    check_structure(name, X)
    _check_pairs(name, X.shape, "distances", n)
    listed = sparse.csr_array(X, copy=True).astype(np.float64)
    listed.sum_duplicates()
    if listed.nnz < X.nnz:
        raise ArgumentError(f"{name} lists a distance twice; pass each once, as {name}.tocsr() of one list does.")
    _check_entries(name, listed, np.isfinite(listed.data) & (listed.data >= 0), "finite distances >= 0")
    return listed if n is not None else _symmetric(name, listed)


def _symmetric(name: str, listed: sparse.csr_array) -> sparse.csr_array:
    """Return every listed distance in both directions, and the diagonal."""
    n, everyone = listed.shape[0], np.arange(listed.shape[0])
    one, other = listed.tocoo().coords
    row, column = np.concatenate([one, other, everyone]), np.concatenate([other, one, everyone])
    values = np.concatenate([listed.data, listed.data, np.zeros(n)])
    key, first, times = np.unique(row * n + column, return_inverse=True, return_counts=True)
    # The mean of two equal numbers is that number, exactly: (d + d) / 2 == d.
    mean = np.bincount(first, weights=values) / times
    off = (np.abs(values - mean[first]) > _ROUNDING * values.max(initial=0.0)) | ((row == column) & (values > 0))
    if off.any():
        i, j = row[off][0], column[off][0]
        raise ArgumentError(f"{name} lists two distances of points {i} and {j}; pass one, and 0 on the diagonal.")
    return sparse.csr_array((mean, (key // n, key % n)), shape=listed.shape)


def check_symmetric(name: str, matrix: Values) -> None:
    """Raise if a matrix is not symmetric up to rounding."""
    if not min(matrix.shape):
        return
    if is_sparse(matrix):
        most, gap = abs(matrix).max(), abs(matrix - matrix.T).max()
    else:
        most = np.abs(matrix).max()
        gap = max(np.abs(matrix[part] - matrix[:, part].T).max() for part in blocks(matrix))
    if gap > 1e-10 * most:
        raise ArgumentError(f"{name} is not symmetric; pass ({name} + {name}.T) / 2.")


def check_indices(name: str, values: object, n: int, ndim: int) -> Integers:
    """Return an array of indices of n points."""
    array = as_real(name, values)
    if array.ndim != ndim or (array.size and array.dtype.kind not in "iu"):
        raise ArgumentTypeError(
            f"{name} has dtype {array.dtype} and {array.ndim} dimensions; pass ints in {ndim}."
        )
    if array.size and (array.min() < 0 or array.max() >= n):
        raise ArgumentError(f"{name} has ints from {array.min()} to {array.max()}; pass ints in [0, {n - 1}].")
    return array.astype(np.intp)
