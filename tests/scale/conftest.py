"""Fixtures of the tests of edge stores."""

import numpy as np
import pytest
from scale.small_stores import KINDS, edges

import lpgraph as lp
from lpgraph.scale import build_store
from lpgraph.scale.dask_engine import DaskEngine


@pytest.fixture(scope="session", autouse=True)
def _blocks_of_workers_as_wide_as_those_of_threads():
    """Compare the bits of both engines: by default the blocks of Dask's are wider."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DaskEngine, "overhead", 0.0)
        yield


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Each kind of network, in memory and as a store."""
    folder, found = tmp_path_factory.mktemp("stores"), {}
    u, v, weights = edges()
    for kind, options in KINDS.items():
        graph = lp.from_edges(
            u, v, weights if options.get("weights") else None, directed=options.get("directed", False)
        )
        graph = graph.take(np.argsort(graph.names))  # in the order of a store
        found[kind] = graph, build_store(graph, folder / kind)
    return found
