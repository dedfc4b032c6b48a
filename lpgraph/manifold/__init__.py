"""Points as graphs: every method a kernel, its top eigenvectors, and Nystrom's formula for new points."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "ClassicalMDS": "mds",
    "DiffusionMap": "diffusion",
    "Isomap": "isomap",
    "KernelPCA": "kernel_pca",
    "LaplacianEigenmaps": "eigenmaps",
    "LocallyLinearEmbedding": "lle",
    "SemidefiniteEmbedding": "semidefinite",
    "SpectralClustering": "clustering",
}

__all__ = [
    "ClassicalMDS",
    "DiffusionMap",
    "Isomap",
    "KernelPCA",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "SemidefiniteEmbedding",
    "SpectralClustering",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lpgraph.manifold' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"lpgraph.manifold.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
