"""Shepard diagrams and geodesic correlations: by scipy and dense paths; samples of pairs."""

from functools import partial

import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import cdist, pdist
from scipy.stats import pearsonr, spearmanr
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import KNeighborsTransformer

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.metrics import distances, geodesic_correlation, shepard

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 6)) * [4, 3, 2, 1, 1, 1]
NEW = RNG.standard_normal((30, 6)) * [4, 3, 2, 1, 1, 1]
ROLL = make_swiss_roll(500, random_state=0)[0]
MEASURES = ("correlation", "rank_correlation", "stress")


@pytest.mark.parametrize(
    ("metric", "theirs"),
    [("euclidean",) * 2, ("manhattan", "cityblock"), (lambda a, b: np.abs(a - b).max(), "chebyshev")],
)
def test_all_pairs(metric, theirs):
    found = shepard(X, X[:, :2], metric=metric)
    d, e = pdist(X, theirs), pdist(X[:, :2])
    np.testing.assert_allclose(found.distances, d, rtol=1e-10)
    np.testing.assert_allclose(found.embedded, e, rtol=1e-10)
    assert found.correlation == pytest.approx(pearsonr(d, e)[0])
    assert found.rank_correlation == pytest.approx(spearmanr(d, e)[0])
    assert found.residual_variance == pytest.approx(1 - pearsonr(d, e)[0] ** 2)
    # Kruskal's stress at the scale that least squares finds.
    rest = d - np.linalg.lstsq(e[:, None], d)[0][0] * e
    assert found.stress == pytest.approx(np.linalg.norm(rest) / np.linalg.norm(d))
    assert shepard(X, 100 * X[:, :2], metric=metric).stress == pytest.approx(found.stress)
    turned = shepard(X, 7 * X @ np.linalg.qr(RNG.standard_normal((6, 6)))[0])
    assert turned.stress < 1e-7
    assert turned.correlation == pytest.approx(1)


def test_pairs_with_new_points():
    model = lp.manifold.ClassicalMDS(2).fit(X)
    found = shepard(X, model, new=NEW)
    placed = model.transform(NEW)
    np.testing.assert_allclose(found.distances, cdist(NEW, X).ravel())
    np.testing.assert_allclose(found.embedded, cdist(placed, model.embedding_).ravel())
    D = cdist(X, X)
    given = shepard(D, model.embedding_, metric="precomputed", new=cdist(NEW, X), new_embedding=placed)
    np.testing.assert_allclose(given.distances, found.distances)


@pytest.mark.parametrize(
    ("measure", "some"),
    [
        (partial(shepard, X, X[:, :2]), {"max_pairs": 800}),
        (partial(shepard, X, X[:, :2], new=NEW, new_embedding=NEW[:, :2]), {"max_pairs": 800}),
        (partial(geodesic_correlation, ROLL, ROLL[:, :2], 7), {"max_sources": 40, "max_pairs": 4000}),
    ],
)
def test_a_sample_estimates_the_value_of_all_pairs(measure, some):
    every, found = measure(), [measure(**some, random_state=seed) for seed in range(100)]
    assert all(len(one.distances) == some["max_pairs"] for one in found)
    for name in MEASURES:
        values = np.array([getattr(one, name) for one in found])
        # Four standard errors of the mean of 100 samples, and the bias of ratios.
        assert abs(values.mean() - getattr(every, name)) < 4 * values.std() / np.sqrt(100) + 2e-3


def test_geodesic_correlation_by_dense_paths(monkeypatch):
    old, new = ROLL[:400], ROLL[400:]
    model = lp.manifold.Isomap(2, n_neighbors=7).fit(old)
    D = cdist(old, old)
    radius = np.sort(D, axis=1)[:, 7]
    lengths = floyd_warshall(np.where(np.maximum.outer(radius, radius) * (1 + 1e-12) >= D, D, np.inf))
    found = geodesic_correlation(old, model, 7)
    away = ~np.eye(400, dtype=bool)
    np.testing.assert_allclose(found.distances, lengths[away])
    np.testing.assert_allclose(found.embedded, cdist(model.embedding_, model.embedding_)[away])
    assert found.geodesic
    # A new point's first step leads to a training point within either radius.
    D = cdist(new, old)
    own = np.sort(D, axis=1)[:, 6]
    step = np.where(np.maximum.outer(own, radius) * (1 + 1e-12) >= D, D, np.inf)
    later = geodesic_correlation(old, model, 7, new=new)
    np.testing.assert_allclose(later.distances.reshape(400, 100).T, (step[:, :, None] + lengths).min(axis=1))
    placed = cdist(model.transform(new), model.embedding_)
    np.testing.assert_allclose(later.embedded.reshape(400, 100).T, placed)
    monkeypatch.setattr(distances, "WORK", 1)
    np.testing.assert_array_equal(geodesic_correlation(old, model, 7).distances, found.distances)


def test_listed_distances_and_separate_components():
    listed = KNeighborsTransformer(n_neighbors=12).fit_transform(X)
    found = geodesic_correlation(listed, X[:, :2], 8, metric="precomputed")
    assert found.correlation == pytest.approx(geodesic_correlation(X, X[:, :2], 8).correlation)
    apart = np.vstack([X, X + 1000])
    with pytest.raises(GraphError, match="components"):
        geodesic_correlation(apart, apart[:, :2])
    assert geodesic_correlation(apart, apart[:, :2], components="bridge").correlation > 0.99


WRONG = {
    shepard: {"embedding": np.zeros((90, 2)), "X": np.ones((90, 2)), "max_pairs": 1, "random_state": -1},
    geodesic_correlation: {"n_neighbors": 90, "max_sources": 1, "components": "largest", "max_pairs": 0},
}


@pytest.mark.parametrize(
    ("function", "name", "arguments"),
    [
        *((function, name, {name: wrong}) for function in WRONG for name, wrong in WRONG[function].items()),
        (shepard, "pairs", {"X": X[:2], "embedding": X[:2]}),
    ],
)
def test_wrong_arguments(function, name, arguments):
    with pytest.raises(ArgumentError, match=name):
        function(**{"X": X, "embedding": X[:, :2]} | arguments)


def test_picture():
    pytest.importorskip("matplotlib").use("Agg")
    found = shepard(X, X[:, :2])
    axes = lp.plot.shepard(found)
    # The line is the best scale: the embedding's distance is that of the data divided by it.
    (line,) = [line.get_xydata() for line in axes.lines if len(line.get_xdata()) == 2]
    scale = np.linalg.lstsq(found.embedded[:, None], found.distances)[0][0]
    assert np.divide(*(line[1] - line[0])) == pytest.approx(scale)
    curves = lp.metrics.neighbor_curves(X, X[:, :2])
    drawn = lp.plot.neighbor_curves(curves).lines[0]
    np.testing.assert_array_equal(drawn.get_ydata(), curves.trustworthiness)
