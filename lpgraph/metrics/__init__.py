"""Quality measures of embeddings of points: neighbors, distances, reconstruction loss and stability."""

from __future__ import annotations

from lpgraph._utils.names import attach

__getattr__, __dir__, __all__ = attach(__name__)
