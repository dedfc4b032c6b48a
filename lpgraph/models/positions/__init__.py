"""Sources of latent positions: fixed rows, distributions, functions, and blocks of given sizes.

A source gives the positions and labels (or None) of the first n vertices, and of m further vertices (the
new vertices of Definition 1). `LatentPositionModel` also accepts an array, a ``scipy.stats``
distribution or a function, and makes a source from it.
"""

from __future__ import annotations

from lpgraph.models.positions.base import Positions
from lpgraph.models.positions.blocks import BlockLabels, BlockWeights
from lpgraph.models.positions.given import Distribution, Fixed, Sampler, as_positions
from lpgraph.models.positions.mixtures import Dirichlet, GaussianMixture

__all__ = [
    "BlockLabels",
    "BlockWeights",
    "Dirichlet",
    "Distribution",
    "Fixed",
    "GaussianMixture",
    "Positions",
    "Sampler",
    "as_positions",
]
