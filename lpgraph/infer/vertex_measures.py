"""Measures by which new vertices are compared with those of a network: degree, fit, closure, novelty, position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph.infer.row_residuals import RowResiduals
from lpgraph.linalg.closed_pairs import closed_pairs
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.linalg.packed import packed, pairs, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances

    Array = NDArray[np.float64]

__all__ = ["MEASURES", "VertexMeasures"]

MEASURES = ("degree", "residual", "closure", "novelty", "position")

#: Most known vertices with which the position of a new one is compared.
_PROTOTYPES = 500
#: Entries of the work arrays held at a time: 32 MB each.
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class VertexMeasures:
    """Measures of vertices by their rows of edges in one direction.

    - "degree": the sum of the weights of the edges, and for a weighted network their number.
    - "residual": the score of `misfit`, edges that no position explains.
    - "closure": edges among the neighbors beyond those that the embedding predicts, divided by the root of these.
    - "novelty": the distance of the position from those of known vertices, up to a factor for the degree and
      relative to the noise of the position.
    - "position": the position divided by the degree.

    Attributes
    ----------
    residuals : RowResiduals
        The fitted embedding, and its residuals.
    sources, targets : ndarray of shape (n, d)
        Products of their rows are the predicted edges of the network.
    prototypes : ndarray of shape (k, d)
        Positions of known vertices divided by their degrees.
    spread : ndarray of shape (d (d + 1) / 2,)
        Mean of the packed squares of the term that an edge adds to a position.
    """

    residuals: RowResiduals
    sources: Array
    targets: Array
    prototypes: Array
    spread: Array

    @classmethod
    @blas_alone()
    def of(cls, embedding: EmbeddingWithCovariances, side: str, rng: np.random.Generator) -> VertexMeasures:
        """Return the measures for rows of one direction of a fitted embedding."""
        residuals = RowResiduals.of(embedding, side)
        out = residuals if side == "out" else RowResiduals.of(embedding, "out")
        graph, model = embedding.graph_, residuals.model
        matrix = sparse.csr_array(graph.matrix.T) if side == "in" else graph.matrix
        sizes = np.asarray(abs(matrix).sum(axis=1))
        joined = np.flatnonzero(sizes > 0)
        chosen = np.sort(rng.permutation(joined)[:_PROTOTYPES])
        known = embedding.embedding_in_ if side == "in" else embedding.embedding_
        positions = model.estimates(matrix[chosen], known[chosen]).positions
        squares = np.bincount(matrix.indices, matrix.data**2, minlength=len(model.basis)) / matrix.nnz
        return cls(
            residuals,
            out.model.estimates(graph.matrix, embedding.embedding_).positions,
            out.model.design,
            positions / sizes[chosen][:, None],
            packed(((model.basis.T * squares) @ model.basis)[None])[0],
        )

    @blas_alone()
    def __call__(self, rows: sparse.csr_array, chosen: tuple[str, ...]) -> dict[str, Array]:
        """Return the chosen measures of m vertices, each of shape (m, k)."""
        sizes = np.asarray(abs(rows).sum(axis=1), dtype=np.float64)
        positions = np.asarray(rows @ self.residuals.model.basis)
        found: dict[str, Array] = {}
        if "degree" in chosen:
            weighted = self.residuals.embedding.weighted_ or bool((rows.data != 1).any())
            columns = [np.asarray(rows.sum(axis=1)), np.diff(rows.indptr)][: 1 + weighted]
            found["degree"] = np.column_stack(columns).astype(np.float64)
        if "residual" in chosen:
            sums, errors = self.residuals.of_new(rows)
            found["residual"] = (sums / errors)[:, None]
        if "closure" in chosen:
            found["closure"] = self._closure(rows)[:, None]
        if "novelty" in chosen:
            found["novelty"] = self._novelty(rows, positions, sizes)[:, None]
        if "position" in chosen:
            found["position"] = positions / np.where(sizes > 0, sizes, 1.0)[:, None]
        return found

    def _closure(self, rows: sparse.csr_array) -> Array:
        """Return the edges among the neighbors beyond the prediction, over its root."""
        found = closed_pairs(rows, self.residuals.embedding.graph_.matrix)
        own = (self.sources * self.targets).sum(axis=1)
        predicted = (np.asarray(rows @ self.sources) * np.asarray(rows @ self.targets)).sum(axis=1)
        squares = rows.copy()
        squares.data **= 2
        predicted -= np.asarray(squares @ own)
        return np.asarray((found - predicted) / np.sqrt(1 + np.maximum(predicted, 0.0)))

    def _novelty(self, rows: sparse.csr_array, positions: Array, sizes: Array) -> Array:
        """Return minus the log of the mean density at a position, given that of a known vertex of its degree.

        The covariance is that of the sum of the terms of the edges, with an edge for each dimension added.
        """
        basis = self.residuals.model.basis
        d = basis.shape[1]
        squares = rows.copy()
        squares.data **= 2
        upper, lower = np.triu_indices(d)
        sums = np.empty((len(positions), len(upper)))
        for part in slices(len(upper), _CHUNK // len(basis)):
            sums[:, part] = squares @ (basis[:, upper[part]] * basis[:, lower[part]])
        inverses = np.asarray(np.linalg.inv(unpacked(sums + d * self.spread)), dtype=np.float64)
        turned = (inverses @ positions[:, :, None])[:, :, 0]
        flat = packed(inverses) * np.where(upper == lower, 1.0, 2.0) * sizes[:, None] ** 2
        centres = pairs(np.ascontiguousarray(self.prototypes.T))
        found = np.empty(len(positions))
        for part in slices(len(found), _CHUNK // max(1, len(self.prototypes))):
            distances = rowwise_product(flat[part], centres)
            distances -= rowwise_product(2 * sizes[part, None] * turned[part], self.prototypes.T)
            distances += (turned[part] * positions[part]).sum(axis=1)[:, None]
            least = distances.min(axis=1)
            found[part] = least / 2 - np.log(np.exp((least[:, None] - distances) / 2).mean(axis=1))
        return found
