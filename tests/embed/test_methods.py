"""Adjacency, Laplacian, modularity and random-walk embeddings, compared with dense matrices."""

import warnings

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, UnknownVertexError
from lpgraph.spectral.auto import Auto

ASE, LSE, MOD = lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding, lp.ModularityEmbedding
WALK = lp.RandomWalkEmbedding
GOOD = connected(20, 6, 0)
KARATE = nx.karate_club_graph()


def close(a, b, tolerance=1e-8):
    """Whether a equals b, relative to the scale of b."""
    return np.abs(a - b).max() <= tolerance * np.abs(b).max()


def leading(matrix, d, which="LM"):
    """The d leading eigenpairs of a dense matrix."""
    values, vectors = np.linalg.eigh(matrix)
    order = np.argsort(-np.abs(values) if which == "LM" else -values)[:d]
    return values[order], vectors[:, order]


def laplacian(a, tau=0.0):
    out, into = a.sum(axis=1) + tau, a.sum(axis=0) + tau
    roots = np.sqrt(np.outer(out, into))
    return np.divide(a, roots, out=np.zeros_like(a), where=roots > 0)


def test_positions_by_a_part_are_the_nystrom_approximation():
    a = GOOD.toarray()
    model = ASE(2, tol=1e-10).fit(a[:12, :12])
    z, (values, vectors) = model.transform(a[:, :12]), leading(a[:12, :12], 2)
    columns = a[:, :12] @ vectors
    # Tang, Park & Priebe (2013), Eq. (7): C pinv(A_S) C.T.
    assert close((z * model.signature_) @ z.T, (columns / values) @ columns.T)


@pytest.mark.parametrize("regularizer", [None, 0.0, 3.5, "mean"])
def test_adjacency_and_laplacian_embeddings_are_scaled_singular_vectors(regularizer, network):
    a, directed = network
    matrix, model = a.toarray(), ASE(2, tol=1e-10)
    if regularizer is not None:
        if a.data.min() < 0:
            return  # refused
        model = LSE(2, regularizer=regularizer, tol=1e-10)
        tau = a.sum() / a.shape[0] if regularizer == "mean" else regularizer
        matrix = laplacian(matrix, tau)
    model.fit(a)
    assert model.directed_ == directed
    u, s, vt = np.linalg.svd(matrix)
    assert np.allclose(model.singular_values_, s[:2])
    other = model.embedding_in_ if directed else model.embedding_ * model.signature_
    assert close(model.embedding_ @ other.T, (u[:, :2] * s[:2]) @ vt[:2], 1e-7)
    if not directed:
        assert np.allclose(np.sort(model.eigenvalues_), np.sort(leading(matrix, 2)[0]))
        assert np.array_equal(model.signature_, np.sign(model.eigenvalues_))
    assert model.residuals_.max() <= 1e-10


@pytest.mark.parametrize(("n", "solver"), [(80, "auto"), (80, "lanczos"), (700, "auto")])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_modularity_matrix_and_the_random_walk(n, solver, weighted):
    A = connected(n, 8, 1, weighted=weighted)
    B = np.asarray(nx.modularity_matrix(nx.from_scipy_sparse_array(A), weight="weight"))
    for which in ("LM", "LA"):
        model = MOD(3, which=which, solver=solver, tol=1e-9).fit(A)
        values, vectors = leading(B, 3, which)
        assert np.allclose(model.eigenvalues_, values, rtol=1e-9)
        assert np.allclose(np.abs(model.embedding_), np.abs(vectors * np.sqrt(np.abs(values))), atol=1e-5)
        assert np.allclose(model.transform(A), model.embedding_, atol=1e-12 * np.abs(values).max())
    model = WALK(3, solver=solver, tol=1e-9).fit(A)
    degrees = A.sum(axis=1)
    P, share = A.toarray() / degrees[:, None], degrees / degrees.sum()
    right, left, values = model.embedding_, model.left_embedding_, model.eigenvalues_
    assert np.allclose(values, np.sort(np.linalg.eigvals(P).real)[::-1][1:4], atol=1e-10)
    assert np.allclose(P @ right, right * values, atol=1e-6)
    assert np.allclose(P.T @ left, left * values, atol=1e-8)
    assert np.allclose(left.T @ right, np.eye(3), atol=1e-9)
    # Unit variance and mean zero in the stationary distribution.
    assert np.allclose(share @ right, 0, atol=1e-9)
    assert np.allclose(share @ right**2, 1)
    assert np.allclose(model.transform(A), right, atol=1e-12)


def test_extension_is_least_squares_with_the_signature():
    # Definition 1, Eq. (4), literally where eigenvalues are positive; else the y that minimises |xi - Z I y|.
    xi = (np.random.default_rng(0).random((7, 120)) < 0.3).astype(float)
    graph = lp.stochastic_block_model([60, 60], [[0.6, 0.1], [0.1, 0.5]], random_state=0)
    positive = ASE(2, which="LA", tol=1e-10).fit(graph)
    assert close(positive.transform(xi), xi @ np.linalg.pinv(positive.embedding_).T)
    ase = ASE(4, tol=1e-10).fit(connected(120, 8, 5))
    assert -1 in ase.signature_
    expected = np.linalg.lstsq(ase.embedding_ * ase.signature_, xi.T, rcond=None)[0].T
    assert close(ase.transform(xi), expected)


def test_new_vertices_of_modularity_and_random_walk():
    A = connected(60, 6, 2)
    row = np.zeros((2, 60))
    row[0, [0, 5, 9]], row[1, 3] = 1.0, 2.0
    model, k = MOD(2).fit(A), A.sum(axis=0)
    expected = (row - np.outer(row.sum(axis=1), k) / k.sum()) @ (model.embedding_ / model.eigenvalues_)
    assert np.allclose(model.transform(row), expected)
    assert np.allclose(model.transform({"a": [0, 5, 9], "none": []}), [expected[0], [0, 0]])
    # The mean of the neighbors over the eigenvalue.
    walk = WALK(2).fit(A)
    wanted = (walk.embedding_[0] + 3 * walk.embedding_[7]) / 4 / walk.eigenvalues_
    assert np.allclose(walk.transform({"new": {0: 1.0, 7: 3.0}, "none": []}), [wanted, [0, 0]])


def test_complete_graphs_have_one_negative_eigenvalue_only():
    # B = J / n - I: the eigenvalue -1 on centred vectors, n - 1 times, and 0.
    assert np.allclose(MOD(5).fit(nx.complete_graph(6)).eigenvalues_, -1)
    with pytest.raises(ArgumentError, match="pass n_components <= 5"):
        MOD(6).fit(nx.complete_graph(6))
    with pytest.raises(ArgumentError, match="nothing to embed"):
        MOD(1).fit(np.ones((5, 5)))


def test_augmented_diagonal_reproduces_the_rows_of_what_was_decomposed():
    a = connected(80, 8, 6)
    ase = ASE(3, augment_diagonal=True).fit(a)
    assert np.allclose(ase.diagonal_, a.sum(axis=1) / 79)
    assert close(ase.transform(a + sparse.diags_array(ase.diagonal_)), ase.embedding_, 1e-10)
    assert ASE(3).fit(a).diagonal_ is None


# Three bipartite components, two others, a vertex with a loop only, and two isolated vertices.
PARTS = [KARATE, nx.path_graph(4), nx.complete_graph(3), nx.star_graph(5), nx.path_graph(2)]
GRAPH = nx.disjoint_union_all([*PARTS, nx.Graph([(0, 0)]), nx.empty_graph(2)])
A = nx.to_numpy_array(GRAPH, weight=None)
silent = pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")


@silent
@pytest.mark.parametrize("which", ["LM", "LA"])
@pytest.mark.parametrize("d", [1, 4, 6, 7, 9, 10, 14])
def test_eigenvalues_of_components_are_those_of_the_whole_matrix(d, which):
    values = np.linalg.eigvalsh(laplacian(A))
    decreasing = np.sort(values)[::-1]
    expected = values[np.lexsort((-values, -np.abs(values).round(9)))] if which == "LM" else decreasing
    model = LSE(d, regularizer=0.0, which=which).fit(A)
    np.testing.assert_allclose(model.eigenvalues_, expected[:d], atol=1e-9)
    assert model.residuals_.max() < 1e-6
    np.testing.assert_allclose(model.transform(A), model.embedding_, atol=1e-12)
    unit = model.embedding_ / np.sqrt(model.singular_values_)
    np.testing.assert_allclose(unit.T @ unit, np.eye(d), atol=1e-6)
    walk = WALK(d).fit(A)  # leaves out the constant vector
    np.testing.assert_allclose(walk.eigenvalues_, decreasing[1 : d + 1], atol=1e-9)
    np.testing.assert_allclose(walk.left_embedding_.T @ walk.embedding_, np.eye(d), atol=1e-9)
    np.testing.assert_allclose(walk.transform(A), walk.embedding_, atol=1e-12)
    np.testing.assert_allclose(walk.embedding_.T @ A.sum(axis=1), 0, atol=1e-9)


@silent
def test_each_dimension_of_the_eigenvalue_one_is_a_component_in_the_order_of_volume():
    model = LSE(6, regularizer=0.0).fit(A)
    labels = np.repeat(np.arange(7), [*map(len, PARTS), 1, 2])
    components = [set(labels[column > 0].tolist()) for column in model.embedding_.T]
    assert components == [{part} for part in (0, 3, 1, 2, 4, 5)]
    assert not model.embedding_[-2:].any()


@silent
def test_thousands_of_components_cost_no_more_than_one(monkeypatch):
    searched = []
    monkeypatch.setattr(Auto, "pairs", lambda *given: searched.append(given))
    source = 3 * np.repeat(np.arange(3000), 2) + np.tile([0, 1], 3000)
    for model in LSE(20, regularizer=0.0), WALK(20):
        assert (model.fit(lp.from_edges(source, source + 1)).eigenvalues_ == 1).all()
    assert searched == []


@pytest.mark.parametrize("directed", [False, True])
def test_components_are_told_where_they_affect_the_positions(directed):
    def fit(n, **parameters):
        parts = [nx.gnp_random_graph(300, 0.1, seed=2), nx.complete_graph(n), nx.path_graph(n // 30 + 1)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            graph = lp.as_adjacency(nx.disjoint_union_all(parts), directed=directed)
            model = ASE(1, **parameters).fit(graph)
        return model, [str(warning.message) for warning in caught]

    # The first eigenvector is that of the largest component unless the clique has the larger mean degree.
    model, said = fit(2)
    assert np.abs(model.embedding_[300:]).max() < 1e-8
    assert said == []  # 3 of 303 vertices are less than 1 %
    model, said = fit(60)
    assert "303 of 363 vertices are" in said[0]
    assert fit(60, align_to=model)[1] == said


NEGATIVE = {"x": {0: -1.0}}


@pytest.mark.parametrize(
    ("model", "graph", "error", "word"),
    [
        (ASE(2), np.zeros((0, 0)), GraphError, "vert"),
        (ASE(2), np.zeros((1, 1)), GraphError, "at least 2"),
        (ASE(2), np.zeros((5, 5)), GraphError, "no edge"),
        (ASE(3), np.ones((6, 6)), ArgumentError, "n_components"),
        (ASE(0), GOOD, ArgumentError, "n_components=0"),
        (ASE("knee"), GOOD, ArgumentError, "'knee'"),
        (ASE(2, which="SA"), GOOD, ArgumentError, "which"),
        (ASE(2, solver="arpack"), GOOD, ArgumentError, "solver"),
        (ASE(2, tol=-1.0), GOOD, ArgumentError, "tol"),
        (ASE(2, random_state="x"), GOOD, ArgumentTypeError, "random_state"),
        (LSE(2, regularizer="median"), GOOD, ArgumentError, "regularizer"),
    ],
)
def test_wrong_graphs_and_parameters_are_refused(model, graph, error, word):
    with pytest.raises(error, match=word):
        model.fit(graph)


@pytest.mark.parametrize(
    ("model", "new", "direction", "error", "word"),
    [
        (ASE(2), np.ones((2, 19)), None, ArgumentError, "19.*20"),
        (ASE(2), np.ones(20), None, ArgumentError, "row.reshape"),
        (ASE(2), {"x": [3, 99]}, None, UnknownVertexError, "99"),
        (ASE(2), [(1, 2)], None, ArgumentError, "known"),
        (ASE(2), GOOD, "in", ArgumentError, "undirected"),
        (LSE(2), NEGATIVE, None, GraphError, "negative weights"),
        (WALK(2), NEGATIVE, None, GraphError, "negative weights"),
    ],
)
def test_wrong_new_vertices_are_refused(model, new, direction, error, word):
    with pytest.raises(error, match=word):
        model.fit(GOOD).transform(new, direction=direction)


@pytest.mark.parametrize("n", [700, 3000])
def test_random_walks_on_long_thin_networks(n):
    model = WALK(2).fit(nx.path_graph(n))
    np.testing.assert_allclose(model.eigenvalues_, np.cos(np.pi * np.arange(1, 3) / (n - 1)), rtol=1e-13)
    np.testing.assert_allclose(model.embedding_.T @ model.left_embedding_, np.eye(2), atol=1e-9)
