"""Small fitted models of every class that a model file may contain."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple
from unittest import mock

import networkx as nx
import numpy as np
from scipy import sparse
from sklearn.base import clone
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
from lpgraph.points import neighborhood, search


class Fitted(NamedTuple):
    """A fitted model, new items for it (None for random graphs), and the arguments that fit a clone again."""

    model: Any
    new: Any
    training: tuple[Any, ...]


CLASSIFIERS = [
    None,
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    LogisticRegression(C=10.0),
    RidgeClassifier(),
    LinearSVC(C=10.0),
    GaussianNB(),
    NearestCentroid(),
    KNeighborsClassifier(5, weights="distance", algorithm="ball_tree"),
    RadiusNeighborsClassifier(2.0),
    DummyClassifier(strategy="stratified", random_state=0),
    make_pipeline(StandardScaler(), PCA(2), KNeighborsClassifier()),
    make_pipeline(RobustScaler(), Normalizer(), MinMaxScaler(), "passthrough", LogisticRegression()),
]

POINTS: list[tuple[str, dict[str, Any]]] = [
    ("ClassicalMDS", {}),
    ("ClassicalMDS", {"metric": "precomputed"}),
    ("ClassicalMDS", {"metric": "minkowski", "metric_params": {"p": 1.5, "w": np.array([1.0, 2.0, 0.5])}}),
    ("ClassicalMDS", {"landmarks": 9, "metric": "manhattan"}),
    ("ClassicalMDS", {"landmarks": [0, 3, 5, 20, 30], "metric": "precomputed"}),
    ("KernelPCA", {"kernel": "rbf", "landmarks": 9, "fit_inverse_transform": True}),
    ("KernelPCA", {"kernel": "poly", "degree": 2}),
    ("KernelPCA", {"kernel": "precomputed"}),
    ("KernelPCA", {"kernel": "rbf", "gamma": 0.3, "fit_inverse_transform": True}),
    ("SpectralClustering", {"n_clusters": 3}),
    ("SpectralClustering", {"n_neighbors": None, "affinity": "precomputed"}),
    ("LaplacianEigenmaps", {"normalization": "symmetric"}),
    ("DiffusionMap", {"alpha": 0.5}),
    ("LocallyLinearEmbedding", {"n_neighbors": 8}),
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
    found: dict[str, Callable[[], Fitted]] = {}
    for directed, kind in ((False, "undirected"), (True, "directed")):
        for key, model in _networks(directed).items():
            found[f"{key}, {kind}"] = partial(_network, key, model, directed)
        for key in FITS:
            found[f"fit of {key}, {kind}"] = partial(_fit, key, directed)
    found |= {f"VertexClassifier({one!r:.60})": partial(_classifier, one) for one in CLASSIFIERS}
    found |= {f"{method}({settings!r:.60})": partial(_points, method, settings) for method, settings in POINTS}
    X = sparse.random_array((40, 9), density=0.5, format="csr", rng=np.random.default_rng(0))
    for method, settings in (("ClassicalMDS", {}), ("KernelPCA", {}), ("Isomap", {"n_neighbors": 12})):
        found[f"sparse {method}"] = partial(_rows, method, X, **settings)
    return found | {"approximate neighbors": _approximate}


@cache
def fitted(name: str) -> Fitted:
    """Return a model, fitted once in a process; it must not be changed."""
    return models()[name]()


def _networks(directed: bool) -> dict[str, Any]:
    """Return estimators of networks."""
    plain, sides = lp.AdjacencySpectralEmbedding(2), {f"v{i}": [1.0, 0.5 if i < 20 else -0.5] for i in range(40)}
    generator = np.random.default_rng(3)
    found: dict[str, Any] = {
        "ASE": lp.AdjacencySpectralEmbedding(),
        "ASE, augmented": lp.AdjacencySpectralEmbedding(2, augment_diagonal=True, random_state=generator),
        "ASE, by Lanczos's method": lp.AdjacencySpectralEmbedding("elbow", which="LA", solver="lanczos", tol=1e-3),
        "ASE, aligned": lp.AdjacencySpectralEmbedding(align_to=sides),
        "unobserved pairs": lp.CompletedEmbedding(clone(plain), unobserved=[("v0", "v1"), ("v2", "v30")]),
        "LSE": lp.LaplacianSpectralEmbedding(2, regularizer="mean"),
        "likelihood": lp.OutOfSample(clone(plain), rule="likelihood"),
        "VertexClustering": lp.VertexClustering(),
        "VertexClustering, gaussian": lp.VertexClustering(clone(plain), range(1, 4), method="gaussian"),
        "VertexClassifier": lp.VertexClassifier(clone(plain)),
    }
    if directed:
        return found
    return found | {
        "covariates": lp.CovariateAssistedEmbedding(2, covariates=np.arange(80.0).reshape(40, 2) % 7),
        "modularity": lp.ModularityEmbedding(2),
        "one step": lp.OneStepEmbedding(2),
        "random walk": lp.RandomWalkEmbedding(2),
        "batch": lp.OutOfSample(clone(plain), rule="batch"),
        "pipeline": make_pipeline(clone(plain), StandardScaler(), KNeighborsClassifier()),
    }


def _graph(directed: bool) -> tuple[Any, Any]:
    """Return a named graph of 40 vertices, and the labels of their blocks."""
    rates = [[0.6, 0.1], [0.3 if directed else 0.1, 0.5]]
    graph = lp.stochastic_block_model([20, 20], rates, directed=directed, random_state=0)
    return lp.as_adjacency(graph.adjacency, names=[f"v{i}" for i in range(40)], directed=directed), graph.labels


def _fit(key: str, directed: bool) -> Fitted:
    return Fitted(FITS[key](*_graph(directed)), None, ())


def _network(key: str, model: Any, directed: bool) -> Fitted:
    adjacency, labels = _graph(directed)
    new: Any = {"a": ["v0", "v1", "v25"], "b": {"v30": 1.0, "v39": 1.0}, "c": []}
    if key == "pipeline":
        adjacency, new = adjacency.matrix, np.eye(40)[:3]
    found = _fitted(model, new, adjacency, labels)
    if key == "covariates":
        values = {"a": [1.0, 2.0], "b": [3.0, 5.0], "c": [0.0, 6.0]}
        found = found._replace(new=model.read_new(new, covariates=values))
        model.covariates = None  # as in a saved model
    return found


def _classifier(classifier: Any) -> Fitted:
    network = nx.karate_club_graph()
    model = lp.VertexClassifier(lp.LaplacianSpectralEmbedding(2), classifier)
    new = {"new": [0, 1, 2], "newer": {33: 2.0}}
    return _fitted(model, new, network, nx.get_node_attributes(network, "club"))


def _points(method: str, settings: dict[str, Any]) -> Fitted:
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=50))
    points = np.column_stack([t * np.cos(t), 8 * rng.uniform(size=50), t * np.sin(t)]) / 5
    given = (points[:44], points[40:])
    if "precomputed" in settings.values():
        distances = [np.linalg.norm(part[:, None] - points[None, :44], axis=2) for part in given]
        given = distances if "metric" in settings else [np.exp(-part) for part in distances]
    return _fitted(getattr(lp.manifold, method)(**settings), given[1], given[0])


def _rows(method: str, X: Any, **settings: Any) -> Fitted:
    return _fitted(getattr(lp.manifold, method)(2, **settings), X[:5], X)


def _approximate() -> Fitted:
    """Return a model whose neighbors were searched in cells, in which so few points are usually not divided."""
    X = np.random.default_rng(0).uniform(size=(60, 5))
    model = lp.manifold.LaplacianEigenmaps(2, n_neighbors=8, neighbors="approximate")
    with mock.patch.object(neighborhood, "_MANY", 0), mock.patch.object(search, "_SHARE", np.inf):
        return _fitted(model, X[:5] + 0.01, X)


def _fitted(model: Any, new: Any, *training: Any) -> Fitted:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Fitted(model.fit(*training), new, training)
