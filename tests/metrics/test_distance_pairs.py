"""Shepard diagrams and geodesic correlations: by scipy and dense paths; standard errors by repeated samples."""

import matplotlib as mpl
import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import cdist, pdist
from scipy.stats import pearsonr, spearmanr
from sklearn.datasets import load_wine, make_swiss_roll
from sklearn.neighbors import KNeighborsTransformer

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.metrics import comparison, geodesic_correlation, path_pairs, shepard

mpl.use("Agg")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 6)) * [4, 3, 2, 1, 1, 1]
NEW = RNG.standard_normal((30, 6)) * [4, 3, 2, 1, 1, 1]
ROLL = make_swiss_roll(500, random_state=0)[0]


def stress(d, e):
    """Kruskal's stress at the scale that least squares finds."""
    scale = np.linalg.lstsq(e[:, None], d)[0][0]
    return np.sqrt(np.square(d - scale * e).sum() / np.square(d).sum())


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra", "sqeuclidean"])
def test_all_pairs(metric):
    shown = X[:, :2]
    found = shepard(X, shown, metric=metric)
    d, e = pdist(X, {"manhattan": "cityblock"}.get(metric, metric)), pdist(shown)
    np.testing.assert_allclose(found.distances, d, rtol=1e-10)
    np.testing.assert_allclose(found.embedded, e, rtol=1e-10)
    assert found.correlation == pytest.approx(pearsonr(d, e)[0])
    assert found.rank_correlation == pytest.approx(spearmanr(d, e)[0])
    assert found.residual_variance == pytest.approx(1 - pearsonr(d, e)[0] ** 2)
    assert found.stress == pytest.approx(stress(d, e))
    assert not found.sampled
    assert set(found.standard_errors.values()) == {0.0}


def test_pairs_with_new_points():
    model = lp.manifold.ClassicalMDS(2).fit(X)
    found = shepard(X, model, new=NEW)
    np.testing.assert_allclose(found.distances, cdist(NEW, X).ravel())
    np.testing.assert_allclose(found.embedded, cdist(model.transform(NEW), model.embedding_).ravel())
    assert "all 2700 pairs with new points" in repr(found)
    given = shepard(
        cdist(X, X), model.embedding_, metric="precomputed", new=cdist(NEW, X), new_embedding=model.transform(NEW)
    )
    np.testing.assert_allclose(given.distances, found.distances)


def test_an_isometry_is_perfect_at_any_scale():
    turned = 7 * X @ np.linalg.qr(RNG.standard_normal((6, 6)))[0]
    found = shepard(X, turned)
    assert found.stress < 1e-7
    assert found.correlation == pytest.approx(1)
    assert shepard(X, 100 * X[:, :2]).stress == pytest.approx(shepard(X, X[:, :2]).stress)


@pytest.mark.parametrize("new", [{}, {"new": NEW, "new_embedding": NEW[:, :2]}])
def test_a_sample_of_pairs_has_the_stated_standard_errors(new):
    every = shepard(X, X[:, :2], **new)
    found = [shepard(X, X[:, :2], max_pairs=800, random_state=seed, **new) for seed in range(150)]
    assert all(one.sampled and len(one.distances) == 800 for one in found)
    for name in ("correlation", "rank_correlation", "stress"):
        values = np.array([getattr(one, name) for one in found])
        stated = np.mean([one.standard_errors[name] for one in found])
        # A standard deviation of 150 values has the relative standard error 1 / sqrt(300) = 0.06; four of these.
        assert values.std() == pytest.approx(stated, rel=0.24)
        assert abs(values.mean() - getattr(every, name)) < 4 * stated / np.sqrt(150) + 1e-3


def paths(points, k):
    D = cdist(points, points)
    radius = np.sort(D, axis=1)[:, k]
    graph = np.where(np.maximum.outer(radius, radius) * (1 + 1e-12) >= D, D, np.inf)
    return floyd_warshall(graph), radius


def test_geodesic_correlation_by_dense_paths(monkeypatch):
    model = lp.manifold.Isomap(2, n_neighbors=7).fit(ROLL[:400])
    lengths, radius = paths(ROLL[:400], 7)
    found = geodesic_correlation(ROLL[:400], model, 7)
    away = ~np.eye(400, dtype=bool)
    np.testing.assert_allclose(found.distances, lengths[away])
    shown = cdist(model.embedding_, model.embedding_)[away]
    assert found.residual_variance == pytest.approx(1 - np.corrcoef(lengths[away], shown)[0, 1] ** 2, abs=1e-12)
    assert found.geodesic
    assert not found.sampled
    # A new point's first step leads to a training point within either radius.
    D = cdist(ROLL[400:], ROLL[:400])
    own = np.sort(D, axis=1)[:, 6]
    step = np.where(np.maximum.outer(own, radius) * (1 + 1e-12) >= D, D, np.inf)
    expected = (step[:, :, None] + lengths).min(axis=1)
    new = geodesic_correlation(ROLL[:400], model, 7, new=ROLL[400:])
    np.testing.assert_allclose(new.distances.reshape(400, 100).T, expected)
    placed = cdist(model.transform(ROLL[400:]), model.embedding_)
    np.testing.assert_allclose(new.embedded.reshape(400, 100).T, placed)
    monkeypatch.setattr(path_pairs, "WORK", 1)
    np.testing.assert_array_equal(geodesic_correlation(ROLL[:400], model, 7).distances, found.distances)


def test_a_sample_of_sources_has_the_stated_standard_errors():
    shown = ROLL[:, [0, 1]]
    every = geodesic_correlation(ROLL, shown, 7)
    found = [
        geodesic_correlation(ROLL, shown, 7, max_sources=40, max_pairs=4000, random_state=seed)
        for seed in range(100)
    ]
    assert all(len(np.unique(one.groups)) == 40 and len(one.distances) == 4000 for one in found)
    for name in ("correlation", "rank_correlation", "stress"):
        values = np.array([getattr(one, name) for one in found])
        stated = np.mean([one.standard_errors[name] for one in found])
        # The relative standard error of the deviation is 1 / sqrt(200) = 0.07: four of these. The stated errors
        # are for sources drawn with replacement, which are larger by 1 / sqrt(1 - 40 / 500) = 1.04 at most.
        assert 0.68 < values.std() / stated < 1.28
        assert abs(values.mean() - getattr(every, name)) < 4 * stated / np.sqrt(100) + 2e-3


def test_listed_distances_and_separate_components():
    listed = KNeighborsTransformer(n_neighbors=12).fit_transform(X)
    assert geodesic_correlation(listed, X[:, :2], 8, metric="precomputed").correlation == pytest.approx(
        geodesic_correlation(X, X[:, :2], 8).correlation
    )
    apart = np.vstack([X, X + 1000])
    with pytest.raises(GraphError, match="components"):
        geodesic_correlation(apart, apart[:, :2])
    assert geodesic_correlation(apart, apart[:, :2], components="bridge").correlation > 0.99
    with pytest.raises(ArgumentError, match="components='largest'"):
        geodesic_correlation(apart, apart[:, :2], components="largest")


def test_functions_as_metrics_and_blocks(monkeypatch):
    found = shepard(X, X[:, :2], metric=lambda a, b: np.abs(a - b).max())
    np.testing.assert_allclose(found.distances, pdist(X, "chebyshev"))
    monkeypatch.setattr(comparison, "WORK", 1)
    np.testing.assert_array_equal(shepard(X, X[:, :2], metric="chebyshev").embedded, found.embedded)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"embedding": np.zeros((90, 2))}, "embedding has the distance 0 for all 4005 pairs"),
        ({"X": X * 1e200}, "divide all coordinates by the largest"),
        ({"X": np.ones((90, 2))}, "X has the distance 0 for all"),
        ({"max_pairs": 1}, "max_pairs=1"),
        ({"random_state": -1}, "random_state=-1"),
        ({"X": X[:2], "embedding": X[:2]}, "1 pairs of points"),
        ({"X": X[:1], "embedding": X[:1]}, "pass more points"),
        ({"embedding": X[:9, :2]}, "embedding has 9 rows"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        shepard(**{"X": X, "embedding": X[:, :2]} | arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_neighbors": 90}, "n_neighbors=90"),
        ({"max_sources": 1}, "max_sources=1"),
        ({"max_pairs": 0}, "max_pairs=0"),
        ({"random_state": -1}, "random_state=-1"),
        ({"X": X[:1], "embedding": X[:1]}, "n_neighbors=5 but only 1 points"),
    ],
)
def test_wrong_arguments_of_paths(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        geodesic_correlation(**{"X": X, "embedding": X[:, :2]} | arguments)


def test_pictures():
    wine = load_wine().data
    model = lp.manifold.ClassicalMDS(2, metric="seuclidean").fit(wine)
    found = shepard(wine, model)
    axes = lp.plot.shepard(found)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("distance in the data", "distance in the embedding")
    assert f"correlation {found.correlation:.3f}" in axes.get_title(loc="left")
    paths = geodesic_correlation(wine, model, 10, components="bridge")
    assert lp.plot.shepard(paths, axes=axes).get_xlabel() == "geodesic distance"
    # The line is the best scale: the embedding's distance is that of the data divided by it.
    (line,) = [line for line in lp.plot.shepard(found).lines if len(line.get_xdata()) == 2]
    slope = np.diff(line.get_ydata())[0] / np.diff(line.get_xdata())[0]
    assert 1 / slope == pytest.approx(np.linalg.lstsq(found.embedded[:, None], found.distances)[0][0])
