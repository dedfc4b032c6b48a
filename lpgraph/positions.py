"""The names of `lpgraph.models.positions`, where people look for them: ``from lpgraph.positions import ...``."""

from lpgraph.models.positions import *  # noqa: F403
from lpgraph.models.positions import __all__ as __all__
