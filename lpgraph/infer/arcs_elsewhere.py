"""Edges of a network that is not in memory, without loops: products, and some rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.graph.network import NetworkElsewhere

    Array = NDArray[np.float64]

__all__ = ["ArcsElsewhere"]

#: Entries of the rows that are read at a time, on average.
_ENTRIES = 1 << 23


@dataclass(frozen=True, eq=False)
class ArcsElsewhere:
    """The edges of a network elsewhere, without loops; its weights are not negative.

    Attributes
    ----------
    network : NetworkElsewhere
        The network.
    """

    network: NetworkElsewhere

    def __len__(self) -> int:
        """Return the number of directions: 2 for arcs, else 1."""
        return 2 if self.network.directed else 1

    @property
    def components(self) -> NDArray[np.signedinteger]:
        """Connected component of each vertex."""
        return self.network.components

    def product(self, block: Array) -> Array:
        """Return the product with the weights of the edges, of arcs in both directions."""
        matrix = self.network.product
        found = np.asarray(matrix @ block)
        if self.network.directed:
            found += matrix.T @ block
        loops = np.asarray(self.network.diagonal)
        if loops.any():
            found -= (len(self) * loops)[:, None] * block
        return found

    def pieces(self) -> Iterator[tuple[slice, tuple[sparse.csr_array, ...]]]:
        """Yield ranges of rows, and these: the edges, or outgoing and incoming arcs."""
        n, entries = self.network.n_vertices, max(1, self.network.product.entries)  # type: ignore[union-attr]
        step = max(1, int(_ENTRIES * n / entries))
        for low in range(0, n, step):
            rows = np.arange(low, min(low + step, n))
            sides = [self.network.rows(rows)]
            if self.network.directed:
                sides.append(self.network.rows_in(rows))
            yield slice(low, low + len(rows)), tuple(_without_loops(side, low) for side in sides)


def _without_loops(rows: sparse.csr_array, low: int) -> sparse.csr_array:
    owner = np.repeat(np.arange(low, low + rows.shape[0]), np.diff(rows.indptr))
    kept = rows.indices != owner
    if kept.all():
        return rows
    indptr = np.concatenate(([0], np.cumsum(kept)))[rows.indptr].astype(rows.indptr.dtype)
    return sparse.csr_array((rows.data[kept], rows.indices[kept], indptr), shape=rows.shape)
