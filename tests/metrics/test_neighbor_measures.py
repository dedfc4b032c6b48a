"""Trustworthiness, continuity and preservation: by scikit-learn, by definition, and where theory gives them."""

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris, make_swiss_roll
from sklearn.manifold import Isomap as TheirIsomap
from sklearn.manifold import trustworthiness as theirs

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError
from lpgraph.metrics import comparison, continuity, neighbor_curves, neighborhood_preservation, trustworthiness

mpl.use("Agg")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 6)) * [4, 3, 2, 1, 1, 1]
NEW = RNG.standard_normal((30, 6)) * [4, 3, 2, 1, 1, 1]
# Few distinct distances, and points that coincide.
LATTICE = np.array([[i, j] for i in range(6) for j in range(5)] + [[0, 0], [3, 3]], dtype=float)


def by_definition(data, shown, k, rng):
    """The three measures of each row of distances, ties broken at random."""
    others = np.isfinite(data).sum(axis=1)[0]
    ranks = []
    for d in (data, shown):
        order = np.lexsort([rng.random(d.shape), d])  # by distance, ties in random order
        ranks.append(1 + np.argsort(order, axis=1))
    r, s = ranks
    worst = k * (2 * others + 1 - 3 * k) / 2
    excess = [np.where(a <= k, np.maximum(b - k, 0), 0).sum(axis=1) for a, b in ((s, r), (r, s))]
    return 1 - excess[0] / worst, 1 - excess[1] / worst, ((r <= k) & (s <= k)).sum(axis=1) / k


def distances(a, b=None):
    found = cdist(a, a if b is None else b)
    if b is None:
        np.fill_diagonal(found, np.inf)
    return found


@pytest.mark.parametrize("k", [1, 5, 20, 44])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_trustworthiness_is_scikit_learns(k, metric):
    shown = X[:, :2] + 0.1 * RNG.standard_normal((90, 2))
    expected = theirs(X, shown, n_neighbors=k, metric=metric)
    assert float(trustworthiness(X, shown, k, metric=metric)) == pytest.approx(expected, abs=1e-12)
    # Continuity is the same with data and embedding exchanged, both Euclidean.
    assert continuity(shown, X, k).mean == pytest.approx(theirs(X, shown, n_neighbors=k), abs=1e-12)


@pytest.mark.parametrize("k", [1, 4, 10])
def test_each_point_has_its_value_by_the_definition(k):
    shown, shown_new = X[:, :2], NEW[:, :2]
    for new, data, embedded in (
        ({}, distances(X), distances(shown)),
        ({"new": NEW, "new_embedding": shown_new}, distances(NEW, X), distances(shown_new, shown)),
    ):
        expected = by_definition(data, embedded, k, np.random.default_rng(0))
        for measure, values in zip(
            (trustworthiness, continuity, neighborhood_preservation), expected, strict=True
        ):
            found = measure(X, shown, k, **new)
            np.testing.assert_allclose(found.values, values, atol=1e-12)
            assert found.held_out == bool(new)
            assert found.standard_error == 0


@pytest.mark.parametrize("k", [3, 7])
def test_ties_count_as_the_mean_over_random_orders(k):
    shown = np.round(LATTICE[:, :1] / 2 + LATTICE[:, 1:] / 3)
    rng = np.random.default_rng(1)
    draws = np.array([by_definition(distances(LATTICE), distances(shown), k, rng) for _ in range(3000)])
    mean, error = draws.mean(axis=0), draws.std(axis=0, ddof=1) / np.sqrt(3000)
    for measure, values, width in zip(
        (trustworthiness, continuity, neighborhood_preservation), mean, error, strict=True
    ):
        found = measure(LATTICE, shown, k).values
        # 6 x 32 comparisons: one beyond five standard errors has probability 1e-4.
        assert (np.abs(found - values) <= 5 * width + 1e-12).all()
        order = rng.permutation(len(shown))
        np.testing.assert_allclose(measure(LATTICE[order], shown[order], k).values, found[order], atol=1e-12)


@pytest.mark.parametrize("k", [1, 10, 44])
def test_an_embedding_in_one_point_is_as_good_as_chance(k):
    # All are tied: each of the n - 1 = 89 other points is among the k nearest with probability k / 89.
    chance = 1 - k / 89 * (89 - k) * (90 - k) / (k * (2 * 89 + 1 - 3 * k))
    for measure in (trustworthiness, continuity):
        np.testing.assert_allclose(measure(X, np.zeros((90, 1)), k).values, chance, atol=1e-12)
    np.testing.assert_allclose(neighborhood_preservation(X, np.zeros((90, 1)), k).values, k / 89, atol=1e-12)
    np.testing.assert_allclose(neighbor_curves(X, np.zeros((90, 1)), [k]).above_chance, 0, atol=1e-12)


def test_positions_at_random_are_as_good_as_chance():
    # A point keeps a hypergeometric number of its k nearest, of variance below k / 10 and almost independent
    # between points: the standard error of the share is below sqrt(1 / (10 * 400 * 40)) = 0.0025; five of these.
    points = RNG.standard_normal((400, 3))
    found = neighbor_curves(points, RNG.standard_normal((400, 2)), [40])
    assert abs(found.preservation[0] - 40 / 399) < 0.0125
    assert abs(found.above_chance[0]) < 0.0125 / (1 - 40 / 399)


def test_the_best_and_the_worst_embedding():
    line = np.arange(41.0)[:, None]
    for measure in (trustworthiness, continuity, neighborhood_preservation):
        assert float(measure(X, 3 * X @ np.linalg.qr(RNG.standard_normal((6, 6)))[0], 7)) == 1
    # The value 0 is reached by a point whose nearest are its farthest.
    far = np.abs(line - line[0])[:, 0]
    one = trustworthiness(line, np.where(far > 0, 100 - far, 0.0)[:, None], 20)
    assert one.values[0] == 0


def test_curves_are_the_single_measures():
    model = lp.manifold.Isomap(2, n_neighbors=8).fit(X)
    ks = [1, 5, 17, 44]
    for new in ({}, {"new": NEW}):
        found = neighbor_curves(X, model, ks, **new)
        for name, measure in (
            ("trustworthiness", trustworthiness),
            ("continuity", continuity),
            ("preservation", neighborhood_preservation),
        ):
            expected = [measure(X, model, k, **new).mean for k in ks]
            np.testing.assert_allclose(getattr(found, name), expected, atol=1e-14)
        chance = np.array(ks) / (90 if new else 89)
        np.testing.assert_allclose(found.above_chance, (found.preservation - chance) / (1 - chance))
        assert found.held_out == bool(new)
        assert found.n_points == (30 if new else 90)
    assert neighbor_curves(X, model).n_neighbors.tolist() == [1, 2, 3, 4, 6, 8, 11, 16, 22, 31, 44]
    weights = 1 / np.array(ks)
    assert found.area == pytest.approx((found.above_chance * weights).sum() / weights.sum())


def test_a_sample_estimates_the_mean_with_its_standard_error():
    data = load_digits().data[:900]
    shown = lp.manifold.ClassicalMDS(2).fit(data).embedding_
    every = trustworthiness(data, shown, 10)
    found = [trustworthiness(data, shown, 10, max_points=100, random_state=seed) for seed in range(80)]
    for one in found[:5]:
        np.testing.assert_array_equal(one.values, every.values[one.points])
    scores = np.array([(one.mean - every.mean) / one.standard_error for one in found])
    # Normal scores: their variance over 80 draws has the standard error sqrt(2 / 79) = 0.16; four of these, and
    # 0.1 for the estimated standard errors.
    assert abs(scores.var() - 1) < 0.75
    assert abs(scores.mean()) < 4 / np.sqrt(80)
    assert "100 of 900 points" in repr(found[0])
    again = trustworthiness(data, shown, 10, max_points=100)
    assert np.array_equal(again.points, trustworthiness(data, shown, 10, max_points=100).points)
    curves = neighbor_curves(data, shown, [10], max_points=100)
    assert curves.trustworthiness[0] == again.mean
    assert curves.standard_errors[0, 0] == pytest.approx(again.standard_error)


def test_blocks_change_nothing(monkeypatch):
    whole = neighbor_curves(X, X[:, :2])
    monkeypatch.setattr(comparison, "WORK", 1)
    by_point = neighbor_curves(X, X[:, :2])
    assert np.array_equal(whole.trustworthiness, by_point.trustworthiness)
    assert np.array_equal(whole.preservation, by_point.preservation)


def test_distances_sparse_points_and_models():
    model = lp.manifold.Isomap(2, n_neighbors=8).fit(X)
    expected = trustworthiness(X, model.embedding_, new=NEW, new_embedding=model.transform(NEW)).values
    np.testing.assert_array_equal(trustworthiness(X, model, new=NEW).values, expected)
    D, rows = distances(X), distances(NEW, X)
    np.fill_diagonal(D, 0)
    given = lp.manifold.Isomap(2, n_neighbors=8, metric="precomputed").fit(D)
    np.testing.assert_allclose(trustworthiness(D, given, new=rows).values, expected, atol=1e-9)
    words = sparse.random_array((60, 400), density=0.05, rng=RNG, format="csr") + sparse.csr_array(np.eye(60, 400))
    for metric in ("cosine", "euclidean", "manhattan", "braycurtis"):
        dense = trustworthiness(words.toarray(), X[:60, :2], metric=metric)
        found = trustworthiness(words, X[:60, :2], metric=metric)
        np.testing.assert_allclose(found.values, dense.values, atol=1e-12)
    # The metric of a model is the default, and its parameters belong to it.
    scale = {"V": X.var(axis=0)}
    scaled = lp.manifold.ClassicalMDS(2, metric="seuclidean", metric_params=scale).fit(X)
    expected = trustworthiness(X / X.std(axis=0), scaled.embedding_).values
    np.testing.assert_allclose(trustworthiness(X, scaled).values, expected, atol=1e-12)
    other = TheirIsomap(n_components=2, n_neighbors=8).fit(X)
    assert trustworthiness(X, other).mean == pytest.approx(theirs(X, other.embedding_))
    assert trustworthiness(X, other, new=NEW).values.shape == (30,)


def test_points_that_a_model_left_out_are_left_out():
    apart = np.vstack([X, X[:8] + 1000])
    model = lp.manifold.Isomap(2, n_neighbors=5, components="largest").fit(apart)
    assert trustworthiness(apart, model).mean == trustworthiness(X, model.embedding_).mean
    D = cdist(apart, apart)
    given = lp.manifold.Isomap(2, n_neighbors=5, components="largest", metric="precomputed").fit(D)
    assert trustworthiness(D, given, new=D[3:9]).n_points == 6
    assert trustworthiness(D, given).mean == pytest.approx(trustworthiness(X, model.embedding_).mean)


def test_more_points_than_a_model_was_fitted_to_are_refused():
    for components in ("error", "bridge"):
        model = lp.manifold.Isomap(2, n_neighbors=8, components=components).fit(X)
        with pytest.raises(ArgumentError, match="embedding has 90 rows but X has 120 points"):
            trustworthiness(np.vstack([X, NEW]), model)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"embedding": X[:80, :2]}, "embedding has 80 rows but X has 90"),
        ({"embedding": X[:, 0]}, r"pass embedding.reshape\(-1, 1\)"),
        ({"embedding": np.full((90, 2), np.nan)}, "embedding"),
        ({"X": np.full((90, 2), np.inf)}, "X"),
        ({"X": X * 1e200}, "divide all coordinates"),
        ({"embedding": X * 1e200}, "embedding has points whose distance"),
        ({"n_neighbors": 45}, "n_neighbors=45 but only 89 other points; pass n_neighbors <= 44"),
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"metric": "nearest"}, "metric='nearest'"),
        ({"max_points": 1}, "max_points=1"),
        ({"random_state": -1}, "random_state=-1"),
        ({"new": NEW}, "new was passed without new_embedding"),
        ({"new_embedding": NEW[:, :2]}, "new_embedding was passed without new"),
        ({"new": NEW, "new_embedding": NEW[:9, :2]}, r"new_embedding has shape \(9, 2\) for 30 new points"),
        ({"new": NEW, "new_embedding": NEW[:, :3]}, "new points in 2 dimensions"),
        ({"new": NEW[:, :5], "new_embedding": NEW[:, :2]}, "5 coordinates but the training points have 6"),
        ({"new": NEW[:0], "new_embedding": NEW[:0, :2]}, "at least one point"),
        ({"metric": "precomputed"}, "X has shape"),
        ({"X": X[:2], "embedding": X[:2]}, "too few points"),
        ({"metric": lambda a, b: np.nan}, "use a metric that is defined"),
    ],
)
def test_wrong_arguments(arguments, message):
    given = {"X": X, "embedding": X[:, :2]} | arguments
    for measure in (trustworthiness, neighborhood_preservation):
        with pytest.raises(ArgumentError, match=message):
            measure(**given)


def test_wrong_types():
    with pytest.raises(NotFittedError):
        trustworthiness(X, lp.manifold.Isomap(2))
    with pytest.raises(ArgumentTypeError, match="without embedding_"):
        trustworthiness(X, TheirIsomap())
    with pytest.raises(ArgumentTypeError, match=r"n_neighbors=5\.0 is"):
        trustworthiness(X, X[:, :2], 5.0)
    with pytest.raises(ArgumentTypeError, match="every distance"):
        trustworthiness(sparse.csr_array(cdist(X, X)), X[:, :2], metric="precomputed")
    similar = np.exp(-np.square(cdist(X, X)) / 20)
    model = lp.manifold.LaplacianEigenmaps(2, affinity="precomputed", n_neighbors=None).fit(similar)
    with pytest.raises(ArgumentError, match="fitted to similarities, not to points"):
        trustworthiness(X, model)
    assert 0.5 < trustworthiness(X, model, metric="euclidean").mean <= 1
    for ks in ([5, 3], [2.5], [2.0], [], [0], [1, 99], [[1, 2]], True):
        with pytest.raises(ArgumentError, match="increasing integers from 1 to 44"):
            neighbor_curves(X, X[:, :2], ks)
    with pytest.raises(ArgumentError, match="not a rectangular array"):
        neighbor_curves(X, X[:, :2], [[1, 2], [3]])


def test_an_unrolled_roll_is_trustworthy_and_a_flattened_one_is_not():
    roll = make_swiss_roll(700, random_state=0)[0]
    isomap, flat = lp.manifold.Isomap(2, n_neighbors=7).fit(roll), lp.manifold.ClassicalMDS(2).fit(roll)
    assert trustworthiness(roll, isomap).mean > 0.99 > 0.95 > trustworthiness(roll, flat).mean


def test_pictures():
    iris = load_iris().data
    model = lp.manifold.Isomap(2, n_neighbors=10, components="bridge").fit(iris)
    axes = lp.plot.neighbor_curves(neighbor_curves(iris, model))
    assert axes.get_xlabel() == "neighbors"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "trustworthiness",
        "continuity",
        "preservation above chance",
    ]
    drawn = axes.containers[0].lines[0].get_ydata()
    np.testing.assert_array_equal(drawn, neighbor_curves(iris, model).trustworthiness)
    measure = trustworthiness(iris, model, max_points=100)
    axes = lp.plot.point_measure(measure, model)
    found = axes.collections[-1]
    np.testing.assert_array_equal(np.sort(found.get_array()), np.sort(measure.values))
    places = {tuple(place) for place in np.round(np.asarray(found.get_offsets()), 9)}
    assert places == {tuple(place) for place in np.round(model.embedding_[measure.points], 9)}
    with pytest.raises(ArgumentError, match="measure of 150 points but embedding has 149"):
        lp.plot.point_measure(measure, model.embedding_[1:])
