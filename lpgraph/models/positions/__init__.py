"""Where latent positions come from: fixed rows, a distribution, a sampler, or blocks of given sizes.

Each source answers two questions: what are the positions of the first n vertices, and what are those of the
next m (the out-of-sample vertices of Definition 1)? Both come with labels, or with None.
`LatentPositionModel` makes a source of an array, of a ``scipy.stats`` distribution or of a function by
itself.
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
