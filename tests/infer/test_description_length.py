"""Description lengths and refinement, against sums over all pairs of vertices."""

from math import comb, lgamma, log

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.infer.block_partition import BlockPartition, EdgeRates, refined
from lpgraph.infer.description_length import description_length


def log_likelihood(matrix, rates, labels):
    """Return the Poisson log-likelihood of all pairs, up to terms that do not depend on the rates."""
    degrees = matrix.sum(axis=1)
    mean = np.multiply.outer(degrees, degrees) / matrix.sum() * rates[labels][:, labels]
    return 0.5 * (matrix * np.log(mean)).sum() - 0.5 * mean.sum()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_length_is_likelihood_and_partition(k):
    matrix = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None, dtype=float, format="csr")
    dense, n, m = matrix.toarray(), 34, 78
    labels = np.arange(n) % k
    degrees = dense.sum(axis=1)
    ends = np.array([[dense[labels == a][:, labels == b].sum() for b in range(k)] for a in range(k)])
    sums = np.array([degrees[labels == a].sum() for a in range(k)])
    expected = np.multiply.outer(sums, sums) / (2 * m)
    same = np.eye(k, dtype=bool)
    rates = np.where(same, ends[same].sum() / expected[same].sum(), ends[~same].sum() / expected[~same].sum())
    nothing = log_likelihood(dense, np.ones((k, k)), labels)
    sizes = np.bincount(labels)
    partition = lgamma(n + 1) - sum(lgamma(size + 1) for size in sizes) + log(comb(n - 1, k - 1))
    found = description_length([matrix], labels, k)
    assert found.planted == pytest.approx(partition + log(m + 1) + nothing - log_likelihood(dense, rates, labels))
    rates = np.where(ends > 0, ends, 1e-300) / expected
    pairs = k * (k + 1) // 2
    length = partition + log(comb(m + pairs - 1, pairs - 1))
    assert found.blocks == pytest.approx(length + nothing - log_likelihood(dense, rates, labels))


def test_one_cluster_and_scale_of_weights():
    matrix = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None, dtype=float, format="csr")
    assert description_length([matrix], np.zeros(34, dtype=int), 1).planted == 0
    labels = np.arange(34) % 2
    one, other = description_length([matrix], labels, 2), description_length([1e-3 * matrix], labels, 2)
    assert other.planted == pytest.approx(one.planted, rel=1e-12)


@pytest.mark.parametrize("within", [0.4, 0.01])
def test_refinement_corrects_wrong_clusters(within):
    p = np.full((3, 3), 0.15) + (within - 0.15) * np.eye(3)
    graph = lp.stochastic_block_model([100, 100, 100], p, random_state=0)
    rng = np.random.default_rng(0)
    start = np.where(rng.random(300) < 0.25, rng.integers(0, 3, 300), graph.labels)
    layers = [graph.adjacency, sparse.csr_array((300, 300))]
    found = refined(layers, start, planted=False)
    assert (start == graph.labels).mean() < 0.9
    overlap = sparse.coo_array((np.ones(300), (graph.labels, found))).toarray()
    assert overlap.max(axis=1).sum() / 300 > 0.95
    # No vertex has a larger likelihood elsewhere.
    rates = BlockPartition.of(layers, found, np.zeros(3, dtype=int), np.array([False])).rates.toarray()
    dense = graph.adjacency.toarray()
    base = log_likelihood(dense, rates, found)
    for v in range(0, 300, 37):
        for other in range(3):
            moved = found.copy()
            moved[v] = other
            # The pair (v, v), whose mean is not 0 here, is not a pair of vertices.
            own = 0.5 * (dense[v].sum() ** 2 / dense.sum()) * np.ptp(np.diag(rates))
            assert log_likelihood(dense, rates, moved) <= base + own + 1e-9


def test_rates_of_two_components_are_those_of_edges_and_degrees():
    matrix = nx.to_scipy_sparse_array(nx.disjoint_union(nx.barbell_graph(5, 0), nx.cycle_graph(4)), format="csr")
    labels, components = np.repeat([0, 1, 2], [5, 5, 4]), np.array([0, 0, 1])
    blocks = EdgeRates.of(matrix, labels, components, np.array([False, False]))
    planted = EdgeRates.of(matrix, labels, components, np.array([True, True]))
    # Degrees 21, 21 and 8 of 50; half an edge is added to the found and the expected ones.
    inside, between, cycle = 20.5 / (21 * 21 / 50 + 0.5), 1.5 / (21 * 21 / 50 + 0.5), 8.5 / (64 / 50 + 0.5)
    expected = [[inside, between, 0], [between, inside, 0], [0, 0, cycle]]
    assert np.allclose(blocks.rates.toarray(), expected)
    inside, between = 40.5 / (2 * 21 * 21 / 50 + 0.5), 2.5 / (2 * 21 * 21 / 50 + 0.5)
    assert np.allclose(planted.rates.toarray(), [[inside, between, 0], [between, inside, 0], [0, 0, cycle]])
    assert planted.elsewhere == pytest.approx(0.5 / (2 * 42 * 8 / 50 + 0.5))


def test_lengths_of_positive_and_negative_edges_add_up():
    matrix = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None, dtype=float, format="csr")
    labels, other = np.arange(34) % 2, sparse.csr_array(matrix[::-1][:, ::-1])
    one, two = description_length([matrix], labels, 2), description_length([other], labels, 2)
    both, none = description_length([matrix, other], labels, 2), sparse.csr_array((34, 34))
    partition = log(comb(34, 17)) + log(33)
    assert both.planted == pytest.approx(one.planted + two.planted - partition)
    assert both.blocks == pytest.approx(one.blocks + two.blocks - partition)
    assert description_length([none, other], labels, 2).planted == pytest.approx(two.planted)


def test_clusters_are_numbered_by_size():
    graph = lp.stochastic_block_model([60, 90], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    found = refined([graph.adjacency], np.where(graph.labels == 0, 2, 5), planted=True)
    assert np.array_equal(found, 1 - graph.labels)
