"""Results for a new item are the same, bit for bit, alone, in any batch, in any order and with any threads."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from fuzz.zoo import Fitted, fitted, models
from manifold.test_every_method import arrange
from manifold.test_every_method import swiss_roll as roll
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

import lpgraph as lp
from lpgraph.embed.base import NetworkEmbedding
from lpgraph.embed.edge_probabilities import _known
from lpgraph.manifold.base import PointsEmbedding

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")

RNG = np.random.default_rng(0)
#: Number of new items, and sizes of batches; 63 to 65 are next to the size of a common block of rows.
M, BATCHES = 150, (1, 2, 3, 63, 64, 65)
#: Number of training items that is large enough for other kernels of BLAS than those of tiny matrices.
N = 330

#: Settings in which further steps of a method depend on the batch if they are computed carelessly.
MORE = [
    lp.manifold.ClassicalMDS(1, metric="cosine"),
    lp.manifold.ClassicalMDS(metric="canberra"),
    lp.manifold.ClassicalMDS(metric=lambda a, b: float(np.abs(a - b).sum() ** 0.7)),
    lp.manifold.KernelPCA(kernel="cosine"),
    lp.manifold.KernelPCA(1, kernel="sigmoid", gamma=0.1),
    lp.manifold.KernelPCA(23, kernel="rbf"),
    lp.manifold.KernelPCA(kernel=lambda a, b: float(np.exp(-np.abs(a - b).sum()))),
    lp.manifold.KernelPCA(kernel="poly", degree=2, fit_inverse_transform=True),
    lp.manifold.LaplacianEigenmaps(n_neighbors=None, affinity="gaussian", sigma=0.8),
    lp.manifold.LaplacianEigenmaps(n_neighbors=None, affinity="gaussian", sigma=0.8, metric="precomputed"),
    lp.manifold.LaplacianEigenmaps(n_neighbors=None, affinity="precomputed"),
    lp.manifold.DiffusionMap(n_neighbors=None, sigma=0.8, alpha=0.3, metric="manhattan"),
    lp.manifold.Isomap(n_neighbors=None, radius=np.inf),
    lp.manifold.Isomap(metric="precomputed"),
    lp.manifold.Isomap(1, n_neighbors=2, components="largest", metric="precomputed"),
    lp.manifold.LocallyLinearEmbedding(7, n_neighbors=30),
    lp.manifold.LocalTangentSpaceAlignment(3, n_neighbors=12),
]


def fitted_to_points(name, model):
    """Fit a model to many points, and return it with new points: training points among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name.startswith("sparse"):
            X = sparse.random_array((N, 40), density=0.3, format="csr", rng=np.random.default_rng(0))
            new = sparse.random_array((M, 40), density=0.3, format="csr", rng=np.random.default_rng(1))
            return Fitted(model.fit(X), sparse.csr_array(sparse.vstack([X[:9], new])[:M]), (X,))
        X, new = roll(N, 0), np.vstack([roll(N, 0)[:9], roll(M - 9, 1)])
        settings = model.get_params()
        return Fitted(model.fit(arrange(settings, X)), arrange(settings, X, new), (X,))


def fitted_to_network(name, model, directed):
    """Fit a model to a network, and return it with the edges of new vertices."""
    rates = np.array([[0.3, 0.05, 0.02], [0.1, 0.25, 0.05], [0.02, 0.1, 0.2]])
    if not directed:
        rates = (rates + rates.T) / 2
    graph = lp.stochastic_block_model([150, 100, 80], rates, directed=directed, random_state=0)
    names = [f"v{i}" for i in range(N)]
    adjacency = lp.as_adjacency(graph.adjacency, names=names, directed=directed)
    new = graph.new_vertices(M, random_state=1)
    rows = (new.adjacency, new.adjacency_in) if directed else new.adjacency
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = graph.adjacency if isinstance(model, Pipeline) else adjacency
        return Fitted(model.fit(given, graph.labels), rows, ())


def large_models():
    """Return the functions that fit each model of the zoo, and further ones, to many items."""
    found = {}
    for name in models():
        # Not the rule for all vertices together, nor models of random graphs, which take no new vertices, nor
        # covariates, which belong to one network.
        if not name.startswith(("batch", "covariates", "fit of")):
            found[name] = lambda name=name: refitted(name, clone(fitted(name).model))
    for model in MORE:
        # Without addresses of functions: every process has one name for a test.
        name = re.sub(r"( at 0x[0-9a-f]+|\s+)", " ", repr(model))[:90]
        found[name] = lambda name=name, model=model: refitted(name, clone(model))
    return found


def refitted(name, model):
    if isinstance(model, PointsEmbedding):
        return fitted_to_points(name, model)
    return fitted_to_network(name, model, name.endswith(", directed"))


def functions(model):
    """Return what a model computes for new items, by name."""
    if isinstance(model, Pipeline):
        return {"transform": model[0].transform}  # the steps of scikit-learn after it are not ours
    found = {"transform": model.transform}
    if getattr(model, "directed_", False) and isinstance(model, NetworkEmbedding):
        found["arcs to them"] = lambda rows: model.transform(rows, direction="in")
    if isinstance(model, lp.OutOfSample):
        found["covariance"] = lp.OutOfSample(model.fitted_embedding_).covariance
        if model.fitted_embedding_.directed_:
            found["arcs to them"] = lambda rows: model.transform(rows, direction="in")
    classifier = getattr(model, "classifier_", None)
    if hasattr(model, "predict") and not isinstance(classifier, DummyClassifier):  # which draws at random
        found["predict"] = model.predict
        if hasattr(model if classifier is None else classifier, "predict_proba"):
            found["predict_proba"] = model.predict_proba
    if getattr(model, "fit_inverse_transform", False):
        found["inverse_transform"] = lambda rows: model.inverse_transform(model.transform(rows))
    return found


def taken(items, chosen):
    """Return some of the new items."""
    return tuple(rows[chosen] for rows in items) if isinstance(items, tuple) else items[chosen]


def differing(compute, items):
    """Return the sizes of batches, and the other forms of the items, with which a result differs."""
    whole = compute(items)
    assert len(whole) == M
    order = RNG.permutation(M)
    wrong = [] if np.array_equal(compute(taken(items, order)), whole[order]) else ["shuffled"]
    if isinstance(items, np.ndarray):  # other orders in memory
        wide = np.zeros((2 * M, 3 * items.shape[1]))
        wide[1::2, 2::3] = items
        for form in (np.asfortranarray(items), wide[1::2, 2::3]):
            wrong += [] if np.array_equal(compute(form), whole) else [form.strides]
    for size in BATCHES:
        # A third of all places is enough for small batches.
        for low in range(0, M, size if size > 3 else 3 * size):
            part = slice(low, low + size)
            if not np.array_equal(compute(taken(items, part)), whole[part]):
                wrong.append(size)
                break
    return wrong


@pytest.mark.parametrize("name", large_models())
def test_results_do_not_depend_on_the_batch(name):
    large = large_models()[name]()
    found = {key: differing(compute, large.new) for key, compute in functions(large.model).items()}
    assert not any(found.values()), found


@pytest.mark.parametrize("kind", ["points", "network"])
def test_single_precision_is_converted_before_all_else(kind):
    if kind == "points":
        model, rows = lp.manifold.KernelPCA(3, kernel="poly").fit(roll(N, 0)), roll(M, 1).astype(np.float32)
    else:
        graph = lp.stochastic_block_model([150, 150], [[0.3, 0.1], [0.1, 0.2]], random_state=0)
        model, rows = lp.AdjacencySpectralEmbedding(2).fit(graph), graph.new_vertices(M, random_state=1).adjacency
        rows = rows.astype(np.float32)
    assert np.array_equal(model.transform(rows), model.transform(rows.astype(np.float64)))
    assert np.array_equal(model.transform(rows[:1]), model.transform(rows)[:1])


#: Models that are large enough for BLAS to use its threads, or for several pieces.
WIDE = {
    "one component": lambda X: lp.manifold.ClassicalMDS(1).fit(X).transform,
    "all pairs": lambda X: lp.manifold.KernelPCA(5, kernel="poly").fit(X).transform,
    "weights": lambda X: lp.manifold.LocallyLinearEmbedding(2, n_neighbors=60).fit(X).transform,
    "tangents": lambda X: lp.manifold.LocalTangentSpaceAlignment(2, n_neighbors=60).fit(X).transform,
    "likelihood": lambda graph: lp.OutOfSample(ASE.fit(graph), rule="likelihood").transform,
    "covariance": lambda graph: lp.OutOfSample(ASE.fit(graph)).covariance,
}
ASE = lp.AdjacencySpectralEmbedding(2)


@pytest.mark.parametrize("name", WIDE)
def test_results_for_new_items_do_not_depend_on_threads(name, monkeypatch):
    if name in ("likelihood", "covariance"):
        X = lp.stochastic_block_model([7000, 5000], [[0.01, 0.002], [0.002, 0.01]], random_state=0)
        news = [weight * X.new_vertices(40, random_state=1).adjacency for weight in (1.0, 2.0)]
        news = news[: 1 + (name == "covariance")]
    else:
        X, new = np.random.default_rng(0).normal(size=(500, 400)), np.random.default_rng(1).normal(size=(150, 400))
        news = [new]
    compute = WIDE[name](X)
    for new in news:
        found = []
        for number in (1, 2):
            monkeypatch.setenv("LPGRAPH_NUM_THREADS", str(number))
            _known.clear()  # moments are computed once for a model
            with threadpool_limits(number):
                found.append(compute(new))
        assert np.array_equal(*found)
