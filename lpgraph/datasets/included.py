"""Networks that are part of lpgraph: a connectome, and a network of flights with a heavy tail of degrees."""

from __future__ import annotations

import csv
import io
from importlib.resources import files

import numpy as np

from lpgraph._checks import check_choice
from lpgraph.datasets.dataset import Dataset
from lpgraph.graph.files import read_graph

__all__ = ["drosophila", "flights"]


def drosophila(side: str = "left") -> Dataset:
    """Return the connectome of the mushroom body of a Drosophila larva, weighted by number of synapses.

    Parameters
    ----------
    side : {"left", "right"}, default "left"
        The hemisphere.

    Returns
    -------
    Dataset
        Directed and weighted, with 209 neurons on the left and 213 on the right. The labels are the types of
        neurons: K (Kenyon cells), P (projection neurons), O (output neurons), I (inputs).

    Raises
    ------
    ArgumentError
        If `side` is neither "left" nor "right".

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.drosophila()
    Dataset('drosophila_left', Adjacency(209 vertices, 7425 edges, directed, weighted), 4 classes)
    """
    check_choice("side", side, ("left", "right"))
    neurons = _rows(f"drosophila_{side}_neurons.csv")
    return Dataset(
        name=f"drosophila_{side}",
        description=f"Synapses between the neurons of the {side} mushroom body of a Drosophila larva.",
        citation="Eichler, K. et al. (2017), The complete connectome of a learning and memory centre in an insect "
        "brain, Nature 548, 175-182. Priebe, C. E. et al. (2017), Semiparametric spectral modeling of the "
        "Drosophila connectome, arXiv:1705.03297.",
        licence="MIT, as part of graspologic",
        source="https://github.com/graspologic-org/graspologic",
        graph=read_graph(
            io.BytesIO(_content(f"drosophila_{side}_synapses.csv")),
            format="csv",
            directed=True,
            weight="synapses",
            vertices=[int(neuron["neuron"]) for neuron in neurons],
        ),
        labels=np.array([neuron["cell_type"] for neuron in neurons]),
    )


def flights() -> Dataset:
    """Return the flights between 305 airports of the United States in 2008.

    Returns
    -------
    Dataset
        Directed and weighted by the number of flights. A few hubs have routes to half of all airports, and many
        airports to a single one. The labels are the regions of the Census Bureau: Midwest, Northeast, South,
        West, and Territories.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.datasets.flights()
    Dataset('flights', Adjacency(305 vertices, 5366 edges, directed, weighted), 5 classes)
    """
    airports = _rows("airports.csv")
    return Dataset(
        name="flights",
        description="Flights within the United States in 2008, by route, and the regions of the airports.",
        citation="U.S. Department of Transportation, Bureau of Transportation Statistics, On-Time Performance.",
        licence="public domain (works of the U.S. government)",
        source="https://github.com/vega/vega-datasets",
        graph=read_graph(
            io.BytesIO(_content("flights.csv")),
            format="csv",
            directed=True,
            weight="flights",
            vertices=[airport["code"] for airport in airports],
        ),
        labels=np.array([airport["region"] for airport in airports]),
    )


def _content(name: str) -> bytes:
    return (files("lpgraph.datasets") / "tables" / name).read_bytes()


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_content(name).decode())))
