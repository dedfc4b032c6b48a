"""lpgraph: latent position graphs.

Sample them, embed their vertices, and embed the vertices that arrive later without another decomposition.
Every name is imported when it is first used, so that ``import lpgraph`` itself costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass

_HOME = {
    "errors": "lpgraph.errors",
    "FeatureMap": "lpgraph.models.features",
    "LatentPositionGraph": "lpgraph.models.graphs",
    "LatentPositionModel": "lpgraph.models.latent_position",
    "NewVertices": "lpgraph.models.graphs",
    "degree_corrected_block_model": "lpgraph.models.named",
    "erdos_renyi": "lpgraph.models.named",
    "feature_map": "lpgraph.models.features",
    "generalized_random_dot_product_graph": "lpgraph.models.named",
    "kernels": "lpgraph.models.kernels",
    "mixed_membership_block_model": "lpgraph.models.named",
    "positions": "lpgraph.models.positions",
    "random_dot_product_graph": "lpgraph.models.named",
    "stochastic_block_model": "lpgraph.models.named",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("lpgraph")
    if name not in _HOME:
        raise AttributeError(f"module 'lpgraph' has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = module if _HOME[name].rpartition(".")[2] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
