"""Landmark vertices: identities, rules, errors and warnings, and what the landmark's positions are worth."""

import re
import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import lpgraph as lp
from lpgraph.embed.landmarks import LandmarkChoice, leverage_scores
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning, UnknownVertexError
from lpgraph.spectral.operators import Bipartite, Matrix

METHODS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]
ASE = lp.AdjacencySpectralEmbedding


@pytest.fixture(scope="module")
def blocks():
    """Three blocks of 80 vertices, of which one avoids itself: eigenvalues of both signs."""
    rates = [[0.4, 0.1, 0.1], [0.1, 0.3, 0.05], [0.1, 0.05, 0.02]]
    return lp.stochastic_block_model([80, 80, 80], rates, random_state=0).adjacency


@pytest.fixture(scope="module")
def directed(blocks):
    return sparse.csr_array(sparse.triu(blocks, 1) + sparse.tril(blocks * 2.0, -1)[::-1, ::-1])


def matrix(A, method):
    """Return the dense matrix that a method embeds."""
    A = A.toarray()
    if method is ASE:
        return A
    out, into = A.sum(axis=1) + A.sum(axis=1).mean(), A.sum(axis=0) + A.sum(axis=1).mean()
    return A / np.sqrt(np.multiply.outer(out, into))


def relative(fitted, M):
    return np.linalg.norm(M - fitted) / np.linalg.norm(M)


@pytest.mark.parametrize("method", METHODS)
def test_without_a_pass_it_is_the_nystrom_approximation(method, blocks):
    model = method(2, landmarks=120, landmark_passes=0).fit(blocks)
    M, rows = matrix(blocks, method), model.landmarks_
    values, vectors = np.linalg.eigh(M[np.ix_(rows, rows)])
    order = np.argsort(-np.abs(values))[:2]
    C, inverse = M[:, rows] @ vectors[:, order], 1 / values[order]
    fitted = (model.embedding_ * model.signature_) @ model.embedding_.T
    # Tang, Park & Priebe (2013), Eq. (7): C pinv(A_S) C.T.
    assert np.allclose(fitted, (C * inverse) @ C.T, atol=1e-10)
    assert np.isclose(model.nystrom_error_, relative(fitted, M), rtol=1e-10)
    assert np.allclose(model.eigenvalues_, values[order])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("passes", [1, 2])
def test_a_pass_is_a_step_of_orthogonal_iteration(method, passes, blocks):
    d = 2
    model = method(d, landmarks=60, landmark_passes=passes).fit(blocks)
    M, rows = matrix(blocks, method), model.landmarks_
    # Passes start from right singular vectors of the landmarks' rows.
    block = M[:, rows] @ np.linalg.svd(M[rows])[0][:, : 2 * d]
    for _ in range(passes - 1):
        block = M @ block
    Q = np.linalg.qr(block)[0]
    values, vectors = np.linalg.eigh(Q.T @ M @ Q)
    order = np.argsort(-np.abs(values))[:d]
    images = M @ Q @ vectors[:, order]
    # Positions are divided by the lengths of images, not by Ritz values.
    lengths = np.copysign(np.linalg.norm(images, axis=0), values[order])
    fitted = (images / lengths) @ images.T
    assert np.allclose(model.eigenvalues_, lengths)
    # LAPACK finds the singular vectors of so few landmarks exactly.
    assert np.allclose(
        (model.embedding_ * model.signature_) @ model.embedding_.T, fitted, atol=1e-3 * fitted.max()
    )
    residuals = np.linalg.norm(images - Q @ vectors[:, order] * values[order], axis=0) / np.abs(values[order])
    assert np.allclose(model.residuals_, residuals, atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_passes_converge_to_the_embedding_of_all_vertices(method, blocks):
    full = method(2).fit(blocks)
    model = method(2, landmarks=40, landmark_passes=40).fit(blocks)
    assert np.allclose(model.eigenvalues_, full.eigenvalues_, rtol=1e-5)
    assert np.allclose(model.embedding_, full.embedding_, atol=1e-3 * np.abs(full.embedding_).max())
    fitted = (full.embedding_ * full.signature_) @ full.embedding_.T
    assert np.isclose(model.nystrom_error_, relative(fitted, matrix(blocks, method)), rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("passes", [0, 1])
def test_rows_of_the_network_are_placed_where_they_are(method, passes, blocks, directed):
    for graph in (blocks, directed, 3.0 * blocks):
        model = method(2, landmarks=80, landmark_passes=passes).fit(graph)
        assert np.allclose(model.transform(graph), model.embedding_, atol=1e-12)
    model = method(2, landmarks=80, landmark_passes=passes).fit(directed)
    assert np.allclose(
        model.transform(sparse.csr_array(directed.T), direction="in"), model.embedding_in_, atol=1e-12
    )
    fitted = model.embedding_ @ model.embedding_in_.T
    assert np.isclose(model.nystrom_error_, relative(fitted, matrix(directed, method)), rtol=1e-10)


def test_directed_passes_converge(directed):
    full, model = ASE(2).fit(directed), ASE(2, landmarks=60, landmark_passes=60).fit(directed)
    assert np.allclose(model.singular_values_, full.singular_values_, rtol=1e-5)
    products = [m.embedding_ @ m.embedding_in_.T for m in (full, model)]
    assert np.allclose(*products, atol=1e-3 * np.abs(products[0]).max())


def test_all_vertices_as_landmarks_are_the_embedding(blocks):
    full, model = ASE(3).fit(blocks), ASE(3, landmarks=240, landmark_passes=0).fit(blocks)
    assert np.allclose(model.embedding_, full.embedding_, atol=1e-8)
    assert full.landmarks_ is None
    assert full.nystrom_error_ is None


def test_diagonal_and_largest_eigenvalues(blocks):
    model = ASE(2, landmarks=100, landmark_passes=0, augment_diagonal=True, which="LA").fit(blocks)
    M = blocks.toarray() + np.diag(model.diagonal_)
    fitted = model.embedding_ @ model.embedding_.T
    assert (model.signature_ == 1).all()
    assert np.isclose(model.nystrom_error_, relative(fitted, M))


def test_names_numbers_and_shares(blocks):
    graph = nx.relabel_nodes(nx.from_scipy_sparse_array(blocks), {i: f"v{i}" for i in range(240)})
    chosen = [5, 3, 200, 77, 90, 130, 161, 12, 18, 230, *range(100, 120)]
    named = ASE(2, landmarks=[f"v{i}" for i in chosen]).fit(graph)
    assert named.landmarks_.tolist() == sorted(chosen)
    assert np.array_equal(named.embedding_, ASE(2, landmarks=np.array(chosen)).fit(blocks).embedding_)
    assert len(ASE(2, landmarks=0.25).fit(blocks).landmarks_) == 60
    assert len(ASE(2, landmarks=np.int64(50)).fit(blocks).landmarks_) == 50


@pytest.mark.parametrize("rule", ["degree", "uniform", "leverage"])
def test_the_same_seed_draws_the_same_landmarks(rule, blocks):
    draw = ASE(2, landmarks=50, landmark_rule=rule)
    first, again = (clone(draw).fit(blocks) for _ in range(2))
    assert np.array_equal(first.landmarks_, again.landmarks_)
    assert np.array_equal(first.embedding_, again.embedding_)
    other = clone(draw).set_params(random_state=1).fit(blocks)
    assert not np.array_equal(first.landmarks_, other.landmarks_)


@pytest.mark.parametrize(("rule", "hub"), [("degree", 0.5), ("uniform", 0.1)])
def test_frequencies_of_the_rules(rule, hub):
    # A star, whose hub has half of the degrees, and two isolated vertices.
    star = np.zeros((12, 12))
    star[0, 1:10] = star[1:10, 0] = 1.0
    graph, operator = lp.as_adjacency(star), Matrix(star)
    choice = LandmarkChoice(1, rule, 0, None, np.random.default_rng(0))
    counts = np.bincount([choice.rows(graph, operator)[0] for _ in range(1000)], minlength=12)
    # The standard deviation of a count is at most sqrt(1000 / 4) = 16.
    assert abs(counts[0] - 1000 * hub) < 64
    assert np.abs(counts[1:10] - 1000 * (1 - hub) / 9).max() < 64
    assert not counts[10:].any()


def test_leverage_scores_are_those_of_the_eigenvectors(blocks, directed):
    rng = np.random.default_rng(0)
    vectors = np.linalg.eigh(blocks.toarray())[1]
    expected = vectors[:, -1] ** 2
    assert np.corrcoef(leverage_scores(Matrix(blocks), 1, rng), expected)[0, 1] > 0.99
    U, _, Vt = np.linalg.svd(directed.toarray())
    expected = U[:, 0] ** 2 + Vt[0] ** 2
    assert np.corrcoef(leverage_scores(Bipartite(directed), 1, rng), expected)[0, 1] > 0.99
    # As many columns as vertices span everything: the scores are exact.
    squares = (vectors[:, np.argsort(-np.abs(np.linalg.eigvalsh(blocks.toarray())))[:235]] ** 2).sum(axis=1)
    assert np.allclose(leverage_scores(Matrix(blocks), 235, rng), squares, atol=1e-8)


def test_negative_weights_count_as_degrees():
    rng = np.random.default_rng(0)
    signs = np.triu(rng.choice([-1.0, 0.0, 1.0], (60, 60)), 1)
    graph = signs + signs.T
    model = ASE(2, landmarks=40).fit(graph)
    assert model.embedding_.shape == (60, 2)
    assert len(model.landmarks_) == 40


def test_dimension_is_that_of_the_landmarks(blocks):
    model = ASE(landmarks=200).fit(blocks)
    assert model.dimension_choice_.rule == "eigenvalue_cv"
    assert 1 <= model.embedding_.shape[1] <= 3
    assert ASE("elbow", landmarks=100).fit(blocks).embedding_.shape[0] == 240
    assert ASE("sign_flips", landmarks=200).fit(blocks).embedding_.shape[1] >= 1
    assert lp.LaplacianSpectralEmbedding(landmarks=200).fit(blocks).embedding_.shape[0] == 240


def test_alignment(blocks, directed):
    for graph in (blocks, directed):
        full = ASE(2).fit(graph)
        target = full.embedding_ if graph is directed else -full.embedding_
        turned = ASE(align_to=full if graph is directed else target, landmarks=120, landmark_passes=6).fit(graph)
        assert np.allclose(turned.embedding_, target, atol=0.1 * np.abs(target).max())
        assert np.allclose(turned.transform(graph), turned.embedding_, atol=1e-12)


def test_models_are_saved(tmp_path, blocks):
    for landmarks in (40, 0.3, list(range(0, 240, 3))):
        model = ASE(2, landmarks=landmarks, landmark_rule="uniform").fit(blocks)
        lp.save(model, tmp_path / "model.lpg")
        loaded = lp.load(tmp_path / "model.lpg")
        assert np.array_equal(loaded.landmarks_, model.landmarks_)
        assert loaded.nystrom_error_ == model.nystrom_error_
        assert np.array_equal(loaded.transform(blocks[:5]), model.transform(blocks[:5]))
    assert f"{model.nystrom_error_:.4g}" in model._repr_html_()


def test_one_pass_is_better_than_the_rule_of_the_paper():
    # Relative errors of the probabilities: the noise of a position has the variance of m edges without a pass, and
    # of n with one, which is 4 times smaller; what remains is that of the embedding of all vertices.
    sizes, rates = [500, 500], [[0.16, 0.04], [0.04, 0.12]]
    truth = np.kron(rates, np.ones((500, 500)))
    errors = {passes: [] for passes in (0, 1)}
    for seed in range(3):
        graph = lp.stochastic_block_model(sizes, rates, random_state=seed).adjacency
        for passes, found in errors.items():
            model = ASE(2, landmarks=250, landmark_passes=passes, random_state=seed).fit(graph)
            found.append(relative((model.embedding_ * model.signature_) @ model.embedding_.T, truth))
    assert np.mean(errors[1]) < 0.6 * np.mean(errors[0])


def test_more_dimensions_than_groups_do_not_spoil_a_pass(directed):
    # Singular vectors of noise have Ritz values near 0, by which positions would be divided.
    graph = lp.stochastic_block_model([1000] * 3, 0.02 + 0.04 * np.eye(3), random_state=0)
    for network, d in ((graph, 10), (directed, 8)):
        for method in METHODS:
            errors = [
                method(d, landmarks=0.1, landmark_passes=passes).fit(network).nystrom_error_
                for passes in (0, 1, 30)
            ]
            assert errors[2] < errors[1] < errors[0]


WRONG = [
    ({"landmarks": 1}, ArgumentError, "landmarks=1, but n_components=2; pass at least 2"),
    ({"landmarks": 300}, ArgumentError, "only 240 vertices have an edge"),
    ({"landmarks": 1.5}, ArgumentError, "landmarks=1.5"),
    ({"landmarks": 0.0}, ArgumentError, "landmarks=0.0"),
    ({"landmarks": float("nan")}, ArgumentError, "landmarks=nan"),
    ({"landmarks": True}, ArgumentTypeError, "landmarks=True"),
    ({"landmarks": 2 + 1j}, ArgumentTypeError, "complex"),
    ({"landmarks": "all"}, ArgumentTypeError, "landmarks='all' is a str; pass a number of vertices, a share"),
    ({"landmarks": [3]}, ArgumentError, "landmarks has length 1, but n_components=2; pass at least 2"),
    ({"landmarks": []}, ArgumentError, "at least 2 landmarks"),
    ({"landmarks": [1, 1, 2]}, ArgumentError, "landmarks has the vertex 1 twice"),
    ({"landmarks": np.ones(240, dtype=bool)}, ArgumentTypeError, "numpy.flatnonzero(landmarks)"),
    ({"landmarks": [1, 999]}, UnknownVertexError, "999"),
    ({"landmarks": 50, "landmark_rule": "largest"}, ArgumentError, "landmark_rule='largest'"),
    ({"landmark_rule": 3}, (ArgumentError, ArgumentTypeError), "landmark_rule"),
    ({"landmarks": 50, "landmark_passes": -1}, ArgumentError, "landmark_passes=-1"),
    ({"landmarks": 50, "landmark_passes": 0.5}, ArgumentTypeError, "landmark_passes=0.5"),
    ({"landmarks": 50, "unobserved": [(0, 1)]}, ArgumentError, "leave landmarks out"),
]


@pytest.mark.parametrize(("options", "error", "text"), WRONG)
def test_wrong_input(options, error, text, blocks):
    with pytest.raises(error) as caught:
        ASE(2, **options).fit(blocks)
    assert text in str(caught.value)


def test_landmarks_without_edges_or_of_low_rank():
    graph = nx.complete_bipartite_graph(20, 30)
    with pytest.raises(GraphError, match="no edge among themselves"):
        ASE(2, landmarks=range(10), landmark_rule="uniform").fit(graph)
    with pytest.raises(ArgumentError, match="the landmarks has rank 2; pass n_components <= 2, or more landmarks"):
        ASE(3, landmarks=[0, 1, 2, 25, 26, 27]).fit(graph)
    assert ASE(2, landmarks=[0, 1, 25, 26], landmark_passes=0).fit(graph).nystrom_error_ < 1e-7


def test_vertices_without_an_edge_to_a_landmark():
    path = nx.path_graph(200)
    with pytest.warns(LpgraphWarning, match=r"have no edge to a landmark .* landmark_passes=1"):
        model = ASE(2, landmarks=range(20), landmark_passes=0).fit(path)
    assert not model.embedding_[25:].any()
    with pytest.warns(LpgraphWarning, match=r"walk of 2 edges .* landmark_passes=2"):
        model = ASE(2, landmarks=range(20)).fit(path)
    assert model.embedding_[21].any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ASE(2, landmarks=range(200), landmark_passes=0).fit(path)


@pytest.mark.filterwarnings("ignore:.*are at the origin")
@pytest.mark.parametrize("passes", [0, 1])
def test_landmarks_with_few_edges(passes):
    # Mean degree 20: a vertex has one edge with a twentieth of the others.
    graph = lp.stochastic_block_model([2000] * 2, [[0.008, 0.002], [0.002, 0.008]], random_state=0)
    few, low, high = (
        (r"edges among themselves, 1\.\d at", 500, 1000),
        # Twenty edges from a landmark, and from each end one to another landmark.
        (r"neighbors in common: two edges lead from one to 2\d\.\d others", 250, 400),
    )[passes]
    few = rf"The 200 landmarks have few {few}.*about (\d+) may do\), or landmarks=None"
    with pytest.warns(LpgraphWarning, match=few) as found:
        ASE(2, landmarks=200, landmark_passes=passes).fit(graph)
    wanted = next(int(count[1]) for one in found if (count := re.search(r"about (\d+)", str(one.message))))
    assert low < wanted < high
    ASE(2, landmarks=round(1.2 * wanted), landmark_passes=passes).fit(graph)


def test_landmarks_with_few_edges_of_special_graphs():
    # All vertices lose nothing by being landmarks.
    path = nx.path_graph(200)
    for passes in (0, 1):
        ASE(2, landmarks=range(200), landmark_passes=passes).fit(path)
    # No number of landmarks would do; arcs are counted at both ends.
    arcs = nx.DiGraph((k, k + 1) for k in range(199))
    for passes, few in ((0, "edges among themselves, 1.0 at"), (1, "neighbors in common: .* to 0.0 others")):
        few = f"100 landmarks have few {few}.* noise. Pass landmarks=None"
        with pytest.warns(LpgraphWarning, match="at the origin"), pytest.warns(LpgraphWarning, match=few):
            ASE(2, landmarks=range(100), landmark_passes=passes).fit(arcs)


def test_covariances_are_refused(blocks):
    model = ASE(2, landmarks=100).fit(blocks)
    with pytest.raises(ArgumentError, match="fit without landmarks"):
        model.covariances()
    with pytest.raises(ArgumentError, match="fit without landmarks"):
        lp.infer.same_position(model, 0, 1)
    placed = lp.OutOfSample(ASE(2, landmarks=100)).fit(blocks)
    assert placed.transform(blocks[:3]).shape == (3, 2)
    with pytest.raises(ArgumentError, match="fit without landmarks"):
        placed.covariance(blocks[:3])
    with pytest.raises(ArgumentError, match="embedded by landmarks"):
        model.transform({"new": [1, 2, 3]}, unobserved={"new": [5]})


@pytest.mark.parametrize("method", METHODS)
def test_the_same_bits_alone_and_in_any_batch(method, blocks):
    model = method(2, landmarks=80).fit(blocks)
    together = model.transform(blocks[:6])
    assert all(np.array_equal(model.transform(blocks[[i]])[0], together[i]) for i in range(6))


def test_the_report_tells_of_landmarks(blocks):
    page = lp.report(blocks, embedding=ASE(2, landmarks=100), n_clusters=2)
    assert "error of the approximation" in page.html
