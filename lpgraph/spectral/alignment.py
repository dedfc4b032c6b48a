"""Rotations between two embeddings of the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["procrustes"]


def procrustes(A: ArrayLike, B: ArrayLike) -> NDArray[np.float64]:
    """Return the orthogonal matrix W that brings A closest to B: the minimiser of ``norm(A @ W - B)``.

    An embedding is determined up to a rotation (the W of Tang, Park & Priebe 2013, Theorems 2 and 4). The W
    of the in-sample rows also aligns the out-of-sample ones.

    Parameters
    ----------
    A, B : array-like of shape (n, d)
        Two embeddings, row i of both belonging to the same item.

    Returns
    -------
    ndarray of shape (d, d)
        W, orthogonal (reflections included).

    Raises
    ------
    ArgumentError
        If the shapes differ, or an entry is not finite.

    References
    ----------
    Schonemann, P. (1966), "A generalized solution of the orthogonal Procrustes problem", Psychometrika 31.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> A = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> bool(np.allclose(A @ lp.procrustes(A, A @ turn), A @ turn))
    True
    """
    a, b = check_finite_array("A", A, ndim=2), check_finite_array("B", B, ndim=2)
    if a.shape != b.shape:
        raise ArgumentError(f"A has shape {a.shape} but B has shape {b.shape}; pass two of the same shape.")
    u, _, vt = np.linalg.svd(a.T @ b)
    return np.asarray(u @ vt)
