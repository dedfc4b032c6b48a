"""Reading of X as points, or as distances, similarities or kernel values of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import sparse

from lpgraph._checks import check_finite_array, check_scale
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.points.distance_lists import check_given
from lpgraph.points.not_points import refuse_network
from lpgraph.points.sparse_points import check_sparse, is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.types import Points, Values

__all__ = ["Input", "check_symmetric"]


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

    kind: Literal["points", "distances", "similarities", "kernel"]
    sparse: bool

    @property
    def pairwise(self) -> bool:
        """Whether X has one column for each training point."""
        return self.kind != "points"

    def training(self, X: object, caller: str) -> Points:
        """Return the checked training points, or their values for all pairs."""
        refuse_network("X", X, caller)
        return _in_range(self._training(X, caller), new=False)

    def _training(self, X: object, caller: str) -> Points:
        if self.kind == "similarities":
            return _check_similarities(X)
        if self.kind == "kernel":
            return _check_kernel(X)
        if self.kind == "points" and is_sparse(X) and not self.sparse:
            raise ArgumentTypeError(f"X is a sparse matrix, which {caller} does not accept; pass X.toarray().")
        return check_given("X", X, self.pairwise, as_sparse=None if self.sparse else False)

    def new(self, X: object, n: int, as_sparse: bool) -> Points:
        """Return checked new points: n columns, sparse if the training points were, else in C order."""
        points = _in_range(self._new(X, n, as_sparse), new=True)
        # Sums over a row are taken in an order that depends on the order in memory.
        return points if not self.pairwise or is_sparse(points) else np.ascontiguousarray(points)

    def _new(self, X: object, n: int, as_sparse: bool) -> Points:
        if self.kind == "similarities":
            return _check_similarities(X, n, as_sparse)
        if self.kind == "kernel":
            return _check_kernel(X, n)
        return check_given("X", X, self.pairwise, n, as_sparse=as_sparse)


def _in_range(values: Points, *, new: bool) -> Points:
    """Return X; raise if its numbers are so large or so small that no method can compute with them."""
    numbers = values.data if isinstance(values, sparse.csr_array) else values
    if numbers.size:
        check_scale("X has numbers", float(numbers.min()), float(numbers.max()), new=new)
    return values


def _check_similarities(X: object, n: int | None = None, as_sparse: bool | None = None) -> Values:
    """Return (n, n) similarities, symmetric and not negative, or, given n, the (m, n) rows of new points."""
    array: Values = check_sparse("X", X) if is_sparse(X) else check_finite_array("X", X, ndim=2)
    if array.shape[1] != (array.shape[0] if n is None else n):
        wanted = "(n, n) similarities" if n is None else f"(m, {n}) similarities to the training points"
        raise ArgumentError(f"X has shape {array.shape}; with affinity='precomputed' pass {wanted}.")
    values = array.data if isinstance(array, sparse.csr_array) else array
    if values.size and values.min() < 0:
        raise ArgumentError(f"X has the similarity {values.min()}; pass similarities >= 0.")
    if n is None:
        check_symmetric("X", array)
    if as_sparse is None or as_sparse == is_sparse(array):
        return array
    return array.toarray() if isinstance(array, sparse.csr_array) else sparse.csr_array(array)


def _check_kernel(X: object, n: int | None = None) -> NDArray[np.float64]:
    """Return (n, n) kernel values, symmetric, or, given n, the (m, n) values of new points."""
    values = check_finite_array("X", X, ndim=2)
    if n is not None and values.shape[1] != n:
        raise ArgumentError(
            f"X has {values.shape[1]} columns but there are {n} training points; pass (m, {n}) kernel values."
        )
    if n is None:
        if values.shape[0] != values.shape[1]:
            raise ArgumentError(
                f"X has shape {values.shape}; with kernel='precomputed' pass (n, n) kernel values."
            )
        check_symmetric("X", values)
    return values


def check_symmetric(name: str, matrix: Values) -> None:
    """Raise if a matrix is not symmetric up to rounding."""
    # The difference is antisymmetric: its largest entry is its largest magnitude.
    gap: Values = matrix - matrix.T if isinstance(matrix, np.ndarray) else sparse.csr_array(matrix - matrix.T)
    if min(matrix.shape) == 0 or gap.max() <= 1e-10 * max(matrix.max(), -matrix.min()):
        return
    i, j = np.unravel_index(int(gap.argmax()), matrix.shape)
    raise ArgumentError(
        f"{name} is not symmetric: entry [{i}, {j}] is {matrix[i, j]} and [{j}, {i}] is {matrix[j, i]}; "
        f"pass ({name} + {name}.T) / 2."
    )
