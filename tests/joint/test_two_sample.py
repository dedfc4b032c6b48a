"""Tests of two networks: exactness, levels by simulation, agreement with scipy, and wrong input."""

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse, stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.infer import two_sample_test
from lpgraph.joint import two_sample
from lpgraph.joint.two_sample import _gaps

pytestmark = pytest.mark.filterwarnings("ignore:A network has:lpgraph.errors.LpgraphWarning")

ASSORTATIVE, DISASSORTATIVE = [[0.5, 0.1], [0.1, 0.5]], [[0.1, 0.5], [0.5, 0.1]]


def blocks(b, seed, n=40, **options):
    return lp.as_adjacency(lp.stochastic_block_model([n // 2] * 2, b, random_state=seed, **options))


def weighted(b, seed):
    matrix = sparse.csr_array(sparse.triu(blocks(b, seed).matrix))
    matrix.data = np.random.default_rng(seed).gamma(2.0, size=matrix.nnz)
    return lp.as_adjacency(sparse.csr_array(matrix + matrix.T))


def directed(b, seed):
    return blocks(b, seed, directed=True)


LEVELS = [
    (blocks, 2),
    (weighted, 2),
    (directed, 2),
    (blocks, None),
]


@pytest.mark.parametrize(("draw", "n_components"), LEVELS)
def test_exchange_holds_its_level(draw, n_components):
    # 19 draws, so that p <= .05 has the probability 1 / 20: of 120 runs 6 +- 2.4, and more than 14 with .0008.
    rejected = 0
    for run in range(120):
        pair = (draw(DISASSORTATIVE, 2 * run + k) for k in range(2))
        options = {"n_components": n_components, "n_draws": 19, "random_state": run}
        rejected += two_sample_test(*pair, **options).p_value <= 0.05
    assert 1 <= rejected <= 14


@pytest.mark.parametrize("draw", [blocks, weighted, directed])
def test_exchange_is_the_squared_displacement(draw):
    a, b = draw(DISASSORTATIVE, 0), draw([[0.1, 0.5], [0.5, 0.9]], 1)
    A, B = a.matrix.toarray(), b.matrix.toarray()
    U, s, Vt = np.linalg.svd(A + B)
    sides = [(A - B) @ Vt[:2].T] + [(A - B).T @ U[:, :2]] * (draw is directed)
    expected = sum(np.square(side / s[:2]).sum() for side in sides)
    found = two_sample_test(a, b, n_components=2)
    assert found.statistic == pytest.approx(expected, rel=1e-6)
    assert found.p_value == 0.001
    assert repr(found) == "TwoSample(exchange: p = 0.001, at the level of 5 % the networks differ)"
    groups = np.arange(40) % 5
    means = [np.square(sum(np.eye(40)[groups == g]) @ side / s[:2]).sum() / 8 for g in range(5) for side in sides]
    assert two_sample_test(a, b, n_components=2, groups=groups).statistic == pytest.approx(sum(means), rel=1e-6)


def test_vertices_are_matched_by_name():
    a, b = blocks(ASSORTATIVE, 0), blocks(ASSORTATIVE, 3)
    order = np.random.default_rng(0).permutation(40)
    turned = lp.as_adjacency(b.matrix[order][:, order], names=order.tolist())
    assert two_sample_test(a, turned, n_components=2).statistic == pytest.approx(
        two_sample_test(a, b, n_components=2).statistic
    )
    again = two_sample_test(a, b)
    assert (again.p_value, repr(again)[-23:-1]) == (two_sample_test(a, b).p_value, "no difference is shown")


def test_groups_that_changed_are_found():
    a, b = blocks(DISASSORTATIVE, 0, 100), blocks([[0.1, 0.5], [0.5, 0.25]], 1, 100)
    names = np.repeat(["same", "other"], 50)
    parts = two_sample_test(a, b, n_components=2, groups=names).parts
    assert parts["group"].tolist() == ["same", "other"]
    assert parts["p_value"][0] > 0.05 >= parts["p_value"][1]
    same = two_sample_test(a, a, n_components=2, groups=names)
    assert same.p_value == 1
    assert (same.parts["p_value"] == 1).all()


@pytest.mark.parametrize("b", [ASSORTATIVE, DISASSORTATIVE])
def test_bootstrap_and_distribution_keep_the_signature(b):
    changed = np.array(b) + np.diag([0, 0.3])
    for method, n, m in (("bootstrap", 60, 60), ("distribution", 100, 150)):
        options = {"method": method, "n_components": 2, "n_draws": 99}
        same = two_sample_test(blocks(b, 0, n), blocks(b, 1, m), **options)
        differ = two_sample_test(blocks(b, 0, n), blocks(changed, 1, m), **options)
        assert same.p_value > 0.05
        assert differ.p_value <= 0.05
        assert "draws of one" in same.null


def test_distribution_holds_its_level():
    # Blocks whose sizes are drawn. Conservative: of 40 runs at most 2 expected; more than 6 has probability .003.
    rejected = 0
    for run in range(40):
        rng = np.random.default_rng(run)
        sizes = [(first := rng.binomial(n, 0.5), n - first) for n in (60, 90)]
        a, b = (lp.stochastic_block_model(size, DISASSORTATIVE, random_state=rng) for size in sizes)
        found = two_sample_test(a, b, n_components=2, n_draws=99, random_state=run)
        assert found.method == "distribution"
        rejected += found.p_value <= 0.05
    assert rejected <= 6


def test_small_networks_are_warned_of():
    graphs = [lp.erdos_renyi(n, 0.3, random_state=n) for n in (199, 220)]
    with pytest.warns(lp.errors.LpgraphWarning, match="has 199 vertices, so that up to 22 %"):
        two_sample_test(*graphs, method="distribution", n_components=1, n_draws=9)


def test_positions_in_a_smaller_network_have_more_noise():
    # One position. At the level of 5 %, more than 4 of 10 pairs are rejected with the probability .0001.
    graphs = [[lp.erdos_renyi(n, 0.3, random_state=run) for n in (50, 400)] for run in range(10)]
    found = [two_sample_test(*pair, method="distribution", n_components=1, n_draws=99) for pair in graphs]
    assert sum(of.p_value <= 0.05 for of in found) <= 4


def test_kernel_distances_do_not_depend_on_the_alignment():
    # Up to the square of a small rotation or hyperbolic transformation.
    rng = np.random.default_rng(0)
    x, y = rng.normal([1, 0], [0.1, 0.5], (60, 2)), rng.normal([1, 0.1], [0.1, 0.5], (90, 2))
    first = np.repeat([1.0, 0.0], [60, 90])[:, None]
    for other, sign in ((1, -1), (-1, 1)):
        turns = [linalg.expm(t * np.array([[0, 1], [sign, 0]])) for t in (0, 1e-3, -1e-3)]
        gaps = [_gaps(x @ turn, y, np.array([1, other]), np.ones((1, 2)), first).item() for turn in turns]
        assert abs(gaps[1] - gaps[2]) < 1e-3 * gaps[0]


def test_the_closest_of_several_plausible_reflections_is_observed(monkeypatch):
    # With one that is drawn, 8 % of pairs with blocks of 45 and 55 % are rejected at the level of 5 %.
    given = []
    monkeypatch.setattr(two_sample, "_gaps", lambda *of: given.append((of[3], found := _gaps(*of))) or found)
    a, b = blocks(ASSORTATIVE, 0, 60), blocks(ASSORTATIVE, 1, 90)
    for seed in range(8):
        two_sample_test(a, b, n_components=2, n_draws=19, random_state=seed)
    for reflections, gaps in given[1::2]:
        assert len(reflections) > 1
        assert (reflections[gaps[:, 0].argmin()] == 1).all()


def test_large_networks_are_compared_by_some_vertices_in_ten_dimensions(monkeypatch):
    monkeypatch.setattr(two_sample, "_VERTICES", 60)
    monkeypatch.setattr(two_sample, "_DIMENSIONS", 3)
    sizes = []
    monkeypatch.setattr(two_sample, "_gaps", lambda *of: sizes.append([z.shape for z in of[:2]]) or _gaps(*of))
    b = np.full((5, 5), 0.05) + np.diag([0.6, 0.7, 0.8, 0.9, 0.5])
    a, b = (lp.stochastic_block_model([n // 5] * 5, b, random_state=n) for n in (100, 150))
    two_sample_test(a, b, n_draws=19)
    assert sizes == [[(60, 3), (60, 3)]] * 2
    with pytest.raises(ArgumentError, match=r"n_components=5 .* 3, of both signs; pass n_components <= 3"):
        two_sample_test(a, b, n_components=5)


@pytest.mark.parametrize("of", ["undirected", "directed"])
def test_densities_are_those_of_scipy(of):
    a, b = (blocks(ASSORTATIVE, k, 20 + 10 * k, directed=of == "directed") for k in range(2))
    edges, possible = ([value(g) for g in (a, b)] for value in (lambda g: g.n_edges, lambda g: g.n_vertices))
    pairs = np.array([n * (n - 1) // (1 if of == "directed" else 2) for n in possible])
    tables = np.stack([edges, pairs - edges])
    found = two_sample_test(a, b, method="density")
    assert found.p_value == pytest.approx(stats.chi2_contingency(tables, correction=False).pvalue)
    assert found.parts["density_a"][0] == pytest.approx(nx.density(a.to_networkx()))
    groups = tuple(np.repeat(["x", "y"], g.n_vertices // 2) for g in (a, b))
    found = two_sample_test(a, b, method="blocks", groups=groups)
    assert len(found.parts) == (4 if of == "directed" else 3)
    k = found.parts.set_index(["source", "target"]).index.get_loc(("x", "x"))
    halves = [g.matrix[: g.n_vertices // 2, : g.n_vertices // 2] for g in (a, b)]
    shares = [half.nnz / (half.shape[0] * (half.shape[0] - 1)) for half in halves]
    assert found.parts.loc[k, ["density_a", "density_b"]].tolist() == pytest.approx(shares)
    assert found.p_value == pytest.approx(stats.combine_pvalues(found.parts["p_value"], "tippett").pvalue)


def test_adjusted_blocks_have_one_ratio():
    a, b = blocks(ASSORTATIVE, 0, 200), blocks(np.array(ASSORTATIVE) / 2, 1, 200)
    groups = np.repeat([0, 1], 100)
    assert two_sample_test(a, b, method="blocks", groups=groups).p_value < 1e-6
    assert two_sample_test(a, b, method="adjusted blocks", groups=groups).p_value > 0.05
    assert two_sample_test(a, a, method="adjusted blocks", groups=groups).p_value == pytest.approx(1)
    moved = blocks(DISASSORTATIVE, 2, 200)
    assert two_sample_test(a, moved, method="adjusted blocks", groups=groups).p_value < 1e-6
    complete = nx.complete_graph(6)
    assert two_sample_test(complete, complete, method="density").p_value == 1


def test_p_values_of_a_ratio_of_densities_are_uniform():
    # The share of 4000 that is at most .05 has the standard error .0034.
    rng, pairs = np.random.default_rng(0), np.full((2, 4000), 400)
    p = two_sample._same_ratio(rng.binomial(pairs, [[0.2], [0.5]]), pairs, 0.4)
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.01)


def test_loops_are_no_edges_of_densities():
    graph = nx.path_graph(6)
    looped = nx.Graph([*graph.edges, (0, 0), (1, 1)])
    parts = two_sample_test(graph, looped, method="density").parts
    assert parts["density_a"][0] == parts["density_b"][0] == pytest.approx(1 / 3)


SMALL, OTHER, LOOP = nx.path_graph(5), nx.path_graph(4), nx.DiGraph([(0, 1), (1, 2)])
WEIGHTED = nx.Graph()
WEIGHTED.add_weighted_edges_from((i, i + 1, 0.5 + i) for i in range(4))
WRONG = [
    (lambda: two_sample_test(SMALL, OTHER, method="exchange"), ArgumentError, "pass method='distribution'"),
    (lambda: two_sample_test(SMALL, LOOP), GraphError, "Only one of a and b is directed"),
    (lambda: two_sample_test(SMALL, nx.empty_graph(5)), GraphError, "no edge"),
    (lambda: two_sample_test(SMALL, SMALL, groups=[0, 1]), ArgumentError, "for each of 5"),
    (lambda: two_sample_test(SMALL, SMALL, groups=[[0]] * 5), ArgumentError, "pass a text or number"),
    (lambda: two_sample_test(SMALL, SMALL, groups=[None] * 5), ArgumentError, "has no label; pass the group"),
    (lambda: two_sample_test(SMALL, SMALL, method="blocks"), ArgumentError, "pass the group of each vertex"),
    (lambda: two_sample_test(SMALL, OTHER, groups=[0] * 5), ArgumentError, "does not use groups"),
    (lambda: two_sample_test(SMALL, OTHER, method="blocks", groups=[0] * 5), ArgumentError, "a tuple of two"),
    (lambda: two_sample_test(LOOP, LOOP, method="bootstrap"), ArgumentError, "as_adjacency.graph, weight=None"),
    (lambda: two_sample_test(WEIGHTED, WEIGHTED, method="bootstrap"), ArgumentError, "unweighted"),
    (lambda: two_sample_test(LOOP, LOOP, method="distribution"), ArgumentError, "undirected"),
    (lambda: two_sample_test(SMALL, SMALL, method="blocks", groups=([0] * 5, [1] * 5)), ArgumentError, "names of"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
def test_wrong_input_is_refused_with_a_remedy(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_groups_in_the_order_of_the_first_network_belong_to_both():
    graph = blocks(ASSORTATIVE, 0, n=100)
    order = np.random.default_rng(0).permutation(100)
    found = lp.infer.two_sample_test(graph, graph.take(order), method="blocks", groups=[0] * 50 + [1] * 50)
    assert found.p_value == pytest.approx(1.0)


def test_p_values_are_not_zero():
    a, b = nx.complete_graph(60), nx.erdos_renyi_graph(61, 0.01, seed=0)
    assert 0 < two_sample_test(a, b, method="density").p_value < 1e-300
