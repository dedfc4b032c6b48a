"""Plots of embeddings agree with the data and stay readable: shares, counts, places, colours, names."""

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path
from vision import VISIONS, contrast, distances

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, DisconnectedGraphWarning
from lpgraph.manifold import Isomap
from lpgraph.plot._drawing import density_image
from lpgraph.plot.embeddings import mixture_moments
from lpgraph.plot.palette import Classes, colours
from lpgraph.plot.scaling import heavy_tailed

CLOUD = np.random.default_rng(0).normal(size=(420, 5))


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def note(axes):
    return axes.get_title(loc="left")


def drawn(axes):
    return np.vstack([points.get_offsets() for points in axes.collections])


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_an_ellipse_holds_its_share(level):
    covariance = [[4, 1, 0], [1, 2, -0.5], [0, -0.5, 1]]
    cloud = np.random.default_rng(0).multivariate_normal([1, -1, 0], covariance, 20_000)
    axes = lp.plot.ellipses([[1, -1, 0]], [covariance], level=level, dimensions=(1, 2))
    outline = axes.collections[0].get_paths()[0]
    share = Path(outline.vertices, outline.codes).contains_points(cloud[:, 1:]).mean()
    assert abs(share - level) < 0.015  # its standard error is below 0.004


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "spherical"])
def test_ellipses_of_a_mixture_are_those_of_its_clusters(covariance):
    rng = np.random.default_rng(1)
    points = np.vstack([rng.normal(0, 1, (3000, 2)), rng.normal(20, 1, (1000, 2))])
    mixture = lp.infer.mixture.choose_mixture(points, 2, covariance=covariance)
    means, covariances = mixture_moments(mixture)
    np.testing.assert_allclose(means, [[0, 0], [20, 20]], atol=0.15)
    np.testing.assert_allclose(covariances, [np.eye(2)] * 2, atol=0.15)
    lp.plot.positions(points, mixture.predict(points), ellipse=mixture)


def test_density_has_every_point_and_mixes_colours():
    rng, ends = np.random.default_rng(0), (np.full(2, -0.02), np.full(2, 1.02))
    xy, codes = rng.random((5000, 2)), rng.integers(0, 2, 5000)
    image, extent = density_image(xy, codes, [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)], ends, pixels=20)
    assert extent == (-0.02, 1.02, -0.02, 1.02)
    # About 12 points per pixel: both colours nearly everywhere, none between them, and no empty pixel.
    assert (image[..., 3] > 0.25).all()
    assert set(image[..., 0].ravel()) == {0.0, 1.0}
    np.testing.assert_allclose(image[..., 0] + image[..., 2], 1)
    assert abs(image[..., 0].mean() - 0.5) < 0.02


@pytest.mark.parametrize("n", [100, 30_000])
def test_points_or_density(n):
    rng = np.random.default_rng(0)
    out = {"out_of_sample": rng.normal(size=(5, 2)), "out_covariance": np.tile(np.eye(2), (5, 1, 1))}
    axes = lp.plot.positions(rng.normal(size=(n, 2)), rng.integers(0, 3, n), **out)
    assert len(axes.images) == (n > 20_000)
    assert entries(axes) == ["0", "1", "2", "new vertex"]
    assert len(axes.collections[-1].get_paths()) == 5  # the ellipses
    if n == 100:  # no class is always on top
        assert len({tuple(shade) for shade in axes.collections[0].get_facecolors()[-10:]}) > 1


def test_no_points_are_an_empty_plot():
    assert len(lp.plot.pairs(np.empty((0, 3))).axes) == 6


def test_pairs_draw_new_vertices_in_every_scatter_plot():
    new = CLOUD[:4, :3] + 1
    figure = lp.plot.pairs(CLOUD[:, :3], np.arange(420) % 2, out_of_sample=new, out_labels=[0, 1, 1, 0])
    for place, columns in ((1, [0, 1]), (3, [0, 2]), (4, [1, 2])):
        np.testing.assert_array_equal(figure.axes[place].collections[-1].get_offsets(), new[:, columns])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["0", "1", "new vertex"]


def test_truth_is_met_up_to_a_rotation():
    X, turn = CLOUD[:50, :3], np.linalg.qr(CLOUD[:3, :3])[0]
    axes = lp.plot.truth(X @ turn, X, np.arange(50) % 2)
    assert float(axes.get_title().rpartition(" ")[2]) < 1e-12
    estimated = np.asarray(axes.collections[-1].get_offsets())  # in random order
    np.testing.assert_allclose(np.sort(estimated, axis=0), np.sort(X[:, :2], axis=0), atol=1e-12)
    assert float(lp.plot.truth(X + 3.0 * (np.arange(50) == 0)[:, None], X).get_title().rpartition(" ")[2]) > 0.1


@pytest.mark.parametrize("vision", VISIONS)
def test_classes_of_one_marker_have_clearly_different_colours(vision):
    for count in (18, 40, 64):
        classes = Classes.of(np.arange(count))
        assert len(set(zip(classes.colours, classes.markers, strict=True))) == count
        marker = np.array(classes.markers)
        # 2.3 is just noticeable side by side; 17.0 is the least of Okabe & Ito's eight colours.
        assert distances(classes.colours, vision)[marker[:, None] == marker].min() > 15
    assert distances(colours(64)).min() > 7  # of all markers, in normal vision: an image has no markers


def test_classes_are_in_natural_order_in_every_plot():
    many, X = np.repeat([str(k) for k in range(40)], 5), CLOUD[:200, :3]
    near, expected = lp.neighbor_graph(X, n_neighbors=3), Classes.of(many)
    keys = [axes.get_legend() for axes in (lp.plot.positions(X, many), lp.plot.point_graph(near, X, many))]
    for key in (*keys, lp.plot.pairs(X, many).legends[0]):
        assert [text.get_text() for text in key.get_texts()] == [str(k) for k in range(40)]
        shades = [mpl.colors.to_rgb(handle.get_color()) for handle in key.legend_handles]
        np.testing.assert_allclose(shades, expected.colours)
        assert [handle.get_marker() for handle in key.legend_handles] == expected.markers
    assert len(entries(lp.plot.positions(CLOUD, np.arange(420)))) == 66


def test_what_has_no_label_is_pale_and_below_the_classes():
    classes = Classes.of(np.array(["b", "unlabelled", "a"]))
    assert min(classes.colours[2]) > 0.7
    axes = lp.plot.positions(CLOUD[:300, :2], [None] * 200 + [1.0] * 50 + [np.nan] + [2.0] * 49)
    assert entries(axes) == ["1", "2", "unlabelled"]
    shades = np.vstack([part.get_facecolors()[:, :3] for part in axes.collections])
    pale = np.isclose(shades, classes.colours[2]).all(axis=1)
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
    # Names would be above the crosses, which are in the middle of their classes.
    axes = lp.plot.positions(dots, np.repeat(np.arange(count), 400), **out, names=False, legend=False)
    axes.figure.canvas.draw()
    pixels = np.asarray(axes.figure.canvas.buffer_rgba())[::-1, :, :3] / 255
    places = axes.transData.transform(middles)
    for (x, y), colour in zip(places.round().astype(int), colours(count), strict=True):
        # An edge or a halo of one pixel around a cross of 11 pixels; without it the share is below 0.03.
        assert (contrast(pixels[y - 7 : y + 7, x - 7 : x + 7], colour) > 3).mean() > 0.15


def test_which_names_are_written():
    def written(*given, **options):
        return {text.get_text() for text in lp.plot.positions(*given, **options).texts}

    points, nine = np.random.default_rng(0).normal(size=(180, 2)), np.arange(180) % 9
    assert not written(points, np.arange(180) % 8)
    assert written(points, nine) == set("012345678")
    assert not written(points, nine, names=False)
    assert written(points, ["a", "b", None] * 60, names=True) == {"a", "b"}
    # Classes outside of the axes, or at the origin, have none.
    away, where = np.vstack([points, points + 5, [[1e6, -1e6]]]), np.append(np.arange(360) % 9, 9)
    away[where == 3] = 0.0
    assert written(away, where) == set("01245678")


def test_vertices_at_the_origin_are_counted():
    large = lp.stochastic_block_model([100, 100], [[0.3, 0.02], [0.02, 0.3]], random_state=0).to_networkx()
    graph = nx.disjoint_union(large, nx.disjoint_union_all([nx.path_graph(2)] * 10))
    with pytest.warns(DisconnectedGraphWarning):
        model = lp.LaplacianSpectralEmbedding(4, tol=1e-3).fit(graph)
    axes = lp.plot.positions(model, scale="unit")
    assert "20 of 220 points" in note(axes)
    # Rounding errors of their positions are not scaled to unit length.
    assert (np.abs(drawn(axes)).max(axis=1) == 0).sum() == 20
    new = lp.plot.positions(model, out_of_sample=[[0.0] * 4, [0.1] * 4, [0.0] * 4])
    assert "2" in entries(new)[-1]


def hubs(d, n=600, seed=0):
    """Positions and blocks of a degree-corrected block model with heavy-tailed degrees."""
    rng = np.random.default_rng(seed)
    weight, block = np.minimum(1.5 + rng.pareto(1.2, n), 40.0), np.arange(n) % 2
    mean = 0.008 * np.outer(weight, weight) * np.where(block[:, None] == block, 1.0, 0.2)
    A = np.triu(rng.random((n, n)) < np.minimum(mean, 0.95), 1)
    return lp.AdjacencySpectralEmbedding(d).fit((A | A.T).astype(float)).embedding_, block


def test_heavy_tails_are_seen_and_light_ones_are_not():
    for seed in range(3):
        assert heavy_tailed(hubs(3, seed=seed)[0])
        rates = np.full((3, 3), 0.05) + 0.2 * np.eye(3)
        light = lp.stochastic_block_model([200, 100, 50], rates, random_state=seed)
        assert not heavy_tailed(lp.AdjacencySpectralEmbedding(3).fit(light).embedding_)
        # A centred cloud is no embedding of a network.
        assert not heavy_tailed(np.random.default_rng(seed).standard_t(1, (500, 2)))
    assert not heavy_tailed(np.zeros((4, 2)))


def test_rows_of_heavy_tailed_networks_have_unit_length():
    X, block = hubs(6)
    axes = lp.plot.positions(X, block)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("dimension 2", "dimension 3")
    assert "first 4 dimensions scaled to unit length" in note(axes)
    unit = X / np.linalg.norm(X[:, :4], axis=1, keepdims=True)
    found = drawn(axes)
    np.testing.assert_allclose(found[np.lexsort(found.T)], unit[np.lexsort(unit[:, 1:3].T), 1:3])
    assert "first 5 dimensions scaled" in lp.plot.pairs(X, block).get_suptitle()
    new = lp.plot.positions(X, block, out_of_sample=2 * X[:5])
    np.testing.assert_allclose(new.collections[-1].get_offsets(), unit[:5, 1:3])
    assert lp.plot.positions(X, block, scale="none", dimensions=(0, 1)).get_xlabel() == "dimension 1"
    with pytest.raises(ArgumentError, match="scale"):  # ellipses of a mixture belong to positions as they are
        lp.plot.positions(X, block, ellipse=lp.infer.mixture.choose_mixture(X, 2), scale="unit")


def test_limits_are_quantiles_where_few_points_are_far_away():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    X[:2] = [1e6, -1e6]
    axes, grid = lp.plot.positions(X), lp.plot.pairs(X)
    ends = np.array([axes.get_xlim(), axes.get_ylim()])
    assert f"{((ends[:, 0] > X) | (ends[:, 1] < X)).any(axis=1).sum()} of 1000 points outside" in note(axes)
    for part in (axes, grid.axes[1], lp.plot.positions(X, density=True)):
        assert part.get_xlim()[1] < 4


def test_truth_of_a_large_network_is_a_sample_within_limits():
    rng = np.random.default_rng(0)
    X = rng.dirichlet(np.ones(3), 100_000) * (1 + rng.pareto(1.2, 100_000))[:, None]
    axes = lp.plot.truth(X + 0.03 * rng.standard_t(2, X.shape), X)
    axes.figure.canvas.draw()
    # The share of an axis that nine tenths take; with limits at the range 0.0002.
    assert np.ptp(np.quantile(X[:, 0], [0.05, 0.95])) / np.ptp(axes.get_xlim()) > 0.2
    assert sum(len(points.get_offsets()) for points in axes.collections[1:]) == 2 * 1000
    assert "1000 of 100000 vertices drawn" in axes.get_title()


@pytest.mark.parametrize(
    ("function", "argument", "given"),
    [
        (lp.plot.positions, "in_sample", {"in_sample": nx.karate_club_graph()}),
        (lp.plot.positions, "in_sample", {"in_sample": np.eye(3)[:, :1]}),
        (lp.plot.positions, "dimensions", {"dimensions": (0, 3)}),
        (lp.plot.positions, "labels", {"labels": ["a"]}),
        (lp.plot.positions, "out_labels", {"out_labels": ["a"]}),
        (lp.plot.positions, "out_covariance", {"out_covariance": np.eye(3)[None]}),
        (lp.plot.positions, "ellipse", {"ellipse": "no"}),
        (lp.plot.positions, "scale", {"scale": "log"}),
        (lp.plot.positions, "names", {"names": "yes"}),
        (lp.plot.pairs, "dimensions", {"embedding": np.eye(3), "dimensions": (0,)}),
        (lp.plot.ellipses, "covariances", {"means": np.eye(3), "covariances": np.eye(2)[None]}),
        (lp.plot.ellipses, "level", {"means": np.eye(3), "covariances": [np.eye(3)] * 3, "level": 1.0}),
        (lp.plot.truth, "shape", {"estimate": np.eye(3), "positions": np.eye(3)[:2]}),
        (lp.plot.truth, "estimate", {"estimate": np.empty((0, 2)), "positions": np.empty((0, 2))}),
    ],
)
def test_wrong_arguments(function, argument, given):
    defaults = {"in_sample": np.eye(3)} if function is lp.plot.positions else {}
    with pytest.raises((ArgumentError, ArgumentTypeError), match=argument):
        function(**defaults | given)
