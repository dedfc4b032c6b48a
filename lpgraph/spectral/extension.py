"""Nystrom's formula, the one way a new item enters an embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Extension"]

#: Entries of the work array `Extension.covariance` holds at a time: 32 MB.
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class Extension:
    """``y_k(x) = (s_k / l_k) sum_i v_ik K(x, x_i)``, where ``s_k v_k`` is the embedding's k-th column.

    For the adjacency spectral embedding (s_k = sqrt|l_k|, K(x, x_i) the new vertex's edge to i) and l_k > 0
    this is the least-squares rule ``T_n(X) = pinv(Z) xi`` of Tang, Park & Priebe (2013), Eq. (4), for
    ``pinv(Z) = S^(-1/2) U.T``. Where l_k < 0 it keeps the sign that the literal pseudo-inverse loses.

    Attributes
    ----------
    basis : ndarray of shape (n, d)
        ``v_k s_k / l_k``: the columns that rows of the kernel are multiplied by.
    """

    basis: NDArray[np.float64]

    def __call__(self, rows: Any) -> NDArray[np.float64]:
        """Return the (m, d) positions of m new items from their (m, n) kernel rows, dense or sparse."""
        return np.asarray(rows @ self.basis)

    def covariance(self, variances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the (m, d, d) covariances of extended rows whose entries have the given (m, n) variances.

        The extension is linear in the row, so for independent entries it is ``basis.T diag(variance) basis``.
        """
        m, d = len(variances), self.basis.shape[1]
        result = np.empty((m, d, d))
        step = max(1, _CHUNK // max(1, self.basis.shape[0] * d))
        for low in range(0, m, step):
            part = variances[low : low + step]
            weighted = part[:, :, None] * self.basis
            result[low : low + step] = np.swapaxes(weighted, 1, 2) @ self.basis
        return (result + np.swapaxes(result, 1, 2)) / 2
