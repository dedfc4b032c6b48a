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
    "Adjacency": "lpgraph.graph.value",
    "as_adjacency": "lpgraph.graph.adjacency",
    "from_edges": "lpgraph.graph.adjacency",
    "largest_component": "lpgraph.graph.components",
    "read_graph": "lpgraph.graph.files",
    "write_graph": "lpgraph.graph.files",
    "errors": "lpgraph.errors",
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
