"""Measures of neighborhoods: by scikit-learn, by definition, and where theory gives them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.manifold import Isomap as TheirIsomap
from sklearn.manifold import trustworthiness as theirs

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError
from lpgraph.metrics import distances as module
from lpgraph.metrics import neighbor_curves, neighbor_measure

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 6)) * [4, 3, 2, 1, 1, 1]
NEW = RNG.standard_normal((30, 6)) * [4, 3, 2, 1, 1, 1]
KINDS = ("trustworthiness", "continuity", "preservation")


def by_definition(data, shown, k, rng):
    """The three measures of each row of distances, ties broken at random."""
    others = np.isfinite(data).sum(axis=1)[0]
    r, s = (1 + np.argsort(np.lexsort([rng.random(d.shape), d]), axis=1) for d in (data, shown))
    worst = k * (2 * others + 1 - 3 * k) / 2
    excess = [np.where(a <= k, np.maximum(b - k, 0), 0).sum(axis=1) for a, b in ((s, r), (r, s))]
    return 1 - excess[0] / worst, 1 - excess[1] / worst, ((r <= k) & (s <= k)).sum(axis=1) / k


def distances(a):
    return cdist(a, a) + np.diag(np.full(len(a), np.inf))


@pytest.mark.parametrize("k", [1, 10, 44])
def test_each_point_has_its_value_by_the_definition(k):
    shown, shown_new = X[:, :2], NEW[:, :2]
    for metric in ("euclidean", "manhattan", "cosine"):
        expected = theirs(X, shown, n_neighbors=k, metric=metric)
        assert neighbor_measure(X, shown, k, metric=metric).mean == pytest.approx(expected, abs=1e-12)
    for new, data, embedded in (
        ({}, distances(X), distances(shown)),
        ({"new": NEW, "new_embedding": shown_new}, cdist(NEW, X), cdist(shown_new, shown)),
    ):
        for kind, values in zip(KINDS, by_definition(data, embedded, k, RNG), strict=True):
            found = neighbor_measure(X, shown, k, kind, **new)
            np.testing.assert_allclose(found.values, values, atol=1e-12)
            assert found.standard_error == 0


@pytest.mark.parametrize("k", [3, 7])
def test_ties_count_as_the_mean_over_random_orders(k):
    # Few distinct distances, and points that coincide.
    lattice = np.array([[i, j] for i in range(6) for j in range(5)] + [[0, 0], [3, 3]], dtype=float)
    shown = np.round(lattice[:, :1] / 2 + lattice[:, 1:] / 3)
    rng = np.random.default_rng(1)
    draws = np.array([by_definition(distances(lattice), distances(shown), k, rng) for _ in range(3000)])
    errors = draws.std(axis=0, ddof=1) / np.sqrt(3000)
    for kind, values, width in zip(KINDS, draws.mean(axis=0), errors, strict=True):
        found = neighbor_measure(lattice, shown, k, kind).values
        # 6 x 32 comparisons: one beyond five standard errors has probability 1e-4.
        assert (np.abs(found - values) <= 5 * width + 1e-12).all()
        order = rng.permutation(len(shown))
        other = neighbor_measure(lattice[order], shown[order], k, kind).values
        np.testing.assert_allclose(other, found[order], atol=1e-12)


@pytest.mark.parametrize("k", [1, 10, 44])
def test_an_embedding_in_one_point_is_as_good_as_chance(k):
    # All are tied: each of the n - 1 = 89 other points is among the k nearest with probability k / 89.
    chance = 1 - k / 89 * (89 - k) * (90 - k) / (k * (2 * 89 + 1 - 3 * k))
    found = neighbor_curves(X, np.zeros((90, 1)), [k])
    for kind, expected in zip(KINDS, (chance, chance, k / 89), strict=True):
        np.testing.assert_allclose(getattr(found, kind), expected, atol=1e-12)
    np.testing.assert_allclose(found.above_chance, 0, atol=1e-12)


def test_the_best_the_worst_and_a_random_embedding():
    turned = 3 * X @ np.linalg.qr(RNG.standard_normal((6, 6)))[0]
    assert all(neighbor_measure(X, turned, 7, kind).mean == 1 for kind in KINDS)
    # The value 0 is reached by a point whose nearest are its farthest.
    line = np.arange(41.0)[:, None]
    assert neighbor_measure(line, np.where(line > 0, 100 - line, 0.0), 20).values[0] == 0
    # A point keeps a hypergeometric number of its k nearest, of variance below k / 10 and almost independent
    # between points: the standard error of the share is below sqrt(1 / (10 * 400 * 40)) = 0.0025; five of these.
    found = neighbor_curves(RNG.standard_normal((400, 3)), RNG.standard_normal((400, 2)), [40])
    assert abs(found.preservation[0] - 40 / 399) < 0.0125
    assert abs(found.above_chance[0]) < 0.0125 / (1 - 40 / 399)


@pytest.mark.parametrize("new", [{}, {"new": NEW}])
def test_curves_are_the_single_measures(new, monkeypatch):
    model = lp.manifold.Isomap(2, n_neighbors=8).fit(X)
    ks = [1, 5, 17, 44]
    found = neighbor_curves(X, model, ks, **new)
    for kind in KINDS:
        expected = [neighbor_measure(X, model, k, kind, **new).mean for k in ks]
        np.testing.assert_allclose(getattr(found, kind), expected, atol=1e-14)
    chance = np.array(ks) / (90 if new else 89)
    np.testing.assert_allclose(found.above_chance, (found.preservation - chance) / (1 - chance))
    assert found.area == pytest.approx(np.average(found.above_chance, weights=1 / np.array(ks)))
    assert neighbor_curves(X, model).n_neighbors.tolist() == [1, 2, 3, 4, 6, 8, 11, 16, 22, 31, 44]
    monkeypatch.setattr(module, "WORK", 1)  # blocks of one row
    np.testing.assert_array_equal(neighbor_curves(X, model, ks, **new).continuity, found.continuity)


def test_a_sample_estimates_the_mean_with_its_standard_error():
    data = load_digits().data[:900]
    shown = lp.manifold.ClassicalMDS(2).fit(data).embedding_
    every = neighbor_measure(data, shown, 10)
    found = [neighbor_measure(data, shown, 10, max_points=100, random_state=seed) for seed in range(80)]
    np.testing.assert_array_equal(found[0].values, every.values[found[0].points])
    scores = np.array([(one.mean - every.mean) / one.standard_error for one in found])
    # Normal scores: their variance over 80 draws has the standard error sqrt(2 / 79) = 0.16; four of these, and
    # 0.1 for the estimated standard errors.
    assert abs(scores.var() - 1) < 0.75
    assert abs(scores.mean()) < 4 / np.sqrt(80)
    curves = neighbor_curves(data, shown, [10], max_points=100)
    assert curves.trustworthiness[0] == found[0].mean


def test_distances_sparse_points_and_models():
    model = lp.manifold.Isomap(2, n_neighbors=8).fit(X)
    expected = neighbor_measure(X, model.embedding_, new=NEW, new_embedding=model.transform(NEW)).values
    np.testing.assert_array_equal(neighbor_measure(X, model, new=NEW).values, expected)
    D = cdist(X, X)
    given = lp.manifold.Isomap(2, n_neighbors=8, metric="precomputed").fit(D)
    np.testing.assert_allclose(neighbor_measure(D, given, new=cdist(NEW, X)).values, expected, atol=1e-9)
    words = sparse.random_array((60, 400), density=0.05, rng=RNG, format="csr") + sparse.csr_array(np.eye(60, 400))
    for metric in ("euclidean", "braycurtis"):
        dense, found = (neighbor_measure(W, X[:60, :2], metric=metric).values for W in (words.toarray(), words))
        np.testing.assert_allclose(found, dense, atol=1e-12)
    # The metric of a model is the default, and its parameters belong to it.
    scale = {"V": X.var(axis=0)}
    scaled = lp.manifold.ClassicalMDS(2, metric="seuclidean", metric_params=scale).fit(X)
    expected = neighbor_measure(X / X.std(axis=0), scaled.embedding_).values
    np.testing.assert_allclose(neighbor_measure(X, scaled).values, expected, atol=1e-12)
    other = TheirIsomap(n_components=2, n_neighbors=8).fit(X)
    assert neighbor_measure(X, other).mean == pytest.approx(theirs(X, other.embedding_))
    assert neighbor_measure(X, other, new=NEW).values.shape == (30,)


def test_points_that_a_model_left_out_are_left_out():
    apart = np.vstack([X, X[:8] + 1000])
    model = lp.manifold.Isomap(2, n_neighbors=5, components="largest").fit(apart)
    assert neighbor_measure(apart, model).mean == neighbor_measure(X, model.embedding_).mean
    D = cdist(apart, apart)
    given = lp.manifold.Isomap(2, n_neighbors=5, components="largest", metric="precomputed").fit(D)
    assert neighbor_measure(D, given, new=D[3:9]).n_points == 6
    assert neighbor_measure(D, given).mean == pytest.approx(neighbor_measure(X, model.embedding_).mean)


SIMILAR = lp.manifold.LaplacianEigenmaps(2, affinity="precomputed", n_neighbors=None)
LISTED = {"X": sparse.csr_array(cdist(X, X)), "metric": "precomputed"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *(("embedding", {"embedding": Y}) for Y in (X[:80, :2], X[:, 0], X[:, :2] * np.nan, X * 1e200)),
        ("embedding", {"X": np.vstack([X, NEW]), "embedding": lp.manifold.Isomap(2).fit(X)}),
        *(("embedding", {"embedding": model}) for model in (lp.manifold.Isomap(2), TheirIsomap())),
        ("metric=", {"embedding": SIMILAR.fit(np.exp(-np.square(cdist(X, X)) / 20))}),
        *(("X", {"X": wrong}) for wrong in (X * np.inf, X * 1e200)),
        *(("X", arguments) for arguments in ({"X": X[:2], "embedding": X[:2]}, LISTED)),
        ("n_neighbors=45.*44", {"n_neighbors": 45}),
        *(("kind='share'", {"kind": "share"}), ("max_points", {"max_points": 1})),
        *(("new_embedding", arguments) for arguments in ({"new": NEW}, {"new_embedding": NEW[:, :2]})),
        *(("new_embedding", {"new": NEW, "new_embedding": Y}) for Y in (NEW[:9, :2], NEW[:, :3])),
    ],
)
def test_wrong_arguments(name, arguments):
    with pytest.raises((ArgumentError, ArgumentTypeError, NotFittedError), match=name):
        neighbor_measure(**{"X": X, "embedding": X[:, :2]} | arguments)


@pytest.mark.parametrize("ks", [[5, 3], [2.5], [2.0], [], [0], [1, 99], [[1, 2]], True, [[1, 2], [3]]])
def test_wrong_numbers_of_neighbors(ks):
    with pytest.raises((ArgumentError, ArgumentTypeError), match="n_neighbors"):
        neighbor_curves(X, X[:, :2], ks)
