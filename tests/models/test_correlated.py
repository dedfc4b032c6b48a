"""Pairs of graphs with correlated edges."""

import numpy as np
import pytest

import lpgraph as lp


@pytest.mark.parametrize("rho", [0.0, 0.4, 0.95, 1.0])
@pytest.mark.parametrize(("directed", "loops"), [(False, False), (True, False), (False, True), (True, True)])
def test_each_pair_has_its_probability_and_correlation(rho, directed, loops):
    # For each cell: A, B and AB over R samples have means p, p and p^2 + rho p (1 - p). Their sums over groups of
    # cells of the same p are compared; 16 x 9 z values exceed 5.2 with probability 3e-5.
    n, repetitions = 25, 60
    choices = np.array([0.3, 0.5, 0.7])
    matrix = np.random.default_rng(1).choice(choices, (n, n))
    matrix = np.triu(matrix) + np.triu(matrix, 1).T
    model = lp.LatentPositionModel(lp.kernels.BlockMatrix(matrix), np.arange(n), directed=directed, loops=loops)
    allowed = np.ones((n, n)) if loops else 1 - np.eye(n)
    where = np.nonzero(allowed if directed else np.triu(allowed))
    p = matrix[where]
    sums = np.zeros((3, len(p)))
    for seed in range(repetitions):
        graphs = [graph.adjacency for graph in model.sample_pair(rho, random_state=seed)]
        for graph in graphs:
            assert graph.has_canonical_format
            assert set(graph.data) == {1.0}
            assert directed or (graph != graph.T).nnz == 0
            assert loops or not graph.diagonal().any()
        a, b = (graph.toarray()[where] for graph in graphs)
        sums += [a, b, a * b]
    for value in choices:
        group = p == value
        both = value**2 + rho * value * (1 - value)
        for total, mean in zip(sums[:, group].sum(axis=1), (value, value, both), strict=True):
            count = repetitions * group.sum()
            assert abs(total - count * mean) < 5.2 * np.sqrt(count * mean * (1 - mean)) + 1e-9
    if rho == 1:
        assert (sums[0] == sums[2]).all()


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
