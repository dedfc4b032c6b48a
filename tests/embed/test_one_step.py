"""The one-step estimator against its formula, and against the bound of its theory."""

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError, NotFittedError, UnknownVertexError

KARATE = lp.as_adjacency(nx.karate_club_graph(), weight=None)
BLOCKS = {"assortative": [[0.8, 0.35], [0.35, 0.6]], "disassortative": [[0.3, 0.7], [0.7, 0.4]]}


@pytest.mark.parametrize("kind", BLOCKS)
def test_the_step_is_the_papers_and_the_covariance_is_the_inverse_information(kind):
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
    found, packed = model.covariances([3, 99]), model.covariances()
    for covariance, i in zip(found, (3, 99), strict=True):
        p = W @ model.embedding_[i]
        assert np.allclose(np.linalg.inv(covariance), (W.T / (p * (1 - p))) @ W, rtol=1e-6)
        assert np.allclose(packed[i], covariance[np.triu_indices(2)], rtol=1e-12)


def test_edges_that_seem_impossible_do_not_take_all_the_weight():
    # Without a bound relative to the degrees, p = x' w below 0 would be cut to a tiny number, with a huge weight.
    X = np.random.default_rng(0).dirichlet([1, 1, 1], 500) * np.sqrt(0.9)
    graph = lp.random_dot_product_graph(X, random_state=0)
    ase, model = lp.AdjacencySpectralEmbedding(3).fit(graph), lp.OneStepEmbedding(3).fit(graph)
    assert (ase.embedding_ @ ase.embedding_.T).min() < 0
    assert np.isfinite(model.embedding_).all()
    assert np.linalg.norm(model.embedding_ - ase.embedding_, axis=1).max() < 0.5


def test_the_error_attains_the_bound():
    # Two groups with degrees that differ by a factor of 4. The relative error of the mean square of 2 x 800
    # coordinates is sqrt(2 / 1600) = 0.035, of three networks 0.02; the next term of the theory is of the order
    # d / (n p) = 0.01. The coverage has a standard error of sqrt(0.05 x 0.95 / 2400) = 0.0045.
    weights = np.random.default_rng(1).uniform(0.25, 1, 800)
    X = weights[:, None] * np.repeat([[0.95, 0.15], [0.15, 0.95]], 400, axis=0)
    P, found = X @ X.T, []
    information = np.einsum("ij,jk,jl->ikl", 1 / (P * (1 - P)), X, X, optimize=True)
    bound = np.trace(np.linalg.inv(information), axis1=1, axis2=2).mean()
    for seed in range(3):
        graph, row = lp.random_dot_product_graph(X, random_state=seed), []
        for kind in (lp.AdjacencySpectralEmbedding, lp.OneStepEmbedding):
            model = kind(2).fit(graph)
            errors = model.embedding_ - X @ lp.procrustes(X, model.embedding_)
            row.append((errors**2).sum(axis=1).mean() / bound)
        covariances = model.covariances(range(800))
        distances = (errors * np.linalg.solve(covariances, errors[:, :, None])[:, :, 0]).sum(axis=1)
        found.append([*row, (distances <= 5.991).mean()])  # the 95 % quantile of chi-squared for d = 2
    ase, one_step, coverage = np.mean(found, axis=0)
    assert one_step < 1.1
    assert one_step < 0.97 * ase
    assert abs(coverage - 0.95) < 0.02


def test_what_it_is_not_for_is_refused():
    model = lp.OneStepEmbedding(2).fit(KARATE)
    for use, error, word in (
        (lambda: lp.OneStepEmbedding(1).fit(nx.karate_club_graph()), GraphError, "weight"),
        (lambda: model.transform({"new": {0: 2.0}}), ArgumentError, "weights"),
        (lambda: model.covariances(["x"]), UnknownVertexError, "'x'"),
        (lambda: lp.OneStepEmbedding(2).covariances(), NotFittedError, "fit"),
    ):
        with pytest.raises(error, match=word):
            use()
