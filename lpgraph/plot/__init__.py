"""Plots of embeddings, graphs and results, with matplotlib (``pip install 'lpgraph[plot]'``).

Every function draws into the axes passed as `ax`, or into a new figure, and returns the axes. A new figure is
the current one of pyplot, so that ``matplotlib.pyplot.savefig(path)`` saves it.
"""

from __future__ import annotations

from lpgraph._utils.names import attach

__getattr__, __dir__, __all__ = attach(__name__)
