"""Fitted and sampled random graphs against the stored values of graspologic; see graspologic_values.py."""

import itertools
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import normalize

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
    every = loops | ~np.eye(14, dtype=bool)
    return every if directed else np.triu(every)


@pytest.mark.parametrize(("directed", "loops"), KINDS)
@pytest.mark.parametrize("name", ["EREstimator", "SBMEstimator"])
def test_probabilities_of_blocks(name, directed, loops):
    graph, blocks = lp.as_adjacency(GRAPHS[f"{directed} {loops}"], directed=directed), GRAPHS["blocks"]
    blocks = blocks if name == "SBMEstimator" else np.zeros(14, dtype=int)
    fit = lp.fit_block_model(graph, blocks, loops=loops)
    if name == "EREstimator":
        fit = lp.fit_erdos_renyi(graph, loops=loops)
    p, parameters, log_likelihood = their_fit(name, directed, loops)
    assert fit.n_parameters == parameters
    if directed or not loops:
        np.testing.assert_allclose(fit.probabilities(), p, atol=1e-12)
        assert fit.log_likelihood == pytest.approx(log_likelihood)
    else:
        # There, an edge of an undirected graph counts twice within a block and a loop once.
        inside = blocks[:, None] == blocks
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
    for found, unscaled in ((fit.positions, out), (fit.positions_in, inward)):
        np.testing.assert_allclose(normalize(abs(found)), normalize(abs(unscaled)), atol=1e-8)
    ours = (out * signs) @ inward.T
    # There, products of a negative eigenvalue are added.
    np.testing.assert_allclose((out @ inward.T)[where], products[where], atol=1e-8)
    assert np.allclose(ours[where], products[where], atol=0.01) == (fit.signature[1] == 0)
    assert parameters == 2 * 14 * (2 if directed else 1)
    assert fit.n_parameters == parameters - (4 if directed else 1)  # rotations change no product


def means(draw):
    """Return the mean matrix of samples."""
    return sum(draw(random_state=seed).adjacency.toarray() for seed in range(OURS)) / OURS


def close(ours, theirs, variance):
    """Whether means differ by at most five standard deviations of the difference of two means."""
    return bool((np.abs(ours - np.array(theirs)) <= 5 * np.sqrt(variance * (1 / OURS + 1 / DRAWS)) + 1e-12).all())


def given(p, loops=False):
    """Return a matrix of probabilities, without a diagonal unless there are loops."""
    p = np.broadcast_to(p, (len(p), len(p)) if np.ndim(p) else (9, 9))
    return p if loops else np.where(np.eye(len(p)), 0.0, p)


FULL = {"directed": True, "loops": True}
SAMPLERS = {
    "er_np": (partial(lp.erdos_renyi, 9, 0.3), given(0.3)),
    "er_np directed loops": (partial(lp.erdos_renyi, 9, 0.3, **FULL), given(0.3, True)),
    "er_nm": (partial(lp.erdos_renyi, 9, n_edges=11), given(11 / 36)),
    "er_nm directed loops": (partial(lp.erdos_renyi, 9, n_edges=30, **FULL), given(30 / 81, True)),
    "sbm": (partial(lp.stochastic_block_model, SIZES, B), P),
    "sbm directed loops": (partial(lp.stochastic_block_model, SIZES, B, **FULL), B[BLOCK_OF][:, BLOCK_OF]),
    "rdpg": (partial(lp.random_dot_product_graph, LATENT), given(LATENT @ LATENT.T)),
    "sample_edges": (partial(lp.stochastic_block_model, [1] * 9, P), P),
    # The mean of B over two independent uniform memberships.
    "mmsbm": (partial(lp.mixed_membership_block_model, 9, [1.0, 1.0], B), given(0.25)),
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
        assert {draw(random_state=seed).adjacency.nnz for seed in range(50)} == set(stored["entries"])


def test_weighted_samples_have_the_same_means():
    rates = np.array([[2.0, 0.5], [0.5, 4.0]])
    weights = lp.weights.Poisson(rates)
    ours = means(partial(lp.stochastic_block_model, SIZES, B, edge_weights=weights))
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
    ours = means(partial(lp.degree_corrected_block_model, SIZES, scale, weights))
    assert close(ours, p, p * (1 - p))
    # Sums of the entries of a block, both triangles: at most 20 pairs of variance at most 1/4, counted twice.
    difference = members.T @ (ours - stored) @ members
    assert np.abs(difference).max() < 5 * np.sqrt(4 * 20 / 4 * (1 / OURS + 1 / DRAWS))
    assert np.abs(stored - p).max() > 0.05
    assert np.corrcoef(stored.sum(axis=0)[:5], weights[:5])[0, 1] > 0.9


CORRELATED = {
    "er_corr": (partial(lp.correlated_erdos_renyi, 9, 0.3, 0.6), given(0.3)),
    "sbm_corr": (partial(lp.correlated_block_model, SIZES, B, 0.6), P),
    "rdpg_corr": (partial(lp.correlated_random_dot_product_graph, LATENT, 0.6), given(LATENT @ LATENT.T)),
    "sample_edges_corr": (partial(lp.correlated_block_model, [1] * 9, P, 0.6), P),
}


@pytest.mark.parametrize("name", CORRELATED)
def test_correlated_samples_have_the_same_moments(name):
    draw, p = CORRELATED[name]
    stored = SAMPLES["found"][name]
    drawn = [[graph.adjacency.toarray() for graph in draw(random_state=seed)] for seed in range(OURS)]
    first, both = (
        np.mean([one for one, _ in drawn], axis=0),
        np.mean([one * other for one, other in drawn], axis=0),
    )
    assert close(first, stored["mean"], p * (1 - p))
    q = p**2 + 0.6 * p * (1 - p)  # both have the edge
    assert close(both, stored["both"], q * (1 - q))
    assert close(both, q, q * (1 - q))


def test_seedless_procrustes_finds_the_same_rotation():
    points, turned = (np.array(part) for part in (THEIRS["inputs"]["positions"], THEIRS["others"]["turned"]))
    ours = lp.seedless_procrustes(points, turned[::-1]).rotation
    np.testing.assert_allclose(ours, THEIRS["others"]["SeedlessProcrustes"], atol=0.02)
