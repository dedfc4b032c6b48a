"""Normalised similarity graphs: eigenmaps, diffusion maps, spectral clustering, and their new points."""

import networkx as nx
import numpy as np
import pytest
from manifold.test_isomap import same_up_to_sign
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.manifold import SpectralEmbedding
from sklearn.metrics.pairwise import rbf_kernel

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.manifold import DiffusionMap, LaplacianEigenmaps, SpectralClustering

X = make_blobs(120, centers=3, cluster_std=2.5, n_features=4, random_state=0)[0]
NEW = make_blobs(20, centers=3, cluster_std=2.5, n_features=4, random_state=1)[0]
GIVEN = {"affinity": "precomputed", "n_neighbors": None}


def normalised(K):
    return K / np.sqrt(np.outer(K.sum(axis=1), K.sum(axis=1)))


def top(matrix, count, skip):
    values, vectors = np.linalg.eigh(matrix)
    chosen = slice(len(values) - skip - 1, len(values) - skip - count - 1, -1)
    return values[chosen], vectors[:, chosen]


def gaussian(a, b, sigma):
    return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / sigma**2)


@pytest.mark.parametrize("solver", ["lapack", "lanczos", "inverse"])
def test_eigenmaps_by_hand(solver):
    # Two-sided neighbors (Bengio et al. 2004, Section 3.3), degrees with the diagonal, trivial vector left out.
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    radii = np.sort(D, axis=1)[:, 7]
    K = (np.maximum.outer(radii, radii) * (1 + 1e-12) >= D).astype(float)
    values, vectors = top(normalised(K), 3, skip=1)
    settings = {"n_neighbors": 7, "solver": solver, "tol": 1e-10}
    model = LaplacianEigenmaps(3, normalization="symmetric", **settings).fit(X)
    assert np.allclose(model.graph_.toarray(), K)
    assert np.allclose(model.eigenvalues_, values)
    assert same_up_to_sign(model.embedding_, vectors, 1e-7)
    trivial = model.kernel_rows_.trivial
    assert np.allclose(model.kernel_rows_.operator @ trivial[:, None], trivial[:, None])
    # A new point, by the definition of the kernel, Eq. (8).
    d = np.linalg.norm(NEW[:, None] - X[None], axis=2)
    rows = (np.maximum(np.sort(d, axis=1)[:, 6][:, None], radii) * (1 + 1e-12) >= d).astype(float)
    kernel = rows / np.sqrt(np.outer(rows.sum(axis=1), K.sum(axis=1)))
    assert np.allclose(model.transform(NEW), kernel @ model.embedding_ / values, atol=1e-8)
    # By default both are divided by the root of the degree: the solutions of Belkin & Niyogi's problem.
    # A new point is at the mean of its neighbors, divided by l.
    walk = LaplacianEigenmaps(3, **settings).fit(X)
    y, S = walk.embedding_, np.diag(K.sum(axis=1))
    assert same_up_to_sign(y, vectors / np.sqrt(K.sum(axis=1))[:, None], 1e-7)
    assert np.allclose((S - K) @ y, S @ y * (1 - walk.eigenvalues_), atol=1e-8)
    assert np.allclose(y.T @ S @ y, np.eye(3))
    assert np.allclose(walk.transform(NEW), rows @ y / rows.sum(axis=1, keepdims=True) / values, atol=1e-8)


def test_scikit_learn_agrees_with_its_convention_of_the_diagonal():
    theirs = SpectralEmbedding(n_components=3, affinity="rbf", gamma=1 / 9, random_state=0).fit(X)
    settings = {"n_neighbors": None, "affinity": "gaussian", "sigma": 3.0}
    ours = LaplacianEigenmaps(3, diagonal="drop", **settings).fit(X)
    assert same_up_to_sign(ours.embedding_, theirs.embedding_, 1e-6)
    # With it, training points are not placed where they were.
    for diagonal, exact in (("keep", True), ("drop", False)):
        model = LaplacianEigenmaps(2, n_neighbors=6, affinity="gaussian", sigma=3.0, diagonal=diagonal).fit(X)
        error = np.linalg.norm(model.transform(X) - model.embedding_) / np.linalg.norm(model.embedding_)
        assert (error < 1e-10) if exact else (error > 0.005)


@pytest.mark.parametrize(
    "settings", [{"n_neighbors": 8}, {"n_neighbors": None, "affinity": "gaussian", "sigma": 3.0}]
)
def test_distances_and_similarities_of_points_give_the_same(settings):
    points = LaplacianEigenmaps(2, **settings).fit(X)
    D, to = (np.linalg.norm(a[:, None] - X[None], axis=2) for a in (X, NEW))
    given = LaplacianEigenmaps(2, metric="precomputed", **settings).fit(D)
    assert np.allclose(points.embedding_, given.embedding_, atol=1e-9)
    assert np.allclose(points.transform(NEW), given.transform(to), atol=1e-9)
    if "sigma" in settings:
        K, rows = (rbf_kernel(a, X, gamma=1 / 9) for a in (X, NEW))
        for form in (np.asarray, sparse.csr_array, sparse.coo_matrix):
            given = LaplacianEigenmaps(2, **GIVEN).fit(form(K))
            assert np.allclose(points.embedding_, given.embedding_, atol=1e-9)
            assert np.allclose(points.transform(NEW), given.transform(form(rows)), atol=1e-9)


def test_the_default_width_is_the_root_mean_square_length_of_edges():
    model = LaplacianEigenmaps(2, n_neighbors=8, affinity="gaussian").fit(X)
    assert model.sigma_ == pytest.approx(np.sqrt(np.mean(lp.neighbor_graph(X, n_neighbors=8).data ** 2)))
    assert LaplacianEigenmaps(2, n_neighbors=8).fit(X).sigma_ is None


def test_components():
    apart = np.vstack([X, X + 1000])
    with pytest.raises(GraphError, match="2 components"):
        LaplacianEigenmaps(2, n_neighbors=8, components="error").fit(apart)
    bridged = LaplacianEigenmaps(1, n_neighbors=8, components="bridge").fit(apart)
    side = bridged.embedding_.ravel() > 0  # the slowest function separates the two components
    assert side[:120].all() != side[120:].all()
    # Components of similarities, and components as clusters.
    K = sparse.block_diag([sparse.csr_array(rbf_kernel(X)), np.ones((1, 1))], format="csr")
    assert np.array_equal(LaplacianEigenmaps(1, components="largest", **GIVEN).fit(K).kept_, np.arange(120))
    three = np.vstack([X, X + 1000, X - 1000])
    clusters = SpectralClustering(3, n_neighbors=8).fit(three)
    assert np.allclose(clusters.eigenvalues_, 1)
    assert [len(set(clusters.labels_[i : i + 120])) for i in (0, 120, 240)] == [1, 1, 1]
    assert len(set(clusters.labels_)) == 3
    assert np.array_equal(clusters.predict(three[::7] + 0.01), clusters.labels_[::7])


def test_a_diffusion_map_has_diffusion_distances():
    K = gaussian(X, X, 4.0)
    P, stationary = K / K.sum(axis=1, keepdims=True), K.sum(axis=1) / K.sum()
    Pt = np.linalg.matrix_power(P, 3)
    expected = ((Pt[:, None] - Pt[None]) ** 2 / stationary).sum(axis=2)
    # A Gaussian kernel is positive: with nearly all of its spectrum nothing of the distance is left out.
    count = int((np.linalg.eigvalsh(normalised(K)) > 1e-6).sum()) - 1
    model = DiffusionMap(count, n_neighbors=None, sigma=4.0, alpha=0.0, time=3).fit(X)
    found = ((model.embedding_[:, None] - model.embedding_[None]) ** 2).sum(axis=2)
    assert np.allclose(found, expected, atol=1e-9)
    # Eigenfunctions have unit variance, and mean zero, in the stationary distribution.
    psi = model.embedding_[:, :3] / model.eigenvalues_[:3] ** 3
    assert np.allclose(psi.T @ (stationary[:, None] * psi), np.eye(3))
    assert np.allclose(stationary @ psi, 0, atol=1e-10)
    # A new point takes one step of the walk, with alpha = 1 after division by the densities.
    model = DiffusionMap(2, n_neighbors=None, sigma=4.0, alpha=1.0, time=2).fit(X)
    rows = gaussian(NEW, X, 4.0)
    step = rows / np.outer(rows.sum(axis=1), K.sum(axis=1))
    step /= step.sum(axis=1, keepdims=True)
    assert np.allclose(model.transform(NEW), step @ model.embedding_ / model.eigenvalues_, atol=1e-10)


def test_alpha_one_removes_the_density():
    # Points on an interval, three times denser on the left: with alpha = 1 the first coordinate is the cosine of
    # the Laplacian, whatever the density.
    t = np.concatenate([np.linspace(0, 0.5, 301)[:-1], np.linspace(0.5, 1, 101)])
    basis, error = np.column_stack([np.cos(np.pi * t), np.ones_like(t)]), {}
    for alpha in (0.0, 1.0):
        y = DiffusionMap(1, n_neighbors=None, sigma=0.04, alpha=alpha).fit(t[:, None]).embedding_.ravel()
        error[alpha] = np.linalg.norm(y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]) / np.linalg.norm(y)
    assert error[1.0] < 0.03 < 0.1 < error[0.0]


def test_clustering_is_ng_jordan_and_weiss():
    K, new = gaussian(X, X, 3.0), gaussian(NEW, X, 3.0)
    values, rows = top(normalised(K), 3, skip=0)
    placed = new / np.sqrt(K.sum(axis=1)) @ (rows / values)
    rows, placed = (a / np.linalg.norm(a, axis=1, keepdims=True) for a in (rows, placed))
    model = SpectralClustering(3, n_neighbors=None, affinity="gaussian", sigma=3.0).fit(X)
    assert same_up_to_sign(model.embedding_, rows, 1e-8)
    assert same_up_to_sign(model.transform(NEW), placed, 1e-8)
    nearest = np.linalg.norm(model.transform(NEW)[:, None] - model.centers_, axis=2).argmin(axis=1)
    assert np.array_equal(model.predict(NEW), nearest)
    for label in range(3):
        assert np.allclose(model.centers_[label], model.embedding_[model.labels_ == label].mean(axis=0))


BAD = [
    (LaplacianEigenmaps, {"affinity": "binary", "sigma": 1.0}, X, "sigma=1.0"),
    (LaplacianEigenmaps, {"affinity": "rbf"}, X, "affinity='rbf'"),
    (LaplacianEigenmaps, {"n_neighbors": None}, X, "n_neighbors=None"),
    (LaplacianEigenmaps, {"normalization": "none"}, X, "normalization='none'"),
    (LaplacianEigenmaps, {"n_neighbors": None, "affinity": "gaussian", "sigma": 3.0, "solver": "inverse"},
     X, "solver"),
    (LaplacianEigenmaps, {"n_neighbors": None, "affinity": "gaussian", "sigma": 1.0, "diagonal": "drop"},
     np.vstack([X, X[:1] + 1e4]), "Point 120"),
    (LaplacianEigenmaps, {"n_neighbors": None, "sigma": 1.0, "affinity": "gaussian", "metric": "precomputed"},
     lp.neighbor_graph(X, radius=9.0), "n_neighbors=None"),
    (LaplacianEigenmaps, {"affinity": "precomputed"}, rbf_kernel(X), "n_neighbors=10"),
    (LaplacianEigenmaps, GIVEN | {"sigma": 1.0}, np.ones((9, 9)), "sigma=1.0"),
    (DiffusionMap, {"n_components": 119, "n_neighbors": 3}, X, "n_components"),
    (DiffusionMap, {"alpha": 1.5}, X, "alpha=1.5"),
    (DiffusionMap, {"time": -1}, X, "time=-1"),
    (SpectralClustering, GIVEN | {"n_clusters": 4, "diagonal": "drop"},
     nx.to_numpy_array(nx.star_graph(3)), "n_clusters=4"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "settings", "given", "message"), BAD, ids=range(len(BAD)))
def test_wrong_settings_are_refused(kind, settings, given, message):
    with pytest.raises(ArgumentError, match=message):
        kind(**settings).fit(given)


def test_a_new_point_without_similarities_is_named():
    far = np.vstack([X[:1], NEW[:1] + 1e4])
    for settings in ({"radius": 12.0}, {"affinity": "gaussian", "sigma": 3.0, "normalization": "symmetric"}):
        model = LaplacianEigenmaps(2, n_neighbors=None, **settings).fit(X)
        with pytest.raises(ArgumentError, match=r"New point 1 .* fit with a larger sigma, radius"):
            model.transform(far)


# Eigenvalues that are 0, negative or equal: all are embedded, and only those that are 0 cannot be extended

NETWORKS = {
    **{f"path {n}": nx.path_graph(n) for n in (2, 3, 4, 7, 8)},
    **{f"star {n}": nx.star_graph(n) for n in (2, 5)},
    **{f"complete {n}": nx.complete_graph(n) for n in (2, 3, 6)},
    **{f"cycle {n}": nx.cycle_graph(n) for n in (3, 4, 7, 8)},
    **{f"bipartite {n}": nx.complete_bipartite_graph(n, n + 1) for n in (1, 3)},
    **{f"random {s}": nx.gnp_random_graph(9, 0.5, seed=s) for s in range(12)},
    "cube": nx.hypercube_graph(3),
    "caveman": nx.connected_caveman_graph(3, 4),
}
NETWORKS = {name: graph for name, graph in NETWORKS.items() if nx.is_connected(graph)}


def expect_pairs(model, K, vectors):
    """Check unit eigenvectors of the normalised similarities against LAPACK, and return their eigenvalues."""
    matrix = normalised(K)
    values = np.linalg.eigvalsh(matrix)[::-1][1 : 1 + vectors.shape[1]]
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-9)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-6)
    return values


def expect_extension(model, rows, values):
    """Check that the training rows are placed where they were, and refused if an eigenvalue is 0."""
    zero = np.abs(values) < 1e-12
    if not zero.any():
        np.testing.assert_allclose(model.transform(rows), model.embedding_, atol=1e-7)
        return
    first = int(np.argmax(zero))
    with pytest.raises(ArgumentError, match=f"Eigenvalue {first + 1} of {len(values)} is 0"):
        model.transform(rows)
    if first > 0:
        clone(model).set_params(**{model._size: first}).fit(rows).transform(rows)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_number_of_dimensions_and_clusters_of_a_small_network(name):
    K = nx.to_numpy_array(NETWORKS[name])
    degrees, distinct = K.sum(axis=1), len(np.unique(K, axis=0))
    for d in range(1, len(K)):
        model = LaplacianEigenmaps(d, normalization="symmetric", **GIVEN).fit(K)
        values = expect_pairs(model, K, model.embedding_)
        expect_extension(model, K, values)
        walk = LaplacianEigenmaps(d, **GIVEN).fit(K)
        expect_pairs(walk, K, walk.embedding_ * np.sqrt(degrees)[:, None])
        expect_extension(walk, K, values)
        network = lp.RandomWalkEmbedding(d).fit(NETWORKS[name])
        expect_pairs(network, K, network.embedding_ * np.sqrt(degrees / degrees.sum())[:, None])
        expect_extension(network, K, values)
        if d < min(distinct, 5):
            model = SpectralClustering(d, n_init=1, **GIVEN).fit(K)
            values = np.linalg.eigvalsh(normalised(K))[::-1][:d]
            np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-9)
            expect_extension(model, K, values)


@pytest.mark.parametrize("n", [3, 4, 6, 11, 30])
@pytest.mark.parametrize("diagonal", ["keep", "drop"])
def test_every_number_of_neighbors_of_random_points(n, diagonal):
    for seed in range(3):
        points = np.random.default_rng(seed).standard_normal((n, 2))
        for k in {1, 2, n // 2, n - 1}:
            for d in {1, min(3, n - 1), n - 1}:
                settings = {"n_neighbors": k, "components": "bridge", "diagonal": diagonal}
                model = LaplacianEigenmaps(d, **settings).fit(points)
                K = model.graph_.toarray()
                values = expect_pairs(model, K, model.embedding_ * np.sqrt(K.sum(axis=1))[:, None])
                if diagonal == "keep" and not (np.abs(values) < 1e-12).any():
                    np.testing.assert_allclose(model.transform(points), model.embedding_, atol=1e-7)
                DiffusionMap(d, n_neighbors=k, time=0.0, components="bridge").fit(points)


@pytest.mark.parametrize("solver", ["auto", "lapack", "lanczos", "inverse"])
@pytest.mark.parametrize("n", [7, 650])
def test_a_complete_neighbor_graph(solver, n):
    # All eigenvalues but the trivial one are equal: 0 with the diagonal, -1 / (n - 1) without.
    points = np.random.default_rng(0).standard_normal((n, 3))
    for diagonal, value in (("keep", 0.0), ("drop", -1 / (n - 1))):
        settings = {"n_neighbors": n - 1, "diagonal": diagonal, "normalization": "symmetric"}
        model = LaplacianEigenmaps(3, solver=solver, **settings).fit(points)
        np.testing.assert_allclose(model.eigenvalues_, value, atol=1e-9)
        np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-6)
        np.testing.assert_allclose(model.embedding_.sum(axis=0), 0, atol=1e-6)
    assert SpectralClustering(2, n_neighbors=n - 1, affinity="binary", n_init=1).fit(points).labels_.max() == 1


@pytest.mark.parametrize("k", [None, 8])
def test_far_new_points_have_the_limit_of_the_formula(k):
    # Similarities of 1e-300 and less: the walk goes to the nearest training point.
    far = np.vstack([X[:1], X[X.argmax(axis=0)] + 1e5 * np.eye(4), NEW])
    nearest = np.linalg.norm(far[:, None] - X, axis=2).argmin(axis=1)[1:5]
    eigenmaps = LaplacianEigenmaps(2, n_neighbors=k, affinity="gaussian", sigma=3.0).fit(X)
    diffusion = DiffusionMap(2, n_neighbors=k, sigma=3.0).fit(X)
    clusters = SpectralClustering(3, n_neighbors=k, affinity="gaussian", sigma=3.0).fit(X)
    for model in (eigenmaps, diffusion):
        expected = model.embedding_[nearest] / model.eigenvalues_
        np.testing.assert_allclose(model.transform(far)[1:5], expected, atol=1e-6)
        np.testing.assert_array_equal(model.transform(far)[5:], model.transform(NEW))
    assert np.array_equal(clusters.predict(far)[1:5], clusters.labels_[nearest])
