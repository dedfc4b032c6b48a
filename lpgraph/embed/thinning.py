"""Division of a network into a training and a test part, for the choice of the number of dimensions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.linalg.external import ExternalMatrix
from lpgraph.spectral.entries import squared, with_matrix
from lpgraph.spectral.operators import Matrix, Rescaled, Updated
from lpgraph.spectral.split import Split, split_entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.graph.network import Network
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.split import Thin

__all__ = ["thinning"]


def thinning(items: Network, operator_of: Callable[[Network], SymmetricOperator], *, skip: int = 0) -> Thin | None:
    """Return the function that splits a network, or None if its matrix is not in memory as a sparse array.

    Parameters
    ----------
    items : Network
        The network. Pairs of vertices are split if it is undirected, arcs if it is directed; a loop is one pair.
        For one that is not in memory, the function raises an error.
        A weighted edge is kept or held out as a whole.
    operator_of : callable
        Returns the operator of a network: that of the training part is decomposed, with the degrees of this part.
    skip : int
        Leading eigenvectors that the embedding leaves out.
    """
    matrix = items.product
    if isinstance(matrix, ExternalMatrix):
        return _refuse
    if not isinstance(matrix, sparse.csr_array):
        return None

    def thin(low: float, high: float, rng: np.random.Generator) -> Split:
        squares = sparse.csr_array((matrix.data**2, matrix.indices, matrix.indptr), shape=matrix.shape)
        train, test = split_entries(matrix, low, high, rng, symmetric=not items.directed)
        share = high - low
        train.data /= 1 - share  # an estimate of the whole matrix, whose degrees have the same mean
        operator = operator_of(Adjacency.of_canonical(train, range(items.n_vertices), items.directed))
        variances = squared(operator, squares)
        diagonal = np.zeros(variances.shape[0])
        if not items.directed:
            scale = operator.scale if isinstance(operator, Rescaled) else np.ones(len(diagonal))
            diagonal = squares.diagonal() * scale**4
        return Split(operator, _with_test(operator, test, share), variances, diagonal, share, skip)

    return thin


def _refuse(low: float, high: float, rng: np.random.Generator) -> Split:
    raise ArgumentError(
        "The number of dimensions is to be chosen by held-out edges, but the network is not in memory; pass a "
        'number as n_components, or "elbow".'
    )


def _with_test(operator: SymmetricOperator, test: sparse.csr_array, share: float) -> SymmetricOperator:
    """Return the operator of the training part with the held-out entries in place of its own."""
    if isinstance(operator, Updated):
        return replace(operator, operator=Matrix(test), factor=share * operator.factor)
    return with_matrix(operator, test)
