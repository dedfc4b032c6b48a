"""Properties that users of scikit-learn rely on, as in its tests; differences are in docs/points.md.

Assertions in the tests of each method are not repeated here.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import neighbors
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_circles, make_s_curve
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as SklearnKernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.manifold import Isomap as SklearnIsomap
from sklearn.metrics import normalized_mutual_info_score, pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KernelCenterer

from lpgraph.errors import ArgumentError, GraphError, LpgraphWarning
from lpgraph.manifold import (
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    SpectralClustering,
)

CURVE = make_s_curve(200, random_state=0)[0]
NEW = make_s_curve(50, random_state=1)[0]
GRID = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
CENTRES = np.array([[0.0, 5.0, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0, 0.0], [1.0, 0.0, 0.0, 5.0, 1.0]])
BLOBS, LABELS = make_blobs(n_samples=100, centers=CENTRES, cluster_std=1.0, random_state=42)


def same_up_to_sign(a, b, atol):
    return np.abs(a * np.sign((a * b).sum(axis=0)) - b).max() < atol


# Isomap


def test_isomap_with_an_infinite_radius_keeps_all_distances():
    model = Isomap(2, n_neighbors=None, radius=np.inf).fit(GRID)
    assert np.allclose(pairwise_distances(model.embedding_), pairwise_distances(GRID))
    assert np.allclose(model.transform(GRID), model.embedding_)
    assert model.graph_.nnz == 25 * 24


@pytest.mark.parametrize("rule", [{"n_neighbors": 24}, {"n_neighbors": None, "radius": np.inf}], ids=str)
def test_isomap_reconstruction_error(rule):
    X = np.column_stack([GRID, 0.1 * np.random.default_rng(0).standard_normal(25)])
    model = Isomap(2, **rule).fit(X)
    kernels = [KernelCenterer().fit_transform(-0.5 * pairwise_distances(a) ** 2) for a in (X, model.embedding_)]
    assert model.reconstruction_error() == pytest.approx(np.linalg.norm(kernels[0] - kernels[1]) / 25)
    theirs = SklearnIsomap(n_components=2, **rule).fit(X)
    assert model.reconstruction_error() == pytest.approx(theirs.reconstruction_error())
    landmarks = Isomap(2, landmarks=np.arange(25), **rule).fit(X)
    assert landmarks.reconstruction_error() == pytest.approx(model.reconstruction_error())


@pytest.mark.parametrize("rule", [{"n_neighbors": 2}, {"n_neighbors": None, "radius": 0.5}], ids=str)
def test_isomap_of_a_noisy_copy(rule):
    model = Isomap(10, components="bridge", **rule)
    embedding = model.fit_transform(CURVE)
    noise = 0.01 * np.random.RandomState(0).randn(*CURVE.shape)
    assert np.sqrt(np.mean((embedding - model.transform(CURVE + noise)) ** 2)) < 0.02


@pytest.mark.parametrize(
    ("metric", "params", "euclidean"),
    [
        ("euclidean", None, True),
        ("manhattan", None, False),
        ("minkowski", {"p": 1}, False),
        ("minkowski", {"p": 2}, True),
        ("minkowski", {"p": 3.5}, False),
        ("minkowski", None, True),
        (lambda a, b: np.sqrt(np.sum(a**2 + b**2)), None, False),  # not 0 for equal points
        (lambda a, b, power: (np.abs(a - b) ** power).sum() ** (1 / power), {"power": 2}, True),
    ],
)
def test_isomap_metrics(metric, params, euclidean):
    reference = Isomap(2, n_neighbors=20).fit_transform(CURVE[:60])
    embedding = Isomap(2, n_neighbors=20, metric=metric, metric_params=params).fit_transform(CURVE[:60])
    assert np.allclose(embedding, reference, atol=1e-8) == euclidean


def test_isomap_takes_its_neighbours_from_its_parameters_at_each_fit():
    model = Isomap()
    for k in (10, 15, 20):
        model.set_params(n_neighbors=k).fit(CURVE[:50])
        assert (model.graph_ != Isomap(n_neighbors=k).fit(CURVE[:50]).graph_).nnz == 0
        assert np.diff(model.graph_.indptr).min() >= k


def test_isomap_bridges_as_scikit_learn_does():
    X = np.array([0.0, 1, 2, 5, 6, 7])[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they bridge, and warn
        theirs = SklearnIsomap(n_neighbors=2, n_components=1).fit(X)
    with pytest.raises(GraphError, match="2 components, of 3, 3 points"):
        Isomap(1, n_neighbors=2).fit(X)
    assert same_up_to_sign(
        Isomap(1, n_neighbors=2, components="bridge").fit(X).embedding_, theirs.embedding_, 1e-9
    )
    D = pairwise_distances(X)
    given = Isomap(1, n_neighbors=1, metric="precomputed", components="bridge").fit(D)
    assert np.ptp(given.embedding_) == pytest.approx(7)
    graph = neighbors.kneighbors_graph(X, n_neighbors=2, mode="distance")
    with pytest.raises(ArgumentError, match="sparse graph of distances, which has no distances between"):
        Isomap(1, n_neighbors=1, metric="precomputed", components="bridge").fit(graph)
    with pytest.raises(GraphError, match="2 components"):
        Isomap(1, n_neighbors=2, metric="precomputed").fit(graph)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_other_types_of_numbers_give_what_their_float64_copies_give(dtype):
    X = (10 * CURVE).astype(dtype) if dtype is not bool else CURVE > 0
    for model in (ClassicalMDS(1), KernelPCA(1), Isomap(1, n_neighbors=30, components="largest")):
        embedding = model.fit_transform(X)
        assert embedding.dtype == np.float64
        assert np.array_equal(embedding, model.fit_transform(X.astype(np.float64)))
        assert np.array_equal(model.transform(X[:9]), model.transform(X[:9].astype(np.float64)))


# Neighbours that a transformer found


@pytest.mark.parametrize(
    ("transformer", "rule"),
    [
        (neighbors.KNeighborsTransformer(n_neighbors=8, mode="distance"), {"n_neighbors": 8}),
        (neighbors.RadiusNeighborsTransformer(radius=0.9, mode="distance"), {"n_neighbors": None, "radius": 0.9}),
        (
            neighbors.RadiusNeighborsTransformer(radius=0.9, mode="distance"),
            {"n_neighbors": None, "radius": np.inf},
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [Isomap, LaplacianEigenmaps, SpectralClustering])
def test_a_pipeline_after_a_neighbours_transformer(kind, transformer, rule):
    chain = make_pipeline(transformer, kind(metric="precomputed", **rule))
    direct = kind(**({**rule, "radius": 0.9} if rule.get("radius") else rule))
    one, two = chain.fit_transform(CURVE), direct.fit_transform(CURVE)
    assert np.allclose(one, two, atol=1e-8)
    # A new point at a training point's place is that point, although its own list has its nearest only.
    assert np.allclose(chain.transform(CURVE), one, atol=1e-8)
    assert np.allclose(np.vstack([chain.transform(CURVE[i : i + 1]) for i in range(0, 200, 20)]), one[::20])
    if "radius" in rule:
        assert np.allclose(chain.transform(NEW), direct.transform(NEW), atol=1e-8)
    else:
        # Its neighbours are those of both sides, and the nearest alone do not tell who has it among his.
        assert not np.allclose(chain.transform(NEW), direct.transform(NEW), atol=1e-8)
        longer = make_pipeline(neighbors.KNeighborsTransformer(n_neighbors=90, mode="distance"), chain[-1])
        assert np.allclose(longer.fit(CURVE).transform(NEW), direct.transform(NEW), atol=1e-8)


def test_a_graph_with_more_neighbours_than_wanted_is_filtered():
    graphs = [
        neighbors.NearestNeighbors(n_neighbors=k).fit(BLOBS).kneighbors_graph(mode="distance") for k in (10, 20)
    ]
    models = [LaplacianEigenmaps(2, n_neighbors=10, metric="precomputed", components="bridge") for _ in graphs]
    embeddings = [
        model.set_params(components="largest").fit_transform(g) for model, g in zip(models, graphs, strict=True)
    ]
    assert np.array_equal(*embeddings)


def test_a_radius_graph_is_what_the_points_are():
    graph = neighbors.radius_neighbors_graph(CURVE, radius=10, mode="distance")
    given = Isomap(2, n_neighbors=None, radius=10, metric="precomputed").fit(graph)
    assert np.allclose(given.embedding_, Isomap(2, n_neighbors=None, radius=10).fit(CURVE).embedding_, atol=1e-8)
    with pytest.raises(ArgumentError, match=r"sparse X, which does not contain all pairs; pass radius=np\.inf"):
        LaplacianEigenmaps(n_neighbors=None, affinity="gaussian", sigma=1.0, metric="precomputed").fit(graph)


def test_stability_works_on_listed_distances():
    from lpgraph.metrics import stability

    graph = neighbors.radius_neighbors_graph(CURVE[:80], radius=1.5, mode="distance")
    direct = Isomap(2, n_neighbors=None, radius=1.5)
    options = {"fractions": [0.1], "n_held_out": 5, "random_state": 0}
    one = stability(direct.set_params(metric="precomputed"), graph, **options)
    two = stability(Isomap(2, n_neighbors=None, radius=1.5), CURVE[:80], **options)
    assert one.difference == pytest.approx(two.difference)


# Locally linear embedding


def test_barycentric_weights():
    X = np.array([[0, 1], [1.01, 1.0], [2, 0]])
    graph = LocallyLinearEmbedding(1, n_neighbors=1).fit(X).graph_
    assert np.allclose(graph.toarray(), [[0, 1, 0], [1, 0, 0], [0, 1, 0]])
    graph = LocallyLinearEmbedding(1, n_neighbors=2).fit(X).graph_
    assert np.allclose(graph.sum(axis=1), 1)
    assert np.linalg.norm(graph @ X - X) / 3 < 1


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
def test_a_bent_sheet_is_rebuilt(solver):
    X = np.stack(np.meshgrid(np.arange(18.0), np.arange(18.0)), axis=-1).reshape(-1, 2)
    X = np.column_stack([X, X[:, 0] ** 2 / 18]) + 1e-10 * np.random.RandomState(0).uniform(size=(324, 3))
    model = LocallyLinearEmbedding(2, n_neighbors=6, solver=solver).fit(X)
    assert np.linalg.norm(model.graph_ @ X - X) < 1.5
    error = np.linalg.norm(model.graph_ @ model.embedding_ - model.embedding_) ** 2
    assert error < 1.5
    assert model.reconstruction_error_ == pytest.approx(error, rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
def test_coordinates_that_nothing_determines_are_said_to_be_arbitrary(solver):
    # With one neighbor each, bridged components are chains of copies: any function of components has no error.
    X = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)[0]
    with pytest.warns(LpgraphWarning, match="more than n_components=2 .* Pass more n_neighbors"):
        LocallyLinearEmbedding(2, n_neighbors=1, components="bridge", solver=solver).fit(X)
    # Two functions of the largest component are reconstructed without error; the third coordinate is also found.
    model = LocallyLinearEmbedding(3, n_neighbors=2, components="largest", solver=solver).fit(X)
    W = np.eye(27) - model.graph_.toarray()
    assert np.allclose(model.eigenvalues_, np.linalg.eigvalsh(W.T @ W)[1:4], atol=1e-12)


# Eigenmaps of given similarities


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_two_weakly_joined_parts_of_a_network_are_told_apart(form):
    rng = np.random.RandomState(0)
    K = np.zeros((200, 200))
    K[:100, :100], K[100:, 100:] = (np.abs(rng.randn(100, 100)) + 2 for _ in range(2))
    K[0, 101] = K[101, 0] = 1
    np.fill_diagonal(K, 0)
    K = 0.5 * (K + K.T)
    truth = np.repeat([0, 1], 100)
    model = LaplacianEigenmaps(1, affinity="precomputed", n_neighbors=None).fit(form(K))
    assert normalized_mutual_info_score(truth, model.embedding_[:, 0] < 0) == pytest.approx(1.0)
    # A vertex that has a hundredth of one part's similarities is placed with it.
    assert (model.transform(form(K[[50, 150]] / 100)) < 0).ravel().tolist() == (
        model.embedding_[[50, 150], 0] < 0
    ).tolist()
    clusters = SpectralClustering(2, affinity="precomputed", n_neighbors=None).fit(form(K))
    assert normalized_mutual_info_score(truth, clusters.labels_) == pytest.approx(1.0)
    assert np.array_equal(clusters.predict(form(K[::7])), clusters.labels_[::7])


@pytest.mark.parametrize("diagonal", ["keep", "drop"])
def test_given_gaussian_similarities_are_those_of_points(diagonal):
    named = {"n_neighbors": None, "affinity": "gaussian", "sigma": 1.0, "diagonal": diagonal}
    points = LaplacianEigenmaps(2, **named).fit(BLOBS)
    rows = LaplacianEigenmaps(2, **named).fit(sparse.csr_array(BLOBS))
    K = rbf_kernel(BLOBS, gamma=1.0)
    given = LaplacianEigenmaps(2, n_neighbors=None, affinity="precomputed", diagonal=diagonal).fit(K)
    for model in (rows, given):
        assert np.allclose(model.graph_, points.graph_)
        assert np.allclose(model.embedding_, points.embedding_, atol=1e-7)
    assert np.allclose(
        given.transform(rbf_kernel(BLOBS[:9] + 0.1, BLOBS, gamma=1.0)), points.transform(BLOBS[:9] + 0.1)
    )


def test_given_networks_of_any_index_type_and_start():
    rng = np.random.default_rng(36)
    upper = sparse.triu(sparse.random_array((100, 100), density=0.1, rng=rng), 1)
    K = sparse.csr_array(upper + upper.T)
    K.indptr, K.indices = K.indptr.astype(np.int64), K.indices.astype(np.int64)
    options = {"affinity": "precomputed", "n_neighbors": None, "diagonal": "drop"}
    first = LaplacianEigenmaps(10, **options).fit(K)
    for seed in range(3):
        again = LaplacianEigenmaps(10, solver="lanczos", tol=1e-8, random_state=seed, **options).fit(K)
        assert np.allclose(again.embedding_, first.embedding_, atol=1e-6)
    others = sparse.diags_array((np.arange(100) != 5).astype(float))
    K = others @ K @ others
    with pytest.raises(GraphError, match="2 components, of 99, 1 points"):
        LaplacianEigenmaps(2, **options).fit(sparse.csr_array(K))
    largest = LaplacianEigenmaps(2, components="largest", **options).fit(sparse.csr_array(K))
    assert np.array_equal(largest.kept_, np.delete(np.arange(100), 5))


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({}, BLOBS @ BLOBS.T, "affinity='precomputed' and n_neighbors=10.*pass n_neighbors=None"),
        ({"n_neighbors": None, "sigma": 1.0}, np.ones((9, 9)), "sigma=1.0"),
        ({"n_neighbors": None, "metric": "cosine"}, np.ones((9, 9)), "metric='cosine'"),
        ({"n_neighbors": None, "components": "bridge"}, np.ones((9, 9)), "no distances"),
        ({"n_neighbors": None}, BLOBS, r"shape \(100, 5\)"),
        ({"n_neighbors": None}, -np.ones((9, 9)), "similarities >= 0"),
        ({"n_neighbors": None}, np.triu(np.ones((9, 9))), r"pass \(X \+ X.T\) / 2"),
    ],
    ids=str,
)
def test_what_are_no_similarities_is_refused(settings, X, message):
    X = np.abs(X) if message.startswith("affinity") else X
    with pytest.raises(ArgumentError, match=message):
        LaplacianEigenmaps(2, affinity="precomputed", **settings).fit(X)


@pytest.mark.parametrize(
    "settings", [{"n_neighbors": None, "affinity": "gaussian", "sigma": 1.0}, {"n_neighbors": 5}], ids=str
)
def test_k_means_of_eigenmaps_finds_the_clusters(settings):
    # The neighbor graph would have three components; a few more neighbors connect them.
    settings = settings if settings["n_neighbors"] is None else {"n_neighbors": 5, "components": "bridge"}
    embedding = LaplacianEigenmaps(2, **settings).fit_transform(BLOBS)
    found = KMeans(3, n_init=10, random_state=0).fit(embedding).labels_
    assert normalized_mutual_info_score(found, LABELS) == pytest.approx(1.0, abs=0.01)


def test_the_trivial_function_is_constant_and_left_out():
    K = rbf_kernel(np.random.RandomState(36).randn(10, 30))
    model = LaplacianEigenmaps(2, affinity="precomputed", n_neighbors=None).fit(K)
    kernel = model.kernel_rows_
    trivial = kernel.trivial
    assert np.allclose(kernel.operator @ trivial[:, None], trivial[:, None])
    assert np.std(trivial / np.sqrt(kernel.degrees)) == pytest.approx(0)
    assert (np.std(model.embedding_, axis=0) > 1e-3).all()


# Kernel PCA


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "cosine"])
def test_the_way_back_is_scikit_learns(kernel):
    X, new = np.random.RandomState(0).random_sample((20, 4)), np.random.RandomState(1).random_sample((5, 4))
    settings = {"kernel": kernel, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = KernelPCA(3, **settings).fit(X), SklearnKernelPCA(3, eigen_solver="dense", **settings).fit(X)
    back = ours.inverse_transform(ours.transform(new))
    assert back.shape == new.shape
    assert np.allclose(back, theirs.inverse_transform(theirs.transform(new)), atol=1e-7)


def test_the_way_back_comes_near():
    X = make_blobs(n_samples=100, n_features=4, random_state=0)[0]
    model = KernelPCA(20, kernel="rbf", fit_inverse_transform=True, alpha=1e-3).fit(X)
    assert np.linalg.norm(X - model.inverse_transform(model.embedding_)) < 0.1 * np.linalg.norm(X)
    function = KernelPCA(4, kernel=lambda u, v: np.minimum(u, v).sum(), fit_inverse_transform=True)
    assert function.fit(np.abs(X)).inverse_transform(function.embedding_).shape == X.shape


def test_the_way_back_has_the_kernels_own_gamma():
    X = np.random.RandomState(0).random_sample((5, 4))
    models = [KernelPCA(2, kernel="rbf", gamma=gamma, fit_inverse_transform=True).fit(X) for gamma in (None, 0.25)]
    assert [model.gamma_ for model in models] == [0.25, 0.25]
    assert np.allclose(*(model.inverse_transform(models[0].transform(X)) for model in models))
    assert KernelPCA(2).fit(X).gamma_ is None


def test_the_way_back_is_learned_when_asked_for():
    X = np.random.RandomState(0).random_sample((10, 4))
    model = KernelPCA(2, fit_inverse_transform=True).fit(X)
    with pytest.raises(ArgumentError, match="2"):
        model.inverse_transform(X)
    model.set_params(fit_inverse_transform=False).fit(X)
    with pytest.raises(NotFittedError, match="pass fit_inverse_transform=True and fit again"):
        model.inverse_transform(model.embedding_)
    with pytest.raises(ArgumentError, match="fit_inverse_transform=True with kernel='precomputed'"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)
    with pytest.raises(ArgumentError, match="fit_inverse_transform=True with sparse X"):
        KernelPCA(2, fit_inverse_transform=True).fit(sparse.csr_array(X))
    with pytest.raises(ArgumentError, match="alpha=0"):
        KernelPCA(2, fit_inverse_transform=True, alpha=0).fit(X)


@pytest.mark.parametrize("width", [4, 10])
def test_the_linear_kernel_is_principal_component_analysis(width):
    rng = np.random.RandomState(0)
    X, new = rng.random_sample((5, width)), rng.random_sample((2, width))
    expected = np.abs(PCA(4).fit(X).transform(new))
    assert np.allclose(np.abs(KernelPCA(4).fit(X).transform(new)), expected)
    assert np.allclose(np.abs(KernelPCA(4).fit(sparse.csr_array(X)).transform(sparse.csr_array(new))), expected)


def test_all_components_are_those_that_are_positive():
    X = make_blobs(30, centers=[[0, 0, 0], [1, 1, 1]], random_state=0, cluster_std=0.1)[0]
    assert KernelPCA(None).fit(X).embedding_.shape == (30, 3)
    assert KernelPCA(None).fit(X.astype(np.float32)).embedding_.shape == (30, 3)
    assert KernelPCA(None).fit(sparse.csr_array(X)).embedding_.shape == (30, 3)
    model = KernelPCA(None, kernel="poly", degree=2, coef0=0.0).fit(X)
    assert model.embedding_.shape == (30, 6)  # products of two of three coordinates
    centred = KernelCenterer().fit_transform((X @ X.T / 3) ** 2)
    assert np.allclose(model.embedding_ @ model.embedding_.T, centred)
    assert np.allclose(model.transform(X), model.embedding_)
    # One eigenvalue of these three is 1e-17 of the largest, and no direction.
    near = np.array([[5, 1], [5 + 1e-8, 1e-8], [5 + 1e-8, 0]])
    assert len(KernelPCA(None).fit(near).eigenvalues_) == 1
    with pytest.raises(ArgumentError, match="only 1 eigenvalue is positive"):
        KernelPCA(2).fit(near)
    for size in (None, 2):
        with pytest.raises(ArgumentError, match="all equal"):
            KernelPCA(size).fit(np.array([[1 - 1e-30, 1], [1, 1], [1, 1 - 1e-20]]))


def test_an_indefinite_kernel_is_refused_as_far_as_it_is():
    # Captured from an Isomap, times 100.
    K = np.array(
        [
            [4.48, -1.0, 8.07, 2.33, 2.33, 2.33, -5.76, -12.78],
            [-1.0, -6.48, 4.5, -1.24, -1.24, -1.24, -0.81, 7.49],
            [8.07, 4.5, 15.48, 2.09, 2.09, 2.09, -11.1, -23.23],
            [2.33, -1.24, 2.09, 4.0, -3.65, -3.65, 1.02, -0.9],
            [2.33, -1.24, 2.09, -3.65, 4.0, -3.65, 1.02, -0.9],
            [2.33, -1.24, 2.09, -3.65, -3.65, 4.0, 1.02, -0.9],
            [-5.76, -0.81, -11.1, 1.02, 1.02, 1.02, 4.86, 9.75],
            [-12.78, 7.49, -23.23, -0.9, -0.9, -0.9, 9.75, 21.46],
        ]
    )
    with pytest.raises(ArgumentError, match="eigenvalues are positive; pass n_components <="):
        KernelPCA(7, kernel="precomputed").fit(K)
    assert np.allclose(KernelPCA(2, kernel="precomputed").fit(K).eigenvalues_, [52.72, 7.65], atol=0.01)


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
@pytest.mark.parametrize("n_components", [4, 20])
def test_solvers_agree_on_new_points(solver, n_components):
    X = make_circles(n_samples=800, factor=0.3, noise=0.05, random_state=0)[0]
    theirs = SklearnKernelPCA(n_components, kernel="rbf", eigen_solver="dense").fit(X[:700]).transform(X[700:])
    ours = KernelPCA(n_components, kernel="rbf", solver=solver, tol=1e-9).fit(X[:700]).transform(X[700:])
    assert same_up_to_sign(ours, theirs, 1e-6)


def test_cross_validation_cuts_rows_and_columns_of_a_precomputed_kernel():
    X, y = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=0)
    steps = [("kpca", KernelPCA(2, kernel="precomputed")), ("line", Perceptron(tol=None, max_iter=5))]
    search = GridSearchCV(Pipeline(steps), {"line__max_iter": [3, 5]}, cv=3).fit(rbf_kernel(X, gamma=2.0), y)
    assert search.best_score_ == 1


# Classical scaling


def test_metric_parameters_of_classical_scaling():
    iris = load_iris(return_X_y=True)[0]
    reference = ClassicalMDS(2).fit(iris).embedding_
    assert np.allclose(ClassicalMDS(2, metric="minkowski", metric_params={"p": 2}).fit(iris).embedding_, reference)
    other = ClassicalMDS(2, metric="minkowski", metric_params={"p": 1}).fit(iris)
    assert not np.allclose(other.embedding_, reference)
    assert np.allclose(other.embedding_, ClassicalMDS(2, metric="manhattan").fit(iris).embedding_)
    with pytest.raises(ArgumentError, match="metric_params has 'p', which metric='precomputed' does not take"):
        ClassicalMDS(2, metric="precomputed", metric_params={"p": 2}).fit(pairwise_distances(iris))


# Sparse points


def sparse_cloud(n=90, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, p)) * (rng.uniform(size=(n, p)) < 0.2)
    X[5] = X[7]
    return X


@pytest.mark.parametrize(
    "model",
    [
        ClassicalMDS(2),
        ClassicalMDS(2, metric="cityblock"),
        ClassicalMDS(2, metric="minkowski", metric_params={"p": 1.5}),
        ClassicalMDS(2, metric="mahalanobis", metric_params={"V": np.diag(np.arange(1.0, 31.0))}),
        Isomap(2),
        Isomap(2, metric="l1"),
        Isomap(2, metric="cosine"),
        Isomap(2, metric="correlation", landmarks=40),
        Isomap(2, n_neighbors=None, radius=1.9),
        KernelPCA(2),
        KernelPCA(2, kernel="rbf"),
        KernelPCA(2, kernel="poly"),
        KernelPCA(2, kernel="sigmoid", gamma=0.1),
        KernelPCA(2, kernel="cosine"),
        KernelPCA(2, kernel="laplacian"),
        KernelPCA(2, kernel=lambda u, v: np.minimum(u, v).sum()),
        LocallyLinearEmbedding(2, n_neighbors=10),
        LaplacianEigenmaps(2),
        LaplacianEigenmaps(2, n_neighbors=None, affinity="gaussian", sigma=1.0),
        SpectralClustering(3),
    ],
)
def test_sparse_points_are_the_dense_ones(model):
    X, new = sparse_cloud(), sparse_cloud(20, seed=1)
    dense = model.fit(X)
    at, moved = dense.embedding_, dense.transform(new)
    assert np.allclose(dense.transform(sparse.csr_array(new)), moved, atol=1e-12)
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix):
        found = model.fit(form(X))
        assert np.allclose(found.embedding_, at, atol=1e-9)
        assert np.allclose(found.transform(form(new)), moved, atol=1e-9)
        assert np.allclose(found.transform(new), moved, atol=1e-9)
        assert np.allclose(found.transform(form(X)), found.embedding_, atol=1e-10)
        assert np.allclose(found.transform(form(X[7:8])), found.embedding_[5], atol=1e-10)


def test_sparse_points_are_never_all_dense():
    import tracemalloc

    rng = np.random.default_rng(0)
    n, p = 1000, 400_000  # dense 3.2 GB
    X = sparse.random_array((n, p), density=2e-4, format="csr", rng=rng)
    tracemalloc.start()
    for model in (Isomap(2, n_neighbors=30, landmarks=50), KernelPCA(2, kernel="rbf", solver="lanczos", tol=1e-2)):
        model.fit(X).transform(X[:50])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e8


def test_what_sparse_points_cannot_be():
    X = sparse.csr_array(sparse_cloud())
    with pytest.raises(ArgumentError, match="metric='mahalanobis' with sparse X and no metric_params"):
        Isomap(metric="mahalanobis").fit(X)
    with pytest.raises(ArgumentError, match="point 3, which is zero"):
        Isomap(metric="cosine").fit(X * (np.arange(90) != 3)[:, None])
    bad = X.copy()
    bad.data[4] = np.nan
    with pytest.raises(ArgumentError, match=r"X\[\d+, \d+\] is nan"):
        Isomap().fit(bad)
    with pytest.raises(ArgumentError, match="whose products would overflow"):
        Isomap().fit(X * 1e200)


# All methods


@pytest.mark.parametrize(
    "model", [Isomap(2), KernelPCA(2, kernel="rbf"), LocallyLinearEmbedding(2), ClassicalMDS(2)]
)
def test_what_becomes_of_the_training_data_later_does_not_matter(model):
    for make in (np.array, sparse.csr_array):
        X = make(sparse_cloud())
        before = model.fit(X).transform(X[:9])
        new = X[:9].copy()
        if make is np.array:
            X[:] = 666
        else:
            X.data[:] = 666
        assert np.array_equal(model.transform(new), before)


def test_an_error_names_the_parameter_there_is():
    star = np.zeros((4, 4))
    star[0, 1:] = star[1:, 0] = 1
    model = SpectralClustering(4, affinity="precomputed", n_neighbors=None, diagonal="drop")
    with pytest.raises(ArgumentError, match="n_clusters=4 but only 4 points; pass n_clusters <= 3"):
        model.fit(star)
