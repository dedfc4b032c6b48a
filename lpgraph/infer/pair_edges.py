"""Edges of both vertices of each of many pairs, and the rows of the extension without the pair."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag

from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.embed.withdrawal import Withdrawal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances
    from lpgraph.infer.tested_vertices import TestedVertices

    Array = NDArray[np.float64]
    Rows = NDArray[np.intp]

__all__ = ["PairEdges", "Units"]

#: Entries of the products of the units that are held at a time: 32 MB.
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class Units:
    """Vertices with an edge to either vertex of a pair, for m pairs; e is their number, k that of directions.

    Attributes
    ----------
    owners : csr_array of shape (m, e)
        1 where a unit belongs to a pair. Products with it are sums over the units of each pair.
    pairs : ndarray of shape (e,)
        The pair of each unit.
    first, second : ndarray of shape (e, k)
        Weights of the edges of the first and of the second vertex of the pair, in each direction.
    basis : ndarray of shape (e, k, d)
        Rows of the extension, in the network without those vertices of the pair that it contains.
    """

    owners: sparse.csr_array
    pairs: Rows
    first: Array
    second: Array
    basis: Array

    def sums(self, values: Array) -> Array:
        """Return the sums of values of shape (e, ...) over the units of each pair."""
        return np.asarray(self.owners @ values)

    def terms(self, weights: Array) -> Array:
        """Return the rows of the extension times weights of shape (e, k), of shape (e, k d)."""
        e, k, d = self.basis.shape
        return (weights[:, :, None] * self.basis).reshape(e, k * d)


@dataclass(frozen=True, eq=False)
class PairEdges:
    """Edges of m pairs of vertices.

    Attributes
    ----------
    edges : sequence of pair of csr_array of shape (1, n) or (m, n)
        Of each direction, the edges of the first and of the second vertices.
    rows : pair of ndarray of shape (m,) or None
        The rows of the first and of the second vertices; None for new ones.
    bases : sequence of ndarray of shape (n, d)
        Rows of the extension for each direction.
    withdrawals : sequence of Withdrawal
        Their changes on the removal of a vertex, if any vertex is known.
    m : int
        Number of pairs.
    """

    edges: Sequence[tuple[sparse.csr_array, sparse.csr_array]]
    rows: tuple[Rows | None, Rows | None]
    bases: Sequence[Array]
    withdrawals: Sequence[Withdrawal]
    m: int

    @classmethod
    def of(
        cls,
        embedding: EmbeddingWithCovariances,
        first: TestedVertices,
        second: TestedVertices,
        sides: Sequence[str],
        m: int,
    ) -> PairEdges:
        """Return the edges of m pairs of vertices; one vertex may be part of all pairs."""
        known = [None if part.rows is None else np.resize(part.rows, m) for part in (first, second)]
        models = [EdgeProbabilities.of_embedding(embedding, side) for side in sides]
        removed: list[Withdrawal] = []
        if first.rows is not None or second.rows is not None:
            removed = [Withdrawal.of(embedding, *each) for each in zip(models, sides, strict=True)]
        edges = [(first.edges(embedding, side), second.edges(embedding, side)) for side in sides]
        return cls(edges, (known[0], known[1]), [model.basis for model in models], removed, m)

    def mean_square(self, weight: float) -> Array:
        """Return the mean square of the term of an edge to any vertex, for a mean squared weight: (k d, k d)."""
        sums = [basis.T @ basis * (weight / len(basis)) for basis in self.bases]
        return np.asarray(block_diag(*sums))

    def parts(self) -> Iterator[Units]:
        """Return the units of all pairs, some pairs after the other."""
        counts = np.zeros(self.m, dtype=np.intp)
        for ends in self.edges:
            for rows in ends:
                counts += np.diff(rows.indptr)
        size = sum(basis.shape[1] for basis in self.bases)
        filled = np.cumsum(counts) // max(1, _CHUNK // (size * (size + 1) // 2))
        cuts = [0, *(np.flatnonzero(np.diff(filled)) + 1).tolist(), self.m]
        for low, high in pairwise(cuts):
            yield self._units(low, high)

    def _units(self, low: int, high: int) -> Units:
        """Return the units of the pairs from `low` to `high`."""
        n, k = len(self.bases[0]), len(self.bases)
        listed = [self._listed(rows, low, high) for ends in self.edges for rows in ends]
        keys, places = np.unique(np.concatenate([key for key, _ in listed]), return_inverse=True)
        weights = np.zeros((2, len(keys), k))
        begin = 0
        for number, (key, values) in enumerate(listed):
            weights[number % 2, places[begin : begin + len(key)], number // 2] = values
            begin += len(key)
        pairs, vertices = np.divmod(keys, n)
        basis = np.stack([rows[vertices] for rows in self.bases], axis=1)
        for part, rows in zip(weights, self.rows, strict=True):
            if rows is not None:
                for side, withdrawal in enumerate(self.withdrawals):
                    basis[:, side] += withdrawal.changes(rows[low + pairs], vertices, part[:, side])
        indptr = np.searchsorted(pairs, np.arange(high - low + 1))
        owners = sparse.csr_array((np.ones(len(keys)), np.arange(len(keys)), indptr), (high - low, len(keys)))
        return Units(owners, pairs, weights[0], weights[1], basis)

    def _listed(self, rows: sparse.csr_array, low: int, high: int) -> tuple[Rows, Array]:
        """Return the edges of one end of the pairs from `low` to `high`: pair times n plus vertex, and weights.

        Edges to the vertices of the own pair belong to both, and are left out.
        """
        chosen = slice(low, high) if rows.shape[0] == self.m else np.zeros(high - low, dtype=np.intp)
        rows = rows[chosen]
        pairs = np.repeat(np.arange(high - low), np.diff(rows.indptr))
        kept = rows.data != 0
        for own in self.rows:
            if own is not None:
                kept &= rows.indices != own[low + pairs]
        keys = pairs * rows.shape[1] + rows.indices
        return np.asarray(keys[kept], dtype=np.intp), np.asarray(rows.data[kept], dtype=np.float64)
