"""Kernel PCA: a projection in feature space, compared with scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import make_circles
from sklearn.decomposition import KernelPCA as SklearnKernelPCA
from sklearn.linear_model import Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from lpgraph.errors import ArgumentError
from lpgraph.manifold import ClassicalMDS, KernelPCA

X = np.random.default_rng(0).uniform(size=(60, 4))
NEW = np.random.default_rng(1).uniform(size=(15, 4))


@pytest.mark.parametrize("size", [60, 700])
@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "linear"},
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": 2.0},
        {"kernel": "poly", "degree": 3, "coef0": 0.5},
        {"kernel": "sigmoid", "gamma": 0.1},
        {"kernel": "cosine"},
        pytest.param({"kernel": "laplacian", "gamma": 0.7}, marks=pytest.mark.slow),
    ],
)
def test_scikit_learn_agrees_in_sample_and_out_of_sample(settings, size):
    points = np.random.default_rng(0).uniform(size=(size, 4))
    ours = KernelPCA(3, tol=1e-8, **settings).fit(points)
    theirs = settings
    if settings["kernel"] == "laplacian":  # there only as a function
        theirs = {"kernel": lambda u, v: np.exp(-settings["gamma"] * np.abs(u - v).sum())}
    theirs = SklearnKernelPCA(3, eigen_solver="dense", **theirs).fit(points)
    expected = theirs.transform(points)
    sign = np.sign((ours.embedding_ * expected).sum(axis=0))
    assert np.abs(ours.embedding_ * sign - expected).max() < 1e-6
    assert np.abs(ours.transform(NEW) * sign - theirs.transform(NEW)).max() < 1e-6
    assert np.allclose(ours.eigenvalues_, theirs.eigenvalues_)


def test_the_eigenfunctions_are_proportional_to_projections_in_feature_space():
    # Bengio et al. (2004, NIPS), Proposition 2: f_k(x) = sqrt(n / l_k) pi_k(x). The features of the squared
    # scalar product are known, so that pi_k can be found without any kernel: PCA of all products of coordinates.
    features = lambda a: np.einsum("ni,nj->nij", a, a).reshape(len(a), -1)  # noqa: E731
    model = KernelPCA(3, kernel="poly", degree=2, gamma=1.0, coef0=0.0).fit(X)
    centred = features(X) - features(X).mean(axis=0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    projection = (features(NEW) - features(X).mean(axis=0)) @ axes[:3].T
    n, values = len(X), model.eigenvalues_
    assert np.allclose(values, singular[:3] ** 2)
    v = model.embedding_ / np.sqrt(values)
    kernel = (NEW @ X.T) ** 2
    K = (X @ X.T) ** 2
    centred_rows = kernel - kernel.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    eigenfunction = np.sqrt(n) / values * (centred_rows @ v)
    sign = np.sign((eigenfunction * projection).sum(axis=0))
    assert np.allclose(eigenfunction, np.sqrt(n / values) * projection * sign)
    assert np.allclose(model.transform(NEW), projection * sign)


def test_a_function_and_precomputed_values_give_what_the_name_gives():
    named = KernelPCA(3, kernel="rbf", gamma=0.8).fit(X)
    rbf = lambda u, v: np.exp(-0.8 * ((u - v) ** 2).sum())  # noqa: E731
    function = KernelPCA(3, kernel=rbf).fit(X)
    values = lambda a: np.array([[rbf(u, v) for v in X] for u in a])  # noqa: E731
    given = KernelPCA(3, kernel="precomputed").fit(values(X))
    for model, new in [(function, NEW), (given, values(NEW))]:
        assert np.allclose(model.embedding_, named.embedding_, atol=1e-9)
        assert np.allclose(model.transform(new), named.transform(NEW), atol=1e-9)
    linear, mds = KernelPCA(2).fit(X), ClassicalMDS(2).fit(X)
    assert np.allclose(linear.embedding_, mds.embedding_, atol=1e-12)
    assert np.allclose(linear.graph_, X @ X.T)


def test_the_same_fit_always_gives_the_same_signs():
    for seed in range(5):
        data = np.random.default_rng(seed).standard_normal((30, 6))
        runs = [KernelPCA(2, kernel="rbf", solver=solver).fit(data).embedding_ for solver in ("lapack", "lapack")]
        assert np.array_equal(*runs)


def test_an_indefinite_kernel_gives_its_positive_part_only():
    values = np.array([[1.0, 2.0, 0], [2.0, 1.0, 0], [0, 0, 0.5]])
    centring = np.eye(3) - 1 / 3
    eigenvalues = np.linalg.eigvalsh(centring @ values @ centring)
    assert eigenvalues[0] < -0.5
    positive = int((eigenvalues > 1e-12).sum())
    model = KernelPCA(positive, kernel="precomputed").fit(values)
    assert np.allclose(model.eigenvalues_, eigenvalues[: -positive - 1 : -1])
    with pytest.raises(ArgumentError, match=f"pass n_components <= {positive}"):
        KernelPCA(positive + 1, kernel="precomputed").fit(values)


def test_nested_circles_are_separated_in_a_pipeline():
    circles, labels = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=0)
    assert Perceptron(max_iter=5, tol=None).fit(circles, labels).score(circles, labels) < 0.8
    pipeline = Pipeline(
        [("kpca", KernelPCA(2, kernel="rbf", gamma=2.0)), ("line", Perceptron(max_iter=5, tol=None))]
    )
    search = GridSearchCV(pipeline, {"kpca__gamma": [0.5, 2.0]}, cv=3).fit(circles, labels)
    assert search.best_score_ == 1


@pytest.mark.parametrize(
    ("settings", "data", "message"),
    [
        ({"kernel": "gauss"}, X, "kernel='gauss'; pass one of 'linear'"),
        ({"kernel": "rbf", "gamma": 0.0}, X, "gamma=0.0"),
        ({"kernel": "poly", "degree": 0.5, "coef0": -9}, X, "the kernel matrix"),
        ({"kernel": lambda u, v: u[0] - v[0]}, X, "not symmetric"),
        ({"kernel": "precomputed"}, X, r"shape \(60, 4\)"),
        ({"kernel": "precomputed"}, np.arange(9.0).reshape(3, 3), "X is not symmetric"),
        ({"n_components": 5}, X, "only 4 eigenvalues are positive"),
    ],
)
def test_wrong_settings_are_refused(settings, data, message):
    with pytest.raises(ArgumentError, match=message):
        KernelPCA(**settings).fit(data)


def test_new_kernel_values_need_one_column_for_each_training_point():
    model = KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    with pytest.raises(ArgumentError, match=r"is expecting 60 features .* one column for each training point"):
        model.transform(X)


@pytest.mark.parametrize("solver", ["auto", "lanczos"])
@pytest.mark.parametrize("settings", [{"kernel": "linear"}, {"kernel": "rbf", "gamma": 0.5}])
def test_all_components_come_from_one_decomposition(settings, solver, monkeypatch):
    from lpgraph.spectral import bottom

    decomposed, calls = bottom.eigenpairs, []

    def counted(*arguments, **options):
        calls.append(options)
        return decomposed(*arguments, **options)

    monkeypatch.setattr(bottom, "eigenpairs", counted)
    # Two equal columns: the linear kernel has rank 3, one less than there are columns.
    few = np.column_stack([X[:40, :3], X[:40, 2]])
    model = KernelPCA(None, solver=solver, **settings).fit(few)
    assert len(calls) == 1
    gram = (
        few @ few.T if settings["kernel"] == "linear" else np.exp(-0.5 * ((few[:, None] - few) ** 2).sum(axis=2))
    )
    centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    values = np.linalg.eigvalsh(centred)[::-1]
    rank = int((values > 1e-12).sum())
    if settings["kernel"] == "linear":
        assert model.embedding_.shape[1] == rank == 3
    k = min(rank, 10)
    np.testing.assert_allclose(model.eigenvalues_[:k], values[:k], rtol=1e-6)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, centred, atol=1e-6)
    np.testing.assert_allclose(model.transform(few), model.embedding_, atol=1e-8)


def test_all_components_of_a_kernel_that_has_none_are_refused():
    with pytest.raises(ArgumentError, match="no positive eigenvalue"):
        KernelPCA(None, kernel="precomputed").fit(np.ones((5, 5)))
