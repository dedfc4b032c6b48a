"""Example networks and points, with citation and licence.

The data sets of networkx and scikit-learn are always available, and so are a connectome and a network of flights,
which are part of lpgraph. Two are downloaded once, verified against pinned checksums and cached. The folder in the
environment variable ``LPGRAPH_DATA`` is searched first; its files need no download.
"""

from .sets import *  # noqa: F403
from .sets import __all__ as __all__
