"""The number of dimensions: significant eigenvectors, the division of entries it needs, and rules on screes."""

import networkx as nx
import numpy as np
import pytest
from scipy import stats

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.infer.dimension import DimensionChoice, joint_dimension
from lpgraph.spectral import eigenvalue_cv
from lpgraph.spectral.construction import Construction, NewRows
from lpgraph.spectral.dimension import choose_dimension, elbows, profile_likelihood
from lpgraph.spectral.embedding import AtMost, embed
from lpgraph.spectral.operators import Matrix

ASE, LSE = lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding
EMBEDDINGS = [ASE, LSE, lp.ModularityEmbedding, lp.RandomWalkEmbedding]


def blocks(count, n=300, inside=0.10, outside=0.02, **options):
    B = np.full((count, count), outside) + (inside - outside) * np.eye(count)
    return lp.stochastic_block_model([n] * count, B, **options)


@pytest.mark.parametrize("loops", [False, True])
def test_the_statistic_of_a_fixed_vector_has_unit_variance(loops):
    # For a vector that does not depend on the graph, and has mean 0 over each block, z is standard normal.
    rng, n = np.random.default_rng(0), 300
    vector = rng.standard_normal(n)
    vector -= vector.mean()
    vector[:3] *= 8  # entries of different size, so that loops count
    vector -= vector.mean()
    vector /= np.linalg.norm(vector)
    side = vector[:, None]
    pairs = eigenvalue_cv.EigenPairs(np.ones(1), np.zeros(1), "given", 0, 0, 1.0, side, side)
    expected = 0.3 * 0.1 * (loops - 1) / np.sqrt(0.3 * 0.2)
    found = []
    for _ in range(400):
        upper = np.triu(rng.random((n, n)) < 0.1, 0 if loops else 1).astype(float)
        construction = ASE()._construct(lp.as_adjacency(upper + np.triu(upper, 1).T))
        split = construction.resampling.thin(0.0, 0.3, rng)
        found.append(split.statistics(pairs, "magnitude")[0] - expected)
    assert abs(np.mean(found)) < 0.2
    assert 0.9 < np.std(found) < 1.1


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 6])
def test_blocks_are_counted(count, directed):
    graph = blocks(count, 150, directed=directed, random_state=0)
    for kind in (ASE, LSE):
        choice = kind().fit(graph).dimension_choice_
        assert (choice.rule, choice.n_components, choice.at_cap) == ("eigenvalue_cv", count, False)
        assert (choice.p_values[:count] < 1e-3).all()
        assert choice.p_values[count:].min() > 1e-3


def noisy(sample, strength):
    """Two groups of a hundred and fifty, in the means of whatever is sampled."""
    side = np.repeat([1.0, -1.0], 150)
    upper = np.triu(sample(strength * np.outer(side, side)), 1)
    return upper + upper.T


FOUR, APART = blocks(4, random_state=0), blocks(2, inside=0.02, outside=0.1, random_state=0)
NORMAL = noisy(lambda mean: mean + np.random.default_rng(0).standard_normal((300, 300)), 0.2)
COUNTS = noisy(lambda mean: np.random.default_rng(0).poisson(0.2 + mean).astype(float), 0.1)
# Eleven eigenvalues of the twelve blocks agree up to noise; the first look shows a part of them.
TWELVE = blocks(12, 150, inside=0.12, outside=0.01, random_state=0)


@pytest.mark.parametrize(
    ("model", "network", "count"),
    [
        (lp.ModularityEmbedding(), FOUR, 3),
        (lp.RandomWalkEmbedding(), FOUR, 3),
        (ASE(which="LM"), APART, 2),
        (ASE(which="LA"), APART, 1),
        (lp.ModularityEmbedding(which="LM"), APART, 1),
        (ASE(), TWELVE, 12),
        (ASE(), NORMAL, 1),
        (ASE(), COUNTS, 2),
        (ASE(augment_diagonal=True), FOUR, 4),
    ],
)
def test_what_a_method_embeds_is_counted(model, network, count):
    assert model.fit(network).embedding_.shape[1] == count


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_a_network_with_many_significant_dimensions_reaches_the_cap():
    graph = nx.disjoint_union_all([nx.complete_graph(12)] * 80)
    choice = ASE().fit(graph).dimension_choice_
    assert choice.at_cap
    assert choice.n_components == eigenvalue_cv.LARGEST
    assert choice.doubt


def test_the_rule_is_refused_by_name_where_it_does_not_apply():
    construction = Construction(Matrix(np.diag([3.0, 2.0, 0.1, 0.1, 0.1])), NewRows())
    with pytest.raises(ArgumentError, match=r"n_components='eigenvalue_cv'.*'elbow'"):
        embed(construction, "eigenvalue_cv")
    assert embed(construction, None).choice.rule == "elbow"


def small_graphs():
    """Return some sixty small graphs, many with multiple eigenvalues or a low rank."""
    sizes = (5, 5), (5, 5, 5), (1, 2, 3), (4, 4, 4, 4), (7, 2)
    yield from (graph for graph in nx.graph_atlas_g()[2::33] if graph.number_of_edges())
    yield from (nx.star_graph(n) for n in range(1, 12, 2))
    yield from (nx.complete_multipartite_graph(*given) for given in sizes)
    yield from (nx.complete_graph(n) for n in (2, 5))
    yield from (nx.caveman_graph(3, 4), nx.connected_caveman_graph(4, 5), nx.barbell_graph(4, 2))
    yield from (nx.path_graph(9), nx.cycle_graph(8), nx.hypercube_graph(4), nx.petersen_graph())


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("rule", [None, "elbow", "third_elbow"])
@pytest.mark.parametrize("kind", EMBEDDINGS)
def test_a_rule_never_chooses_what_the_fit_refuses(kind, rule):
    fitted, ends = 0, [{"which": "LM"}, {"which": "LA"}] if "which" in kind().get_params() else [{}]
    for graph in list(small_graphs())[:: 3 if rule == "third_elbow" else 1]:
        matrix = nx.to_numpy_array(graph)
        given = [(end, matrix) for end in ends]
        if kind is ASE:
            given.append(({}, lp.as_adjacency(np.triu(matrix), directed=True)))
        for end, network in given:
            try:
                kind(1, **end).fit(network)
            except ArgumentError:
                continue  # no dimension can be embedded, such as the modularity of a complete graph with "LA"
            fitted += 1
            model = kind(rule, **end).fit(network)
            assert 1 <= model.dimension_choice_.n_components == model.embedding_.shape[1] <= len(matrix)
            if kind is ASE and network is matrix:
                assert abs(model.transform(matrix) - model.embedding_).max() < 1e-9
    assert fitted >= 10


def test_eigenvalues_that_are_zero_to_rounding_are_refused_at_the_upper_end():
    with pytest.raises(ArgumentError, match="nothing to embed"):
        ASE(6, which="LA").fit(-np.ones((12, 12)))
    with pytest.raises(ArgumentError, match=r"n_components=3 .* pass n_components <= 1"):
        ASE(3, which="LA").fit(nx.complete_multipartite_graph(5, 5, 5))


def choice_of(z):
    """Return the choice of a single split with given statistics."""
    above = np.flatnonzero(np.asarray(z) > 3.09)
    return DimensionChoice("eigenvalue_cv", int(above[-1]) + 1 if len(above) else 1, z=np.asarray(z, dtype=float))


def test_the_joint_dimension_is_that_of_mean_statistics():
    # A mean of 3.0 is not significant, and the fourth eigenvector was tested by one split only.
    assert joint_dimension([choice_of([9, 1, 4]), choice_of([9, 1, 2, 8])]) == 1
    assert joint_dimension([choice_of([9, 1, 4]), choice_of([9, 1, 2.4])]) == 3
    assert joint_dimension([choice_of([0, 1])]) == 1
    for choices in [], [choice_of([4.0]), DimensionChoice("elbow", 2)]:
        with pytest.raises(ArgumentError, match="choices"):
            joint_dimension(choices)


def test_profile_likelihood_is_the_papers_formula():
    x = np.sort(np.random.default_rng(0).exponential(1, 30))[::-1]
    for q, found in enumerate(profile_likelihood(x), 1):
        groups = x[:q], x[q:]
        scale = np.sqrt(sum(((group - group.mean()) ** 2).sum() for group in groups) / 28)
        assert np.isclose(found, sum(stats.norm.logpdf(group, group.mean(), scale).sum() for group in groups))


@pytest.mark.parametrize(
    ("values", "count", "expected"),
    [
        ([21.0, -20.5, 20.1, 1.5, 0.3, 1.1, 0.2, 1.9, 0.7, 0.1], 1, [3]),
        ([100.0, 99.0, 20.0, 19.0, 18.0, 1.0, 0.9, 0.8, 0.8, 0.7], 2, [2, 5]),
        ([1.0, 1.0, 1.0], 50, [1, 2]),
    ],
)
def test_clear_elbows_are_found_whatever_the_signs(values, count, expected):
    assert elbows(values, count) == expected


def test_rules_by_name_by_function_and_by_default():
    values = np.array([10.0, -9.0, 3.0, 2.9, 0.1, 0.1, 0.1])
    assert choose_dimension(values, None, 100) == choose_dimension(values, "elbow", 100) == 2
    assert choose_dimension(values, "second_elbow", 100) == 4
    assert choose_dimension(values, lambda v: int((np.abs(v) > 1).sum()), 100) == 4
    # At the upper end negative values count as zero.
    assert choose_dimension([10.0, 9.0, 0.1, 0.0, -3.0, -20.0], "elbow", 6, end="largest") == 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: choose_dimension(np.ones(5), "knee", 5), ArgumentError, r"'knee'.*'elbow'"),
        (lambda: choose_dimension(np.ones(5), lambda v: 2.5, 5), ArgumentTypeError, "must return an integer"),
        (lambda: choose_dimension(np.ones(5), lambda v: 9, 5), ArgumentError, "n_components=9"),
        (lambda: elbows([1.0, np.nan]), ArgumentError, "nan"),
    ],
)
def test_wrong_rules_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("network", [nx.complete_bipartite_graph(40, 50), nx.star_graph(700)])
def test_at_most_stops_at_the_rank(network):
    assert ASE(AtMost(8)).fit(network).embedding_.shape[1] == 2
    assert LSE(AtMost(8)).fit(network).embedding_.shape[1] == 2
    assert ASE(AtMost(8)).fit(nx.karate_club_graph()).embedding_.shape[1] == 8
