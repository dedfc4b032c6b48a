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

    from numpy.typing import NDArray

__all__ = ["DemoResult", "digits", "draw", "karate", "run"]


@dataclass(frozen=True, eq=False)
class DemoResult:
    """In-sample and out-of-sample errors of a network, and positions for the plot.

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
    positions, labels, new_positions, new_labels : ndarray
        Data of the plot.
    """

    title: str
    n_in_sample: int
    n_held_out: int
    in_sample_error: float
    out_of_sample_error: float
    seconds: float
    positions: NDArray[np.float64]
    labels: NDArray[np.generic]
    new_positions: NDArray[np.float64]
    new_labels: NDArray[np.generic]


def karate() -> DemoResult:
    """Classify each member of Zachary's karate club, held out in turn, by their edges to the others."""
    import networkx as nx

    began = time.perf_counter()
    network = nx.karate_club_graph()
    graph = as_adjacency(network)
    club = np.array([network.nodes[name]["club"] for name in listed(graph.names)])
    n = graph.n_vertices
    inside, outside = np.empty(n, dtype=club.dtype), np.empty(n, dtype=club.dtype)
    with warnings.catch_warnings():
        # The network without one of its hubs is disconnected.
        warnings.simplefilter("ignore", DisconnectedGraphWarning)
        for v in range(n):
            hidden = club.astype(object)
            hidden[v] = -1
            inside[v] = lp.VertexClassifier().fit(graph, hidden).transduction_[v]
            others = np.delete(np.arange(n), v)
            model = lp.VertexClassifier().fit(graph.matrix[others][:, others], club[others])
            outside[v] = model.predict(graph.matrix[[v]][:, others])[0]
    # The plot has eight held-out members, none of them a hub.
    drawn = np.ones(n, dtype=bool)
    drawn[np.argsort(graph.degrees, kind="stable")[1:24:3]] = False
    fitted = lp.AdjacencySpectralEmbedding(2).fit(graph.matrix[drawn][:, drawn])
    return DemoResult(
        title="Zachary's karate club, each of its 34 members held out in turn",
        n_in_sample=n - 1,
        n_held_out=n,
        in_sample_error=float((inside != club).mean()),
        out_of_sample_error=float((outside != club).mean()),
        seconds=time.perf_counter() - began,
        positions=fitted.embedding_,
        labels=club[drawn],
        new_positions=fitted.transform(graph.matrix[~drawn][:, drawn]),
        new_labels=club[~drawn],
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
        title="1797 handwritten digits as a latent position graph, half of them held out",
        n_in_sample=n,
        n_held_out=len(images) - n,
        in_sample_error=float((together != classes[new]).mean()),
        out_of_sample_error=float((apart.predict(rows) != classes[new]).mean()),
        seconds=time.perf_counter() - began,
        positions=apart.embedding_,
        labels=classes[known],
        new_positions=apart.transform(rows),
        new_labels=classes[new],
    )


def draw(results: list[DemoResult], path: Path) -> None:
    """Plot one panel per network, with embedded vertices as dots and new vertices as crosses."""
    from lpgraph._utils.checks import import_extra
    from lpgraph.plot import positions

    import_extra("matplotlib", "plot").use("Agg")
    pyplot = import_extra("matplotlib.pyplot", "plot")
    figure, panels = pyplot.subplots(1, len(results), figsize=(6 * len(results), 5), layout="constrained")
    for axes, result in zip(np.atleast_1d(panels), results, strict=True):
        # For digits, the first dimension is mostly the amount of ink.
        dimensions = (1, 2) if result.positions.shape[1] > 2 else (0, 1)
        many = len(np.unique(result.labels)) >= 5
        positions(
            result.positions,
            result.labels,
            out_of_sample=result.new_positions,
            out_labels=result.new_labels,
            dimensions=dimensions,
            legend=not many,
            names=many,
            axes=axes,
        )
        axes.set_title(result.title.split(",")[0])
    figure.suptitle("Embedded vertices (dots) and new vertices (crosses)")
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], dpi=110)
    replace_file(path, picture.getvalue())
    pyplot.close(figure)


def run() -> list[DemoResult]:
    """Run both networks."""
    return [karate(), digits()]
