"""Quality measures of embeddings of points: reconstruction loss and stability."""

from __future__ import annotations

import importlib

_HOME = {
    "ReconstructionLoss": "loss",
    "Stability": "perturbation",
    "reconstruction_loss": "loss",
    "stability": "perturbation",
}

__all__ = ["ReconstructionLoss", "Stability", "reconstruction_loss", "stability"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'lpgraph.metrics' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"lpgraph.metrics.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
