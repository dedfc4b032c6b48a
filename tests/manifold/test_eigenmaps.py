"""Normalised similarity graphs: eigenmaps, diffusion maps, and the clusters of new points."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.manifold import SpectralEmbedding

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.manifold import DiffusionMap, LaplacianEigenmaps, SpectralClustering

X = make_blobs(120, centers=3, cluster_std=2.5, n_features=4, random_state=0)[0]
NEW = make_blobs(20, centers=3, cluster_std=2.5, n_features=4, random_state=1)[0]


def normalised(K):
    return K / np.sqrt(np.outer(K.sum(axis=1), K.sum(axis=1)))


def top(matrix, count, skip):
    values, vectors = np.linalg.eigh(matrix)
    chosen = slice(len(values) - skip - 1, len(values) - skip - count - 1, -1)
    return values[chosen], vectors[:, chosen]


def same_up_to_sign(a, b, atol):
    return np.abs(a * np.sign((a * b).sum(axis=0)) - b).max() < atol


def gaussian(a, b, sigma):
    return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / sigma**2)


@pytest.mark.parametrize("solver", ["lapack", "lanczos", "inverse"])
def test_eigenmaps_by_hand(solver):
    # Two-sided neighbours (Bengio et al. 2004, Section 3.3), degrees with the diagonal, trivial vector left out.
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    radii = np.sort(D, axis=1)[:, 7]
    K = (np.maximum.outer(radii, radii) * (1 + 1e-12) >= D).astype(float)
    values, vectors = top(normalised(K), 3, skip=1)
    model = LaplacianEigenmaps(3, n_neighbors=7, normalization="symmetric", solver=solver, tol=1e-10).fit(X)
    assert np.allclose(model.graph_.toarray(), K)
    assert np.allclose(model.eigenvalues_, values)
    assert same_up_to_sign(model.embedding_, vectors, 1e-7)
    # A new point, by the definition of the kernel, Eq. (8).
    d = np.linalg.norm(NEW[:, None] - X[None], axis=2)
    rows = (np.maximum(np.sort(d, axis=1)[:, 6][:, None], radii) * (1 + 1e-12) >= d).astype(float)
    kernel = rows / np.sqrt(np.outer(rows.sum(axis=1), K.sum(axis=1)))
    new = kernel @ model.embedding_ / values
    assert np.allclose(model.transform(NEW), new, atol=1e-8)
    # By default both are divided by the root of the degree; a new point is at the mean of its neighbors over l.
    walk = LaplacianEigenmaps(3, n_neighbors=7, solver=solver, tol=1e-10).fit(X)
    assert same_up_to_sign(walk.embedding_, vectors / np.sqrt(K.sum(axis=1))[:, None], 1e-7)
    means = rows @ walk.embedding_ / rows.sum(axis=1, keepdims=True)
    assert np.allclose(walk.transform(NEW), means / values, atol=1e-8)


def test_scikit_learn_agrees_where_the_conventions_do():
    # SpectralEmbedding leaves the diagonal out of the degrees and returns Belkin & Niyogi's y = v / sqrt(S).
    theirs = SpectralEmbedding(n_components=3, affinity="rbf", gamma=1 / 9, random_state=0).fit(X)
    settings = {"n_neighbors": None, "affinity": "gaussian", "sigma": 3.0}
    ours = LaplacianEigenmaps(3, diagonal="drop", **settings).fit(X)
    assert same_up_to_sign(ours.embedding_, theirs.embedding_, 1e-6)
    symmetric = LaplacianEigenmaps(3, diagonal="drop", normalization="symmetric", **settings).fit(X)
    root = np.sqrt(ours.graph_.sum(axis=1))
    assert np.allclose(ours.embedding_ * root[:, None], symmetric.embedding_)


def test_the_random_walk_coordinates_solve_belkin_and_niyogis_problem():
    model = LaplacianEigenmaps(3, n_neighbors=9).fit(X)
    K = model.graph_.toarray()
    S = np.diag(K.sum(axis=1))
    y = model.embedding_
    assert np.allclose((S - K) @ y, S @ y * (1 - model.eigenvalues_), atol=1e-9)
    assert np.allclose(y.T @ S @ y, np.eye(3))


def test_without_the_diagonal_training_points_are_missed_and_with_it_they_are_not():
    settings = {"n_neighbors": 6, "affinity": "gaussian", "sigma": 3.0}
    for diagonal, exact in (("keep", True), ("drop", False)):
        model = LaplacianEigenmaps(2, diagonal=diagonal, **settings).fit(X)
        miss = np.linalg.norm(model.transform(X) - model.embedding_) / np.linalg.norm(model.embedding_)
        assert (miss < 1e-10) == exact
        if not exact:
            assert miss > 0.005


def test_the_inverse_finds_slow_functions_that_lanczos_alone_resolves_only_roughly():
    # A long strip: the eigenvalues of the walk are 1 minus some 1e-5, and close to each other.
    points = np.random.default_rng(0).uniform(size=(1500, 2)) * [100, 1]
    model = LaplacianEigenmaps(3, n_neighbors=8, solver="inverse", components="bridge", tol=1e-8).fit(points)
    exact = LaplacianEigenmaps(3, n_neighbors=8, solver="lapack", components="bridge").fit(points)
    assert 1 - model.eigenvalues_[0] < 1e-4
    assert np.allclose(1 - model.eigenvalues_, 1 - exact.eigenvalues_, rtol=1e-6)
    assert same_up_to_sign(model.embedding_, exact.embedding_, 1e-6)


def test_given_distances_say_what_points_do():
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    for settings in ({"n_neighbors": 8}, {"n_neighbors": None, "affinity": "gaussian", "sigma": 3.0}):
        points = LaplacianEigenmaps(2, **settings).fit(X)
        given = LaplacianEigenmaps(2, metric="precomputed", **settings).fit(D)
        assert np.allclose(points.embedding_, given.embedding_, atol=1e-9)
        to = np.linalg.norm(NEW[:, None] - X[None], axis=2)
        assert np.allclose(points.transform(NEW), given.transform(to), atol=1e-9)


def test_the_default_width_is_the_edges_root_mean_square_length():
    model = LaplacianEigenmaps(2, n_neighbors=8, affinity="gaussian").fit(X)
    lengths = lp.neighbor_graph(X, n_neighbors=8).data
    assert model.sigma_ == pytest.approx(np.sqrt(np.mean(lengths**2)))
    assert LaplacianEigenmaps(2, n_neighbors=8).fit(X).sigma_ is None


def test_components():
    apart = np.vstack([X, X + 1000])
    with pytest.raises(GraphError, match="2 components"):
        LaplacianEigenmaps(2, n_neighbors=8).fit(apart)
    largest = LaplacianEigenmaps(2, n_neighbors=8, components="largest").fit(apart)
    assert np.array_equal(largest.kept_, np.arange(120))
    assert np.array_equal(largest.embedding_, LaplacianEigenmaps(2, n_neighbors=8).fit(X).embedding_)
    bridged = LaplacianEigenmaps(1, n_neighbors=8, components="bridge").fit(apart)
    # The slowest function separates the two components.
    side = bridged.embedding_.ravel() > 0
    assert side[:120].all() != side[120:].all()
    assert np.abs(bridged.transform(apart) - bridged.embedding_).max() < 1e-10


def test_a_diffusion_map_has_diffusion_distances():
    K = gaussian(X, X, 4.0)
    P = K / K.sum(axis=1, keepdims=True)
    stationary = K.sum(axis=1) / K.sum()
    Pt = np.linalg.matrix_power(P, 3)
    expected = ((Pt[:, None] - Pt[None]) ** 2 / stationary).sum(axis=2)
    values = np.linalg.eigvalsh(normalised(K))
    # A Gaussian kernel is positive: with nearly all of its spectrum nothing of the distance is left out.
    count = int((values > 1e-6).sum()) - 1
    model = DiffusionMap(count, n_neighbors=None, sigma=4.0, alpha=0.0, time=3).fit(X)
    found = ((model.embedding_[:, None] - model.embedding_[None]) ** 2).sum(axis=2)
    assert np.allclose(found, expected, atol=1e-9)
    # Eigenfunctions have unit variance, and mean zero, in the stationary distribution.
    psi = model.embedding_[:, :3] / model.eigenvalues_[:3] ** 3
    assert np.allclose(psi.T @ (stationary[:, None] * psi), np.eye(3))
    assert np.allclose(stationary @ psi, 0, atol=1e-10)


def test_a_diffusion_map_extends_by_one_step_of_the_walk():
    model = DiffusionMap(2, n_neighbors=None, sigma=4.0, alpha=1.0, time=2).fit(X)
    K, rows = gaussian(X, X, 4.0), gaussian(NEW, X, 4.0)
    free = rows / np.outer(rows.sum(axis=1), K.sum(axis=1))
    step = free / free.sum(axis=1, keepdims=True)
    assert np.allclose(model.transform(NEW), step @ model.embedding_ / model.eigenvalues_, atol=1e-10)


def test_alpha_one_forgets_the_density():
    # Points on an interval, three times denser on the left: with alpha = 1 the first coordinate is the cosine of
    # the Laplacian's, whatever the density; without it the density bends it.
    t = np.concatenate([np.linspace(0, 0.5, 301)[:-1], np.linspace(0.5, 1, 101)])
    off = {}
    for alpha in (0.0, 1.0):
        y = DiffusionMap(1, n_neighbors=None, sigma=0.04, alpha=alpha).fit(t[:, None]).embedding_.ravel()
        basis = np.column_stack([np.cos(np.pi * t), np.ones_like(t)])
        off[alpha] = np.linalg.norm(y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]) / np.linalg.norm(y)
    assert off[1.0] < 0.03 < 0.1 < off[0.0]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", ["moons", "rings"])
def test_new_points_of_two_moons_and_two_rings_find_their_cluster(shape, full):
    draw = make_moons if shape == "moons" else make_circles
    extra = {} if shape == "moons" else {"factor": 0.4}
    points, truth = draw(600, noise=0.05, random_state=0, **extra)
    new, expected = draw(10_000, noise=0.05, random_state=1, **extra)
    settings = {"n_neighbors": None, "sigma": 0.15} if full else {"n_neighbors": 10}
    model = SpectralClustering(2, **settings).fit(points)
    agreement = np.mean(model.labels_ == truth)
    if agreement < 0.5:
        truth, expected = 1 - truth, 1 - expected
    assert np.mean(model.labels_ == truth) >= 0.99
    assert np.mean(model.predict(new) == expected) >= 0.99
    assert np.array_equal(model.predict(points), model.labels_)


def test_clustering_is_ng_jordan_and_weiss():
    K = gaussian(X, X, 3.0)
    _, vectors = top(normalised(K), 3, skip=0)
    model = SpectralClustering(3, n_neighbors=None, sigma=3.0).fit(X)
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert same_up_to_sign(model.embedding_, rows, 1e-8)
    assert np.allclose(np.linalg.norm(model.transform(NEW), axis=1), 1)
    for label in range(3):
        assert np.allclose(model.centers_[label], model.embedding_[model.labels_ == label].mean(axis=0))


def test_components_are_clusters():
    apart = np.vstack([X, X + 1000, X - 1000])
    model = SpectralClustering(3, n_neighbors=8).fit(apart)
    assert np.allclose(model.eigenvalues_, 1)
    assert sorted(np.bincount(model.labels_)) == [120, 120, 120]
    assert [len(set(model.labels_[i : i + 120])) for i in (0, 120, 240)] == [1, 1, 1]
    assert np.array_equal(model.predict(apart[::7] + 0.01), model.labels_[::7])


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (LaplacianEigenmaps, {"affinity": "binary", "sigma": 1.0}, "sigma=1.0 but affinity='binary'"),
        (LaplacianEigenmaps, {"affinity": "rbf"}, "affinity='rbf'; pass one of 'gaussian', 'binary'"),
        (LaplacianEigenmaps, {"n_neighbors": None}, "pass affinity='gaussian' and a sigma"),
        (LaplacianEigenmaps, {"diagonal": "zero"}, "diagonal='zero'"),
        (
            LaplacianEigenmaps,
            {"n_neighbors": None, "affinity": "gaussian", "sigma": 3.0, "solver": "inverse"},
            "solver='inverse' needs a sparse graph",
        ),
        (LaplacianEigenmaps, {"normalization": "none"}, "normalization='none'"),
        (LaplacianEigenmaps, {"affinity": "gaussian", "sigma": 0.0}, "sigma=0.0"),
        (DiffusionMap, {"n_components": 119, "n_neighbors": 3}, "eigenvalues are positive; pass n_components <="),
        (DiffusionMap, {"alpha": 1.5}, "alpha=1.5"),
        (DiffusionMap, {"time": -1}, "time=-1"),
        (SpectralClustering, {"n_init": 0}, "n_init=0"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(kind, settings, message):
    with pytest.raises(ArgumentError, match=message):
        kind(**settings).fit(X)


def test_a_point_like_no_other_is_named():
    model = LaplacianEigenmaps(2, n_neighbors=None, radius=12.0).fit(X)
    with pytest.raises(ArgumentError, match="New point 0 has no similarity to any training point"):
        model.transform(NEW[:1] + 1e4)
    far = np.vstack([X, X[:1] + 1e4])
    dropped = LaplacianEigenmaps(2, n_neighbors=None, affinity="gaussian", sigma=3.0, diagonal="drop")
    with pytest.raises(ArgumentError, match="Point 120 has no similarity to any other"):
        dropped.fit(far)
