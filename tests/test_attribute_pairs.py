"""Arguments accept what fitted attributes, results and sampled graphs hold."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError, NotFittedError

pytest.importorskip("matplotlib")
m = lp.manifold

#: Negative eigenvalues between positive ones.
MIXED = np.kron([[1.0, 0.2], [0.2, 0.7]], [[0.1, 0.5], [0.5, 0.05]])


@pytest.fixture(scope="module")
def named():
    graph = lp.stochastic_block_model([40] * 4, MIXED, random_state=0)
    return nx.relabel_nodes(graph.to_networkx(), lambda v: f"v{v:03d}")


@pytest.fixture(scope="module")
def ase(named):
    return lp.AdjacencySpectralEmbedding("eigenvalue_cv").fit(named)


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).standard_normal((60, 3))


def test_signature_as_signature(ase):
    signs = np.array([1, -1, 1, -1])
    half = np.abs(ase.embedding_[:, :2]) / 4
    # Products with both signs of each coordinate are small, so that all sums are probabilities.
    X = np.column_stack([half, half]) * [1, 0.5, 1, 0.5] + [0.3, 0, 0, 0]
    drawn = lp.generalized_random_dot_product_graph(X, signs, random_state=0)
    assert np.allclose(drawn.probabilities(), (X * signs) @ X.T)
    for given in (ase.signature_, ase.signature_.tolist()):
        kernel = lp.kernels.IndefiniteDotProduct.of(given)
        assert np.allclose(kernel(ase.embedding_, X[:3]), ase.embedding_ * ase.signature_ @ X[:3].T)
        assert replace(kernel) == kernel == eval(repr(kernel), vars(lp.kernels))
        lp.procrustes(ase.embedding_, ase.embedding_, signature=given)
    for wrong in (2, (1, 2), np.array([1, -1]), np.array([1, 0, 1, 1])):
        with pytest.raises(ArgumentError, match="signature"):
            lp.generalized_random_dot_product_graph(X, wrong)


def test_dimension_choice_as_n_components(named, ase, tmp_path):
    choice = ase.dimension_choice_
    model = lp.LaplacianSpectralEmbedding(choice).fit(named)
    assert model.embedding_.shape[1] == choice.n_components == ase.embedding_.shape[1]
    assert model.dimension_choice_ is None
    lp.save(model, tmp_path / "model.lpg")
    loaded = clone(lp.load(tmp_path / "model.lpg"))
    assert np.array_equal(loaded.fit(named).embedding_, model.embedding_)
    with pytest.raises(ArgumentError, match="n_components"):
        lp.AdjacencySpectralEmbedding(replace(choice, n_components=500)).fit(named)


def test_names_graph_and_labels_of_a_model(named, ase):
    assert list(lp.as_adjacency(ase.graph_.matrix, names=ase.vertex_names_).names) == list(ase.vertex_names_)
    assert list(lp.from_edges(["v001"], ["v002"], vertices=ase.vertex_names_).names) == list(ase.vertex_names_)
    clustering = lp.VertexClustering(ase, 4, method="gaussian").fit(named)
    classifier = lp.VertexClassifier(clustering.fitted_embedding_).fit(named, clustering.labels_)
    assert lp.VertexClassifier(ase).fit(named, classifier.transduction_).classes_.tolist() == [0, 1, 2, 3]
    given = {"n_clusters": clustering.n_clusters_, "covariance": clustering.covariance_}
    same = lp.VertexClustering(ase, method="gaussian", **given).fit(named)
    assert np.array_equal(same.labels_, clustering.labels_)
    new = ase.read_new({"new": ["v001", "v002"]})
    assert np.array_equal(ase.transform(new), ase.transform({"new": ["v001", "v002"]}))
    assert classifier.predict(new).shape == (1,)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (lp.LaplacianSpectralEmbedding(2), "regularizer"),
        (m.KernelPCA(2, kernel="rbf"), "gamma"),
        (m.LaplacianEigenmaps(2, affinity="gaussian"), "sigma"),
        (m.Isomap(2, landmarks=20), "landmarks"),
        (m.ClassicalMDS(2, metric="manhattan"), "landmarks"),
        (m.KernelPCA(2, kernel="rbf", landmarks=20), "landmarks"),
    ],
)
def test_a_fitted_attribute_as_the_parameter(named, points, method, name):
    data = named if isinstance(method, lp.LaplacianSpectralEmbedding) else points
    fitted = method.fit(data)
    again = clone(method).set_params(**{name: getattr(fitted, f"{name}_")}).fit(data)
    assert np.array_equal(again.embedding_, fitted.embedding_)


def offsets(axes):
    """Return what is drawn as dots, in the order of the rows."""
    xy = np.vstack([np.asarray(part.get_offsets()) for part in axes.collections if len(part.get_offsets())])
    return xy[np.lexsort(xy.T)]


def test_plots_of_positions_take_models(named, ase):
    clustering = lp.VertexClustering(ase, 4, method="gaussian").fit(named)
    by_name = dict(zip(clustering.vertex_names_, clustering.labels_.tolist(), strict=True))
    wanted = lp.plot.positions(ase.embedding_, clustering.labels_)
    for arguments in ((ase, by_name), (ase, clustering), (clustering,), (lp.OutOfSample(ase), clustering)):
        assert np.array_equal(offsets(lp.plot.positions(*arguments)), offsets(wanted))
    classifier = lp.VertexClassifier(ase).fit(named, clustering.labels_)
    assert lp.plot.positions(classifier).get_legend() is not None
    assert lp.plot.positions(ase).get_legend() is None
    assert len(lp.plot.pairs(classifier).axes) == len(lp.plot.pairs(ase, clustering, ellipse=True).axes)


@pytest.mark.parametrize(
    ("call", "error", "argument"),
    [
        (lambda _, unfitted: lp.plot.positions(unfitted), NotFittedError, "in_sample"),
        (lambda _, unfitted: lp.plot.adjacency(unfitted), ArgumentError, "graph"),
        (lambda ase, _: lp.plot.positions(ase, {"v001": "x", "nobody": "y"}), ArgumentError, "labels"),
    ],
)
def test_models_that_do_not_hold_it_are_refused(ase, call, error, argument):
    with pytest.raises(error, match=argument):
        call(ase, lp.AdjacencySpectralEmbedding(2))
