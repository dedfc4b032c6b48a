"""Edges as a sparse matrix: the one entrance to the sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.models.bernoulli import DEFAULT, box_events, dense_events
from lpgraph.models.boxes import BoxTree
from lpgraph.models.collect import matrix_of
from lpgraph.models.factors import factor_events
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
    ArgumentError
        If more edges are expected than this machine has memory for; seen by the bounds of a kernel that has them.
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
        every = dense_events(p, rng, tuning.block, upper=mirror)
        return matrix_of(every, shape, hollow=hollow, mirror=mirror)

    tree_a = BoxTree(x)
    tree_b = tree_a if y is None else BoxTree(y)
    # the trees reorder their arrays in place, so this reads whatever order they are in
    p = Probabilities(kernel, sparsity, tree_a.points, tree_b.points, tree_a.order, tree_b.order, hollow)
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
    """Yield and forget, so that only the receiver decides how long events take memory."""
    while events:
        yield events.pop()
