"""Semidefinite embedding: constraints, unfolded surfaces, and errors."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning
from lpgraph.graph.components import connected_components
from lpgraph.linalg.interior_point import feasible_start, solve
from lpgraph.manifold import SemidefiniteEmbedding
from lpgraph.manifold.landmarks import landmark_map, orthonormal_range
from lpgraph.manifold.unfolding.rigid import rigid_pairs
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.reconstruction import reconstruction_weights


def swiss_roll(n, seed=0):
    """Return points as in the paper, and their positions on the flat sheet."""
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    height = 21 * rng.uniform(size=n)
    length = 0.5 * (t * np.sqrt(1 + t**2) + np.arcsinh(t))
    return np.column_stack([t * np.cos(t), height, t * np.sin(t)]), np.column_stack([length, height])


def explained(Y, z):
    """Return the R^2 of the best affine map from Y to z."""
    A = np.column_stack([Y, np.ones(len(Y))])
    residual = z - A @ np.linalg.lstsq(A, z, rcond=None)[0]
    return 1 - residual.var(axis=0).sum() / z.var(axis=0).sum()


@pytest.fixture(scope="module")
def roll():
    return swiss_roll(2000)


@pytest.fixture(scope="module")
def fitted(roll):
    return SemidefiniteEmbedding(2, landmarks=30, random_state=0).fit(roll[0])


def test_a_swiss_roll_unrolls(roll, fitted):
    assert explained(fitted.embedding_, roll[1]) > 0.999
    assert fitted.eigenvalues_.sum() > 0.999 * fitted.spectrum_.sum()
    assert fitted.bound_.gap <= 1e-3
    assert fitted.constraints_.violation <= 1e-3
    assert fitted.constraints_.monitored < fitted.constraints_.count


def test_the_kernel_is_centred_feasible_and_has_the_trace_it_says(fitted):
    F = fitted.kernel_
    np.testing.assert_allclose(F.mean(axis=0), 0, atol=1e-9 * np.abs(F).max())
    assert (F**2).sum() == pytest.approx(fitted.spectrum_.sum(), rel=1e-9)
    graph = fitted.graph_.tocoo()
    i, j = graph.coords
    kept = ((F[i] - F[j]) ** 2).sum(axis=1) / graph.data**2
    assert kept.max() <= 1 + fitted.constraints_.violation + 1e-9
    assert len(i) == 2 * fitted.constraints_.count
    assert np.median(np.sqrt(kept)) == pytest.approx(fitted.constraints_.median_ratio)


def test_eigenvalues_are_the_leading_ones_of_the_kernel(fitted):
    np.testing.assert_allclose(fitted.eigenvalues_, fitted.spectrum_[:2], rtol=1e-7)
    np.testing.assert_allclose((fitted.embedding_**2).sum(axis=0), fitted.eigenvalues_, rtol=1e-7)


def test_the_bound_holds_against_all_constraints_solved_at_once(roll, fitted):
    # The same program without rounds: every constraint monitored, to a gap of 1e-5.
    X = roll[0]
    hood = Neighborhood.of(X, n_neighbors=4)
    pairs = rigid_pairs(hood)
    weights = reconstruction_weights(X, X, hood.nearest_training(12)[0], 1e-4)
    U = orthonormal_range(landmark_map(weights, fitted.landmarks_, np.arange(len(X))))
    C = (U[pairs.first] - U[pairs.second]) / pairs.distance[:, None]
    whole = solve(C, feasible_start(C), gap=1e-5)
    assert fitted.bound_.lower <= whole.multipliers.sum()
    assert np.trace(whole.Z) <= fitted.bound_.upper
    assert fitted.spectrum_.sum() == pytest.approx(np.trace(whole.Z), rel=2e-3)


def test_training_points_come_back_exactly_and_new_ones_barycentrically(roll, fitted):
    X = roll[0]
    np.testing.assert_allclose(fitted.transform(X), fitted.embedding_, atol=1e-8 * np.abs(fitted.embedding_).max())
    new, _ = swiss_roll(50, seed=1)
    weights = reconstruction_weights(X, new, Neighborhood.of(X, n_neighbors=4).nearest(new, 12)[0], 1e-4)
    expected = weights @ fitted.embedding_
    np.testing.assert_allclose(fitted.transform(new), expected, atol=1e-6 * np.abs(expected).max())
    one_by_one = np.concatenate([fitted.transform(new[i : i + 1]) for i in range(50)])
    np.testing.assert_allclose(one_by_one, fitted.transform(new), rtol=1e-9, atol=1e-9)


def test_held_out_points_go_where_a_refit_puts_them(roll, fitted):
    new, _ = swiss_roll(200, seed=1)
    n = len(roll[0])
    refit = SemidefiniteEmbedding(2, landmarks=fitted.landmarks_, random_state=0)
    whole = refit.fit(np.concatenate([roll[0], new])).embedding_
    shift = whole[:n].mean(axis=0)
    W = lp.procrustes(fitted.embedding_, whole[:n] - shift)
    apart = np.linalg.norm(fitted.transform(new) @ W - (whole[n:] - shift), axis=1).mean()
    assert apart <= 0.01 * np.sqrt((whole**2).sum(axis=1).mean())


def test_the_landmark_map_rebuilds_flat_points_from_landmarks():
    flat = np.random.default_rng(0).uniform(size=(300, 2))
    weights = reconstruction_weights(
        flat, flat, Neighborhood.of(flat, n_neighbors=4).nearest_training(10)[0], 1e-6
    )
    Q = landmark_map(weights, np.arange(12), np.arange(300))
    np.testing.assert_allclose(Q.sum(axis=1), 1, atol=1e-12)
    assert np.abs(Q @ flat[:12] - flat).max() < 0.02
    U = orthonormal_range(Q)
    assert U.shape == (300, 11)
    np.testing.assert_allclose(U.T @ U, np.eye(11), atol=1e-12)
    np.testing.assert_allclose(U.sum(axis=0), 0, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-6, 1e8])
def test_any_unit_of_length(unit):
    X, _ = swiss_roll(500)
    model = SemidefiniteEmbedding(2, landmarks=15, random_state=0)
    plain, scaled = clone(model).fit(X), clone(model).fit(X * unit)
    assert scaled.bound_.gap <= 1e-3
    np.testing.assert_allclose(scaled.eigenvalues_ / unit**2, plain.eigenvalues_, rtol=5e-3)


def test_permuting_points_permutes_the_embedding():
    X, _ = swiss_roll(400)
    order = np.random.default_rng(1).permutation(400)
    place = np.argsort(order)
    landmarks = np.arange(0, 400, 25)
    one = SemidefiniteEmbedding(2, landmarks=landmarks, tol=1e-5, random_state=0).fit(X)
    two = SemidefiniteEmbedding(2, landmarks=place[landmarks], tol=1e-5, random_state=0).fit(X[order])
    W = lp.procrustes(two.embedding_, one.embedding_[order])
    # The optimum need not be unique; its value and what the constraints fix of it are.
    np.testing.assert_allclose(two.embedding_ @ W, one.embedding_[order], atol=0.02 * np.abs(one.embedding_).max())
    assert two.bound_.lower == pytest.approx(one.bound_.lower, rel=2e-5)


def test_duplicates_are_one_point_with_their_multiplicity():
    X, _ = swiss_roll(300)
    extra = np.concatenate([X, X[:40], X[7:8], X[7:8]])
    model = SemidefiniteEmbedding(2, landmarks=12, random_state=0).fit(extra)
    np.testing.assert_array_equal(model.embedding_[300:340], model.embedding_[:40])
    np.testing.assert_array_equal(model.embedding_[340], model.embedding_[7])
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-9 * np.abs(model.embedding_).max())
    np.testing.assert_allclose(model.transform(extra), model.embedding_, atol=1e-7)
    graph = model.graph_
    assert graph.shape == (342, 342)
    assert abs(graph - graph.T).max() == 0
    assert np.diff(graph.indptr).min() > 0
    assert graph.indices[graph.indptr[300] : graph.indptr[301]].tolist() == [0]  # an edge of length 0


def test_near_duplicates_are_bounded_and_said():
    X, _ = swiss_roll(300)
    X = np.concatenate([X, X[:1] + 1e-9])
    with pytest.warns(LpgraphWarning, match="1 pairs of points are nearly duplicates"):
        model = SemidefiniteEmbedding(2, landmarks=12, random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert np.linalg.norm(model.embedding_[0] - model.embedding_[-1]) < 1e-3


def test_noise_that_keeps_constraints_from_saturating_is_said():
    X = np.random.default_rng(0).standard_normal((400, 30))
    with pytest.warns(LpgraphWarning, match="Half of the distances between neighbors shrank to less than 0"):
        SemidefiniteEmbedding(2, landmarks=6, random_state=0).fit(X)


def two_pieces():
    X, _ = swiss_roll(200)
    return np.concatenate([X, X[:60] + 1000])


def test_the_map_of_many_points_is_found_for_a_part_of_them(monkeypatch, roll):
    """Then others are reconstructed from the part, so that a flat sheet is still unfolded."""
    X, z = roll
    whole = SemidefiniteEmbedding(2, landmarks=25, random_state=0).fit(X)
    monkeypatch.setattr("lpgraph.manifold.unfolding.learn._AT_ONCE", 1600)
    part = SemidefiniteEmbedding(2, landmarks=25, random_state=0).fit(X)
    assert np.array_equal(part.landmarks_, whole.landmarks_)
    assert not np.array_equal(part.embedding_, whole.embedding_)
    assert explained(part.embedding_, z) > explained(whole.embedding_, z) - 0.03
    assert part.constraints_.violation <= 1e-3
    assert np.allclose(part.transform(X[:5]), part.embedding_[:5])


def test_a_component_without_a_landmark_is_named():
    with pytest.raises(GraphError, match=r"1 of 2 components .* has 60 points, among them point 200\."):
        SemidefiniteEmbedding(2, landmarks=list(range(10))).fit(two_pieces())


def test_two_components_with_landmarks_that_nothing_keeps_together_are_named():
    with pytest.raises(GraphError, match=r"have 2 components \(points: 200 with point 0, 60 with point 200\)"):
        SemidefiniteEmbedding(2, landmarks=[0, 20, 40, 60, 200, 210, 220, 230]).fit(two_pieces())


def test_a_disconnected_constraint_graph_is_allowed_when_landmarks_span_it():
    # Two sheets whose constraints (k = 2) do not meet, but whose reconstructions (r = 20) do.
    flat = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    flat = flat + 0.1 * np.random.default_rng(0).uniform(size=flat.shape)
    X = np.concatenate([flat, flat + np.array([9.0, 0.3])])
    model = SemidefiniteEmbedding(
        2, n_neighbors=3, landmarks=[0, 30, 62, 70, 100, 127], n_reconstruction_neighbors=40
    ).fit(X)
    assert connected_components(lp.as_adjacency(model.graph_))[0] == 2
    assert np.isfinite(model.embedding_).all()


def test_weights_that_rounding_chooses_are_said():
    X, _ = swiss_roll(300)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SemidefiniteEmbedding(2, landmarks=20, regularizer=0.0, random_state=0).fit(X)
    assert any("many weights reconstruct a point exactly" in str(w.message) for w in caught)
    assert np.isfinite(model.embedding_).all()


def test_an_interruption_leaves_a_certified_model(monkeypatch):
    from lpgraph.linalg import semidefinite

    X, _ = swiss_roll(600)
    calls = []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return solve(*arguments, **options)

    monkeypatch.setattr(semidefinite, "solve", interrupted)
    model = SemidefiniteEmbedding(2, landmarks=20, random_state=0)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit(X)
    assert "certified bounds Bound(" in caught.value.__notes__[0]
    assert 1e-3 < model.bound_.gap < 1
    assert model.transform(X[:3]) == pytest.approx(model.embedding_[:3])


def test_an_interruption_of_all_points_at_once_leaves_a_model_too(monkeypatch):
    from lpgraph.manifold.unfolding import low_rank

    X, _ = swiss_roll(150)
    minimise, calls = low_rank.minimise, []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return minimise(*arguments, **options)

    monkeypatch.setattr(low_rank, "minimise", interrupted)
    model = SemidefiniteEmbedding(2, constraints="inequality", tol=1e-4)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit(X)
    assert "certified bounds Bound(" in caught.value.__notes__[0]
    assert 1e-4 < model.bound_.gap < 1
    assert model.transform(X[:3]) == pytest.approx(model.embedding_[:3])


def test_an_interruption_before_there_is_anything_goes_through(monkeypatch):
    from lpgraph.linalg import semidefinite

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(semidefinite, "feasible_start", interrupted)
    model = SemidefiniteEmbedding(2, landmarks=20)
    with pytest.raises(KeyboardInterrupt):
        model.fit(swiss_roll(300)[0])
    assert not hasattr(model, "embedding_")


@pytest.mark.slow
def test_any_unit_of_length_without_landmarks():
    X, _ = swiss_roll(150)
    plain = SemidefiniteEmbedding(2).fit(X)
    for unit in 1e-6, 1e8:
        scaled = SemidefiniteEmbedding(2).fit(X * unit)
        np.testing.assert_allclose(scaled.eigenvalues_ / unit**2, plain.eigenvalues_, rtol=5e-3)


@pytest.mark.slow
def test_wider_neighbourhoods_hold_a_sparse_roll_in_shape():
    # Four neighbours give some four pairs a point, which leave holes to stretch; five give 5.7.
    X, flat = swiss_roll(800)
    model = SemidefiniteEmbedding(2, n_neighbors=5).fit(X)
    assert model.constraints_.rms <= 1e-3
    for coordinate in flat.T:
        assert explained(model.embedding_, coordinate[:, None]) > 0.999**2


@pytest.mark.parametrize(
    ("settings", "error", "match"),
    [
        ({"landmarks": 2}, ArgumentError, "landmarks=2 with 100 distinct points; pass landmarks >= 3"),
        ({"landmarks": 101}, ArgumentError, "landmarks=101 with 100 distinct points; pass landmarks <= 100"),
        ({"landmarks": [0, 1, 100]}, ArgumentError, "landmarks has the index 100; pass indices from 0 to 99"),
        ({"landmarks": [0, 1, 1]}, ArgumentError, "landmarks has 2 distinct points; pass at least 3"),
        ({"landmarks": [0.5, 1, 2]}, ArgumentTypeError, "landmarks has dtype float64"),
        ({"landmarks": 10, "n_neighbors": 100}, ArgumentError, "n_neighbors=100 but only 100 distinct points"),
        (
            {"landmarks": 10, "n_reconstruction_neighbors": 100},
            ArgumentError,
            "pass n_reconstruction_neighbors <= 99",
        ),
        (
            {"landmarks": 10, "constraints": "soft"},
            ArgumentError,
            'constraints="soft" is not available with landmarks',
        ),
        ({"constraints": "equal"}, ArgumentError, "constraints='equal'; pass one of 'inequality', 'soft'"),
        ({"landmarks": 10, "tol": 0.0}, ArgumentError, "tol=0.0"),
        ({"landmarks": 10, "regularizer": -1.0}, ArgumentError, "regularizer=-1.0"),
    ],
)
def test_what_cannot_work_is_refused(settings, error, match):
    with pytest.raises(error, match=match):
        SemidefiniteEmbedding(2, **settings).fit(swiss_roll(100)[0])


def test_the_input_is_left_alone():
    X, _ = swiss_roll(200)
    before = X.copy()
    SemidefiniteEmbedding(2, landmarks=10, random_state=0).fit(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.slow
def test_all_points_at_once_keep_their_distances_softly():
    X, flat = swiss_roll(400)
    model = SemidefiniteEmbedding(2).fit(X)
    assert model.constraints_.rms <= 1e-3
    assert model.bound_ is None
    assert model.landmarks_ is None
    assert model.constraints_.monitored == model.constraints_.count
    F, graph = model.kernel_, model.graph_.tocoo()
    i, j = graph.coords
    change = ((F[i] - F[j]) ** 2).sum(axis=1) / graph.data**2 - 1
    assert np.sqrt(np.mean(change**2)) == pytest.approx(model.constraints_.rms)
    assert explained(model.embedding_, flat[:, :1]) > 0.999
    assert model.eigenvalues_.sum() > 0.997 * model.spectrum_.sum()
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-7)


def test_all_points_at_once_under_inequalities_come_with_a_bound():
    X, _ = swiss_roll(150)
    model = SemidefiniteEmbedding(2, constraints="inequality", tol=1e-2).fit(X)
    assert model.bound_.gap <= 1e-2
    assert model.constraints_.violation <= 1.1e-2
    # Landmarks only restrict the kernel: they cannot unfold further.
    few = SemidefiniteEmbedding(2, landmarks=20, random_state=0).fit(X)
    assert few.bound_.lower <= model.bound_.upper


def test_without_landmarks_duplicates_count_with_their_multiplicity():
    X, _ = swiss_roll(120)
    extra = np.concatenate([X, X[:30]])
    model = SemidefiniteEmbedding(2).fit(extra)
    np.testing.assert_allclose(model.embedding_[120:], model.embedding_[:30], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(model.kernel_.mean(axis=0), 0, atol=1e-9 * np.abs(model.kernel_).max())


def test_a_flat_sheet_stays_as_it_is():
    flat = np.random.default_rng(0).uniform(size=(150, 2)) * [3, 1]
    model = SemidefiniteEmbedding(2).fit(flat)
    W = lp.procrustes(model.embedding_, flat - flat.mean(axis=0))
    np.testing.assert_allclose(model.embedding_ @ W, flat - flat.mean(axis=0), atol=0.05)


def test_without_landmarks_disconnected_constraints_are_refused():
    with pytest.raises(GraphError, match="have 2 components"):
        SemidefiniteEmbedding(2).fit(two_pieces())
