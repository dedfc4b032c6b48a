"""Models of the graph generators, before they are sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_count, check_flag, check_real
from lpgraph.errors import ArgumentError
from lpgraph.models.kernels import BlockMatrix
from lpgraph.models.latent_position import LatentPositionModel
from lpgraph.models.positions import BlockLabels, Fixed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.models.kernels import DegreeCorrectedBlockMatrix, DotProduct, IndefiniteDotProduct

__all__ = ["blocks", "check_blocks", "dot_product", "one_probability"]

#: Products of positions computed at a time.
_CELLS = 2**22


def one_probability(
    n: int, p: float, *, directed: bool = False, loops: bool = False, edge_weights: object = None
) -> LatentPositionModel:
    """Return the Erdos-Renyi model: all positions are 0."""
    kernel = BlockMatrix([[check_real("p", p, low=0, high=1)]])
    source = Fixed(np.zeros(check_count("n", n)))
    return LatentPositionModel(kernel, source, directed=directed, loops=loops, edge_weights=edge_weights)


def blocks(
    sizes: ArrayLike,
    B: ArrayLike,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
) -> LatentPositionModel:
    """Return a stochastic block model, whose positions are the labels of the blocks."""
    source, kernel = BlockLabels(sizes), BlockMatrix(B)
    check_blocks(source.sizes, kernel)
    return LatentPositionModel(
        kernel, source, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights
    )


def dot_product(
    kernel: DotProduct | IndefiniteDotProduct,
    X: ArrayLike,
    *,
    rescale: bool = False,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
) -> LatentPositionModel:
    """Return the model of a random dot product graph; with `rescale` no product of positions exceeds 1."""
    x = kernel.prepare(Fixed(X).array, "X")
    if check_flag("rescale", rescale):
        x = x / np.sqrt(max(1.0, _largest(kernel, x)))
    return LatentPositionModel(
        kernel, Fixed(x), sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights
    )


def _largest(kernel: DotProduct | IndefiniteDotProduct, x: NDArray[np.float64]) -> float:
    """Return the largest product of two rows, which may be the same row.

    A product is at most that of the lengths. Rows are visited by decreasing length until no product can exceed the
    largest so far: for the dot product, which is largest for the longest row with itself, after the first ones.
    """
    lengths = np.linalg.norm(x, axis=1)
    order = np.argsort(-lengths, kind="stable")
    x, lengths = x[order], lengths[order]
    largest, start = 0.0, 0
    while start < len(x) and lengths[start] * lengths[0] > largest:
        # The first row only, then blocks: most rows are often excluded by the first.
        stop = min(len(x), start + (max(1, _CELLS // len(x)) if start else 1))
        columns = int(np.searchsorted(-lengths, -largest / lengths[start], side="right"))
        largest = max(largest, float(kernel(x[start:stop], x[: max(columns, 1)]).max()))
        start = stop
    return largest


def check_blocks(sizes: ArrayLike, kernel: BlockMatrix | DegreeCorrectedBlockMatrix) -> None:
    """Raise if the number of sizes is not that of the rows of B."""
    n_blocks = len(np.asarray(sizes))
    if n_blocks != len(kernel.matrix):
        raise ArgumentError(
            f"sizes has {n_blocks} blocks but B is {kernel.matrix.shape}; pass one size per row of B."
        )
