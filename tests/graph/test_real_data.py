"""Sizes of well-known networks, if LPGRAPH_DATA is set to a folder with their files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.graph.components import isolated_vertices

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


def test_email():
    graph = lp.read_graph(data("email-Eu-core/email-Eu-core.txt"), directed=True)
    assert (graph.n_vertices, graph.n_edges) == (1005, 25571)
    assert np.count_nonzero(graph.matrix.diagonal()) == 642
    assert len(isolated_vertices(graph)) == 19


def test_dblp():
    graph = lp.read_graph(data("dblp-2010/dblp-2010.edges.tsv.gz"), vertices=326186, multi_edges="collapse")
    assert (graph.n_vertices, graph.n_edges) == (326186, 807700)
    assert len(isolated_vertices(graph)) == 25539


def test_weighted_connectome_with_a_header():
    graph = lp.read_graph(data("celegans/celegans279_chem_edges.tsv"), directed=True, weight="synapses")
    assert (graph.n_vertices, graph.n_edges, graph.weighted) == (279, 2194, True)
