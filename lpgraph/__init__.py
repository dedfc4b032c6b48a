"""lpgraph: latent position graphs.

Sample them, embed their vertices, and embed new vertices without another decomposition. The public names are in
``__init__.pyi``; each is imported on first use, so that ``import lpgraph`` is fast.
"""

from __future__ import annotations

from lpgraph._utils.names import attach

_load, __dir__, __all__ = attach(__name__)
__all__ += ["__version__"]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("lpgraph")
    return _load(name)
