"""Contracts of all methods: exactness, batches, order, unmodified input, pickles, the graph."""

import pickle

import igraph
import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError
from lpgraph.manifold.base import PointsEmbedding

RNG = np.random.default_rng(0)
N = 90

#: Settings in which each method's rows are exact on its training points; every method has at least one.
SETTINGS = [
    ("ClassicalMDS", {}),
    ("ClassicalMDS", {"metric": "manhattan"}),
    ("ClassicalMDS", {"metric": "cosine", "n_components": 1}),
    ("ClassicalMDS", {"metric": "precomputed"}),
    ("ClassicalMDS", {"solver": "lanczos", "tol": 1e-2}),
    ("ClassicalMDS", {"metric": "minkowski", "metric_params": {"p": 1.5, "w": [1.0, 2.0, 0.5]}}),
    ("ClassicalMDS", {"landmarks": 20}),
    ("ClassicalMDS", {"landmarks": [0, 3, 5, 60, 80], "metric": "precomputed"}),
    ("ClassicalMDS", {"landmarks": 20, "metric": "manhattan"}),
    ("KernelPCA", {}),
    ("KernelPCA", {"kernel": "rbf", "landmarks": 20}),
    ("KernelPCA", {"kernel": "precomputed", "landmarks": [0, 3, 5, 60, 80]}),
    ("KernelPCA", {"kernel": "rbf", "gamma": 0.3}),
    ("KernelPCA", {"kernel": "poly", "degree": 2}),
    ("KernelPCA", {"kernel": "cosine"}),
    ("KernelPCA", {"kernel": "laplacian"}),
    ("KernelPCA", {"kernel": "sigmoid", "gamma": 0.1, "n_components": 1}),
    ("KernelPCA", {"kernel": "precomputed"}),
    ("KernelPCA", {"kernel": "rbf", "solver": "lanczos", "tol": 1e-2}),
    ("SpectralClustering", {"n_clusters": 3}),
    ("SpectralClustering", {"affinity": "binary", "metric": "precomputed"}),
    ("SpectralClustering", {"n_neighbors": None, "sigma": 0.8}),
    ("SpectralClustering", {"affinity": "precomputed", "n_neighbors": None, "n_clusters": 3}),
    ("LaplacianEigenmaps", {}),
    ("LaplacianEigenmaps", {"affinity": "gaussian", "normalization": "symmetric"}),
    ("LaplacianEigenmaps", {"n_neighbors": None, "radius": 1.2, "metric": "precomputed"}),
    ("LaplacianEigenmaps", {"n_neighbors": None, "affinity": "gaussian", "sigma": 0.8}),
    ("LaplacianEigenmaps", {"n_neighbors": 2, "components": "bridge", "n_components": 1}),
    ("LaplacianEigenmaps", {"solver": "lanczos", "tol": 1e-2}),
    ("LaplacianEigenmaps", {"solver": "inverse"}),
    ("LaplacianEigenmaps", {"affinity": "precomputed", "n_neighbors": None}),
    ("DiffusionMap", {}),
    ("DiffusionMap", {"solver": "inverse"}),
    ("DiffusionMap", {"alpha": 0.5, "time": 3, "n_components": 1}),
    ("DiffusionMap", {"n_neighbors": None, "sigma": 0.8, "alpha": 0.0, "metric": "manhattan"}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8, "c": 3.0}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8, "solver": "lanczos", "tol": 1e-3}),
    ("LocallyLinearEmbedding", {"n_neighbors": 4, "components": "bridge", "c": 10.0}),
    ("LocalTangentSpaceAlignment", {"n_neighbors": 8}),
    ("LocalTangentSpaceAlignment", {"n_neighbors": 7, "n_components": 1, "solver": "lanczos", "tol": 1e-3}),
    ("Isomap", {}),
    ("Isomap", {"n_neighbors": None, "radius": 1.2}),
    ("Isomap", {"metric": "precomputed"}),
    ("Isomap", {"n_neighbors": None, "radius": np.inf}),
    ("Isomap", {"metric": "seuclidean", "metric_params": {"V": [1.0, 4.0, 0.25]}}),
    ("Isomap", {"n_neighbors": 2, "components": "bridge"}),
    ("Isomap", {"landmarks": 20}),
    ("Isomap", {"landmarks": [0, 3, 5, 60, 80], "n_components": 1}),
    ("SemidefiniteEmbedding", {"landmarks": 20, "tol": 1e-4}),
    ("SemidefiniteEmbedding", {"landmarks": [0, 3, 5, 22, 41, 60, 80], "n_components": 1, "tol": 1e-4}),
]


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
def test_every_method_stands_in_the_table(name):
    assert name in {row[0] for row in SETTINGS}
    assert issubclass(getattr(lp.manifold, name), PointsEmbedding)


@pytest.mark.parametrize("duplicates", [False, True])
@each_setting
def test_training_points_passed_as_new_come_out_where_they_are(name, settings, duplicates):
    X = with_duplicates(swiss_roll(N, 0)) if duplicates else swiss_roll(N, 0)
    given = arrange(settings, X)
    model = make(name, settings).fit(given)
    assert np.isfinite(model.embedding_).all()
    assert close(model.transform(given), model.embedding_)
    # One at a time as in a batch.
    assert close(
        np.vstack([model.transform(given[i : i + 1]) for i in range(0, len(X), 7)]), model.embedding_[::7]
    )
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
def test_inputs_are_left_alone_and_fits_repeat(name, settings):
    given = arrange(settings, swiss_roll(N, 0))
    new = arrange(settings, swiss_roll(N, 0), swiss_roll(9, 2))
    before, new_before = given.copy(), new.copy()
    model = make(name, settings)
    parameters = dict(model.get_params())
    first = model.fit_transform(given)
    moved = model.transform(new)
    assert np.array_equal(given, before)
    assert np.array_equal(new, new_before)
    assert model.get_params() == parameters
    assert np.array_equal(clone(model).fit(given).embedding_, first)
    assert np.array_equal(model.transform(new), moved)


@each_setting
def test_a_pickle_extends_as_the_model_does(name, settings):
    X = swiss_roll(N, 0)
    model = make(name, settings).fit(arrange(settings, X))
    again = pickle.loads(pickle.dumps(model))
    new = arrange(settings, X, swiss_roll(9, 2))
    assert np.array_equal(again.transform(new), model.transform(new))
    assert np.array_equal(np.asarray((again.graph_ != model.graph_).sum()), 0)


@each_setting
def test_the_graph_goes_to_the_vertices_world(name, settings):
    model = make(name, settings).fit(arrange(settings, swiss_roll(N, 0)))
    adjacency = lp.as_adjacency(model.graph_)
    of_landmarks = "landmarks" in settings and name in ("ClassicalMDS", "KernelPCA")
    assert adjacency.n_vertices == (len(model.landmarks_) if of_landmarks else N)
    assert adjacency.directed == (name == "LocallyLinearEmbedding")  # who rebuilds whom
    assert adjacency.n_edges > 0


@each_setting
def test_columns_are_named_and_frames_come_out(name, settings):
    X = swiss_roll(N, 0)
    model = make(name, settings).set_output(transform="pandas").fit(arrange(settings, X))
    d = model.embedding_.shape[1]
    names = [f"{name.lower()}{i}" for i in range(d)]
    assert model.get_feature_names_out().tolist() == names
    assert list(model.transform(arrange(settings, X)[:3]).columns) == names


@pytest.mark.parametrize("name", lp.manifold.__all__)
def test_wrong_input_is_refused_with_the_remedy(name):
    X = swiss_roll(N, 0)
    kind = getattr(lp.manifold, name)
    with pytest.raises(NotFittedError, match=rf"{name} is not fitted yet; call fit"):
        kind().transform(X)
    with pytest.raises(NotFittedError, match="call fit"):
        kind().graph_  # noqa: B018
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ArgumentError, match=r"X\[3, 1\] is nan"):
        kind().fit(bad)
    with pytest.raises(ArgumentError, match=r"Reshape your data: pass X.reshape"):
        kind().fit(X[:, 0])
    with pytest.raises(ArgumentError, match="1 point"):
        kind().fit(X[:1])
    few = {"landmarks": 20} if name == "SemidefiniteEmbedding" else {}  # it takes seconds without
    model = kind(**few).fit(X)
    with pytest.raises(
        ArgumentError, match=rf"X has 2 features, but {name} is expecting 3 features as input. Pass X with the"
    ):
        model.transform(X[:, :2])
    with pytest.raises(ArgumentError, match="is nan"):
        model.transform(bad)
    size = "n_clusters" if "n_clusters" in kind().get_params() else "n_components"
    for value, error in [(0, ArgumentError), (2.0, ArgumentTypeError), ("two", ArgumentTypeError)]:
        with pytest.raises(error, match=f"{size}="):
            kind(**{size: value}).fit(X)
    with pytest.raises(ArgumentError, match=f"{size}=500 but only 90 points; pass {size} <="):
        kind(**{size: 500}).fit(X)
    with pytest.raises(ArgumentError, match="solver='arpack'; pass one of"):
        kind(solver="arpack").fit(X)


METHODS = sorted({name for name, _ in SETTINGS})


@pytest.mark.parametrize("name", METHODS)
def test_points_that_are_all_equal_are_refused(name):
    method = getattr(lp.manifold, name)
    with pytest.raises(ArgumentError, match="X has 12 points that are all equal; pass at least two different"):
        method().fit(np.full((12, 3), 0.1))
    if "metric" in method().get_params():
        with pytest.raises(ArgumentError, match="X has 12 points at distance 0 from each other"):
            method(metric="precomputed").fit(np.zeros((12, 12)))


@pytest.mark.parametrize("name", METHODS)
def test_masked_points_are_refused_and_whole_ones_are_not(name):
    X = RNG.normal(size=(30, 3))
    method = getattr(lp.manifold, name)
    masked = np.ma.masked_array(X, mask=False)
    keys = {"n_neighbors": 8} if "n_neighbors" in method().get_params() else {}
    model = method(**keys).fit(masked)
    masked[4, 1] = np.ma.masked
    remedy = r"X is a masked array with 1 masked entries, such as X\[4, 1\]; pass X.filled\(VALUE\)"
    with pytest.raises(ArgumentError, match=remedy):
        method(**keys).fit(masked)
    with pytest.raises(ArgumentError, match=remedy):
        model.transform(masked)


@pytest.mark.parametrize("name", METHODS)
def test_a_network_is_no_points(name):
    for network, kind in (
        (nx.path_graph(9), "networkx.Graph"),
        (igraph.Graph.Ring(9), "igraph.Graph"),
        (lp.from_edges([0, 1], [1, 2]), "lpgraph.Adjacency"),
    ):
        remedy = f"is a network \\({kind}\\), but {name} embeds points; pass it to lpgraph.AdjacencySpectral"
        with pytest.raises(ArgumentTypeError, match=remedy):
            getattr(lp.manifold, name)().fit(network)


def test_an_entry_that_is_no_number_has_its_place():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2, 3], "kind": [4, "red", "green"], "y": [1.0, 2, 3]})
    for X, place in ((frame, "row 1, column 'kind'"), (frame.to_numpy(), r"\[1, 1\]")):
        for call in (lp.manifold.Isomap().fit, lambda X: lp.metrics.neighbor_measure(X, np.eye(3))):
            with pytest.raises(ArgumentTypeError, match=f"X has the entry 'red' in {place}, but"):
                call(X)


def test_eigenmaps_of_clusters_name_the_method_for_them():
    X = np.vstack([RNG.normal(size=(20, 2)), RNG.normal(size=(20, 2)) + 100])
    with pytest.raises(lp.errors.DisconnectedError, match=r"If they are clusters, use SpectralClustering\("):
        lp.manifold.LaplacianEigenmaps().fit(X)
    assert sorted(np.bincount(lp.manifold.SpectralClustering(2).fit(X).labels_)) == [20, 20]
