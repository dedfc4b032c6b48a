"""Adjacency matrices of a latent position model: edges, loops and edge weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from lpgraph.models.cell_values import probabilities_at
from lpgraph.models.edge_weights import EdgeSet, EdgeWeights
from lpgraph.models.edges import sample_edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.models.kernels import Kernel

__all__ = ["EdgeModel", "Vertices", "sample_among", "sample_between", "unweighted", "upper", "weighted"]


class EdgeModel(Protocol):
    """The attributes of a `LatentPositionModel` that determine its edges, given the positions."""

    kernel: Kernel
    sparsity: float
    directed: bool
    loops: bool
    edge_weights: EdgeWeights | None


class Vertices(NamedTuple):
    """Vertices of a model: positions (n, p) as ``kernel.prepare`` returns them, and labels (n,) or None."""

    positions: NDArray[np.float64]
    labels: NDArray[np.generic] | None


def sample_among(model: EdgeModel, vertices: Vertices, rng: np.random.Generator) -> sparse.csr_array:
    """Return the (n, n) adjacency matrix of some vertices, with weights if the model has them."""
    return weighted(model, unweighted(model, vertices, rng, model.sparsity), vertices, None, rng)


def sample_between(
    model: EdgeModel, rows: Vertices, columns: Vertices, rng: np.random.Generator
) -> sparse.csr_array:
    """Return the (n, m) matrix of edges from vertices `rows` to other vertices `columns`."""
    edges = sample_edges(model.kernel, model.sparsity, rows.positions, columns.positions, rng)
    return weighted(model, edges, rows, columns, rng)


def unweighted(
    model: EdgeModel, vertices: Vertices, rng: np.random.Generator, sparsity: float
) -> sparse.csr_array:
    """Return a 0/1 adjacency matrix, drawn with another sparsity than the model's."""
    x = vertices.positions
    edges = sample_edges(model.kernel, sparsity, x, None, rng, directed=model.directed)
    if not model.loops:
        return edges
    every = np.arange(len(x))
    hit = rng.random(len(x)) < probabilities_at(model.kernel, sparsity, x, x, every, every)
    return sparse.csr_array(edges + sparse.diags_array(hit.astype(np.float64), format="csr"))


def weighted(
    model: EdgeModel,
    edges: sparse.csr_array,
    rows: Vertices,
    columns: Vertices | None,
    rng: np.random.Generator,
) -> sparse.csr_array:
    """Return 0/1 `edges` with drawn weights; ``columns=None`` means edges among the rows."""
    if model.edge_weights is None:
        return edges
    mirror = columns is None and not model.directed
    once = upper(edges) if mirror else edges.copy()
    i, j = once.tocoo().coords
    ends = rows if columns is None else columns
    drawn = EdgeSet(i, j, rows.positions, ends.positions, rows.labels, ends.labels, model.kernel, model.sparsity)
    once.data = model.edge_weights.draw(drawn, rng)
    once.eliminate_zeros()
    return sparse.csr_array(once + sparse.triu(once, 1).T) if mirror else once


def upper(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the upper triangle of a matrix, with its diagonal."""
    return sparse.csr_array(sparse.triu(matrix, format="csr"))
