"""Models fitted to a graph: likelihoods, parameters, names, and the choice of a model by BIC."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning, UnknownVertexError

CASES = [*itertools.product([False, True], [False, True])]
FITS = {
    "erdos_renyi": lambda graph, labels, **options: lp.fit_erdos_renyi(graph, **options),
    "blocks": lp.fit_block_model,
    "degree-corrected": lp.fit_degree_corrected_block_model,
    "dot product": lambda graph, labels, **options: lp.fit_random_dot_product_graph(graph, 2, **options),
}


def example(directed, loops, n=80):
    weights = np.random.default_rng(0).uniform(0.2, 1, n)
    return lp.degree_corrected_block_model(
        [n // 2, n - n // 2],
        [[0.9, 0.3], [0.3, 0.8]],
        weights,
        directed=directed,
        loops=loops,
        random_state=1,
    )


def pairs(n, directed, loops):
    every = np.ones((n, n), dtype=bool)
    every = every if loops else every & ~np.eye(n, dtype=bool)
    return every if directed else np.triu(every)


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_the_log_likelihood_is_the_sum_over_all_pairs(name, directed, loops, monkeypatch):
    monkeypatch.setattr("lpgraph.infer.fit.random_dot_product._CELLS", 500)  # many blocks of rows
    graph = example(directed, loops)
    fit = FITS[name](graph, graph.labels, loops=loops)
    where = pairs(80, directed, loops)
    p, a = fit.probabilities()[where], graph.adjacency.toarray()[where]
    assert fit.log_likelihood == pytest.approx(np.where(a > 0, np.log(p), np.log1p(-p)).sum(), abs=1e-8)
    assert fit.model.directed == directed
    assert fit.model.loops == loops
    if not loops:
        assert not fit.probabilities().diagonal().any()
    assert fit.bic == fit.penalty - 2 * fit.log_likelihood


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_numbers_of_parameters(directed, loops):
    graph, n = example(directed, loops), 80
    found = [fit(graph, graph.labels, loops=loops).n_parameters for fit in FITS.values()]
    # edges of 2 blocks; weights with given sums; positions up to a rotation
    assert found == ([1, 4, 4 + 2 * (n - 2), 2 * n * 2 - 4] if directed else [1, 3, 3 + n - 2, n * 2 - 1])


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_block_probabilities_are_shares(directed, loops):
    graph = example(directed, loops)
    fit = lp.fit_block_model(graph, graph.labels, loops=loops)
    where, a = pairs(80, directed, loops), graph.adjacency.toarray()
    for k, l in itertools.product(range(2), range(2)):
        block = np.outer(graph.labels == k, graph.labels == l)
        block = (block | (not directed) & block.T) & where
        assert fit.B[k, l] == pytest.approx(a[block].mean())
    assert lp.fit_erdos_renyi(graph, loops=loops).p == pytest.approx(a[where].mean())


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_degree_corrected_parameters_have_the_largest_likelihood(directed, loops):
    # a quasi-Newton method started at the fit, in logarithms of all weights, gains nothing
    n = 30
    graph = example(directed, loops, n)
    fit = lp.fit_degree_corrected_block_model(graph, graph.labels, loops=loops)
    where, a = pairs(n, directed, loops), graph.adjacency.toarray()
    B = fit.B[graph.labels[:, None], graph.labels]

    def loss(logs):
        out, into = (np.exp(part) for part in (np.split(logs, 2) if directed else (logs, logs)))
        means = (out[:, None] * B * into)[where]
        # The scale of weights is that of B, so that B needs no variables.
        return -np.where(a[where] > 0, np.log(-np.expm1(-means)), -means).sum()

    known = fit.weights > 0
    assert known.all()
    start = np.log(np.concatenate([fit.weights, fit.weights_in] if directed else [fit.weights]))
    assert loss(start) == pytest.approx(-fit.log_likelihood)
    assert minimize(loss, start, method="L-BFGS-B").fun > -fit.log_likelihood - 0.01
    rng = np.random.default_rng(0)
    other = minimize(loss, start + rng.normal(size=len(start)), method="L-BFGS-B", options={"maxiter": 500})
    assert other.fun > -fit.log_likelihood - 0.05
    for k in range(2):
        assert fit.weights[graph.labels == k].sum() == pytest.approx(1)
        assert fit.weights_in[graph.labels == k].sum() == pytest.approx(1)


def test_equal_weights_are_the_block_model():
    # all vertices have the same degree, so that both models have one likelihood
    ring = nx.circulant_graph(24, [1, 2, 3])
    one = lp.fit_degree_corrected_block_model(ring, np.zeros(24, dtype=int))
    assert one.log_likelihood == pytest.approx(lp.fit_erdos_renyi(ring).log_likelihood)
    assert np.allclose(one.weights, 1 / 24)
    assert np.allclose(one.probabilities()[0, 1:], 6 / 23)


def test_isolated_and_full_vertices():
    star = nx.star_graph(6)
    star.add_nodes_from(["alone"])
    labels = np.zeros(8, dtype=int)
    fit = lp.fit_degree_corrected_block_model(star, labels)
    assert fit.weights[7] == 0
    assert not fit.probabilities(["alone"]).any()
    assert np.isfinite(fit.log_likelihood)
    complete = nx.complete_graph(6)
    for name, make in FITS.items():
        found = make(complete, np.zeros(6, dtype=int))
        assert found.log_likelihood <= 0, name
        assert np.isfinite(found.log_likelihood), name
    empty = nx.empty_graph(5)
    assert lp.fit_block_model(empty, [0, 0, 0, 1, 1]).log_likelihood == 0
    assert lp.fit_degree_corrected_block_model(empty, [0, 0, 0, 1, 1]).log_likelihood == 0


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_products_are_rescaled_and_clipped(directed, loops):
    graph = example(directed, loops)
    fit = lp.fit_random_dot_product_graph(graph, 10, loops=loops)
    ase = lp.AdjacencySpectralEmbedding(10).fit(graph)
    signs, into = (1, ase.embedding_in_) if directed else (ase.signature_, ase.embedding_)
    products = (ase.embedding_ * signs) @ into.T
    adjacency = lp.as_adjacency(graph)
    floors = 0.1 * np.outer(adjacency.degrees, adjacency.in_degrees) / adjacency.degrees.sum()
    # The factors of the vertices, from positions that are multiples of those of the embedding.
    order = np.argsort(-ase.signature_, kind="stable") if not directed else np.arange(10)
    c = (fit.positions / ase.embedding_[:, order])[:, 0]
    c_in = (fit.positions_in / into[:, order])[:, 0]
    assert (c > 0).all()
    expected = np.minimum(np.outer(c, c_in) * np.maximum(products, floors), fit.high)
    where = pairs(80, directed, loops)
    assert np.allclose(fit.probabilities()[where], expected[where])
    at_bound = (products < floors) | (expected >= fit.high)
    assert fit.clipped == pytest.approx(at_bound[where].mean())
    assert 0.01 < fit.clipped < 0.5
    plain = np.clip(products, floors, fit.high)
    np.fill_diagonal(plain, plain.diagonal() * loops)
    assert fit.excess == pytest.approx(plain.sum() / adjacency.degrees.sum() - 1)
    assert f"{fit.clipped:.1%} of pairs clipped, {fit.excess:+.1%} edges without rescaling" in repr(fit)


def sparse_with_hubs(directed):
    """Return a network that clipping gives a third more edges, and one that it gives half as many."""
    rng = np.random.default_rng(0)
    weights = np.clip(0.1 + 0.2 * rng.pareto(1.5, 300), 0, 4)
    return lp.degree_corrected_block_model(
        [150, 150], [[0.4, 0.02], [0.02, 0.4]], np.minimum(weights, 1.5), directed=directed, random_state=2
    )


@pytest.mark.parametrize("d", [1, 4, 30])
@pytest.mark.parametrize("directed", [False, True])
def test_expected_degrees_are_those_of_the_graph(directed, d, monkeypatch):
    monkeypatch.setattr("lpgraph.infer.fit.random_dot_product._CELLS", 7000)  # many blocks of rows
    graph = lp.as_adjacency(sparse_with_hubs(directed))
    fit = lp.fit_random_dot_product_graph(graph, d)
    p = fit.probabilities()
    # Passes end at 0.02 roots of the degree, and the standard deviation of a degree is nearly its root.
    for degrees, expected in (graph.degrees, p.sum(axis=1)), (graph.in_degrees, p.sum(axis=0)):
        assert (np.abs(expected - degrees) <= 0.0201 * np.sqrt(np.maximum(degrees, 1))).all()
        assert not expected[degrees == 0].any()
    # The mean of 40 samples: five standard errors, below 3 % of the edges. Without rescaling: 10 % to 60 %.
    edges = np.mean([drawn.n_edges for drawn in fit.sample(n_graphs=40, random_state=0)])
    q = p[pairs(300, directed, False)]
    assert abs(edges - graph.n_edges) < 5 * np.sqrt((q * (1 - q)).sum() / 40) + 0.002 * graph.n_edges
    assert abs(fit.excess) > 0.03


def test_products_that_need_no_clipping_hardly_change():
    # Products from 0.2 to 0.5: none is clipped. Degrees of about 100 have standard deviations of about 8. Factors
    # are less than 0.6 of 8 / 100 from 1: the embedding misses the degrees by less than their noise.
    x = np.random.default_rng(0).uniform(0.45, 0.7, (300, 1))
    graph = lp.random_dot_product_graph(x, random_state=0)
    fit = lp.fit_random_dot_product_graph(graph, 1)
    ase = lp.AdjacencySpectralEmbedding(1).fit(graph)
    assert fit.clipped == 0
    assert np.abs(fit.positions / ase.embedding_ - 1).max() < 0.05
    assert abs(fit.excess) < 0.005
    error = [np.abs(p @ p.T - x @ x.T).mean() for p in (fit.positions, ase.embedding_)]
    assert error[0] < 1.05 * error[1]


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_vertices_that_are_joined_to_all_or_none():
    wheel = nx.wheel_graph(60)  # vertex 0 is the hub
    wheel.add_node("alone")
    fit = lp.fit_random_dot_product_graph(wheel, 3)
    p = fit.probabilities()
    assert not p[-1].any()
    assert p[0, 1:60].min() > 0.9
    assert fit.high < 1
    assert np.isfinite(fit.log_likelihood)


def test_samples_by_name_and_number():
    fit = lp.fit_erdos_renyi(lp.from_edges(["a", "b"], ["b", "c"]))
    for wrong in (10, np.random.default_rng(0)):
        with pytest.raises(ArgumentTypeError, match=r"pass n_graphs=.* or random_state="):
            fit.sample(wrong)
    drawn = fit.sample(n_graphs=20, random_state=3)
    assert len(drawn) == 20
    assert {tuple(graph.names) for graph in drawn} == {("a", "b", "c")}
    assert len({graph.n_edges for graph in drawn}) > 1
    again = fit.sample(n_graphs=20, random_state=3)
    assert all((one.matrix != two.matrix).nnz == 0 for one, two in zip(drawn, again, strict=True))
    assert (fit.sample(random_state=3).matrix != drawn[0].matrix).nnz == 0
    with pytest.raises(ArgumentError, match="n_graphs=0; pass n_graphs >= 1"):
        fit.sample(n_graphs=0)


def test_names_labels_and_rows():
    club = nx.karate_club_graph()
    named = nx.relabel_nodes(club, {i: f"member {i}" for i in club})
    sides = dict(named.nodes(data="club"))
    plain = lp.as_adjacency(named, weight=None)
    fit = lp.fit_block_model(plain, sides)
    assert fit.blocks.tolist() == ["Mr. Hi", "Officer"]
    assert list(fit.names) == list(plain.names)
    assert fit.labels.tolist() == list(sides.values())
    same = (lp.fit_block_model(plain, labels).B for labels in (list(sides.values()), pd.Series(sides)[::-1]))
    assert all(np.array_equal(fit.B, B) for B in same)
    rows = fit.probabilities(["member 33", "member 0"])
    assert np.allclose(rows, fit.probabilities()[[33, 0]])
    drawn = fit.sample(random_state=0)
    assert list(drawn.names) == list(plain.names)
    assert (drawn.matrix != fit.model.sample(random_state=0).adjacency).nnz == 0
    assert fit.model.sample(random_state=0).labels.tolist() == fit.labels.tolist()


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_samples_have_the_fitted_probabilities(name, directed, loops):
    # The number of edges of 30 samples is a sum of independent Bernoulli variables; five standard deviations.
    graph = example(directed, loops)
    fit = FITS[name](graph, graph.labels, loops=loops)
    p = fit.probabilities()[pairs(80, directed, loops)]
    drawn = [fit.sample(random_state=seed) for seed in range(30)]
    assert all(sample.directed == directed for sample in drawn)
    assert abs(sum(sample.n_edges for sample in drawn) - 30 * p.sum()) < 5 * np.sqrt(30 * (p * (1 - p)).sum())


def models(seed):
    """Return graphs by the model they were drawn from."""
    rng, n = np.random.default_rng(seed), 500
    weights = np.clip(0.3 + rng.pareto(2, n), 0.3, 5) / 5
    return {
        "erdos_renyi": lp.erdos_renyi(n, 0.05, random_state=seed),
        "blocks": lp.stochastic_block_model([300, 200], [[0.1, 0.03], [0.03, 0.08]], random_state=seed),
        "disassortative": lp.stochastic_block_model([300, 200], [[0.03, 0.1], [0.1, 0.04]], random_state=seed),
        "degree-corrected": lp.degree_corrected_block_model(
            [300, 200], [[1.0, 0.2], [0.2, 1.0]], weights, random_state=seed
        ),
        "dot product": lp.random_dot_product_graph(rng.dirichlet([0.5] * 3, n), random_state=seed),
    }


@pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")
@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("seed", [1001, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1002, 1003))])
def test_bic_chooses_the_model(seed):
    for truth, graph in models(seed).items():
        found = {"erdos_renyi": lp.fit_erdos_renyi(graph).bic}
        for k in (1, 2, 3):
            if k > 1:
                found["blocks", k] = lp.fit_block_model(graph, n_blocks=k).bic
            found["degree-corrected", k] = lp.fit_degree_corrected_block_model(graph, n_blocks=k).bic
            found["dot product", k] = lp.fit_random_dot_product_graph(graph, k).bic
        best = min(found, key=found.get)
        wanted = {
            "erdos_renyi": "erdos_renyi",
            "blocks": ("blocks", 2),
            "disassortative": ("blocks", 2),
            "degree-corrected": ("degree-corrected", 2),
            "dot product": ("dot product", 3),
        }
        assert best == wanted[truth], f"{truth}: {found}"


def test_known_networks():
    # Karrer & Newman (2011), figure 1: degrees must be corrected for the two sides of the karate club.
    club = nx.karate_club_graph()
    sides, plain = dict(club.nodes(data="club")), lp.as_adjacency(club, weight=None)
    corrected = lp.fit_degree_corrected_block_model(plain, sides)
    assert corrected.log_likelihood > lp.fit_block_model(plain, sides).log_likelihood + 30
    assert lp.fit_block_model(plain, sides).bic < lp.fit_erdos_renyi(plain).bic


def test_the_fit_of_a_directed_graph_keeps_its_direction():
    # arcs only from the first to the second block
    graph = lp.stochastic_block_model([300, 300], [[0.0, 0.5], [0.1, 0.0]], directed=True, random_state=0)
    for name, fit in FITS.items():
        if name != "erdos_renyi":
            p = fit(graph, graph.labels).probabilities()
            assert p[:300, 300:].mean() == pytest.approx(0.5, abs=0.03), name
            assert p[300:, :300].mean() == pytest.approx(0.1, abs=0.03), name


@pytest.mark.parametrize("name", FITS)
def test_wrong_graphs(name):
    labels = {0: "a", 1: "b", 2: "a"}
    with pytest.raises(GraphError, match=r"weights from 1 to 2.*weight=None"):
        FITS[name]([[0, 1, 2], [1, 0, 0], [2, 0, 0]], labels)
    with pytest.raises(
        GraphError, match=r'1 loops; pass loops=True, or lpgraph.as_adjacency\(graph, loops="drop"'
    ):
        FITS[name]([[1, 1, 0], [1, 0, 0], [0, 0, 0]], labels, loops=False)
    with pytest.raises(GraphError, match="one vertex and no pair"):
        FITS[name]([[0]], [0])


@pytest.mark.parametrize("fit", [lp.fit_block_model, lp.fit_degree_corrected_block_model])
def test_wrong_labels(fit):
    graph = lp.from_edges(["a", "b"], ["b", "c"])
    with pytest.raises(ArgumentError, match="pass only one of them"):
        fit(graph, [0, 0, 1], n_blocks=2)
    with pytest.raises(ArgumentError, match="no label for 1 vertices, such as 'b'"):
        fit(graph, [0, -1, 1])
    with pytest.raises(ArgumentError, match="labels has shape"):
        fit(graph, [0, 1])
    with pytest.warns(LpgraphWarning, match="a label of 1 vertex that the graph does not have, such as 'z'"):
        assert fit(graph, {"a": 0, "b": 1, "c": 1, "z": 1}).log_likelihood == fit(graph, [0, 1, 1]).log_likelihood
    with pytest.raises(ArgumentError, match="n_blocks=7 but only 3 vertices"):
        fit(graph, n_blocks=7)
    with pytest.raises(ArgumentTypeError, match="n_blocks='2' is a str"):
        fit(graph, n_blocks="2")


def test_wrong_rows():
    fit = lp.fit_erdos_renyi(lp.from_edges(["a", "b"], ["b", "c"]))
    with pytest.raises(UnknownVertexError, match="z"):
        fit.probabilities(["z"])
    large = lp.fit_erdos_renyi(lp.erdos_renyi(20000, n_edges=5, random_state=0))
    with pytest.raises(ArgumentError, match="20000 rows of 20000 probabilities are more than 134217728"):
        large.probabilities()
    assert large.probabilities([3]).shape == (1, 20000)
