"""Entropic optimal transport between the rows of two matrices, by Sinkhorn's algorithm.

The plan of cost |x_i - y_j|^2 and regularisation e is P_ij = exp(a_i + b_j + 2 <x_i, y_j> / e): the squared
lengths are part of the potentials a and b. A change of the rotation of X changes only the inner products, so that
the potentials remain a good start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from lpgraph._slices import slices
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Transport"]

#: Maximum number of pairs of rows for which the plan is kept: 128 MB. Larger plans are computed in blocks.
_KEPT, _BLOCK = 1 << 24, 1 << 22
#: Largest plan that is returned, in pairs of rows: 1 GB.
_MOST = 1 << 27
#: Updates of both potentials before the plan is computed anew.
_UPDATES = 10


class Transport:
    """Potentials of a transport plan between n rows of X and m rows of Y, each of equal mass.

    Parameters
    ----------
    x, y : ndarray of shape (n, d), (m, d)
    epsilon : float
        Regularisation: the weight of the entropy of the plan.

    Attributes
    ----------
    rotation : ndarray of shape (d, d)
        Applied to the rows of X.
    a, b : ndarray of shape (n,), (m,)
        Potentials.
    """

    def __init__(self, x: Array, y: Array, epsilon: float, rotation: Array) -> None:
        self.x, self.y, self.epsilon, self.rotation = x, y, epsilon, rotation
        self.a: Array = np.zeros(len(x))
        self.b: Array = -(y**2).sum(axis=1) / epsilon
        self._lengths = (x**2).sum(axis=1), (y**2).sum(axis=1)

    def set_epsilon(self, epsilon: float) -> None:
        """Change the regularisation, with the same dual variables in units of the cost."""
        self.a *= self.epsilon / epsilon
        self.b *= self.epsilon / epsilon
        self.epsilon = epsilon

    def step(self) -> tuple[Array, float]:
        """Update the potentials, and return the moments ``X.T @ P @ Y`` of the unrotated X, and the cost."""
        if len(self.x) * len(self.y) <= _KEPT:
            image, rows = self._updated()
        else:
            image, rows = self._updated_in_blocks()
        moments = self.x.T @ image
        # The last update was of b, so that the masses of the rows of Y are exact.
        cost = rows @ self._lengths[0] + self._lengths[1].mean() - 2 * float((self.rotation * moments).sum())
        return moments, float(cost)

    def plan(self, rows: ArrayLike | None = None) -> Array:
        """Return rows of the plan; see `SeedlessAlignment.plan`."""
        n, m = len(self.x), len(self.y)
        index = np.arange(n) if rows is None else np.asarray(rows)
        if index.ndim != 1 or (index.dtype.kind not in "iu" and len(index)):
            raise ArgumentError(f"rows has shape {index.shape} and dtype {index.dtype}; pass a list of integers.")
        if len(index) and (index.min() < 0 or index.max() >= n):
            raise ArgumentError(f"rows has entries from {index.min()} to {index.max()}; pass 0 ... {n - 1}.")
        if len(index) * m > _MOST:
            raise ArgumentError(
                f"{len(index)} rows of {m} entries are more than {_MOST}; pass at most {_MOST // m} rows."
            )
        index = index.astype(np.intp)
        # Rows get their exact mass.
        logs = self._products(index) + self.b
        return np.asarray(np.exp(logs - logsumexp(logs, axis=1, keepdims=True)) / n)

    def _products(self, rows: slice | NDArray[np.intp]) -> Array:
        return np.asarray((self.x[rows] @ self.rotation) @ self.y.T * (2 / self.epsilon))

    def _updated(self) -> tuple[Array, Array]:
        """Update the potentials, and return ``P @ Y`` and the masses of the rows of X."""
        n, m = len(self.x), len(self.y)
        plan = self._products(slice(None))
        self.a = -np.log(n) - logsumexp(plan + self.b, axis=1)
        plan += self.a[:, None]
        if (plan.max(axis=0) + self.b).min() < -600:  # a column that would vanish
            self.b = -np.log(m) - logsumexp(plan, axis=0)
        plan += self.b
        np.exp(plan, out=plan)
        u, v = np.ones(n), np.ones(m)
        for _ in range(_UPDATES):
            rows = plan @ v
            if rows.min() <= 0:
                break
            u = 1 / (n * rows)
            v = 1 / (m * (u @ plan))
        self.a += np.log(u)
        self.b += np.log(v)
        return u[:, None] * (plan @ (v[:, None] * self.y)), u * (plan @ v)

    def _updated_in_blocks(self) -> tuple[Array, Array]:
        n, m = len(self.x), len(self.y)
        parts = list(slices(n, _BLOCK // m))
        for _ in range(2):
            columns = np.full(m, -np.inf)
            for part in parts:
                products = self._products(part)
                self.a[part] = -np.log(n) - logsumexp(products + self.b, axis=1)
                columns = np.logaddexp(columns, logsumexp(products + self.a[part, None], axis=0))
            self.b = -np.log(m) - columns
        image, rows = np.empty((n, self.y.shape[1])), np.empty(n)
        for part in parts:
            plan = np.exp(self._products(part) + self.a[part, None] + self.b)
            image[part], rows[part] = plan @ self.y, plan.sum(axis=1)
        return image, rows
