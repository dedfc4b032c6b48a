"""Alarms about streams of new vertices: false ones, and those about changes."""

import networkx as nx
import numpy as np
import pytest
from infer.vertex_tests import METHODS, check_refused_embeddings, without_loops
from scipy import sparse, stats

import lpgraph as lp
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.errors import ArgumentError
from lpgraph.infer import drift_test
from lpgraph.infer.drift_test import normal_scores, scan, vertex_measures

BLOCKS = np.array([[0.35, 0.08], [0.08, 0.35]])


def stream_of(change=None, seed=2, known=300, new=80, directed=False):
    """Return the matrix of a block model and rows of new vertices; the last half is changed."""
    rng = np.random.default_rng(seed)
    labels, half = rng.integers(2, size=known + new), slice(-(new // 2), None)
    if change == "mixture":
        labels[half] = 1
    p = BLOCKS[labels][:, labels]
    if change == "degree":
        p[half] *= 1.5
    if change == "random edges":
        p[half] = p[:known, :known].mean()
    first = without_loops(rng.random(p.shape) < p, directed=directed)[:known, :known]
    rows = (rng.random((new, known)) < p[known:, :known]).astype(float)
    return first, sparse.csr_array(rows)


def embedded(*args, **settings):
    """Return an embedding of such a network in two dimensions, and the rows of the new vertices."""
    matrix, rows = stream_of(*args, **settings)
    return lp.AdjacencySpectralEmbedding(2).fit(matrix), rows


def test_statistics_and_limits_against_sums_over_windows():
    rng = np.random.default_rng(0)
    scores = normal_scores(rng.standard_normal((50, 3)))
    np.testing.assert_allclose(scores.T @ scores / 50, np.eye(3), atol=1e-12)
    found = scan({"a": scores}, 13, 0.1, 99, 0)
    for end in range(1, 14):
        values = []
        for width in {1, 2, 4, 8, end}:
            if width <= end:
                total = (scores[37 + end - width : 37 + end] - scores[:37].mean(axis=0)).sum(axis=0)
                scale = np.sqrt((width + width**2 / 37) * 50 / 49)
                values.append(np.linalg.norm(total) / scale - np.sqrt(2 * np.log(np.e * 13 / width)))
        assert found.paths["a"][end - 1] == pytest.approx(max(values))
    assert (found.paths["a"].max() > found.limits["a"]) == (found.p_value <= 0.1)


@pytest.mark.parametrize("kind", ["heavy tails", "ties"])
def test_false_alarms_have_their_probability_for_any_distribution(kind):
    alarms = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.standard_cauchy((40, 2)) if kind == "heavy tails" else rng.poisson(0.7, (40, 2))
        scores = {"a": normal_scores(values), "b": normal_scores(values[:, :1] ** 2)}
        found = scan(scores, 12, 0.1, 99, seed)
        alarms.append(any(path.max() > found.limits[key] for key, path in found.paths.items()))
        assert alarms[-1] == (found.p_value <= 0.1)
    # At most 0.1, with a standard error of 0.021; two measures leave out at most 0.02.
    assert 0.02 < np.mean(alarms) < 0.1 + 3 * 0.021


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("change", ["mixture", "degree", "random edges"])
def test_changes_raise_alarms_after_they_happen(method, change):
    matrix, rows = stream_of(change, known=600, new=120)
    model = method(2).fit(matrix)
    found = lp.infer.drift(model, rows, ordered=True)
    assert found.alarm
    assert found.p_value <= 0.05
    assert 60 < found.alarm_after == found.alarm_vertex + 1 <= 120
    assert abs(found.changed_from - 60) <= 20
    assert found.changed_until > 100
    expected = {"mixture": {"position"}, "degree": {"degree"}, "random edges": {"novelty", "closure"}}[change]
    assert found.alarm_measure in expected
    assert found.contributions.sum() == pytest.approx(1)
    assert not found.contributions[: found.changed_from].any()
    batch = lp.infer.drift(model, rows[60:])
    assert batch.alarm
    assert (batch.alarm_after, batch.alarm_vertex, batch.changed_from, batch.changed_until) == (None,) * 4
    assert batch.contributions.sum() == pytest.approx(1)
    assert not any(lp.infer.drift(model, rows[:60], ordered=ordered).alarm for ordered in (False, True))


def test_a_batch_has_no_order():
    """A list of edges mentions vertices with many edges earlier: no change if the vertices are a batch."""
    model, rows = embedded()
    by_degree = rows[np.argsort(-np.asarray(rows.sum(axis=1)).ravel())]
    assert lp.infer.drift(model, by_degree, ordered=True).alarm
    found = lp.infer.drift(model, by_degree)
    assert not found.alarm
    for measure, path in lp.infer.drift(model, rows).paths.items():
        assert found.paths[measure] == pytest.approx(path)
    assert found.ends.tolist() == [80]


def test_directed_and_weighted_networks():
    rng = np.random.default_rng(0)
    matrix, rows = stream_of("random edges", directed=True)
    into = sparse.csr_array((rng.random((80, 300)) < 0.2).astype(float))
    model = lp.AdjacencySpectralEmbedding(2).fit(matrix * rng.integers(1, 4, matrix.shape))
    weighted = sparse.csr_array(rows * 2.0)
    assert lp.infer.drift(model, (weighted, into), direction="out").alarm
    assert lp.infer.drift(model, (weighted, into)).alarm
    with pytest.raises(ArgumentError, match="new has only arcs"):
        lp.infer.drift(model, weighted)


def test_vertices_without_edges_one_vertex_and_copies():
    model, rows = embedded()
    assert lp.infer.drift(model, sparse.csr_array((20, 300))).alarm
    one = lp.infer.drift(model, rows[:1])
    assert not one.alarm
    assert one.ends.tolist() == [1]
    copies = lp.infer.drift(model, sparse.vstack([rows[:1]] * 40))
    assert copies.alarm
    assert np.ptp(copies.p_values) == 0


def test_p_values_of_vertices_are_shares_of_those_held_out():
    p_values = []
    for seed in range(10):
        found = lp.infer.drift(*embedded(seed=seed), 0.5, draws=9)
        p_values.append(found.p_values)
        assert found.n_compared == 75
        assert found.p_values.min() >= 1 / 76
    # 80 p-values by 75 vertices in 10 networks: the standard error is (0.09 (1/75 + 1/80) / 10)^0.5 = 0.015.
    assert abs(np.mean(np.concatenate(p_values) <= 0.1) - 0.1) < 4 * 0.015
    assert stats.kstest(np.concatenate(p_values), "uniform").statistic < 0.12


@pytest.mark.parametrize("method", METHODS)
def test_novelty_and_closure_against_dense_formulas(method, monkeypatch):
    monkeypatch.setattr(drift_test, "_ROWS", 5)
    matrix, rows = stream_of(known=80, new=12)
    model = method(2).fit(matrix)
    found = vertex_measures(model, "out", rows, np.random.default_rng(0))
    estimates = EdgeProbabilities.of_embedding(model, "out")
    positions = estimates.estimates(sparse.csr_array(matrix), model.embedding_).positions
    basis, degrees = estimates.basis, matrix.sum(axis=1)
    fitted, centres = positions @ estimates.design.T, positions / degrees[:, None]
    spread = (basis.T * degrees) @ basis / degrees.sum()
    for row, closure, novelty in zip(rows.toarray(), found["closure"], found["novelty"], strict=True):
        pairs = np.outer(row, row) - np.diag(row)
        observed, predicted = (matrix * pairs).sum(), (fitted * pairs).sum()
        assert closure[0] == pytest.approx((observed - predicted) / np.sqrt(1 + predicted))
        inverse = np.linalg.inv((basis.T * row) @ basis + 2 * spread)
        offsets = row @ basis - row.sum() * centres
        assert novelty[0] == pytest.approx(-np.log(np.exp(-(offsets @ inverse * offsets).sum(axis=1) / 2).mean()))


def test_tables_and_long_streams():
    model, rows = embedded("degree", new=600)
    one, other = (lp.infer.drift(model, rows, draws=99, ordered=True, random_state=seed) for seed in (3, 4))
    assert not np.array_equal(one.p_values, other.p_values)
    # A long stream is tested at 256 times.
    assert len(one.ends) <= 256
    assert one.ends[-1] == 600
    assert {len(path) for path in one.paths.values()} == {len(one.ends)}
    assert "alarm by degree after" in repr(one)
    found = lp.infer.drift(model, {"a": [0, 1], "c": [3]}, measures=["novelty", "degree"])
    assert list(found.table()) == ["name", "p_value", "q_value", "contribution", "degree", "novelty"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(({"alpha": alpha}, "alpha=") for alpha in (0.001, 1.0)),
        *(({"measures": measures}, "measures") for measures in (["size"], [], "size", 3)),
        *(({"draws": 0}, "draws"), ({"ordered": "yes"}, "ordered")),
        ({"direction": "in"}, "undirected"),
        ({"new": sparse.csr_array((0, 300))}, "no vertex"),
    ],
)
def test_refused(arguments, message):
    model, rows = embedded()
    with pytest.raises(lp.errors.LpgraphError, match=message):
        lp.infer.drift(model, **{"new": rows, **arguments})


def test_refused_embeddings_and_networks():
    check_refused_embeddings(lp.infer.drift, *stream_of())
    for graph, d, new, message in (
        (nx.cycle_graph(4), 1, nx.cycle_graph(4), "All vertices in new are known"),
        # Of 34 vertices, 26 are kept, which have no 27 dimensions.
        (nx.karate_club_graph(), 27, {"new": [0]}, "26 vertices, .* Pass a model with fewer dimensions"),
    ):
        with pytest.raises(ArgumentError, match=message):
            lp.infer.drift(lp.AdjacencySpectralEmbedding(d).fit(graph), new)
