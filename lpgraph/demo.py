"""Demonstration of out-of-sample embedding and classification on two networks.

Held-out vertices are embedded by their edges to the other vertices, without another decomposition, and classified.
Their error is compared with that of the same vertices embedded in-sample.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import lpgraph as lp
from lpgraph._utils.files import written
from lpgraph.errors import DisconnectedGraphWarning
from lpgraph.graph.construct import as_adjacency

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph._utils.types import Integers


@dataclass(frozen=True, eq=False)
class DemoResult:
    """In-sample and out-of-sample errors of a network, and a model for the map.

    Attributes
    ----------
    title : str
        Description of the network.
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
    in_sample_error: float
    out_of_sample_error: float
    seconds: float
    model: lp.VertexClassifier
    new: sparse.csr_array


def karate() -> DemoResult:
    """Classify the members of Zachary's karate club, a fifth of them held out at a time."""
    from sklearn.model_selection import StratifiedKFold

    club = lp.datasets.karate()
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(club.labels, club.labels)
    with warnings.catch_warnings():
        # The network without one of its hubs is disconnected.
        warnings.simplefilter("ignore", DisconnectedGraphWarning)
        return _compared("karate club, a fifth of the members", club.graph, np.asarray(club.labels), folds)


def digits(random_state: int = 0) -> DemoResult:
    """Classify half of the handwritten digits, as new vertices of a latent position graph of the images."""
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    order = np.random.default_rng(random_state).permutation(len(images))
    model = lp.LatentPositionModel(lp.kernels.Gaussian(sigma=26.0), images[order])
    halves = [np.split(np.arange(len(images)), [len(images) // 2])]
    title, graph = "1797 handwritten digits, half of them", model.sample(random_state=random_state)
    return _compared(title, graph, classes[order], halves)


def _compared(
    title: str, graph: object, classes: NDArray[np.generic], folds: Iterable[Sequence[Integers]]
) -> DemoResult:
    """Classify the second vertices of each pair from the first, embedded with them and out of sample."""
    began, wrong, network = time.perf_counter(), [], as_adjacency(graph)
    for known, new in folds:
        hidden = classes.astype(object)
        hidden[new] = -1
        inside = lp.VertexClassifier().fit(network, hidden).transduction_[new]
        model = lp.VertexClassifier().fit(network.subgraph(known), classes[known])
        rows = network.matrix[new][:, known]
        wrong.append([inside != classes[new], model.predict(rows) != classes[new]])
    in_sample, out_of_sample = np.hstack(wrong).mean(axis=1).tolist()
    return DemoResult(title, in_sample, out_of_sample, time.perf_counter() - began, model, rows[:20])


def draw(result: DemoResult, path: Path) -> None:
    """Draw the map of a network, with some of the held-out vertices as new ones."""
    from lpgraph._utils.checks import import_extra

    figure = import_extra("matplotlib.figure", "plot").Figure(figsize=(8, 6), layout="constrained")
    lp.plot.map(result.model, new=result.new, ax=figure.subplots())
    with written(path) as file:
        figure.savefig(file, format=path.suffix[1:], dpi=110)


def run() -> list[DemoResult]:
    """Run both networks."""
    return [karate(), digits()]
