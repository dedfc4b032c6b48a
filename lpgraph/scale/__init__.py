"""Networks on disk: the edge store, and its builder."""

from __future__ import annotations

from lpgraph._names import attach

__getattr__, __dir__, __all__ = attach(__name__)
