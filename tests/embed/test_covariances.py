"""Covariances of new positions: definite for every vertex, and of the right size."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from scipy import sparse, stats

import lpgraph as lp
from lpgraph.embed import moments
from lpgraph.embed.edge_probabilities import EdgeProbabilities, shrinkage_weights
from lpgraph.linalg.packed import unpacked
from lpgraph.spectral.extension import Extension

FIVE = 0.01 + 0.19 * np.eye(5)


def covered(ase, rows, mean):
    """Return the share of 95 % regions that contain the mean position given the network."""
    offset = ase.transform(rows - mean)
    solved = np.linalg.solve(lp.OutOfSample(ase).covariance(rows), offset[..., None])[..., 0]
    return ((offset * solved).sum(axis=1) <= stats.chi2(offset.shape[1]).ppf(0.95)).mean()


@pytest.mark.parametrize("blocks", [FIVE, [[0.3, 0.005], [0.005, 0.3]], [[0.99, 0.9], [0.9, 0.99]]])
def test_regions_hold_their_share_where_probabilities_are_near_0_or_1(blocks):
    # Over 1000 vertices the share has a standard error of 0.007, and it differs between networks by as much.
    k = len(blocks)
    graph = lp.stochastic_block_model([1000 // k] * k, blocks, random_state=0)
    new = graph.new_vertices(1000, random_state=1)
    mean = np.asarray(blocks)[new.labels][:, graph.labels]
    ase = lp.AdjacencySpectralEmbedding(k).fit(graph)
    assert 0.92 <= covered(ase, new.adjacency.toarray(), mean) <= 0.985


def test_regions_hold_their_share_for_few_weighted_edges():
    rng = np.random.default_rng(0)
    known, new = rng.dirichlet([1, 1, 1], (2, 1000))
    scale = 10 / (known @ known.T).sum(axis=1).mean()
    edges = np.triu(rng.poisson(scale * known @ known.T), 1)
    ase = lp.AdjacencySpectralEmbedding(3).fit(edges + edges.T)
    mean = scale * new @ known.T
    assert 0.92 <= covered(ase, rng.poisson(mean).astype(float), mean) <= 0.98


def test_every_covariance_is_definite(network):
    matrix, directed = network
    ase = lp.AdjacencySpectralEmbedding(2).fit(lp.as_adjacency(matrix, directed=directed))
    n = matrix.shape[0]
    rows = np.vstack([np.zeros(n), np.ones(n), np.eye(n)[:5], (matrix.toarray() != 0)[:30]]).astype(float)
    for direction in ("out", "in") if directed else ("out",):
        for weight in (1.0, 2.5, -1.0):
            found = lp.OutOfSample(ase).covariance(weight * rows, direction=direction)
            assert np.isfinite(found).all()
            assert np.array_equal(found, np.swapaxes(found, 1, 2))
            assert (np.linalg.eigvalsh(found)[:, 0] > 0).all()


@pytest.mark.parametrize("weight", [1.0, 2.0, -2.0])
@pytest.mark.parametrize(
    "graph",
    [
        nx.complete_graph(2),
        nx.complete_graph(12),
        nx.star_graph(20),
        nx.complete_bipartite_graph(3, 17),
        nx.wheel_graph(40),
    ],
    ids=["pair", "complete", "star", "bipartite", "wheel"],
)
def test_networks_that_are_nearly_fitted_exactly_have_definite_covariances(graph, weight):
    matrix = weight * nx.to_numpy_array(graph)
    ase = lp.AdjacencySpectralEmbedding(1).fit(matrix)
    n = len(matrix)
    found = lp.OutOfSample(ase).covariance(np.vstack([np.zeros(n), np.ones(n), matrix]))
    assert (found > 0).all()


@pytest.mark.parametrize("most", [0, moments.MOST])
def test_moments_and_products_give_the_sum_over_known_vertices(most, monkeypatch):
    monkeypatch.setattr(moments, "MOST", most)
    monkeypatch.setattr(moments, "_CACHE", 100)  # several parts of the known vertices
    rng = np.random.default_rng(0)
    basis, design, positions = (rng.standard_normal(shape) for shape in ((50, 3), (50, 4), (40, 4)))
    p = positions @ design.T
    expected = np.einsum("mj,ja,jb->mab", p * (1 - p), basis, basis)
    extension = Extension(basis)
    sums = partial(moments.bernoulli_sums, extension, basis)
    found = sums(design, positions)
    np.testing.assert_allclose(unpacked(found), expected, atol=1e-10)
    assert np.array_equal(sums(design, positions[:5]), found[:5])
    by_columns = moments.moments_of(extension, basis, design).columns(positions.T)
    np.testing.assert_allclose(unpacked(by_columns.T), expected, atol=1e-10)
    # Another design of the same model has moments of its own.
    p = np.outer(positions[:, -1], design[:, -1])
    expected = np.einsum("mj,ja,jb->mab", p * (1 - p), basis, basis)
    np.testing.assert_allclose(unpacked(sums(design[:, -1:], positions[:, -1:])), expected, atol=1e-10)


def test_a_covariance_does_not_depend_on_the_other_vertices():
    graph = lp.stochastic_block_model([60, 60], [[0.5, 0.1], [0.1, 0.3]], random_state=0)
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    rows = graph.new_vertices(20, random_state=1).adjacency.toarray()
    rows[3], rows[4] = 0, 2.5 * rows[4]
    alone = np.concatenate([lp.OutOfSample(ase).covariance(rows[i : i + 1]) for i in range(len(rows))])
    assert np.array_equal(lp.OutOfSample(ase).covariance(rows), alone)


def test_weights_of_products_are_the_estimated_share_of_noise():
    # A rank-one network is described by its degrees, and a network of two separate blocks is not.
    flat = lp.erdos_renyi(400, 0.05, random_state=0)
    split = lp.stochastic_block_model([200, 200], [[0.5, 0.02], [0.02, 0.5]], random_state=0)
    for graph, low, high in ((flat, 0.8, 1.0), (split, 0.0, 0.1)):
        ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
        model = EdgeProbabilities.of_embedding(ase, "out")
        rows = sparse.csr_array(graph.new_vertices(100, random_state=1).adjacency)
        new = model.estimates(rows, ase.transform(rows))
        assert low <= np.median(model.weights(new)) <= high
        positions, design = model.shrunk(new), model.shrunk_design
        weights = model.weights(new)[:, None]
        expected = (1 - weights) * model.by_positions(new) + weights * model.by_degrees(new)
        np.testing.assert_allclose(positions @ design.T, expected, atol=1e-12)
        assert 0 < model.by_degrees(new).min() <= model.by_degrees(new).max() < 1


def test_shrinkage_weights_are_bounded():
    variances, distances = np.array([1.0, 1.0, 0.1, 0.1, 1.0]), np.array([4.0, 0.5, 4.0, 4.0, 0.0])
    found = shrinkage_weights(variances, distances, np.array([100, 100, 10, 0, 100]), 2)
    np.testing.assert_allclose(found, [0.25, 1.0, 0.2, 1.0, 1.0])
