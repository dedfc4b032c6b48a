"""Graphs whose edges have numbers, but no attribute called weight."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, LpgraphWarning

FOUND = r"No edge of .* has the attribute 'weight'.* weight='messages'\) if that has the weights, or .*weight=None"


def mails(kind=nx.DiGraph):
    graph = kind()
    graph.add_edge("a", "b", messages=3, id=7, kind="mail", read=True)
    graph.add_edge("b", "c", messages=np.int64(1))
    return graph


def as_igraph(graph):
    return pytest.importorskip("igraph").Graph.from_networkx(graph, vertex_attr_hashable="name")


@pytest.mark.parametrize("convert", [lambda graph: graph, as_igraph, lambda graph: nx.MultiGraph(graph)])
def test_a_numeric_attribute_is_named(convert):
    graph = convert(mails())
    with pytest.warns(LpgraphWarning, match=FOUND):
        assert not lp.as_adjacency(graph).weighted
    assert lp.as_adjacency(graph, weight="messages").highest_weight == 3
    assert not lp.as_adjacency(graph, weight=None).weighted
    with pytest.raises(
        ArgumentError, match=r"weight='message' .* no edge of graph; pass weight='messages' if that"
    ):
        lp.as_adjacency(graph, weight="message")


@pytest.mark.parametrize("convert", [lambda graph: graph, as_igraph])
def test_other_attributes_are_not(convert):
    graph = mails(nx.Graph)
    for _, _, data in graph.edges(data=True):
        data["messages"] = 1  # what would change nothing
    assert not lp.as_adjacency(convert(graph)).weighted
    nx.set_edge_attributes(graph, {("a", "b"): 2.0}, "weight")
    nx.set_edge_attributes(graph, 5, "messages")
    assert lp.as_adjacency(convert(graph)).highest_weight == 2
    assert lp.as_adjacency(convert(nx.empty_graph(3)), weight="messages").n_edges == 0


@pytest.mark.parametrize(("suffix", "write"), [(".gml", nx.write_gml), (".graphml", nx.write_graphml)])
def test_files(tmp_path, suffix, write):
    path = tmp_path / f"mails{suffix}"
    graph = mails()
    for _, _, data in graph.edges(data=True):
        data["messages"] = int(data["messages"])
        data.pop("read", None)
    write(graph, path)
    with pytest.warns(
        LpgraphWarning, match=rf"mails{suffix} has the attribute 'weight'.*pass weight='messages' if"
    ):
        assert not lp.read_graph(path).weighted
    assert lp.read_graph(path, weight="messages").highest_weight == 3
    assert not lp.read_graph(path, weight=None).weighted
    with pytest.raises((ArgumentError, lp.errors.FileFormatError), match="weight='message' is an attribute of no"):
        lp.read_graph(path, weight="message")


def test_new_vertices():
    known = nx.karate_club_graph()
    model = lp.AdjacencySpectralEmbedding(2).fit(known)
    new = nx.Graph()
    new.add_edge("new", 0, messages=4)
    with pytest.warns(LpgraphWarning, match=FOUND):
        plain = model.transform(new)
    np.testing.assert_allclose(model.transform(lp.as_adjacency(new, weight="messages")), 4 * plain)
