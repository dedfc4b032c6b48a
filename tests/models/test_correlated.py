"""Pairs of graphs with correlated edges."""

from __future__ import annotations

import time

import numpy as np
import pytest

import lpgraph as lp

B = np.array([[0.5, 0.2], [0.2, 0.4]])


def cells(n, *, directed, loops):
    return (
        np.nonzero(np.ones((n, n)) if directed and loops else ~np.eye(n, dtype=bool))
        if directed
        else (np.triu_indices(n, 0 if loops else 1))
    )


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.4, 0.95, 1.0])
@pytest.mark.parametrize(("directed", "loops"), [(False, False), (True, False), (False, True), (True, True)])
def test_each_pair_has_its_probability_and_correlation(rho, directed, loops):
    # For each cell: A, B and AB over R samples have means p, p and p^2 + rho p (1 - p). Their sums over groups of
    # cells of the same p are compared; 24 x 9 z values exceed 5.2 with probability 4e-5.
    n, repetitions = 25, 60
    rng = np.random.default_rng(1)
    # -0.9 needs p within [0.48, 0.52]
    choices = np.array([0.48, 0.5, 0.52]) if rho < -0.5 else np.array([0.3, 0.5, 0.7])
    matrix = rng.choice(choices, (n, n))
    matrix = np.triu(matrix) + np.triu(matrix, 1).T
    model = lp.LatentPositionModel(lp.kernels.BlockMatrix(matrix), np.arange(n), directed=directed, loops=loops)
    where = cells(n, directed=directed, loops=loops)
    p = matrix[where]
    sums = np.zeros((3, len(p)))
    for seed in range(repetitions):
        graphs = [graph.adjacency for graph in model.sample_pair(rho, random_state=seed)]
        dense = [graph.toarray() for graph in graphs]
        for graph, a in zip(graphs, dense, strict=True):
            assert graph.has_canonical_format
            assert set(graph.data) == {1.0}
            assert directed or (a == a.T).all()
            assert loops or not a.diagonal().any()
        a, b = (matrix[where] for matrix in dense)
        sums += [a, b, a * b]
    for value in choices:
        group = p == value
        both = value**2 + rho * value * (1 - value)
        for total, mean in zip(sums[:, group].sum(axis=1), (value, value, both), strict=True):
            count = repetitions * group.sum()
            assert abs(total - count * mean) < 5.2 * np.sqrt(count * mean * (1 - mean)) + 1e-9
    if rho == 1:
        assert (sums[0] == sums[2]).all()


@pytest.mark.slow
def test_cells_of_different_pairs_are_independent():
    # 6 pairs of vertices in two graphs: 12 entries, whose correlations are 0 except within a pair. With R samples
    # an estimate is about N(0, 1 / R); the largest of 60 passes 4.5 standard errors with probability 4e-4.
    repetitions, upper = 2000, np.triu_indices(4, 1)
    rows = []
    for seed in range(repetitions):
        pair = lp.correlated_erdos_renyi(4, 0.4, 0.5, random_state=seed)
        rows.append(np.concatenate([graph.adjacency.toarray()[upper] for graph in pair]))
    found = np.corrcoef(np.array(rows).T)
    wanted = np.eye(12) + 0.5 * (np.eye(12, k=6) + np.eye(12, k=-6))
    assert np.abs(found - wanted)[wanted == 0].max() < 4.5 / np.sqrt(repetitions)
    assert np.abs(found - wanted)[wanted == 0.5].max() < 4.5 / np.sqrt(repetitions)


def test_named_pairs_are_pairs_of_the_models():
    x = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    models = {
        lambda: lp.correlated_erdos_renyi(60, 0.2, 0.3, random_state=1): lp.LatentPositionModel(
            lp.kernels.BlockMatrix([[0.2]]), np.zeros(60)
        ),
        lambda: lp.correlated_block_model([30, 30], B, 0.3, random_state=1): lp.LatentPositionModel(
            lp.kernels.BlockMatrix(B), lp.positions.BlockLabels([30, 30])
        ),
        lambda: lp.correlated_random_dot_product_graph(x, 0.3, random_state=1): lp.LatentPositionModel(
            lp.kernels.DotProduct(), x
        ),
    }
    for make, model in models.items():
        for found, expected in zip(make(), model.sample_pair(0.3, random_state=1), strict=True):
            assert (found.adjacency != expected.adjacency).nnz == 0
    assert lp.correlated_block_model([30, 30], B, 0.3).second.labels.tolist() == [0] * 30 + [1] * 30


def test_a_function_as_kernel_and_weights():
    x = np.random.default_rng(0).normal(size=(200, 2))
    function = lp.LatentPositionModel(
        lambda a, b: 0.5 * lp.kernels.Gaussian(1.0)(a, b), x, edge_weights=lp.weights.Normal(3, 0.5)
    )
    first, second = function.sample_pair(0.8, random_state=0)
    p = 0.5 * lp.kernels.Gaussian(1.0)(x, x)[np.triu_indices(200, 1)]
    both = p**2 + 0.8 * p * (1 - p)
    common = first.adjacency.multiply(second.adjacency)
    assert abs(common.nnz / 2 - both.sum()) < 5 * np.sqrt((both * (1 - both)).sum())
    i, j = common.nonzero()
    assert not (np.asarray(first.adjacency[i, j]) == np.asarray(second.adjacency[i, j])).any()


def test_time_is_that_of_the_edges():
    # 2e5 vertices and 1e6 edges: 2e10 pairs, which no machine visits in 30 seconds here
    began = time.perf_counter()
    first, second = lp.correlated_block_model([10**5, 10**5], [[8e-5, 2e-5], [2e-5, 8e-5]], 0.5, random_state=0)
    assert time.perf_counter() - began < 30
    # edges 1e6 +- 1e3, and half of them common: 5e5 +- 7e2
    assert abs(second.n_edges - 1e6) < 5e3
    common = first.adjacency.multiply(second.adjacency).nnz / 2
    assert abs(common - 5e5) < 4e3


def test_the_lowest_correlation_is_accepted_and_impossible_edges_are_exempt():
    first, second = lp.correlated_block_model([40, 40], [[0.5, 0.0], [0.0, 0.5]], -1.0, random_state=0)
    assert first.adjacency.multiply(second.adjacency).nnz == 0
    assert first.n_edges + second.n_edges == 40 * 39
    lp.correlated_erdos_renyi(9, 0.2, -0.25, random_state=0)
