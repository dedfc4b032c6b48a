"""Inference on vertices: dimension, classes and clusters."""

from __future__ import annotations

from lpgraph._utils.names import attach

__getattr__, __dir__, __all__ = attach(__name__)
