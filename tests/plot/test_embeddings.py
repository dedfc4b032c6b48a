"""Plots of embeddings agree with the data and stay readable: shares, counts, places, colours, names."""

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path
from vision import VISIONS, contrast, distances

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.manifold import Isomap
from lpgraph.plot.palette import Classes, hex_colours

CLOUD = np.random.default_rng(0).normal(size=(420, 5))


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_an_ellipse_holds_its_share(level):
    covariance = [[2, -0.5, 1], [-0.5, 1, 0], [1, 0, 4]]
    cloud = np.random.default_rng(0).multivariate_normal([-1, 0, 1], covariance, 20_000)
    axes = lp.plot.ellipses([[-1, 0, 1]], [covariance], level=level)
    outline = axes.collections[0].get_paths()[0]
    share = Path(outline.vertices, outline.codes).contains_points(cloud[:, :2]).mean()
    assert abs(share - level) < 0.015  # its standard error is below 0.004


@pytest.mark.parametrize("n", [0, 100])
def test_pairs_draw_new_vertices_in_every_panel(n):
    new = CLOUD[:4, :3] + 1
    figure = lp.plot.pairs(CLOUD[:n, :3], np.arange(n) % 2, out_of_sample=new, out_labels=[0, 1, 1, 0])
    for axes, columns in zip(figure.axes, ([0, 1], [0, 2], [1, 2]), strict=True):
        np.testing.assert_array_equal(axes.collections[-1].get_offsets(), new[:, columns])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["0", "1", "new vertex"]


@pytest.mark.parametrize("vision", VISIONS)
def test_classes_of_one_marker_have_clearly_different_colours(vision):
    for count in (18, 40, 64):
        classes = Classes.of(np.arange(count))
        assert len(set(zip(classes.shades, classes.markers, strict=True))) == count
        marker = np.array(classes.markers)
        # 2.3 is just noticeable side by side; 17.0 is the least of Okabe & Ito's eight colours.
        assert distances(classes.colours[:, :3], vision)[marker[:, None] == marker].min() > 15
    assert (
        distances(Classes.of(np.arange(64)).colours[:, :3]).min() > 7
    )  # of all markers, in normal vision: an image has no markers


def test_classes_are_in_natural_order_in_every_plot():
    many, X = np.repeat([str(k) for k in range(40)], 5), CLOUD[:200, :3]
    near, expected = lp.neighbor_graph(X, n_neighbors=3), Classes.of(many)
    keys = [axes.get_legend() for axes in (lp.plot.positions(X, many), lp.plot.point_graph(near, X, many))]
    for key in (*keys, lp.plot.pairs(X, many).legends[0]):
        assert [text.get_text() for text in key.get_texts()] == [str(k) for k in range(40)]
        shades = [mpl.colors.to_rgb(handle.get_color()) for handle in key.legend_handles]
        np.testing.assert_allclose(shades, expected.colours[:, :3])
        assert [handle.get_marker() for handle in key.legend_handles] == expected.markers
    assert len(entries(lp.plot.positions(CLOUD, [f"name {k}" for k in range(420)]))) == 66


def test_what_has_no_label_is_pale_and_below_the_classes():
    classes = Classes.of(np.array(["b", "unlabelled", "a"]))
    assert min(classes.colours[2, :3]) > 0.7
    axes = lp.plot.positions(CLOUD[:300, :2], [None] * 200 + [1.0] * 50 + [np.nan] + [2.0] * 49)
    assert entries(axes) == ["1", "2", "unlabelled"]
    shades = np.vstack([part.get_facecolors()[:, :3] for part in axes.collections])
    pale = np.isclose(shades, classes.colours[2, :3]).all(axis=1)
    assert pale.sum() == pale[:201].sum() == 201  # drawn first


def test_labels_of_points_that_a_model_left_out_are_refused():
    # 30 points far from 50 others, which come later.
    points = CLOUD[:80, :3] + np.repeat([0, 100], [30, 50])[:, None]
    model = Isomap(2, n_neighbors=5, components="largest").fit(points)
    labels = pd.Series(np.repeat(["a", "b", "c"], [30, 20, 30]))
    for wrong in (labels, labels.to_numpy(), {"e": "x"}):
        with pytest.raises(ArgumentError, match="labels"):
            lp.plot.positions(model, wrong)
    for some in (labels[model.kept_], labels.to_numpy()[model.kept_]):
        shades = lp.plot.positions(model, some).collections[0].get_facecolor()
        assert sorted(np.unique(shades, axis=0, return_counts=True)[1]) == [20, 30]


def test_a_new_vertex_is_visible_on_dots_of_its_own_colour():
    count, rng = 24, np.random.default_rng(0)
    middles = np.column_stack([np.arange(count) % 6, np.arange(count) // 6]).astype(float)
    dots = np.repeat(middles, 400, axis=0) + rng.uniform(-0.3, 0.3, (400 * count, 2))
    out = {"out_of_sample": middles, "out_labels": np.arange(count)}
    axes = lp.plot.positions(dots, np.repeat(np.arange(count), 400), **out)
    axes.get_legend().remove()
    axes.figure.canvas.draw()
    pixels = np.asarray(axes.figure.canvas.buffer_rgba())[::-1, :, :3] / 255
    places = axes.transData.transform(middles)
    for (x, y), colour in zip(
        places.round().astype(int), mpl.colors.to_rgba_array(hex_colours(count))[:, :3], strict=True
    ):
        # An edge or a halo of one pixel around a cross of 11 pixels; without it the share is below 0.03.
        assert (contrast(pixels[y - 7 : y + 7, x - 7 : x + 7], colour) > 3).mean() > 0.15


def test_limits_are_quantiles_where_few_points_are_far_away():
    X = CLOUD.copy()
    X[:2, 0] = [1e6, -1e6]
    axes, figure = lp.plot.positions(X), lp.plot.pairs(X)
    for told, part in ((axes.get_title(loc="left"), axes), (figure.get_suptitle(), figure.axes[0])):
        assert "quantiles" in told
        assert part.get_xlim()[1] < 4
        assert part.get_ylim()[1] > X[:, 1].max()
    assert not lp.plot.positions(CLOUD).get_title(loc="left")


@pytest.mark.parametrize(
    ("function", "argument", "given"),
    [
        (lp.plot.positions, "in_sample", {"in_sample": nx.karate_club_graph()}),
        (lp.plot.positions, "in_sample", {"in_sample": np.eye(3)[:, :1]}),
        (lp.plot.positions, "dimensions", {"dimensions": (0, 3)}),
        (lp.plot.positions, "labels", {"labels": ["a"]}),
        (lp.plot.positions, "out_labels", {"out_labels": ["a"]}),
        (lp.plot.positions, "out_of_sample", {"out_of_sample": np.eye(2)}),
        (lp.plot.positions, "dimensions", {"dimensions": 3}),
        (lp.plot.positions, "ellipse", {"ellipse": "no"}),
        (lp.plot.ellipses, "covariances", {"means": np.eye(3), "covariances": np.eye(2)[None]}),
        (lp.plot.ellipses, "level", {"means": np.eye(3), "covariances": [np.eye(3)] * 3, "level": 1.0}),
    ],
)
def test_wrong_arguments(function, argument, given):
    defaults = {"in_sample": np.eye(3)} if function is lp.plot.positions else {}
    with pytest.raises((ArgumentError, ArgumentTypeError), match=argument):
        function(**defaults | given)


def test_many_numbers_and_dates_have_a_scale_and_clusters_have_names():
    days = pd.date_range("2020-01-01", periods=420)
    for many in (np.linspace(0, 1, 420), [str(k / 8) for k in range(420)], days, [None, *days[1:]]):
        names = entries(lp.plot.positions(CLOUD, many))
        assert len([name for name in names if " to " in name]) == 8
    shades = lp.plot.map(nx.path_graph(90), np.arange(90) ** 2.0)
    assert not shades.texts
    assert len(np.unique(shades.collections[-1].get_facecolors(), axis=0)) == 8
    assert Classes.of(np.arange(90), named=True).levels == list(range(90))
