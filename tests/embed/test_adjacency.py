"""Adjacency spectral embedding: Algorithm 1 compared with dense LAPACK, and the contract of the extension."""

import pickle

import igraph
import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    DisconnectedGraphWarning,
    GraphError,
    LpgraphWarning,
    NotFittedError,
    UnknownVertexError,
)

EMBEDDINGS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]


def close(a, b, tolerance=1e-8):
    """Whether a equals b, relative to the scale of b."""
    return np.abs(a - b).max() <= tolerance * np.abs(b).max()


def test_it_is_the_scaled_eigenvectors(network):
    a, directed = network
    ase = lp.AdjacencySpectralEmbedding(2, tol=1e-10).fit(a)
    assert ase.directed_ == directed
    if directed:
        u, s, vt = np.linalg.svd(a.toarray())
        best = (u[:, :2] * s[:2]) @ vt[:2]
        assert np.allclose(ase.singular_values_, s[:2])
        assert close(ase.embedding_ @ ase.embedding_in_.T, best, 1e-7)
    else:
        values, vectors = np.linalg.eigh(a.toarray())
        top = np.argsort(-np.abs(values))[:2]
        best = (vectors[:, top] * values[top]) @ vectors[:, top].T
        assert np.allclose(np.sort(ase.eigenvalues_), np.sort(values[top]))
        assert np.array_equal(ase.signature_, np.sign(ase.eigenvalues_))
        assert close((ase.embedding_ * ase.signature_) @ ase.embedding_.T, best, 1e-7)
    assert ase.residuals_.max() <= 1e-10


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("make", EMBEDDINGS)
def test_training_rows_come_back_whatever_the_tolerance(make, tol, network):
    a, directed = network
    if make is lp.LaplacianSpectralEmbedding and a.data.min() < 0:
        with pytest.raises(GraphError, match="negative weights"):
            make(2).fit(a)
        return
    model = make(3 if a.shape[0] > 30 else 2, tol=tol).fit(a)
    assert close(model.transform(a), model.embedding_, 1e-10)
    assert close(model.transform(a.toarray()), model.embedding_, 1e-10)
    one_by_one = np.vstack([model.transform(a[[i]]) for i in range(a.shape[0])])
    assert close(one_by_one, model.embedding_, 1e-10)
    if directed:
        assert close(model.transform(a.T, direction="in"), model.embedding_in_, 1e-10)


def test_extension_is_the_pseudo_inverse_where_eigenvalues_are_positive():
    # Definition 1, Eq. (4), literally. "LA" on a dense positive graph has positive eigenvalues at the top.
    rng = np.random.default_rng(0)
    graph = lp.stochastic_block_model([60, 60], [[0.6, 0.1], [0.1, 0.5]], random_state=0)
    ase = lp.AdjacencySpectralEmbedding(2, which="LA", tol=1e-10).fit(graph)
    xi = (rng.random((7, 120)) < 0.3).astype(float)
    assert close(ase.transform(xi), xi @ np.linalg.pinv(ase.embedding_).T)


def test_extension_is_least_squares_with_the_signature():
    # In general: the y that minimises |xi - (Z I) y|, I the signature.
    a = connected(70, 8, 5)
    ase = lp.AdjacencySpectralEmbedding(4, tol=1e-10).fit(a)
    assert -1 in ase.signature_
    xi = (np.random.default_rng(1).random((5, 70)) < 0.3).astype(float)
    expected = np.linalg.lstsq(ase.embedding_ * ase.signature_, xi.T, rcond=None)[0].T
    assert close(ase.transform(xi), expected)


def test_nystrom_identity_of_section_3_1():
    # In-sample and out-of-sample positions together give the Nystrom approximation C A_S^+ C^T, Eqs. (5)-(8):
    # exactly so for A_S cut to rank d, here with the signature in the place of the positive part.
    a = connected(120, 10, 8).toarray()
    known, new = np.arange(50), np.arange(50, 120)
    core = a[np.ix_(known, known)]
    d = 6
    ase = lp.AdjacencySpectralEmbedding(d, tol=1e-12).fit(core)
    values, vectors = np.linalg.eigh(core)
    top = np.argsort(-np.abs(values))[:d]
    cut_inverse = (vectors[:, top] / values[top]) @ vectors[:, top].T
    c = a[:, known]
    nystrom = c @ cut_inverse @ c.T
    y = np.vstack([ase.embedding_, ase.transform(a[np.ix_(new, known)])])
    assert close((y * ase.signature_) @ y.T, nystrom)


def test_permuting_vertices_permutes_rows():
    a = connected(300, 9, 4, weighted=True)
    order = np.random.default_rng(0).permutation(300)
    first = lp.AdjacencySpectralEmbedding(3, tol=1e-11).fit(a).embedding_
    second = lp.AdjacencySpectralEmbedding(3, tol=1e-11).fit(a[order][:, order]).embedding_
    assert close(second, first[order], 1e-7)


@pytest.mark.parametrize("make", EMBEDDINGS)
def test_every_kind_of_input_gives_the_same_embedding(make):
    graph = nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"member {i}")
    matrix = nx.to_scipy_sparse_array(graph, dtype=float)
    model = make(3)
    expected = model.fit_transform(matrix)
    inputs = [
        graph,
        matrix.tocsc(),
        sparse.coo_matrix(matrix),
        matrix.toarray(),
        matrix.astype("float32"),
        igraph.Graph.from_networkx(graph),
    ]
    for given in inputs:
        assert close(clone(model).fit_transform(given), expected, 1e-6)
    assert list(clone(model).fit(graph).vertex_names_) == list(graph.nodes)


def test_new_vertices_in_every_form_are_the_same():
    names = [f"v{i}" for i in range(60)]
    a = connected(60, 8, 2, weighted=True)
    graph = nx.relabel_nodes(nx.from_scipy_sparse_array(a), dict(enumerate(names)))
    ase = lp.AdjacencySpectralEmbedding(3).fit(graph)
    rows = np.zeros((2, 60))
    rows[0, [3, 5]], rows[1, [5, 7, 9]] = [1.0, 2.5], 1.0
    expected = ase.transform(rows)
    edges = [("p", "v3", 1.0), ("p", "v5", 2.5), ("v5", "q", 1.0), ("q", "v7", 1.0), ("v9", "q", 1.0)]
    grown = graph.copy()
    grown.add_weighted_edges_from(edges)
    for form in (
        sparse.csc_matrix(rows),
        {"p": {"v3": 1.0, "v5": 2.5}, "q": ["v5", "v7", "v9"]},
        edges,
    ):
        assert np.allclose(ase.transform(form), expected)
    with pytest.warns(LpgraphWarning, match="edges between known vertices"):
        assert np.allclose(ase.transform(grown), expected)
    assert np.allclose(ase.transform(graph), ase.embedding_)


def test_sampled_graphs_and_their_new_vertices_go_in_as_they_are():
    graph = lp.stochastic_block_model([40, 50], [[0.6, 0.1], [0.1, 0.5]], random_state=3)
    new = graph.new_vertices(30, random_state=4)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    assert np.allclose(ase.transform(new), ase.transform(new.adjacency))
    directed = lp.stochastic_block_model([40, 50], [[0.6, 0.1], [0.3, 0.5]], directed=True, random_state=3)
    new = directed.new_vertices(30, random_state=4)
    model = lp.AdjacencySpectralEmbedding(2).fit(directed)
    assert model.directed_
    assert np.allclose(model.transform(new), model.transform(new.adjacency))
    assert np.allclose(model.transform(new, direction="in"), model.transform(new.adjacency_in, direction="in"))


def test_augmented_diagonal_reproduces_the_rows_of_what_was_decomposed():
    a = connected(80, 8, 6)
    ase = lp.AdjacencySpectralEmbedding(3, augment_diagonal=True).fit(a)
    degrees = np.asarray(a.sum(axis=1)).ravel()
    assert np.allclose(ase.diagonal_, degrees / 79)
    augmented = a + sparse.diags_array(ase.diagonal_)
    assert close(ase.transform(augmented), ase.embedding_, 1e-10)
    assert lp.AdjacencySpectralEmbedding(3).fit(a).diagonal_ is None


def test_the_elbow_finds_the_number_of_blocks():
    # Three blocks of 150: signal eigenvalues of order n p ~ 50 and more, noise up to 2 sqrt(n p) ~ 20.
    b = np.full((3, 3), 0.05) + np.diag([0.5, 0.45, 0.4])
    for seed in range(5):
        graph = lp.stochastic_block_model([150, 150, 150], b, random_state=seed)
        for rule in ("elbow", lambda values: int((np.abs(values) > 30).sum())):
            ase = lp.AdjacencySpectralEmbedding(rule).fit(graph)
            assert ase.embedding_.shape == (450, 3)
            assert len(ase.scree_) == 20
            assert ase.residuals_.max() <= 1e-6


def test_isolated_vertices_and_components_are_named():
    a = sparse.block_diag([connected(30, 6, 0), connected(20, 6, 1), np.zeros((2, 2))], format="csr")
    for make in EMBEDDINGS:
        with pytest.warns(
            DisconnectedGraphWarning,
            match=r"4 components: 1 of 2 dimensions .* and 2 of 52 vertices, such as 50, are at the origin; pass",
        ):
            model = make(2).fit(a)
        assert np.array_equal(model.embedding_[50:], np.zeros((2, 2)))
        assert np.isfinite(model.embedding_).all()
        assert np.array_equal(model.transform(np.zeros((1, 52))), np.zeros((1, 2)))


def test_estimator_habits():
    ase = lp.AdjacencySpectralEmbedding(3, which="LA", random_state=5)
    assert clone(ase).get_params() == ase.get_params()
    assert ase.set_params(n_components=2).n_components == 2
    with pytest.raises(NotFittedError, match="fit"):
        ase.transform(np.eye(3))
    a = connected(50, 8, 0)
    fitted = ase.fit(a)
    assert fitted is ase
    assert list(ase.get_feature_names_out()) == ["ase0", "ase1"]
    again = pickle.loads(pickle.dumps(ase))
    assert np.array_equal(again.transform(a), ase.transform(a))
    assert np.array_equal(
        lp.AdjacencySpectralEmbedding(2, which="LA").fit_transform(a), clone(ase).fit_transform(a)
    )


def test_inputs_are_left_alone():
    a = connected(50, 8, 0, weighted=True)
    before = a.copy()
    lp.LaplacianSpectralEmbedding(2).fit(a).transform(a)
    lp.AdjacencySpectralEmbedding(2, augment_diagonal=True).fit(a).transform(a)
    assert (a != before).nnz == 0


GOOD = connected(20, 6, 0)


OF_DIRECTED = [
    lp.AdjacencySpectralEmbedding(),
    lp.AdjacencySpectralEmbedding(which="LA"),
    lp.LaplacianSpectralEmbedding(),
    lp.LaplacianSpectralEmbedding(which="LA"),
]
OF_UNDIRECTED = [
    lp.ModularityEmbedding(),
    lp.RandomWalkEmbedding(),
    lp.CovariateAssistedEmbedding(covariates=np.eye(34)[:, :3]),
]


@pytest.mark.parametrize(
    ("model", "directed"),
    [*((model, False) for model in OF_DIRECTED + OF_UNDIRECTED), *((model, True) for model in OF_DIRECTED)],
    ids=repr,
)
def test_too_many_dimensions_are_refused_with_the_largest_number(model, directed):
    graph = nx.karate_club_graph()
    if directed:
        graph = graph.to_directed()
    most = set()
    for d in (34, 5000):
        with pytest.raises(ArgumentError, match=f"n_components={d} but .*; pass n_components <= ") as told:
            clone(model).set_params(n_components=d).fit(graph)
        most.add(int(str(told.value).rstrip(".").rpartition(" ")[2]))
    assert len(most) == 1
    assert clone(model).set_params(n_components=most.pop()).fit(graph).embedding_.shape[1] > 10


@pytest.mark.parametrize(
    ("graph", "parameters", "error", "words"),
    [
        (np.zeros((0, 0)), {}, GraphError, "vert"),
        (np.zeros((1, 1)), {}, GraphError, "at least 2"),
        (np.zeros((5, 5)), {}, GraphError, "no edge"),
        (np.ones((3, 2)), {}, GraphError, "square"),
        (np.full((3, 3), np.nan), {}, GraphError, "nan|finite"),
        (np.ones((3, 3)) * 1j, {}, ArgumentError, "complex"),
        (
            GOOD,
            {"n_components": 21},
            ArgumentError,
            "n_components=21 but the matrix has 20 rows; pass n_components <= 20",
        ),
        (GOOD, {"n_components": 0}, ArgumentError, "n_components=0"),
        (GOOD, {"n_components": 2.5}, ArgumentTypeError, "n_components=2.5"),
        (GOOD, {"n_components": "knee"}, ArgumentError, "'knee'"),
        (GOOD, {"which": "SA"}, ArgumentError, "which='SA'"),
        (GOOD, {"solver": "arpack"}, ArgumentError, "solver='arpack'"),
        (GOOD, {"tol": -1.0}, ArgumentError, "tol=-1.0"),
        (GOOD, {"random_state": "x"}, ArgumentTypeError, "random_state='x'"),
        (GOOD, {"augment_diagonal": 1}, ArgumentTypeError, "augment_diagonal=1"),
        (np.ones((6, 6)), {"n_components": 3}, ArgumentError, "rank 1; pass n_components <= 1"),
    ],
)
def test_wrong_graphs_and_parameters_are_refused(graph, parameters, error, words):
    with pytest.raises(error, match=words):
        lp.AdjacencySpectralEmbedding(**{"n_components": 2, **parameters}).fit(graph)


@pytest.mark.parametrize(
    ("new", "error", "words"),
    [
        (np.ones((2, 19)), ArgumentError, "19.*20"),
        (np.ones(20), ArgumentError, "Reshape your data: row.reshape"),
        (np.full((1, 20), np.inf), (ArgumentError, GraphError), "inf|finite"),
        ({"x": [3, 99]}, UnknownVertexError, "99"),
        ({"x": "abc"}, (ArgumentError, ArgumentTypeError), "x"),
        ([(1, 2)], ArgumentError, "All 2 vertices of new are known"),
        (3.5, ArgumentTypeError, "float"),
    ],
)
def test_wrong_new_vertices_are_refused(new, error, words):
    ase = lp.AdjacencySpectralEmbedding(2).fit(GOOD)
    with pytest.raises(error, match=words):
        ase.transform(new)


def test_wrong_directions_are_refused():
    ase = lp.AdjacencySpectralEmbedding(2).fit(GOOD)
    with pytest.raises(ArgumentError, match="undirected"):
        ase.transform(GOOD, direction="in")
    with pytest.raises(ArgumentError, match="direction='up'"):
        ase.transform(GOOD, direction="up")
