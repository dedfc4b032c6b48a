"""How well an embedding stands for its kernel, and how firmly it stands at all."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "ReconstructionLoss": "loss",
    "Stability": "perturbation",
    "reconstruction_loss": "loss",
    "stability": "perturbation",
}

__all__ = ["ReconstructionLoss", "Stability", "reconstruction_loss", "stability"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lpgraph.metrics' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"lpgraph.metrics.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
