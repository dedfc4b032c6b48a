from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import lpgraph as lp
from lpgraph.errors import ProbabilityError

K, P = lp.kernels, lp.positions
MODEL = lp.LatentPositionModel(K.Gaussian(1.0), P.GaussianMixture([[1, 1], [-1, -1]], 1.0), sparsity=0.5)


def test_seeds_reproduce_graph_and_new_vertices():
    one, two, other = (MODEL.sample(100, random_state=seed) for seed in (3, 3, 4))
    assert (one.adjacency != two.adjacency).nnz == 0
    assert (one.positions == two.positions).all()
    assert (one.adjacency != other.adjacency).nnz > 0
    new, again = (graph.new_vertices(20, random_state=5) for graph in (one, two))
    assert (new.adjacency != again.adjacency).nnz == 0
    assert (new.among != again.among).nnz == 0
    generator = np.random.default_rng(3)
    first = MODEL.sample(100, random_state=generator)
    assert (first.adjacency != one.adjacency).nnz == 0
    assert (MODEL.sample(100, random_state=generator).positions != first.positions).all()


@pytest.mark.parametrize("directed", [False, True])
def test_new_vertices_have_their_probabilities(directed):
    # the columns of chi-square sums over 25 groups of cells: p-values of 3 matrices, each above 1e-5
    asymmetric = np.array([[0.8, 0.3], [0.1, 0.5]]) if directed else np.array([[0.8, 0.2], [0.2, 0.5]])
    model = lp.LatentPositionModel(K.BlockMatrix(asymmetric), P.BlockLabels([60, 40]), directed=directed)
    graph = model.sample(random_state=0)
    at, rng, repetitions = np.repeat([0, 1], [10, 15]), np.random.default_rng(1), 20
    sums = [0, 0, 0]
    for _ in range(repetitions):
        new = graph.new_vertices(random_state=rng, positions=at)
        assert (new.adjacency_in is None) == (not directed)
        inward = new.adjacency if new.adjacency_in is None else new.adjacency_in
        for k, part in enumerate((new.adjacency, inward, new.among)):
            sums[k] = sums[k] + part.toarray()
        assert not new.among.toarray().diagonal().any()
        if not directed:
            assert (new.among != new.among.T).nnz == 0
    z, w = at, graph.labels
    expected = asymmetric[np.ix_(z, w)], asymmetric.T[np.ix_(z, w)], asymmetric[np.ix_(z, z)]
    keep = np.ones((25, 100), bool), np.ones((25, 100), bool), ~np.eye(25, dtype=bool)
    if not directed:
        keep = keep[0], keep[1], np.triu(keep[2], 1)
    for total, p, cells in zip(sums, expected, keep, strict=True):
        statistic = 0.0
        for value in np.unique(p[cells]):
            for group in np.array_split(rng.permutation(np.flatnonzero((p == value) & cells)), 5):
                mean = repetitions * value * len(group)
                statistic += (total.ravel()[group].sum() - mean) ** 2 / (mean * (1 - value))
        assert stats.chi2.sf(statistic, 5 * len(np.unique(p[cells]))) > 1e-5


def test_new_vertices_take_the_rows_that_follow():
    rows = np.linspace(0.1, 0.9, 10)
    model = lp.LatentPositionModel(K.DotProduct(), rows)
    graph = model.sample(6, random_state=0)
    new = graph.new_vertices(3, random_state=1)
    assert new.positions.ravel().tolist() == rows[6:9].tolist()
    assert new.adjacency.shape == (3, 6)
    assert set(model.sample(random_state=0).new_vertices(50, random_state=1).positions.ravel()) <= set(rows)


def test_probabilities_keep_the_kernel_on_the_diagonal():
    model = lp.LatentPositionModel(K.DotProduct(), [[2.0], [0.4]], sparsity=0.5)
    np.testing.assert_allclose(model.probabilities([[2.0], [0.4]]), [[2.0, 0.4], [0.4, 0.08]])
    np.testing.assert_allclose(model.probabilities([1.0], [0.1, 0.2]), [[0.05, 0.1]])
    with pytest.raises(ProbabilityError, match=r"pair \(0, 0\).* is 2"):
        model.probabilities([2.0], [2.0])


@pytest.mark.parametrize("directed", [False, True])
def test_conversions(directed):
    graph = lp.stochastic_block_model([6, 5], [[0.7, 0.2], [0.2, 0.7]], directed=directed, random_state=0)
    nx_graph, ig = graph.to_networkx(), graph.to_igraph()
    assert nx_graph.is_directed() == ig.is_directed() == directed
    import networkx as nx

    assert (nx.to_numpy_array(nx_graph, nodelist=range(11)) == graph.adjacency.toarray()).all()
    assert (np.array(list(ig.get_adjacency())) == graph.adjacency.toarray()).all()
    assert nx_graph.nodes[10] == {"position": (1.0,), "label": 1}
    assert ig.vs[10].attributes() == {"position": (1.0,), "label": 1}
    assert "label" not in lp.erdos_renyi(3, 0.5, random_state=0).to_networkx().nodes[0]


def test_directed_functions_need_not_be_symmetric():
    graph = lp.LatentPositionModel(lambda x, y: (x < y.T) * 1.0, np.arange(5.0), directed=True).sample()
    assert (graph.adjacency.toarray() == np.triu(np.ones((5, 5)), 1)).all()
    new = graph.new_vertices(positions=[2.5])
    assert new.adjacency.toarray().tolist() == [[0, 0, 0, 1, 1]]
    assert new.adjacency_in.toarray().tolist() == [[1, 1, 1, 0, 0]]
