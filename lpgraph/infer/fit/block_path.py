"""Partitions of a graph into blocks, which are merged at least cost and improved by moves of vertices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import xlogy

from lpgraph._slices import slices
from lpgraph.infer.fit.blocks import Blocks, cell_likelihood

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.graph.adjacency import Adjacency

    Array = NDArray[np.float64]

__all__ = ["Partition"]

#: Edges and pairs that are added to each pair of blocks, so that no probability is 0 or 1.
_EDGES, _PAIRS = 0.5, 1.0
#: Entries of the dense (vertices, blocks) work arrays held at a time: 64 MB.
_ENTRIES = 1 << 23


@dataclass(frozen=True, eq=False)
class Partition:
    """Blocks of the vertices of a graph, by the criterion of a stochastic block model.

    Attributes
    ----------
    graph : Adjacency
        A graph without edge weights.
    loops : bool
        Whether the model has loops.
    blocks : Blocks
        The blocks; none is empty.
    """

    graph: Adjacency
    loops: bool
    blocks: Blocks

    @classmethod
    def of(cls, graph: Adjacency, labels: NDArray[np.intp], loops: bool) -> Self:
        """Return the partition of labels."""
        return cls(graph, loops, Blocks.of(labels, estimated=True))

    @cached_property
    def edges(self) -> Array:
        """Numbers of edges between blocks."""
        return self.blocks.edges(self.graph)

    @cached_property
    def pairs(self) -> Array:
        """Numbers of pairs of vertices of two blocks."""
        return self.blocks.pairs(directed=self.graph.directed, loops=self.loops)

    @cached_property
    def criterion(self) -> float:
        """The integrated classification likelihood criterion, `ModelFit.bic` of the fit: smaller is better."""
        cells = cell_likelihood(self.edges, self.pairs)
        total = cells.sum() if self.graph.directed else np.triu(cells).sum()
        return self.blocks.penalty(self.graph, self.loops) - 2 * float(total)

    def merged(self, count: int) -> Self:
        """Return a partition into `count` blocks, for which the pairs of blocks of least cost are merged.

        No block is merged twice, so that at least half of the blocks must be wanted.
        """
        costs = self._costs()
        first, second = np.triu_indices(self.blocks.count, 1)
        target, free = np.arange(self.blocks.count), np.ones(self.blocks.count, dtype=bool)
        left = self.blocks.count - count
        for pair in np.argsort(costs[first, second], kind="stable"):
            a, b = first[pair], second[pair]
            if left and free[a] and free[b]:
                target[b], free[a], free[b] = a, False, False
                left -= 1
        return self.of(self.graph, target[self.blocks.codes], self.loops)

    def _costs(self) -> Array:
        """Return what merging each two blocks adds to minus the log-likelihood of the graph and its blocks."""
        edges, pairs, sizes = self.edges, self.pairs, self.blocks.sizes
        cells = cell_likelihood(edges, pairs)
        before, shared, after = cells.sum(axis=1), cells, _other_cells(edges, pairs)
        inside = [np.add.outer(of.diagonal(), of.diagonal()) + of for of in (edges, pairs)]
        if self.graph.directed:
            before, shared = before + cells.sum(axis=0) - cells.diagonal(), cells + cells.T
            after += _other_cells(edges.T, pairs.T)
            inside = [each + of.T for each, of in zip(inside, (edges, pairs), strict=True)]
        after += cell_likelihood(*inside)
        both, own = np.add.outer(sizes, sizes), xlogy(sizes, sizes)
        prior = xlogy(both, both) - np.add.outer(own, own)
        return np.asarray(np.add.outer(before, before) - shared - after - prior)

    def moved(self) -> Self:
        """Return the partition in which each vertex is in its most likely block, given the blocks of the others.

        A block that would lose all its vertices keeps them.
        """
        codes, count, n = self.blocks.codes, self.blocks.count, len(self.blocks.codes)
        rates = (self.edges + _EDGES) / (self.pairs + _PAIRS)
        sides = [(self.graph.matrix, rates)]
        if self.graph.directed:
            sides.append((self.graph.matrix.T.tocsr(), rates.T))
        found = np.empty_like(codes)
        for part in slices(n, _ENTRIES // count):
            scores = np.tile(np.log(self.blocks.sizes / n), (part.stop - part.start, 1))
            for arcs, p in sides:
                scores += _edges_to_blocks(arcs[part], codes, count) @ (np.log(p) - np.log1p(-p)).T
                # A vertex is no pair with itself.
                scores += np.log1p(-p) @ self.blocks.sizes - np.log1p(-p).T[codes[part]]
            found[part] = scores.argmax(axis=1)
        lost = np.bincount(found, minlength=count) == 0
        return self.of(self.graph, np.where(lost[codes], codes, found), self.loops)

    def improved(self, rounds: int) -> Self:
        """Return the partition after moves, until none makes the criterion smaller."""
        best = self
        for _ in range(rounds):
            other = best.moved()
            if other.criterion >= best.criterion:
                break
            best = other
        return best


def _edges_to_blocks(arcs: sparse.csr_array, codes: NDArray[np.intp], count: int) -> Array:
    """Return the dense (m, count) numbers of edges of the rows of `arcs` to the vertices of each block."""
    m = arcs.shape[0]
    places = np.repeat(np.arange(m) * count, np.diff(arcs.indptr)) + codes[arcs.indices]
    return np.bincount(places, minlength=m * count).reshape(m, count).astype(np.float64)


def _other_cells(edges: Array, pairs: Array) -> Array:
    """Return the log-likelihood of the rows of each two merged blocks, without the columns of these two."""
    found = np.empty_like(edges)
    for a in range(len(edges)):
        cells = cell_likelihood(edges[a] + edges, pairs[a] + pairs)
        found[a] = cells.sum(axis=1) - cells[:, a] - cells.diagonal()
        # Of two equal blocks both terms are one.
        found[a, a] += cells[a, a]
    return found
