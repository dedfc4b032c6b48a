"""Example networks and points, with citation and licence.

The data sets of networkx and scikit-learn are always available, and so are a connectome and a network of flights,
which are part of lpgraph. Some are downloaded once, verified against pinned
checksums and cached. The folder in the environment variable ``LPGRAPH_DATA`` is searched first; its files need no
download. The others are only read from that folder.
"""

from __future__ import annotations

from lpgraph.datasets.dataset import Dataset
from lpgraph.datasets.fetched import abalone, polblogs
from lpgraph.datasets.folder_networks import celegans, cora, dblp, email_eu, football
from lpgraph.datasets.folder_points import faces, teapots, usps
from lpgraph.datasets.included import drosophila, flights
from lpgraph.datasets.shipped import digits, florentine, iris, karate, les_miserables, southern_women

__all__ = [
    "Dataset",
    "abalone",
    "celegans",
    "cora",
    "dblp",
    "digits",
    "drosophila",
    "email_eu",
    "faces",
    "flights",
    "florentine",
    "football",
    "iris",
    "karate",
    "les_miserables",
    "polblogs",
    "southern_women",
    "teapots",
    "usps",
]
