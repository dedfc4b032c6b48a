"""What methods ask of a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.graph.names import index_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from pathlib import Path

    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.names import Names
    from lpgraph.linalg.matvec import LinearMap


#: A network as methods see it. They use `product`, `degrees`, `in_degrees`, `diagonal` and `transposed` for the
#: operators of the spectral core, and `rows` or `matrix` only where products do not do.
Network: TypeAlias = "Adjacency | ProductNetwork"


@dataclass(frozen=True, eq=False, repr=False)
class ProductNetwork:
    """A network of which only size, degrees, weights and products with vectors are known; as a `Network`.

    Attributes
    ----------
    product : LinearMap
        The adjacency matrix.
    names : ndarray or range
        Names of the vertices.
    directed : bool
        Whether edges are arcs.
    degrees, in_degrees, diagonal : ndarray of shape (n,)
        As of `Adjacency`.
    lowest_weight, highest_weight : float
        As of `Network`.
    store : Path or None
        The edge store that it was opened from.
    """

    product: LinearMap
    names: Names
    directed: bool
    degrees: Array
    in_degrees: Array
    diagonal: Array
    lowest_weight: float
    highest_weight: float
    store: Path | None = None

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of arcs or of undirected edges; a loop is one edge."""
        entries = self.product.nnz
        return entries if self.directed else (entries + int(np.count_nonzero(self.diagonal))) // 2

    @property
    def weighted(self) -> bool:
        """Whether an edge has a weight other than 1."""
        return bool(self.product.nnz) and (self.lowest_weight, self.highest_weight) != (1.0, 1.0)

    @property
    def transposed(self) -> LinearMap:
        """The transpose of `product`."""
        return self.product.T

    @property
    def matrix(self) -> NoReturn:
        """Raise an error: the entries are not available."""
        self._refuse()

    @cached_property
    def index(self) -> Mapping[Hashable, int]:
        """The mapping from a vertex's name to its row."""
        return index_of(self.names)

    def __repr__(self) -> str:
        kind = f"{'directed' if self.directed else 'undirected'}{', weighted' if self.weighted else ''}"
        return f"ProductNetwork({self.n_vertices} vertices, {self.n_edges} edges, {kind})"

    def _refuse(self, *_: object) -> NoReturn:
        """Raise: rows are not at hand, and the matrix cannot be copied or changed."""
        raise self.needs("the entries of the adjacency matrix")

    rows = check_room = with_diagonal = _refuse

    def needs(self, what: str) -> ArgumentError:
        """Return the error of a method that needs more than products."""
        return ArgumentError(
            f"This method needs {what}, and of {self!r} only products and degrees are known. Use "
            "AdjacencySpectralEmbedding, LaplacianSpectralEmbedding, ModularityEmbedding or RandomWalkEmbedding "
            "with a number as n_components, or open the store by lpgraph.scale.open_store."
        )
