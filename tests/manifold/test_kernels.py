"""Classical scaling and kernel PCA: papers, scikit-learn, landmarks, and the way back to points."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as SklearnKernelPCA
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.preprocessing import KernelCenterer

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError
from lpgraph.manifold import ClassicalMDS, KernelPCA

IRIS = load_iris(return_X_y=True)[0]
RNG = np.random.default_rng(0)
X, NEW = (RNG.standard_normal((n, 5)) * [5, 4, 3, 2, 1] for n in (80, 15))
UNIT, UNIT_NEW = RNG.uniform(size=(60, 4)), RNG.uniform(size=(15, 4))
LANDMARKS = np.arange(3, 80, 5)


def distances(a, b):
    return np.linalg.norm(a[:, None] - b[None], axis=2)


def same_up_to_sign(a, b, atol):
    return np.abs(a * np.sign((a * b).sum(axis=0)) - b).max() < atol * np.abs(b).max()


# Classical scaling


def test_euclidean_scaling_is_principal_component_analysis():
    pca, mds = PCA(2).fit(IRIS), ClassicalMDS(2).fit(IRIS)
    new = IRIS[:20] + 0.3
    sign = np.sign((mds.embedding_ * pca.transform(IRIS)).sum(axis=0))
    assert np.allclose(mds.embedding_ * sign, pca.transform(IRIS), atol=1e-10)
    assert np.allclose(mds.transform(new) * sign, pca.transform(new), atol=1e-10)
    assert np.allclose(np.sqrt(mds.eigenvalues_), pca.singular_values_)
    assert mds.negative_ == 0
    assert np.allclose(mds.graph_, distances(IRIS, IRIS))
    # Far from the origin no digits are lost beyond those of the points.
    far = ClassicalMDS(2).fit(IRIS + 1e7)
    assert np.allclose(far.embedding_, mds.embedding_, atol=1e-6)
    assert np.allclose(far.transform(IRIS + 1e7), far.embedding_, atol=1e-9)


def test_the_negative_part_is_reported_and_not_embedded():
    # The shortest paths on a cycle of 6 are no Euclidean distances: eigenvalues of a circulant, by hand.
    i = np.arange(6)
    D = np.minimum((i[:, None] - i) % 6, (i - i[:, None]) % 6).astype(float)
    values = np.sort([(-0.5 * D[0] ** 2 * np.cos(2 * np.pi * k * i / 6)).sum() for k in range(1, 6)])
    mds = ClassicalMDS(2, metric="precomputed").fit(D)
    assert np.allclose(mds.eigenvalues_, values[:-3:-1])
    assert mds.negative_ == pytest.approx(-values[0] / values[-1])
    K = np.array([[1.0, 2.0, 0], [2.0, 1.0, 0], [0, 0, 0.5]])  # an indefinite kernel
    of_K = np.linalg.eigvalsh(KernelCenterer().fit_transform(K))
    for kind, given, found in ((ClassicalMDS, D, values), (KernelPCA, K, of_K)):
        k = int((found > 1e-9).sum())
        model = kind(k).set_params(**{"metric" if kind is ClassicalMDS else "kernel": "precomputed"}).fit(given)
        assert np.allclose(model.eigenvalues_, found[: -k - 1 : -1])
        with pytest.raises(ArgumentError, match=f"n_components <= {k}"):
            model.set_params(n_components=k + 1).fit(given)


# Kernel PCA


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 2.0},
    {"kernel": "poly", "degree": 3, "coef0": 0.5},
    {"kernel": "sigmoid", "gamma": 0.1},
    {"kernel": "cosine"},
    {"kernel": "laplacian", "gamma": 0.7},
]


@pytest.mark.parametrize("size", [60, 700])
@pytest.mark.parametrize("settings", KERNELS, ids=str)
def test_kernels_agree_with_scikit_learn(settings, size):
    points = np.random.default_rng(0).uniform(size=(size, 4))
    ours = KernelPCA(3, tol=1e-8, **settings).fit(points)
    if settings["kernel"] == "laplacian":  # there only as values
        values = [laplacian_kernel(a, points, gamma=0.7) for a in (points, UNIT_NEW)]
        theirs = SklearnKernelPCA(3, eigen_solver="dense", kernel="precomputed").fit(values[0])
        at, moved = (theirs.transform(given) for given in values)
    else:
        theirs = SklearnKernelPCA(3, eigen_solver="dense", **settings).fit(points)
        at, moved = theirs.transform(points), theirs.transform(UNIT_NEW)
    sign = np.sign((ours.embedding_ * at).sum(axis=0))
    assert np.abs(ours.embedding_ * sign - at).max() < 1e-6
    assert np.abs(ours.transform(UNIT_NEW) * sign - moved).max() < 1e-6
    assert np.allclose(ours.eigenvalues_, theirs.eigenvalues_)


def test_the_eigenfunctions_are_proportional_to_projections_in_feature_space():
    # Bengio et al. (2004, NIPS), Proposition 2: f_k(x) = sqrt(n / l_k) pi_k(x). The features of the squared
    # scalar product are known, so that pi_k can be found without any kernel: PCA of all products of coordinates.
    features = [np.einsum("ni,nj->nij", a, a).reshape(len(a), -1) for a in (UNIT, UNIT_NEW)]
    model = KernelPCA(3, kernel="poly", degree=2, gamma=1.0, coef0=0.0).fit(UNIT)
    mean = features[0].mean(axis=0)
    _, singular, axes = np.linalg.svd(features[0] - mean, full_matrices=False)
    projection = (features[1] - mean) @ axes[:3].T
    n, values = len(UNIT), model.eigenvalues_
    assert np.allclose(values, singular[:3] ** 2)
    kernel, K = (UNIT_NEW @ UNIT.T) ** 2, (UNIT @ UNIT.T) ** 2
    rows = kernel - kernel.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    eigenfunction = np.sqrt(n) / values * (rows @ (model.embedding_ / np.sqrt(values)))
    sign = np.sign((eigenfunction * projection).sum(axis=0))
    assert np.allclose(eigenfunction, np.sqrt(n / values) * projection * sign)
    assert np.allclose(model.transform(UNIT_NEW), projection * sign)


def test_a_function_and_precomputed_values_give_what_the_name_gives():
    def rbf(u, v):
        return np.exp(-0.8 * ((u - v) ** 2).sum())

    named, function = (KernelPCA(3, kernel=kernel, gamma=0.8).fit(UNIT) for kernel in ("rbf", rbf))
    given = KernelPCA(3, kernel="precomputed").fit(rbf_kernel(UNIT, gamma=0.8))
    assert [model.gamma_ for model in (named, function, given)] == [0.8, None, None]
    for model, new in [(function, UNIT_NEW), (given, rbf_kernel(UNIT_NEW, UNIT, gamma=0.8))]:
        assert np.allclose(model.embedding_, named.embedding_, atol=1e-9)
        assert np.allclose(model.transform(new), named.transform(UNIT_NEW), atol=1e-9)
    linear = KernelPCA(2).fit(UNIT)
    assert np.allclose(linear.embedding_, ClassicalMDS(2).fit(UNIT).embedding_, atol=1e-12)
    assert np.allclose(linear.graph_, UNIT @ UNIT.T)


@pytest.mark.parametrize("solver", ["auto", "lanczos"])
@pytest.mark.parametrize("settings", [{"kernel": "linear"}, {"kernel": "rbf", "gamma": 0.5}])
def test_all_positive_components(settings, solver):
    # Two equal columns: the linear kernel has rank 3, one less than there are columns.
    few = np.column_stack([UNIT[:40, :3], UNIT[:40, 2]])
    model = KernelPCA(None, solver=solver, **settings).fit(few)
    gram = few @ few.T if settings["kernel"] == "linear" else rbf_kernel(few, gamma=0.5)
    centred = KernelCenterer().fit_transform(gram)
    values = np.linalg.eigvalsh(centred)[::-1]
    k = min(int((values > 1e-12).sum()), 10)
    if settings["kernel"] == "linear":
        assert model.embedding_.shape[1] == k == 3
        assert KernelPCA(None, solver=solver).fit(sparse.csr_array(few)).embedding_.shape[1] == 3
    np.testing.assert_allclose(model.eigenvalues_[:k], values[:k], rtol=1e-6)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, centred, atol=1e-6)
    np.testing.assert_allclose(model.transform(few), model.embedding_, atol=1e-8)


def test_an_eigenvalue_that_rounding_made_is_no_direction():
    near = np.array([[5, 1], [5 + 1e-8, 1e-8], [5 + 1e-8, 0]])  # one eigenvalue is 1e-17 of the largest
    assert len(KernelPCA(None).fit(near).eigenvalues_) == 1
    with pytest.raises(ArgumentError, match="n_components=2"):
        KernelPCA(2).fit(near)
    with pytest.raises(ArgumentError):
        KernelPCA(None, kernel="precomputed").fit(np.ones((5, 5)))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "cosine"])
def test_the_inverse_transform_is_that_of_scikit_learn(kernel):
    points, new = UNIT[:20], UNIT_NEW[:5]
    settings = {"kernel": kernel, "fit_inverse_transform": True, "alpha": 0.1}
    ours = KernelPCA(3, **settings).fit(points)
    theirs = SklearnKernelPCA(3, eigen_solver="dense", **settings).fit(points)
    expected = theirs.inverse_transform(theirs.transform(new))
    assert np.allclose(ours.inverse_transform(ours.transform(new)), expected, atol=1e-7)


def test_the_inverse_transform_comes_near_and_is_learned_on_demand():
    points = make_blobs(n_samples=100, n_features=4, random_state=0)[0]
    model = KernelPCA(20, kernel="rbf", fit_inverse_transform=True, alpha=1e-3).fit(points)
    assert np.linalg.norm(points - model.inverse_transform(model.embedding_)) < 0.1 * np.linalg.norm(points)
    function = KernelPCA(4, kernel=lambda u, v: np.minimum(u, v).sum(), fit_inverse_transform=True)
    assert function.fit(np.abs(points)).inverse_transform(function.embedding_).shape == points.shape
    few, alone = KernelPCA(5, landmarks=LANDMARKS).fit(X), KernelPCA(5).fit(X[LANDMARKS])
    with pytest.raises(NotFittedError, match="pass fit_inverse_transform=True"):
        few.inverse_transform(few.embedding_)
    for one in (few, alone):
        one.set_params(fit_inverse_transform=True, alpha=1e-6).fit(X if one is few else X[LANDMARKS])
    assert np.allclose(few.transform(NEW), alone.transform(NEW))
    assert np.allclose(*(one.inverse_transform(one.transform(NEW)) for one in (few, alone)))
    with pytest.raises(ArgumentError, match="X"):
        few.inverse_transform(X[:, :2])


INVERSE = {"fit_inverse_transform": True}
WRONG = [
    (KernelPCA(kernel="gauss"), UNIT, "kernel='gauss'"),
    (KernelPCA(kernel="rbf", gamma=0.0), UNIT, "gamma"),
    (KernelPCA(kernel=lambda u, v: u[0] - v[0]), UNIT, "kernel"),
    (KernelPCA(kernel="precomputed"), UNIT, "X"),
    (KernelPCA(**INVERSE), sparse.csr_array(UNIT), "fit_inverse_transform"),
    (KernelPCA(alpha=0, **INVERSE), UNIT, "alpha"),
    (ClassicalMDS(1, metric="precomputed"), np.arange(9.0).reshape(3, 3), "X"),
    (ClassicalMDS(1, metric="precomputed"), np.array([[0.0, 1, 2], [1, 0, 3], [9, 3, 0]]), "X"),
    (ClassicalMDS(1, metric="precomputed"), np.array([[0.0, -1], [-1, 0]]), "X"),
    (ClassicalMDS(1, metric="precomputed", metric_params={"p": 2}), distances(IRIS, IRIS), "metric_params"),
]


@pytest.mark.parametrize(("method", "data", "argument"), WRONG, ids=range(len(WRONG)))
def test_wrong_kernels_and_distances_are_refused(method, data, argument):
    with pytest.raises(ArgumentError, match=argument):
        method.fit(data)


# Landmarks

#: Settings of the methods, and the form in which they take points.
SETTINGS = [
    (ClassicalMDS(2), "points"),
    (ClassicalMDS(2, metric="manhattan"), "points"),
    (ClassicalMDS(2, metric=lambda u, v: np.abs(u - v).max()), "points"),
    (ClassicalMDS(2, metric="precomputed"), "distances"),
    (ClassicalMDS(2), "sparse"),
    (ClassicalMDS(2, metric="cosine"), "sparse"),
    (KernelPCA(2, kernel="rbf", gamma=0.02), "points"),
    (KernelPCA(2, kernel=lambda u, v: (u @ v) ** 2), "points"),
    (KernelPCA(2, kernel="precomputed"), "kernel"),
    (KernelPCA(2, kernel="cosine"), "sparse"),
    (lp.manifold.Isomap(2, n_neighbors=10), "points"),
]


def arranged(form, points):
    if form == "distances":
        return np.abs(points[:, None] - X[None]).sum(axis=2)
    if form == "kernel":
        return (points @ X.T) ** 2
    return sparse.csr_array(points) if form == "sparse" else points


@pytest.mark.parametrize(("method", "form"), SETTINGS, ids=range(len(SETTINGS)))
def test_landmarks(method, form):
    given, new = arranged(form, X), arranged(form, NEW)
    full = method.set_params(landmarks=None).fit(given)
    assert full.landmarks_ is None or len(full.landmarks_) == 80  # Isomap's are all
    positions, placed = full.embedding_, full.transform(new)
    # All points as landmarks give the same as none.
    for landmarks in (80, np.random.default_rng(0).permutation(80)):
        marked = method.set_params(landmarks=landmarks).fit(given)
        assert same_up_to_sign(marked.embedding_, positions, 1e-9)
        assert same_up_to_sign(marked.transform(new), placed, 1e-9)
    # Other points are placed as new points; the eigenvalues are those of the landmarks, whose rows are centred.
    model = method.set_params(landmarks=LANDMARKS).fit(given)
    assert np.array_equal(model.landmarks_, LANDMARKS)
    assert np.abs(model.transform(given) - model.embedding_).max() < 1e-12 * np.abs(model.embedding_).max()
    assert (model.residuals_ <= model.tol).all()
    at = model.embedding_[LANDMARKS]
    assert np.abs(at.mean(axis=0)).max() < 1e-9 * np.abs(at).max()
    assert np.allclose((at**2).sum(axis=0), model.eigenvalues_)


def test_landmark_scaling_is_the_formula_of_de_silva_and_tenenbaum():
    # Section 2: with the eigenpairs (l_k, v_k) of the centred squared distances of landmarks, a point at the
    # squared distances delta from them is at -1/2 L# (delta - mean), L# = v_k' / sqrt(l_k).
    D = np.abs(X[:, None] - X[None]).sum(axis=2) ** 2
    among = D[np.ix_(LANDMARKS, LANDMARKS)]
    values, vectors = np.linalg.eigh(KernelCenterer().fit_transform(-0.5 * among))
    values, vectors = values[:-4:-1], vectors[:, :-4:-1]
    formula = -0.5 * (D[:, LANDMARKS] - among.mean(axis=0)) @ (vectors / np.sqrt(values))
    model = ClassicalMDS(3, metric="manhattan", landmarks=LANDMARKS).fit(X)
    assert np.allclose(model.eigenvalues_, values)
    assert same_up_to_sign(model.embedding_, formula, 1e-10)


def test_fifty_thousand_points_need_no_square_matrix():
    many = np.random.default_rng(0).standard_normal((50_000, 3)) * [3, 2, 1]  # n x n would be 20 GB
    mds = ClassicalMDS(2).fit(many)
    assert np.allclose(mds.eigenvalues_ / len(many), [9, 4], rtol=0.03)  # relative error sqrt(2 / n) = 0.0063
    assert np.allclose(mds.transform(many[:1000]), mds.embedding_[:1000], atol=1e-10)


WRONG = [2, 81, 0.5, "maxmin", [1, 1, 2], [1, 2, 80], [1, 2, -1], [1, 2], [0.0, 1.0, 2.0]]


@pytest.mark.parametrize("method", [ClassicalMDS(2), KernelPCA(2, kernel="rbf"), lp.manifold.Isomap(2)], ids=repr)
@pytest.mark.parametrize("landmarks", WRONG, ids=repr)
def test_wrong_landmarks_are_refused(method, landmarks):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=r"^landmarks"):
        method.set_params(landmarks=landmarks).fit(X)
