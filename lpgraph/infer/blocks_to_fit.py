"""Blocks of the vertices for block models: given as labels, or found by clustering."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import xlogy

from lpgraph._checks import check_integer
from lpgraph.errors import ArgumentError
from lpgraph.infer._labels import known_labels
from lpgraph.infer.block_sums import block_sums
from lpgraph.infer.cluster import VertexClustering
from lpgraph.infer.model_fit import count_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

    Array = NDArray[np.float64]

__all__ = ["Blocks", "read_blocks"]


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


def read_blocks(
    graph: Adjacency,
    labels: object,
    n_blocks: int | Iterable[int] | None,
    method: Literal["gaussian", "directions"],
    random_state: int | np.random.Generator | None,
) -> Blocks:
    """Return given blocks, or those that `VertexClustering` finds in a graph.

    Raises
    ------
    ArgumentError
        If both labels and n_blocks are passed, or a label is missing.
    UnknownVertexError
        If a label is for a vertex that the graph does not have.
    """
    if labels is None:
        numbers = _numbers(n_blocks, graph.n_vertices)
        clusters = VertexClustering(n_clusters=numbers, method=method, random_state=random_state).fit(graph)
        return _blocks(clusters.labels_, estimated=True)
    if n_blocks is not None:
        raise ArgumentError(f"labels and n_blocks={n_blocks} were passed; pass only one of them.")
    given, known = known_labels(labels, graph.names, argument="labels")
    if not known.all():
        name = graph.names[int(np.argmin(known))]
        raise ArgumentError(
            f"labels has no label for {int((~known).sum())} vertices, such as {name!r} (-1, None and NaN are "
            "none); pass one for each vertex, or n_blocks."
        )
    return _blocks(given, estimated=False)


def _numbers(n_blocks: object, n: int) -> int | list[int] | None:
    """Return a number of blocks, or several, that are between 1 and the number of vertices."""
    if n_blocks is None:
        return None
    if isinstance(n_blocks, Iterable) and not isinstance(n_blocks, str):
        return [_number(k, n) for k in n_blocks]
    return _number(n_blocks, n)


def _number(k: object, n: int) -> int:
    return check_integer("n_blocks", k, low=1, high=n, why=f"but only {n} vertices")


def _blocks(labels: NDArray[np.generic], *, estimated: bool) -> Blocks:
    names, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return Blocks(labels, names, codes, sizes.astype(np.float64), estimated)
