"""Sizes of well-known networks, if LPGRAPH_DATA is set to a folder with their files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.graph.preprocess import isolated_vertices

pytestmark = pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="LPGRAPH_DATA is not set")


def data(name):
    return Path(os.environ["LPGRAPH_DATA"]) / name


def test_polblogs():
    graph = lp.read_graph(data("polblogs/polblogs.gml"))
    assert graph.directed
    assert (graph.n_vertices, graph.n_edges, graph.matrix.sum()) == (1490, 19025, 19090)
    assert np.count_nonzero(graph.matrix.diagonal()) == 3
    assert len(isolated_vertices(graph)) == 266
    assert sum(graph.vertex_attributes["value"]) == 732
    undirected = lp.as_adjacency(graph, directed=False, loops="drop", multi_edges="collapse")
    largest = lp.largest_component(undirected)
    assert (largest.n_vertices, largest.n_edges) == (1222, 16714)


@pytest.mark.parametrize(
    ("name", "options", "n_vertices", "n_edges"),
    [
        ("email-Eu-core/email-Eu-core.txt", {"directed": True}, 1005, 25571),
        ("dblp-2010/dblp-2010.edges.tsv.gz", {"vertices": 326186, "multi_edges": "collapse"}, 326186, 807700),
        ("celegans/celegans279_chem_edges.tsv", {"directed": True, "weight": "synapses"}, 279, 2194),
    ],
)
def test_lists_of_edges(name, options, n_vertices, n_edges):
    graph = lp.read_graph(data(name), **options)
    assert (graph.n_vertices, graph.n_edges, graph.weighted) == (n_vertices, n_edges, "weight" in options)
