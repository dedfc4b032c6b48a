"""Changes of vertices, of sequences and between groups of networks: levels, power, and wrong input."""

import networkx as nx
import numpy as np
import pandas
import pytest
from scipy import sparse, stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, NotFittedError
from lpgraph.infer import change_points, population_test, vertex_changes
from lpgraph.joint.changes import _scores, _spread
from lpgraph.joint.two_sample import compared

UASE = lp.joint.UnfoldedEmbedding
B = np.array([[0.5, 0.1], [0.1, 0.5]])


def sampled(p, rng, directed=False):
    """A network with these probabilities of edges."""
    matrix = rng.random(p.shape) < p
    matrix = np.tril(matrix, -1) + np.triu(matrix, 1) if directed else np.triu(matrix, 1)
    return lp.as_adjacency((matrix if directed else matrix + matrix.T).astype(float), directed=directed)


def two_days(seed, moved=12, n=120, directed=False):
    """Two networks, between which the first vertices change block."""
    rng, labels = np.random.default_rng(seed), np.arange(n) % 2
    after = np.where(np.arange(n) < moved, 1 - labels, labels)
    return [sampled(B[of][:, of], rng, directed) for of in (labels, after)]


@pytest.mark.parametrize("directed", [False, True])
def test_vertices_that_changed_are_found(directed):
    # The mean share of false discoveries is at most .05; that of 40 has the standard error .011.
    false, found = [], []
    for seed in range(40):
        changed = vertex_changes(UASE(2).fit(two_days(seed, directed=directed)), 0, 1).changed
        false.append(np.mean(np.array(changed) >= 12) if changed else 0.0)
        found.append(sum(name < 12 for name in changed) / 12)
    assert np.mean(false) <= 0.05 + 3 * 0.011
    assert np.mean(found) > 0.95


def test_vertices_beside_many_that_changed_are_not_found():
    # All 20 change to the other block. After one round, 9 other vertices are found.
    rng, labels = np.random.default_rng(0), np.arange(120) // 60
    graphs = [sampled(B[of][:, of], rng) for of in (labels, labels | (np.arange(120) < 20))]
    changed = vertex_changes(UASE(2).fit(graphs), 0, 1).changed
    assert set(range(20)) <= set(changed)
    assert len(changed) < 24


@pytest.mark.parametrize("directed", [False, True])
def test_changes_that_cancel_in_the_sum_are_found(directed):
    # So weak that the directions of half the difference need several products.
    rng, labels, weak = np.random.default_rng(0), np.arange(120) % 2, np.array([[0.38, 0.22], [0.22, 0.38]])
    model = UASE(2).fit([sampled(b[labels][:, labels], rng, directed) for b in (weak, weak, 0.6 - weak)])
    assert change_points(model).changed == [2]


@pytest.mark.parametrize("directed", [False, True])
def test_a_change_of_few_vertices_is_found(directed):
    rng, labels = np.random.default_rng(0), np.arange(120) % 4
    b = np.full((4, 4), 0.04) + 0.26 * np.eye(4)
    moved = np.where(np.arange(120) < 10, (labels + 1) % 4, labels)
    model = UASE(4).fit([sampled(b[z][:, z], rng, directed) for z in (labels, labels, labels, moved, moved)])
    assert change_points(model).changed == [3]


def test_the_sum_of_squared_displacements_has_its_distribution_under_random_signs():
    rng = np.random.default_rng(0)
    difference = np.triu(rng.choice([-1.0, 0.0, 1.0], size=(80, 80), p=[0.2, 0.6, 0.2]), 1)
    basis = np.linalg.qr(rng.standard_normal((80, 2)))[0]
    p = []
    for _ in range(1000):
        flipped = difference * rng.choice([-1.0, 1.0], size=difference.shape)
        p.append(_spread([(sparse.csr_array(flipped + flipped.T), basis)]))
    # Of 1000 uniform numbers, 50 are below .05, with a standard deviation of 6.9.
    assert 25 <= np.sum(np.array(p) <= 0.05) <= 75


def test_a_star_that_goes_loses_its_center():
    # Leaves have one edge each, which is not enough. Without the center nothing is left in the sum of both.
    assert vertex_changes(UASE(1).fit([nx.star_graph(30), nx.empty_graph(31)]), 0, 1).changed == [0]
    gone = vertex_changes(UASE(1).fit([nx.complete_graph(30), nx.empty_graph(30)]), 0, 1)
    assert len(gone.changed) == 30


def test_nothing_is_found_where_nothing_changed():
    # Any discovery has probability .05: of 60 runs 3 +- 1.7, and more than 9 with .0005.
    alarms = [vertex_changes(UASE(2).fit(two_days(seed, moved=0)), 0, 1).changed for seed in range(60)]
    assert sum(map(bool, alarms)) <= 9


def test_a_table_has_all_vertices():
    days = two_days(0)
    model = UASE(2).fit({"Mon": days[0], "Tue": days[1]})
    found = vertex_changes(model, "Mon", "Tue")
    assert found.table.columns.tolist() == ["name", "distance", "p_value", "q_value"]
    assert found.table["p_value"].is_monotonic_increasing
    row = found.table["name"][0]
    gap = np.linalg.norm(model.embeddings_[0, row] - model.embeddings_[1, row])
    assert found.table["distance"][0] == pytest.approx(gap)
    assert repr(found).startswith(f"Changes({len(found.changed)} of 120 vertices changed: ")
    assert vertex_changes(model, "Mon", "Mon").changed == []
    assert vertex_changes(model, "Mon", "Tue", alpha=1e-300).changed == []


def test_ranks_help_where_few_weights_are_large():
    rng, days = np.random.default_rng(0), []
    for day in two_days(0):
        upper = sparse.csr_array(sparse.triu(day.matrix))
        upper.data = rng.pareto(0.3, upper.nnz)
        days.append(lp.as_adjacency(sparse.csr_array(upper + upper.T)))
    raw, ranked = days, [lp.pass_to_ranks(day) for day in days]
    with pytest.warns(LpgraphWarning, match=r"1% of the edges have \d+% of the squared .* lp.pass_to_ranks"):
        assert len(vertex_changes(UASE(2).fit(raw), 0, 1).changed) < 4
    assert len(vertex_changes(UASE(2).fit(ranked), 0, 1).changed) > 8


@pytest.mark.parametrize("directed", [False, True])
def test_scores_are_those_of_single_entries(directed):
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(2):
        matrix = rng.poisson(0.3, (30, 30)) * rng.random((30, 30))  # with loops
        matrix = matrix if directed else np.triu(matrix) + np.triu(matrix, 1).T
        graphs.append(lp.as_adjacency(matrix, directed=directed))
    a, b = (graph.matrix for graph in graphs)
    sides, _ = compared(*graphs, 3)
    left, right = sides[-1][1], sides[0][1]
    terms = []
    for i, j in np.ndindex(30, 30):
        term = (b - a)[i, j] * np.outer(left[i], right[j])
        if directed:
            terms.append(term.ravel())
        elif i <= j:
            terms.append((term + term.T * (i != j))[np.triu_indices(3)])
    total, covariance = np.sum(terms, axis=0), np.transpose(terms) @ terms
    expected = total @ np.linalg.solve(covariance, total)
    statistic, p = _scores(sides)
    assert statistic == pytest.approx(expected)
    assert p == pytest.approx(stats.chi2.sf(expected, 9 if directed else 6))


def sequence(seed, change=None, n=60, steps=6):
    rng, labels = np.random.default_rng(seed), np.arange(n) % 2
    after = B + 0.15 * (1 - np.eye(2))
    return [sampled((B if change is None or t < change else after)[labels][:, labels], rng) for t in range(steps)]


def test_sequences_without_a_change_are_silent():
    # Any alarm has at most probability .05: of 60 runs 3 +- 1.7, and more than 9 with .0005.
    assert sum(bool(change_points(UASE(2).fit(sequence(seed))).changed) for seed in range(60)) <= 9


def test_a_planted_change_is_found():
    keys = list("abcdef")
    model = UASE(2).fit(dict(zip(keys, sequence(0, change=3), strict=True)))
    found = change_points(model)
    assert found.changed == ["d"]
    assert found.table["key"].tolist() == keys[1:]
    assert (found.table["adjusted"] >= found.table["p_value"]).all()
    assert found.table["distance"].argmax() == 2
    assert repr(found) == "Changes(1 of 5 steps are changes: d)"
    same = change_points(UASE(2).fit([model.graphs_["a"]] * 2))
    assert same.table["p_value"].tolist() == [1.0]
    empty = sparse.csr_array((60, 60))
    silent = change_points(UASE(2).fit([empty, empty, model.graphs_["a"]])).table
    assert silent["distance"].tolist() == [0.0, np.inf]


def populations(seed, changed, m=10, n=30):
    rng, p = np.random.default_rng(seed), np.full((n, n), 0.3)
    other = p.copy()
    other[:3] = other[:, :3] = 0.9 if changed else 0.3
    return [sampled(p if t % 2 else other, rng) for t in range(m)], ["x", "y"] * (m // 2)


def test_populations_that_are_alike_do_not_differ():
    # Exact: of 60 runs 3 +- 1.7, and more than 9 with .0005.
    runs = [population_test(*populations(seed, False), n_components=1, n_draws=99).p_value for seed in range(60)]
    assert sum(p <= 0.05 for p in runs) <= 9
    assert population_test(GRAPHS[:1] * 4, GROUPS, n_components=1, n_draws=9).p_value == 1


def test_vertices_of_populations_that_differ_are_found():
    found = population_test(*populations(0, True), n_components=1)
    assert found.p_value <= 0.01
    assert set(found.table["name"][:3]) == {0, 1, 2}
    assert set(found.changed) >= {0, 1, 2}
    assert repr(found).startswith("Changes(p = 0.0")
    graphs, groups = populations(1, True)
    directed = population_test(lp.as_graphs(graphs, directed=True), groups, n_components=1, n_draws=99)
    assert directed.p_value <= 0.03


def test_groups_may_be_given_by_key():
    graphs, groups = populations(0, True, n=20)
    keys = [f"s{k}" for k in range(10)]
    named, labels = dict(zip(keys, graphs, strict=True)), dict(zip(keys[::-1], groups[::-1], strict=True))
    expected = population_test(named, groups, n_components=1, n_draws=99).p_value
    for of in (labels, pandas.Series(labels)):
        assert population_test(named, of, n_components=1, n_draws=99).p_value == expected


@pytest.mark.parametrize("directed", [False, True])
def test_scores_of_populations_that_differ_are_found(directed):
    rng, labels = np.random.default_rng(0), np.arange(40) % 2
    graphs = [sampled((B + 0.2 * (t % 2) * (1 - np.eye(2)))[labels][:, labels], rng, directed) for t in range(12)]
    found = population_test(graphs, ["x", "y"] * 6, compare="scores", n_components=2, n_draws=199)
    assert found.p_value <= 0.01
    assert sorted(found.table["name"]) == [(0, 0), (0, 1), *([(1, 0)] if directed else []), (1, 1)]
    assert {(0, 0), (1, 1)} <= set(found.changed)
    scores = lp.joint.MultipleEmbedding(2).fit(graphs).scores_
    gap = abs(scores[::2, 1, 1].mean() - scores[1::2, 1, 1].mean())
    assert found.table.set_index("name")["distance"][(1, 1)] == pytest.approx(gap)
    assert repr(found).endswith("scores differ: (0, 0), (1, 1))")


FITTED = UASE(1).fit(two_days(0))
GRAPHS, GROUPS = populations(0, False, m=4)
WRONG = [
    (lambda: vertex_changes(FITTED, 0, 2), ArgumentError, "No network has the key 2"),
    (lambda: vertex_changes(GRAPHS, 0, 1), ArgumentTypeError, "joint is of type list; pass a fitted embedding"),
    (lambda: change_points(UASE(1)), NotFittedError, "not fitted"),
    (lambda: change_points(UASE(1).fit(GRAPHS[:1])), ArgumentError, "an embedding of at least two"),
    (lambda: population_test(GRAPHS, ["a"] * 4), ArgumentError, "groups has 1 different labels"),
    (lambda: population_test(GRAPHS, [["x"], ["y"]] * 2), ArgumentError, "a text or number for each"),
    (lambda: population_test(GRAPHS, {0: "x", 1: "y"}), ArgumentError, "groups has no value for 2"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
def test_wrong_input_is_refused_with_a_remedy(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
