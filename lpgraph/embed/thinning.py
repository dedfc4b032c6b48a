"""Division of a network into a training and a test part, for the choice of the number of dimensions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.graph.adjacency import Adjacency
from lpgraph.spectral.entries import squared, with_matrix
from lpgraph.spectral.operators import Matrix, Rescaled, Updated
from lpgraph.spectral.split import Split, split_entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.graph.network import Edges, Network
    from lpgraph.linalg.matvec import AnyMatrix
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.split import Thin

__all__ = ["thinning"]


def thinning(items: Network, operator_of: Callable[[Edges], SymmetricOperator], *, skip: int = 0) -> Thin | None:
    """Return the function that splits a network, or None if its matrix is dense.

    Parameters
    ----------
    items : Network
        The network. Pairs of vertices are split if it is undirected, arcs if it is directed; a loop is one pair.
        A weighted edge is kept or held out as a whole.
    operator_of : callable
        Returns the operator of a network: that of the training part is decomposed, with the degrees of this part.
    skip : int
        Leading eigenvectors that the embedding leaves out.
    """
    matrix = items.product
    if not isinstance(matrix, sparse.csr_array):
        return None

    def thin(low: float, high: float, rng: np.random.Generator) -> Split:
        items.check_room(115, "A choice of n_components by held-out edges")
        squares = sparse.csr_array((matrix.data**2, matrix.indices, matrix.indptr), shape=matrix.shape)
        train, test = split_entries(matrix, low, high, rng, symmetric=not items.directed)
        share = high - low
        train.data /= 1 - share  # an estimate of the whole matrix, whose degrees have the same mean
        operator = operator_of(Adjacency.of_canonical(train, range(items.n_vertices), items.directed))
        return _split(items, operator, test, squares, share, skip)

    return thin


def _split(
    items: Network,
    operator: SymmetricOperator,
    test: AnyMatrix,
    squares: AnyMatrix,
    share: float,
    skip: int,
) -> Split:
    """Return the split, given the operator of the training part and the matrices of the two others."""
    variances = squared(operator, squares)
    diagonal = np.zeros(variances.shape[0])
    if not items.directed:
        scale = operator.scale if isinstance(operator, Rescaled) else np.ones(len(diagonal))
        diagonal = items.diagonal**2 * scale**4
    return Split(operator, _with_test(operator, test, share), variances, diagonal, share, skip)


def _with_test(operator: SymmetricOperator, test: AnyMatrix, share: float) -> SymmetricOperator:
    """Return the operator of the training part with the held-out entries in place of its own."""
    if isinstance(operator, Updated):
        return replace(operator, operator=Matrix(test), factor=share * operator.factor)
    return with_matrix(operator, test)
