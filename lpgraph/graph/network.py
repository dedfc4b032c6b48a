"""What methods ask of a network, whether it is in memory or elsewhere."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.linalg.external import ExternalMatrix
    from lpgraph.linalg.matvec import AnyMatrix

    Array = NDArray[np.float64]

__all__ = ["Edges", "Network", "NetworkElsewhere"]


class Edges(Protocol):
    """The edges of a network, or some of them, as operators are made of them.

    Attributes
    ----------
    n_vertices : int
        Number of vertices.
    directed : bool
        Whether edges are arcs.
    product : AnyMatrix or ExternalMatrix
        The adjacency matrix, for the operators of the spectral core.
    degrees, in_degrees : ndarray of shape (n_vertices,)
        Sums of rows and of columns.
    diagonal : ndarray of shape (n_vertices,)
        Weights of the loops.
    """

    @property
    def n_vertices(self) -> int: ...  # noqa: D102 - described above
    @property
    def directed(self) -> bool: ...  # noqa: D102
    @property
    def product(self) -> AnyMatrix | ExternalMatrix: ...  # noqa: D102
    @property
    def degrees(self) -> Array: ...  # noqa: D102
    @property
    def in_degrees(self) -> Array: ...  # noqa: D102
    @property
    def diagonal(self) -> Array: ...  # noqa: D102

    def with_diagonal(self, diagonal: Array) -> Edges:
        """Return the edges with other entries on the diagonal."""


class Network(Edges, Protocol):
    """A network as methods see it; `lpgraph.Adjacency` is the one in memory.

    Attributes
    ----------
    names : sequence of hashable
        Names of the vertices, in the order of rows.
    index : mapping
        Row of each name.
    weighted : bool
        Whether an edge has a weight other than 1.
    lowest_weight, highest_weight : float
        The lowest and the highest edge weight; 0 if there is no edge.
    """

    @property
    def names(self) -> Sequence[Hashable]: ...  # noqa: D102 - described above
    @property
    def index(self) -> Mapping[Hashable, int]: ...  # noqa: D102
    @property
    def weighted(self) -> bool: ...  # noqa: D102
    @property
    def lowest_weight(self) -> float: ...  # noqa: D102
    @property
    def highest_weight(self) -> float: ...  # noqa: D102

    def rows(self, index: NDArray[np.intp]) -> sparse.csr_array:
        """Return some rows of the adjacency matrix."""

    def with_diagonal(self, diagonal: Array) -> Self:
        """Return the network with other entries on the diagonal."""


class NetworkElsewhere(Network):
    """Base of networks that are not in memory: a `Network` on disk, or on other machines."""

    @property
    @abstractmethod
    def components(self) -> NDArray[np.signedinteger]:
        """Connected component of each vertex, weakly if directed; 0 is the largest."""

    @abstractmethod
    def split(self, low: float, high: float, seed: int) -> tuple[Edges, ExternalMatrix]:
        """Return two parts of the edges: those that are kept, and the matrix of those that are held out.

        Each edge has a random number in [0, 1), the same in both directions if the network is undirected, and is
        held out as a whole if it is in [low, high). Those that are kept are divided by their share of the numbers.
        """

    @abstractmethod
    def with_signs(self, seed: int) -> ExternalMatrix:
        """Return the adjacency matrix with a random sign for each edge."""

    def rows_in(self, index: NDArray[np.intp]) -> sparse.csr_array:
        """Return some rows of the transpose of the adjacency matrix."""
        raise TypeError(f"{type(self).__name__} has no rows of the transpose.")

    @abstractmethod
    def to_adjacency(self) -> Adjacency:
        """Return the network in memory; refused with its size if it does not fit."""
