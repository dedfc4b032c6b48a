"""The number of dimensions of several networks, by cross-validated eigenvalues of the unfolded matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.spectral.eigenvalue_cv import Split, significant_eigenvectors, split_entries
from lpgraph.spectral.operators import Bipartite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.joint.graphs import GraphSequence
    from lpgraph.spectral.dimension import DimensionChoice

    Array = NDArray[np.float64]


def unfolded_dimension(graphs: GraphSequence, random_state: int | np.random.Generator | None) -> DimensionChoice:
    """Return how many singular vectors of ``[A_1 ... A_m]`` held-out edges confirm, 64 at most.

    An edge of a network is held out as a whole, in both of its entries.
    """
    matrices = [graph.matrix for graph in graphs]
    everything = [sparse.csr_array(matrix.power(2)) for matrix in matrices]
    squares = Bipartite(hstacked(everything))

    def thin(low: float, high: float, rng: np.random.Generator) -> Split:
        parts = [split_entries(matrix, low, high, rng, symmetric=not graphs.directed) for matrix in matrices]
        train, test = (hstacked([part[side] for part in parts]) for side in (0, 1))
        train.data /= 1 - (high - low)
        kept = Bipartite(train), Bipartite(test), squares, np.zeros(squares.shape[0]), high - low
        return Split(*kept) if graphs.directed else _PairSplit(*kept, pairs=everything)

    return significant_eigenvectors(thin, "largest", len(graphs.names), random_state)


def hstacked(matrices: list[sparse.csr_array]) -> sparse.csr_array:
    """Return ``[A_1 ... A_m]``."""
    return sparse.csr_array(sparse.hstack(matrices, format="csr"))


@dataclass(frozen=True, eq=False)
class _PairSplit(Split):
    """A split of undirected networks, whose entries (i, j) and (j, i) are held out together.

    With x = [p; q_1; ...; q_m], the pair {i, j} of network t adds ``2 a (p_i q_tj + p_j q_ti)``. Its square has
    the terms of two independent entries, and their product, which is added here; a loop is one entry.
    """

    pairs: Sequence[sparse.csr_array] = ()

    def forms(self, vectors: Array) -> tuple[Array, Array]:
        """Return ``x' test x``, and the variance of it without the factor `share`, for each column x."""
        held_out, variance = super().forms(vectors)
        n = self.pairs[0].shape[0]
        for t, squares in enumerate(self.pairs, start=1):
            both = vectors[:n] * vectors[t * n : (t + 1) * n]
            joint = both * (squares @ both) - squares.diagonal()[:, None] * both**2
            variance = variance + 4 * joint.sum(axis=0)
        return held_out, variance
