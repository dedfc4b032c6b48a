"""The edges of a store that are kept when others are held out, as a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from lpgraph._cached import cached_property

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.scale.store import EdgeStore
    from lpgraph.scale.store_matrix import StoreMatrix

    Array = NDArray[np.float64]

__all__ = ["PartOfStore"]


@dataclass(eq=False)
class PartOfStore:
    """All vertices, and some of the edges of a store: an `lpgraph.graph.network.Edges`.

    Attributes
    ----------
    store : EdgeStore
        All edges.
    product : StoreMatrix
        The matrix of those that are kept, with its factors.
    """

    store: EdgeStore
    product: StoreMatrix

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.store.n_vertices

    @property
    def directed(self) -> bool:
        """Whether edges are arcs."""
        return self.store.directed

    @cached_property
    def degrees(self) -> Array:
        """Sums of rows, in one reading of the edges."""
        return (self.product @ np.ones((self.n_vertices, 1)))[:, 0]

    @cached_property
    def in_degrees(self) -> Array:
        """Sums of columns, in one reading of the edges."""
        return (self.product.T @ np.ones((self.n_vertices, 1)))[:, 0] if self.directed else self.degrees

    @cached_property
    def diagonal(self) -> Array:
        """Weights of the loops that are kept."""
        vertices, factors = np.arange(self.n_vertices), self.product.factors
        loops = self.store.diagonal
        return loops if factors is None else loops * factors(vertices, vertices, "lower")

    def with_diagonal(self, diagonal: Array) -> NoReturn:
        """Raise, as the store does."""
        self.store.with_diagonal(diagonal)
