"""Curves of degrees and of weights."""

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy.stats import poisson

import lpgraph as lp
from lpgraph.errors import ArgumentTypeError, GraphError

pytest.importorskip("matplotlib").use("Agg")


def curves(axes):
    """Return the drawn points by label."""
    return {line.get_label(): line.get_xydata() for line in axes.get_lines()}


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_degrees_are_the_complementary_distribution():
    graph = nx.barabasi_albert_graph(300, 2, seed=0)
    degrees = np.array([d for _, d in graph.degree])
    axes = lp.plot.degrees(graph)
    points = axes.get_lines()[0].get_xydata()
    np.testing.assert_allclose(points[:, 1], [(degrees >= x).mean() for x in points[:, 0]])
    assert points[-1, 0] == degrees.max()
    assert axes.get_xscale() == axes.get_yscale() == "log"
    reference = curves(axes)["Poisson distribution of the same mean"]
    np.testing.assert_allclose(reference[:, 1], poisson.sf(reference[:, 0] - 1, degrees.mean()))


def test_degrees_of_both_directions_and_of_isolated_vertices():
    graph = lp.from_edges([0, 0, 1], [1, 2, 2], [3.0, -4.0, 5.0], directed=True, vertices=5)
    axes = lp.plot.degrees(graph)
    assert set(curves(axes)) >= {"out-degree", "in-degree"}
    np.testing.assert_allclose(curves(axes)["out-degree"], [[1, 0.4], [2, 0.2]])
    assert "3 of 5 vertices have out-degree 0" in axes.get_title(loc="left")
    weighted = lp.plot.degrees(graph, weighted=True)
    np.testing.assert_allclose(curves(weighted)["out-degree"], [[5, 0.4], [7, 0.2]])
    assert weighted.get_xlabel() == "weighted degree"


def test_weights_of_both_signs():
    matrix = connected(200, 10, 0, weighted=True, signed=True)
    values = lp.as_adjacency(matrix).edge_list()[2]
    axes = lp.plot.weights(matrix)
    for label, magnitudes in (("positive", values[values > 0]), ("negative", -values[values < 0])):
        points = curves(axes)[label]
        expected = [(magnitudes >= x).sum() / len(values) for x in points[:, 0]]
        np.testing.assert_allclose(points[:, 1], expected)
        assert points[-1, 0] == magnitudes.max()
        assert points[0, 0] == magnitudes.min()
    only = lp.plot.weights(-abs(matrix))
    assert set(curves(only)) == {"negative"}


def test_curves_of_many_values_have_few_points():
    s, t = np.random.default_rng(0).integers(0, 1000, (2, 50_000))
    graph = lp.from_edges(s, t, np.random.default_rng(1).pareto(1.0, 50_000) + 0.1)
    points = lp.plot.weights(graph).get_lines()[0].get_xydata()
    assert 60 <= len(points) <= 120
    gaps = np.abs(np.diff(np.log(points), axis=0)) / np.ptp(np.log(points), axis=0)
    assert gaps[:-8].max() < 0.05  # close to the largest weight there are no others


def test_regular_graphs_and_axes():
    import matplotlib.pyplot as plt

    axes = plt.subplots()[1]
    assert lp.plot.degrees(nx.cycle_graph(10), axes=axes) is axes
    assert axes.get_lines()[0].get_xydata().tolist() == [[2, 1]]
    assert lp.plot.weights(nx.cycle_graph(10)).get_lines()[0].get_xydata().tolist() == [[1, 1]]


def test_wrong_input():
    for draw in (lp.plot.degrees, lp.plot.weights):
        with pytest.raises(GraphError, match="no edge"):
            draw(lp.from_edges([], [], vertices=3))
    with pytest.raises(ArgumentTypeError, match="weighted"):
        lp.plot.degrees(nx.path_graph(3), weighted="yes")


def test_degrees_of_two_graphs_are_two_curves():
    axes = lp.plot.degrees(nx.barabasi_albert_graph(200, 2, seed=0), label="observed")
    lp.plot.degrees(nx.gnm_random_graph(200, 400, seed=0), label="sampled", axes=axes)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["observed", "Poisson distribution of the same mean", "sampled"]
    shown = [(line.get_color(), line.get_marker(), line.get_fillstyle()) for line in axes.lines]
    assert len(set(shown)) == 3
