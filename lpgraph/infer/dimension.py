"""Choice of the number of dimensions: rules on the scree, and cross-validation on edges.

Li, T., Levina, E. & Zhu, J. (2020), "Network cross-validation by edge sampling", Biometrika 107, 257-276.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats

from lpgraph._utils.checks import check_generator, check_integer
from lpgraph._utils.compiled import slices
from lpgraph._utils.estimators import ShownColumns
from lpgraph._utils.progress import tell
from lpgraph.graph.construct import as_adjacency
from lpgraph.spectral.auto import solver_named
from lpgraph.spectral.dimension import RULES, DimensionChoice, elbows, joint_dimension, profile_likelihood
from lpgraph.spectral.eigen import eigenpairs, singular_triplets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Flags, Integers
    from lpgraph.spectral.eigen import EigenPairs, SingularTriplets

    Leading = EigenPairs | SingularTriplets
    #: Sources, targets and weights.
    Edges = tuple[NDArray[np.integer], NDArray[np.integer], Array]

__all__ = [
    "RULES",
    "DimensionChoice",
    "DimensionValidation",
    "cross_validate",
    "elbows",
    "joint_dimension",
    "profile_likelihood",
]

_log = logging.getLogger("lpgraph.infer")

#: Bound on the residuals of the eigenpairs, and remedies if it is not reached.
_TOL, _REMEDIES = 1e-3, "a smaller max_dimension, or solver='lapack'"
#: Entries of the (edges, d) work array held at a time: 32 MB.
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class DimensionValidation(ShownColumns):
    """Held-out losses of embeddings of 0, 1, ..., D dimensions.

    Attributes
    ----------
    losses : ndarray of shape (folds, D + 1)
        Squared error over held-out pairs, relative to the error of dimension 0.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 60], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> found = lp.infer.dimension.cross_validate(graph, 4, random_state=0)
    >>> found.best, found.mean.shape
    (2, (5,))
    """

    losses: Array

    def __repr__(self) -> str:
        folds, count = self.losses.shape
        chosen = f"best={self.best}, smallest_good={self.smallest_good}"
        return f"DimensionValidation({chosen}, 0 to {count - 1} dimensions, {folds} folds)"

    _columns = ("dimensions", "mean", "standard_error")

    @property
    def dimensions(self) -> Integers:
        """The numbers of dimensions 0, 1, ..., D."""
        return np.arange(self.losses.shape[1])

    @property
    def mean(self) -> Array:
        """Mean loss over the folds, of shape (D + 1,)."""
        return np.asarray(self.losses.mean(axis=0))

    @property
    def standard_error(self) -> Array:
        """Standard error of `mean` over the folds, of shape (D + 1,)."""
        return np.asarray(stats.sem(self.losses))

    @property
    def best(self) -> int:
        """The number of dimensions, at least 1, with the smallest mean loss."""
        return int(self.mean[1:].argmin()) + 1

    @property
    def smallest_good(self) -> int:
        """The smallest number of dimensions whose loss exceeds the best by no more than one standard error.

        The standard error is computed from the differences in each fold, so that variation between folds that is
        common to all numbers of dimensions cancels.
        """
        excess = self.losses - self.losses[:, [self.best]]
        good = excess.mean(axis=0) <= stats.sem(excess)
        return int(good[1:].argmax()) + 1


def cross_validate(
    graph: object,
    max_dimension: int | None = None,
    *,
    folds: int = 10,
    solver: str = "auto",
    random_state: object = 0,
) -> DimensionValidation:
    """Choose the number of dimensions of an adjacency spectral embedding by holding out pairs of vertices.

    Each fold holds out every pair of vertices with probability 1 / `folds`, whether it is an edge or not. The
    remaining matrix, divided by the share of kept pairs, is decomposed once. Each number of leading eigenpairs
    (singular triplets of a directed graph) predicts the held-out pairs, and the squared error is the loss.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`, including weighted and directed graphs.
    max_dimension : int, optional
        The largest number of dimensions to try; None means 20, or n // 4 if this is smaller.
    folds : int, default 10
        Parts into which the edges are divided; each is held out once.
    solver : {"auto", "lapack", "lanczos"}
        See `lpgraph.spectral.eigen.eigenpairs`.
    random_state : int, Generator or None, default 0
        Seed of the division.

    Returns
    -------
    DimensionValidation

    Raises
    ------
    ArgumentError
        If there are fewer edges than folds, or `max_dimension` is too large for the graph.

    Notes
    -----
    This is Algorithm 1 (ECV) of Li, Levina & Zhu (2020) with two changes that reduce the variance of the
    loss and leave its expectation unchanged. The folds are a partition of the edges, so that each edge is held out
    once. For pairs without an edge, which do not change the decomposed matrix, the expected sum over a random part
    is used. This sum is given by the eigenvalues, so that a fold needs one decomposition and O(edges D) time, and
    no n x n array.

    The loss seldom chooses too few dimensions (their Theorem 3), but is flat beyond the right number.

    References
    ----------
    Li, T., Levina, E. & Zhu, J. (2020), "Network cross-validation by edge sampling", Biometrika 107, 257-276.

    Examples
    --------
    >>> import lpgraph as lp
    >>> B = [[0.5, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.5]]
    >>> graph = lp.stochastic_block_model([100, 100, 100], B, random_state=0)
    >>> lp.infer.dimension.cross_validate(graph, 8).best
    3
    """
    adjacency = as_adjacency(graph)
    n = adjacency.n_vertices
    d = max(1, min(20, n // 4)) if max_dimension is None else max_dimension
    d = check_integer("max_dimension", d, low=1, high=max(1, n // 2), why=f"but only {n} vertices")
    source, target, weight = adjacency.edge_list()
    apart = source != target  # loops are not pairs
    source, target, weight = source[apart], target[apart], weight[apart]
    folds = check_integer("folds", folds, low=2, high=len(weight), why=f"but only {len(weight)} edges")
    fold = check_generator(random_state).permutation(np.arange(len(weight)) % folds)
    losses = np.empty((folds, d + 1))
    for k in range(folds):
        kept = fold != k
        edges = source[kept], target[kept], weight[kept] / (1 - 1 / folds)
        pairs = _decompose(edges, n, adjacency.directed, d, solver)
        losses[k] = _loss(pairs, (source, target, weight), ~kept, 1 / folds, directed=adjacency.directed)
        tell(_log, "cross-validation: %d of %d folds", k + 1, folds)
    return DimensionValidation(losses / losses[:, :1])


def _decompose(edges: Edges, n: int, directed: bool, d: int, solver: str) -> Leading:
    """Return the leading eigenpairs, or singular triplets, of a matrix."""
    source, target, weight = edges
    matrix = sparse.csr_array((weight, (source, target)), shape=(n, n))
    if not directed:
        matrix = sparse.csr_array(matrix + matrix.T)
    find = singular_triplets if directed else eigenpairs
    return find(matrix, d, solver=solver_named(solver), tol=_TOL, remedies=_REMEDIES)


def _loss(pairs: Leading, edges: Edges, held_out: Flags, share: float, *, directed: bool) -> Array:
    """Return the loss of 0 ... d dimensions: held-out edges, and the expectation over held-out other pairs."""
    (source, target, weight), values, left, right = edges, pairs.values, pairs.left, pairs.right
    d = len(values)
    on_edges, on_held_out, everywhere = np.zeros((3, d + 1))
    for part in slices(len(weight), _CHUNK // d):
        predicted = np.zeros((len(weight[part]), d + 1))
        np.cumsum(left[source[part]] * values * right[target[part]], axis=1, out=predicted[:, 1:])
        on_edges += (predicted**2).sum(axis=0)
        chosen = held_out[part]
        on_held_out += ((weight[part][chosen, None] - predicted[chosen]) ** 2).sum(axis=0)
    # Squared entries of a truncated matrix have the same sum as its squared values; the diagonal is no pair.
    diagonal = (np.cumsum(left * values * right, axis=1) ** 2).sum(axis=0)
    everywhere[1:] = (np.cumsum(values**2) - diagonal) * (1.0 if directed else 0.5)
    return on_held_out + share * (everywhere - on_edges)
