"""Kernels: public alias of `lpgraph.models.kernels`."""

from lpgraph.models.kernels import *  # noqa: F403
from lpgraph.models.kernels import __all__ as __all__
