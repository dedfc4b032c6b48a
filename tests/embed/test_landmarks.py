"""Embeddings by landmarks, against dense matrices; `test_every_method.py` has what is common to all methods."""

import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.embed.landmarks import leverage_scores
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning, UnknownVertexError
from lpgraph.spectral.operators import Bipartite, Matrix

ASE, LSE = METHODS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]
land = lp.LandmarkEmbedding
#: Three blocks of 80 vertices, of which one avoids itself: eigenvalues of both signs.
RATES = [[0.4, 0.1, 0.1], [0.1, 0.3, 0.05], [0.1, 0.05, 0.02]]
BLOCKS = lp.stochastic_block_model([80, 80, 80], RATES, random_state=0).adjacency
DIRECTED = sparse.csr_array(sparse.triu(BLOCKS, 1) + sparse.tril(BLOCKS * 2.0, -1)[::-1, ::-1])
each_method = pytest.mark.parametrize("method", METHODS)


def matrix(A, method):
    """Return the dense matrix that a method embeds."""
    A = A.toarray()
    if method is ASE:
        return A
    out, into = A.sum(axis=1) + A.sum(axis=1).mean(), A.sum(axis=0) + A.sum(axis=1).mean()
    return A / np.sqrt(np.multiply.outer(out, into))


def fitted(model):
    other = model.embedding_in_ if model.directed_ else model.embedding_ * model.signature_
    return model.embedding_ @ other.T


def relative(approximation, M):
    return np.linalg.norm(M - approximation) / np.linalg.norm(M)


@each_method
def test_without_a_pass_it_is_the_nystrom_approximation(method):
    model = land(method(2), 120, passes=0).fit(BLOCKS)
    M, rows = matrix(BLOCKS, method), model.landmarks_
    values, vectors = np.linalg.eigh(M[np.ix_(rows, rows)])
    order = np.argsort(-np.abs(values))[:2]
    C = M[:, rows] @ vectors[:, order]
    # Tang, Park & Priebe (2013), Eq. (7): C pinv(A_S) C.T.
    assert np.allclose(fitted(model), (C / values[order]) @ C.T, atol=1e-10)
    assert np.isclose(model.nystrom_error_, relative(fitted(model), M), rtol=1e-10)
    assert np.allclose(model.eigenvalues_, values[order])


@each_method
@pytest.mark.parametrize("passes", [1, 2])
def test_a_pass_is_a_step_of_orthogonal_iteration(method, passes):
    model = land(method(2), 60, passes=passes).fit(BLOCKS)
    M, rows = matrix(BLOCKS, method), model.landmarks_
    # Passes start from right singular vectors of the landmarks' rows.
    block = M[:, rows] @ np.linalg.svd(M[rows])[0][:, :4]
    Q = np.linalg.qr(np.linalg.matrix_power(M, passes - 1) @ block)[0]
    values, vectors = np.linalg.eigh(Q.T @ M @ Q)
    order = np.argsort(-np.abs(values))[:2]
    images = M @ Q @ vectors[:, order]
    # Positions are divided by the lengths of images, not by Ritz values.
    lengths = np.copysign(np.linalg.norm(images, axis=0), values[order])
    expected = (images / lengths) @ images.T
    assert np.allclose(model.eigenvalues_, lengths)
    # LAPACK finds the singular vectors of so few landmarks exactly.
    assert np.allclose(fitted(model), expected, atol=1e-3 * expected.max())
    residuals = np.linalg.norm(images - Q @ vectors[:, order] * values[order], axis=0) / np.abs(values[order])
    assert np.allclose(model.residuals_, residuals, atol=1e-3)


@each_method
@pytest.mark.parametrize("graph", [BLOCKS, DIRECTED], ids=["undirected", "directed"])
def test_passes_converge_to_the_embedding_of_all_vertices(method, graph):
    full, model = method(2).fit(graph), land(method(2), 60, passes=60).fit(graph)
    assert np.allclose(model.singular_values_, full.singular_values_, rtol=1e-5)
    assert np.allclose(fitted(model), fitted(full), atol=1e-3 * np.abs(fitted(full)).max())
    assert np.isclose(model.nystrom_error_, relative(fitted(full), matrix(graph, method)), rtol=1e-6)
    exact = land(method(2), 240, passes=0).fit(graph)
    assert np.allclose(exact.embedding_, full.embedding_, atol=1e-8)


def test_parameters_are_those_of_the_embedding():
    model = land(ASE(2, augment_diagonal=True, which="LA"), 100, passes=0).fit(BLOCKS)
    assert (model.signature_ == 1).all()
    assert np.isclose(model.nystrom_error_, relative(fitted(model), BLOCKS.toarray() + np.diag(model.diagonal_)))
    both = land(ASE(2, concat=True), 100)
    assert both.fit_transform(DIRECTED).shape == (240, 4)
    both.set_params(embedding__n_components=3)
    assert both.n_components == 3
    assert not hasattr(both.embedding, "embedding_")


def test_names_numbers_and_shares():
    graph = nx.relabel_nodes(nx.from_scipy_sparse_array(BLOCKS), {i: f"v{i}" for i in range(240)})
    chosen = [5, 3, 200, 77, 90, 130, 161, 12, 18, 230, *range(100, 120)]
    named = land(ASE(2), [f"v{i}" for i in chosen]).fit(graph)
    assert named.landmarks_.tolist() == sorted(chosen)
    assert np.array_equal(named.embedding_, land(ASE(2), np.array(chosen)).fit(BLOCKS).embedding_)
    signs = np.triu(np.random.default_rng(0).choice([-1.0, 0.0, 1.0], (60, 60)), 1)
    for n, network, count in ((0.25, BLOCKS, 60), (np.int64(50), BLOCKS, 50), (40, signs + signs.T, 40)):
        assert len(land(ASE(2), n).fit(network).landmarks_) == count


@pytest.mark.parametrize(("rule", "hub"), [("degree", 0.5), ("uniform", 0.1)])
def test_frequencies_of_the_rules(rule, hub):
    # A star, whose hub has half of the degrees, and two isolated vertices.
    star = np.zeros((12, 12))
    star[0, 1:10] = star[1:10, 0] = 1.0
    choice = land(ASE(random_state=np.random.default_rng(0)), 1, rule=rule)
    drawn = [choice._rows(lp.as_adjacency(star), Matrix(star))[0] for _ in range(1000)]
    counts = np.bincount(drawn, minlength=12)
    # The standard deviation of a count is at most sqrt(1000 / 4) = 16.
    assert abs(counts[0] - 1000 * hub) < 64
    assert np.abs(counts[1:10] - 1000 * (1 - hub) / 9).max() < 64
    assert not counts[10:].any()


def test_leverage_scores_are_those_of_the_eigenvectors():
    rng = np.random.default_rng(0)
    values, vectors = np.linalg.eigh(BLOCKS.toarray())
    assert np.corrcoef(leverage_scores(Matrix(BLOCKS), 1, rng), vectors[:, -1] ** 2)[0, 1] > 0.99
    U, _, Vt = np.linalg.svd(DIRECTED.toarray())
    assert np.corrcoef(leverage_scores(Bipartite(DIRECTED), 1, rng), U[:, 0] ** 2 + Vt[0] ** 2)[0, 1] > 0.99
    # As many columns as vertices span everything: the scores are exact.
    squares = (vectors[:, np.argsort(-np.abs(values))[:235]] ** 2).sum(axis=1)
    assert np.allclose(leverage_scores(Matrix(BLOCKS), 235, rng), squares, atol=1e-8)


@each_method
def test_more_dimensions_than_groups_do_not_spoil_a_pass(method):
    # Singular vectors of noise have Ritz values near 0, by which positions would be divided.
    graph = lp.stochastic_block_model([1000] * 3, 0.02 + 0.04 * np.eye(3), random_state=0)
    for network, d in ((graph, 10), (DIRECTED, 8)):
        none, one, many = (land(method(d), 0.1, passes=p).fit(network).nystrom_error_ for p in (0, 1, 30))
        assert many < one < none


BIPARTITE = nx.complete_bipartite_graph(20, 30)


@pytest.mark.parametrize(
    ("given", "options", "error", "word"),
    [
        *[(n, {}, ArgumentError, "n_landmarks") for n in (1, 300, 1.5, 0.0, [], [1, 1, 2], np.ones(240, bool))],
        *[(n, {}, ArgumentTypeError, "n_landmarks") for n in (True, None, "all", 2 + 1j)],
        ([1, 999], {}, UnknownVertexError, "999"),
        (50, {"rule": "largest"}, ArgumentError, "rule"),
        (50, {"passes": -1}, ArgumentError, "passes"),
        (range(10), {"graph": BIPARTITE}, GraphError, "no edge among themselves"),
        ([0, 1, 2, 25, 26, 27], {"graph": BIPARTITE, "d": 3}, ArgumentError, "n_components"),
    ],
)
def test_wrong_input(given, options, error, word):
    others = {name: value for name, value in options.items() if name not in ("graph", "d")}
    with pytest.raises(error, match=word):
        land(ASE(options.get("d", 2)), given, **others).fit(options.get("graph", BLOCKS))


def test_other_embeddings_are_refused():
    for other in (lp.ModularityEmbedding(2), land(ASE(2)), lp.CompletedEmbedding(ASE(2)), ASE):
        with pytest.raises(ArgumentTypeError, match="embedding is"):
            land(other, 50).fit(BLOCKS)


def test_vertices_without_an_edge_to_a_landmark():
    path = nx.path_graph(200)
    for passes, placed in ((0, 20), (1, 21)):
        with pytest.warns(LpgraphWarning, match=rf"walk of {passes + 1} edges .* passes={passes + 1}"):
            model = land(ASE(2), range(20), passes=passes).fit(path)
        assert model.embedding_[placed].any()
        assert not model.embedding_[placed + 5 :].any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        land(ASE(2), range(200), passes=0).fit(path)  # all vertices lose nothing by being landmarks


@pytest.mark.filterwarnings("ignore:.*are at the origin")
@pytest.mark.parametrize("passes", [0, 1])
def test_landmarks_with_few_edges(passes):
    # Mean degree 20: a vertex has one edge with a twentieth of the others.
    graph = lp.stochastic_block_model([2000] * 2, [[0.008, 0.002], [0.002, 0.008]], random_state=0)
    with pytest.warns(LpgraphWarning, match="The 200 landmarks have few edges"):
        land(ASE(2), 200, passes=passes).fit(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LpgraphWarning)
        warnings.filterwarnings("ignore", ".*are at the origin")
        land(ASE(2), 1200, passes=passes).fit(graph)
    # No number of landmarks would do; arcs are counted at both ends.
    arcs = nx.DiGraph((k, k + 1) for k in range(199))
    with pytest.warns(LpgraphWarning, match=r"100 landmarks have few .* noise"):
        land(ASE(2), range(100), passes=passes).fit(arcs)


def test_covariances_and_unobserved_pairs_are_refused():
    model = land(ASE(2), 100).fit(BLOCKS)
    assert not hasattr(model, "covariances")
    for use, error in (
        (lambda: lp.infer.same_position(model, 0, 1), ArgumentTypeError),
        (lambda: lp.OutOfSample(model).covariance(BLOCKS[:3]), ArgumentError),
    ):
        with pytest.raises(error, match="LandmarkEmbedding"):
            use()
