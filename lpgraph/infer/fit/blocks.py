"""Blocks of the vertices for block models: given as labels, or found by clustering."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import xlog1py, xlogy

from lpgraph._checks import check_integer
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import name_at
from lpgraph.infer._labels import known_labels
from lpgraph.infer.block_sums import block_sums
from lpgraph.infer.fit.model_fit import count_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

    Array = NDArray[np.float64]

__all__ = ["Blocks", "cell_likelihood", "read_blocks"]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of the vertices of a graph.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The label of each vertex.
    names : ndarray of shape (K,)
        The distinct labels, sorted.
    codes : ndarray of shape (n,)
        The row of each label in `names`.
    sizes : ndarray of shape (K,)
    estimated : bool
        Whether the blocks were found in the graph.
    """

    labels: NDArray[np.generic]
    names: NDArray[np.generic]
    codes: NDArray[np.intp]
    sizes: Array
    estimated: bool

    @classmethod
    def of(cls, labels: NDArray[np.generic], *, estimated: bool) -> Self:
        """Return the blocks of labels."""
        names, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        return cls(labels, names, codes, sizes.astype(np.float64), estimated)

    @property
    def count(self) -> int:
        """The number K of blocks."""
        return len(self.names)

    def n_parameters(self, *, directed: bool) -> int:
        """Return the number of free entries of a matrix of parameters of pairs of blocks."""
        return self.count**2 if directed else self.count * (self.count + 1) // 2

    def penalty(self, graph: Adjacency, loops: bool) -> float:
        """Return the penalty of a matrix of parameters of pairs of blocks, and of estimated blocks."""
        found = self.n_parameters(directed=graph.directed) * np.log(count_pairs(graph, loops))
        if self.estimated:
            n = len(self.codes)
            found += (self.count - 1) * np.log(n) - 2 * xlogy(self.sizes, self.sizes / n).sum()
        return float(found)

    def edges(self, graph: Adjacency) -> Array:
        """Return the (K, K) numbers of edges between blocks, as a symmetric matrix if the graph is undirected."""
        sums = block_sums(graph.matrix, self.codes, self.count)
        if not graph.directed:
            loops = np.bincount(self.codes, weights=graph.diagonal, minlength=self.count)
            np.fill_diagonal(sums, (sums.diagonal() + loops) / 2)
        return sums

    def pairs(self, *, directed: bool, loops: bool) -> Array:
        """Return the (K, K) numbers of pairs of vertices, counted as `edges` are."""
        found = np.multiply.outer(self.sizes, self.sizes)
        if directed:
            np.fill_diagonal(found, found.diagonal() - (0 if loops else self.sizes))
        else:
            np.fill_diagonal(found, (found.diagonal() + (self.sizes if loops else -self.sizes)) / 2)
        return found


def cell_likelihood(edges: Array, pairs: Array) -> Array:
    """Return the largest log-likelihood of numbers of edges among numbers of pairs; 0 where there is no pair."""
    p = np.divide(edges, pairs, out=np.zeros_like(edges), where=pairs > 0)
    return np.asarray(xlogy(edges, p) + xlog1py(pairs - edges, -p))


def read_blocks(
    graph: Adjacency,
    labels: object,
    n_blocks: int | Iterable[int] | None,
    find: Callable[[list[int] | None], NDArray[np.intp]],
) -> Blocks:
    """Return given blocks, or those found in a graph by `find`, which takes numbers of blocks or None.

    Raises
    ------
    ArgumentError
        If both labels and n_blocks are passed, or a label is missing.
    UnknownVertexError
        If a label is for a vertex that the graph does not have.
    """
    if labels is None:
        return Blocks.of(find(_numbers(n_blocks, graph.n_vertices)), estimated=True)
    if n_blocks is not None:
        raise ArgumentError(f"labels and n_blocks={n_blocks} were passed; pass only one of them.")
    given, known = known_labels(labels, graph.names, argument="labels")
    if not known.all():
        name = name_at(graph.names, np.argmin(known))
        raise ArgumentError(
            f"labels has no label for {int((~known).sum())} vertices, such as {name!r} (-1, None, NaN and '' are "
            "none); pass one for each vertex, or n_blocks."
        )
    return Blocks.of(given, estimated=False)


def _numbers(n_blocks: object, n: int) -> list[int] | None:
    """Return increasing numbers of blocks, which are between 1 and the number of vertices."""
    if n_blocks is None:
        return None
    several = n_blocks if isinstance(n_blocks, Iterable) and not isinstance(n_blocks, str) else [n_blocks]
    found = {check_integer("n_blocks", k, low=1, high=n, why=f"but only {n} vertices") for k in several}
    if not found:
        raise ArgumentError("n_blocks is empty; pass at least one number.")
    return sorted(found)
