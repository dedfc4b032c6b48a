"""Rotations between two embeddings of the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_flag, check_signature
from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph.embed.named_positions import NamedPositions, common_rows
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Signs = NDArray[np.int64]

__all__ = ["procrustes"]

#: Rows at so many medians of the distances have a quarter of the weight; chosen by `benchmarks/align.py`.
_MEDIANS = 2.0
#: Steps of reweighting. The matrix changes by less than _TOL after some ten of them.
_STEPS, _TOL = 50, 1e-10
#: Rows that are multiplied at a time, so that intermediate results stay in the cache.
_ROWS = 1 << 12
#: Minimum length of a row, relative to the median, by which distances are divided.
_LEAST = 1e-6
#: Distances below this share of a row's length are rounding errors.
_ROUNDING = 1e-9


def procrustes(
    A: ArrayLike | object,
    B: ArrayLike | object,
    *,
    signature: ArrayLike | None = None,
    robust: bool = False,
) -> NDArray[np.float64]:
    """Return the orthogonal matrix W that brings A closest to B: the minimiser of ``norm(A @ W - B)``.

    An embedding is determined up to a rotation (the W of Tang, Park & Priebe 2013, Theorems 2 and 4). The W
    of the in-sample rows also aligns the out-of-sample ones.

    Parameters
    ----------
    A, B : array-like of shape (n, d), mapping, data frame or fitted embedding
        Two embeddings. If both have names (a data frame with an index, ``{name: vector}``, or a fitted embedding
        of a network), rows are matched by name, and names that only one of them has are not used. Otherwise row i
        of both belongs to the same item. Of directed networks, one W is computed for both directions.
    signature : (int, int) or array-like of shape (d,), optional
        Numbers of columns of positive and of negative sign, in this order, or the sign of each column, as in
        ``signature_`` of a fitted embedding. Then columns of different signs are not mixed, and W also keeps the
        indefinite products ``(A * signature) @ A.T``. Default: the signatures of two fitted embeddings, else all
        columns have one sign.
    robust : bool, default False
        Whether to reweight rows iteratively, so that items that moved have little influence; see Notes.

    Returns
    -------
    ndarray of shape (d, d)
        W, orthogonal (reflections included). If the signatures of two fitted embeddings differ in their order, the
        columns of ``A @ W`` are in the order of B.

    Raises
    ------
    ArgumentError
        If the shapes or signatures differ, no name is common, or an entry is not finite.

    Notes
    -----
    With `robust`, the weight of a row at the distance r is ``(1 + (r / 2m)^2)^-2`` (Geman & McClure), where r is
    divided by the root of the mean length of the row in A and B, and m is the median of all r. The length of an
    adjacency embedding's row grows as its variance does, so that hubs do not count as items that moved.

    References
    ----------
    Schonemann, P. (1966), "A generalized solution of the orthogonal Procrustes problem", Psychometrika 31.
    Geman, S. & McClure, D. (1987), "Statistical methods for tomographic image reconstruction", Bulletin of the
    International Statistical Institute 52.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> A = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> bool(np.allclose(A @ lp.procrustes(A, A @ turn), A @ turn))
    True

    Rows are matched by name:

    >>> earlier = {"a": [0.0, 1.0], "b": [-2.0, 0.0], "d": [5.0, 5.0]}
    >>> lp.procrustes({"a": [1.0, 0.0], "b": [0.0, 2.0], "c": [9.0, 9.0]}, earlier).round(9) + 0.0
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    a, b = NamedPositions.of("A", A), NamedPositions.of("B", B)
    if (a.d, a.sides) != (b.d, b.sides) or (a.is_array and b.is_array and a.n != b.n):
        shapes = (f"{x.n}, {x.d}" + (f" ({x.sides} directions)" if x.sides > 1 else "") for x in (a, b))
        first, second = shapes
        raise ArgumentError(f"A has shape ({first}) but B has shape ({second}); pass two of the same shape.")
    if signature is not None:
        left = right = check_signature("signature", signature, a.d)
    elif a.signature is not None and b.signature is not None:
        left, right = a.signature, b.signature
        if left.sum() != right.sum():
            raise ArgumentError(
                f"A has {int((left < 0).sum())} negative eigenvalues but B has {int((right < 0).sum())}; fit both "
                "with which='LA', or with another number of dimensions."
            )
    else:
        left = right = np.ones(a.d, dtype=np.int64)
    here, there = common_rows(a.names, b.names)
    if not len(here):
        raise ArgumentError(f"A and B have no common name ({a.example} and {b.example}); pass the same items.")
    return rotation(a.stacked(here), b.stacked(there), left, right, robust=check_flag("robust", robust))


def rotation(a: Array, b: Array, left: Signs, right: Signs, *, robust: bool) -> Array:
    """Return the orthogonal W that minimises ``norm(a @ W - b)`` with ``W.T @ diag(left) @ W == diag(right)``.

    Parameters
    ----------
    a, b : ndarray of shape (n, d)
        Corresponding rows.
    left, right : ndarray of shape (d,)
        The sign of each column of `a` and of `b`, equally many of each.
    robust : bool
        Whether rows are reweighted iteratively.
    """
    with blas_alone():
        found = _rotation(a, b, left, right)
        if not robust:
            return found
        scale = _scale(a, b)
        for _ in range(_STEPS):
            r = _distances(a, b, found) / scale
            middle = max(float(np.median(r)), _ROUNDING * float(np.median(scale)))
            weights = (1 + (r / (_MEDIANS * middle)) ** 2) ** -2.0 / scale**2
            before, found = found, _rotation(a, b, left, right, weights)
            if np.abs(found - before).max() < _TOL:
                break
    return found


def relative_distances(a: Array, b: Array) -> Array:
    """Return the distances of the rows, divided by the roots of their mean lengths and by the median.

    A median of distances that are rounding errors is replaced by a larger number.
    """
    scale = _scale(a, b)
    r = np.linalg.norm(a - b, axis=1) / scale
    return np.asarray(r / max(float(np.median(r)), _ROUNDING * float(np.median(scale))))


def _rotation(a: Array, b: Array, left: Signs, right: Signs, weights: Array | None = None) -> Array:
    products = np.zeros((len(left), len(right)))
    for part in slices(len(a), _ROWS):
        rows = a[part] if weights is None else a[part] * weights[part, None]
        products += rows.T @ b[part]
    result = np.zeros_like(products)
    for sign in (1, -1):
        block = np.ix_(np.flatnonzero(left == sign), np.flatnonzero(right == sign))
        u, _, vt = np.linalg.svd(products[block])
        result[block] = u @ vt
    return result


def _distances(a: Array, b: Array, turn: Array) -> Array:
    """Return the distances of the rows of ``a @ turn`` from those of b."""
    result = np.empty(len(a))
    for part in slices(len(a), _ROWS):
        gaps = a[part] @ turn - b[part]
        result[part] = np.sqrt(np.einsum("ij,ij->i", gaps, gaps))
    return result


def _scale(a: Array, b: Array) -> Array:
    """Return the root of the mean length of each row; the smallest are raised, so that they can be divided by."""
    lengths = (np.linalg.norm(a, axis=1) + np.linalg.norm(b, axis=1)) / 2
    positive = lengths[lengths > 0]
    least = _LEAST * float(np.median(positive)) if len(positive) else 1.0
    return np.asarray(np.sqrt(np.maximum(lengths, least)))
