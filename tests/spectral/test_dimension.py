"""The number of dimensions: significant eigenvectors, the division of entries it needs, and rules on screes."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.infer.dimension import DimensionChoice, joint_dimension
from lpgraph.spectral import eigenvalue_cv
from lpgraph.spectral.construction import Construction, NewRows
from lpgraph.spectral.dimension import choose_dimension, elbows, profile_likelihood
from lpgraph.spectral.eigenvalue_cv import split_entries
from lpgraph.spectral.embedding import AtMost, embed
from lpgraph.spectral.operators import Matrix

EMBEDDINGS = [
    lp.AdjacencySpectralEmbedding,
    lp.LaplacianSpectralEmbedding,
    lp.ModularityEmbedding,
    lp.RandomWalkEmbedding,
]


def blocks(count, n=300, inside=0.10, outside=0.02, **options):
    B = np.full((count, count), outside) + (inside - outside) * np.eye(count)
    return lp.stochastic_block_model([n] * count, B, **options)


@pytest.mark.parametrize("symmetric", [True, False])
def test_disjoint_intervals_hold_out_each_entry_once(symmetric):
    matrix = sparse.random_array((60, 60), density=0.2, rng=np.random.default_rng(0), format="csr")
    matrix = sparse.csr_array(matrix + matrix.T) if symmetric else matrix
    total = sparse.csr_array(matrix.shape)
    for low in np.arange(4) / 4:
        kept, test = split_entries(matrix, low, low + 0.25, np.random.default_rng(1), symmetric=symmetric)
        assert kept.nnz + test.nnz == matrix.nnz
        assert abs(kept + test - matrix).max() < 1e-15
        assert 0.1 < test.nnz / matrix.nnz < 0.4
        if symmetric:
            assert (test != test.T).nnz == (kept != kept.T).nnz == 0
        total = total + test
    assert (total != matrix).nnz == 0


@pytest.mark.parametrize("loops", [False, True])
def test_the_statistic_of_a_fixed_vector_has_unit_variance(loops):
    # For a vector that does not depend on the graph, and has mean 0 over each block, z is standard normal.
    rng, n = np.random.default_rng(0), 300
    vector = rng.standard_normal(n)
    vector -= vector.mean()
    vector[:3] *= 8  # entries of different size, so that loops count
    vector -= vector.mean()
    vector /= np.linalg.norm(vector)
    found = []
    for _ in range(400):
        upper = np.triu(rng.random((n, n)) < 0.1, 0 if loops else 1).astype(float)
        matrix = upper + np.triu(upper, 1).T
        construction = lp.AdjacencySpectralEmbedding()._construct(lp.as_adjacency(matrix))
        split = construction.resampling.thin(0.0, 0.3, rng)
        pairs = eigenvalue_cv.EigenPairs(
            np.ones(1), vector[:, None], vector[:, None], np.zeros(1), "given", 0, 0, 1.0
        )
        expected = 0.3 * 0.1 * ((vector**2).sum() * (loops - 1)) / np.sqrt(0.3 * 0.2)
        found.append(eigenvalue_cv._statistics(split, pairs, "magnitude")[0] - expected)
    assert abs(np.mean(found)) < 0.2
    assert 0.9 < np.std(found) < 1.1


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4, 6])
def test_blocks_are_counted(count, directed):
    graph = blocks(count, 150, directed=directed, random_state=0)
    for kind in EMBEDDINGS[:2]:
        choice = kind().fit(graph).dimension_choice_
        assert (choice.rule, choice.n_components, choice.at_cap) == ("eigenvalue_cv", count, False)
        assert (choice.p_values[:count] < 1e-3).all()
        assert choice.p_values[count:].min() > 1e-3


def test_what_a_method_leaves_out_is_not_counted():
    graph = blocks(4, random_state=0)
    assert [kind().fit(graph).embedding_.shape[1] for kind in EMBEDDINGS] == [4, 4, 3, 3]


def test_the_wanted_end_is_tested():
    graph = blocks(2, inside=0.02, outside=0.1, random_state=0)
    found = [lp.AdjacencySpectralEmbedding(which=end).fit(graph) for end in ("LM", "LA")]
    assert [model.embedding_.shape[1] for model in found] == [2, 1]
    assert lp.ModularityEmbedding(which="LM").fit(graph).signature_.tolist() == [-1]


def test_many_equal_eigenvalues_are_counted():
    # Eleven eigenvalues agree up to noise; the first look shows a part of them.
    graph = blocks(12, 150, inside=0.12, outside=0.01, random_state=0)
    assert lp.AdjacencySpectralEmbedding().fit(graph).embedding_.shape[1] == 12


def test_weights_and_signs():
    rng = np.random.default_rng(0)
    side = np.repeat([1.0, -1.0], 150)
    noise = np.triu(rng.standard_normal((300, 300)), 1)
    signed = np.triu(0.2 * np.outer(side, side), 1) + noise
    assert lp.AdjacencySpectralEmbedding().fit(signed + signed.T).embedding_.shape[1] == 1
    counts = np.triu(rng.poisson(0.2 + 0.1 * np.outer(side, side)), 1).astype(float)
    assert lp.AdjacencySpectralEmbedding().fit(counts + counts.T).embedding_.shape[1] == 2


def test_the_diagonal_is_not_held_out_if_it_is_augmented():
    graph = blocks(3, 100, random_state=0)
    assert lp.AdjacencySpectralEmbedding(augment_diagonal=True).fit(graph).embedding_.shape[1] == 3


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_a_network_with_many_significant_dimensions_reaches_the_cap():
    graph = nx.disjoint_union_all([nx.complete_graph(12)] * 80)
    choice = lp.AdjacencySpectralEmbedding().fit(graph).dimension_choice_
    assert choice.at_cap
    assert choice.n_components == eigenvalue_cv.LARGEST
    assert choice.doubt


def test_the_rule_is_refused_by_name_where_it_does_not_apply():
    construction = Construction(Matrix(np.diag([3.0, 2.0, 0.1, 0.1, 0.1])), NewRows())
    with pytest.raises(ArgumentError, match=r"n_components='eigenvalue_cv'.*'elbow'"):
        embed(construction, "eigenvalue_cv")
    assert embed(construction, None).choice.rule == "elbow"
    with pytest.raises(ArgumentError, match=r"n_components='knee'.*'eigenvalue_cv'"):
        lp.AdjacencySpectralEmbedding("knee").fit(nx.karate_club_graph())


def small_graphs():
    """Return some ninety small graphs, many with multiple eigenvalues or a low rank."""
    atlas = [graph for graph in nx.graph_atlas_g()[2::22] if graph.number_of_edges()]
    stars = [nx.star_graph(n) for n in range(1, 12)]
    sizes = (5, 5), (5, 5, 5), (1, 2, 3), (4, 4, 4, 4), (7, 2)
    parts = [nx.complete_multipartite_graph(*given) for given in sizes]
    cliques = [nx.complete_graph(n) for n in range(2, 9)]
    caves = [nx.caveman_graph(3, 4), nx.connected_caveman_graph(4, 5), nx.barbell_graph(4, 2), nx.empty_graph(3)]
    others = [nx.path_graph(9), nx.cycle_graph(8), nx.hypercube_graph(4), nx.petersen_graph()]
    return [graph for graph in atlas + stars + parts + cliques + caves + others if graph.number_of_edges()]


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("rule", [None, "elbow", "second_elbow", "third_elbow"])
@pytest.mark.parametrize("kind", EMBEDDINGS)
def test_a_rule_never_chooses_what_the_fit_refuses(kind, rule):
    ends = [{"which": "LM"}, {"which": "LA"}] if "which" in kind().get_params() else [{}]
    for graph in small_graphs()[:: 1 if rule in (None, "elbow") else 3]:
        matrix = nx.to_numpy_array(graph)
        for end in ends:
            try:
                kind(1, **end).fit(matrix)
            except ArgumentError:
                continue  # no dimension can be embedded, such as the modularity of a complete graph with "LA"
            model = kind(rule, **end).fit(matrix)
            d = model.dimension_choice_.n_components
            assert 1 <= d == model.embedding_.shape[1] <= len(matrix)
            if kind is lp.AdjacencySpectralEmbedding:
                assert abs(model.transform(matrix) - model.embedding_).max() < 1e-9


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_a_rule_never_chooses_what_the_fit_of_a_directed_graph_refuses():
    for graph in small_graphs()[::3]:
        arcs = np.triu(nx.to_numpy_array(graph))
        for rule in (None, "elbow", "third_elbow"):
            model = lp.AdjacencySpectralEmbedding(rule).fit(lp.as_adjacency(arcs, directed=True))
            assert model.dimension_choice_.n_components == model.embedding_.shape[1]


def test_eigenvalues_that_are_zero_to_rounding_are_refused_at_the_upper_end():
    with pytest.raises(ArgumentError, match="nothing to embed"):
        lp.AdjacencySpectralEmbedding(6, which="LA").fit(-np.ones((12, 12)))
    with pytest.raises(ArgumentError, match=r"n_components=3 .* pass n_components <= 1"):
        lp.AdjacencySpectralEmbedding(3, which="LA").fit(nx.complete_multipartite_graph(5, 5, 5))


def choice_of(z):
    """Return the choice of a single split with given statistics."""
    above = np.flatnonzero(np.asarray(z) > 3.09)
    return DimensionChoice("eigenvalue_cv", int(above[-1]) + 1 if len(above) else 1, z=np.asarray(z, dtype=float))


def test_the_joint_dimension_is_that_of_mean_statistics():
    # A mean of 3.0 is not significant, and the fourth eigenvector was tested by one split only.
    assert joint_dimension([choice_of([9, 1, 4]), choice_of([9, 1, 2, 8])]) == 1
    assert joint_dimension([choice_of([9, 1, 4]), choice_of([9, 1, 2.4])]) == 3
    assert joint_dimension([choice_of([0, 1])]) == 1
    graph = lp.stochastic_block_model([150, 150, 100], 0.05 + 0.2 * np.eye(3), random_state=1)
    fits = [lp.AdjacencySpectralEmbedding(random_state=seed).fit(graph) for seed in range(3)]
    assert joint_dimension([fit.dimension_choice_ for fit in fits]) == 3


def test_the_joint_dimension_varies_less():
    # Statistics have the standard error 1, and the mean of five has 0.45. Where their means fall by 0.1 from
    # eigenvector to eigenvector, the last one above the threshold varies by as many tens of these errors.
    rng = np.random.default_rng(0)
    single = [choice_of(np.linspace(6, 0, 61) + rng.normal(size=61)) for _ in range(200)]
    joint = [joint_dimension(single[5 * k : 5 * k + 5]) for k in range(40)]
    assert np.std(joint) < 0.65 * np.std([one.n_components for one in single])
    # The mean falls below 3.09 at the 30th; the last of several that exceed it by chance is some units later.
    assert 27 <= np.mean(joint) <= 36


def test_the_joint_dimension_needs_statistics():
    elbow = DimensionChoice("elbow", 2)
    for choices in [], [choice_of([4.0]), elbow]:
        with pytest.raises(ArgumentError, match="choices"):
            joint_dimension(choices)


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
    assert choose_dimension(values, "elbow", 6, end="largest") == 2
    assert choose_dimension(values, "elbow", 6) != 2


@pytest.mark.parametrize(
    "network", [nx.complete_bipartite_graph(40, 50), nx.star_graph(700)], ids=["bipartite", "star"]
)
def test_at_most_stops_at_the_rank(network):
    for embedding in (lp.AdjacencySpectralEmbedding(AtMost(8)), lp.LaplacianSpectralEmbedding(AtMost(8))):
        assert embedding.fit(network).embedding_.shape[1] == 2
    assert repr(AtMost(8)) == "at most 8"
    assert lp.AdjacencySpectralEmbedding(AtMost(8)).fit(nx.karate_club_graph()).embedding_.shape[1] == 8
