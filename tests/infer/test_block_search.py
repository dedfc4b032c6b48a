"""Blocks of a block model, found by merging and moving."""

import itertools

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.infer.fit.block_path import Partition

CASES = list(itertools.product([False, True], [False, True]))


def example(directed, loops):
    rng = np.random.default_rng(1)
    B = rng.uniform(0.05, 0.6, (4, 4))
    B = B if directed else (B + B.T) / 2
    graph = lp.stochastic_block_model([9, 8, 7, 6], B, directed=directed, loops=loops, random_state=2)
    return lp.as_adjacency(graph), rng.integers(0, 5, 30)


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_the_criterion_is_that_of_the_fit(directed, loops):
    graph, labels = example(directed, loops)
    partition = Partition.of(graph, labels, loops)
    fit = lp.fit_block_model(graph, labels, loops=loops)
    sizes = partition.blocks.sizes
    found = -2 * (sizes * np.log(sizes / 30)).sum() + 4 * np.log(30)  # blocks that were found
    assert partition.criterion == pytest.approx(fit.bic + found)


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_the_cheapest_pair_is_merged(directed, loops):
    graph, labels = example(directed, loops)
    partition = Partition.of(graph, labels, loops)
    merged = {
        (a, b): Partition.of(graph, np.where(labels == b, a, labels), loops).criterion
        for a, b in itertools.combinations(range(5), 2)
    }
    assert partition.merged(4).criterion == pytest.approx(min(merged.values()))
    # The costs differ from the criterion by its terms of the number of blocks, which are those of all pairs.
    costs = partition._costs()
    differences = [2 * costs[pair] - value for pair, value in merged.items()]
    assert np.ptp(differences) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_moves_choose_the_block_of_largest_likelihood(directed, loops):
    graph, _ = example(directed, loops)
    labels = np.repeat([0, 1, 2, 3], [9, 8, 7, 6])
    labels[::7] = 0
    partition = Partition.of(graph, labels, loops)
    a, p = graph.matrix.toarray(), (partition.edges + 0.5) / (partition.pairs + 1)
    scores = np.tile(np.log(partition.blocks.sizes / 30), (30, 1))
    for i, k in itertools.product(range(30), range(4)):
        others = np.arange(30) != i
        for row, rates in [(a[i], p[k]), (a[:, i], p[:, k])][: 1 + directed]:
            q = rates[labels]
            scores[i, k] += np.where(row > 0, np.log(q), np.log1p(-q))[others].sum()
            if a[i, i]:  # a loop is an edge to the block that the vertex has
                scores[i, k] += np.log(q[i]) - np.log1p(-q[i])
    best = scores.argmax(axis=1)
    assert len(set(best)) == 4  # no block loses all its vertices
    assert not np.array_equal(best, labels)
    assert np.array_equal(partition.moved().blocks.codes, best)


def test_no_move_empties_a_block_and_none_makes_the_criterion_larger():
    graph = lp.as_adjacency(lp.erdos_renyi(60, 0.2, random_state=0))
    labels = np.random.default_rng(0).integers(0, 12, 60)
    partition = Partition.of(graph, labels, False)
    for _ in range(10):
        partition = partition.moved()
        assert partition.blocks.count == 12
    assert (
        Partition.of(graph, labels, False).improved(10).criterion <= Partition.of(graph, labels, False).criterion
    )


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_blocks_and_their_number_are_found(directed, seed):
    # Blocks differ by many standard deviations of the numbers of edges of a vertex.
    B = np.array([[0.3, 0.1, 0.2], [0.1, 0.1, 0.3], [0.2, 0.3, 0.05]])
    B = np.triu(B) + 0.5 * np.tril(B, -1) if directed else B
    graph = lp.stochastic_block_model([150, 100, 80], B, directed=directed, random_state=seed)
    fit = lp.fit_block_model(graph)
    assert adjusted_rand_score(graph.labels, fit.labels) > 0.97
    assert np.bincount(fit.labels).tolist() == sorted(np.bincount(fit.labels), reverse=True)
    assert fit.bic < lp.fit_erdos_renyi(graph).bic
    assert len(lp.fit_block_model(lp.erdos_renyi(200, 0.1, directed=directed, random_state=seed)).blocks) == 1


def test_many_blocks_are_found():
    # More than a third of the first path, which has 24.
    graph = lp.stochastic_block_model([40] * 15, 0.02 + 0.4 * np.eye(15), random_state=0)
    fit = lp.fit_block_model(graph)
    assert adjusted_rand_score(graph.labels, fit.labels) == 1


@pytest.mark.parametrize("n_blocks", [1, 2, 5, 9, 30])
def test_as_many_blocks_as_asked_for(n_blocks):
    graph = lp.stochastic_block_model([50, 50], [[0.3, 0.1], [0.1, 0.2]], random_state=0)
    assert len(lp.fit_block_model(graph, n_blocks=n_blocks).blocks) == n_blocks
    assert len(lp.fit_block_model(graph, n_blocks=[n_blocks, 40]).blocks) == n_blocks


def test_special_graphs():
    parts = nx.disjoint_union(nx.complete_graph(20), nx.complete_graph(30))
    parts.add_nodes_from(range(50, 60))
    labels = lp.fit_block_model(parts).labels
    assert labels.tolist() == [1] * 20 + [0] * 30 + [2] * 10
    assert len(lp.fit_block_model(nx.empty_graph(5)).blocks) == 1
    assert len(lp.fit_block_model(nx.path_graph(2)).blocks) == 1
    with pytest.raises(ArgumentError, match="n_blocks=4 but only 2 positions of vertices are distinct"):
        lp.fit_block_model(nx.complete_bipartite_graph(4, 5), n_blocks=4)
    with pytest.raises(ArgumentError, match="n_blocks is empty"):
        lp.fit_block_model(parts, n_blocks=[])


def test_the_seed_decides():
    graph = lp.stochastic_block_model([50, 50], [[0.3, 0.2], [0.2, 0.3]], random_state=0)
    one, other = (lp.fit_block_model(graph, n_blocks=6, random_state=7) for _ in range(2))
    assert np.array_equal(one.labels, other.labels)
