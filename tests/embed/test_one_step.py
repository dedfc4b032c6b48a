"""The one-step estimator against its formula, and against the bound of its theory."""

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError, NotFittedError, UnknownVertexError

KARATE = nx.relabel_nodes(nx.karate_club_graph(), {i: f"m{i}" for i in range(34)})
for *_, edge in KARATE.edges(data=True):
    edge.clear()

BLOCKS = {"assortative": [[0.8, 0.35], [0.35, 0.6]], "disassortative": [[0.3, 0.7], [0.7, 0.4]]}


@pytest.mark.parametrize("kind", BLOCKS)
def test_the_step_is_the_papers(kind):
    graph = lp.stochastic_block_model([200, 200], BLOCKS[kind], random_state=0)
    A = graph.adjacency.toarray()
    first, model = lp.AdjacencySpectralEmbedding(2).fit(A), lp.OneStepEmbedding(2).fit(A)
    X, W = first.embedding_, first.embedding_ * first.signature_
    P, degrees = X @ W.T, A.sum(axis=1)
    product = np.outer(degrees, degrees) / degrees.sum()
    least = 0.1 * np.minimum(product, 1 - product)
    bounded = np.clip(P, least, 1 - least)
    assert (bounded != P).mean() < 0.01
    for i in range(400):
        weights = 1 / (bounded[i] * (1 - bounded[i]))
        information = (W.T * weights) @ W
        expected = X[i] + np.linalg.solve(information, W.T @ (weights * (A[i] - P[i])))
        assert np.allclose(model.embedding_[i], expected, atol=1e-10)
    assert np.array_equal(model.signature_, first.signature_)
    assert np.array_equal(model.eigenvalues_, first.eigenvalues_)


def test_the_covariance_is_the_inverse_information():
    model = lp.OneStepEmbedding(2).fit(
        lp.stochastic_block_model([50, 50], BLOCKS["disassortative"], random_state=0)
    )
    found, packed = model.covariances([3, 99]), model.covariances()
    W = lp.AdjacencySpectralEmbedding(2).fit(model.graph_).embedding_ * model.signature_
    for covariance, i in zip(found, (3, 99), strict=True):
        p = W @ model.embedding_[i]
        assert np.allclose(np.linalg.inv(covariance), (W.T / (p * (1 - p))) @ W, rtol=1e-6)
        assert np.allclose(packed[i], covariance[np.triu_indices(2)], rtol=1e-12)


def test_training_rows_get_their_positions_in_any_batch():
    graph = lp.stochastic_block_model([150, 150], [[0.3, 0.02], [0.02, 0.2]], random_state=1)
    model = lp.OneStepEmbedding().fit(graph)
    assert model.dimension_choice_.n_components == 2
    placed = model.transform(graph.adjacency)
    assert np.allclose(placed, model.embedding_, atol=1e-12)
    assert np.array_equal(model.transform(graph.adjacency[[7]])[0], placed[7])
    assert np.array_equal(model.transform(graph.adjacency.toarray()[[299, 7]]), placed[[299, 7]])
    assert np.array_equal(lp.OutOfSample(model).transform(graph.adjacency), placed)


def test_edges_that_seem_impossible_do_not_take_all_the_weight():
    # Without a bound relative to the degrees, p = x' w below 0 would be cut to a tiny number, with a huge weight.
    X = np.random.default_rng(0).dirichlet([1, 1, 1], 500) * np.sqrt(0.9)
    graph = lp.random_dot_product_graph(X, random_state=0)
    ase, model = lp.AdjacencySpectralEmbedding(3).fit(graph), lp.OneStepEmbedding(3).fit(graph)
    assert (ase.embedding_ @ ase.embedding_.T).min() < 0
    assert np.isfinite(model.embedding_).all()
    assert np.linalg.norm(model.embedding_ - ase.embedding_, axis=1).max() < 0.5


def relative_errors(X, seeds):
    """Squared errors of both embeddings over the bound, and the share of 95 % regions that contain the truth."""
    n, d = X.shape
    P = X @ X.T
    weights = 1 / (P * (1 - P))
    information = np.einsum("ij,jk,jl->ikl", weights, X, X, optimize=True)
    bound = np.trace(np.linalg.inv(information), axis1=1, axis2=2).mean()
    found = []
    for seed in seeds:
        graph = lp.random_dot_product_graph(X, random_state=seed)
        row = []
        for kind in (lp.AdjacencySpectralEmbedding, lp.OneStepEmbedding):
            model = kind(d).fit(graph)
            turn = lp.procrustes(X, model.embedding_)
            errors = model.embedding_ - X @ turn
            row.append((errors**2).sum(axis=1).mean() / bound)
        covariances = model.covariances(range(n))
        distances = (errors * np.linalg.solve(covariances, errors[:, :, None])[:, :, 0]).sum(axis=1)
        found.append([*row, (distances <= 5.991).mean()])  # the 95 % quantile of chi-squared for d = 2
    return np.mean(found, axis=0)


def test_the_error_attains_the_bound():
    # Two groups with degrees that differ by a factor of 4. The relative error of the mean square of 2 x 800
    # coordinates is sqrt(2 / 1600) = 0.035, of three networks 0.02; the next term of the theory is of the order
    # d / (n p) = 0.01. The coverage has a standard error of sqrt(0.05 x 0.95 / 2400) = 0.0045.
    weights = np.random.default_rng(1).uniform(0.25, 1, 800)
    X = weights[:, None] * np.repeat([[0.95, 0.15], [0.15, 0.95]], 400, axis=0)
    ase, one_step, coverage = relative_errors(X, range(3))
    assert one_step < 1.1
    assert one_step < 0.97 * ase
    assert abs(coverage - 0.95) < 0.02


def test_saved_and_aligned(tmp_path):
    model = lp.OneStepEmbedding(2).fit(KARATE)
    new = {"a": ["m0", "m1", "m2"], "alone": []}
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    assert np.array_equal(loaded.transform(new), model.transform(new))
    assert np.array_equal(loaded.covariances(["m5"]), model.covariances(["m5"]))
    changed = KARATE.copy()
    changed.remove_edges_from([("m33", f"m{i}") for i in (8, 9, 13)])
    aligned, free = lp.OneStepEmbedding(align_to=model).fit(changed), lp.OneStepEmbedding(2).fit(changed)
    turn = lp.procrustes(free.embedding_, aligned.embedding_)
    assert np.allclose(free.embedding_ @ turn, aligned.embedding_, atol=1e-8)
    assert np.allclose(aligned.transform(changed), aligned.embedding_, atol=1e-10)
    assert np.allclose(turn.T @ free.covariances(["m3"])[0] @ turn, aligned.covariances(["m3"])[0], atol=1e-8)


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_a_vertex_without_edges_is_at_the_origin():
    A = np.zeros((31, 31))
    A[:30, :30] = nx.to_numpy_array(nx.complete_multipartite_graph(10, 10, 10))
    model = lp.OneStepEmbedding(2).fit(A)
    assert np.array_equal(model.embedding_[30], [0, 0])
    assert np.isfinite(model.covariances()).all()


def test_what_it_is_not_for_is_refused():
    with pytest.raises(GraphError, match="directed, and OneStepEmbedding is for undirected"):
        lp.OneStepEmbedding(1).fit(nx.DiGraph([(0, 1), (1, 2)]))
    with pytest.raises(GraphError, match="has weights, and OneStepEmbedding is for edges of weight 1; pass"):
        lp.OneStepEmbedding(1).fit(nx.karate_club_graph())
    model = lp.OneStepEmbedding(2).fit(KARATE)
    with pytest.raises(ArgumentError, match="edges of other weights than 1"):
        model.transform({"new": {"m0": 2.0}})
    with pytest.raises(UnknownVertexError, match="'x'"):
        model.covariances(["x"])
    with pytest.raises(NotFittedError):
        lp.OneStepEmbedding(2).covariances()
