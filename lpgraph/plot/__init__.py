"""Plots of embeddings, graphs and results, with matplotlib (``pip install 'lpgraph[plot]'``).

Every function draws into the axes passed as `axes`, or into a new figure, and returns the axes. A new figure is
the current one of pyplot, so that ``matplotlib.pyplot.savefig(path)`` saves it.
"""

from __future__ import annotations

from lpgraph.plot.comparison import samples
from lpgraph.plot.curves import loss, stability, validation
from lpgraph.plot.dimension import dimension
from lpgraph.plot.drift import drift
from lpgraph.plot.ellipses import ellipses
from lpgraph.plot.matrix import adjacency
from lpgraph.plot.pairs import pairs
from lpgraph.plot.palette import COLOURS
from lpgraph.plot.points import point_graph
from lpgraph.plot.quality import neighbor_curves, point_measure, shepard
from lpgraph.plot.scatter import positions
from lpgraph.plot.spectrum import scree
from lpgraph.plot.tails import degrees, weights
from lpgraph.plot.truth import truth

__all__ = [
    "COLOURS",
    "adjacency",
    "degrees",
    "dimension",
    "drift",
    "ellipses",
    "loss",
    "neighbor_curves",
    "pairs",
    "point_graph",
    "point_measure",
    "positions",
    "samples",
    "scree",
    "shepard",
    "stability",
    "truth",
    "validation",
    "weights",
]
