"""Models fitted to a graph: likelihoods, parameters, samples, comparison, choice by BIC, search for blocks."""

import itertools
from functools import partial

import networkx as nx
import numpy as np
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
    options = {"directed": directed, "loops": loops, "random_state": 1}
    return lp.degree_corrected_block_model([n // 2] * 2, [[0.9, 0.3], [0.3, 0.8]], weights, **options)


def pairs(n, directed, loops):
    every = loops | ~np.eye(n, dtype=bool)
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
    assert (fit.model.directed, fit.model.loops) == (directed, loops)
    assert loops or not fit.probabilities().diagonal().any()
    assert fit.bic == fit.penalty - 2 * fit.log_likelihood
    # Of n weights of a side, the sum in each of two blocks is 1; rotations of positions change no product.
    n_pairs, sides = (4 if directed else 3), 1 + directed
    counts = [1, n_pairs, n_pairs + sides * (80 - 2), sides * 80 * 2 - (4 if directed else 1)]
    assert fit.n_parameters == dict(zip(FITS, counts, strict=True))[name]


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_degree_corrected_parameters_have_the_largest_likelihood(directed, loops):
    # a quasi-Newton method started at the fit, in logarithms of all weights, gains nothing
    n = 30
    graph = example(directed, loops, n)
    fit = lp.fit_degree_corrected_block_model(graph, graph.labels, loops=loops)
    where, a = pairs(n, directed, loops), graph.adjacency.toarray()
    B = fit.B[graph.labels[:, None], graph.labels]

    def loss(logs):
        out, into = np.exp(np.split(logs, 2) if directed else (logs, logs))
        means = (out[:, None] * B * into)[where]
        # The scale of weights is that of B, so that B needs no variables.
        return -np.where(a[where] > 0, np.log(-np.expm1(-means)), -means).sum()

    start = np.log(np.concatenate([fit.weights, fit.weights_in] if directed else [fit.weights]))
    assert loss(start) == pytest.approx(-fit.log_likelihood)
    assert minimize(loss, start, method="L-BFGS-B").fun > -fit.log_likelihood - 0.01
    start += np.random.default_rng(0).normal(size=len(start))
    assert minimize(loss, start, method="L-BFGS-B", options={"maxiter": 500}).fun > -fit.log_likelihood - 0.05
    for weights in (fit.weights, fit.weights_in):
        assert np.bincount(graph.labels, weights) == pytest.approx([1, 1])


def test_isolated_and_full_vertices():
    star = nx.disjoint_union(nx.star_graph(6), nx.empty_graph(1))
    fit = lp.fit_degree_corrected_block_model(star, [0] * 8)
    assert fit.weights[7] == 0
    assert not fit.probabilities([7]).any()
    assert np.isfinite(fit.log_likelihood)
    for name, make in FITS.items():
        assert -np.inf < make(nx.complete_graph(6), [0] * 6).log_likelihood <= 0, name
    for fit in (lp.fit_block_model, lp.fit_degree_corrected_block_model):
        assert fit(nx.empty_graph(5), [0, 0, 0, 1, 1]).log_likelihood == 0


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_products_are_rescaled_and_clipped(directed, loops):
    graph = example(directed, loops)
    fit = lp.fit_random_dot_product_graph(graph, 10, loops=loops)
    ase = lp.AdjacencySpectralEmbedding(10).fit(graph)
    signs, into = (1, ase.embedding_in_) if directed else (ase.signature_, ase.embedding_)
    products = (ase.embedding_ * signs) @ into.T
    adjacency = lp.as_adjacency(graph)
    floors = 0.1 * np.outer(adjacency.degrees, adjacency.in_degrees) / adjacency.degrees.sum()
    # The factors of the vertices, from positions that are multiples of those of the embedding; positive
    # eigenvalues are first.
    first = 0 if directed else int(ase.signature_.argmax())
    c, c_in = fit.positions[:, 0] / ase.embedding_[:, first], fit.positions_in[:, 0] / into[:, first]
    assert (c > 0).all()
    expected = np.minimum(np.outer(c, c_in) * np.maximum(products, floors), fit.high)
    where, at_bound = pairs(80, directed, loops), (products < floors) | (expected >= fit.high)
    assert np.allclose(fit.probabilities()[where], expected[where])
    assert fit.clipped == pytest.approx(at_bound[where].mean())
    assert 0.01 < fit.clipped < 0.5
    plain = np.clip(products, floors, fit.high)
    np.fill_diagonal(plain, plain.diagonal() * loops)
    assert fit.excess == pytest.approx(plain.sum() / adjacency.degrees.sum() - 1)


@pytest.mark.parametrize("d", [1, 4, 30])
@pytest.mark.parametrize("directed", [False, True])
def test_expected_degrees_are_those_of_the_graph(directed, d, monkeypatch):
    monkeypatch.setattr("lpgraph.infer.fit.model_fit._CELLS", 7000)  # many blocks of rows
    # Clipping gives the undirected network a third more edges, and the directed one half as many.
    weights = np.clip(0.1 + 0.2 * np.random.default_rng(0).pareto(1.5, 300), 0, 1.5)
    B, options = [[0.4, 0.02], [0.02, 0.4]], {"directed": directed, "random_state": 2}
    graph = lp.as_adjacency(lp.degree_corrected_block_model([150, 150], B, weights, **options))
    fit = lp.fit_random_dot_product_graph(graph, d)
    p = fit.probabilities()
    # Passes end at 0.02 roots of the degree, and the standard deviation of a degree is nearly its root.
    for degrees, expected in (graph.degrees, p.sum(axis=1)), (graph.in_degrees, p.sum(axis=0)):
        assert (np.abs(expected - degrees) <= 0.0201 * np.sqrt(np.maximum(degrees, 1))).all()
        assert not expected[degrees == 0].any()
    assert abs(fit.excess) > 0.03


def test_names_labels_and_rows():
    club = nx.karate_club_graph()
    named = nx.relabel_nodes(club, {i: f"member {i}" for i in club})
    sides = dict(named.nodes(data="club"))
    plain = lp.as_adjacency(named, weight=None)
    fit = lp.fit_block_model(plain, sides)
    assert fit.blocks.tolist() == ["Mr. Hi", "Officer"]
    assert np.allclose(fit.probabilities(["member 33", "member 0"]), fit.probabilities()[[33, 0]])
    drawn, of_model = fit.sample(random_state=0), fit.model.sample(random_state=0)
    assert list(fit.names) == list(drawn.names) == list(plain.names)
    assert (drawn.matrix != of_model.adjacency).nnz == 0
    assert of_model.labels.tolist() == fit.labels.tolist() == list(sides.values())


@pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")
@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("seed", [1001, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1002, 1003))])
def test_bic_chooses_the_model(seed):
    rng, n, sizes = np.random.default_rng(seed), 500, [300, 200]
    weights = np.clip(0.3 + rng.pareto(2, n), 0.3, 5) / 5
    drawn = partial(lp.degree_corrected_block_model, sizes, [[1.0, 0.2], [0.2, 1.0]], weights)
    for wanted, model in (
        (("erdos_renyi", 1), partial(lp.erdos_renyi, n, 0.05)),
        (("blocks", 2), partial(lp.stochastic_block_model, sizes, [[0.1, 0.03], [0.03, 0.08]])),
        (("blocks", 2), partial(lp.stochastic_block_model, sizes, [[0.03, 0.1], [0.1, 0.04]])),
        (("degree-corrected", 2), drawn),
        (("dot product", 3), partial(lp.random_dot_product_graph, rng.dirichlet([0.5] * 3, n))),
    ):
        graph = model(random_state=seed)
        found = {("erdos_renyi", 1): lp.fit_erdos_renyi(graph).bic}
        for k in (1, 2, 3):
            found["degree-corrected", k] = lp.fit_degree_corrected_block_model(graph, n_blocks=k).bic
            found["dot product", k] = lp.fit_random_dot_product_graph(graph, k).bic
        found |= {("blocks", k): lp.fit_block_model(graph, n_blocks=k).bic for k in (2, 3)}
        assert min(found, key=found.get) == wanted, found


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
    with pytest.raises(ArgumentError, match="n_graphs=1"):
        fit.compare(1)
    large = lp.fit_erdos_renyi(lp.erdos_renyi(20000, n_edges=5, random_state=0))
    with pytest.raises(ArgumentError, match="20000 rows"):
        large.probabilities()
    assert large.probabilities([3]).shape == (1, 20000)


@pytest.mark.parametrize("directed", [False, True])
def test_properties_agree_with_networkx(directed):
    graph = lp.as_adjacency(example(directed, True))
    found = compare_samples(graph, [graph, graph])
    plain = graph.to_networkx()
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    undirected = nx.Graph(plain)
    values = dict(zip(found.quantities, found.network, strict=True))
    expected = {
        "edges": graph.n_edges,
        "triangles": sum(nx.triangles(undirected).values()) / 3,
        "clustering": nx.transitivity(undirected),
        "components": nx.number_connected_components(undirected),
        "largest component": max(map(len, nx.connected_components(undirected))),
    } | ({"reciprocity": nx.overall_reciprocity(plain)} if directed else {})
    for side in ("out_degree", "in_degree") if directed else ("degree",):
        numbers, side = [degree for _, degree in getattr(plain, side)()], side.replace("_", "-")
        expected |= {f"maximum {side}": max(numbers), f"{side}, upper quartile": np.quantile(numbers, 0.75)}
    assert {key: values[key] for key in expected} == pytest.approx(expected)
    exact = np.linalg.svd(graph.matrix.toarray(), compute_uv=False)
    leading = [value for name, value in values.items() if name.split(" ")[0] in ("singular", "eigenvalue")]
    assert np.allclose(leading, exact[:5], rtol=1e-3)
    # Samples that are the network itself: nothing differs.
    assert not found.z.any() | found.standard_deviation.any()


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_samples_have_the_fitted_probabilities_and_are_compared(name, directed, loops):
    graph = example(directed, loops)
    fit = FITS[name](graph, graph.labels, loops=loops)
    found = fit.compare(30, random_state=3)
    # The number of edges of 30 samples is a sum of independent Bernoulli variables; five standard deviations.
    p, edges = fit.probabilities()[pairs(80, directed, loops)], found.samples[:, found.quantities.index("edges")]
    assert abs(edges.sum() - 30 * p.sum()) < 5 * np.sqrt(30 * (p * (1 - p)).sum())


def test_a_property_that_the_model_lacks_is_seen():
    # 40 disjoint triangles: an Erdos-Renyi graph of 120 vertices with mean degree 2 has 4/3 triangles on average.
    graph = lp.as_adjacency(nx.disjoint_union_all([nx.complete_graph(3)] * 40))
    found = lp.fit_erdos_renyi(graph).compare(random_state=0)
    table = found.table().set_index("quantity")
    assert table["network"][["triangles", "clustering"]].tolist() == [40, 1]
    assert table["z"]["triangles"] > 20 > 4 > abs(table["z"]["edges"])
    assert 0 < table["mean"]["triangles"] < 3
    assert table["5%"]["components"] <= table["mean"]["components"] <= table["95%"]["components"]


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
    return lp.as_adjacency(graph), rng.integers(0, 5, 30), partial(Blocks, loops=loops, estimated=True)


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_the_criterion_is_that_of_the_fit_and_the_cheapest_pair_is_merged(directed, loops):
    graph, labels, blocks = small_example(directed, loops)
    partition = blocks(graph, labels)
    fit = lp.fit_block_model(graph, labels, loops=loops)
    sizes = partition.sizes
    found = -2 * (sizes * np.log(sizes / 30)).sum() + 4 * np.log(30)  # blocks that were found
    assert partition.criterion == pytest.approx(fit.bic + found)
    every = itertools.combinations(range(5), 2)
    merged = [blocks(graph, np.where(labels == b, a, labels)).criterion for a, b in every]
    assert partition.merged(4).criterion == pytest.approx(min(merged))


@pytest.mark.parametrize(("directed", "loops"), CASES)
def test_moves_choose_the_block_of_largest_likelihood(directed, loops):
    graph, _, blocks = small_example(directed, loops)
    labels = np.repeat([0, 1, 2, 3], [9, 8, 7, 6])
    labels[::7] = 0
    partition = blocks(graph, labels)
    a, p = graph.matrix.toarray(), (partition.edges + 0.5) / (partition.pairs + 1)
    scores = np.tile(np.log(partition.sizes / 30), (30, 1))
    for rows, rates in [(a, p.T), (a.T, p)][: 1 + directed]:
        q = rates[labels]
        # A loop is an edge to the block that the vertex has.
        scores += rows @ (np.log(q) - np.log1p(-q)) + (1 - np.eye(30)) @ np.log1p(-q)
    best = scores.argmax(axis=1)
    assert len(set(best)) == 4  # no block loses all its vertices
    assert not np.array_equal(best, labels)
    assert np.array_equal(partition.moved().codes, best)
    assert partition.improved(10).criterion <= partition.criterion


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


@pytest.mark.parametrize("n_blocks", [1, 2, 9, 30])
def test_as_many_blocks_as_asked_for(n_blocks):
    graph = lp.stochastic_block_model([50, 50], [[0.3, 0.1], [0.1, 0.2]], random_state=0)
    assert len(lp.fit_block_model(graph, n_blocks=n_blocks).blocks) == n_blocks
    assert len(lp.fit_block_model(graph, n_blocks=[n_blocks, 40]).blocks) == n_blocks


def test_many_blocks_and_special_graphs():
    # More than a third of the first path, which has 24.
    graph = lp.stochastic_block_model([40] * 15, 0.02 + 0.4 * np.eye(15), random_state=0)
    assert adjusted_rand_score(graph.labels, lp.fit_block_model(graph).labels) == 1
    parts = nx.disjoint_union_all([nx.complete_graph(20), nx.complete_graph(30), nx.empty_graph(10)])
    assert lp.fit_block_model(parts).labels.tolist() == [1] * 20 + [0] * 30 + [2] * 10
    assert all(len(lp.fit_block_model(graph).blocks) == 1 for graph in (nx.empty_graph(5), nx.path_graph(2)))
    with pytest.raises(ArgumentError, match="n_blocks=4: 2 positions are distinct"):
        lp.fit_block_model(nx.complete_bipartite_graph(4, 5), n_blocks=4)
