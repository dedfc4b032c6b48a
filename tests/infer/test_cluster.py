"""Vertex clustering: recovered blocks, description lengths and refinement against sums over all pairs."""

import re
from math import comb, lgamma, log

import networkx as nx
import numpy as np
import pytest
from networks import COINCIDING
from scipy import sparse
from scipy.special import softmax
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import lpgraph as lp
from lpgraph.errors import ArgumentError, DisconnectedGraphWarning, GraphError, IsolatedVertexWarning
from lpgraph.infer import block_partition as module
from lpgraph.infer.block_partition import BlockPartition, EdgeRates, description_length, refined
from lpgraph.infer.mixture import choose_mixture

B = np.full((3, 3), 0.05) + np.diag([0.45, 0.4, 0.35])
SAMPLED = lp.stochastic_block_model([60, 150, 100], B, random_state=1)
CLUB = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None, dtype=float, format="csr")


@pytest.mark.parametrize("method", ["directions", "gaussian"])
def test_blocks_are_found_and_new_vertices_join_them(method):
    new = SAMPLED.new_vertices(120, random_state=2)
    model = lp.VertexClustering(method=method, n_init=1).fit(SAMPLED)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(SAMPLED.labels, model.labels_) > 0.97
    assert adjusted_rand_score(new.labels, model.predict(new)) > 0.95
    proba = model.predict_proba(new)
    assert np.allclose(proba.sum(axis=1), 1)
    assert np.array_equal(proba.argmax(axis=1), model.predict(new))
    assert np.array_equal(model.cluster_distributions_.argmax(axis=1), model.labels_)
    assert np.allclose(model.cluster_shares_, sorted(np.bincount(model.labels_) / 310, reverse=True))
    if method == "gaussian":
        assert min(model.bic_, key=model.bic_.get) == (3, model.covariance_)
        return
    assert min(model.description_lengths_, key=model.description_lengths_.get)[0] == 3
    lengths = lp.VertexClustering(n_clusters=range(2, 6)).fit(SAMPLED).description_lengths_
    assert {key[0] for key in lengths} == {2, 3, 4, 5}
    assert lp.VertexClustering(n_clusters=4).fit(SAMPLED).n_clusters_ == 4


FOUR = np.full((4, 4), 0.02)
FOUR[[0, 1, 2, 3], [2, 3, 0, 1]] = 0.15


@pytest.mark.parametrize(
    ("sizes", "p"),
    [
        ([150] * 4, 0.05 + 0.15 * np.eye(4)),
        ([200] * 2, 0.2 - 0.15 * np.eye(2)),
        ([300], np.array([[0.1]])),
        ([40] * 12, 0.03 + 0.57 * np.eye(12)),
        # Two rates cannot describe which of four groups are joined; the block model can.
        ([200] * 4, FOUR),
    ],
)
def test_number_of_clusters_of_block_models(sizes, p):
    graph = lp.stochastic_block_model(sizes, p, random_state=0)
    model = lp.VertexClustering().fit(graph)
    assert model.n_clusters_ == len(sizes)
    assert adjusted_rand_score(graph.labels, model.labels_) > 0.95


def test_bic_is_that_of_the_positions():
    # Regularisation is by the scaled positions; with 1e-6 of a unit variance it changes the BIC by less than 0.1.
    points = np.random.default_rng(0).normal(size=(200, 2)) * 0.01 + np.repeat([[0, 0], [1, 1]], 100, axis=0)
    points *= 1e-3
    expected = GaussianMixture(2, reg_covar=1e-15, random_state=0, n_init=3).fit(points).bic(points)
    for seed in range(4):
        found = choose_mixture(points, [2], covariance="full", random_state=seed)
        assert found.bic[2, "full"] == pytest.approx(expected, abs=2.0)
        # Clusters of one size are in the order of their first vertices, and those of k-means in any order.
        assert found.predict(points).tolist() == [0] * 100 + [1] * 100


@pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")
def test_degrees_do_not_make_clusters():
    # Two groups whose degrees differ by factors of ten: a Gaussian mixture of the positions splits them.
    rng = np.random.default_rng(0)
    side, weight = np.repeat([0, 1], 400), rng.pareto(2.0, 800) + 0.3
    p = np.where(side[:, None] == side, 1.0, 0.2) * np.multiply.outer(weight, weight)
    p *= 20 * 800 / p.sum()
    upper = np.triu(rng.random((800, 800)) < np.minimum(p, 1), 1).astype(float)
    model = lp.VertexClustering().fit(upper + upper.T)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(side, model.labels_) > 0.8


# Some components have no label.
@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
@pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")
@pytest.mark.parametrize("network", [*COINCIDING, nx.cycle_graph(30)], ids=str)
@pytest.mark.parametrize("method", ["directions", "gaussian", "classes"])
def test_small_graphs_with_vertices_that_coincide(network, method):
    n = len(network)
    if method == "classes":
        for labels in (np.arange(n) * 2 // n, {0: 0, n - 1: 1}):
            model = lp.VertexClassifier().fit(network, labels)
            assert set(model.transduction_) | set(model.predict({"new": [0, 1]})) <= {0, 1}
        return
    model = lp.VertexClustering(method=method).fit(network)
    assert len(model.labels_) == n
    assert model.predict({"new": [0, 1]})[0] < model.n_clusters_
    if method == "directions" and "caveman" in network.name:
        assert adjusted_rand_score(np.arange(20) // 5, model.labels_) > 0.8


def test_vertices_without_edges():
    with pytest.warns(IsolatedVertexWarning, match="3 of 27 vertices"):
        model = lp.VertexClustering(n_clusters=2).fit(
            nx.disjoint_union(nx.barbell_graph(12, 0), nx.empty_graph(3))
        )
    assert model.labels_[24:].tolist() == [0, 0, 0]
    assert model.cluster_shares_.tolist() == [0.5, 0.5]
    with pytest.warns(IsolatedVertexWarning, match="1 of 2 vertices"):
        assert model.predict_proba({"a": [], "b": [0, 1]})[0].tolist() == [0.5, 0.5]


def test_directed_and_weighted_graphs():
    upper = np.triu(SAMPLED.adjacency.toarray(), 1)
    rng = np.random.default_rng(0)
    arcs = np.where(rng.random(upper.shape) < 0.5, upper, upper.T) * rng.integers(1, 4, upper.shape)
    directed = lp.VertexClustering().fit(lp.as_adjacency(arcs, directed=True))
    assert adjusted_rand_score(SAMPLED.labels, directed.labels_) > 0.95
    # Arcs in both directions count, in whatever form they come.
    new = nx.DiGraph([("new", v) for v in range(0, 60, 5)] + [(v, "new") for v in range(1, 60, 5)])
    assert directed.predict(new).tolist() == [np.bincount(directed.labels_[:60]).argmax()]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("n_clusters", wrong) for wrong in (0, 311, [], "three", 2.5)),
        *(("covariance", "round"), ("covariance", "full"), ("method", "kmeans"), ("n_init", 0)),
    ],
)
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises((ArgumentError, lp.errors.ArgumentTypeError), match=name):
        lp.VertexClustering(**{name: value}).fit(SAMPLED)


@pytest.mark.parametrize("method", ["directions", "gaussian"])
def test_too_many_clusters_are_refused_with_a_number_that_works(method):
    for loops in (np.eye(5), nx.empty_graph(3)):
        with pytest.raises(GraphError, match="No two vertices are joined"):
            lp.VertexClustering(method=method).fit(loops)
    star = nx.star_graph(30)  # its leaves have one position
    star.add_edges_from([(1, 2), (2, 3), (3, 4)])
    for wrong in (1000, 31, [500, 3]):
        with pytest.raises(ArgumentError, match=r"n_clusters <= \d+\.$") as caught:
            lp.VertexClustering(n_clusters=wrong, method=method).fit(star)
        most = int(re.search(r"<= (\d+)", str(caught.value))[1])
        assert most < 31
        assert lp.VertexClustering(n_clusters=most, method=method).fit(star).n_clusters_ <= most


def test_vertices_of_small_components_say_so():
    """In a network with small components, the 16 dimensions are those of the large one."""
    large = lp.stochastic_block_model([100, 100], [[0.3, 0.02], [0.02, 0.3]], random_state=0).to_networkx()
    graph = nx.disjoint_union(large, nx.disjoint_union_all([nx.path_graph(2)] * 10))
    with pytest.warns(DisconnectedGraphWarning, match="20 of 220 vertices, such as 200"):
        model = lp.VertexClustering(n_clusters=2).fit(graph)
    assert model.has_position_.tolist() == [True] * 200 + [False] * 20
    probability = model.vertex_table()["probability"]
    np.testing.assert_allclose(model.cluster_distributions_[200:], [model.cluster_shares_] * 20)
    assert probability[:200].min() > 0.9 > probability[200:].max()
    found = model.predict_table({"x": [200], "y": [0, 1, 2]}).set_index("name")
    assert found["has_position"].tolist() == [False, True]
    expected = [model.labels_[200], model.cluster_shares_.max(), True, False]
    assert found.loc["x", ["cluster", "probability", "has_known_neighbor", "has_position"]].tolist() == expected


@pytest.mark.parametrize("planted", [False, True])
def test_refinement_ends_where_each_vertex_is_in_its_most_probable_cluster(planted):
    # If all vertices move in each step, a third or more of these 300 vertices change places again and again.
    for seed in range(3):
        graph = lp.stochastic_block_model([50] * 6, 0.012 + 0.06 * np.eye(6), random_state=seed)
        layers = [graph.adjacency.tocsr(), sparse.csr_array((300, 300))]
        labels = refined(layers, np.random.default_rng(seed).integers(6, size=300), planted=planted)
        partition = BlockPartition.of(layers, labels, np.zeros(labels.max() + 1, dtype=int), np.array([planted]))
        probabilities = partition.known_proba(layers[0]).toarray()
        # Of equally probable ones, the cluster is the one from which the vertex would have moved.
        assert (probabilities[np.arange(300), labels] >= (1 - 1e-6) * probabilities.max(axis=1)).all()
        assert (labels == refined(layers, labels, planted=planted)).all()


def test_components_are_clusters_of_their_own_and_large_ones_are_divided():
    p = np.full((3, 3), 0.02) + 0.28 * np.eye(3)
    large = lp.stochastic_block_model([80, 70, 60], p, random_state=0)
    small = [nx.path_graph(2)] * 30 + [nx.complete_graph(5)] * 6 + [nx.gnp_random_graph(16, 0.5, seed=0)]
    graph = nx.disjoint_union_all([large.to_networkx(), nx.barbell_graph(20, 0), *small])
    expected = [*large.labels, *np.repeat(np.arange(3, 42), [20] * 2 + [2] * 30 + [5] * 6 + [16])]
    model = lp.VertexClustering().fit(graph)  # warnings are errors
    assert model.n_clusters_ == 42
    assert adjusted_rand_score(expected, model.labels_) > 0.98
    assert model.has_position_.sum() == 250  # the components with a tenth of the vertices
    shares = model.cluster_distributions_
    assert np.array_equal(shares.argmax(axis=1), model.labels_)
    assert np.all(shares[250:].max(axis=1) == 1)  # no division of its component, no doubt
    # New vertices join the cluster of their neighbors, in small components as well.
    new = {"x": [250], "y": [310, 311, 312], "z": range(200, 210)}
    assert model.predict(new).tolist() == model.labels_[[250, 310, 205]].tolist()


def test_equal_components():
    model = lp.VertexClustering().fit(nx.disjoint_union_all([nx.complete_graph(3)] * 500))
    assert np.array_equal(model.labels_, np.repeat(np.arange(500), 3))
    blocks = nx.disjoint_union_all([nx.gnp_random_graph(50, 0.2, seed=seed) for seed in range(20)])
    assert np.array_equal(lp.VertexClustering().fit(blocks).labels_, np.repeat(np.arange(20), 50))
    assert np.array_equal(lp.VertexClustering(n_clusters=20).fit(blocks).labels_, np.repeat(np.arange(20), 50))
    more = lp.VertexClustering(n_clusters=22).fit(blocks).labels_
    assert max(len(np.unique(np.arange(1000)[more == k] // 50)) for k in range(22)) == 1
    # No partition of ten vertices is shorter than one cluster, but their eigenvectors are significant.
    cliques = lp.VertexClustering().fit(nx.barbell_graph(5, 0))
    assert min(cliques.description_lengths_.values()) == 0 == cliques.description_lengths_[1, 1]
    assert cliques.labels_.tolist() == [0] * 5 + [1] * 5


def test_groups_that_show_in_negative_edges():
    side, rng = np.repeat([0, 1], 60), np.random.default_rng(0)
    positive = np.triu(rng.random((120, 120)) < 0.1, 1)
    negative = np.triu((rng.random((120, 120)) < 0.2) & (side[:, None] != side), 1)
    upper = np.where(negative, -1.0, positive)
    flipped = np.where(rng.random((120, 120)) < 0.5, upper, 0.0)
    directed = lp.as_adjacency(upper - flipped + flipped.T, directed=True)
    for graph in (directed, -1.0 * (negative + negative.T), upper + upper.T):
        model = lp.VertexClustering().fit(graph)
        assert model.n_clusters_ == 2
        # 6 negative edges to the other side against 6 positive ones to either: the other side is sure.
        assert adjusted_rand_score(side, model.labels_) > 0.9
    enemies = {"new": dict.fromkeys(range(0, 120, 15), 1.0) | dict.fromkeys(range(5, 60, 10), -1.0)}
    assert model.predict(enemies).tolist() == [model.labels_[60]]


def test_probabilities_in_components_are_those_among_all_clusters():
    """Only clusters of the same component are compared; they have the odds that they have among all clusters."""
    blocks = [nx.planted_partition_graph(2, 40, 0.5, 0.05, seed=seed) for seed in (0, 1)]
    graph = nx.disjoint_union_all([*blocks, nx.complete_graph(4), nx.path_graph(2)])
    model = lp.VertexClustering().fit(graph)
    assert model.n_clusters_ == 6
    found, partition = model.cluster_distributions_, model.partition_
    scores = partition.positive.scores(model.graph_.matrix, partition.labels, partition.labels)
    for part in nx.connected_components(graph):
        rows = np.array(sorted(part))
        inside = np.isin(np.arange(6), model.labels_[rows])
        expected = softmax(np.where(inside, scores[rows], -np.inf), axis=1)
        np.testing.assert_allclose(found[rows], expected, atol=1e-12)


def log_likelihood(matrix, rates, labels):
    """Return the Poisson log-likelihood of all pairs, up to terms that do not depend on the rates."""
    degrees = matrix.sum(axis=1)
    mean = np.multiply.outer(degrees, degrees) / matrix.sum() * rates[labels][:, labels]
    return 0.5 * (matrix * np.log(mean)).sum() - 0.5 * mean.sum()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_length_is_likelihood_and_partition(k):
    dense, n, m = CLUB.toarray(), 34, 78
    labels = np.arange(n) % k
    members = np.eye(k)[labels]
    ends = members.T @ dense @ members
    expected = np.multiply.outer(ends.sum(axis=1), ends.sum(axis=1)) / (2 * m)
    same = np.eye(k, dtype=bool)
    rates = np.where(same, ends[same].sum() / expected[same].sum(), ends[~same].sum() / expected[~same].sum())
    nothing = log_likelihood(dense, np.ones((k, k)), labels)
    partition = lgamma(n + 1) - sum(lgamma(size + 1) for size in np.bincount(labels)) + log(comb(n - 1, k - 1))
    found = description_length([CLUB], labels, k)
    assert found.planted == pytest.approx(partition + log(m + 1) + nothing - log_likelihood(dense, rates, labels))
    rates = np.where(ends > 0, ends, 1e-300) / expected
    pairs = k * (k + 1) // 2
    length = partition + log(comb(m + pairs - 1, pairs - 1))
    assert found.blocks == pytest.approx(length + nothing - log_likelihood(dense, rates, labels))
    # Lengths of positive and of negative edges add up, but for that of the partition.
    other, none = sparse.csr_array(CLUB[::-1][:, ::-1]), sparse.csr_array((n, n))
    both, alone = (description_length([layer, other], labels, k) for layer in (CLUB, none))
    assert both.planted == pytest.approx(found.planted + alone.planted - partition)
    assert both.blocks == pytest.approx(found.blocks + alone.blocks - partition)


def test_rates_of_two_components_are_those_of_edges_and_degrees():
    matrix = nx.to_scipy_sparse_array(nx.disjoint_union(nx.barbell_graph(5, 0), nx.cycle_graph(4)), format="csr")
    labels, components = np.repeat([0, 1, 2], [5, 5, 4]), np.array([0, 0, 1])
    blocks, planted = (EdgeRates.of(matrix, labels, components, np.full(2, kind)) for kind in (False, True))
    # Degrees 21, 21 and 8 of 50; half an edge is added to the found and the expected ones.
    inside, between, cycle = 20.5 / (21 * 21 / 50 + 0.5), 1.5 / (21 * 21 / 50 + 0.5), 8.5 / (64 / 50 + 0.5)
    expected = [[inside, between, 0], [between, inside, 0], [0, 0, cycle]]
    assert np.allclose(blocks.rates.toarray(), expected)
    inside, between = 40.5 / (2 * 21 * 21 / 50 + 0.5), 2.5 / (2 * 21 * 21 / 50 + 0.5)
    assert np.allclose(planted.rates.toarray(), [[inside, between, 0], [between, inside, 0], [0, 0, cycle]])
    assert planted.elsewhere == pytest.approx(0.5 / (2 * 42 * 8 / 50 + 0.5))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("planted", [False, True])
def test_each_vertex_moves_to_the_cluster_of_largest_likelihood(layers, planted):
    """One step moves each vertex to the cluster of largest Poisson likelihood of its edges."""
    rng = np.random.default_rng(0)
    upper = [sparse.triu(sparse.random_array((150, 150), density=0.1 * (i < layers), rng=rng), 1) for i in (0, 1)]
    arcs = [sparse.csr_array(each + each.T) for each in upper]
    labels = rng.integers(0, 4, 150)
    found = module._moved(arcs, labels, planted)
    scores = np.zeros((150, 4))
    for each in arcs[:layers]:
        rates = EdgeRates.of(each, labels, np.zeros(4, dtype=int), np.array([planted]))
        r, dense = rates.rates.toarray()[labels], each.toarray() / rates.mean_weight
        degrees = dense.sum(axis=1)
        expected = np.outer(degrees, degrees) / rates.degrees.sum()
        np.fill_diagonal(expected, 0)
        scores += dense @ np.log(r) - expected @ r
    assert np.array_equal(found, scores.argmax(axis=1))
