"""Held-out vertices of a labelled network, with their edges to the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from _labelled_networks import both_directions

import lpgraph as lp
from lpgraph.graph.new_vertices import NewEdges

if TYPE_CHECKING:
    from _labelled_networks import Network
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.graph.adjacency import Adjacency


@dataclass(frozen=True)
class HeldOut:
    """A network without the held-out vertices, and their edges to it.

    `classes` are those of the vertices of `known`, -1 if unknown; `truth` those of the held-out vertices. `kept`
    and `held` are the numbers of both in the whole network. `among` has the edges among held-out vertices.
    """

    network: Network
    known: Adjacency
    classes: NDArray[np.intp]
    new: NewEdges
    among: sparse.csr_array
    truth: NDArray[np.intp]
    kept: NDArray[np.intp]
    held: NDArray[np.intp]

    @property
    def trained(self) -> NDArray[np.intp]:
        """Numbers of the labelled vertices in `known`."""
        return np.flatnonzero(self.classes >= 0)

    @property
    def majority(self) -> int:
        """The most frequent class."""
        return int(np.bincount(self.classes[self.trained]).argmax())

    @property
    def label_matrix(self) -> NDArray[np.float64]:
        """One column for each class, with 1 at its labelled vertices."""
        columns = np.zeros((len(self.classes), self.network.n_classes))
        columns[self.trained, self.classes[self.trained]] = 1.0
        return columns

    def rows(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return the edges of known and of new vertices to known ones, without directions."""
        if self.new.rows_in is None:
            return self.known.matrix, self.new.rows
        known = self.known.matrix
        return both_directions(known, known.T), both_directions(self.new.rows, self.new.rows_in)


def hold_out(network: Network, seed: int, labelled: float = 0.8) -> HeldOut:
    """Hold out one fifth of the vertices at random; keep the labels of a share of all vertices."""
    rng = np.random.default_rng(seed)
    n = len(network.classes)
    order = rng.permutation(n)
    held = np.sort(order[: n // 5])
    held = held[network.classes[held] >= 0]
    kept = np.sort(order[n // 5 :])
    classes = network.classes[kept].copy()
    if labelled < 0.8:
        classes[rng.random(len(kept)) > labelled / 0.8] = -1
    matrix, directed = network.graph.matrix, network.graph.directed
    rows = matrix[held][:, kept]
    rows_in = matrix.T.tocsr()[held][:, kept] if directed else None
    return HeldOut(
        network=network,
        known=lp.as_adjacency(matrix[kept][:, kept], directed=directed),
        classes=classes,
        new=NewEdges(rows, range(len(held)), rows_in),
        among=matrix[held][:, held],
        truth=network.classes[held],
        kept=kept,
        held=held,
    )
