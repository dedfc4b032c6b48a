"""Sources of latent positions: public alias of `lpgraph.models.positions`."""

from lpgraph.models.positions import *  # noqa: F403
from lpgraph.models.positions import __all__ as __all__
