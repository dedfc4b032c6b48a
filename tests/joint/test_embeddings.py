"""Joint embeddings: equality with explicit matrices, rows that come back, stability, and wrong input."""

import pickle

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, NotFittedError, UnknownVertexError
from lpgraph.joint.base import _PairSplit
from lpgraph.spectral.operators import Bipartite

UASE, Omnibus, MASE = lp.joint.UnfoldedEmbedding, lp.joint.OmnibusEmbedding, lp.joint.MultipleEmbedding
METHODS = [UASE, Omnibus, MASE]
N, D = 40, 3
each_method = pytest.mark.parametrize("method", METHODS)
each_kind = pytest.mark.parametrize("directed", [False, True])


def networks(directed, m=3, n=N):
    """Weighted and indefinite networks, each without two of the vertices."""
    rng = np.random.default_rng(0)
    groups = np.arange(n) % 4
    rates = np.kron([[1.0, 0.3], [0.3, 0.7]], [[0.2, 2.0], [2.0, 0.1]])
    graphs = {}
    for t in range(m):
        matrix = rng.poisson(rates[groups][:, groups]) * rng.uniform(0.5, 1.5, (n, n))
        matrix = matrix if directed else np.triu(matrix) + np.triu(matrix, 1).T
        kept = np.delete(np.arange(n), [2 * t, 2 * t + 1])
        graphs[f"t{t}"] = lp.as_adjacency(matrix[np.ix_(kept, kept)], directed=directed, names=kept.tolist())
    return lp.as_graphs(graphs)


def dense(graphs):
    return [graph.matrix.toarray() for graph in graphs]


def svd(matrix, k=D):
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    return U[:, :k], s[:k], Vt[:k].T


def same_up_to_signs(found, expected, tol=1e-8):
    """Whether columns are equal up to their signs; each array has shape (..., d)."""
    signs = np.sign((found * expected).reshape(-1, found.shape[-1]).sum(axis=0))
    return np.abs(found * signs - expected).max() < tol * np.abs(expected).max()


@each_kind
@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
def test_unfolded_is_the_svd_of_the_networks_side_by_side(directed, solver):
    graphs = networks(directed)
    model = UASE(D, solver=solver, tol=1e-10).fit(graphs)
    for back, side in ((True, ""), (False, "in_"))[: 1 + directed]:
        rows = [matrix.T if back else matrix for matrix in dense(graphs)]
        U, s, V = svd(np.hstack(rows))
        assert np.allclose(getattr(model, f"singular_values_{side}"), s, rtol=1e-12)
        assert same_up_to_signs(getattr(model, f"embeddings_{side}"), (V * np.sqrt(s)).reshape(3, N, D))
        assert same_up_to_signs(getattr(model, f"anchor_{side}"), U * np.sqrt(s))
        assert getattr(model, f"residuals_{side}").max() < 1e-10


def test_squares_that_are_too_imprecise_are_refined():
    # Singular values 1, 1e-3 and 1e-5: the eigenvalue 1e-10 of the squares has about six digits.
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((N, D)))[0]
    matrix = (Q * [1.0, 1e-3, 1e-5]) @ Q.T
    model = UASE(D, tol=1e-9).fit([(matrix + matrix.T) / 2] * 2)
    assert np.allclose(model.singular_values_, np.sqrt(2) * np.array([1.0, 1e-3, 1e-5]), rtol=1e-8)
    assert model.residuals_.max() < 1e-9


@pytest.mark.parametrize("regularizer", ["mean", 0.5])
def test_the_unfolded_laplacian_has_plus_signs(regularizer):
    graphs = networks(False)
    A = np.hstack(dense(graphs))
    tau = A.sum() / (3 * N) if regularizer == "mean" else regularizer
    L = A / np.sqrt(A.sum(axis=1, keepdims=True) + tau) / np.sqrt(A.sum(axis=0) + tau)
    _, s, V = svd(L)
    model = UASE(D, matrix="laplacian", regularizer=regularizer, tol=1e-10).fit(graphs)
    assert same_up_to_signs(model.embeddings_, (V * np.sqrt(s)).reshape(3, N, D))


@each_kind
def test_omnibus_is_the_embedding_of_all_blocks(directed):
    graphs = networks(directed)
    M = np.block([[(a + b) / 2 for b in dense(graphs)] for a in dense(graphs)])
    model = Omnibus(D, tol=1e-10).fit(graphs)
    if directed:
        U, s, V = svd(M)
        assert same_up_to_signs(model.embeddings_in_, (V * np.sqrt(s)).reshape(3, N, D))
    else:
        values, vectors = np.linalg.eigh(M)
        order = np.argsort(-np.abs(values))[:D]
        U, s = vectors[:, order], np.abs(values[order])
        assert np.allclose(model.eigenvalues_, values[order])
        assert model.eigenvalues_.min() < 0
    assert same_up_to_signs(model.embeddings_, (U * np.sqrt(s)).reshape(3, N, D))
    assert np.allclose(model.singular_values_, s)


@each_kind
@pytest.mark.parametrize("scaled", [True, False])
def test_multiple_is_the_svd_of_the_eigenvectors(directed, scaled):
    graphs = networks(directed)
    parts = [[], []]
    for matrix in dense(graphs):
        U, s, V = svd(matrix)
        for side, vectors in zip(parts, (U, V), strict=True):
            side.append(vectors * np.sqrt(s) ** scaled)
    V, W = (svd(np.hstack(side))[0] for side in parts)
    model = MASE(D, scaled=scaled, tol=1e-10).fit(graphs)
    left, right = model.embedding_, model.embedding_in_ if directed else model.embedding_
    assert same_up_to_signs(left, V)
    assert same_up_to_signs(right, W)
    assert all((side.max(axis=0) >= -side.min(axis=0)).all() for side in (left, right))
    for t, matrix in enumerate(dense(graphs)):
        assert np.allclose(model.scores_[t], left.T @ matrix @ right)
        assert np.allclose(model.score_of(graphs[f"t{t}"]), model.scores_[t], atol=1e-12)


@each_kind
@pytest.mark.parametrize("model", [UASE(D), UASE(D, matrix="laplacian"), Omnibus(D), MASE(D)], ids=repr)
def test_training_networks_and_vertices_come_back(model, directed):
    graphs = networks(directed)
    model = clone(model).set_params(tol=1e-11).fit(graphs)
    for side in ("out", "in")[: 1 + directed]:
        expected = model.embeddings_ if side == "out" else model.embeddings_in_
        for t, graph in enumerate(graphs):
            assert np.allclose(model.transform_graph(graph, direction=side), expected[t], atol=1e-9)
            unnamed = graph.matrix.toarray()
            assert np.allclose(model.transform_graph(unnamed, direction=side), expected[t], atol=1e-9)
        rows = [(g.matrix[:5], sparse.csr_array(g.matrix[:, :5].T)) if directed else g.matrix[:5] for g in graphs]
        assert np.allclose(model.transform(rows, direction=side), expected[:, :5], atol=1e-9)
        by_key = dict(zip(graphs.keys, rows, strict=True))
        assert np.allclose(model.transform(by_key, direction=side), expected[:, :5], atol=1e-9)
    part = nx.Graph([(10, 11), (11, 12)]) if not directed else nx.DiGraph([(10, 11), (11, 12)])
    assert model.transform_graph(part).shape == (N, D)


def test_new_vertices_are_matched_by_name():
    model = UASE(D).fit(networks(False))
    found = model.transform({"t0": {"x": [10, 11], "y": [12]}, "t2": {"y": [13, 14]}})
    assert found.shape == (3, 2, D)
    assert not found[1].any()
    assert not found[2, 0].any()
    alone = model.transform({"t2": {"y": [13, 14]}})
    assert np.allclose(found[2, 1], alone[2, 0])


def test_new_vertices_may_be_absent_from_directed_networks():
    row = sparse.csr_array(([2.0], ([0], [10])), shape=(1, N))
    model = UASE(D).fit(networks(True))
    found = model.transform({"t0": (row, row)}, direction="in")
    assert found.any(axis=(1, 2)).tolist() == [True, False, False]


def test_networks_without_edges_do_not_count_in_the_common_subspace():
    graphs = dense(networks(False))
    for scaled in (True, False):
        V, W = (MASE(D, scaled=scaled).fit(of).embedding_ for of in (graphs, [*graphs, np.zeros((N, N))]))
        assert np.allclose(V, W, atol=1e-6)


def test_the_variance_of_pairs_that_are_held_out_is_that_of_one_entry_each():
    matrices, rng = dense(networks(False)), np.random.default_rng(0)
    p, *q = rng.standard_normal((4, N))
    terms = [2 * a * (np.outer(p, v) + np.outer(v, p)) / (1 + np.eye(N)) for a, v in zip(matrices, q, strict=True)]
    squares = [sparse.csr_array(a**2) for a in matrices]
    both = [Bipartite(sparse.csr_array(np.hstack(of))) for of in (matrices, [a**2 for a in matrices])]
    split = _PairSplit(both[0], both[0], both[1], np.zeros(4 * N), 0.1, pairs=squares)
    found = split.forms(np.concatenate([p, *q])[:, None])[1]
    assert found.item() == pytest.approx(sum((np.triu(term) ** 2).sum() for term in terms))


def test_vertices_that_behave_alike_get_equal_positions():
    """Group 0 does not change; groups 1 and 2 differ in the first network, and are alike in the second."""
    groups = np.repeat([0, 1, 2], 20)
    B1 = np.array([[0.5, 0.2, 0.2], [0.2, 0.4, 0.1], [0.2, 0.1, 0.6]])
    B2 = np.array([[0.5, 0.2, 0.2], [0.2, 0.3, 0.3], [0.2, 0.3, 0.3]])
    graphs = [b[groups][:, groups] for b in (B1, B2)]
    first, second = UASE(D).fit(graphs).embeddings_
    assert np.allclose(first[:20], second[:20])
    assert np.allclose(second[20:40], second[40:])
    assert np.abs(first[20:] - second[20:]).max() > 0.1
    first, second = Omnibus(D).fit(graphs).embeddings_  # depends on the other network
    assert np.abs(second[20:40] - second[40:]).max() > 0.1
    x, y = (lp.AdjacencySpectralEmbedding(2).fit_transform(graph) for graph in graphs)
    assert np.abs((x @ lp.procrustes(x, y) - y)[:20]).max() > 0.01


def test_omnibus_halves_noise_and_differences():
    # The variance of a position in one of m networks is (m + 3) / 4m of a separate one, the covariance 3 / 4m.
    graphs = [lp.erdos_renyi(300, 0.3, random_state=seed) for seed in range(2)]
    x, y = (lp.AdjacencySpectralEmbedding(1).fit_transform(graph) for graph in graphs)
    first, second = Omnibus(1).fit(graphs).embeddings_
    assert np.std(first - second) / np.std(x - y) == pytest.approx(0.5, abs=0.02)


@each_method
def test_fits_are_the_same_again(method, tmp_path):
    graphs = networks(True)
    model = method(random_state=0).fit(graphs)
    again = clone(model).fit(graphs)
    assert np.array_equal(model.embeddings_, again.embeddings_)
    assert repr(again) == f"{method.__name__}(random_state=0)"
    assert set(model.get_params()) >= {"n_components", "solver", "tol", "random_state"}
    lp.save(model, tmp_path / "model.lpg")
    for other in (pickle.loads(pickle.dumps(model)), lp.load(tmp_path / "model.lpg", method)):
        assert np.array_equal(other.embeddings_, model.embeddings_)
        assert np.array_equal(other.transform_graph(graphs["t1"]), model.transform_graph(graphs["t1"]))
        assert np.array_equal(other.transform({"t0": {"x": [10, 11]}}), model.transform({"t0": {"x": [10, 11]}}))
        assert other.trajectory_table().equals(model.trajectory_table())


@each_method
def test_dimensions_are_those_that_held_out_edges_confirm(method):
    B = np.array([[0.3, 0.05, 0.05], [0.05, 0.3, 0.05], [0.05, 0.05, 0.3]])
    graphs = [lp.stochastic_block_model([100] * 3, B, random_state=seed) for seed in range(2)]
    model = method().fit(graphs)
    assert model.embeddings_.shape == (2, 300, 3)
    assert len(model.scree_) > 3
    assert method(2).fit(graphs).scree_ is None


def test_tables_have_the_positions_of_chosen_vertices():
    model = UASE(2).fit(networks(True))
    table = model.trajectory_table([5, 3])
    assert table.columns.tolist() == ["key", "name", "present", "uase0", "uase1", "uase_in0", "uase_in1"]
    assert table["name"].tolist() == [5, 3] * 3
    rows = [list(model.vertex_names_).index(name) for name in (5, 3)]
    assert np.array_equal(table[["uase_in0", "uase_in1"]], model.embeddings_in_[:, rows].reshape(6, 2))
    assert table["present"].tolist() == [True, True, True, False, False, True]


FITTED = UASE(1).fit({"a": nx.path_graph(4), "b": nx.cycle_graph(4)})
ONE = sparse.csr_array(np.outer([1.0, 1, 1], [1.0, 1, 1]))
WRONG = [
    (lambda: UASE(2).fit([ONE]), ArgumentError, "rank is 1"),
    (lambda: MASE(2).fit([ONE]), ArgumentError, "rank is 1"),
    (lambda: UASE(1).fit([np.zeros((3, 3))]), GraphError, "0 edges"),
    (lambda: UASE(1).fit([1e200 * ONE]), ArgumentError, "squared weights"),
    (lambda: UASE(1, regularizer=2.0).fit([ONE]), ArgumentError, "regularizer=2.0 but matrix='adjacency'"),
    (lambda: UASE(1, matrix="laplacian").fit([-ONE]), GraphError, "Negative values"),
    (lambda: UASE(1, matrix="laplacian").fit([ONE]).transform_graph(-ONE), GraphError, "Negative values"),
    (lambda: UASE(1).transform_graph(ONE), NotFittedError, "not fitted"),
    (lambda: FITTED.transform_graph(nx.path_graph(5)), UnknownVertexError, "4"),
    (lambda: FITTED.transform_graph(ONE), GraphError, "has 3 vertices instead of 4"),
    (lambda: FITTED.transform_graph(nx.path_graph(4), direction="in"), ArgumentError, 'pass direction="out"'),
    (lambda: FITTED.transform({"c": {"x": [0]}}), ArgumentError, "No network has the key 'c'"),
    (lambda: FITTED.transform([{"x": [0]}]), ArgumentTypeError, "pass a dict by key, or a list of 2 items"),
    (lambda: FITTED.trajectory_table([9]), UnknownVertexError, "9"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
def test_wrong_input_is_refused_with_a_remedy(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
