"""Contracts of all embeddings of networks: rows that come back, alignment, updates, isolated vertices, limits."""

import copy
import warnings

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError

ASE, LSE = lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding
#: Two eigenvalues of each sign: groups 0 and 1 attract each other, as do 2 and 3, and members of a group do not.
MIXED = np.kron([[1.0, 0.2], [0.2, 0.7]], [[0.1, 0.5], [0.5, 0.05]])
GRAPHS = {
    directed: lp.stochastic_block_model([40] * 4, MIXED, directed=directed, random_state=0)
    for directed in (False, True)
}

OF_DIRECTED = [
    ASE(2),
    ASE(2, which="LA", tol=1e-2),
    LSE(2),
    LSE(2, regularizer=0.0, solver="lanczos"),
    lp.CompletedEmbedding(ASE(2)),
]
OF_UNDIRECTED = [
    lp.ModularityEmbedding(2),
    lp.RandomWalkEmbedding(2),
    lp.OneStepEmbedding(2),
    lp.CovariateAssistedEmbedding(2),
]
CASES = [(model, directed) for directed in (False, True) for model in OF_DIRECTED + OF_UNDIRECTED * (not directed)]
#: Fits of methods whose last dimension is noise.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* directions of align_to:lpgraph.errors.LpgraphWarning",
    "ignore:.*at the origin:lpgraph.errors.LpgraphWarning",
)
each_case = pytest.mark.parametrize(("model", "directed"), CASES, ids=repr)


def values_of(n):
    return np.random.default_rng(0).gamma(2.0, size=(n, 3))


def prepared(model, n=160, **parameters):
    """A copy, with covariates if it needs them and other parameters of the embedding that it may wrap."""
    model = clone(model)
    if isinstance(model, lp.CovariateAssistedEmbedding):
        model.covariates = values_of(n)
    getattr(model, "embedding", model).set_params(**parameters)
    return model


def placed(model, rows, values=None, **options):
    """Positions of new vertices, with covariates if the model needs them."""
    if isinstance(model, lp.CovariateAssistedEmbedding):
        return model.transform(rows, covariates=values_of(rows.shape[0]) if values is None else values)
    return model.transform(rows, **options)


def products(model):
    return (model.embedding_ * getattr(model, "signature_", 1)) @ model.embedding_.T


@pytest.mark.parametrize("model", OF_DIRECTED + OF_UNDIRECTED, ids=repr)
def test_training_rows_have_their_positions(model, network):
    a, directed = network
    if a.shape[0] == 30 and isinstance(model, lp.ModularityEmbedding | lp.RandomWalkEmbedding):
        return  # of a complete bipartite graph they have fewer dimensions
    model = prepared(model, a.shape[0], n_components=1 if a.shape[0] == 30 else 2)
    signed, weighted = a.data.min() < 0, isinstance(model, lp.OneStepEmbedding) and (a.data != 1).any()
    if (signed and model._nonnegative) or (directed and model._undirected) or weighted:
        with pytest.raises(GraphError, match=r"negative weights|directed|has weights"):
            model.fit(a)
        return
    model.fit(a)
    scale = np.abs(model.embedding_).max()
    for rows in (a, a.toarray()):
        assert np.allclose(placed(model, rows), model.embedding_, atol=1e-9 * scale, rtol=0)
    if directed:
        assert np.allclose(model.transform(a.T, direction="in"), model.embedding_in_, atol=1e-9 * scale, rtol=0)
    again = clone(model).fit(a)
    assert np.array_equal(again.embedding_, model.embedding_)


@each_case
def test_an_aligned_fit_is_a_rotation(model, directed):
    graph = GRAPHS[directed].adjacency
    earlier = prepared(model, 150).fit(lp.as_adjacency(graph[:150, :150], directed=directed))
    plain, found = prepared(model).fit(graph), prepared(model, align_to=earlier).fit(graph)
    turn = found.alignment_.rotation
    assert np.allclose(turn @ turn.T, np.eye(2), atol=1e-12)
    assert np.allclose(found.embedding_, plain.embedding_ @ turn, atol=1e-9)
    assert np.allclose(placed(found, graph[:9]), placed(plain, graph[:9]) @ turn, atol=1e-9)
    if directed:
        assert np.allclose(found.embedding_in_, plain.embedding_in_ @ turn, atol=1e-9)
    else:
        assert (found.signature_ == earlier.signature_).all()
        assert np.allclose(products(found), products(plain), atol=1e-9)
        assert np.array_equal(found.eigenvalues_, plain.eigenvalues_)


@each_case
def test_an_update_is_a_new_fit_up_to_a_rotation(model, directed):
    if isinstance(model, lp.CovariateAssistedEmbedding):
        return  # covariates belong to one network
    graph = lp.as_adjacency(GRAPHS[directed].adjacency, directed=directed)
    fitted = prepared(model, tol=1e-10).fit(graph)
    parameters, earlier = repr(fitted.get_params()), copy.copy(fitted)
    table = fitted.update([(200, i) for i in range(6)] + [(i, 200) for i in range(40, 46)], removed=[7])
    fresh = prepared(model, tol=1e-10).fit(fitted.graph_)
    assert repr(fitted.get_params()) == parameters
    assert table["status"].value_counts().to_dict() == {"kept": 159, "new": 1, "removed": 1}
    # The residual of 1e-10 divided by gaps of about 1, times the length of a row, is below 1e-8.
    for side in ["embedding_"] + ["embedding_in_"] * directed:
        mine, other = getattr(fitted, side), getattr(fresh, side)
        assert np.allclose(mine @ mine.T, other @ other.T, atol=1e-8)
    kept = table[table["status"] == "kept"]
    rows = [fitted.vertex_index_[name] for name in kept["name"]]
    distances = np.linalg.norm(fitted.embedding_[rows] - earlier.embedding_[kept["name"].tolist()], axis=1)
    assert (distances <= kept["distance"] + 1e-7).all() if directed else np.allclose(kept["distance"], distances)


@each_case
def test_vertices_without_edges_are_at_the_origin(model, directed):
    a = sparse.block_diag([connected(40, 6, 0, directed=directed), sparse.csr_array((2, 2))], format="csr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = prepared(model, 42).fit(lp.as_adjacency(a, directed=directed))
    assert np.isfinite(found.embedding_).all()
    if isinstance(model, lp.CovariateAssistedEmbedding):
        return  # places them by their covariates
    assert not found.embedding_[40:].any()
    assert not found.transform(np.zeros((1, 42))).any()


@each_case
def test_too_many_dimensions_are_refused_with_the_largest_number(model, directed):
    if isinstance(model, lp.CompletedEmbedding):
        return  # as the embedding
    graph, most = nx.karate_club_graph(), set()
    graph = lp.as_adjacency(graph, weight=None) if not directed else graph.to_directed()
    for d in (34, 5000):
        with pytest.raises(ArgumentError, match=f"n_components={d}") as told:
            prepared(model, 34, n_components=d, tol=1e-6).fit(graph)
        most.add(int(str(told.value).rstrip(".").rpartition(" ")[2]))
    assert len(most) == 1
    fitted = prepared(model, 34, n_components=most.pop(), tol=1e-6).fit(graph)
    assert fitted.embedding_.shape[1] > 10
