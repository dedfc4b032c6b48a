"""Dimension rules on screes whose elbow is known."""

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.spectral.scree import AtMost, choose_dimension, elbows, profile_likelihood, scree_length


def naive_profile_likelihood(values):
    """Zhu & Ghodsi's formula literally, with scipy's normal density."""
    from scipy.stats import norm

    x = np.sort(np.abs(values))[::-1]
    out = []
    for q in range(1, len(x)):
        a, b = x[:q], x[q:]
        pooled = (
            (q - 1) * (a.var(ddof=1) if q > 1 else 0) + (len(b) - 1) * (b.var(ddof=1) if len(b) > 1 else 0)
        ) / (len(x) - 2)
        out.append(
            norm.logpdf(a, a.mean(), np.sqrt(pooled)).sum() + norm.logpdf(b, b.mean(), np.sqrt(pooled)).sum()
        )
    return np.array(out)


def test_profile_likelihood_is_the_papers_formula():
    values = np.random.default_rng(0).exponential(1, 30)
    assert np.allclose(profile_likelihood(values), naive_profile_likelihood(values))


@pytest.mark.parametrize("d", [1, 3, 7])
def test_a_clear_elbow_is_found_whatever_the_signs(d):
    rng = np.random.default_rng(d)
    values = np.concatenate([rng.uniform(20, 22, d) * rng.choice([-1, 1], d), rng.uniform(0, 2, 25)])
    assert elbows(values) == [d]


def test_elbows_follow_one_another_until_the_values_run_out():
    values = [100.0, 99.0, 20.0, 19.0, 18.0, 1.0, 0.9, 0.8, 0.8, 0.7]
    assert elbows(values, 2) == [2, 5]
    many = elbows(values, 50)
    assert many == sorted(set(many))
    assert many[-1] <= len(values)


def test_exact_steps_have_an_elbow_too():
    assert elbows([5.0, 5.0, 1.0, 1.0, 1.0, 1.0]) == [2]
    assert elbows([1.0, 1.0, 1.0]) == [1]


def test_rules_by_name_by_function_and_by_default():
    values = np.array([10.0, -9.0, 3.0, 2.9, 0.1, 0.1, 0.1])
    assert choose_dimension(values, None, 100) == choose_dimension(values, "elbow", 100) == 2
    assert choose_dimension(values, "second_elbow", 100) == 4
    assert choose_dimension(values, lambda v: int((np.abs(v) > 1).sum()), 100) == 4


def test_scree_length_grows_slowly_and_fits():
    assert [scree_length(n) for n in (2, 10, 1000, 10**6)] == [1, 9, 20, 40]


def test_wrong_rules_are_refused():
    with pytest.raises(ArgumentError, match=r"'knee'.*'elbow'"):
        choose_dimension(np.ones(5), "knee", 5)
    with pytest.raises(ArgumentTypeError, match="must return an integer"):
        choose_dimension(np.ones(5), lambda v: 2.5, 5)
    with pytest.raises(ArgumentError, match="n_components=9"):
        choose_dimension(np.ones(5), lambda v: 9, 5)
    with pytest.raises(ArgumentError, match="at least 2"):
        profile_likelihood([1.0])
    with pytest.raises(ArgumentError, match="nan"):
        elbows([1.0, np.nan])


def first_elbow_as_given(values):
    """Return where the two-group Gaussian likelihood of Zhu & Ghodsi is largest, values in the given order."""
    x, s = np.asarray(values), len(values)
    spreads = [x[:q].var() * q + x[q:].var() * (s - q) for q in range(1, s)]
    likelihood = [-s / 2 * np.log(spread / (s - 2)) - (s - 2) / 2 for spread in spreads]
    return int(np.argmax(likelihood)) + 1


def test_elbows_differ_from_igraph_by_the_values_not_by_the_likelihood():
    values = np.linalg.eigvalsh(nx.to_numpy_array(nx.karate_club_graph(), weight=None))[::-1]
    assert first_elbow_as_given(values) == 4
    assert first_elbow_as_given(np.sort(np.abs(values))[::-1]) == elbows(values)[0] == 6
    for graph in nx.les_miserables_graph(), nx.florentine_families_graph(), nx.davis_southern_women_graph():
        magnitudes = np.sort(np.abs(np.linalg.eigvalsh(nx.to_numpy_array(graph))))[::-1]
        for count in (8, 12, len(magnitudes)):
            assert elbows(magnitudes[:count])[0] == first_elbow_as_given(magnitudes[:count])


def test_elbows_at_the_upper_end_take_negative_values_as_zero():
    values = np.array([10.0, 9.0, 0.1, 0.0, -3.0, -20.0])
    assert choose_dimension(values, "elbow", 6, which="LA") == 2
    assert choose_dimension(values, "elbow", 6) != 2


@pytest.mark.parametrize(
    "network", [nx.complete_bipartite_graph(40, 50), nx.star_graph(700)], ids=["bipartite", "star"]
)
def test_at_most_stops_at_the_rank(network):
    for embedding in (lp.AdjacencySpectralEmbedding(AtMost(8)), lp.LaplacianSpectralEmbedding(AtMost(8))):
        assert embedding.fit(network).embedding_.shape[1] == 2
    assert repr(AtMost(8)) == "at most 8"
    assert lp.AdjacencySpectralEmbedding(AtMost(8)).fit(nx.karate_club_graph()).embedding_.shape[1] == 8
