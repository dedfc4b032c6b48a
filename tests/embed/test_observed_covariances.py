"""Covariances of positions with unobserved pairs: limits, coverage, forms of the input, and what is refused."""

import numpy as np
import pytest
from scipy import stats

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.linalg.packed import unpacked

BLOCKS = np.array([[0.5, 0.1], [0.1, 0.4]])


def two_blocks(seed, n=240, *, directed=False, blocks=BLOCKS):
    graph = lp.stochastic_block_model([n // 2, n // 2], blocks, directed=directed, random_state=seed)
    return lp.as_adjacency(graph.adjacency, directed=directed)


def hidden_pairs(kind, n, seed):
    """Return 30 % of the pairs, or those between two thirds of the vertices."""
    rng = np.random.default_rng(seed)
    if kind == "random":
        upper = np.triu(rng.random((n, n)) < 0.3, 1)
    else:
        upper = np.zeros((n, n), dtype=bool)
        first, second, _ = np.array_split(rng.permutation(n), 3)
        upper[np.ix_(first, second)] = True
    return upper | upper.T


@pytest.mark.parametrize("directed", [False, True])
def test_few_unobserved_pairs_change_little(directed):
    graph, directions = two_blocks(0, directed=directed), ("out", "in") if directed else ("out",)
    known = lp.AdjacencySpectralEmbedding(2).fit(graph)
    model = lp.AdjacencySpectralEmbedding(2, unobserved=[(0, 1)]).fit(graph)
    for direction in directions:
        found = np.linalg.det(model.covariances(range(240), direction=direction))
        # The feedback is approximated in other ways.
        np.testing.assert_allclose(
            found, np.linalg.det(known.covariances(range(240), direction=direction)), rtol=0.05
        )
        np.testing.assert_allclose(found, np.linalg.det(unpacked(model.covariances(direction=direction))))


def test_observed_and_unobserved_pairs_say_the_same():
    graph, hidden = two_blocks(1), hidden_pairs("random", 240, 0)
    models = [lp.AdjacencySpectralEmbedding(2, **mask) for mask in ({"observed": ~hidden}, {"unobserved": hidden})]
    found, same = (model.fit(graph).covariances() for model in models)
    np.testing.assert_allclose(found, same, rtol=1e-5)
    # The covariance of a vertex with half of its pairs is about twice that of one with all.
    more = hidden.copy()
    more[0, 1::2] = more[1::2, 0] = True
    again = models[1].set_params(unobserved=more).fit(graph).covariances([0])[0]
    assert 1.3 < np.sqrt(np.linalg.det(again) / np.linalg.det(unpacked(found[:1])[0])) < 2


@pytest.mark.parametrize("kind", ["random", "block"])
@pytest.mark.parametrize("directed", [False, True])
def test_regions_contain_the_true_positions(kind, directed):
    # Mean degrees of 36 to 49 for 600 vertices, of which 0.7 or 0.78 are observed.
    limit, values = stats.chi2(2).ppf(0.95), np.linalg.eigh(BLOCKS)
    truth = np.repeat(values[1] * np.sqrt(np.abs(values[0])), 300, axis=0)
    found = []
    for seed in range(3):
        hidden = hidden_pairs(kind, 600, seed)
        model = lp.AdjacencySpectralEmbedding(2, unobserved=hidden)
        model.fit(two_blocks(seed, 600, directed=directed, blocks=BLOCKS / 4))
        for direction in ("out", "in") if directed else ("out",):
            estimate = model.embedding_in_ if direction == "in" else model.embedding_
            offset = estimate - truth @ np.linalg.lstsq(truth, estimate, rcond=None)[0]
            solved = np.linalg.solve(model.covariances(range(600), direction=direction), offset[:, :, None])
            found.append(((offset * solved[:, :, 0]).sum(axis=1) <= limit).mean())
    # 1800 or more regions: three binomial standard errors are 0.015, and those of a network share its noise.
    assert 0.92 < np.mean(found) < 0.975


def test_covariances_turn_with_the_alignment_and_are_saved(tmp_path):
    hidden = hidden_pairs("block", 240, 3)
    earlier = lp.AdjacencySpectralEmbedding(2).fit(two_blocks(5))
    graph = two_blocks(6)
    plain = lp.AdjacencySpectralEmbedding(2, unobserved=hidden).fit(graph)
    model = lp.AdjacencySpectralEmbedding(align_to=earlier, unobserved=hidden).fit(graph)
    turn = model.alignment_.rotation
    expected = turn.T @ plain.covariances(range(5)) @ turn
    np.testing.assert_allclose(model.covariances(range(5)), expected, rtol=1e-4, atol=1e-8)
    lp.save(model, tmp_path / "model.lpg")
    np.testing.assert_array_equal(lp.load(tmp_path / "model.lpg").covariances(), model.covariances())


def test_hubs_and_vertices_with_one_observed_pair_have_definite_covariances():
    rng = np.random.default_rng(0)
    factors = rng.pareto(1.5, 200) + 0.3
    p = np.minimum(np.outer(factors, factors) * 0.15, 0.95)
    arcs = (rng.random((200, 200)) < p) * 1.0
    hidden = rng.random((200, 200)) < 0.3
    hidden[3] = True
    hidden[3, 7] = False
    np.fill_diagonal(arcs, 0)
    model = lp.AdjacencySpectralEmbedding(3, unobserved=hidden).fit(lp.as_adjacency(arcs, directed=True))
    for direction in ("out", "in"):
        assert np.linalg.eigvalsh(model.covariances(range(200), direction=direction)).min() > 0


def test_wrong_uses_are_refused():
    graph, hidden = two_blocks(7), hidden_pairs("random", 240, 4)
    model = lp.AdjacencySpectralEmbedding(2, unobserved=hidden).fit(graph)
    with pytest.raises(ArgumentError, match="changed after the fit"):
        model.set_params(unobserved=[(0, 1)]).covariances()
    weighted = lp.AdjacencySpectralEmbedding(2, unobserved=hidden).fit(2.5 * graph.matrix)
    with pytest.raises(ArgumentError, match="weighted"):
        weighted.covariances()
