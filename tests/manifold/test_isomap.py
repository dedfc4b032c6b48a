"""Isomap: geodesic distances, landmarks, components, and the properties that scikit-learn tests."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_s_curve
from sklearn.manifold import Isomap as SklearnIsomap
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.manifold import ClassicalMDS, Isomap

CURVE = make_s_curve(300, random_state=0)[0]
NEW = make_s_curve(60, random_state=1)[0]


def distances(a, b):
    return np.linalg.norm(a[:, None] - b[None], axis=2)


def same_up_to_sign(a, b, atol):
    return np.abs(a * np.sign((a * b).sum(axis=0)) - b).max() < atol


@pytest.mark.parametrize("settings", [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 0.9}], ids=str)
@pytest.mark.parametrize("size", [300, 900])
def test_scikit_learn_agrees_in_sample(settings, size):
    X = make_s_curve(size, random_state=0)[0]
    ours = Isomap(3, tol=1e-8, **settings).fit(X)
    theirs = SklearnIsomap(n_components=3, eigen_solver="dense", **settings).fit(X)
    assert same_up_to_sign(ours.embedding_, theirs.embedding_, 1e-6)


def test_scikit_learn_agrees_out_of_sample_where_the_rule_is_the_same():
    # By a radius, both let a new point step to all points within it.
    ours = Isomap(2, n_neighbors=None, radius=0.9).fit(CURVE)
    theirs = SklearnIsomap(n_components=2, n_neighbors=None, radius=0.9, eigen_solver="dense").fit(CURVE)
    sign = np.sign((ours.embedding_ * theirs.embedding_).sum(axis=0))
    assert np.abs(ours.transform(NEW) * sign - theirs.transform(NEW)).max() < 1e-6
    # With n_neighbors, scikit-learn's rule is one-sided for new points; here training points are exact.
    ours = Isomap(2, n_neighbors=5).fit(CURVE)
    theirs = SklearnIsomap(n_components=2, n_neighbors=5, eigen_solver="dense").fit(CURVE)
    assert np.abs(ours.transform(CURVE) - ours.embedding_).max() < 1e-8
    # Where the neighbours of a new point are mutual in both rules the results are equal again.
    sign = np.sign((ours.embedding_ * theirs.embedding_).sum(axis=0))
    mutual = np.diff(ours.kernel_rows_.neighbors.rows(NEW).indptr) == 5
    assert mutual.sum() > 3
    assert np.abs(ours.transform(NEW[mutual]) * sign - theirs.transform(NEW[mutual])).max() < 1e-6


def test_with_every_point_a_neighbour_it_is_classical_scaling():
    grid = np.array(list(product(range(5), repeat=2)), dtype=float)
    for rule in ({"n_neighbors": 24}, {"n_neighbors": None, "radius": 1e9}):
        model = Isomap(2, **rule).fit(grid)
        assert np.allclose(distances(model.embedding_, model.embedding_), distances(grid, grid))
        assert model.negative_ == 0
        assert np.allclose(np.abs(model.eigenvalues_), ClassicalMDS(2).fit(grid).eigenvalues_)


def test_landmark_isomap_is_de_silva_and_tenenbaums_formula():
    # Corollary 1 of Bengio et al. (2004): e_k(x) = sum_i v_ik (E D^2(x', x_i) - D^2(x_i, x)) / (2 sqrt(l_k)),
    # the expectation over the landmarks only, the geodesics through all training points.
    landmarks = np.arange(0, 300, 6)
    model = Isomap(2, n_neighbors=6, landmarks=landmarks).fit(CURVE)
    D = lp.geodesic_distances(model.graph_, landmarks)
    among = D[:, landmarks] ** 2
    centring = np.eye(50) - 1 / 50
    values, vectors = np.linalg.eigh(-0.5 * centring @ among @ centring)
    values, vectors = values[:-3:-1], vectors[:, :-3:-1]
    formula = (among.mean(axis=0)[:, None] - D**2).T @ vectors / (2 * np.sqrt(values))
    assert np.allclose(model.eigenvalues_, values)
    assert same_up_to_sign(model.embedding_, formula, 1e-9)
    # The other points are placed as new points are.
    assert np.abs(model.transform(CURVE) - model.embedding_).max() < 1e-9
    assert np.array_equal(model.landmarks_, landmarks)


def test_all_points_as_landmarks_is_isomap():
    full = Isomap(2, n_neighbors=6).fit(CURVE)
    marked = Isomap(2, n_neighbors=6, landmarks=np.arange(300)).fit(CURVE)
    drawn = Isomap(2, n_neighbors=6, landmarks=300).fit(CURVE)
    for model in (marked, drawn):
        assert np.allclose(model.embedding_, full.embedding_, atol=1e-9)
        assert np.allclose(model.transform(NEW), full.transform(NEW), atol=1e-9)


def test_landmarks_are_drawn_by_the_seed_and_approximate_the_whole():
    one, two = (Isomap(2, n_neighbors=8, landmarks=60, random_state=3).fit(CURVE) for _ in range(2))
    assert np.array_equal(one.embedding_, two.embedding_)
    other = Isomap(2, landmarks=60, random_state=4, n_neighbors=8).fit(CURVE)
    assert not np.array_equal(one.landmarks_, other.landmarks_)
    full = Isomap(2, n_neighbors=8).fit(CURVE)
    A, B = one.embedding_, full.embedding_
    A, B = A - A.mean(axis=0), B - B.mean(axis=0)
    assert np.linalg.norm(A @ lp.procrustes(A, B) - B) < 0.1 * np.linalg.norm(B)


def test_a_noisy_copy_lands_near_the_original():
    noise = 0.01 * np.random.default_rng(0).standard_normal(CURVE.shape)
    model = Isomap(4, n_neighbors=None, radius=0.7).fit(CURVE)
    assert np.sqrt(np.mean((model.embedding_ - model.transform(CURVE + noise)) ** 2)) < 0.02


def test_metrics_by_name_by_function_and_precomputed():
    reference = Isomap(2, n_neighbors=6).fit(CURVE)
    function = Isomap(2, n_neighbors=6, metric=lambda u, v: np.sqrt(((u - v) ** 2).sum())).fit(CURVE[:100])
    assert np.allclose(function.embedding_, Isomap(2, n_neighbors=6).fit(CURVE[:100]).embedding_, atol=1e-8)
    assert not np.allclose(
        Isomap(2, n_neighbors=6, metric="manhattan").fit(CURVE).embedding_, reference.embedding_
    )
    given = Isomap(2, n_neighbors=6, metric="precomputed").fit(distances(CURVE, CURVE))
    assert np.allclose(given.embedding_, reference.embedding_, atol=1e-8)
    assert np.allclose(given.transform(distances(NEW, CURVE)), reference.transform(NEW), atol=1e-8)


def test_components_are_refused_cut_or_bridged_and_new_points_honour_it():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(0, 1, (30, 2)), rng.uniform(0, 1, (20, 2)) + np.array([10, 0])])
    with pytest.raises(GraphError, match=r"2 components, of 30, 20 points; .*components='bridge'"):
        Isomap(2, n_neighbors=5).fit(X)
    largest = Isomap(2, n_neighbors=5, components="largest").fit(X)
    assert np.array_equal(largest.kept_, np.arange(30))
    alone = Isomap(2, n_neighbors=5).fit(X[:30])
    assert np.array_equal(largest.embedding_, alone.embedding_)
    # A new point near what was left out is joined to what was kept, as if there had never been anything else.
    assert np.array_equal(largest.transform(X[30:]), alone.transform(X[30:]))
    bridge = Isomap(2, n_neighbors=5, components="bridge").fit(X)
    assert bridge.graph_.nnz == Isomap(2, n_neighbors=5, components="largest").fit(X).graph_.nnz + (
        Isomap(2, n_neighbors=5).fit(X[30:]).graph_.nnz + 2
    )
    assert np.abs(bridge.transform(X) - bridge.embedding_).max() < 1e-8
    # The components have their distance.
    gap = distances(bridge.embedding_[:30], bridge.embedding_[30:]).mean()
    assert gap == pytest.approx(distances(X[:30], X[30:]).mean(), rel=0.1)
    given = Isomap(2, n_neighbors=5, components="largest", metric="precomputed").fit(distances(X, X))
    assert np.allclose(given.transform(distances(X[:30], X)), largest.embedding_, atol=1e-8)


def test_a_bridge_that_ends_in_duplicates_is_exact_too():
    rng = np.random.default_rng(1)
    X = np.vstack(
        [
            rng.uniform(0, 1, (20, 2)),
            [[1.2, 0.5]] * 3,
            [[4.0, 0.5]] * 2,
            rng.uniform(0, 1, (20, 2)) + np.array([4, 0]),
        ]
    )
    for model in (
        Isomap(2, n_neighbors=4, components="bridge"),
        lp.manifold.LaplacianEigenmaps(2, n_neighbors=4, components="bridge"),
    ):
        model.fit(X)
        assert np.abs(model.transform(X) - model.embedding_).max() < 1e-8 * np.abs(model.embedding_).max()


def test_it_works_in_a_pipeline():
    X, y = make_blobs(random_state=0)
    for rule in ({"n_neighbors": 2, "components": "bridge"}, {"n_neighbors": None, "radius": 10.0}):
        assert make_pipeline(Isomap(**rule), KNeighborsClassifier()).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 5, "radius": 1.0}, "n_neighbors=5 and radius=1.0"),
        ({"n_neighbors": None}, "exactly one"),
        ({"n_neighbors": 300}, "n_neighbors=300 but only 300 points; pass n_neighbors <= 299"),
        ({"components": "join"}, "components='join'; pass one of 'error', 'largest', 'bridge'"),
        ({"landmarks": 2}, "landmarks=2 .*pass landmarks >= 3"),
        ({"landmarks": 301}, "landmarks=301 .*pass landmarks <= 300"),
        ({"landmarks": [1, 1, 2]}, "distinct indices"),
        ({"landmarks": [1, 2, 300]}, "landmarks has 300"),
        ({"landmarks": [1, 2, -1]}, "landmarks has -1"),
        ({"landmarks": [1, 2]}, "pass at least 3"),
        ({"metric": "euclid"}, "metric='euclid'"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(ArgumentError, match=message):
        Isomap(**settings).fit(CURVE)


def test_a_point_that_no_path_leads_to_is_named():
    model = Isomap(2, n_neighbors=None, radius=0.9).fit(CURVE)
    with pytest.raises(ArgumentError, match="New point 1 has no neighbor"):
        model.transform(np.vstack([CURVE[0], [100.0, 0, 0]]))


def test_all_points_as_landmarks_in_another_order():
    full = Isomap(2, n_neighbors=6).fit(CURVE)
    order = np.random.default_rng(0).permutation(300)
    marked = Isomap(2, n_neighbors=6, landmarks=order).fit(CURVE)
    assert np.allclose(np.abs(marked.embedding_), np.abs(full.embedding_), atol=1e-9)
