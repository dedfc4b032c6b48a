"""Loops, edge weights, rescaling and a given number of edges."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy import sparse, stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, ProbabilityError

K, W = lp.kernels, lp.weights
B = np.array([[0.6, 0.2], [0.2, 0.4]])
MEANS = np.array([[9.0, 2.0], [2.0, 5.0]])


@pytest.mark.parametrize("directed", [False, True])
def test_loops_have_the_probabilities_of_the_diagonal(case, directed):
    # 13 kernels x 2: the number of loops is a sum of independent Bernoulli variables; 5 standard deviations are
    # exceeded with probability 6e-7
    kernel, x, _ = case(80, np.random.default_rng(0))
    sparsity = 0.9 / max(0.9, kernel(x, x).max())
    model = lp.LatentPositionModel(kernel, x, sparsity=sparsity, directed=directed, loops=True)
    p = sparsity * kernel(x, x)
    assert np.allclose(model.probabilities(x), p)
    graphs = [model.sample(random_state=seed) for seed in range(60)]
    loops = sum(graph.adjacency.diagonal().sum() for graph in graphs)
    assert abs(loops - 60 * p.trace()) < 5 * np.sqrt(60 * (p * (1 - p)).trace())
    a = graphs[0].adjacency.toarray()
    assert graphs[0].adjacency.has_canonical_format
    assert graphs[0].n_edges == (a.sum() if directed else np.triu(a).sum())
    # the edges are those of the model without loops
    plain = lp.LatentPositionModel(kernel, x, sparsity=sparsity, directed=directed).sample(random_state=0)
    assert (plain.adjacency.toarray() == a - np.diag(a.diagonal())).all()


def test_a_loop_of_probability_above_one_is_refused():
    x = [[1.2], [0.5]]  # the pair has 0.6, the loop of vertex 0 1.44
    assert lp.random_dot_product_graph(x, random_state=0).n_vertices == 2
    y = [[0.7, 0.8], [0.7, -0.6]]  # the loop of vertex 0 would have -0.15
    assert lp.generalized_random_dot_product_graph(y, (1, 1), random_state=0).n_vertices == 2
    model = lp.LatentPositionModel(K.DotProduct(), x, loops=True)
    for call in (lambda: model.sample(random_state=0), lambda: model.probabilities(x)):
        with pytest.raises(ProbabilityError, match=r"pair \(0, 0\).*1\.44"):
            call()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("loops", [False, True])
def test_weights_of_blocks(directed, loops):
    weights = W.Normal(MEANS, [[1.0, 0.1], [0.1, 2.0]])
    options = {"edge_weights": weights, "directed": directed, "loops": loops, "random_state": 0}
    graph = lp.stochastic_block_model([150, 100], np.ones((2, 2)), **options)
    a = graph.adjacency.toarray()
    assert (a == a.T).all() == (not directed)
    assert a.diagonal().any() == loops
    for k, l, mean, std in (0, 0, 9, 1), (0, 1, 2, 0.1), (1, 1, 5, 2):
        block = a[np.ix_(graph.labels == k, graph.labels == l)]
        # all entries of a directed graph, or of a block between two groups; else one triangle
        every = block.ravel() if directed or k != l else block[np.triu_indices(len(block), 0 if loops else 1)]
        every = every[every != 0]
        # mean and standard deviation of m normal numbers: std / sqrt(m) and std / sqrt(2 m), five of these
        assert abs(every.mean() - mean) < 5 * std / np.sqrt(len(every))
        assert abs(every.std() - std) < 5 * std / np.sqrt(2 * len(every))
    # the edges are those without weights
    plain, drawn = (
        lp.stochastic_block_model([60, 40], B, **options | {"edge_weights": w}) for w in (None, weights)
    )
    assert ((drawn.adjacency != 0) != (plain.adjacency != 0)).nnz == 0
    assert (plain.weighted, drawn.weighted) == (False, True)


def test_poisson_weights_are_poisson_and_zeros_are_no_edges():
    # pairs that are certain edges have Poisson(1.5) entries: a chi-square test of the counts 0 ... 5 and more
    graph = lp.erdos_renyi(400, 1.0, edge_weights=W.Poisson(1.5), random_state=0)
    entries = graph.adjacency.toarray()[np.triu_indices(400, 1)]
    expected = len(entries) * np.append(stats.poisson.pmf(range(6), 1.5), stats.poisson.sf(5, 1.5))
    counts = np.bincount(np.minimum(entries.astype(int), 6), minlength=7)
    assert stats.chisquare(counts, expected).pvalue > 1e-4
    assert graph.n_edges == (entries > 0).sum() == graph.adjacency.nnz / 2


@pytest.mark.parametrize("kernel", [K.DotProduct(), lambda x, y: x @ y.T], ids=["kernel", "function"])
@pytest.mark.parametrize("directed", [False, True])
def test_a_weight_function_knows_its_edges(kernel, directed):
    x = np.random.default_rng(0).dirichlet([1, 1, 1], 60)

    def weights(edges, rng):
        assert np.allclose(edges.probabilities, (edges.x * edges.y).sum(axis=1))
        assert np.allclose(edges.x, edges.row_positions[edges.rows])
        return 1 + 1000.0 * edges.rows + edges.columns

    def check(matrix, turned=False):
        i, j = matrix.nonzero()
        assert (np.asarray(matrix[i, j]) == 1 + 1000 * (j if turned else i) + (i if turned else j)).all()

    graph = lp.LatentPositionModel(kernel, x, directed=directed, edge_weights=weights).sample(random_state=0)
    check(graph.adjacency if directed else sparse.triu(graph.adjacency).tocsr())
    assert directed or (graph.adjacency != graph.adjacency.T).nnz == 0
    new = graph.new_vertices(7, random_state=1)
    check(new.adjacency)
    if directed:
        check(new.adjacency_in, turned=True)


def test_new_vertices_have_weights_of_their_blocks():
    weights = W.Normal([[10.0, -10.0], [-10.0, 20.0]], 0.1)
    graph = lp.stochastic_block_model([30, 30], np.full((2, 2), 0.5), edge_weights=weights, random_state=0)
    new = graph.new_vertices(30, random_state=1)
    for matrix, ends in (new.adjacency, graph.labels), (new.among, new.labels):
        i, j = matrix.nonzero()
        wanted = np.asarray(weights.mean)[new.labels[i], ends[j]]
        assert np.abs(np.asarray(matrix[i, j]) - wanted).max() < 1
    with pytest.raises(ArgumentError, match="labels"):
        graph.new_vertices(positions=[[0.0]])


def test_the_same_seed_at_any_number_of_threads(monkeypatch):
    def make():
        options = {"edge_weights": W.Poisson(MEANS), "loops": True, "random_state": 5}
        graph = lp.stochastic_block_model([3000, 2000], B / 4, **options)
        pair = graph.model.sample_pair(0.5, random_state=5)
        few = lp.erdos_renyi(2000, n_edges=10**5, **{**options, "edge_weights": W.Poisson(3)})
        return [g.adjacency for g in (graph, *pair, few)]

    made = []
    for threads in "1", "4":
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        made.append(make())
    for a, b in zip(*made, strict=True):
        assert (a.indices == b.indices).all()
        assert (a.data == b.data).all()


@pytest.mark.parametrize(("directed", "loops"), [*itertools.product([False, True], repeat=2)])
def test_a_number_of_edges_reaches_every_pair(directed, loops):
    for n in (1, 2, 3, 5):
        pairs = n * (n - 1) // (1 if directed else 2) + n * loops
        for m in range(pairs + 1):
            graph = lp.erdos_renyi(n, n_edges=m, directed=directed, loops=loops, random_state=m)
            a = graph.adjacency.toarray()
            assert graph.n_edges == m
            assert loops or not a.diagonal().any()
            assert directed or (a == a.T).all()
            assert set(graph.adjacency.data) <= {1.0}


@pytest.mark.parametrize("m", [2, 3, 7])
@pytest.mark.parametrize(("directed", "n", "cells"), [(True, 3, 9), (False, 4, 10)])
def test_sets_of_edges_are_equally_likely(m, directed, n, cells):
    # m = 7 goes by the complement
    rng, draws = np.random.default_rng(1), 4000
    seen = Counter()
    for _ in range(draws):
        graph = lp.erdos_renyi(n, n_edges=m, directed=directed, loops=True, random_state=rng)
        a = graph.adjacency.toarray()
        seen[tuple((a if directed else np.triu(a)).ravel())] += 1
    unseen, each = math.comb(cells, m) - len(seen), draws / math.comb(cells, m)
    assert unseen >= 0
    squares = sum((count - each) ** 2 for count in seen.values()) + unseen * each**2
    # the statistic is chi-square; six p-values below 1e-5 have probability 6e-5
    assert stats.chi2.sf(squares / each, math.comb(cells, m) - 1) > 1e-5
