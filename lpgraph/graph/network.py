"""What methods ask of a network, whether it is in memory or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    Array = NDArray[np.float64]

__all__ = ["Network", "Product"]


class Product(Protocol):
    """A matrix that is known by its products with blocks of vectors, such as a csr_array."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""

    @property
    def T(self) -> Self:  # noqa: N802 - the name of numpy and scipy
        """The transpose."""

    def __matmul__(self, block: Array, /) -> Array:
        """Return the product with a block of columns."""


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
    product : Product
        The adjacency matrix, for products.
    degrees, in_degrees : ndarray of shape (n_vertices,)
        Sums of rows and of columns.
    diagonal : ndarray of shape (n_vertices,)
        Weights of the loops.
    lowest_weight : float
        The lowest edge weight; 0 if there is no edge.
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
    def product(self) -> Product: ...  # noqa: D102
    @property
    def degrees(self) -> Array: ...  # noqa: D102
    @property
    def in_degrees(self) -> Array: ...  # noqa: D102
    @property
    def diagonal(self) -> Array: ...  # noqa: D102
    @property
    def lowest_weight(self) -> float: ...  # noqa: D102

    def rows(self, index: NDArray[np.intp]) -> sparse.csr_array:
        """Return some rows of the adjacency matrix."""

    def with_diagonal(self, diagonal: Array) -> Self:
        """Return the network with other entries on the diagonal."""
