"""Edges as a sparse matrix: the one entrance to the sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph.models.bernoulli import DEFAULT, box_events, dense_events, factor_events
from lpgraph.models.boxes import BoxTree
from lpgraph.models.kernels import BoundedKernel
from lpgraph.models.probabilities import Probabilities, forbid_negative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.models.bernoulli import Cells, Tuning
    from lpgraph.models.kernels import Kernel

    Array = NDArray[np.float64]


def sample_edges(
    kernel: Kernel,
    sparsity: float,
    x: Array,
    y: Array | None,
    rng: np.random.Generator,
    *,
    directed: bool = True,
    tuning: Tuning = DEFAULT,
) -> sparse.csr_array:
    """Draw independent Bernoulli edges with probabilities ``sparsity * kernel(x_i, y_j)``.

    Parameters
    ----------
    kernel : Kernel
    sparsity : float
    x : ndarray of shape (n, p)
        Positions as ``kernel.prepare`` returns them.
    y : ndarray of shape (m, p) or None
        Positions of the columns. None: the columns are the rows, and the diagonal stays empty.
    rng : Generator
    directed : bool
        With ``y=None`` and False, cells i < j are drawn and mirrored.
    tuning : Tuning

    Returns
    -------
    csr_array of shape (n, m)
        Float ones, indices sorted.

    Raises
    ------
    ProbabilityError
        If a probability above 1 or not a number exists, or a negative one is found. Above 1 none is missed.
        A negative one is not missed either when bounds rule negatives out, or among at most 4096^2 cells,
        or by a function; see `lpgraph.models.probabilities.forbid_negative` for the search in larger
        graphs.
    """
    hollow = y is None
    mirror = hollow and not directed
    shape = (len(x), len(x) if y is None else len(y))
    if not isinstance(kernel, BoundedKernel):
        ids = np.arange(shape[0]), np.arange(shape[1])
        p = Probabilities(kernel, sparsity, x, x if y is None else y, *ids, hollow)
        return _to_csr(dense_events(p, rng, tuning.chunk, upper=mirror), shape, mirror)

    tree_a = BoxTree(x)
    tree_b = tree_a if y is None else BoxTree(y)
    # the trees reorder their arrays in place, so this reads whatever order they are in
    p = Probabilities(kernel, sparsity, tree_a.points, tree_b.points, tree_a.order, tree_b.order, hollow)
    forbid_negative(p, tree_a, tree_b, unordered=mirror)
    events = factor_events(p, tree_a, tree_b, rng, tuning, mirror)
    if events is None:
        events = box_events(p, tree_a, tree_b, rng, tuning, mirror)
    edges = ((tree_a.order[i], tree_b.order[j]) for i, j in events)
    return _to_csr(edges, shape, mirror)


def _to_csr(edges: Iterator[Cells], shape: tuple[int, int], mirror: bool) -> sparse.csr_array:
    """Merge cells hit more than once, mirror if asked, and return the matrix of ones."""
    n_rows, n_columns = shape
    keys = []
    for i, j in edges:
        i, j = (np.minimum(i, j), np.maximum(i, j)) if mirror else (i, j)
        keys.append(i.astype(np.int64) * n_columns + j)
    key = np.concatenate(keys) if keys else np.empty(0, dtype=np.int64)
    del keys
    key.sort()
    if len(key):
        key = key[np.concatenate([[True], key[1:] != key[:-1]])]
    n_edges = (2 if mirror else 1) * len(key)
    index = np.int32 if max(n_edges, n_rows, n_columns) <= np.iinfo(np.int32).max else np.int64
    first = np.arange(n_rows + 1) * n_columns
    indptr = key.searchsorted(first).astype(index)
    key -= np.repeat(first[:-1], np.diff(indptr))
    indices = key.astype(index)
    del key
    if mirror:
        indptr, indices = _mirror(indptr, indices)
    return sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=shape)


def _mirror(indptr: NDArray[Any], indices: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return indptr and indices of U + U.T, for the strict upper triangle U."""
    n = len(indptr) - 1
    upper = sparse.csr_array((np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(n, n))
    lower = upper.tocsc()  # the columns of U, in order, are the rows of U.T
    # a row of U.T lies left of the diagonal, a row of U right of it: one after the other is sorted
    both = indptr + lower.indptr
    merged = np.empty(2 * len(indices), dtype=indices.dtype)
    for part, shift in (lower, both - lower.indptr), (upper, both[:-1] + np.diff(lower.indptr) - indptr[:-1]):
        where = np.repeat(shift[:n], np.diff(part.indptr))
        where += np.arange(len(where), dtype=where.dtype)
        merged[where] = part.indices
    return both, merged
