"""Networks and points to try things on, each with its citation and licence.

Those of networkx and scikit-learn are at hand; some are fetched once, their checksums pinned, and kept in the
user's cache folder. A folder named by the environment variable ``LPGRAPH_DATA`` is looked into first: with it, no
network is needed. The others are read from that folder only.
"""

from __future__ import annotations

from lpgraph.datasets.dataset import Dataset
from lpgraph.datasets.fetched import abalone, drosophila, polblogs
from lpgraph.datasets.folder_networks import celegans, cora, dblp, email_eu, football
from lpgraph.datasets.folder_points import faces, teapots, usps
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
