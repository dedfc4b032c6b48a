"""Positions of block models: labels, and labels with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_count, check_finite_array
from lpgraph.errors import ArgumentError
from lpgraph.models.positions.base import Positions, freeze

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lpgraph.models.positions.base import Drawn


@dataclass(frozen=True, eq=False)
class BlockLabels(Positions):
    """Labels of blocks of given sizes, in order; new vertices draw a block with probability size / n.

    Parameters
    ----------
    sizes : array_like of shape (K,)
        Integers >= 0, not all 0.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> lp.positions.BlockLabels([2, 1]).initial(None, np.random.default_rng(0))
    (array([[0.], [0.], [1.]]), array([0, 0, 1]))
    """

    sizes: ArrayLike

    def __post_init__(self) -> None:
        sizes = np.asarray(self.sizes, dtype=object)  # keeps the type of each entry for the check
        if sizes.ndim != 1 or sizes.size == 0:
            raise ArgumentError(f"sizes has shape {sizes.shape}; pass one size per block.")
        sizes = np.array([check_count(f"sizes[{k}]", size, low=0) for k, size in enumerate(sizes)])
        if sizes.sum() == 0:
            raise ArgumentError(f"sizes={sizes.tolist()}; pass at least one positive size.")
        freeze(self, sizes=sizes)

    def initial(self, n: int | None, rng: np.random.Generator) -> Drawn:
        """Return the first n positions and labels."""
        sizes = np.asarray(self.sizes)
        if n is not None and n != sizes.sum():
            raise ArgumentError(f"n={n} but sizes sum to {sizes.sum()}; pass n=None or other sizes.")
        labels = np.repeat(np.arange(len(sizes)), sizes)
        return labels[:, None].astype(np.float64), labels

    def more(self, m: int, start: int, rng: np.random.Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        sizes = np.asarray(self.sizes)
        labels = rng.choice(len(sizes), size=m, p=sizes / sizes.sum())
        return labels[:, None].astype(np.float64), labels


@dataclass(frozen=True, eq=False)
class BlockWeights(Positions):
    """Positions (label, weight) of a degree-corrected block model.

    New vertices draw a block with probability size / n, and the weight of one of its vertices.

    Parameters
    ----------
    sizes : array_like of shape (K,)
    weights : array_like of shape (sum of sizes,)
        One weight >= 0 per vertex, ordered by block.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> lp.positions.BlockWeights([2, 1], [0.5, 1.0, 2.0]).initial(None, np.random.default_rng(0))[0]
    array([[0. , 0.5],
           [0. , 1. ],
           [1. , 2. ]])
    """

    sizes: ArrayLike
    weights: ArrayLike

    def __post_init__(self) -> None:
        sizes = np.asarray(BlockLabels(self.sizes).sizes)
        weights = np.array(check_finite_array("weights", self.weights, ndim=1))
        if len(weights) != sizes.sum():
            raise ArgumentError(f"weights has {len(weights)} entries; pass one per vertex, {sizes.sum()}.")
        if weights.min() < 0:
            i = int(np.argmax(weights < 0))
            raise ArgumentError(f"weights[{i}] is {weights[i]:g}; pass weights >= 0.")
        freeze(self, sizes=sizes, weights=weights)

    def initial(self, n: int | None, rng: np.random.Generator) -> Drawn:
        """Return the first n positions and labels."""
        labels, names = BlockLabels(self.sizes).initial(n, rng)
        return np.column_stack([labels, np.asarray(self.weights)]), names

    def more(self, m: int, start: int, rng: np.random.Generator) -> Drawn:
        """Return the positions and labels of m further vertices."""
        # A uniform vertex has block k with probability size / n, and is uniform within its block.
        positions, names = self.initial(None, rng)
        chosen = rng.integers(len(positions), size=m)
        return positions[chosen], None if names is None else names[chosen]
