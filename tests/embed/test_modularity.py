"""Modularity embedding against the matrix itself."""

import networkx as nx
import numpy as np
import pytest
from networks import connected

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError


@pytest.mark.parametrize(("n", "solver"), [(80, "auto"), (80, "lanczos"), (700, "auto")])
@pytest.mark.parametrize("which", ["LM", "LA"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_eigenpairs_are_those_of_the_modularity_matrix(n, solver, which, weighted):
    A = connected(n, 8, 1, weighted=weighted)
    model = lp.ModularityEmbedding(3, which=which, solver=solver, tol=1e-9).fit(A)
    B = nx.modularity_matrix(nx.from_scipy_sparse_array(A), weight="weight")
    values, vectors = np.linalg.eigh(np.asarray(B))
    order = np.argsort(-np.abs(values) if which == "LM" else -values)[:3]
    assert np.allclose(model.eigenvalues_, values[order], rtol=1e-9)
    assert np.allclose(
        np.abs(model.embedding_), np.abs(vectors[:, order] * np.sqrt(np.abs(values[order]))), atol=1e-5
    )
    assert np.allclose(model.transform(A), model.embedding_, atol=1e-12 * np.abs(values).max())


def test_new_vertices_are_placed_by_nystroms_formula():
    A = connected(60, 6, 2).toarray()
    model = lp.ModularityEmbedding(2).fit(A)
    row = np.zeros((2, 60))
    row[0, [0, 5, 9]] = 1.0
    row[1, 3] = 2.0
    k = A.sum(axis=0)
    expected = (row - np.outer(row.sum(axis=1), k) / k.sum()) @ (model.embedding_ / model.eigenvalues_)
    assert np.allclose(model.transform(row), expected)
    assert np.allclose(model.transform({"a": [0, 5, 9], "none": []}), [expected[0], [0, 0]])


def test_a_planted_partition_is_its_sign():
    # Two blocks, 0.2 and 0.05 within and between: the second eigenvalue of the mean is 15, the noise below
    # 2 sqrt(25) = 10; of 200 vertices nearly all are on their side.
    graph = lp.stochastic_block_model([100, 100], [[0.2, 0.05], [0.05, 0.2]], random_state=0)
    side = lp.ModularityEmbedding(1, which="LA").fit(graph).embedding_[:, 0] > 0
    agreement = (side == (graph.labels == 0)).mean()
    assert max(agreement, 1 - agreement) > 0.95


def test_what_it_is_not_for_is_refused():
    with pytest.raises(GraphError, match="directed, and ModularityEmbedding is for undirected"):
        lp.ModularityEmbedding(1).fit(nx.DiGraph([(0, 1), (1, 2)]))
    with pytest.raises(GraphError, match="negative weights"):
        lp.ModularityEmbedding(1).fit([[0, -1.0], [-1.0, 0]])
    model = lp.ModularityEmbedding(1).fit(nx.karate_club_graph())
    with pytest.raises(ArgumentError, match="nothing to embed"):
        lp.ModularityEmbedding(1).fit(np.ones((5, 5)))
    with pytest.raises(ArgumentError, match='direction="in"'):
        model.transform({"new": [0]}, direction="in")


def test_complete_graphs_have_one_negative_eigenvalue_only():
    # B = J / n - I: the eigenvalue -1 on centred vectors, n - 1 times, and 0.
    model = lp.ModularityEmbedding(5).fit(nx.complete_graph(6))
    assert np.allclose(model.eigenvalues_, -1)
    with pytest.raises(ArgumentError, match="rank 5; pass n_components <= 5"):
        lp.ModularityEmbedding(6).fit(nx.complete_graph(6))
