"""Contracts of all methods: exactness, order, the graph, wrong input."""

import networkx as nx
import numpy as np
import pytest
from fuzz.zoo import POINTS
from scipy.sparse import csgraph

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError
from lpgraph.manifold.base import PointsEmbedding

RNG = np.random.default_rng(0)
N = 90

#: Settings in which each method's rows are exact on its training points, in addition to those of saved models.
MORE = [
    ("ClassicalMDS", {"metric": "cosine", "n_components": 1}),
    ("ClassicalMDS", {"solver": "lanczos", "tol": 1e-2}),
    ("KernelPCA", {"kernel": "precomputed", "landmarks": [0, 3, 5, 60, 80]}),
    ("KernelPCA", {"kernel": "cosine"}),
    ("KernelPCA", {"kernel": "laplacian"}),
    ("KernelPCA", {"kernel": "sigmoid", "gamma": 0.1, "n_components": 1}),
    ("KernelPCA", {"kernel": "rbf", "solver": "lanczos", "tol": 1e-2}),
    ("SpectralClustering", {"affinity": "binary", "metric": "precomputed"}),
    ("LaplacianEigenmaps", {"affinity": "gaussian", "normalization": "symmetric"}),
    ("LaplacianEigenmaps", {"n_neighbors": None, "radius": 1.2, "metric": "precomputed"}),
    ("LaplacianEigenmaps", {"n_neighbors": None, "affinity": "gaussian", "sigma": 0.8}),
    ("LaplacianEigenmaps", {"solver": "lanczos", "tol": 1e-2}),
    ("LaplacianEigenmaps", {"solver": "inverse"}),
    ("DiffusionMap", {"alpha": 0.5, "time": 3, "n_components": 1}),
    ("DiffusionMap", {"n_neighbors": None, "sigma": 0.8, "alpha": 0.0, "metric": "manhattan"}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8, "solver": "lanczos", "tol": 1e-3}),
    ("LocallyLinearEmbedding", {"n_neighbors": 4, "components": "bridge", "c": 10.0}),
    ("LocalTangentSpaceAlignment", {"n_neighbors": 7, "n_components": 1, "solver": "lanczos", "tol": 1e-3}),
    ("Isomap", {"n_neighbors": None, "radius": 1.2}),
    ("Isomap", {"metric": "precomputed"}),
    ("Isomap", {"n_neighbors": 2, "components": "bridge"}),
    ("SemidefiniteEmbedding", {"landmarks": [0, 3, 5, 22, 41, 60, 80], "n_components": 1, "tol": 1e-4}),
]
SETTINGS = [*POINTS, *MORE]


def swiss_roll(n, seed):
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([t * np.cos(t), 8 * rng.uniform(size=n), t * np.sin(t)]) / 5


def with_duplicates(X, seed=1):
    """Points in random order, some of them twice, one of them fifteen times."""
    rng = np.random.default_rng(seed)
    return rng.permutation(np.vstack([X, X[:10], np.repeat(X[11:12], 14, axis=0)]))


def make(name, settings):
    return getattr(lp.manifold, name)(**settings)


def arrange(settings, X, new=None):
    """Return the input for the settings: points, their distances, or their kernel values."""
    new = X if new is None else new
    if settings.get("metric") == "precomputed":
        return np.linalg.norm(new[:, None] - X[None], axis=2)
    if settings.get("affinity") == "precomputed":
        return np.exp(-(np.linalg.norm(new[:, None] - X[None], axis=2) ** 2))
    if settings.get("kernel") == "precomputed":
        return (new @ X.T) ** 2
    return new


def close(a, b, rtol=1e-8):
    """Whether rows agree relative to the size of the embedding."""
    return a.shape == b.shape and np.abs(a - b).max() <= rtol * np.abs(b).max()


each_setting = pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=lambda value: str(value))


@pytest.mark.parametrize("name", lp.manifold.__all__)
def test_every_method_is_in_the_table(name):
    assert name in {row[0] for row in SETTINGS}
    assert issubclass(getattr(lp.manifold, name), PointsEmbedding)


@pytest.mark.parametrize("duplicates", [False, True])
@each_setting
def test_training_points_passed_as_new_have_their_positions(name, settings, duplicates):
    X = with_duplicates(swiss_roll(N, 0)) if duplicates else swiss_roll(N, 0)
    given = arrange(settings, X)
    model = make(name, settings).fit(given)
    assert np.isfinite(model.embedding_).all()
    assert close(model.transform(given), model.embedding_)
    assert model.transform(given[:0]).shape == (0, model.embedding_.shape[1])


@each_setting
def test_the_order_of_points_does_not_matter(name, settings):
    X, new = swiss_roll(N, 0), swiss_roll(20, 5)
    order = RNG.permutation(N)
    one = make(name, settings).fit(arrange(settings, X))
    again = settings
    if "landmarks" in settings:
        again = settings | {"landmarks": np.argsort(order)[one.landmarks_]}
    two = make(name, again).fit(arrange(settings, X[order]))
    assert np.allclose(one.eigenvalues_, two.eigenvalues_, rtol=1e-3 if settings.get("tol") else 1e-9)
    if settings.get("tol"):
        return  # a loose tolerance leaves the vectors to their start
    # Where entries tie for the largest, the first of them decides on the sign.
    sign = np.sign((two.embedding_ * one.embedding_[order]).sum(axis=0))
    assert close(two.embedding_ * sign, one.embedding_[order], rtol=1e-6)
    a, b = one.transform(arrange(settings, X, new)), two.transform(arrange(settings, X[order], new))
    assert close(a, b * sign, rtol=1e-6)


@each_setting
def test_the_graph_is_a_network_and_columns_are_named(name, settings):
    X = swiss_roll(N, 0)
    model = make(name, settings).set_output(transform="pandas").fit(arrange(settings, X))
    adjacency = lp.as_adjacency(model.graph_)
    of_landmarks = "landmarks" in settings and name in ("ClassicalMDS", "KernelPCA")
    assert adjacency.n_vertices == (len(model.landmarks_) if of_landmarks else N)
    assert adjacency.directed == (name == "LocallyLinearEmbedding")  # from a point to those that reconstruct it
    assert adjacency.n_edges > 0
    names = [f"{name.lower()}{i}" for i in range(model.embedding_.shape[1])]
    assert model.get_feature_names_out().tolist() == names
    assert list(model.transform(arrange(settings, X)[:3]).columns) == names


JOINED = "LaplacianEigenmaps DiffusionMap Isomap LocallyLinearEmbedding LocalTangentSpaceAlignment"


@pytest.mark.parametrize("name", JOINED.split())
def test_components_are_cut_or_bridged(name):
    X, settings = np.vstack([swiss_roll(80, 0), swiss_roll(60, 0) + 50]), {"n_neighbors": 6}
    largest, alone = (make(name, settings | {"components": "largest"}).fit(points) for points in (X, X[:80]))
    assert np.array_equal(largest.kept_, np.arange(80))
    assert close(largest.embedding_, alone.embedding_)
    assert close(largest.transform(X[:80]), largest.embedding_)
    bridged = make(name, settings | {"components": "bridge"}).fit(X)
    assert csgraph.connected_components(bridged.graph_)[0] == 1
    assert close(bridged.transform(X), bridged.embedding_)


METHODS = sorted({name for name, _ in SETTINGS})
BAD = [
    (lambda X: np.full((12, 3), 0.1), ArgumentError),  # all equal
    (lambda X: np.ma.masked_array(X, mask=X[4, 1] == X), ArgumentError),
    (lambda X: np.where(X[1, 1] == X, "red", X.astype(object)), ArgumentTypeError),
    (lambda X: nx.path_graph(9), ArgumentTypeError),
    (lambda X: lp.from_edges([0, 1], [1, 2]), ArgumentTypeError),
]


@pytest.mark.parametrize("name", METHODS)
def test_wrong_points_are_refused(name):
    X, kind = swiss_roll(N, 0), getattr(lp.manifold, name)
    for made, error in BAD:
        with pytest.raises(error, match="X"):
            kind().fit(made(X))
    if "metric" in kind().get_params():
        with pytest.raises(ArgumentError, match="X"):
            kind(metric="precomputed").fit(np.zeros((12, 12)))


@pytest.mark.parametrize("name", METHODS)
def test_wrong_new_points_are_refused(name):
    X, kind = swiss_roll(N, 0), getattr(lp.manifold, name)
    with pytest.raises(NotFittedError, match=name):
        _ = kind().graph_
    few = {"landmarks": 20} if name == "SemidefiniteEmbedding" else {}  # it takes seconds without
    model = kind(**few).fit(np.ma.masked_array(X, mask=False))
    for new in (np.where(X[3, 1] == X, np.nan, X), np.ma.masked_array(X, mask=X[4, 1] == X)):
        with pytest.raises(ArgumentError, match="X"):
            model.transform(new)


@pytest.mark.parametrize("name", METHODS)
def test_wrong_sizes_and_solvers_are_refused(name):
    X, kind = swiss_roll(N, 0), getattr(lp.manifold, name)
    size = "n_clusters" if "n_clusters" in kind().get_params() else "n_components"
    for value, error in [(0, ArgumentError), (500, ArgumentError), (2.0, ArgumentTypeError), ("two", TypeError)]:
        with pytest.raises(error, match=f"{size}="):
            kind(**{size: value}).fit(X)
    with pytest.raises(ArgumentError, match="solver='arpack'"):
        kind(solver="arpack").fit(X)
