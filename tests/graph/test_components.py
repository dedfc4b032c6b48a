from __future__ import annotations

import networkx as nx
import pytest

import lpgraph as lp
from lpgraph.graph.components import connected_components, isolated_vertices


@pytest.mark.parametrize("directed", [False, True])
def test_largest_component_agrees_with_networkx(directed):
    graph = nx.gnp_random_graph(80, 0.012, seed=3, directed=directed)
    pieces = list(nx.weakly_connected_components(graph) if directed else nx.connected_components(graph))
    ours = lp.largest_component(graph)
    largest = max(pieces, key=len)
    assert list(ours.names) == [node for node in graph if node in largest]
    assert ours.n_edges == graph.subgraph(largest).number_of_edges()
    count, labels = connected_components(lp.as_adjacency(graph))
    assert count == len(pieces)
    for piece in pieces:
        assert len({int(labels[node]) for node in piece}) == 1


def test_isolated_vertices_have_at_most_a_loop():
    graph = lp.from_edges([0, 2, 3], [1, 2, 4], [-1.0, 1.0, 2.0], vertices=6, directed=True)
    assert isolated_vertices(graph).tolist() == [2, 5]


def test_a_connected_graph_is_returned_as_it_is():
    graph = lp.from_edges([0, 1], [1, 2], [-1.0, 1.0])
    assert lp.largest_component(graph) is graph
