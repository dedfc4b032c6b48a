"""Pictures stay readable: many classes, new vertices on top of others, heavy tails, many vertices."""

import time
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from vision import VISIONS, contrast, distances

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.plot._density import density_image
from lpgraph.plot.palette import Classes, colours

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def extents(artists, figure):
    figure.canvas.draw()
    return [artist.get_window_extent() for artist in artists]


@pytest.mark.parametrize("vision", VISIONS)
def test_classes_of_one_marker_have_clearly_different_colours(vision):
    for count in (18, 40, 64):
        classes = Classes.of(np.arange(count))
        assert len(set(zip(classes.colours, classes.markers, strict=True))) == count
        marker = np.array(classes.markers)
        same = marker[:, None] == marker
        # 2.3 is just noticeable side by side; 17.0 is the least of Okabe & Ito's eight colours.
        assert distances(classes.colours, vision)[same].min() > 15
    assert distances(colours(64)).min() > 7  # of all markers, in normal vision: an image has no markers


def test_points_are_drawn_with_the_marker_of_their_class():
    xy = np.random.default_rng(0).normal(size=(400, 2))
    legend = lp.plot.positions(xy, np.arange(400) % 40).get_legend()
    assert [handle.get_marker() for handle in legend.legend_handles] == Classes.of(np.arange(40)).markers
    truth = lp.plot.truth(xy, xy, np.arange(400) % 20)
    graph = lp.plot.point_graph(lp.neighbor_graph(xy, n_neighbors=3), xy, np.arange(400) % 20)
    for axes in (truth, graph):
        shapes = {len(points.get_paths()[0].vertices) for points in axes.collections if points.get_paths()}
        assert len({handle.get_marker() for handle in axes.get_legend().legend_handles}) == 3
        assert len(shapes) >= 3


def test_a_new_vertex_is_visible_on_dots_of_its_own_colour():
    count, rng = 24, np.random.default_rng(0)
    middles = np.column_stack([np.arange(count) % 6, np.arange(count) // 6]).astype(float)
    dots = np.repeat(middles, 400, axis=0) + rng.uniform(-0.3, 0.3, (400 * count, 2))
    axes = lp.plot.positions(
        dots,
        np.repeat(np.arange(count), 400),
        out_of_sample=middles,
        out_labels=np.arange(count),
        names=False,  # they would be above the crosses, which are in the middle of their classes
        legend=False,
    )
    axes.figure.canvas.draw()
    pixels = np.asarray(axes.figure.canvas.buffer_rgba())[..., :3] / 255
    places = axes.transData.transform(middles)
    for (x, y), colour in zip(places.round().astype(int), colours(count), strict=True):
        patch = pixels[len(pixels) - y - 7 : len(pixels) - y + 7, x - 7 : x + 7]
        # An edge or a halo of one pixel around a cross of 11 pixels; without it the share is below 0.03.
        assert (contrast(patch, colour) > 3).mean() > 0.15


def test_new_vertices_do_not_hide_the_others():
    rng = np.random.default_rng(0)
    xy, new = rng.normal(size=(5000, 5)), rng.normal(size=(400, 5))

    def share(axes):  # of the width of the axes that all crosses would take, side by side
        area = max(part.get_sizes().max() for part in axes.collections if len(part.get_offsets()) == 400)
        return 400 * area**0.5 / (axes.get_window_extent().width * 72 / axes.figure.dpi)

    assert share(lp.plot.positions(xy, np.arange(5000) % 9, out_of_sample=new)) < 5
    figure = lp.plot.pairs(xy, np.arange(5000) % 9, out_of_sample=new)
    assert share(figure.axes[1]) < 9


def written(axes):
    return {text.get_text(): text for text in axes.texts}


def test_names_of_many_classes_are_beside_their_points_and_apart():
    count, rng = 18, np.random.default_rng(0)
    # Nine pairs of classes at the same places, so that names must move.
    middles = np.column_stack([np.arange(count) // 2 % 3, np.arange(count) // 6]).astype(float)
    labels = np.repeat([f"class {k}" for k in range(count)], 50)
    points = np.repeat(middles, 50, axis=0) + rng.normal(0, 0.05, (50 * count, 2))
    axes = lp.plot.positions(points, labels)
    names = written(axes)
    assert set(names) == set(labels)
    boxes = np.array([box.extents for box in extents(names.values(), axes.figure)])
    for i, box in enumerate(boxes):
        overlap = np.minimum(box[2:], boxes[:i, 2:]) - np.maximum(box[:2], boxes[:i, :2])
        assert not (overlap > 1).all(axis=1).any()
    frame = axes.get_window_extent().extents
    assert (boxes[:, :2] >= frame[:2] - 1).all()
    assert (boxes[:, 2:] <= frame[2:] + 1).all()
    for k, text in enumerate(names[f"class {k}"] for k in range(count)):
        assert np.linalg.norm(np.subtract(text.get_position(), middles[k])) < 0.3
        assert contrast(mpl.colors.to_rgb(text.get_color()), (1.0, 1.0, 1.0)) > 4.5


def test_the_name_of_a_class_in_two_parts_is_at_the_larger_one():
    points = np.vstack([np.zeros((60, 2)), np.ones((40, 2))]) + np.random.default_rng(0).normal(0, 0.02, (100, 2))
    axes = lp.plot.positions(points, ["a"] * 100, scale="none", names=True, legend=False)
    # The mean would be (0.4, 0.4), where there is no point.
    np.testing.assert_allclose(written(axes)["a"].get_position(), 0, atol=0.05)


def test_when_names_are_written():
    points = np.random.default_rng(0).normal(size=(180, 2))
    assert not written(lp.plot.positions(points, np.arange(180) % 8))
    assert len(written(lp.plot.positions(points, np.arange(180) % 9))) == 9
    assert not written(lp.plot.positions(points, np.arange(180) % 9, names=False))
    assert set(written(lp.plot.positions(points, ["a", "b", None] * 60, names=True))) == {"a", "b"}
    # Of so many classes not all names have a place; those that are written do not overlap.
    crowded = written(lp.plot.positions(points, [f"a long name of class {k}" for k in range(180)]))
    assert 10 < len(crowded) < 180
    with pytest.raises(ArgumentTypeError, match="names='yes'"):
        lp.plot.positions(points, names="yes")


def test_names_of_points_outside_of_the_axes_are_left_out():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    X[:2] = [1e6, -1e6]
    labels = np.arange(1000) % 9
    labels[:2] = 9
    assert set(written(lp.plot.positions(X, labels))) == {str(k) for k in range(9)}


def test_every_pixel_of_a_density_has_a_colour_of_the_legend():
    rng = np.random.default_rng(0)
    shades = colours(24)
    ends = np.zeros(2), np.ones(2)
    image, _ = density_image(rng.random((50_000, 2)), rng.integers(0, 24, 50_000), shades, ends, pixels=50)
    seen = {tuple(pixel) for pixel in image[..., :3].reshape(-1, 3).tolist()}
    assert seen == {tuple(shade) for shade in shades}
    # Two classes of 3 to 1: so are the pixels. The standard error of 2500 pixels is 0.009.
    mixed, _ = density_image(
        rng.random((50_000, 2)), (rng.random(50_000) < 0.25).astype(int), shades, ends, pixels=50
    )
    assert abs((mixed[..., :3] == shades[1]).all(axis=-1).mean() - 0.25) < 0.04


def heavy(n, seed=0):
    """Positions of three dimensions with Pareto lengths."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(3), n) * (1 + rng.pareto(1.2, n))[:, None]


@pytest.mark.parametrize(("n", "share"), [(1_000, 0.06), (100_000, 0.2)])
def test_hubs_do_not_squeeze_the_others_into_a_corner(n, share):
    X = heavy(n)
    noisy = X + 0.03 * np.random.default_rng(1).standard_t(2, X.shape)
    began = time.perf_counter()
    axes = lp.plot.truth(noisy, X)
    axes.figure.canvas.draw()
    assert time.perf_counter() - began < 10
    # The share of an axis that nine tenths take; with limits at the range 0.005 for 10^3, 0.0002 for 10^5.
    for limits, column in ((axes.get_xlim(), X[:, 0]), (axes.get_ylim(), X[:, 1])):
        low, high = np.quantile(column, [0.05, 0.95])
        assert (high - low) / (limits[1] - limits[0]) > share
    drawn = sum(len(points.get_offsets()) for points in axes.collections[1:])
    assert drawn == 2 * 1000
    assert ("1000 of 100000 vertices drawn" in axes.get_title()) == (n > 1000)
    assert "quantiles" in axes.get_title()


def test_limits_of_a_heavy_tailed_point_cloud():
    points = np.random.default_rng(0).standard_t(1.5, (3000, 2))
    axes = lp.plot.point_graph(lp.neighbor_graph(points, n_neighbors=3), points)
    assert "quantiles" in axes.get_title(loc="left")
    low, high = np.quantile(points[:, 0], [0.05, 0.95])
    axes.figure.canvas.draw()
    assert (high - low) / np.ptp(axes.get_xlim()) > 0.1
    assert axes.get_aspect() == 1.0
    assert np.ptp(points[:, 0]) > 5 * np.ptp(axes.get_xlim())


@pytest.mark.parametrize("count", [4, 24, 45])
def test_labels_and_lines_of_a_matrix_leave_it_readable(count):
    rng = np.random.default_rng(0)
    block = rng.integers(0, count, 2000)
    graph = lp.stochastic_block_model([1000, 1000], [[0.01, 0.002], [0.002, 0.01]], random_state=0)
    axes = lp.plot.adjacency(graph, [f"class {k}" for k in block])
    boxes = sorted(extents(axes.get_yticklabels(), axes.figure), key=lambda box: box.y0)
    assert len(boxes) >= min(count, 20)
    for below, above in pairwise(boxes):
        assert below.y1 <= above.y0 + 1
    left = min(box.x0 for box in boxes)
    assert left >= 0
    height = axes.get_window_extent().height * 72 / axes.figure.dpi
    assert sum(line.get_linewidth() for line in axes.lines) / 2 < 0.04 * height


@pytest.mark.parametrize("count", [5, 24, pytest.param(200, marks=pytest.mark.slow)])
def test_a_legend_is_beside_the_points_and_leaves_them_space(count):
    xy = np.random.default_rng(0).normal(size=(1000, 2))
    labels = [f"class {k % count}" for k in range(1000)]
    for axes in (
        lp.plot.positions(xy, labels, out_of_sample=xy[:3]),
        lp.plot.truth(xy, xy, labels),
        lp.plot.point_graph(lp.neighbor_graph(xy, n_neighbors=3), xy, labels),
    ):
        key, box = extents([axes.get_legend(), axes], axes.figure)
        assert key.x0 >= box.x1
        assert key.x1 <= axes.figure.bbox.x1 + 1
        assert box.width > 0.4 * axes.figure.bbox.width


def test_what_has_no_label_is_pale_and_below_the_classes():
    classes = Classes.of(np.array(["b", "unlabelled", "a"]))
    assert classes.levels == ["a", "b", "unlabelled"]
    assert classes.colours[:2] == colours(2)
    assert min(classes.colours[2]) > 0.7
    assert Classes.of(np.array(["unlabelled"])).colours == colours(1)
    points = np.random.default_rng(0).random((300, 2))
    labels = [None] * 200 + [1.0] * 50 + [np.nan] + [2.0] * 49
    axes = lp.plot.positions(points, labels)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["1", "2", "unlabelled"]
    drawn = np.vstack([part.get_facecolors()[:, :3] for part in axes.collections])
    pale = np.isclose(drawn, classes.colours[2]).all(axis=1)
    assert pale.sum() == 201
    assert pale[:201].all()  # drawn first


def test_labels_of_some_vertices_by_name():
    model = lp.AdjacencySpectralEmbedding(2).fit(lp.from_edges(["a", "b", "c", "d"], ["b", "c", "a", "a"]))
    axes = lp.plot.positions(model, {"a": "x", "b": "y"})
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["x", "y", "unlabelled"]
    axes = lp.plot.positions(np.eye(3), {0: "x"})
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["unlabelled", "x"][::-1]
    for wrong in ({"e": "x"}, {"a": "x", "e": "y"}):
        with pytest.raises(ArgumentError, match="labels"):
            lp.plot.positions(model, wrong)


def test_classes_at_the_origin_have_no_names():
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(60, 2)) + 5
    labels = np.arange(60) // 10
    positions[labels >= 4] = 0.0
    axes = lp.plot.positions(positions, labels, names=True)
    assert {text.get_text() for text in axes.texts} >= {"0", "1", "2", "3"}
    assert not {text.get_text() for text in axes.texts} & {"4", "5"}
