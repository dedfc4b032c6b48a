"""Covariances of the positions of known vertices, and marginal ones of new vertices."""

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.exceptions import NotFittedError

import lpgraph as lp
from lpgraph.embed.covariances import position_covariances
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.embed.feedback import Feedback
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError
from lpgraph.linalg.packed import packed, unpacked

BLOCKS = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]])
METHODS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]


def covered(estimate, truth, covariances):
    """Return the share of 95 % regions that contain the truth."""
    offset = estimate - truth
    solved = np.linalg.solve(covariances, offset[:, :, None])[:, :, 0]
    return ((offset * solved).sum(axis=1) <= stats.chi2(offset.shape[1]).ppf(0.95)).mean()


def aligned(truth, embedding, n=None):
    return truth @ np.linalg.lstsq(truth[:n], embedding, rcond=None)[0]


def directed_model(rng, n, degree):
    """Return positions as sources and as targets of mixtures of two blocks."""
    values = np.linalg.svd([[0.6, 0.1], [0.2, 0.5]])
    out, into = (rng.dirichlet([0.5, 0.5], n) @ side for side in (values[0] * values[1] ** 0.5, values[2].T))
    into = into * values[1] ** 0.5
    scale = np.sqrt(degree / (out @ into.T).sum(axis=1).mean())
    return scale * out, scale * into


@pytest.mark.parametrize("method", METHODS)
def test_regions_cover_the_truth_in_a_sparse_network(method):
    # Five networks of 1500 known and 500 new vertices; the standard error of the mean share, between networks, is
    # about 0.003 for known and 0.006 for new vertices. Without the effect of a vertex's own edges on its
    # neighbors, those of known vertices are 0.89 and 0.90.
    known, new = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 3, 2000)
        p = 25 / 1500 / BLOCKS.mean() * BLOCKS[labels][:, labels]
        upper = np.triu(rng.random(p.shape) < p, 1)
        matrix = (upper | upper.T).astype(float)
        model = method(3).fit(matrix[:1500, :1500])
        truth = np.linalg.cholesky(25 / 1500 / BLOCKS.mean() * BLOCKS)[labels]
        if method is lp.LaplacianSpectralEmbedding:
            truth = truth / np.sqrt(p[:, :1500].sum(axis=1) + model.regularizer_)[:, None]
        truth = aligned(truth, model.embedding_, 1500)
        known.append(covered(model.embedding_, truth[:1500], model.covariances(range(1500))))
        rows = matrix[1500:, :1500]
        covariances = lp.OutOfSample(model).covariance(rows, marginal=True)
        new.append(covered(model.transform(rows), truth[1500:], covariances))
    assert 0.93 <= np.mean(known) <= 0.97
    assert 0.925 <= np.mean(new) <= 0.97


@pytest.mark.parametrize("method", METHODS)
def test_regions_of_sources_and_targets_cover_the_truth(method):
    shares = {"out": [], "in": []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        out, into = directed_model(rng, 1000, 40)
        p = out @ into.T
        model = method(2).fit(lp.as_adjacency((rng.random(p.shape) < p).astype(float), directed=True))
        for direction, truth, degrees in (("out", out, p.sum(axis=1)), ("in", into, p.sum(axis=0))):
            if method is lp.LaplacianSpectralEmbedding:
                truth = truth / np.sqrt(degrees + model.regularizer_)[:, None]
            found = model.embedding_in_ if direction == "in" else model.embedding_
            covariances = model.covariances(range(1000), direction=direction)
            shares[direction].append(covered(found, aligned(truth, found), covariances))
    # 4000 regions: three binomial standard errors are 0.01, and regions are a little too small in sparse networks.
    assert 0.925 <= np.mean(shares["out"]) <= 0.965
    assert 0.925 <= np.mean(shares["in"]) <= 0.965


@pytest.mark.parametrize("method", METHODS)
def test_regions_of_weighted_networks_cover_the_truth(method):
    shares = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = rng.dirichlet([0.5, 0.5], 1000)
        mean = 40 / (truth @ truth.sum(axis=0)).mean() * truth @ truth.T
        # Weights 2 and 4, of which neither the mean nor the variance is that of an unweighted edge.
        edges = np.triu(rng.poisson(mean / 3) * rng.choice([2.0, 4.0], mean.shape), 1)
        model = method(2).fit(edges + edges.T)
        if method is lp.LaplacianSpectralEmbedding:
            truth = truth / np.sqrt(mean.sum(axis=1) + model.regularizer_)[:, None]
        shares.append(covered(model.embedding_, aligned(truth, model.embedding_), model.covariances(range(1000))))
    assert 0.925 <= np.mean(shares) <= 0.975


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weight", [1.0, 2.0])
def test_covariances_are_those_of_the_linear_expansion(method, weight):
    graph = lp.stochastic_block_model([80, 70], [[0.5, 0.1], [0.1, 0.4]], random_state=0)
    model = method(2).fit(weight * graph.adjacency)
    rows = weight * graph.new_vertices(20, random_state=1).adjacency
    rows = sparse.csr_array(rows)
    positions = model.transform(rows)
    degrees = rows.sum(axis=1)
    extension = model._placement.extensions["out"].basis
    if method is lp.LaplacianSpectralEmbedding:
        tau = model.regularizer_
        basis = extension / np.sqrt(model.graph_.degrees + tau)[:, None]
        t = (degrees + tau)[:, None, None]
        terms = basis / np.sqrt(t) - positions[:, None, :] / (2 * t)
    else:
        terms = np.broadcast_to(extension, (20, *extension.shape))
    # The derivatives of the position with respect to the entries of the row, by differences of the rule itself.
    step = 1e-5
    for j in (0, 100):
        changed = rows.toarray()
        changed[:, j] += step
        np.testing.assert_allclose((model.transform(changed) - positions) / step, terms[:, j], atol=1e-6)
    estimates = EdgeProbabilities.of_embedding(model, "out")
    new = estimates.estimates(rows, positions)
    if weight == 1:
        p = estimates.shrunk(new) @ estimates.shrunk_design.T
        q = estimates.by_degrees(new)
        variances = p * (1 - p) + 0.5 / new.degrees[:, None] * q * (1 - q)
        expected = np.einsum("ij,ija,ijb->iab", variances, terms, terms)
        np.testing.assert_allclose(
            unpacked(position_covariances(model, rows, positions, "out")), expected, rtol=1e-8, atol=1e-12
        )
    else:
        # Weights of 2 are those of an unweighted graph times 2: similar covariances, 4 times as large for ASE.
        other = method(2).fit(graph.adjacency)
        half = sparse.csr_array(rows / 2)
        same = unpacked(position_covariances(other, half, other.transform(half), "out"))
        found = unpacked(position_covariances(model, rows, positions, "out"))
        scale = 2.0 if method is lp.AdjacencySpectralEmbedding else 1.0
        ratios = np.trace(found, axis1=1, axis2=2) / np.trace(same, axis1=1, axis2=2) / scale
        assert 0.8 < np.median(ratios) < 1.2


@pytest.mark.parametrize("method", METHODS)
def test_chosen_vertices_have_the_covariances_of_all(method):
    names = [f"v{i}" for i in range(60)]
    graph = lp.stochastic_block_model([30, 30], [[0.5, 0.1], [0.1, 0.4]], random_state=0)
    model = method(2).fit(lp.Adjacency(lp.as_adjacency(graph).matrix, names))
    all_of_them = model.covariances()
    assert all_of_them.shape == (60, 3)
    chosen = model.covariances(["v7", "v0"])
    np.testing.assert_allclose(packed(chosen), all_of_them[[7, 0]], rtol=1e-12)
    assert (np.linalg.eigvalsh(model.covariances(names)) > 0).all()


def test_aligned_embeddings_have_rotated_covariances():
    graph = lp.stochastic_block_model([60, 60], [[0.3, 0.1], [0.1, 0.4]], random_state=0)
    plain = lp.AdjacencySpectralEmbedding(2).fit(graph)
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    target = dict(enumerate(plain.embedding_ @ turn))
    model = lp.AdjacencySpectralEmbedding(2, align_to=target).fit(graph)
    w = model.alignment_.rotation
    assert abs(w - np.diag(np.diag(w))).max() > 0.5
    expected = w.T @ plain.covariances(range(120)) @ w
    np.testing.assert_allclose(model.covariances(range(120)), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_positions_as_new_vertices_are_those_in_the_network_without_the_vertex(method):
    # Leaving out each of 40 vertices changes its position by about a tenth of its length. The first-order formula
    # finds at least two thirds of the change.
    graph = lp.stochastic_block_model([150, 150], [[0.12, 0.03], [0.03, 0.12]], random_state=0)
    matrix = graph.adjacency
    tau = float(lp.as_adjacency(graph).degrees.mean())
    options = {"regularizer": tau} if method is lp.LaplacianSpectralEmbedding else {}
    model = method(2, **options).fit(matrix)
    as_new = Feedback.of(model, "out").as_new()
    before, after = [], []
    for i in range(0, 300, 8):
        rest = np.delete(np.arange(300), i)
        other = method(2, **options).fit(matrix[rest][:, rest])
        back = np.linalg.lstsq(other.embedding_, model.embedding_[rest], rcond=None)[0]
        position = (other.transform(matrix[[i]][:, rest]) @ back)[0]
        before.append(np.linalg.norm(model.embedding_[i] - position))
        after.append(np.linalg.norm(as_new[i] - position))
    assert np.mean(after) < np.mean(before) / 3


def test_new_positions_are_pulled_to_the_origin_as_predicted():
    slopes, predicted = [], []
    for seed in range(4):
        graph = lp.stochastic_block_model([400, 400], [[0.06, 0.02], [0.02, 0.06]], random_state=seed)
        new = graph.new_vertices(800, random_state=seed + 10)
        model = lp.AdjacencySpectralEmbedding(2).fit(graph)
        centres = np.array([model.embedding_[graph.labels == k].mean(axis=0) for k in (0, 1)])
        positions = model.transform(new)
        slopes.append(np.diag(np.linalg.lstsq(centres[new.labels], positions, rcond=None)[0]))
        unbiased = Feedback.of(model, "out").unbiased(positions)
        predicted.append(np.diag(np.linalg.lstsq(positions, unbiased, rcond=None)[0]))
    found, expected = np.mean(slopes, axis=0), 1 / np.mean(predicted, axis=0)
    # The standard error of a slope is that of a position relative to its length, up to 0.4, divided by sqrt(3200):
    # 0.007. The second dimension is pulled by the degree divided by the squared eigenvalue 16, about 0.1.
    assert abs(found - expected).max() < 0.02
    assert 0.07 < 1 - expected[1] < 0.14


def test_saved_models_have_the_same_covariances(tmp_path):
    graph = lp.stochastic_block_model([30, 30], [[0.5, 0.1], [0.1, 0.4]], random_state=0)
    for method in METHODS:
        model = method(2).fit(graph)
        lp.save(model, tmp_path / "model.lpg")
        np.testing.assert_array_equal(lp.load(tmp_path / "model.lpg").covariances(), model.covariances())


@pytest.mark.parametrize("threads", ["1", "2"])
def test_covariances_do_not_depend_on_threads(threads, monkeypatch):
    graph = lp.stochastic_block_model([9000, 9000], np.array([[6.0, 1], [1, 6]]) / 9000, random_state=0)
    model = lp.LaplacianSpectralEmbedding(2).fit(graph)
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
    found = model.covariances()
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "1")
    np.testing.assert_array_equal(found, model.covariances())


def test_wrong_uses_are_refused():
    graph = lp.stochastic_block_model([30, 30], [[0.5, 0.1], [0.1, 0.4]], random_state=0)
    model = lp.AdjacencySpectralEmbedding(2)
    with pytest.raises(NotFittedError):
        model.covariances()
    model.fit(graph)
    with pytest.raises(UnknownVertexError, match="60"):
        model.covariances([60])
    with pytest.raises(ArgumentTypeError, match="vertices"):
        model.covariances("abc")
    with pytest.raises(ArgumentTypeError, match="vertices"):
        model.covariances(3)
    with pytest.raises(ArgumentError, match="undirected"):
        model.covariances(direction="in")
    assert model.covariances([]).shape == (0, 2, 2)
