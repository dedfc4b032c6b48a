"""Isomap: geodesic distances, landmarks, components, neighbors that were passed; sparse points of all methods."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import neighbors
from sklearn.datasets import make_s_curve
from sklearn.manifold import Isomap as SklearnIsomap
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.manifold import (
    ClassicalMDS,
    DiffusionMap,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    LocalTangentSpaceAlignment,
    SpectralClustering,
)

CURVE, NEW = make_s_curve(300, random_state=0)[0], make_s_curve(60, random_state=1)[0]
GRID = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)


def same_up_to_sign(a, b, atol):
    return np.abs(a * np.sign((a * b).sum(axis=0)) - b).max() < atol


@pytest.mark.parametrize("settings", [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 0.9}], ids=str)
@pytest.mark.parametrize("size", [300, 900])
def test_scikit_learn_agrees(settings, size):
    X = make_s_curve(size, random_state=0)[0]
    ours = Isomap(3, tol=1e-8, **settings).fit(X)
    theirs = SklearnIsomap(n_components=3, eigen_solver="dense", **settings).fit(X)
    assert same_up_to_sign(ours.embedding_, theirs.embedding_, 1e-6)
    # New points: by a radius the rule is the same. With n_neighbors theirs is one-sided, and equal where the
    # neighbors of a new point are mutual.
    sign = np.sign((ours.embedding_ * theirs.embedding_).sum(axis=0))
    same = np.diff(ours.kernel_rows_.neighbors.rows(NEW).indptr) == settings["n_neighbors"]
    same |= "radius" in settings
    assert same.any()
    assert np.abs(ours.transform(NEW[same]) * sign - theirs.transform(NEW[same])).max() < 1e-6


@pytest.mark.parametrize("rule", [{"n_neighbors": 24}, {"n_neighbors": None, "radius": np.inf}], ids=str)
def test_with_every_point_a_neighbor_it_is_classical_scaling(rule):
    model = Isomap(2, **rule).fit(GRID)
    assert np.allclose(pairwise_distances(model.embedding_), pairwise_distances(GRID))
    assert np.allclose(model.transform(GRID), model.embedding_)
    assert model.negative_ == 0
    assert model.graph_.nnz == 25 * 24
    # The error of a third dimension that is not embedded.
    X = np.column_stack([GRID, 0.1 * np.random.default_rng(0).standard_normal(25)])
    loss = lp.metrics.reconstruction_loss(Isomap(2, **rule).fit(X)).positive[-1]
    assert np.sqrt(loss) == pytest.approx(SklearnIsomap(n_components=2, **rule).fit(X).reconstruction_error())


def test_landmark_isomap_is_de_silva_and_tenenbaums_formula():
    # Corollary 1 of Bengio et al. (2004): e_k(x) = sum_i v_ik (E D^2(x', x_i) - D^2(x_i, x)) / (2 sqrt(l_k)),
    # the expectation over the landmarks only, the geodesics through all training points.
    landmarks = np.arange(0, 300, 6)
    model = Isomap(2, n_neighbors=6, landmarks=landmarks).fit(CURVE)
    D = lp.geodesic_distances(model.graph_, landmarks)
    among = D[:, landmarks] ** 2
    values, vectors = np.linalg.eigh(KernelCenterer().fit_transform(-0.5 * among))
    values, vectors = values[:-3:-1], vectors[:, :-3:-1]
    formula = (among.mean(axis=0)[:, None] - D**2).T @ vectors / (2 * np.sqrt(values))
    assert np.allclose(model.eigenvalues_, values)
    assert same_up_to_sign(model.embedding_, formula, 1e-9)
    assert np.abs(model.transform(CURVE) - model.embedding_).max() < 1e-9
    assert np.array_equal(model.landmarks_, landmarks)


#: Metrics, their parameters, and whether distances are Euclidean; the first function is not 0 for equal points.
METRICS = [
    ("manhattan", None, False),
    ("minkowski", {"p": 3.5}, False),
    ("minkowski", None, True),
    (lambda a, b: np.sqrt(np.sum(a**2 + b**2)), None, False),
    (lambda a, b, power: (np.abs(a - b) ** power).sum() ** (1 / power), {"power": 2}, True),
    ("precomputed", None, True),
]


@pytest.mark.parametrize(("metric", "params", "euclidean"), METRICS, ids=range(len(METRICS)))
def test_metrics(metric, params, euclidean):
    X, new = (cdist(a, CURVE[:60]) if metric == "precomputed" else a for a in (CURVE[:60], NEW))
    reference = Isomap(2, n_neighbors=20).fit(CURVE[:60])
    model = Isomap(2, n_neighbors=20, metric=metric, metric_params=params).fit(X)
    assert np.allclose(model.embedding_, reference.embedding_, atol=1e-8) == euclidean
    assert np.allclose(model.transform(new), reference.transform(NEW), atol=1e-8) == euclidean


def test_new_points_near_what_was_left_out_and_the_length_of_a_bridge():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(0, 1, (30, 2)), rng.uniform(0, 1, (20, 2)) + np.array([10, 0])])
    largest, alone = Isomap(2, n_neighbors=5, components="largest").fit(X), Isomap(2, n_neighbors=5).fit(X[:30])
    assert np.array_equal(largest.transform(X[30:]), alone.transform(X[30:]))  # joined to what was kept
    given = Isomap(2, n_neighbors=5, components="largest", metric="precomputed").fit(pairwise_distances(X))
    assert np.allclose(given.transform(pairwise_distances(X[:30], X)), largest.embedding_, atol=1e-8)
    bridge = Isomap(2, n_neighbors=5, components="bridge").fit(X)
    assert bridge.graph_.nnz == alone.graph_.nnz + Isomap(2, n_neighbors=5).fit(X[30:]).graph_.nnz + 2
    gap = pairwise_distances(bridge.embedding_[:30], bridge.embedding_[30:]).mean()
    assert gap == pytest.approx(pairwise_distances(X[:30], X[30:]).mean(), rel=0.1)


@pytest.mark.parametrize("kind", [Isomap, LaplacianEigenmaps])
def test_a_bridge_that_ends_in_duplicates(kind):
    rng = np.random.default_rng(1)
    left, right = rng.uniform(0, 1, (20, 2)), rng.uniform(0, 1, (20, 2)) + np.array([4, 0])
    X = np.vstack([left, [[1.2, 0.5]] * 3, [[4.0, 0.5]] * 2, right])
    model = kind(2, n_neighbors=4, components="bridge").fit(X)
    assert np.abs(model.transform(X) - model.embedding_).max() < 1e-8 * np.abs(model.embedding_).max()


WRONG = [
    ({"n_neighbors": 5, "radius": 1.0}, "n_neighbors=5"),
    ({"n_neighbors": None}, "n_neighbors=None"),
    ({"components": "join"}, "components='join'"),
    ({"metric": "euclid"}, "metric='euclid'"),
]


@pytest.mark.parametrize(("settings", "argument"), WRONG, ids=str)
def test_wrong_settings_are_refused(settings, argument):
    with pytest.raises(ArgumentError, match=argument):
        Isomap(**settings).fit(CURVE)


def test_a_new_point_without_a_path_is_named():
    model = Isomap(2, n_neighbors=None, radius=0.9).fit(CURVE)
    with pytest.raises(ArgumentError, match="New point 1"):
        model.transform(np.vstack([CURVE[0], [100.0, 0, 0]]))


# Neighbors that a transformer found


BY_RADIUS = neighbors.RadiusNeighborsTransformer(radius=0.9, mode="distance")
TRANSFORMERS = {
    "k": (neighbors.KNeighborsTransformer(n_neighbors=8, mode="distance"), {"n_neighbors": 8}),
    "more than k": (neighbors.KNeighborsTransformer(n_neighbors=20, mode="distance"), {"n_neighbors": 8}),
    "radius": (BY_RADIUS, {"n_neighbors": None, "radius": 0.9}),
    "all": (BY_RADIUS, {"n_neighbors": None, "radius": np.inf}),
}


@pytest.mark.parametrize("case", TRANSFORMERS)
@pytest.mark.parametrize("kind", [Isomap, LaplacianEigenmaps, SpectralClustering])
def test_a_pipeline_after_a_neighbors_transformer(kind, case):
    X, (transformer, rule) = make_s_curve(200, random_state=0)[0], TRANSFORMERS[case]
    chain = make_pipeline(transformer, kind(metric="precomputed", **rule))
    direct = kind(**({**rule, "radius": 0.9} if rule.get("radius") else rule))
    one, two = chain.fit_transform(X), direct.fit_transform(X)
    assert np.allclose(one, two, atol=1e-8)
    # A new point at a training point's place is that point, although its own list has its nearest only.
    assert np.allclose(chain.transform(X), one, atol=1e-8)
    if "radius" not in rule:  # its neighbors are those of both sides, which long lists contain
        chain = make_pipeline(neighbors.KNeighborsTransformer(n_neighbors=90, mode="distance"), chain[-1]).fit(X)
    assert np.allclose(chain.transform(NEW), direct.transform(NEW), atol=1e-8)


# Sparse points


def sparse_cloud(n=90, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, p)) * (rng.uniform(size=(n, p)) < 0.2)
    X[5] = X[7]
    return X


SPARSE = [
    ClassicalMDS(2),
    ClassicalMDS(2, metric="minkowski", metric_params={"p": 1.5}),
    ClassicalMDS(2, metric="mahalanobis", metric_params={"V": np.diag(np.arange(1.0, 31.0))}),
    Isomap(2, metric="l1"),
    Isomap(2, metric="correlation", landmarks=40),
    Isomap(2, n_neighbors=None, radius=1.9),
    KernelPCA(2),
    KernelPCA(2, kernel="rbf"),
    KernelPCA(2, kernel="poly"),
    KernelPCA(2, kernel="cosine"),
    KernelPCA(2, kernel="laplacian"),
    KernelPCA(2, kernel=lambda u, v: np.minimum(u, v).sum()),
    LocallyLinearEmbedding(2, n_neighbors=10),
    LocalTangentSpaceAlignment(2, n_neighbors=10),
    ClassicalMDS(2, metric="cosine", landmarks=20),
    DiffusionMap(2, metric="cosine"),
    LaplacianEigenmaps(2, n_neighbors=None, affinity="gaussian", sigma=1.0),
]


@pytest.mark.parametrize("model", SPARSE, ids=range(len(SPARSE)))
def test_sparse_points_give_what_dense_ones_give(model):
    X, new = sparse_cloud(), sparse_cloud(20, seed=1)
    dense = model.fit(given := X.copy())
    at, moved = dense.embedding_, dense.transform(new)
    given *= 0.0
    assert np.allclose(dense.transform(sparse.csr_array(new)), moved, atol=1e-12)
    for form in (sparse.csr_array, sparse.coo_array, sparse.lil_matrix):
        given = form(X)
        found = model.fit(given)
        given *= 0.0  # later changes of the training data do not matter
        assert np.allclose(found.embedding_, at, atol=1e-9)
        assert np.allclose(found.transform(form(X)), found.embedding_, atol=1e-10)
        for points in (form(new), new):
            assert np.allclose(found.transform(points), moved, atol=1e-9)


def test_sparse_points_are_never_all_dense():
    X = sparse.random_array((1000, 400_000), density=2e-4, format="csr", rng=np.random.default_rng(0))  # 3.2 GB
    tracemalloc.start()
    for model in (Isomap(2, n_neighbors=30, landmarks=50), KernelPCA(2, kernel="rbf", solver="lanczos", tol=1e-2)):
        model.fit(X).transform(X[:50])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e8
