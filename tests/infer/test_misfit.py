"""Scores of vertices that fit badly: their null distribution, what they see, and what is refused."""

import numpy as np
import pytest
from infer.vertex_tests import METHODS, check_refused_embeddings, without_loops
from scipy import sparse, stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, UnknownVertexError
from lpgraph.infer.row_residuals import RowResiduals

BLOCKS = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]])


def draw(rng, degree, known=800, new=300, directed=False, weights=None):
    """Return the matrix of a block model with degree factors, and the rows of new vertices."""
    labels = rng.choice(3, known + new, p=[0.2, 0.3, 0.5])
    factors = rng.uniform(0.4, 1, known + new)
    p = BLOCKS[labels][:, labels] * np.outer(factors, factors)
    p *= degree / p[:known, :known].sum(axis=1).mean()
    values = (rng.random(p.shape) < p).astype(float) if weights is None else weights(rng, p)
    values = without_loops(values, directed=directed)
    return values[:known, :known], sparse.csr_array(values[known:, :known])


def test_the_score_is_the_standardised_squared_residual():
    matrix, rows = draw(np.random.default_rng(0), 40, 150, 20)
    model = lp.AdjacencySpectralEmbedding(3).fit(matrix)
    residuals = RowResiduals.of(model, "out")
    fitted = model.transform(rows) @ (model.embedding_ * model.signature_).T
    squares = ((rows.toarray() - fitted) ** 2).sum(axis=1) - (fitted * (1 - fitted)).sum(axis=1)
    corrected = model.transform(rows) @ residuals.turn @ (model.embedding_ * model.signature_).T
    np.testing.assert_allclose(squares, (rows.toarray() - fitted).sum(axis=1), atol=1e-9)
    found = lp.infer.misfit(model, rows)
    np.testing.assert_allclose(found.unexplained, (rows.toarray() - corrected).sum(axis=1), atol=1e-9)
    # The variance by probabilities that are shrunk towards the product of the degrees, with half an edge more.
    estimates = residuals.model.estimates(rows, model.transform(rows))
    p = residuals.model.shrunk(estimates) @ residuals.model.shrunk_design.T
    q = residuals.model.by_degrees(estimates)
    variance = (p * (1 - p) + q * (1 - q) * 0.5 / estimates.degrees[:, None]) @ residuals.weights**2
    np.testing.assert_allclose(found.unexplained / found.scores, np.sqrt(variance), rtol=1e-9)
    np.testing.assert_allclose(found.p_values, 2 * stats.norm.sf(abs(found.scores)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("degree", [10, 30, 200])
def test_p_values_are_uniform_under_the_model(method, degree):
    new, known = [], []
    for seed in range(3):
        matrix, rows = draw(np.random.default_rng(seed), degree)
        model = method(3).fit(matrix)
        new.append(lp.infer.misfit(model, rows).p_values)
        known.append(lp.infer.misfit(model, range(0, 800, 2)).p_values)
    for found in (np.concatenate(new), np.concatenate(known)):
        # The share in one network of 300 new vertices has a standard deviation of 0.017, which was measured in 15
        # networks for each case; that of three networks has 0.010, and the mean of the p-values 0.015.
        assert abs((found < 0.05).mean() - 0.05) < 0.035
        assert abs(found.mean() - 0.5) < 0.045


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("direction", ["out", "in"])
def test_known_vertices_are_scored_as_in_the_network_without_them(method, direction):
    directed = direction == "in"
    matrix, _ = draw(np.random.default_rng(1), 30, 200, directed=directed)
    model = method(3).fit(matrix)
    chosen = range(0, 200, 8)
    found = lp.infer.misfit(model, chosen, direction=direction).unexplained
    expected = []
    for vertex in chosen:
        rest = np.delete(np.arange(200), vertex)
        row = (matrix.T if directed else matrix)[[vertex]][:, rest]
        other = method(3).fit(matrix[rest][:, rest])
        expected.append(lp.infer.misfit(other, row, direction=direction).unexplained[0])
    assert np.corrcoef(found, expected)[0, 1] > 0.97
    assert abs(np.mean(found - expected)) < 0.15 * np.std(expected)


def test_an_aligned_embedding_has_the_same_scores():
    matrix, rows = draw(np.random.default_rng(2), 20, 200, 20)
    model = lp.AdjacencySpectralEmbedding(3).fit(matrix)
    turned = model.embedding_ @ np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    aligned = lp.AdjacencySpectralEmbedding(3, align_to=dict(enumerate(turned))).fit(matrix)
    assert abs(aligned.embedding_ - model.embedding_).max() > 0.1
    for vertices in (rows, range(9)):
        found = [lp.infer.misfit(fitted, vertices).scores for fitted in (model, aligned)]
        np.testing.assert_allclose(*found, rtol=1e-6)


def test_directed_and_weighted_networks():
    for weights in (None, lambda rng, p: rng.poisson(p).astype(float)):
        scores = []
        for seed in range(3):
            matrix, rows = draw(np.random.default_rng(seed), 40, directed=True, weights=weights)
            model = lp.AdjacencySpectralEmbedding(3).fit(matrix)
            scores.append(lp.infer.misfit(model, rows).scores)
            scores.append(lp.infer.misfit(model, range(300), direction="in").scores)
        # 1800 scores: the standard error of the share is 0.005, and of the standard deviation 0.017.
        assert abs((np.abs(np.concatenate(scores)) > 1.96).mean() - 0.05) < 0.02
        assert abs(np.concatenate(scores).std() - 1) < 0.07


def test_edges_that_no_position_explains():
    rng = np.random.default_rng(3)
    factors = np.minimum(rng.random(600) ** -0.5, 6)
    matrix = lp.random_dot_product_graph((0.16 * factors)[:, None], random_state=0).adjacency
    model = lp.AdjacencySpectralEmbedding(1).fit(matrix)
    random_edges = (rng.random((50, 600)) < 0.15).astype(float)
    found = lp.infer.misfit(model, random_edges)
    assert (found.scores > 2).mean() > 0.95
    # A hub whose estimated probabilities exceed 1 has a variance, too.
    assert np.isfinite(lp.infer.misfit(model, np.ones((1, 600))).scores).all()


def test_vertices_without_edges_and_copies():
    matrix, rows = draw(np.random.default_rng(4), 20, 200, 5)
    model = lp.AdjacencySpectralEmbedding(2).fit(matrix)
    found = lp.infer.misfit(model, sparse.vstack([rows, rows[:1], sparse.csr_array((1, 200))]))
    assert found.scores[5] == found.scores[0] == lp.infer.misfit(model, rows[:1]).scores[0]
    assert found.scores[6] == 0
    assert found.p_values[6] == 1


def test_names_tables_and_html():
    graph = lp.from_edges(*np.array([(f"v{i}", f"v{j}") for i in range(30) for j in range(i) if (i * j) % 7]).T)
    model = lp.AdjacencySpectralEmbedding(2).fit(graph)
    found = lp.infer.misfit(model, {"<b>": ["v1", "v2", "v9"], "c": ["v3"]})
    assert list(found.table()["name"]) == ["<b>", "c"]
    assert found.table(backend="polars").columns == ["name", "unexplained", "score", "p_value", "q_value"]
    assert "&lt;b&gt;" in found._repr_html_()
    assert "Misfit(2 vertices" in repr(found)
    assert list(lp.infer.misfit(model, "v3").names) == ["v3"]


def test_refused():
    matrix, rows = draw(np.random.default_rng(5), 20, 100, 5)
    model = lp.AdjacencySpectralEmbedding(2).fit(matrix)
    check_refused_embeddings(lp.infer.misfit, matrix, rows)
    with pytest.raises(ArgumentError, match="direction"):
        lp.infer.misfit(model, rows, direction="in")
    with pytest.raises(UnknownVertexError):
        lp.infer.misfit(model, [3, 400])
    with pytest.raises(lp.errors.LpgraphError):
        lp.infer.misfit(model, np.full((1, 100), np.nan))
