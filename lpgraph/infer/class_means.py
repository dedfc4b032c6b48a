"""Mean directions of the classes in leading coordinates, and how near vertices are to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from lpgraph._slices import slices
from lpgraph.infer.features import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Array

__all__ = ["ClassMeans"]

#: Vertices that are read at a time.
_BATCH = 1 << 15


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Means of unit rows of the labelled vertices of each class, in coordinates with the given weights.

    Coordinates of spectral embeddings are eigenvectors times the roots of their eigenvalues. Weights that are
    powers of the eigenvalues make leading directions, which networks of few blocks consist of, count more than
    others.

    Attributes
    ----------
    weights : sequence of ndarray of shape (p,)
        Weights of the leading p coordinates; one array for each side of a directed embedding.
    means : ndarray of shape (n_classes, q)
        Means of the unit rows, of all sides side by side and divided by the root of their number.
    known : ndarray of shape (n_classes,)
        Whether a labelled vertex of the class has a position.

    References
    ----------
    Qin, T. & Rohe, K. (2013), "Regularized spectral clustering under the degree-corrected stochastic blockmodel",
    NIPS 26 (rows of unit length in as many dimensions as there are blocks).

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.class_means import ClassMeans
    >>> positions = [np.array([[2.0, 0.1], [1.0, 0.0], [0.1, 3.0], [0.0, 1.0]])]
    >>> model, held_out = ClassMeans.of(positions, np.array([0, 1, 2]), np.array([0, 0, 1]), 2, 1, 2)
    >>> model.scores(positions).argmax(axis=1)
    array([0, 0, 1, 1])
    >>> held_out.argmax(axis=1)  # the only vertex of class 1 has no other one
    array([0, 0, 0])
    """

    weights: Sequence[Array]
    means: Array
    known: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        sides: Sequence[Array],
        labelled: NDArray[np.intp],
        codes: NDArray[np.intp],
        n_classes: int,
        power: int,
        n_columns: int,
        others: Array | None = None,
    ) -> tuple[Self, Array]:
        """Return the means, and the scores of the labelled vertices by the means without their own rows.

        Parameters
        ----------
        sides : sequence of ndarray of shape (n, d)
            Positions.
        labelled : ndarray of int of shape (m,)
            Labelled vertices.
        codes : ndarray of int of shape (m,)
            Their classes.
        n_classes : int
            Number of classes.
        power : int
            Coordinates are eigenvectors times this power of the absolute eigenvalues.
        n_columns : int
            Number of leading coordinates.
        others : ndarray of shape (n, n_classes), optional
            Weights with which all vertices also count for each class.
        """
        weights = [_weights(side[:, :n_columns], power) for side in sides]
        rows = _rows([side[labelled] for side in sides], weights)
        counts = np.bincount(codes[rows.any(axis=1)], minlength=n_classes).astype(float)
        sums = np.zeros((n_classes, rows.shape[1]))
        np.add.at(sums, codes, rows)
        known = counts > 0
        for part in slices(0 if others is None else len(others), _BATCH):
            more = _rows([side[part] for side in sides], weights)
            share = others[part] * more.any(axis=1, keepdims=True)  # type: ignore[index]  # not None here
            sums += share.T @ more
            counts += share.sum(axis=0)
        found = cls(weights, sums / np.maximum(counts, 1e-300)[:, None], known)
        held_out = found._compared(rows)
        left = counts[codes] - 1
        means = (sums[codes] - rows) / np.maximum(left, 1e-9)[:, None]
        own = np.einsum("ij,ij->i", rows, means) - 0.5 * np.einsum("ij,ij->i", means, means)
        own[left < 1e-9] = -np.inf
        held_out[np.arange(len(codes)), codes] = np.where(rows.any(axis=1), own, 0.0)
        return found, _finite(held_out)

    def scores(self, sides: Sequence[Array]) -> Array:
        """Return minus half of the squared distances of vertices to the means, up to a constant for each vertex.

        They have the shape (m, n_classes), and are 0 for vertices at the origin. Each row has the same bits alone
        and in any batch.
        """
        result = np.empty((len(sides[0]), len(self.means)))
        for part in slices(len(result), _BATCH):
            result[part] = _finite(self._compared(_rows([side[part] for side in sides], self.weights)))
        return result

    def _compared(self, rows: Array) -> Array:
        # Not BLAS, whose sums depend on the number of rows.
        result = np.einsum("ij,kj->ik", rows, self.means) - 0.5 * np.einsum("ij,ij->i", self.means, self.means)
        result[:, ~self.known] = -np.inf
        result[~rows.any(axis=1)] = 0.0
        return np.asarray(result)


def _weights(side: Array, power: int) -> Array:
    # The length of a column is the root of its absolute eigenvalue.
    lengths = np.sqrt(np.einsum("ij,ij->j", side, side))
    return np.asarray((lengths / max(float(lengths.max(initial=0.0)), 1e-300)) ** (2 * power - 1))


def _rows(sides: Sequence[Array], weights: Sequence[Array]) -> Array:
    rows = [unit_rows(side[:, : len(weight)] * weight) for side, weight in zip(sides, weights, strict=True)]
    return np.asarray(np.hstack(rows) / np.sqrt(len(rows)))


def _finite(scores: Array) -> Array:
    """Replace the scores of classes without a mean by the lowest ones of the same rows."""
    least = np.min(scores, axis=1, where=np.isfinite(scores), initial=0.0)
    return np.where(np.isfinite(scores), scores, least[:, None])
