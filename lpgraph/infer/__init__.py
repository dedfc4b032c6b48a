"""What is learnt from an embedding: its dimension, classes and clusters."""

from __future__ import annotations

import importlib
from types import ModuleType

_MODULES = ("classify", "cluster", "dimension", "mixture")

__all__ = ["classify", "cluster", "dimension", "mixture"]


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"module 'lpgraph.infer' has no attribute {name!r}")
    return importlib.import_module(f"lpgraph.infer.{name}")
