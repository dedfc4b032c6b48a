"""Networks of five blocks, in memory and as edge stores."""

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.scale import build_store

N = 4000
KINDS = ("undirected", "weighted", "directed")


@pytest.fixture(scope="session")
def networks(tmp_path_factory):
    """Each kind of network, in memory and as a store with the same order of vertices."""
    rng = np.random.default_rng(0)
    u = np.r_[np.arange(N), rng.integers(0, N, 60_000)]
    inside = rng.random(len(u)) < 0.7
    v = np.where(inside, u // 800 * 800 + rng.integers(0, 800, len(u)), rng.integers(0, N, len(u)))
    weights = rng.uniform(0.5, 2, len(u))
    folder, found = tmp_path_factory.mktemp("stores"), {}
    for kind in KINDS:
        rule = {"multi_edges": "sum" if kind == "weighted" else "collapse"}
        edges = (u, v, weights) if kind == "weighted" else (u, v)
        graph = lp.from_edges(*edges, directed=kind == "directed", vertices=N, **rule)
        found[kind] = graph, build_store(graph, folder / kind)
    return found
