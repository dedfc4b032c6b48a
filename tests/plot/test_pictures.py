"""Plots agree with the data: areas, counts, distances, shares."""

import matplotlib as mpl
import matplotlib.colors
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.path import Path
from networks import connected
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError
from lpgraph.plot._density import density_image
from lpgraph.plot.ellipses import mixture_moments
from lpgraph.plot.matrix import binned
from lpgraph.plot.palette import COLOURS, Classes, colours, in_order
from lpgraph.plot.scaling import heavy_tailed

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def cloud():
    rng = np.random.default_rng(0)
    return rng.multivariate_normal([1, -1, 0], [[4, 1, 0], [1, 2, -0.5], [0, -0.5, 1]], 20_000)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_an_ellipse_holds_its_share(cloud, level):
    axes = lp.plot.ellipses(
        [[1, -1, 0]], [[[4, 1, 0], [1, 2, -0.5], [0, -0.5, 1]]], level=level, dimensions=(1, 2)
    )
    outline = axes.collections[0].get_paths()[0]
    share = Path(outline.vertices, outline.codes).contains_points(cloud[:, 1:]).mean()
    # The standard error of the share is below 0.004.
    assert abs(share - level) < 0.015


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
    rng = np.random.default_rng(0)
    xy, codes = rng.random((5000, 2)), rng.integers(0, 2, 5000)
    ends = np.array([-0.02, -0.02]), np.array([1.02, 1.02])
    image, extent = density_image(xy, codes, [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)], ends, pixels=20)
    assert extent == (-0.02, 1.02, -0.02, 1.02)
    # About 12 points per pixel: both colours nearly everywhere, and no empty pixel.
    assert (image[..., 3] > 0.25).all()
    np.testing.assert_allclose(image[..., 0] + image[..., 2], 1)
    assert abs(image[..., 0].mean() - 0.5) < 0.02
    corners, ends = np.array([[0.0, 0.0], [1.0, 1.0]]), (np.zeros(2), np.ones(2))
    one, _ = density_image(corners, np.array([0, 1]), [(1, 0, 0), (0, 0, 1)], ends, pixels=4)
    np.testing.assert_array_equal(one[0, 0, :3], [1, 0, 0])  # low x, low y: first row, first column
    np.testing.assert_array_equal(one[3, 3, :3], [0, 0, 1])
    assert np.count_nonzero(one[..., 3]) == 2


@pytest.mark.parametrize("n", [100, 100_000])
def test_points_or_density(n):
    rng = np.random.default_rng(0)
    axes = lp.plot.positions(rng.normal(size=(n, 2)), rng.integers(0, 3, n), out_of_sample=rng.normal(size=(5, 2)))
    assert len(axes.images) == (n > 20_000)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["0", "1", "2", "new vertex"]


def test_no_class_is_drawn_on_top_of_the_others():
    # One mixed order: the last-drawn half has points of both classes.
    axes = lp.plot.positions(np.zeros((400, 2)), np.arange(400) // 200)
    shades = axes.collections[0].get_facecolors()
    last = {tuple(shade) for shade in shades[300:]}
    assert len(last) == 2


def test_new_vertices_have_their_ellipses():
    graph = lp.stochastic_block_model([60, 60], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    new = graph.new_vertices(4, random_state=1)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    oos = lp.OutOfSample(ase)
    axes = lp.plot.positions(ase.embedding_, out_of_sample=oos.transform(new), out_covariance=oos.covariance(new))
    assert len(axes.collections[-1].get_paths()) == 4


def test_pairs_draw_new_vertices_in_every_scatter_plot():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(90, 3)), rng.normal(size=(4, 3))
    figure = lp.plot.pairs(X, np.arange(90) % 2, out_of_sample=new, out_labels=[0, 1, 1, 0])
    for axes, (i, j) in zip(
        [figure.axes[1], figure.axes[3], figure.axes[4]], [(1, 0), (2, 0), (2, 1)], strict=True
    ):
        crosses = axes.collections[-1].get_offsets()
        np.testing.assert_array_equal(np.asarray(crosses), new[:, [j, i]])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["0", "1", "new vertex"]
    with pytest.raises(ArgumentError, match="out_labels was passed without out_of_sample"):
        lp.plot.pairs(X, out_labels=[0])


def test_pairs_share_their_axes():
    figure = lp.plot.pairs(np.random.default_rng(0).normal(size=(90, 6)), np.arange(90) % 12, ellipse="classes")
    assert len(figure.axes) == 15  # the first five dimensions: 10 pairs and 5 histograms
    bottom = {axes.get_xlabel() for axes in figure.axes} - {""}
    assert bottom == {f"dimension {k}" for k in range(1, 6)}


@pytest.mark.parametrize("directed", [False, True])
def test_binned_adjacency_counts_every_edge_once(directed):
    matrix = connected(103, 8, 0, directed=directed, weighted=True)
    graph = lp.as_adjacency(matrix, directed=directed)
    order = np.random.default_rng(0).permutation(103)
    share = binned(graph, order, 103)
    np.testing.assert_array_equal(share, (matrix.toarray() != 0)[np.ix_(order, order)])
    coarse = binned(graph, order, 10)
    sizes = np.bincount(np.arange(103) * 10 // 103)
    assert (coarse * np.outer(sizes, sizes)).sum() == pytest.approx(matrix.nnz)


def test_sorted_adjacency_shows_the_blocks():
    B = np.array([[0.5, 0.1], [0.1, 0.3]])
    graph = lp.stochastic_block_model([600, 400], B, random_state=0)
    shuffled = np.random.default_rng(0).permutation(1000)
    axes = lp.plot.adjacency(graph.adjacency[shuffled][:, shuffled], graph.labels[shuffled], bins=10)
    image = np.asarray(axes.images[0].get_array())
    expected = np.kron(B, np.ones((10, 10)))[np.ix_(np.r_[0:6, 10:14], np.r_[0:6, 10:14])]
    # Within a block vertices are sorted by degree; blocks' means are B to the noise of 10^5 pairs.
    for rows in (slice(0, 6), slice(6, 10)):
        for columns in (slice(0, 6), slice(6, 10)):
            assert abs(image[rows, columns].mean() - expected[rows, columns].mean()) < 0.01
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1"]


def test_truth_is_met_up_to_a_rotation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    axes = lp.plot.truth(X @ turn, X, np.arange(50) % 2)
    error = float(axes.get_title().rpartition(" ")[2])
    assert error < 1e-12
    estimated = np.asarray(axes.collections[-1].get_offsets())  # in random order
    np.testing.assert_allclose(np.sort(estimated, axis=0), np.sort(X[:, :2], axis=0), atol=1e-12)
    shifted = X.copy()
    shifted[0] += 3.0
    assert float(lp.plot.truth(shifted, X).get_title().rpartition(" ")[2]) > 0.1


def test_scree_marks_elbow_and_choice():
    graph = lp.stochastic_block_model([80, 80, 80], np.full((3, 3), 0.1) + 0.3 * np.eye(3), random_state=0)
    found = lp.infer.dimension.cross_validate(graph, 6, folds=4)
    axes = lp.plot.scree(lp.AdjacencySpectralEmbedding().fit(graph), validation=found)
    names = " ".join(text.get_text() for text in axes.get_legend().get_texts())
    assert "embedding: " in names
    assert "elbow: " in names
    assert f"cross-validation: {found.smallest_good}" in names
    curve = lp.plot.validation(found)
    np.testing.assert_array_equal(curve.lines[0].get_ydata(), found.mean)
    # Known eigenvalues alone show no elbow.
    few = lp.plot.scree(lp.AdjacencySpectralEmbedding(3).fit(graph))
    # Only a number of dimensions that was chosen by cross-validation has estimates as its scree.
    assert axes.get_ylabel() == "estimated magnitude of eigenvalue"
    assert axes.get_title(loc="left") == "estimates from the edges that were not held out"
    assert (few.get_ylabel(), few.get_title(loc="left")) == ("magnitude of eigenvalue", "")
    arcs = lp.plot.scree(
        lp.AdjacencySpectralEmbedding().fit(lp.erdos_renyi(60, 0.2, directed=True, random_state=0))
    )
    assert arcs.get_ylabel() == "estimated singular value"
    assert "elbow" not in " ".join(text.get_text() for text in few.get_legend().get_texts())


def test_point_graph_of_images_draws_principal_components():
    X = np.random.default_rng(0).normal(size=(60, 4)) * [0, 1, 3, 2]
    graph = lp.neighbor_graph(X, n_neighbors=4)
    axes = lp.plot.point_graph(graph, X)
    assert axes.get_xlabel() == "principal component 1 of 4 columns"
    centred = X - X.mean(axis=0)
    largest = np.linalg.svd(centred)[1][:2] ** 2
    drawn = np.asarray(axes.collections[1].get_offsets())
    assert np.allclose((drawn**2).sum(axis=0), largest)
    assert lp.plot.point_graph(graph, X, dimensions=(0, 1)).get_xlabel() == "coordinate 1"
    assert lp.plot.point_graph(graph, X[:, 1:]).get_ylabel() == "coordinate 2"
    flat = np.zeros((5, 3))
    assert lp.plot.point_graph(sparse.csr_array((5, 5)), flat).get_xlabel() == "coordinate 1"


def test_point_graph_draws_every_edge_once():
    X = np.random.default_rng(0).random((100, 2))
    graph = lp.neighbor_graph(X, n_neighbors=4)
    axes = lp.plot.point_graph(graph, X)
    segments = axes.collections[0].get_segments()
    lengths = np.sort([np.linalg.norm(a - b) for a, b in segments])
    upper = np.triu(graph.toarray())
    np.testing.assert_allclose(lengths, np.sort(upper[upper > 0]))
    iso = lp.manifold.Isomap(2, n_neighbors=4, components="bridge").fit(X)
    assert lp.plot.point_graph(iso, X, np.arange(100) % 2).get_legend() is not None


def test_colours_are_distinct_and_safe():
    for count in (1, 8, 9, 24, 40, 60):
        shades = [mpl.colors.to_rgba(colour) for colour in colours(count)]
        assert len({tuple(np.round(shade, 3)) for shade in shades}) == count
    classes = Classes.of(np.arange(20))
    assert classes.markers[0] == "o"
    assert classes.markers[8] == "s"
    assert COLOURS[0] == "#0072B2"
    assert classes.colours[:5] == Classes.of(np.arange(5)).colours  # a class keeps its colour if there are more


def test_classes_are_in_natural_order_in_every_plot():
    assert in_order(["10", "9", "1", "b2", "b10", "a"]) == ["1", "9", "10", "a", "b2", "b10"]
    assert in_order([10, 9.5, -1]) == [-1, 9.5, 10]
    labels = np.array(["10", "9", "2", "10"])
    assert Classes.of(labels).levels == ["2", "9", "10"]
    np.testing.assert_array_equal(Classes.of(labels).codes(labels), [2, 1, 0, 2])
    many = np.repeat([str(k) for k in range(12)], 5)
    X = np.random.default_rng(0).normal(size=(60, 3))
    expected = [str(k) for k in range(12)]
    scatter, grid = lp.plot.positions(X, many).get_legend(), lp.plot.pairs(X, many).legends[0]
    for key in (scatter, grid, lp.plot.point_graph(lp.neighbor_graph(X, n_neighbors=3), X, many).get_legend()):
        assert [text.get_text() for text in key.get_texts()] == expected
        shades = [mpl.colors.to_rgb(handle.get_color()) for handle in key.legend_handles]
        np.testing.assert_allclose(shades, colours(12))
    ring = lp.plot.adjacency(nx.cycle_graph(60), many)
    assert [text.get_text() for text in ring.get_yticklabels()] == expected


def test_a_legend_of_very_many_classes_ends():
    key = lp.plot.positions(np.random.default_rng(0).normal(size=(200, 2)), np.arange(200)).get_legend()
    names = [text.get_text() for text in key.get_texts()]
    assert len(names) == 66
    assert names[-1] == "and 135 more"


def hubs(n=600, blocks=2, seed=0):
    """A degree-corrected block model with heavy-tailed degrees."""
    rng = np.random.default_rng(seed)
    weight = np.minimum(1.5 + rng.pareto(1.2, n), 40.0)
    block = np.arange(n) % blocks
    mean = 0.008 * np.outer(weight, weight) * np.where(block[:, None] == block, 1.0, 0.2)
    A = np.triu(rng.random((n, n)) < np.minimum(mean, 0.95), 1)
    return (A | A.T).astype(float), block


def test_heavy_tails_are_seen_and_light_ones_are_not():
    for seed in range(3):
        assert heavy_tailed(lp.AdjacencySpectralEmbedding(3).fit(hubs(seed=seed)[0]).embedding_)
        few = lp.as_adjacency(nx.barabasi_albert_graph(2000, 2, seed=seed))
        assert heavy_tailed(lp.LaplacianSpectralEmbedding(3, regularizer="mean").fit(few).embedding_)
        light = lp.stochastic_block_model(
            [200, 100, 50], np.full((3, 3), 0.05) + 0.2 * np.eye(3), random_state=seed
        )
        assert not heavy_tailed(lp.AdjacencySpectralEmbedding(3).fit(light).embedding_)
        points = np.random.default_rng(seed).standard_t(1, (500, 2))
        assert not heavy_tailed(points)  # a centred cloud is no embedding of a network
    assert not heavy_tailed(lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph()).embedding_)
    assert not heavy_tailed(np.zeros((4, 2)))


def drawn(axes):
    return np.vstack([points.get_offsets() for points in axes.collections])


def test_rows_of_heavy_tailed_networks_have_unit_length():
    A, block = hubs()
    X = lp.AdjacencySpectralEmbedding(6).fit(A).embedding_
    axes = lp.plot.positions(X, block)
    assert axes.get_xlabel() == "dimension 2"
    assert axes.get_ylabel() == "dimension 3"
    assert axes.get_title(loc="left") == "rows of the first 4 dimensions scaled to unit length"
    unit = X / np.linalg.norm(X[:, :4], axis=1, keepdims=True)
    place = np.lexsort(drawn(axes).T), np.lexsort(unit[:, 1:3].T)
    np.testing.assert_allclose(drawn(axes)[place[0]], unit[place[1], 1:3])
    # The same with five dimensions and more in a grid, and with new vertices.
    grid = lp.plot.pairs(X, block)
    assert "rows of the first 5 dimensions scaled to unit length" in grid.get_suptitle()
    new = lp.plot.positions(X, block, out_of_sample=2 * X[:5])
    np.testing.assert_allclose(new.collections[-1].get_offsets(), unit[:5, 1:3])
    plain = lp.plot.positions(X, block, scale="none", dimensions=(0, 1))
    assert plain.get_xlabel() == "dimension 1"
    assert "unit" not in plain.get_title(loc="left")


def test_ranks_of_two_dimensions():
    A, block = hubs()
    X = lp.AdjacencySpectralEmbedding(2).fit(A).embedding_
    axes = lp.plot.positions(X, block)
    assert axes.get_title(loc="left") == "ranks of the coordinates"
    np.testing.assert_allclose(np.sort(drawn(axes)[:, 0]), (np.arange(600) + 0.5) / 600)
    new = lp.plot.positions(X, scale="ranks", out_of_sample=np.median(X, axis=0, keepdims=True))
    np.testing.assert_allclose(new.collections[-1].get_offsets(), 0.5, atol=0.01)


def test_limits_are_quantiles_where_few_points_are_far_away():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    assert lp.plot.positions(X).get_title(loc="left") == ""
    X[:2] = [1e6, -1e6]
    axes = lp.plot.positions(X)
    (low, high), (below, above) = axes.get_xlim(), axes.get_ylim()
    outside = (([low, below] > X) | ([high, above] < X)).any(axis=1).sum()
    assert f"{outside} of 1000 points outside" in axes.get_title(loc="left")
    assert axes.get_xlim()[1] < 4
    image = lp.plot.positions(X, density=True)
    assert image.get_xlim()[1] < 4
    grid = lp.plot.pairs(X)
    assert grid.axes[1].get_xlim()[1] < 4
    assert "0.5 % and 99.5 % quantiles" in grid.get_suptitle()


def test_no_points_give_an_empty_plot():
    assert lp.plot.positions(np.empty((0, 2))).get_xlabel() == "dimension 1"
    assert len(lp.plot.pairs(np.empty((0, 3))).axes) == 6


@pytest.mark.parametrize("classes", [1, 3, 42])
def test_the_panels_of_a_grid_have_equal_gaps(classes):
    X = np.random.default_rng(0).normal(size=(420, 5))
    figure = lp.plot.pairs(X, np.arange(420) % classes)
    figure.canvas.draw()
    boxes = [axes.get_position() for axes in figure.axes]
    left, low = (np.unique(np.round(side, 6)) for side in zip(*[(box.x0, box.y0) for box in boxes], strict=True))
    for starts in (left, low):
        assert len(starts) == 5
        np.testing.assert_allclose(np.diff(starts), np.diff(starts)[0], rtol=0.01)
    assert len({(round(box.width, 6), round(box.height, 6)) for box in boxes}) == 1


def test_ellipses_belong_to_positions_as_they_are():
    A, block = hubs()
    X = lp.AdjacencySpectralEmbedding(3).fit(A).embedding_
    mixture = lp.infer.mixture.choose_mixture(X, 2)
    assert lp.plot.positions(X, block, ellipse=mixture).get_xlabel() == "dimension 1"
    with pytest.raises(ArgumentError, match='scale="none"'):
        lp.plot.positions(X, block, ellipse=mixture, scale="unit")
    lp.plot.positions(X, block, ellipse="classes")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_every_picture_can_be_saved(tmp_path, suffix):
    ase = lp.AdjacencySpectralEmbedding().fit(nx.karate_club_graph())
    axes = lp.plot.scree(ase)
    axes.figure.savefig(tmp_path / f"picture.{suffix}")
    assert (tmp_path / f"picture.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("draw", "error", "match"),
    [
        (lambda: lp.plot.positions(np.eye(3), dimensions=(0, 3)), ArgumentError, "columns from 0 to 2"),
        (lambda: lp.plot.positions(np.eye(3), ["a"]), ArgumentError, "one label for each of 3"),
        (lambda: lp.plot.positions(np.eye(3), out_labels=["a"]), ArgumentError, "without out_of_sample"),
        (lambda: lp.plot.positions(np.eye(3), ellipse="no"), ArgumentError, 'pass "classes"'),
        (lambda: lp.plot.positions(np.eye(3), scale="log"), ArgumentError, "'unit', 'ranks'"),
        (lambda: lp.plot.pairs(np.eye(3), dimensions=(0,)), ArgumentError, "2 to 8 columns"),
        (lambda: lp.plot.ellipses(np.eye(2), np.eye(2)[None]), ArgumentError, "one for each mean"),
        (lambda: lp.plot.ellipses(np.eye(2)[:1], np.eye(2)[None], level=1.0), ArgumentError, "below 1"),
        (lambda: lp.plot.truth(np.eye(3), np.eye(3)[:2]), ArgumentError, "same shape"),
        (lambda: lp.plot.truth(np.empty((0, 2)), np.empty((0, 2))), ArgumentError, "at least one"),
        (lambda: lp.plot.adjacency(np.eye(3), ["a"]), ArgumentError, "one label for each of 3"),
        (lambda: lp.plot.point_graph(np.eye(3), np.eye(3)), ArgumentTypeError, "not sparse"),
        (lambda: lp.plot.scree(lp.AdjacencySpectralEmbedding()), NotFittedError, "fit"),
    ],
)
def test_what_cannot_be_drawn(draw, error, match):
    with pytest.raises(error, match=match):
        draw()
