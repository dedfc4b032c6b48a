"""Positions by name, of fitted embeddings, tables or mappings, and rotations between two of the same items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.checks import check_finite_array, check_flag, check_signature, type_of
from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.estimators import not_fitted
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import Names, as_labels, as_names, code_names, index_of, is_numbered
from lpgraph.graph.vertex_values import row_names

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.types import Array, Integers

    Signs: TypeAlias = NDArray[np.int64]

#: Attributes of estimators that contain another: its fitted embedding, or a frozen estimator.
_INSIDE = ("fitted_embedding_", "best_estimator_", "embedding", "estimator")

#: Rows at so many medians of the distances have a quarter of the weight; chosen by `benchmarks/align.py`.
_MEDIANS = 2.0
#: Steps of reweighting. The matrix changes by less than _TOL after some ten of them.
_STEPS, _TOL = 50, 1e-10
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
) -> Array:
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
        first, second = (f"({x.n}, {x.d}) in {x.sides} direction(s)" for x in (a, b))
        raise ArgumentError(f"A has shape {first}, but B has shape {second}; pass two of the same shape.")
    if signature is not None:
        left = right = check_signature("signature", signature, a.d)
    elif a.signature is not None and b.signature is not None:
        left, right = a.signature, b.signature
        p, q = (int((signs < 0).sum()) for signs in (left, right))
        if p != q:
            raise ArgumentError(f"A has {p} negative eigenvalues but B has {q}; fit both with which='LA'.")
    else:
        left = right = np.ones(a.d, dtype=np.int64)
    here, there = common_rows(a.names, b.names)
    if not len(here):
        raise ArgumentError("A and B have no common name; pass the same items.")
    return rotation(a.stacked(here), b.stacked(there), left, right, robust=check_flag("robust", robust))


@blas_alone()
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
    found, scale = _rotation(a, b, left, right), _scale(a, b)
    for _ in range(_STEPS if robust else 0):
        ratios = _relative(a @ found, b, scale)
        weights = (1 + (ratios / _MEDIANS) ** 2) ** -2.0 / scale**2
        before, found = found, _rotation(a * weights[:, None], b, left, right)
        if np.abs(found - before).max() < _TOL:
            break
    return found


def relative_distances(a: Array, b: Array) -> Array:
    """Return the distances of the rows, divided by the roots of their mean lengths and by the median."""
    return _relative(a, b, _scale(a, b))


def _relative(a: Array, b: Array, scale: Array) -> Array:
    """Return distances divided by `scale` and by the median, which is replaced if it is a rounding error."""
    r: Array = np.linalg.norm(a - b, axis=1) / scale
    return r / max(float(np.median(r)), _ROUNDING * float(np.median(scale)))


def _rotation(a: Array, b: Array, left: Signs, right: Signs) -> Array:
    products = a.T @ b
    result = np.zeros_like(products)
    for sign in (1, -1):
        block = np.ix_(np.flatnonzero(left == sign), np.flatnonzero(right == sign))
        u, _, vt = np.linalg.svd(products[block])
        result[block] = u @ vt
    return result


def _scale(a: Array, b: Array) -> Array:
    """Return the root of the mean length of each row; the smallest are raised, so that they can be divided by."""
    lengths = (np.linalg.norm(a, axis=1) + np.linalg.norm(b, axis=1)) / 2
    positive = lengths[lengths > 0]
    least = _LEAST * np.median(positive) if len(positive) else 1.0
    return np.asarray(np.sqrt(np.maximum(lengths, least)))


@dataclass(frozen=True, eq=False)
class NamedPositions:
    """Positions of items with names, and what is known of their signs.

    Attributes
    ----------
    names : ndarray of shape (n,), or range
        One name for each row; ``range(n)`` if there are none.
    out : ndarray of shape (n, d)
        Positions; of a directed network those as sources.
    into : ndarray of shape (n, d) or None
        Of a directed network: positions as targets.
    signature : ndarray of shape (d,) or None
        The sign of each column, if known.
    kind : str or None
        The name of the method.
    """

    names: Names
    out: Array
    into: Array | None = None
    signature: NDArray[np.int64] | None = None
    kind: str | None = None

    @classmethod
    def of(cls, argument: str, value: object) -> NamedPositions:
        """Read positions.

        Parameters
        ----------
        argument : str
            What the caller calls them, for errors.
        value : fitted embedding, mapping, data frame or array
            A fitted embedding, or an estimator that has one; ``{name: vector}``; a data frame whose index has the
            names; or an array without names.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If it has no positions, or these are not finite.
        """
        if isinstance(value, NamedPositions):
            return value
        if hasattr(value, "get_params") and not isinstance(value, type):
            return cls._of_estimator(argument, value)
        names: Names | None = None
        if isinstance(value, Mapping):
            names, value = as_names(list(value), argument=argument), list(value.values())
        positions = check_finite_array(argument, value, ndim=2)
        if not positions.size:
            raise ArgumentError(f"{argument} has shape {positions.shape}; pass at least one row and column.")
        names = row_names(value, len(positions)) if names is None else names
        return cls(names, positions)

    @classmethod
    def _of_estimator(cls, argument: str, value: object) -> NamedPositions:
        model = fitted_part(value)
        if model is None:
            raise not_fitted(f"{argument} is {type_of(value)} without a fitted embedding; call fit(...) first.")
        positions = np.asarray(model.embedding_)
        # Points have no names, but their rows: of a disconnected graph those that were kept.
        names = getattr(model, "vertex_names_", getattr(model, "kept_", range(len(positions))))
        signature = getattr(model, "signature_", None)
        return cls(
            as_names(names, argument=argument),
            positions,
            getattr(model, "embedding_in_", None),
            None if signature is None else np.asarray(signature, dtype=np.int64),
            getattr(model, "_method", type(model).__name__),
        )

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.out.shape[0])

    @property
    def d(self) -> int:
        """Number of dimensions."""
        return int(self.out.shape[1])

    @property
    def sides(self) -> int:
        """Number of positions of each item: two in a directed network."""
        return 1 if self.into is None else 2

    @property
    def is_array(self) -> bool:
        """Whether these are the rows of an array, which have no names."""
        return is_numbered(self.names) and self.kind is None

    def stacked(self, rows: Integers) -> Array:
        """Return the positions of some items; of a directed network those as targets follow those as sources."""
        sides = [side for side in (self.out, self.into) if side is not None]
        return np.vstack([side[rows] for side in sides])


def common_rows(names: Names, others: Names) -> tuple[Integers, Integers]:
    """Return the rows of the common names in each of two sequences, in the order of the first."""
    if is_numbered(names) and is_numbered(others):
        both = np.arange(min(len(names), len(others)))
        return both, both
    index = index_of(others)
    there = code_names(as_labels(names, "names"), index, missing=-1)
    here = np.flatnonzero(there >= 0)
    return here, there[here]


def fitted_part(value: BaseEstimator) -> BaseEstimator:
    """Return the fitted embedding: the estimator itself, or one that it contains; None if there is none."""
    for _ in range(4):  # such as a frozen pipeline of an estimator with an embedding
        if "fitted_embedding_" not in vars(value) and "embedding_" in vars(value):
            return value
        inner = next((found for name in _INSIDE if (found := vars(value).get(name)) is not None), None)
        if not hasattr(inner, "get_params"):
            return None
        value = inner
    return None
