"""Constructions, which define a method for the spectral core, and kernel rows of new items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from scipy import sparse

from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.types import Array
from lpgraph.linalg.dense_rows import rowwise_product

from .problem import Known

if TYPE_CHECKING:
    from .eigenvalue_cv import Thin
    from .embedding import SpectralEmbedding
    from .operators import Bipartite, Operator
    from .problem import End
    from .whole_matrix import Flip


#: Entries of dense kernel rows held at a time: 64 MB.
_ENTRIES = 1 << 23


@dataclass(frozen=True, eq=False)
class ProductRows:
    """The (m, n) rows ``left @ right.T`` of a kernel of scalar products, never formed."""

    left: Array
    right: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Number of new and of training items."""
        return len(self.left), len(self.right)

    def __matmul__(self, basis: Array) -> Array:
        with blas_alone():
            inner = self.right.T @ basis
        return rowwise_product(self.left, inner)


#: New items: rows of coordinates, distances, similarities or edge weights.
Items: TypeAlias = Array | sparse.csr_array
#: Rows of a kernel: anything that can be multiplied by an (n, d) array.
Rows: TypeAlias = Array | sparse.csr_array | ProductRows


class NewRows:
    """Kernel rows of new items: the only part of a construction that is kept after a fit, and saved.

    A subclass is a frozen dataclass of arrays, numbers, text, and dataclasses of these, and gives the rows
    ``K(x, x_j)`` of new items x when it is called. For the training items themselves these are the rows of the
    operator that was decomposed; then ``transform(training) == embedding_``.
    """

    #: Whether the rows are the new items as they were read, and `finish` changes nothing.
    plain: ClassVar[bool] = False

    @property
    def dense(self) -> bool:
        """Whether rows are dense, or are made from dense ones."""
        return False

    def __call__(self, new: Items, side: str = "out") -> Rows:
        """Return the (m, n) rows of m new items; `side` is "in" for the targets of a directed network.

        By default these are the new items themselves, such as the edges of new vertices.
        """
        return new

    def finish(self, coordinates: Array, new: Items) -> Array:
        """Return the positions of new items, given the product of their rows with the basis of the extension."""
        return coordinates

    def fitted(self, basis: Array) -> NewRows:
        """Return what is kept after a fit, when the basis of the extension is known."""
        return self

    def lifted(self, basis: Array) -> Array:
        """Return what rows of new items are multiplied by, from the basis of the extension.

        Other rows than those of the kernel are shorter where the kernel is a product: that of L L is a row of L,
        multiplied by ``L @ basis``.
        """
        return basis

    def batch(self, n: int) -> int:
        """Return how many new items are placed at a time, so that memory stays bounded."""
        return max(1, _ENTRIES // n) if self.dense else 1 << 16


class KernelRows(NewRows, ABC):
    """Kernel rows that can also form the kernel's operator on the training items again.

    The operator and the graph of a fitted method are needed for losses and for `graph_`; they are derived from the
    fields, and never saved.
    """

    @property
    @abstractmethod
    def operator(self) -> Operator:
        """The kernel on the training items."""

    @property
    def trivial(self) -> Array | None:
        """The unit eigenvector that is left out of embeddings, if there is one."""
        return None

    @property
    @abstractmethod
    def graph(self) -> Items:
        """The graph that the method made of its points."""

    def kernel_rows(self, new: Items) -> Rows:
        """Return the (m, n) rows of the symmetric kernel; a call may rescale them."""
        return self(new)


@dataclass(frozen=True, eq=False)
class Resampling:
    """What rules for the number of dimensions ask of a random operator.

    Attributes
    ----------
    thin : callable
        Splits the operator into two parts, for cross-validated eigenvalues.
    flip : callable, optional
        Returns the operator with random signs of its entries, for parallel analysis.
    """

    thin: Thin
    flip: Flip | None = None


@dataclass(frozen=True, eq=False)
class Construction:
    r"""A symmetric operator on the training items, the wanted eigenvectors, and their use.

    It exists only during a fit.

    Attributes
    ----------
    operator : Operator or Bipartite
        M on the n training items, matrix-free wherever M would be dense; `Bipartite` for directed networks, which
        have two embeddings.
    new_rows : NewRows
        The rows of new items.
    end : {"largest", "magnitude", "smallest"}
        The wanted end of the spectrum.
    power : float
        Coordinates are :math:`|\lambda|^{power} v` for an eigenpair :math:`(\lambda, v)`.
    extension : {"nystrom", "weights"}
        A new item's coordinates are :math:`|\lambda|^{power} / \lambda \sum_j K(x, x_j) v_j` (Nystrom), or
        :math:`\sum_j w(x, x_j) v_j` if rows are weights w that sum to 1.
    positive : bool
        Whether eigenvalues that are not positive are refused. With ``power=0`` none is: coordinates need no root,
        and only the extension needs eigenvalues that are not 0.
    scale : float
        Size of the terms that cancel in M, such as an eigenvalue that is left out: eigenvalues below the rounding
        errors of this size are zero.
    rank : int, optional
        Upper bound of the number of positive eigenvalues, if ``n_components=None`` means all of them.
    known : Known
        What is known of M, which solvers use.
    resampling : Resampling, optional
        What rules for the number of dimensions use.
    training : callable
        Returns the positions of the training items from the embedding; by default its coordinates.
    attributes : mapping
        Public attributes of the estimator that do not depend on the eigenvectors.
    """

    operator: Operator | Bipartite
    new_rows: NewRows
    end: End = "largest"
    power: float = 0.5
    extension: Literal["nystrom", "weights"] = "nystrom"
    positive: bool = True
    scale: float = 0.0
    rank: int | None = None
    known: Known = field(default_factory=Known)
    resampling: Resampling | None = None
    training: Callable[[SpectralEmbedding], Array] = attrgetter("coordinates")
    attributes: Mapping[str, object] = field(default_factory=dict)
