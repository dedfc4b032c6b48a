"""Small fitted models of every class that a model file may contain."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple
from unittest import mock

import networkx as nx
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

import lpgraph as lp
from lpgraph.points import find_neighbors
from lpgraph.points.search import cells

__all__ = ["CLASSIFIERS", "FITS", "POINTS", "Fitted", "models"]


class Fitted(NamedTuple):
    """A fitted model, new items for it, and what fits a clone of it again.

    Attributes
    ----------
    name : str
        For messages.
    model : estimator or ModelFit
        The model.
    new : object
        New vertices or points; None for random graphs.
    training : tuple
        Arguments of ``fit``; empty for random graphs.
    """

    name: str
    model: Any
    new: Any
    training: tuple[Any, ...]


_RATES = [[0.6, 0.1], [0.1, 0.5]]

CLASSIFIERS = [
    None,
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    LogisticRegression(C=10.0),
    RidgeClassifier(),
    LinearSVC(C=10.0),
    GaussianNB(),
    NearestCentroid(),
    KNeighborsClassifier(3),
    KNeighborsClassifier(5, weights="distance", algorithm="ball_tree"),
    RadiusNeighborsClassifier(2.0),
    DummyClassifier(strategy="stratified", random_state=0),
    make_pipeline(StandardScaler(), PCA(2), KNeighborsClassifier()),
    make_pipeline(RobustScaler(), Normalizer(), MinMaxScaler(), "passthrough", LogisticRegression()),
]

POINTS: list[tuple[str, dict[str, Any]]] = [
    ("ClassicalMDS", {}),
    ("ClassicalMDS", {"metric": "manhattan"}),
    ("ClassicalMDS", {"metric": "precomputed"}),
    ("ClassicalMDS", {"metric": "minkowski", "metric_params": {"p": 1.5, "w": np.array([1.0, 2.0, 0.5])}}),
    ("ClassicalMDS", {"landmarks": 9, "metric": "manhattan"}),
    ("ClassicalMDS", {"landmarks": [0, 3, 5, 20, 30], "metric": "precomputed"}),
    ("KernelPCA", {}),
    ("KernelPCA", {"kernel": "rbf", "landmarks": 9, "fit_inverse_transform": True}),
    ("KernelPCA", {"kernel": "rbf", "gamma": 0.3}),
    ("KernelPCA", {"kernel": "poly", "degree": 2}),
    ("KernelPCA", {"kernel": "precomputed"}),
    ("KernelPCA", {"kernel": "rbf", "gamma": 0.3, "fit_inverse_transform": True}),
    ("SpectralClustering", {"n_clusters": 3}),
    ("SpectralClustering", {"n_neighbors": None, "sigma": 0.8}),
    ("SpectralClustering", {"n_neighbors": None, "affinity": "precomputed"}),
    ("LaplacianEigenmaps", {"normalization": "symmetric"}),
    ("LaplacianEigenmaps", {"n_neighbors": 2, "components": "bridge", "n_components": 1}),
    ("DiffusionMap", {"alpha": 0.5}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8, "c": 3.0}),
    ("LocalTangentSpaceAlignment", {"n_neighbors": 8}),
    ("Isomap", {}),
    ("Isomap", {"landmarks": [0, 3, 5, 20, 30], "metric": "manhattan"}),
    ("SemidefiniteEmbedding", {"landmarks": 10, "tol": 1e-2}),
]

FITS: dict[str, Callable[..., Any]] = {
    "Erdos-Renyi": lambda graph, labels: lp.fit_erdos_renyi(graph),
    "block model": lp.fit_block_model,
    "degree-corrected": lp.fit_degree_corrected_block_model,
    "dot product": lambda graph, labels: lp.fit_random_dot_product_graph(graph, 2),
}


def models() -> dict[str, Callable[[], Fitted]]:
    """Return the functions that fit each model, by its name."""
    return {name: make for name, make in _listed()}  # noqa: C416 - a dict of an iterator of pairs


@cache
def fitted(name: str) -> Fitted:
    """Return a model, fitted once in a process; it must not be changed."""
    return models()[name]()


def _listed() -> Iterator[tuple[str, Callable[[], Fitted]]]:
    for directed in (False, True):
        for key, model in _networks(directed).items():
            name = f"{key}, {'directed' if directed else 'undirected'}"
            yield name, lambda name=name, model=model, directed=directed: _network(name, model, directed)
        for key in FITS:
            name = f"fit of {key}, {'directed' if directed else 'undirected'}"
            yield name, lambda name=name, key=key, directed=directed: _fit(name, key, directed)
    for classifier in CLASSIFIERS:
        name = f"VertexClassifier({classifier!r:.60})"
        yield name, lambda name=name, classifier=classifier: _classifier(name, classifier)
    for method, settings in POINTS:
        name = f"{method}({settings!r:.60})"
        yield name, lambda name=name, method=method, settings=settings: _points(name, method, settings)
    yield "approximate neighbors", _approximate
    yield "points in single precision", _single
    for method in ("ClassicalMDS", "KernelPCA", "Isomap"):
        name = f"sparse {method}"
        yield name, lambda name=name, method=method: _sparse_points(name, method)


def _networks(directed: bool) -> dict[str, Any]:
    """Return estimators of networks."""
    found: dict[str, Any] = {
        "ASE": lp.AdjacencySpectralEmbedding(),
        "ASE, augmented": lp.AdjacencySpectralEmbedding(
            2, augment_diagonal=True, random_state=np.random.default_rng(3)
        ),
        "ASE, by Lanczos's method": lp.AdjacencySpectralEmbedding("elbow", which="LA", solver="lanczos", tol=1e-3),
        "ASE, aligned": lp.AdjacencySpectralEmbedding(
            align_to={f"v{i}": [1.0, 0.5 if i < 20 else -0.5] for i in range(40)}
        ),
        "unobserved pairs": lp.AdjacencySpectralEmbedding(2, unobserved=[("v0", "v1"), ("v2", "v30")]),
        "landmarks": lp.AdjacencySpectralEmbedding(2, landmarks=[f"v{i}" for i in range(20)], landmark_passes=0),
        "LSE": lp.LaplacianSpectralEmbedding(2, regularizer="mean"),
        "LSE, landmarks": lp.LaplacianSpectralEmbedding(2, landmarks=25, landmark_rule="leverage"),
        "likelihood": lp.OutOfSample(lp.AdjacencySpectralEmbedding(2), rule="likelihood"),
        "VertexClustering": lp.VertexClustering(),
        "VertexClustering, gaussian": lp.VertexClustering(
            lp.AdjacencySpectralEmbedding(2), range(1, 4), method="gaussian"
        ),
        "NetworkManifold": lp.NetworkManifold(),
        "NetworkManifold, LLE": lp.NetworkManifold(
            network_embedding=lp.AdjacencySpectralEmbedding(2),
            manifold=lp.manifold.LocallyLinearEmbedding(1, n_neighbors=8, components="bridge"),
        ),
        "VertexClassifier": lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)),
    }
    if not directed:
        found |= {
            "covariates": lp.CovariateAssistedEmbedding(2, covariates=np.arange(80.0).reshape(40, 2) % 7),
            "modularity": lp.ModularityEmbedding(2),
            "one step": lp.OneStepEmbedding(2),
            "random walk": lp.RandomWalkEmbedding(2),
            "batch": lp.OutOfSample(lp.AdjacencySpectralEmbedding(2), rule="batch"),
            "pipeline": make_pipeline(lp.AdjacencySpectralEmbedding(2), StandardScaler(), KNeighborsClassifier()),
        }
        for covariance in ("tied", "diag", "spherical"):
            found[f"VertexClustering, {covariance}"] = lp.VertexClustering(
                lp.AdjacencySpectralEmbedding(2), 2, method="gaussian", covariance=covariance
            )
    return found


def _graph(directed: bool) -> tuple[Any, Any]:
    """Return a named graph of 40 vertices, and the labels of their blocks."""
    rates = [[0.6, 0.1], [0.3, 0.5]] if directed else _RATES
    graph = lp.stochastic_block_model([20, 20], rates, directed=directed, random_state=0)
    names = [f"v{i}" for i in range(40)]
    return lp.as_adjacency(graph.adjacency, names=names, directed=directed), graph.labels


def _fit(name: str, key: str, directed: bool) -> Fitted:
    return Fitted(name, FITS[key](*_graph(directed)), None, ())


def _network(name: str, model: Any, directed: bool) -> Fitted:
    adjacency, labels = _graph(directed)
    new: Any = {"a": ["v0", "v1", "v25"], "b": {"v30": 1.0, "v39": 1.0}, "c": []}
    if name.startswith("pipeline"):
        adjacency, new = adjacency.matrix, np.eye(40)[:3]
    found = _fitted(name, model, new, (adjacency, labels))
    if name.startswith("covariates"):
        values = {"a": [1.0, 2.0], "b": [3.0, 5.0], "c": [0.0, 6.0]}
        found = found._replace(new=model.read_new(new, covariates=values))
        model.covariates = None  # as in a saved model
    return found


def _classifier(name: str, classifier: Any) -> Fitted:
    network = nx.karate_club_graph()
    clubs = nx.get_node_attributes(network, "club")
    model = lp.VertexClassifier(lp.LaplacianSpectralEmbedding(2), classifier)
    return _fitted(name, model, {"new": [0, 1, 2], "newer": {33: 2.0}}, (network, clubs))


def _points(name: str, method: str, settings: dict[str, Any]) -> Fitted:
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=50))
    points = np.column_stack([t * np.cos(t), 8 * rng.uniform(size=50), t * np.sin(t)]) / 5
    X, new = points[:44], points[40:]
    if settings.get("metric") == "precomputed":
        X, new = (np.linalg.norm(part[:, None] - points[None, :44], axis=2) for part in (X, new))
    if settings.get("affinity") == "precomputed":
        X, new = (np.exp(-np.linalg.norm(part[:, None] - points[None, :44], axis=2)) for part in (X, new))
    if settings.get("kernel") == "precomputed":
        X, new = ((part @ points[:44].T) ** 2 for part in (X, new))
    return _fitted(name, getattr(lp.manifold, method)(**settings), new, (X,))


def _sparse_points(name: str, method: str) -> Fitted:
    from scipy import sparse

    X = sparse.random_array((40, 9), density=0.5, format="csr", rng=np.random.default_rng(0))
    settings = {"n_neighbors": 12} if method == "Isomap" else {}
    return _fitted(name, getattr(lp.manifold, method)(2, **settings), X[:5], (X,))


def _single() -> Fitted:
    """Return a model that keeps its points in single precision."""
    X = np.random.default_rng(0).uniform(size=(40, 3)).astype(np.float32)
    return _fitted("points in single precision", lp.manifold.LaplacianEigenmaps(2, n_neighbors=8), X[:5], (X,))


def _approximate() -> Fitted:
    """Return a model whose neighbors were searched in cells, in which so few points are usually not divided."""
    X = np.random.default_rng(0).uniform(size=(60, 5))
    model = lp.manifold.LaplacianEigenmaps(2, n_neighbors=8, neighbors="approximate")
    with mock.patch.object(find_neighbors, "_MANY", 0), mock.patch.object(cells, "_SHARE", np.inf):
        return _fitted("approximate neighbors", model, X[:5] + 0.01, (X,))


def _fitted(name: str, model: Any, new: Any, training: tuple[Any, ...]) -> Fitted:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Fitted(name, model.fit(*training), new, training)
