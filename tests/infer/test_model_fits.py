"""Models fitted to a graph: likelihoods, parameters, samples, comparison, choice by BIC, search for blocks."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning, UnknownVertexError
from lpgraph.infer.fit.block_model import Blocks
from lpgraph.infer.fit.model_fit import compare_samples

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
    monkeypatch.setattr("lpgraph.infer.fit.model_fit._CELLS", 500)  # many blocks of rows
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
    monkeypatch.setattr("lpgraph.infer.fit.model_fit._CELLS", 7000)  # many blocks of rows
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


@pytest.mark.parametrize("name", FITS)
def test_wrong_graphs(name):
    for graph, labels, options, message in (
        ([[0, 1, 2], [1, 0, 0], [2, 0, 0]], [0, 1, 0], {}, "weight=None"),
        ([[1, 1, 0], [1, 0, 0], [0, 0, 0]], [0, 1, 0], {"loops": False}, "1 loops; pass loops=True"),
        ([[0]], [0], {}, "one vertex"),
    ):
        with pytest.raises(GraphError, match=message):
            FITS[name](graph, labels, **options)


@pytest.mark.parametrize("fit", [lp.fit_block_model, lp.fit_degree_corrected_block_model])
def test_wrong_labels_and_numbers(fit):
    graph = lp.from_edges(["a", "b"], ["b", "c"])
    for labels, n_blocks, message in (
        ([0, 0, 1], 2, "pass only one"),
        ([0, -1, 1], None, "labels has no label of 'b'"),
        ([0, 1], None, "labels has shape"),
        (None, 7, "n_blocks=7 but only 3"),
        (None, "2", "n_blocks='2'"),
        (None, [], "n_blocks is empty"),
    ):
        with pytest.raises((ArgumentError, ArgumentTypeError), match=message):
            fit(graph, labels, n_blocks=n_blocks)
    with pytest.warns(LpgraphWarning, match="'z'"):
        assert fit(graph, {"a": 0, "b": 1, "c": 1, "z": 1}).log_likelihood == fit(graph, [0, 1, 1]).log_likelihood


def test_wrong_rows_and_samples():
    fit = lp.fit_erdos_renyi(lp.from_edges(["a", "b"], ["b", "c"]))
    with pytest.raises(UnknownVertexError, match="z"):
        fit.probabilities(["z"])
    with pytest.raises(TypeError):
        fit.sample(10)
    with pytest.raises(ArgumentError, match="n_graphs=0"):
        fit.sample(n_graphs=0)
    with pytest.raises(ArgumentError, match="n_graphs=1"):
        fit.compare(1)
    large = lp.fit_erdos_renyi(lp.erdos_renyi(20000, n_edges=5, random_state=0))
    with pytest.raises(ArgumentError, match="20000 rows"):
        large.probabilities()
    assert large.probabilities([3]).shape == (1, 20000)


def weighted(directed=False):
    weights = np.random.default_rng(0).uniform(0.2, 1, 90)
    return lp.as_adjacency(
        lp.degree_corrected_block_model(
            [50, 40], [[0.6, 0.1], [0.1, 0.5]], weights, directed=directed, loops=True, random_state=1
        )
    )


@pytest.mark.parametrize("directed", [False, True])
def test_properties_agree_with_networkx(directed):
    graph = weighted(directed)
    found = compare_samples(graph, [graph, graph])
    plain = graph.to_networkx()
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    undirected = nx.Graph(plain)
    values = dict(zip(found.quantities, found.network, strict=True))
    assert values["edges"] == graph.n_edges
    assert values["triangles"] == sum(nx.triangles(undirected).values()) / 3
    assert values["clustering"] == pytest.approx(nx.transitivity(undirected))
    assert values["components"] == nx.number_connected_components(undirected)
    assert values["largest component"] == max(map(len, nx.connected_components(undirected)))
    sides = [("out-degree", plain.out_degree), ("in-degree", plain.in_degree)] if directed else []
    for side, degrees in sides or [("degree", plain.degree)]:
        numbers = [degree for _, degree in degrees()]
        assert values[f"maximum {side}"] == max(numbers)
        assert values[f"{side}, upper quartile"] == np.quantile(numbers, 0.75)
    dense = graph.matrix.toarray()
    if directed:
        assert values["reciprocity"] == pytest.approx(nx.overall_reciprocity(plain))
        exact = np.linalg.svd(dense, compute_uv=False)
    else:
        exact = np.sort(np.abs(np.linalg.eigvalsh(dense)))[::-1]
    leading = [value for name, value in values.items() if name.split(" ")[0] in ("singular", "eigenvalue")]
    assert np.allclose(leading, exact[:5], rtol=1e-3)
    # Samples that are the network itself: nothing differs.
    assert not found.z.any()
    assert not found.standard_deviation.any()


@pytest.mark.parametrize("name", FITS)
def test_every_fit_is_compared(name):
    graph = example(True, True)
    fitted = FITS[name](graph, graph.labels)
    found = fitted.compare(6, random_state=3)
    assert found.samples.shape == (6, len(found.quantities))
    rows = compare_samples(fitted.graph, fitted.sample(n_graphs=6, random_state=3))
    assert np.array_equal(found.samples, rows.samples)
    assert np.array_equal(found.network, rows.network)
    # The number of edges is expected, with a standard deviation of at most 40.
    assert abs(found.z[found.quantities.index("edges")]) < 6


def test_a_property_that_the_model_lacks_is_seen():
    # 40 disjoint triangles: an Erdos-Renyi graph of 120 vertices with mean degree 2 has 4/3 triangles on average.
    graph = lp.as_adjacency(nx.disjoint_union_all([nx.complete_graph(3)] * 40))
    found = lp.fit_erdos_renyi(graph).compare(random_state=0)
    table = found.table(backend="pandas").set_index("quantity")
    assert table.loc["triangles", "network"] == 40
    assert table.loc["triangles", "z"] > 20
    assert 0 < table.loc["triangles", "mean"] < 3
    assert table.loc["clustering", "network"] == 1
    assert abs(table.loc["edges", "z"]) < 4
    assert table.loc["components", "5%"] <= table.loc["components", "mean"] <= table.loc["components", "95%"]
    assert found.table(backend="polars").shape == table.reset_index().shape
    row = next(line for line in repr(found).splitlines() if line.startswith("triangles"))
    assert row.split()[1] == "40"


def test_comparisons_without_edges_and_without_spread():
    found = lp.fit_block_model(nx.empty_graph(5), [0, 0, 0, 1, 1]).compare(3)
    assert not found.z.any()
    assert found.network.tolist() == [0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0, 0, 0]
    # All samples of the complete graph are complete; a path is another value of the same property.
    complete, path = lp.as_adjacency(nx.complete_graph(4)), lp.as_adjacency(nx.path_graph(4))
    found = compare_samples(path, [complete, complete])
    assert found.z[0] == -np.inf
    assert "-inf" in repr(found)


def small_example(directed, loops):
    rng = np.random.default_rng(1)
    B = rng.uniform(0.05, 0.6, (4, 4))
    B = B if directed else (B + B.T) / 2
    graph = lp.stochastic_block_model([9, 8, 7, 6], B, directed=directed, loops=loops, random_state=2)
    return lp.as_adjacency(graph), rng.integers(0, 5, 30)


def blocks_of(graph, labels, loops):
    return Blocks(graph, labels, loops=loops, estimated=True)


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_the_criterion_is_that_of_the_fit(directed, loops):
    graph, labels = small_example(directed, loops)
    partition = blocks_of(graph, labels, loops)
    fit = lp.fit_block_model(graph, labels, loops=loops)
    sizes = partition.sizes
    found = -2 * (sizes * np.log(sizes / 30)).sum() + 4 * np.log(30)  # blocks that were found
    assert partition.criterion == pytest.approx(fit.bic + found)


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_the_cheapest_pair_is_merged(directed, loops):
    graph, labels = small_example(directed, loops)
    partition = blocks_of(graph, labels, loops)
    merged = {
        (a, b): blocks_of(graph, np.where(labels == b, a, labels), loops).criterion
        for a, b in itertools.combinations(range(5), 2)
    }
    assert partition.merged(4).criterion == pytest.approx(min(merged.values()))
    # The costs differ from the criterion by its terms of the number of blocks, which are those of all pairs.
    costs = partition._costs()
    differences = [2 * costs[pair] - value for pair, value in merged.items()]
    assert np.ptp(differences) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_moves_choose_the_block_of_largest_likelihood(directed, loops):
    graph, _ = small_example(directed, loops)
    labels = np.repeat([0, 1, 2, 3], [9, 8, 7, 6])
    labels[::7] = 0
    partition = blocks_of(graph, labels, loops)
    a, p = graph.matrix.toarray(), (partition.edges + 0.5) / (partition.pairs + 1)
    scores = np.tile(np.log(partition.sizes / 30), (30, 1))
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
    assert np.array_equal(partition.moved().codes, best)


def test_no_move_empties_a_block_and_none_makes_the_criterion_larger():
    graph = lp.as_adjacency(lp.erdos_renyi(60, 0.2, random_state=0))
    labels = np.random.default_rng(0).integers(0, 12, 60)
    partition = blocks_of(graph, labels, False)
    for _ in range(10):
        partition = partition.moved()
        assert partition.count == 12
    assert blocks_of(graph, labels, False).improved(10).criterion <= blocks_of(graph, labels, False).criterion


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
