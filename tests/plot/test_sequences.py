"""Plots of several networks agree with the joint embedding."""

from datetime import date

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError, UnknownVertexError


def networks(keys, *, directed=False, absent=()):
    """Return block models by key; vertex "v0" is absent from some of them."""
    found = {}
    for seed, key in enumerate(keys):
        graph = lp.stochastic_block_model([20, 20], [[0.6, 0.1], [0.1, 0.5]], directed=directed, random_state=seed)
        kind = nx.DiGraph if directed else nx.Graph
        found[key] = nx.relabel_nodes(nx.from_scipy_sparse_array(graph.adjacency, create_using=kind), "v{}".format)
        if key in absent:
            found[key].remove_node("v0")
    return found


MODEL = lp.joint.UnfoldedEmbedding(2).fit(networks(range(6), absent=(1, 3)))


def test_trajectories_are_positions_with_their_intervals_and_gaps():
    figure = lp.plot.trajectories(MODEL, ["v0", "v5"], level=0.5)
    rows = [MODEL.graphs_.index[name] for name in ("v0", "v5")]
    half = 0.6744898 * lp.joint.standard_errors(MODEL, ["v0", "v5"])
    for column, axes in enumerate(figure.axes):
        first, second = axes.lines
        assert np.isnan(first.get_ydata()).tolist() == [False, True, False, True, False, False]
        np.testing.assert_array_equal(second.get_ydata(), MODEL.embeddings_[:, rows[1], column])
        ends = np.array([bar[:, 1] for bar in axes.collections[1].get_segments()])
        np.testing.assert_allclose(ends, second.get_ydata()[:, None] + half[:, 1, [column]] * [-1, 1])
    assert "gaps" in figure.axes[0].get_title(loc="left")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["v0", "v5"]


@pytest.mark.parametrize(
    ("keys", "x"),
    [
        ([1, 2, 4], [1, 2, 4]),
        ([2, 1, 4], [0, 1, 2]),
        (["b", "a", "c"], [0, 1, 2]),
        ([date(2020, 1, 1), date(2020, 1, 2), date(2020, 2, 1)], [18262, 18263, 18293]),
    ],
)
def test_increasing_keys_are_placed_by_their_values(keys, x):
    axes = lp.plot.trajectories(lp.joint.OmnibusEmbedding(1).fit(networks(keys)), ["v1"]).axes[0]
    np.testing.assert_array_equal(axes.lines[0].get_xdata(orig=False), x)
    if not isinstance(keys[0], date):
        axes.figure.canvas.draw()
        assert {str(key) for key in keys} <= {label.get_text() for label in axes.get_xticklabels()}


@pytest.mark.parametrize("directed", [False, True])
def test_distances_count_the_vertices_of_both_networks(directed):
    model = lp.joint.OmnibusEmbedding(2).fit(networks("abcd", directed=directed, absent="b"))
    image = np.asarray(lp.plot.distances(model).images[0].get_array())
    places = np.dstack([model.embeddings_, model.embeddings_in_]) if directed else model.embeddings_
    both = model.graphs_.present[0] & model.graphs_.present[1]
    assert both.sum() == 39
    expected = [
        np.sqrt(((places[t] - places[0])[kept] ** 2).sum(axis=1).mean()) for t, kept in ((1, both), (3, ...))
    ]
    np.testing.assert_allclose(image[0, [1, 3]], expected)
    np.testing.assert_allclose(image, image.T)
    assert np.isnan(np.diag(image)).all()


def test_names_of_networks_are_inside_the_figure():
    graph = lp.erdos_renyi(40, 0.4, random_state=0)
    axes = lp.plot.distances(lp.joint.UnfoldedEmbedding(1).fit(dict.fromkeys(range(90, 114), graph)))
    axes.figure.canvas.draw()
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["90", "92"]
    assert min(label.get_window_extent().x0 for label in axes.get_yticklabels()) > 0


def test_networks_without_a_common_vertex_have_no_distance():
    apart = lp.joint.UnfoldedEmbedding(2).fit(
        [nx.complete_graph(5), nx.complete_graph(range(5, 11)), nx.path_graph(11)]
    )
    axes = lp.plot.distances(apart)
    assert np.isnan(np.asarray(axes.images[0].get_array())[0, 1])


def test_small_multiples_have_the_same_axes_and_show_the_present_vertices():
    figure = lp.plot.small_multiples(MODEL, {f"v{i}": i // 20 for i in range(40)})
    assert [axes.get_title() for axes in figure.axes] == list("012345")
    assert len({axes.get_xlim() + axes.get_ylim() for axes in figure.axes}) == 1
    shown = [np.vstack([c.get_offsets() for c in axes.collections]) for axes in figure.axes]
    assert [len(points) for points in shown] == [40, 39, 40, 39, 40, 40]
    expected = MODEL.embeddings_[3][MODEL.graphs_.present[3]]
    np.testing.assert_allclose(np.sort(shown[3][:, 0]), np.sort(expected[:, 0]))
    few = lp.plot.small_multiples(MODEL, keys=[4, 2])
    assert [axes.get_title() for axes in few.axes] == ["4", "2"]


@pytest.mark.parametrize(
    ("name", "arguments", "options", "error", "match"),
    [
        ("trajectories", (3, ["v0"]), {}, ArgumentTypeError, "model"),
        ("trajectories", (lp.joint.UnfoldedEmbedding(2), ["v0"]), {}, NotFittedError, "not fitted"),
        ("trajectories", (MODEL, ["nowhere"]), {}, UnknownVertexError, "nowhere"),
        ("trajectories", (MODEL, "v0"), {}, ArgumentTypeError, "vertices"),
        ("trajectories", (MODEL, []), {}, ArgumentError, "vertices"),
        ("trajectories", (MODEL, ["v0"]), {"level": 1.0}, ArgumentError, "level"),
        ("trajectories", (MODEL, ["v0"]), {"direction": "in"}, ArgumentError, "direction"),
        ("distances", (lp.joint.UnfoldedEmbedding(1).fit([nx.path_graph(5)]),), {}, ArgumentError, "one network"),
        ("small_multiples", (MODEL,), {"keys": [7]}, ArgumentError, "7"),
        ("small_multiples", (MODEL,), {"keys": []}, ArgumentError, "keys"),
        ("small_multiples", (MODEL, [1, 2]), {}, ArgumentError, "labels"),
    ],
)
def test_wrong_arguments(name, arguments, options, error, match):
    with pytest.raises(error, match=match):
        getattr(lp.plot, name)(*arguments, **options)
