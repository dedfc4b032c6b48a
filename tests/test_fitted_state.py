"""Fits are atomic: a fit replaces all of an earlier one, a refused fit changes nothing, pickles are equal."""

import pickle

import numpy as np
import pytest
from saved.test_round_trips import equal
from scipy import sparse
from sklearn.base import clone

import lpgraph as lp
from lpgraph.embed.base import NetworkEmbedding
from lpgraph.errors import LpgraphError

manifold = lp.manifold

UNDIRECTED = lp.stochastic_block_model([30, 25], [[0.5, 0.1], [0.1, 0.4]], random_state=0)
DIRECTED = lp.stochastic_block_model([20, 24], [[0.5, 0.1], [0.3, 0.4]], directed=True, random_state=1)
WEIGHTED = lp.as_adjacency(UNDIRECTED.adjacency * 2.0)
NAMED = lp.as_adjacency(UNDIRECTED.adjacency[:40, :40], names=[f"v{i}" for i in range(40)])
EMPTY = sparse.csr_array((6, 6))

RNG = np.random.default_rng(0)
CLOUD = np.column_stack([RNG.uniform(0, 3, 70), RNG.uniform(size=70), RNG.uniform(size=70) / 5])
OTHER = np.column_stack([RNG.uniform(0, 2, 60), RNG.uniform(size=60)])


def known(graph):
    """Labels of two classes for the vertices of any graph."""
    n = graph.adjacency.shape[0] if hasattr(graph, "adjacency") else graph.n_vertices
    y = np.arange(n) % 2
    y[-3:] = -1
    return y


NETWORKS = [
    lp.AdjacencySpectralEmbedding(2),
    lp.LaplacianSpectralEmbedding(2, regularizer="mean"),
    lp.ModularityEmbedding(2),
    lp.OneStepEmbedding(2),
    lp.RandomWalkEmbedding(2),
    lp.OutOfSample(lp.AdjacencySpectralEmbedding(2)),
    lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)),
    lp.VertexClustering(lp.AdjacencySpectralEmbedding(2), [2], method="gaussian", covariance="full"),
    lp.VertexClustering(None, [2]),
]
POINTS = [
    manifold.ClassicalMDS(2),
    manifold.ClassicalMDS(2, landmarks=20),
    manifold.KernelPCA(2, kernel="rbf", fit_inverse_transform=True),
    manifold.SpectralClustering(2),
    manifold.LaplacianEigenmaps(2, components="largest"),
    manifold.DiffusionMap(2),
    manifold.Isomap(2, landmarks=20),
    manifold.LocallyLinearEmbedding(2, n_neighbors=8),
    manifold.LocalTangentSpaceAlignment(2, n_neighbors=9),
    manifold.SemidefiniteEmbedding(2, landmarks=12, tol=1e-2),
]


def fit(model, data):
    """Fit to a graph or to points, with labels where they are needed."""
    return model.fit(data, known(data)) if isinstance(model, lp.VertexClassifier) else model.fit(data)


def differing(a, b):
    """Names of the attributes in which two estimators differ."""
    left, right = vars(a), vars(b)
    return [
        key for key in {*left, *right} if key not in left or key not in right or not equal(left[key], right[key])
    ]


PAIRS = [
    (model, first, second)
    for model in NETWORKS
    for first, second in [(DIRECTED, UNDIRECTED), (UNDIRECTED, DIRECTED), (WEIGHTED, NAMED), (NAMED, WEIGHTED)]
    if DIRECTED not in (first, second) or not getattr(model, "_undirected", False)
    if WEIGHTED not in (first, second) or not isinstance(model, lp.OneStepEmbedding)
] + [(model, first, second) for model in POINTS for first, second in [(CLOUD, OTHER), (OTHER, CLOUD)]]


@pytest.mark.filterwarnings("ignore:The largest residual")
@pytest.mark.parametrize(("model", "first", "second"), PAIRS, ids=lambda value: repr(value)[:60])
def test_a_second_fit_leaves_nothing_of_the_first(model, first, second):
    fresh = fit(clone(model), second)
    again = fit(fit(clone(model), first), second)
    assert differing(again, fresh) == []
    assert "embedding_" in differing(fit(clone(model), first), fresh) or "fitted_embedding_" in vars(fresh)
    if hasattr(again, "to_networkx"):
        again.to_networkx()


@pytest.mark.parametrize("model", NETWORKS + POINTS, ids=repr)
def test_a_refused_fit_changes_nothing_and_a_pickle_is_equal(model):
    fitted = fit(clone(model), UNDIRECTED if model in NETWORKS else CLOUD)
    assert differing(pickle.loads(pickle.dumps(fitted)), fitted) == []
    refused = [EMPTY, sparse.csr_array((1, 1))] if model in NETWORKS else [CLOUD[:1], CLOUD * np.nan, "points"]
    if isinstance(model, NetworkEmbedding) and not isinstance(model, lp.RandomWalkEmbedding):
        # A matrix of rank one: ten dimensions are refused when the eigenvalues are known.
        getattr(fitted, "embedding", fitted).n_components = 10
        refused.append(np.ones((12, 12)))
    before = dict(vars(fitted))
    for wrong in refused:
        with pytest.raises((LpgraphError, ValueError)):
            fitted.fit(wrong, np.arange(6) % 2) if isinstance(model, lp.VertexClassifier) else fitted.fit(wrong)
        assert vars(fitted).keys() == before.keys()
        assert all(vars(fitted)[key] is value for key, value in before.items())


@pytest.mark.parametrize("y", [np.zeros(55), np.full(55, -1), np.arange(3)])
def test_a_classifier_that_refuses_labels_keeps_its_classes(y):
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(UNDIRECTED, UNDIRECTED.labels)
    before = dict(vars(model))
    with pytest.raises(LpgraphError):
        model.fit(UNDIRECTED, y)
    assert all(vars(model)[key] is value for key, value in before.items())


def test_a_clone_of_out_of_sample_keeps_a_fitted_embedding():
    ase = lp.AdjacencySpectralEmbedding(2).fit(UNDIRECTED)
    new = UNDIRECTED.new_vertices(4, random_state=0)
    copy = clone(lp.OutOfSample(ase))
    assert np.array_equal(copy.transform(new), ase.transform(new))
    # Parameters of the copy's embedding are its own, and fitting the copy does not change the first.
    copy.set_params(embedding__n_components=3).fit(UNDIRECTED)
    assert copy.transform(new).shape == (4, 3)
    assert ase.n_components == 2
    assert not hasattr(
        clone(lp.OutOfSample(lp.AdjacencySpectralEmbedding(2)).fit(UNDIRECTED)), "fitted_embedding_"
    )
