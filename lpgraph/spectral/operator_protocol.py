"""Symmetric linear operators as the eigensolvers see them: a size, and the product with a block of vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from lpgraph.linalg.room import empty

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.linalg.matvec import Product

__all__ = ["Operator", "SymmetricOperator", "new_product"]


@runtime_checkable
class Operator(Protocol):
    """A symmetric linear map on R^n, given by its product with blocks of vectors: what callers may pass."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns, equal."""

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product with an (n, b) block, as a new array."""


class SymmetricOperator(ABC):
    """Base of the operators; the defaults hold for an operator whose product alone is known."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns, equal."""

    @abstractmethod
    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product with an (n, b) block, as a new array."""

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads; 0 if that is not known."""
        return 0

    @property
    def product(self) -> Product | None:
        """The compiled product of this operator, if there is one and it is faster."""
        return None

    @property
    def dear(self) -> bool:
        """Whether a product costs more than a basis: blocks are then wide, so that there are few products."""
        return False

    @property
    def takes_single(self) -> bool:
        """Whether a block in single precision is multiplied without conversion, the sums in double."""
        return self.product is not None

    @property
    def exact_in_single(self) -> bool:
        """Whether that product is as exact as with the block converted to double precision."""
        return self.product is not None and self.product.scale is None


def new_product(
    operator: SymmetricOperator,
    block: NDArray[np.floating],
    *,
    single: bool,
    room: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the product as an array that may be written to; with `single`, of a block as it is given.

    `room` may be used for it: an array of the product's shape, stored by rows or by columns.
    """
    given = block
    if not single and block.dtype != np.float64:
        given = empty(block.shape)
        given[...] = block
    if operator.product is not None:
        return operator.product.into(room, given)
    product = np.asarray(operator @ given, dtype=np.float64)  # type: ignore[operator]  # float32 if it takes that
    return product.copy() if not product.flags.writeable or np.shares_memory(product, block) else product
