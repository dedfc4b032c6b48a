"""The names of `lpgraph.models.kernels`, where people look for them: ``from lpgraph.kernels import ...``."""

from lpgraph.models.kernels import *  # noqa: F403
from lpgraph.models.kernels import __all__ as __all__
