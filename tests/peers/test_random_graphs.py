"""Fitted and sampled random graphs against the stored values of graspologic; see graspologic_values.py."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import lpgraph as lp

THEIRS = json.loads(Path(__file__).with_name("graspologic_values.json").read_text())
GRAPHS = {name: np.array(value) for name, value in THEIRS["graphs"].items()}
FITS, SAMPLES = THEIRS["fits"], THEIRS["samples"]
KINDS = list(itertools.product((False, True), (False, True)))
DRAWS, SIZES, B = SAMPLES["draws"], SAMPLES["sizes"], np.array(SAMPLES["B"])
P, LATENT = np.array(SAMPLES["P"]), np.array(THEIRS["inputs"]["latent"])
#: Samples of lpgraph; `DRAWS` are those of graspologic.
OURS = 400
BLOCK_OF = np.repeat([0, 1], SIZES)


def their_fit(name, directed, loops):
    stored = FITS[f"{name} {directed} {loops}"]
    return np.array(stored["p"]), stored["parameters"], stored["log_likelihood"]


def pairs(directed, loops):
    """Return which entries of a matrix are pairs of vertices, each once."""
    every = np.ones((14, 14), dtype=bool) if directed else np.triu(np.ones((14, 14), dtype=bool))
    return every & (loops | ~np.eye(14, dtype=bool))


@pytest.mark.parametrize(("directed", "loops"), KINDS)
@pytest.mark.parametrize("name", ["EREstimator", "SBMEstimator"])
def test_probabilities_of_blocks(name, directed, loops):
    graph, blocks = lp.as_adjacency(GRAPHS[f"{directed} {loops}"], directed=directed), GRAPHS["blocks"]
    fit = lp.fit_erdos_renyi(graph, loops=loops)
    if name == "SBMEstimator":
        fit = lp.fit_block_model(graph, blocks, loops=loops)
    p, parameters, log_likelihood = their_fit(name, directed, loops)
    assert fit.n_parameters == parameters
    if directed or not loops:
        np.testing.assert_allclose(fit.probabilities(), p, atol=1e-12)
        assert fit.log_likelihood == pytest.approx(log_likelihood)
    else:
        # There, an edge of an undirected graph counts twice within a block and a loop once.
        inside = blocks[:, None] == blocks if name == "SBMEstimator" else np.ones((14, 14), dtype=bool)
        np.testing.assert_allclose(fit.probabilities()[~inside], p[~inside], atol=1e-12)
        assert np.abs(fit.probabilities() - p)[inside].min() > 1e-4
        assert fit.log_likelihood > log_likelihood


@pytest.mark.parametrize(("directed", "loops"), KINDS)
@pytest.mark.parametrize("name", ["DCSBMEstimator", "DCEREstimator"])
def test_probabilities_of_degree_corrected_blocks(name, directed, loops):
    graph = lp.as_adjacency(GRAPHS[f"{directed} {loops}"], directed=directed)
    blocks = GRAPHS["blocks"] if name == "DCSBMEstimator" else np.zeros(14, dtype=int)
    fit = lp.fit_degree_corrected_block_model(graph, blocks, loops=loops)
    means, parameters, _ = their_fit(name, directed, loops)
    # Theirs are means of numbers of edges, and all n weights of a side are counted.
    n_blocks = len(set(blocks))
    assert fit.n_parameters == parameters - n_blocks * (2 if directed else 1)
    where = pairs(directed, loops)
    edges, p = graph.matrix.toarray()[where], -np.expm1(-means[where])
    assert fit.log_likelihood > np.where(edges > 0, np.log(p), np.log1p(-p)).sum()
    assert fit.probabilities().max() < 1
    assert np.corrcoef(fit.probabilities()[where], means[where])[0, 1] > 0.9


@pytest.mark.parametrize(("directed", "loops"), KINDS)
def test_products_of_positions(directed, loops):
    # There, loops are removed before the embedding.
    graph = lp.as_adjacency(GRAPHS[f"{directed} {loops}"], directed=directed, loops="drop")
    fit = lp.fit_random_dot_product_graph(graph, 2, loops=loops)
    products, parameters, _ = their_fit("RDPGEstimator", directed, loops)
    where = pairs(directed, loops)
    signs = np.repeat([1, -1], fit.signature)
    # Here, each position has a factor, so that the expected degrees are those of the network.
    plain = lp.AdjacencySpectralEmbedding(2).fit(graph)
    out, inward = plain.embedding_, plain.embedding_in_ if directed else plain.embedding_
    for positions, unscaled in ((fit.positions, out), (fit.positions_in, inward)):
        factors = np.linalg.norm(positions, axis=1, keepdims=True) / np.linalg.norm(
            unscaled, axis=1, keepdims=True
        )
        np.testing.assert_allclose(abs(positions), abs(unscaled) * factors, atol=1e-8)
    ours = (out * signs) @ inward.T
    if fit.signature[1]:
        # There, products of a negative eigenvalue are added.
        np.testing.assert_allclose((out @ inward.T)[where], products[where], atol=1e-8)
        assert not np.allclose(ours[where], products[where], atol=0.01)
    else:
        np.testing.assert_allclose(ours[where], products[where], atol=1e-8)
    assert parameters == 2 * 14 * (2 if directed else 1)
    assert fit.n_parameters == parameters - (4 if directed else 1)  # rotations change no product


def means(draw):
    """Return the mean matrix of samples."""
    return sum(draw(seed).adjacency.toarray() for seed in range(OURS)) / OURS


def close(ours, theirs, variance):
    """Whether means differ by at most five standard deviations of the difference of two means."""
    return bool((np.abs(ours - np.array(theirs)) <= 5 * np.sqrt(variance * (1 / OURS + 1 / DRAWS)) + 1e-12).all())


def given(p, loops=False):
    """Return a matrix of probabilities, without a diagonal unless there are loops."""
    p = np.broadcast_to(p, (len(p), len(p)) if np.ndim(p) else (9, 9))
    return p if loops else np.where(np.eye(len(p)), 0.0, p)


FULL = {"directed": True, "loops": True}
SAMPLERS = {
    "er_np": (lambda seed: lp.erdos_renyi(9, 0.3, random_state=seed), given(0.3)),
    "er_np directed loops": (lambda seed: lp.erdos_renyi(9, 0.3, random_state=seed, **FULL), given(0.3, True)),
    "er_nm": (lambda seed: lp.erdos_renyi(9, n_edges=11, random_state=seed), given(11 / 36)),
    "er_nm directed loops": (
        lambda seed: lp.erdos_renyi(9, n_edges=30, random_state=seed, **FULL),
        given(30 / 81, True),
    ),
    "sbm": (lambda seed: lp.stochastic_block_model(SIZES, B, random_state=seed), P),
    "sbm directed loops": (
        lambda seed: lp.stochastic_block_model(SIZES, B, random_state=seed, **FULL),
        B[BLOCK_OF][:, BLOCK_OF],
    ),
    "rdpg": (lambda seed: lp.random_dot_product_graph(LATENT, random_state=seed), given(LATENT @ LATENT.T)),
    "sample_edges": (lambda seed: lp.stochastic_block_model([1] * 9, P, random_state=seed), P),
    # The mean of B over two independent uniform memberships.
    "mmsbm": (lambda seed: lp.mixed_membership_block_model(9, [1.0, 1.0], B, random_state=seed), given(0.25)),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samples_have_the_same_means(name):
    draw, p = SAMPLERS[name]
    stored = SAMPLES["found"][name]
    ours = means(draw)
    assert close(ours, stored["mean"], p * (1 - p))
    assert close(ours, p, p * (1 - p))
    if name.startswith("er_nm"):
        # Every sample of both has all edges, which are two entries of an undirected graph.
        count = draw(0).adjacency.nnz
        assert stored["entries"] == [count, count]
        assert {draw(seed).adjacency.nnz for seed in range(50)} == {count}


def test_weighted_samples_have_the_same_means():
    rates = np.array([[2.0, 0.5], [0.5, 4.0]])
    weights = lp.weights.Poisson(rates)
    ours = means(lambda seed: lp.stochastic_block_model(SIZES, B, edge_weights=weights, random_state=seed))
    rate = rates[BLOCK_OF][:, BLOCK_OF]
    assert close(ours, SAMPLES["found"]["sbm wt"]["mean"], P * (rate + rate**2) - (P * rate) ** 2)


def test_degree_corrected_samples():
    # There, each block draws its number of edges, and then distinct pairs by the products of their weights; here
    # each pair has its own probability, with the same expected numbers of edges of pairs of blocks.
    stored = np.array(SAMPLES["found"]["sbm dc"]["mean"])
    weights = np.array(SAMPLES["weights"])
    products = np.where(np.eye(9), 0.0, np.multiply.outer(weights, weights))
    members = np.eye(2)[BLOCK_OF]
    scale = (members.T @ P @ members) / (members.T @ products @ members)
    p = products * (members @ scale @ members.T)
    ours = means(lambda seed: lp.degree_corrected_block_model(SIZES, scale, weights, random_state=seed))
    assert close(ours, p, p * (1 - p))
    for k, l in itertools.product((0, 1), (0, 1)):
        block = np.ix_(members[:, k] > 0, members[:, l] > 0)
        # Sums of the entries of a block, both triangles: at most 20 pairs of variance at most 1/4, counted twice.
        assert abs(ours[block].sum() - stored[block].sum()) < 5 * np.sqrt(4 * 20 / 4 * (1 / OURS + 1 / DRAWS))
    assert np.abs(stored - p).max() > 0.05
    assert np.corrcoef(stored.sum(axis=0)[:5], weights[:5])[0, 1] > 0.9


CORRELATED = {
    "er_corr": (lambda seed: lp.correlated_erdos_renyi(9, 0.3, 0.6, random_state=seed), given(0.3)),
    "sbm_corr": (lambda seed: lp.correlated_block_model(SIZES, B, 0.6, random_state=seed), P),
    "rdpg_corr": (
        lambda seed: lp.correlated_random_dot_product_graph(LATENT, 0.6, random_state=seed),
        given(LATENT @ LATENT.T),
    ),
    "sample_edges_corr": (lambda seed: lp.correlated_block_model([1] * 9, P, 0.6, random_state=seed), P),
}


@pytest.mark.parametrize("name", CORRELATED)
def test_correlated_samples_have_the_same_moments(name):
    draw, p = CORRELATED[name]
    stored = SAMPLES["found"][name]
    first, both = 0, 0
    for seed in range(OURS):
        one, other = (graph.adjacency for graph in draw(seed))
        first, both = first + one.toarray(), both + (one * other).toarray()
    assert close(first / OURS, stored["mean"], p * (1 - p))
    q = p**2 + 0.6 * p * (1 - p)  # both have the edge
    assert close(both / OURS, stored["both"], q * (1 - q))
    assert close(both / OURS, q, q * (1 - q))


def test_seedless_procrustes_finds_the_same_rotation():
    points, turned = (np.array(part) for part in (THEIRS["inputs"]["positions"], THEIRS["others"]["turned"]))
    ours = lp.seedless_procrustes(points, turned[::-1]).rotation
    np.testing.assert_allclose(ours, THEIRS["others"]["SeedlessProcrustes"], atol=0.02)
