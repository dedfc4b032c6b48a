"""Distributions of edge weights: public alias of `lpgraph.models.edge_weights`."""

from lpgraph.models.edge_weights import *  # noqa: F403
from lpgraph.models.edge_weights import __all__ as __all__
