"""Demonstration of out-of-sample embedding and classification on two networks.

Held-out vertices are embedded by their edges to the other vertices, without another decomposition, and classified.
Their error is compared with that of the same vertices embedded in-sample.
"""

from __future__ import annotations

import io
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import lpgraph as lp
from lpgraph._utils.files import replace_file
from lpgraph.errors import DisconnectedGraphWarning
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import listed

if TYPE_CHECKING:
    from pathlib import Path

    from scipy import sparse

__all__ = ["DemoResult", "digits", "draw", "karate", "run"]


@dataclass(frozen=True, eq=False)
class DemoResult:
    """In-sample and out-of-sample errors of a network, and a model for the map.

    Attributes
    ----------
    title : str
        Description of the network.
    n_in_sample, n_held_out : int
        Number of embedded vertices and of held-out vertices.
    in_sample_error, out_of_sample_error : float
        Fraction of the held-out vertices that are misclassified: if embedded with all others, and out of sample.
    seconds : float
        Wall time.
    model : VertexClassifier
        Fitted to the vertices that are not held out, of which the map is drawn.
    new : csr_array of shape (m, n)
        Edges of some of the vertices held out, which are drawn as new ones.
    """

    title: str
    n_in_sample: int
    n_held_out: int
    in_sample_error: float
    out_of_sample_error: float
    seconds: float
    model: lp.VertexClassifier
    new: sparse.csr_array


def karate() -> DemoResult:
    """Classify the members of Zachary's karate club, a fifth of them held out at a time."""
    import networkx as nx
    from sklearn.model_selection import StratifiedKFold

    began = time.perf_counter()
    network = nx.karate_club_graph()
    graph = as_adjacency(network)
    club = np.array([network.nodes[name]["club"] for name in listed(graph.names)])
    inside, outside = np.empty_like(club), np.empty_like(club)
    with warnings.catch_warnings():
        # The network without one of its hubs is disconnected.
        warnings.simplefilter("ignore", DisconnectedGraphWarning)
        for known, new in StratifiedKFold(5, shuffle=True, random_state=0).split(club, club):
            hidden = club.astype(object)
            hidden[new] = -1
            inside[new] = lp.VertexClassifier().fit(graph, hidden).transduction_[new]
            model = lp.VertexClassifier().fit(graph.subgraph(known), club[known])
            rows = graph.matrix[new][:, known]
            outside[new] = model.predict(rows)
    return DemoResult(
        title="karate club, a fifth of the members",
        n_in_sample=len(known),
        n_held_out=len(club),
        in_sample_error=float((inside != club).mean()),
        out_of_sample_error=float((outside != club).mean()),
        seconds=time.perf_counter() - began,
        model=model,
        new=rows,
    )


def digits(random_state: int = 0) -> DemoResult:
    """Classify half of the handwritten digits, as new vertices of a latent position graph of the images."""
    from sklearn.datasets import load_digits

    began = time.perf_counter()
    images, classes = load_digits(return_X_y=True)
    order = np.random.default_rng(random_state).permutation(len(images))
    images, classes = images[order], classes[order]
    n = len(images) // 2
    model = lp.LatentPositionModel(lp.kernels.Gaussian(sigma=26.0), images)
    graph = model.sample(random_state=random_state)
    known, new = slice(0, n), slice(n, None)
    hidden = classes.copy()
    hidden[new] = -1
    together = lp.VertexClassifier().fit(graph, hidden).transduction_[new]
    apart = lp.VertexClassifier().fit(graph.adjacency[known][:, known], classes[known])
    rows = graph.adjacency[new][:, known]
    return DemoResult(
        title="1797 handwritten digits, half of them",
        n_in_sample=n,
        n_held_out=len(images) - n,
        in_sample_error=float((together != classes[new]).mean()),
        out_of_sample_error=float((apart.predict(rows) != classes[new]).mean()),
        seconds=time.perf_counter() - began,
        model=apart,
        new=rows[:20],
    )


def draw(result: DemoResult, path: Path) -> None:
    """Draw the map of a network, with some of the held-out vertices as new ones."""
    from lpgraph._utils.checks import import_extra
    from lpgraph.plot import map as draw_map

    figure = import_extra("matplotlib.figure", "plot").Figure(figsize=(8, 6), layout="constrained")
    draw_map(result.model, new=result.new, ax=figure.subplots())
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], dpi=110)
    replace_file(path, picture.getvalue())


def run() -> list[DemoResult]:
    """Run both networks."""
    return [karate(), digits()]
