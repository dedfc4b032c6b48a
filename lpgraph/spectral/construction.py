"""Constructions, which define a method for the spectral core, and kernel rows of new items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lpgraph._threads import blas_alone
from lpgraph.linalg.dense_rows import rowwise_product

if TYPE_CHECKING:
    from lpgraph.spectral.choice import DimensionChoice
    from lpgraph.spectral.embedding import SpectralEmbedding
    from lpgraph.spectral.known import KnownPairs
    from lpgraph.spectral.landmarks import Landmarks
    from lpgraph.spectral.operators import Bipartite, Operator
    from lpgraph.spectral.sign_flips import Flip
    from lpgraph.spectral.split import Thin

__all__ = ["Construction", "Items", "KernelRows", "NewRows", "ProductRows", "Rows"]

Array: TypeAlias = NDArray[np.float64]

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

    #: Fields that may remain in the file of a large saved model.
    stored: ClassVar[tuple[str, ...]] = ()
    #: Whether the rows are the new items as they were read, and `finish` changes nothing.
    plain: ClassVar[bool] = False

    @property
    def dense(self) -> bool:
        """Whether rows are dense, or are made from dense ones."""
        return False

    def __call__(self, new: Items, side: str = "out") -> Rows:
        """Return the (m, n) rows of m new items; `side` is "in" for the targets of a directed network."""
        raise TypeError(f"{type(self).__name__} does not define the rows of new items.")

    def finish(self, coordinates: Array, new: Items) -> Array:
        """Return the positions of new items, given the product of their rows with the basis of the extension."""
        return coordinates

    def fitted(self, basis: Array) -> NewRows:
        """Return what is kept after a fit, when the basis of the extension is known."""
        return self

    def batch(self, n: int) -> int:
        """Return how many new items are placed at a time, so that memory stays bounded."""
        return max(1, _ENTRIES // n) if self.dense else 1 << 16


class KernelRows(NewRows):
    """Kernel rows that can also form the kernel's operator on the training items again.

    The operator and the graph of a fitted method are needed for losses and for `graph_`; they are derived from the
    fields, and never saved.
    """

    @property
    def operator(self) -> Operator:
        """The kernel on the training items."""
        raise TypeError(f"{type(self).__name__} does not define an operator.")

    @property
    def trivial(self) -> Array | None:
        """The unit eigenvector that is left out of embeddings, if there is one."""
        return None

    @property
    def graph(self) -> Items:
        """The graph that the method made of its points."""
        raise TypeError(f"{type(self).__name__} does not define a graph.")

    def kernel_rows(self, new: Items) -> Rows:
        """Return the (m, n) rows of the symmetric kernel; a call may rescale them."""
        return self(new)


def _coordinates(found: SpectralEmbedding) -> Array:
    return found.coordinates


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
    c : float, optional
        With ``end="smallest"`` and ``extension="nystrom"``: the kernel that is extended is :math:`c I - M`.
    positive : bool
        Whether eigenvalues that are not positive are refused. With ``power=0`` none is: coordinates need no root,
        and only the extension needs eigenvalues that are not 0.
    scale : float
        Size of the terms that cancel in M, such as an eigenvalue that is left out: eigenvalues below the rounding
        errors of this size are zero.
    rank : int, optional
        Upper bound of the number of positive eigenvalues, if ``n_components=None`` means all of them.
    trivial : ndarray of shape (n,), optional
        A known unit eigenvector, which is left out.
    known : callable, optional
        Returns known eigenpairs that come first if k are wanted; then `trivial` is among them.
    inverse_of : callable, optional
        Returns a sparse positive semi-definite matrix with the wanted eigenvectors at its lower end, for
        shift-and-invert.
    root : callable, optional
        Returns a square matrix B with ``B.T B`` equal to that matrix and `trivial` as its null vector.
    smooth : ndarray of shape (n,), optional
        A vector without zeros whose image by that matrix is small, for multigrid.
    origin : float, optional
        The eigenvalue from which the wanted ones are counted: residuals are relative to their distance from it.
    thin : callable, optional
        Splits a random operator into two parts, for cross-validated eigenvalues.
    flip : callable, optional
        Returns the operator with random signs of its entries, for parallel analysis.
    choice : DimensionChoice, optional
        How the operator's own number of dimensions was chosen, if that had to be known before the operator.
    lift : callable, optional
        Returns what the rows of new items are multiplied by, from the basis of the extension; by default that.
        Other rows than those of the kernel are shorter where the kernel is a product: that of L L is a row of L,
        multiplied by ``L @ basis``.
    landmarks : Landmarks, optional
        The operator is that of some items, by which all others are placed.
    training : callable
        Returns the positions of the training items from the embedding; by default its coordinates.
    attributes : mapping
        Public attributes of the estimator that do not depend on the eigenvectors.
    tol : float, optional
        Bound on the residuals, if `tol` of the estimator is for another problem.
    interrupt : KeyboardInterrupt, optional
        The interrupt of an earlier iteration, raised when the fit is complete.
    """

    operator: Operator | Bipartite
    new_rows: NewRows
    end: Literal["largest", "magnitude", "smallest"] = "largest"
    power: float = 0.5
    extension: Literal["nystrom", "weights"] = "nystrom"
    c: float | None = None
    positive: bool = True
    scale: float = 0.0
    rank: int | None = None
    trivial: Array | None = None
    known: Callable[[int], KnownPairs] | None = None
    inverse_of: Callable[[], sparse.csr_array] | None = None
    root: Callable[[], sparse.csr_array] | None = None
    smooth: Array | None = None
    origin: float | None = None
    thin: Thin | None = None
    flip: Flip | None = None
    choice: DimensionChoice | None = None
    lift: Callable[[Array], Array] | None = None
    landmarks: Landmarks | None = None
    training: Callable[[SpectralEmbedding], Array] = _coordinates
    attributes: Mapping[str, object] = field(default_factory=dict)
    tol: float | None = None
    interrupt: KeyboardInterrupt | None = None
