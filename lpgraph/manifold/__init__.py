"""Embeddings of points: each method is a kernel, its eigenvectors, and their extension to new points."""

from __future__ import annotations

from lpgraph._utils.names import attach

__getattr__, __dir__, __all__ = attach(__name__)
