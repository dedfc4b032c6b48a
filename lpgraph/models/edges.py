"""Sampling of the edges of a latent position graph as a sparse matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.models.bernoulli import DEFAULT, box_events, dense_events
from lpgraph.models.boxes import BoxTree
from lpgraph.models.collect import matrix_of
from lpgraph.models.factors import factor_events
from lpgraph.models.kernels import BoundedKernel
from lpgraph.models.probabilities import PairProbabilities, Probabilities, forbid_negative

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
        Positions of the columns. If None, the columns are the rows, and the diagonal is empty.
    rng : Generator
    directed : bool
        If False and ``y=None``, the cells i < j are drawn and mirrored.
    tuning : Tuning

    Returns
    -------
    csr_array of shape (n, m)
        All entries are 1.0; indices are sorted.

    Raises
    ------
    ArgumentError
        If more edges are expected than fit in memory. Only checked for a `BoundedKernel`.
    ProbabilityError
        If a probability exceeds 1, is NaN, or is negative. Values above 1 and NaN are always found. Negative
        values are always found for a function and for up to 4096^2 cells; for larger graphs see
        `lpgraph.models.probabilities.forbid_negative`.
    """
    hollow = y is None
    mirror = hollow and not directed
    shape = (len(x), len(x) if y is None else len(y))
    if not isinstance(kernel, BoundedKernel):
        ids = np.arange(shape[0]), np.arange(shape[1])
        p = Probabilities(kernel, sparsity, x, x if y is None else y, *ids, hollow)
        every = dense_events(p, rng, tuning.block, upper=mirror)
        return matrix_of(every, shape, hollow=hollow, mirror=mirror)

    tree_a = BoxTree(x)
    tree_b = tree_a if y is None else BoxTree(y)
    # The trees reorder their arrays in place; `p` refers to the same arrays.
    p = PairProbabilities(kernel, sparsity, tree_a.points, tree_b.points, tree_a.order, tree_b.order, hollow)
    forbid_negative(p, tree_a, tree_b, unordered=mirror)
    edges = None
    if tuning.factors:
        root = slice(0, 1)
        _, upper = kernel.bounds(tree_a.lo[root], tree_a.hi[root], tree_b.lo[root], tree_b.hi[root])
        edges = factor_events(p, sparsity * float(upper[0]), rng, chunk=tuning.chunk, mirror=mirror)
    if edges is None:
        edges = box_events(p, tree_a, tree_b, rng, tuning, mirror)
    return matrix_of(_drained(edges), shape, hollow=hollow, mirror=mirror)


def _drained(events: list[Cells]) -> Iterator[Cells]:
    """Yield events and drop them, so that their memory can be freed early."""
    while events:
        yield events.pop()
