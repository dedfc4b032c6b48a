"""Several networks, and networks in time: joint embeddings, whose positions can be compared across networks."""

from __future__ import annotations

from lpgraph._utils.names import attach

__getattr__, __dir__, __all__ = attach(__name__)
