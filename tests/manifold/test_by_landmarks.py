"""Landmarks of classical scaling and kernel PCA: the paper's formula, exact recovery, and the whole as a limit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA as SklearnKernelPCA

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.manifold import ClassicalMDS, KernelPCA

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 5)) * [5, 4, 3, 2, 1]
NEW = RNG.standard_normal((15, 5)) * [5, 4, 3, 2, 1]
DIGITS = load_digits().data
LANDMARKS = np.arange(3, 80, 5)

#: Settings of both methods, and the form in which they take points.
SETTINGS = [
    (ClassicalMDS(2), "points"),
    (ClassicalMDS(2, metric="manhattan"), "points"),
    (ClassicalMDS(2, metric="seuclidean"), "points"),
    (ClassicalMDS(2, metric=lambda u, v: np.abs(u - v).max()), "points"),
    (ClassicalMDS(2, metric="precomputed"), "distances"),
    (ClassicalMDS(2), "sparse"),
    (ClassicalMDS(2, metric="cosine"), "sparse"),
    (KernelPCA(2), "points"),
    (KernelPCA(2, kernel="rbf", gamma=0.02), "points"),
    (KernelPCA(2, kernel=lambda u, v: (u @ v) ** 2), "points"),
    (KernelPCA(2, kernel="precomputed"), "kernel"),
    (KernelPCA(2, kernel="cosine"), "sparse"),
]
each = pytest.mark.parametrize(("method", "form"), SETTINGS, ids=lambda value: f"{value!r:.60}".split(" at 0x")[0])


def distances(a, b):
    return np.linalg.norm(a[:, None] - b[None], axis=2)


def arranged(form, points):
    if form == "distances":
        return np.abs(points[:, None] - X[None]).sum(axis=2)
    if form == "kernel":
        return (points @ X.T) ** 2
    return sparse.csr_array(points) if form == "sparse" else points


def same_up_to_sign(a, b, atol):
    return np.abs(a * np.sign((a * b).sum(axis=0)) - b).max() < atol * np.abs(b).max()


@each
def test_all_points_as_landmarks_are_the_whole(method, form):
    full = method.set_params(landmarks=None).fit(arranged(form, X))
    assert full.landmarks_ is None
    positions, new = full.embedding_, full.transform(arranged(form, NEW))
    for landmarks in (80, np.random.default_rng(0).permutation(80)):
        marked = method.set_params(landmarks=landmarks).fit(arranged(form, X))
        assert same_up_to_sign(marked.embedding_, positions, 1e-9)
        assert same_up_to_sign(marked.transform(arranged(form, NEW)), new, 1e-9)


@each
def test_other_points_are_placed_as_new_points(method, form):
    model = method.set_params(landmarks=LANDMARKS).fit(arranged(form, X))
    assert np.array_equal(model.landmarks_, LANDMARKS)
    assert model.embedding_.shape == (80, 2)
    assert (
        np.abs(model.transform(arranged(form, X)) - model.embedding_).max()
        < 1e-12 * np.abs(model.embedding_).max()
    )
    assert (model.residuals_ <= model.tol).all()
    # The eigenvalues are those of the landmarks, whose rows are centred.
    at = model.embedding_[LANDMARKS]
    assert np.abs(at.mean(axis=0)).max() < 1e-9 * np.abs(at).max()
    assert np.allclose((at**2).sum(axis=0), model.eigenvalues_)


def test_landmark_scaling_is_the_formula_of_de_silva_and_tenenbaum():
    # Section 2: with the eigenpairs (l_k, v_k) of the centred squared distances of landmarks, a point at the
    # squared distances delta from them is at -1/2 L# (delta - mean), L# = v_k' / sqrt(l_k).
    D = np.abs(X[:, None] - X[None]).sum(axis=2) ** 2
    among = D[np.ix_(LANDMARKS, LANDMARKS)]
    centring = np.eye(16) - 1 / 16
    values, vectors = np.linalg.eigh(-0.5 * centring @ among @ centring)
    values, vectors = values[:-4:-1], vectors[:, :-4:-1]
    formula = -0.5 * (D[:, LANDMARKS] - among.mean(axis=0)) @ (vectors / np.sqrt(values))
    model = ClassicalMDS(3, metric="manhattan", landmarks=LANDMARKS).fit(X)
    assert np.allclose(model.eigenvalues_, values)
    assert same_up_to_sign(model.embedding_, formula, 1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
@pytest.mark.parametrize("m", [6, 7, 20])
def test_few_landmarks_determine_euclidean_distances_exactly(metric, m):
    # d + 1 = 6 landmarks in general position determine points in d = 5 dimensions.
    given = distances(X, X) if metric == "precomputed" else X
    new = distances(NEW, X) if metric == "precomputed" else NEW
    model = ClassicalMDS(5, metric=metric, landmarks=m, random_state=3).fit(given)
    placed = model.transform(new)
    # m = 6 landmarks span a simplex whose least singular value is small, which amplifies rounding.
    assert np.abs(distances(model.embedding_, model.embedding_) - distances(X, X)).max() < 1e-7
    assert np.abs(distances(placed, model.embedding_) - distances(NEW, X)).max() < 1e-7
    assert model.negative_ < 1e-9


def test_kernel_components_of_landmarks_are_those_of_scikit_learn():
    landmarks = np.arange(0, 1797, 6)
    ours = KernelPCA(6, kernel="rbf", gamma=1e-3, landmarks=landmarks).fit(DIGITS)
    theirs = SklearnKernelPCA(6, kernel="rbf", gamma=1e-3, eigen_solver="dense").fit(DIGITS[landmarks])
    assert np.allclose(ours.eigenvalues_, theirs.eigenvalues_)
    assert same_up_to_sign(ours.embedding_, theirs.transform(DIGITS), 1e-7)


def test_metrics_with_parameters_of_the_points_take_those_of_all():
    few = ClassicalMDS(2, metric="seuclidean", landmarks=LANDMARKS).fit(X)
    scaled = ClassicalMDS(2, landmarks=LANDMARKS).fit(X / X.std(axis=0, ddof=1))
    assert same_up_to_sign(few.embedding_, scaled.embedding_, 1e-9)
    few = ClassicalMDS(2, metric="mahalanobis", landmarks=LANDMARKS).fit(X)
    white = X @ np.linalg.inv(np.linalg.cholesky(np.cov(X.T))).T
    assert same_up_to_sign(few.embedding_, ClassicalMDS(2, landmarks=LANDMARKS).fit(white).embedding_, 1e-9)


def test_landmarks_approximate_the_whole_the_better_the_more():
    full = KernelPCA(3, kernel="rbf", gamma=1e-3).fit(DIGITS).embedding_
    errors = []
    for m in (50, 200, 800):
        some = KernelPCA(3, kernel="rbf", gamma=1e-3, landmarks=m, random_state=0).fit(DIGITS).embedding_
        some, other = some - some.mean(axis=0), full - full.mean(axis=0)
        errors.append(np.linalg.norm(some @ lp.procrustes(some, other) - other) / np.linalg.norm(other))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.1  # sqrt(1 / 800 - 1 / 1797) = 0.026, divided by relative gaps of eigenvalues below 1


def test_the_inverse_transform_is_learned_from_the_landmarks():
    model = KernelPCA(5, landmarks=LANDMARKS, fit_inverse_transform=True, alpha=1e-6).fit(X)
    alone = KernelPCA(5, fit_inverse_transform=True, alpha=1e-6).fit(X[LANDMARKS])
    assert np.allclose(
        model.inverse_transform(model.transform(NEW)), alone.inverse_transform(alone.transform(NEW))
    )


def test_landmarks_are_drawn_by_the_seed():
    fits = [ClassicalMDS(2, landmarks=10, random_state=seed).fit(X) for seed in (1, 1, 2, None, 0)]
    assert np.array_equal(fits[0].embedding_, fits[1].embedding_)
    assert not np.array_equal(fits[0].landmarks_, fits[2].landmarks_)
    assert np.array_equal(fits[3].landmarks_, fits[4].landmarks_)


def test_all_positive_dimensions_are_those_of_the_landmarks():
    assert KernelPCA(None, landmarks=4).fit(X).embedding_.shape == (80, 3)
    assert KernelPCA(None, landmarks=40).fit(X).embedding_.shape == (80, 5)


def test_a_hundred_thousand_points_need_no_square_matrix():
    many = np.random.default_rng(0).standard_normal((100_000, 3)) * [3, 2, 1]
    model = ClassicalMDS(2, metric="minkowski", metric_params={"p": 3}, landmarks=50).fit(many)
    assert model.embedding_.shape == (100_000, 2)  # n x n would be 80 GB
    assert np.array_equal(model.transform(many[:1000]).shape, (1000, 2))


@pytest.mark.parametrize("method", [ClassicalMDS(2), KernelPCA(2, kernel="rbf")], ids=repr)
@pytest.mark.parametrize(
    ("landmarks", "message"),
    [
        (2, "landmarks=2 .*pass landmarks >= 3"),
        (81, "landmarks=81 .*pass landmarks <= 80"),
        (0.5, "landmarks=0.5"),
        ("maxmin", "landmarks='maxmin'"),
        (True, "landmarks=True"),
        ([1, 1, 2], "distinct indices"),
        ([1, 2, 80], "landmarks has 80"),
        ([1, 2, -1], "landmarks has -1"),
        ([1, 2], "pass at least 3"),
        ([0.0, 1.0, 2.0], "distinct indices"),
        ([[0, 1], [2]], "pass a number, or indices"),
    ],
    ids=repr,
)
def test_wrong_landmarks_are_refused(method, landmarks, message):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=message):
        method.set_params(landmarks=landmarks).fit(X)
