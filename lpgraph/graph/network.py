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

__all__ = ["Network", "NetworkElsewhere"]


class Network(Protocol):
    """A network as methods see it; `lpgraph.Adjacency` is the one in memory.

    Attributes
    ----------
    n_vertices : int
        Number of vertices.
    names : sequence of hashable
        Their names, in the order of rows.
    index : mapping
        Row of each name.
    directed, weighted : bool
        Kind of network.
    product : AnyMatrix or ExternalMatrix
        The adjacency matrix, for the operators of the spectral core.
    degrees, in_degrees : ndarray of shape (n_vertices,)
        Sums of rows and of columns.
    diagonal : ndarray of shape (n_vertices,)
        Weights of the loops.
    lowest_weight, highest_weight : float
        The lowest and the highest edge weight; 0 if there is no edge.
    """

    @property
    def n_vertices(self) -> int: ...  # noqa: D102 - described above
    @property
    def names(self) -> Sequence[Hashable]: ...  # noqa: D102
    @property
    def index(self) -> Mapping[Hashable, int]: ...  # noqa: D102
    @property
    def directed(self) -> bool: ...  # noqa: D102
    @property
    def weighted(self) -> bool: ...  # noqa: D102
    @property
    def product(self) -> AnyMatrix | ExternalMatrix: ...  # noqa: D102
    @property
    def degrees(self) -> Array: ...  # noqa: D102
    @property
    def in_degrees(self) -> Array: ...  # noqa: D102
    @property
    def diagonal(self) -> Array: ...  # noqa: D102
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

    def rows_in(self, index: NDArray[np.intp]) -> sparse.csr_array:
        """Return some rows of the transpose of the adjacency matrix."""
        raise TypeError(f"{type(self).__name__} has no rows of the transpose.")

    @abstractmethod
    def to_adjacency(self) -> Adjacency:
        """Return the network in memory; refused with its size if it does not fit."""
