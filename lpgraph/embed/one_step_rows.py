"""Rows of new vertices whose least-squares positions are improved by one step of Fisher scoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._threads import blas_alone, in_threads
from lpgraph.embed.edge_probabilities import bounded_degrees
from lpgraph.embed.rows import VertexRows, degrees_of
from lpgraph.errors import ArgumentError
from lpgraph.linalg.dense_rows import columnwise_product

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.spectral.construction import Array, Items

__all__ = ["OneStepRows"]

#: Least probability of an edge or of an absent edge, relative to the product of the degrees.
_LEAST = 0.1
#: Entries of the work arrays of each thread: 8 MB.
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class OneStepRows(VertexRows):
    """Edges of new vertices, whose least-squares positions are improved by one step of Fisher scoring.

    Attributes
    ----------
    degrees : ndarray of shape (n,)
        Degrees of the known vertices, bounded so that the products below are probabilities.
    total : float
        Sum of the degrees.
    design : ndarray of shape (n, d) or None
        Rows w_j, so that ``y @ w_j`` estimates the probability of an edge between the position y and vertex j: the
        positions times the signature. None before the fit.
    """

    degrees: Array
    total: float
    design: Array | None = None

    def __call__(self, new: Items, side: str = "out") -> Items:
        """Return the edges."""
        return new

    @blas_alone()
    def fitted(self, basis: Array) -> OneStepRows:
        """Return the rows that are kept: a basis Z S / |l| has the design Z S."""
        return OneStepRows(self.degrees, self.total, basis @ np.linalg.inv(basis.T @ basis))

    def finish(self, coordinates: Array, new: Items) -> Array:
        """Return the positions after the step from the least-squares positions `coordinates`."""
        design, rows = self._design, sparse.csr_array(new)
        if (rows.data != 1).any():
            raise ArgumentError(
                "A new vertex has edges of other weights than 1, but OneStepEmbedding is for unweighted graphs; "
                "pass weights of 1, or use AdjacencySpectralEmbedding."
            )
        result = np.empty_like(coordinates)

        def step(low: int, high: int, weights: Array, information: Array) -> None:
            some = rows[low:high]
            at = np.repeat(np.arange(high - low), np.diff(some.indptr))
            weighted = (weights[at, some.indices], some.indices, some.indptr)
            pull = sparse.csr_array(weighted, shape=some.shape) @ design
            result[low:high] = np.linalg.solve(information, pull[:, :, None])[:, :, 0]

        self._in_blocks(coordinates, bounded_degrees(degrees_of(rows), self.total, len(design)), step)
        return result

    def covariances(self, positions: Array, degrees: Array) -> Array:
        """Return the inverse information of vertices with the given positions and bounded degrees, (m, d, d)."""
        d = positions.shape[1]
        result = np.empty((len(positions), d, d))

        def invert(low: int, high: int, weights: Array, information: Array) -> None:
            result[low:high] = np.linalg.inv(information)

        self._in_blocks(positions, degrees, invert)
        return (result + np.swapaxes(result, 1, 2)) / 2

    @property
    def _design(self) -> Array:
        if self.design is None:
            raise TypeError("OneStepRows has no design before the fit.")
        return self.design

    def _in_blocks(self, positions: Array, degrees: Array, work: Callable[[int, int, Array, Array], None]) -> None:
        """Call ``work(low, high, weights, information)`` for blocks of vertices, in several threads.

        The weights are ``1 / (p (1 - p))``, of shape (b, n), and the information is ``sum_j w_j w_j.T / (p (1 -
        p))``, of shape (b, d, d). The products of the positions are no probabilities in some places, whose weights
        would be negative or without bound; p is at least `_LEAST` times the product of the degrees.
        """
        design = self._design
        (n, d), columns = design.shape, np.ascontiguousarray(design.T)
        rows, others = np.triu_indices(d)
        pairs = np.ascontiguousarray(design[:, rows] * design[:, others])

        def block(low: int, high: int) -> None:
            product = np.multiply.outer(degrees[low:high], self.degrees / self.total)
            least = _LEAST * np.minimum(product, 1 - product)
            p = columnwise_product(positions[low:high], columns)
            np.maximum(p, least, out=p)
            np.minimum(p, 1 - least, out=p)
            weights = 1 / (p * (1 - p))
            # One product for each row, so that its bits do not depend on the other rows.
            packed = np.matmul(weights[:, None, :], pairs)[:, 0]
            information = np.empty((high - low, d, d))
            information[:, rows, others] = packed
            information[:, others, rows] = packed
            work(low, high, weights, information)

        with blas_alone():
            in_threads(block, [*range(0, len(positions), max(1, _CHUNK // n)), len(positions)])
