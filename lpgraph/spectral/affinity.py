"""A construction's result: the operator on the training items, and the kernel rows of new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.spectral.operators import Operator

__all__ = ["Affinity"]


@dataclass(frozen=True, eq=False)
class Affinity:
    """A symmetric operator M with ``M[i, j] = K(x_i, x_j)``, and the rows of K for new items.

    Attributes
    ----------
    operator : Operator
        M on the n training items; matrix-free wherever M would be dense.
    rows : callable
        ``rows(new)`` gives the m x n rows ``K(x, x_j)`` of m new items, sparse where K is sparse. For the
        training items themselves it gives M, which makes the extension exact on them.
    """

    operator: Operator
    rows: Callable[..., Any]
