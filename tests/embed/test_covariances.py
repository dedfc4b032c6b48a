"""Covariances of positions: definite for every vertex, of the right size, and as the formulas say."""

import numpy as np
import pytest
from scipy import sparse, stats

import lpgraph as lp
from lpgraph.embed import edge_probabilities
from lpgraph.embed.covariances import Feedback, position_covariances
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError, UnknownVertexError
from lpgraph.linalg.packed import packed, unpacked

ASE, LSE = METHODS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]
FIVE = 0.01 + 0.19 * np.eye(5)
BLOCKS = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]])
PAIR = lp.stochastic_block_model([60, 60], [[0.5, 0.1], [0.1, 0.3]], random_state=0)


def covered(estimate, truth, covariances):
    """Return the share of 95 % regions that contain the truth."""
    offset = estimate - truth
    solved = np.linalg.solve(covariances, offset[:, :, None])[:, :, 0]
    return ((offset * solved).sum(axis=1) <= stats.chi2(offset.shape[1]).ppf(0.95)).mean()


def aligned(truth, embedding, n=None):
    return truth @ np.linalg.lstsq(truth[:n], embedding, rcond=None)[0]


@pytest.mark.parametrize("blocks", [FIVE, [[0.3, 0.005], [0.005, 0.3]], [[0.99, 0.9], [0.9, 0.99]]])
def test_regions_of_new_vertices_hold_their_share_given_the_network(blocks):
    # Over 1000 vertices the share has a standard error of 0.007, and it differs between networks by as much.
    k = len(blocks)
    graph = lp.stochastic_block_model([1000 // k] * k, blocks, random_state=0)
    new, ase = graph.new_vertices(1000, random_state=1), ASE(k).fit(graph)
    mean, rows = np.asarray(blocks)[new.labels][:, graph.labels], new.adjacency.toarray()
    share = covered(ase.transform(rows), ase.transform(mean), lp.OutOfSample(ase).covariance(rows))
    assert 0.92 <= share <= 0.985


def shares_of(model, truths, degrees):
    """Shares of the regions of known vertices that contain the truth, by direction."""
    found = []
    for direction, truth, sums in zip(("out", "in"), truths, degrees, strict=False):
        if isinstance(model, LSE):
            truth = truth / np.sqrt(sums + model.regularizer_)[:, None]
        estimate = model.embedding_in_ if direction == "in" else model.embedding_
        covariances = model.covariances(range(len(truth)), direction=direction)
        found.append(covered(estimate, aligned(truth, estimate), covariances))
    return found


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
        model, rows = method(3).fit(matrix[:1500, :1500]), matrix[1500:, :1500]
        truth, degrees = np.linalg.cholesky(25 / 1500 / BLOCKS.mean() * BLOCKS)[labels], p[:, :1500].sum(axis=1)
        known += shares_of(model, [truth[:1500]], [degrees[:1500]])
        if method is LSE:
            truth = truth / np.sqrt(degrees + model.regularizer_)[:, None]
        covariances = lp.OutOfSample(model).covariance(rows, marginal=True)
        new.append(covered(model.transform(rows), aligned(truth, model.embedding_, 1500)[1500:], covariances))
    assert 0.93 <= np.mean(known) <= 0.97
    assert 0.925 <= np.mean(new) <= 0.97


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["directed", "weighted"])
def test_regions_of_directed_and_of_weighted_networks_cover_the_truth(method, kind):
    # 4000 regions: three binomial standard errors are 0.01, and regions are a little too small in sparse networks.
    shares, (u, s, vt) = [], np.linalg.svd([[0.6, 0.1], [0.2, 0.5]])
    for seed in range(4):
        rng = np.random.default_rng(seed)
        # Mixtures of two blocks, mean degree 40.
        if kind == "directed":
            out, into = (rng.dirichlet([0.5, 0.5], 1000) @ side * s**0.5 for side in (u, vt.T))
            scale = np.sqrt(40 / (out @ into.T).sum(axis=1).mean())
            truths = [scale * out, scale * into]
            p = truths[0] @ truths[1].T
            model = method(2).fit(lp.as_adjacency((rng.random(p.shape) < p).astype(float), directed=True))
        else:
            truths = [rng.dirichlet([0.5, 0.5], 1000)]
            p = truths[0] @ truths[0].T
            p *= 40 / p.sum(axis=1).mean()
            # Weights 2 and 4, of which neither the mean nor the variance is that of an unweighted edge.
            edges = np.triu(rng.poisson(p / 3) * rng.choice([2.0, 4.0], p.shape), 1)
            model = method(2).fit(edges + edges.T)
        shares.append(shares_of(model, truths, [p.sum(axis=1), p.sum(axis=0)]))
    assert (np.mean(shares, axis=0) >= 0.925).all()
    assert (np.mean(shares, axis=0) <= (0.965 if kind == "directed" else 0.975)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weight", [1.0, 2.0])
def test_covariances_are_those_of_the_linear_expansion(method, weight):
    graph = lp.stochastic_block_model([80, 70], [[0.5, 0.1], [0.1, 0.4]], random_state=0)
    model = method(2).fit(weight * graph.adjacency)
    rows = sparse.csr_array(weight * graph.new_vertices(20, random_state=1).adjacency)
    positions, extension = model.transform(rows), model._placement.extensions["out"].basis
    terms = np.broadcast_to(extension, (20, *extension.shape))
    if method is LSE:
        basis = extension / np.sqrt(model.graph_.degrees + model.regularizer_)[:, None]
        t = (rows.sum(axis=1) + model.regularizer_)[:, None, None]
        terms = basis / np.sqrt(t) - positions[:, None, :] / (2 * t)
    # The derivatives of the position with respect to the entries of the row, by differences of the rule itself.
    for j in (0, 100):
        changed = rows.toarray()
        changed[:, j] += 1e-5
        np.testing.assert_allclose((model.transform(changed) - positions) / 1e-5, terms[:, j], atol=1e-6)
    found = unpacked(position_covariances(model, rows, positions, "out"))
    if weight == 1:
        estimates = EdgeProbabilities.of_embedding(model, "out")
        new = estimates.estimates(rows, positions)
        p, q = estimates.shrunk(new) @ estimates.shrunk_design.T, estimates.by_degrees(new)
        variances = p * (1 - p) + 0.5 / new.degrees[:, None] * q * (1 - q)
        expected = np.einsum("ij,ija,ijb->iab", variances, terms, terms)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)
    else:
        # Weights of 2 are those of an unweighted graph times 2: similar covariances, 4 times as large for ASE.
        other, half = method(2).fit(graph.adjacency), sparse.csr_array(rows / 2)
        same = unpacked(position_covariances(other, half, other.transform(half), "out"))
        ratios = np.trace(found, axis1=1, axis2=2) / np.trace(same, axis1=1, axis2=2)
        assert 0.8 < np.median(ratios) / (2.0 if method is ASE else 1.0) < 1.2


def test_every_covariance_is_definite(network):
    matrix, directed = network
    ase = ASE(2).fit(lp.as_adjacency(matrix, directed=directed))
    n = matrix.shape[0]
    rows = np.vstack([np.zeros(n), np.ones(n), np.eye(n)[:5], (matrix.toarray() != 0)[:30]]).astype(float)
    for direction in ("out", "in") if directed else ("out",):
        for weight in (1.0, 2.5, -1.0):
            found = lp.OutOfSample(ase).covariance(weight * rows, direction=direction)
            assert np.array_equal(found, np.swapaxes(found, 1, 2))
            assert (np.linalg.eigvalsh(found)[:, 0] > 0).all()


@pytest.mark.parametrize("method", [*METHODS, lp.OneStepEmbedding])
def test_chosen_and_aligned_covariances(method):
    names = [f"v{i}" for i in range(120)]
    model = method(2).fit(lp.Adjacency(lp.as_adjacency(PAIR).matrix, names))
    whole = model.covariances()
    assert whole.shape == (120, 3)
    np.testing.assert_allclose(packed(model.covariances(["v7", "v0"])), whole[[7, 0]], rtol=1e-12)
    assert model.covariances([]).shape == (0, 2, 2)
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    other = method(2, align_to=dict(enumerate(model.embedding_ @ turn))).fit(PAIR)
    w = other.alignment_.rotation
    assert abs(w - np.diag(np.diag(w))).max() > 0.5
    np.testing.assert_allclose(other.covariances(range(120)), w.T @ unpacked(whole) @ w, rtol=1e-6, atol=1e-12)


def test_new_positions_are_pulled_to_the_origin_as_predicted():
    slopes, predicted = [], []
    for seed in range(4):
        graph = lp.stochastic_block_model([400, 400], [[0.06, 0.02], [0.02, 0.06]], random_state=seed)
        new, model = graph.new_vertices(800, random_state=seed + 10), ASE(2).fit(graph)
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


def test_covariances_do_not_depend_on_threads_or_parts(monkeypatch):
    graph = lp.stochastic_block_model([9000, 9000], np.array([[6.0, 1], [1, 6]]) / 9000, random_state=0)
    found = []
    for threads, entries in (("1", 1 << 16), ("2", 1 << 16), ("2", 1 << 12)):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        monkeypatch.setattr(edge_probabilities, "_CACHE", entries)
        found.append(LSE(2).fit(graph).covariances())
    np.testing.assert_array_equal(*found[:2])
    np.testing.assert_allclose(*found[1:], rtol=1e-9)


def test_wrong_uses_are_refused():
    model = ASE(2)
    with pytest.raises(NotFittedError):
        model.covariances()
    model.fit(PAIR)
    for vertices, error in (([120], UnknownVertexError), ("abc", ArgumentTypeError), (3, ArgumentTypeError)):
        with pytest.raises(error, match=r"vertices|120"):
            model.covariances(vertices)
    with pytest.raises(ArgumentError, match="undirected"):
        model.covariances(direction="in")
