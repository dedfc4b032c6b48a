"""Networks and points to try things on, each with its citation and licence.

Those of networkx and scikit-learn are at hand; the others are fetched once, their checksums pinned, and kept in
the user's cache folder. A folder named by the environment variable ``LPGRAPH_DATA`` is looked into first: with it,
no network is needed.
"""

from __future__ import annotations

from lpgraph.datasets.fetched import abalone, email_eu, polblogs
from lpgraph.datasets.shipped import digits, florentine, iris, karate, les_miserables, southern_women
from lpgraph.datasets.value import Dataset

__all__ = [
    "Dataset",
    "abalone",
    "digits",
    "email_eu",
    "florentine",
    "iris",
    "karate",
    "les_miserables",
    "polblogs",
    "southern_women",
]
