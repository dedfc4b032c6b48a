"""A network's operator with random signs, for the choice of the number of dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy import sparse

from lpgraph.spectral.entries import with_matrix
from lpgraph.spectral.sign_flips import flipped_entries

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from lpgraph.graph.network import Edges, Network
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.sign_flips import Flip

__all__ = ["flipping"]


def flipping(items: Network, operator_of: Callable[[Edges], SymmetricOperator]) -> Flip | None:
    """Return the function that flips signs, or None if the matrix is dense.

    Edges of undirected networks and arcs of directed ones get a sign each, and are scaled as the operator scales
    them. Terms that are no edges, such as the expected edges of the modularity matrix, are left out.
    """
    matrix = items.product
    if not isinstance(matrix, sparse.csr_array):
        return None

    def flip(rng: np.random.Generator) -> SymmetricOperator:
        items.check_room(50, "A choice of n_components by signs")
        flipped = flipped_entries(matrix, rng, symmetric=not items.directed)
        return with_matrix(operator_of(items), flipped)

    return flip
