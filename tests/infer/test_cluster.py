"""Vertex clustering: recovered blocks, numbered by size, the same in each run."""

import re
import warnings

import networkx as nx
import numpy as np
import pytest
from networks import COINCIDING
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    DisconnectedGraphWarning,
    GraphError,
    IsolatedVertexWarning,
    LpgraphWarning,
    NotFittedError,
)
from lpgraph.infer.block_partition import BlockPartition, refined
from lpgraph.infer.mixture import choose_mixture
from lpgraph.plot.scaling import Scaling, default_axes

B = np.full((3, 3), 0.05) + np.diag([0.45, 0.4, 0.35])


@pytest.fixture(scope="module")
def sampled():
    """Three blocks of unequal size."""
    graph = lp.stochastic_block_model([60, 150, 100], B, random_state=1)
    return graph, graph.new_vertices(120, random_state=2)


def gaussian(d, *args, **params):
    """Return the Gaussian mixture of d adjacency coordinates."""
    return lp.VertexClustering(lp.AdjacencySpectralEmbedding(d), *args, method="gaussian", n_init=1, **params)


@pytest.mark.parametrize("method", ["directions", "gaussian"])
def test_blocks_are_found_and_new_vertices_join_them(sampled, method):
    graph, new = sampled
    model = lp.VertexClustering(method=method, n_init=1).fit(graph)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(graph.labels, model.labels_) > 0.97
    assert np.bincount(model.labels_).tolist() == sorted(np.bincount(model.labels_), reverse=True)
    assert adjusted_rand_score(new.labels, model.predict(new)) > 0.95
    proba = model.predict_proba(new)
    assert np.allclose(proba.sum(axis=1), 1)
    assert np.array_equal(proba.argmax(axis=1), model.predict(new))
    assert np.array_equal(model.cluster_distributions_.argmax(axis=1), model.labels_)
    assert np.allclose(model.cluster_shares_, np.bincount(model.labels_) / 310)
    again = lp.VertexClustering(method=method, n_init=1).fit(graph)
    assert np.array_equal(again.labels_, model.labels_)
    assert np.array_equal(again.predict_proba(new), proba)


def test_attributes_of_the_choice(sampled):
    graph, _ = sampled
    model = gaussian(3, range(1, 6)).fit(graph)
    assert min(model.bic_, key=model.bic_.get) == (model.n_clusters_, model.covariance_)
    model = lp.VertexClustering(n_clusters=range(2, 6)).fit(graph)
    assert min(model.description_lengths_, key=model.description_lengths_.get)[0] == model.n_clusters_ == 3
    assert {key[0] for key in model.description_lengths_} == {2, 3, 4, 5}
    assert lp.VertexClustering(n_clusters=4).fit(graph).n_clusters_ == 4


def test_bic_is_that_of_the_positions():
    # Regularisation is by the scaled positions; with 1e-6 of a unit variance it changes the BIC by less than 0.1.
    points = np.random.default_rng(0).normal(size=(200, 2)) * 0.01 + np.repeat([[0, 0], [1, 1]], 100, axis=0)
    found = choose_mixture(1e-3 * points, [2], covariance="full").bic[2, "full"]
    expected = GaussianMixture(2, reg_covar=1e-15, random_state=0, n_init=3).fit(1e-3 * points).bic(1e-3 * points)
    assert found == pytest.approx(expected, abs=2.0)


@pytest.mark.parametrize(
    ("sizes", "within", "between", "n_clusters"),
    [([150] * 4, 0.2, 0.05, 4), ([200] * 2, 0.05, 0.2, 2), ([300], 0.1, 0.1, 1), ([40] * 12, 0.6, 0.03, 12)],
)
def test_number_of_clusters_of_block_models(sizes, within, between, n_clusters):
    k = len(sizes)
    p = np.full((k, k), between) + (within - between) * np.eye(k)
    graph = lp.stochastic_block_model(sizes, p, random_state=0)
    model = lp.VertexClustering().fit(graph)
    assert model.n_clusters_ == n_clusters
    assert adjusted_rand_score(graph.labels, model.labels_) > 0.95


def test_groups_that_are_joined_to_one_other_group():
    # Two rates cannot describe which of four groups are joined; the block model can.
    p = np.full((4, 4), 0.02)
    p[[0, 1, 2, 3], [2, 3, 0, 1]] = 0.15
    graph = lp.stochastic_block_model([200] * 4, p, random_state=0)
    model = lp.VertexClustering().fit(graph)
    assert adjusted_rand_score(graph.labels, model.labels_) > 0.97


def test_degrees_do_not_make_clusters():
    # Two groups whose degrees differ by factors of ten: a Gaussian mixture of the positions splits them.
    rng = np.random.default_rng(0)
    side, weight = np.repeat([0, 1], 400), rng.pareto(2.0, 800) + 0.3
    p = np.where(side[:, None] == side, 1.0, 0.2) * np.multiply.outer(weight, weight)
    p *= 20 * 800 / p.sum()
    upper = np.triu(rng.random((800, 800)) < np.minimum(p, 1), 1).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsolatedVertexWarning)
        model = lp.VertexClustering().fit(upper + upper.T)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(side, model.labels_) > 0.8


@pytest.mark.parametrize("network", [*COINCIDING, nx.cycle_graph(30)], ids=str)
@pytest.mark.parametrize("method", ["directions", "gaussian"])
def test_small_graphs_with_vertices_that_coincide(network, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisconnectedGraphWarning)
        model = lp.VertexClustering(method=method).fit(network)
        assert len(model.labels_) == len(network)
        assert model.predict({"new": [0, 1]})[0] < model.n_clusters_
        if method == "directions" and "caveman" in network.name:
            assert adjusted_rand_score(np.arange(20) // 5, model.labels_) > 0.8


def test_vertices_without_edges():
    graph = nx.disjoint_union(nx.barbell_graph(12, 0), nx.empty_graph(3))
    with pytest.warns(IsolatedVertexWarning, match="3 of 27 vertices"):
        model = lp.VertexClustering(n_clusters=2).fit(graph)
    assert model.labels_[24:].tolist() == [0, 0, 0]
    assert model.cluster_shares_.tolist() == [0.5, 0.5]
    with pytest.warns(IsolatedVertexWarning, match="1 of 2 vertices"):
        assert model.predict_proba({"a": [], "b": [0, 1]})[0].tolist() == [0.5, 0.5]


def test_directed_signed_and_weighted_graphs(sampled):
    graph, _ = sampled
    upper = np.triu(graph.adjacency.toarray(), 1)
    rng = np.random.default_rng(0)
    arcs = np.where(rng.random(upper.shape) < 0.5, upper, upper.T)
    arcs = arcs * rng.integers(1, 4, arcs.shape)
    directed = lp.VertexClustering().fit(lp.as_adjacency(arcs, directed=True))
    assert adjusted_rand_score(graph.labels, directed.labels_) > 0.95
    # Arcs in both directions count, in whatever form they come.
    new = nx.DiGraph([("new", v) for v in range(0, 60, 5)] + [(v, "new") for v in range(1, 60, 5)])
    cluster = np.bincount(directed.labels_[:60]).argmax()
    assert directed.predict(new).tolist() == [cluster]
    side = np.repeat([0, 1], 60)
    joined = np.triu(rng.random((120, 120)) < 0.2, 1)
    weights = np.where(side[:, None] == side, 1.0, -1.0) * joined
    signed = lp.VertexClustering(n_clusters=2).fit(weights + weights.T)
    assert adjusted_rand_score(side, signed.labels_) > 0.9


def test_largest_number_warns(monkeypatch):
    for module in ("cluster", "component_clusters"):
        monkeypatch.setattr(f"lpgraph.infer.{module}.MOST_CLUSTERS", 3)
    side, rng = np.repeat(np.arange(5), 30), np.random.default_rng(0)
    signs = np.where(side[:, None] == side, 1.0, -1.0)
    upper = np.triu(signs * (rng.random((150, 150)) < 0.2), 1)
    with pytest.warns(LpgraphWarning, match="3, the largest that was tried"):
        model = lp.VertexClustering().fit(upper + upper.T)
    assert model.n_clusters_ == 3
    assert lp.VertexClustering(n_clusters=5).fit(upper + upper.T).n_clusters_ == 5


def test_saved_clustering(sampled, tmp_path):
    graph, new = sampled
    for method in ("directions", "gaussian"):
        model = lp.VertexClustering(method=method, n_clusters=3).fit(graph)
        lp.save(model, tmp_path / "model.lpg")
        loaded = lp.load(tmp_path / "model.lpg")
        assert np.array_equal(loaded.predict_proba(new), model.predict_proba(new))
        assert np.array_equal(loaded.cluster_distributions_, model.cluster_distributions_)


def test_choice_does_not_depend_on_the_scale_of_the_positions(sampled):
    graph, _ = sampled
    z = lp.AdjacencySpectralEmbedding(3).fit_transform(graph)
    large = choose_mixture(z, range(1, 6), n_init=1)
    small = choose_mixture(1e-4 * z, range(1, 6), n_init=1)
    assert (small.n_clusters, small.covariance) == (large.n_clusters, large.covariance)
    assert np.array_equal(small.predict(1e-4 * z), large.predict(z))


def test_covariance_model_is_read_off_the_data():
    rng = np.random.default_rng(0)
    wide = np.vstack([rng.normal(0, [3, 0.2], (200, 2)), rng.normal(8, [0.2, 3], (200, 2))])
    assert choose_mixture(wide, 2).covariance in ("diag", "full")
    round_ = np.vstack([rng.normal(0, 1, (200, 2)), rng.normal(8, 1, (200, 2))])
    assert choose_mixture(round_, 2).covariance in ("spherical", "tied")


def test_wrong_input_is_refused(sampled):
    graph, new = sampled
    for n_clusters, error, words in (
        (0, ArgumentError, "n_clusters=0"),
        (311, ArgumentError, "n_clusters=311 but only 310"),
        ([], ArgumentError, "empty"),
        ("three", ArgumentTypeError, "three"),
        (2.5, ArgumentTypeError, "2.5"),
    ):
        with pytest.raises(error, match=words):
            lp.VertexClustering(lp.AdjacencySpectralEmbedding(2), n_clusters).fit(graph)
    with pytest.raises(ArgumentError, match="covariance='round'"):
        lp.VertexClustering(covariance="round").fit(graph)
    with pytest.raises(ArgumentError, match="covariance='full' but"):
        lp.VertexClustering(covariance="full").fit(graph)
    with pytest.raises(ArgumentError, match="method='kmeans'"):
        lp.VertexClustering(method="kmeans").fit(graph)
    with pytest.raises(NotFittedError):
        lp.VertexClustering().predict(new)
    with pytest.raises(ArgumentError, match="1 positions are distinct"):
        choose_mixture(np.ones((10, 2)), 2)


@pytest.mark.parametrize("method", ["directions", "gaussian"])
def test_too_many_clusters_are_refused_with_a_number_that_works(method):
    star = nx.star_graph(30)  # its leaves have one position
    star.add_edges_from([(1, 2), (2, 3), (3, 4)])
    for wrong in (1000, 31, range(2, 10**12), [500, 3]):
        with pytest.raises(ArgumentError, match=r"are distinct; pass n_clusters <= \d+\.$") as caught:
            lp.VertexClustering(n_clusters=wrong, method=method).fit(star)
        most = int(re.search(r"<= (\d+)", str(caught.value))[1])
        assert most < 31
        assert lp.VertexClustering(n_clusters=most, method=method).fit(star).n_clusters_ <= most


def test_equal_sizes_are_ordered_by_their_first_vertex():
    arcs = nx.to_scipy_sparse_array(nx.connected_caveman_graph(4, 6), dtype=float, format="csr")
    planted = np.repeat([0, 1, 2, 3], 6)
    points = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]], 6, axis=0)
    points = points + np.random.default_rng(0).normal(scale=0.1, size=points.shape)
    for seed in range(6):
        # The numbers of the clusters that come from k-means are arbitrary.
        renamed = np.random.default_rng(seed).permutation(4)[planted]
        assert refined([arcs], renamed, planted=True).tolist() == planted.tolist()
        assert choose_mixture(points, 4, n_init=1, random_state=seed).predict(points).tolist() == planted.tolist()


def test_vertices_of_small_components_say_so():
    """In a network with small components, the 16 dimensions are those of the large one."""
    large = lp.stochastic_block_model([100, 100], [[0.3, 0.02], [0.02, 0.3]], random_state=0).to_networkx()
    graph = nx.disjoint_union(large, nx.disjoint_union_all([nx.path_graph(2)] * 10))
    with pytest.warns(
        DisconnectedGraphWarning, match=r"20 of 220 vertices, such as 200, have no cluster.*largest_component"
    ):
        model = lp.VertexClustering(n_clusters=2).fit(graph)
    assert model.has_position_.tolist() == [True] * 200 + [False] * 20
    table = model.vertex_table()
    np.testing.assert_allclose(model.cluster_distributions_[200:], [model.cluster_shares_] * 20)
    assert table["probability"][:200].min() > 0.9 > table["probability"][200:].max()
    found = model.predict_table({"x": [200], "y": [0, 1, 2]})
    assert found["has_known_neighbor"].tolist() == [True, True]
    assert found["has_position"].tolist() == [False, True]
    assert found["cluster"][0] == model.labels_[200]
    assert found["probability"][0] == model.cluster_shares_[model.labels_[200]]


def test_a_few_vertices_of_small_components_give_no_warning():
    large = lp.stochastic_block_model([150, 150], [[0.3, 0.02], [0.02, 0.3]], random_state=0).to_networkx()
    graph = nx.disjoint_union(large, nx.path_graph(2))
    model = lp.VertexClustering(n_clusters=2).fit(graph)  # warnings are errors
    assert (~model.has_position_).sum() == 2


@pytest.mark.parametrize("seed", range(3))
def test_refinement_ends_where_each_vertex_is_in_its_most_probable_cluster(seed):
    # If all vertices move in each step, a third or more of these 300 vertices change places again and again.
    graph = lp.stochastic_block_model([50] * 6, 0.012 + 0.06 * np.eye(6), random_state=seed)
    layers = [graph.adjacency.tocsr(), sparse.csr_array((300, 300))]
    for planted in (True, False):
        labels = refined(layers, np.random.default_rng(seed).integers(6, size=300), planted=planted)
        one = np.zeros(labels.max() + 1, dtype=int)
        partition = BlockPartition.of(layers, labels, one, np.array([planted]))
        probabilities = partition.known_proba(layers[0]).toarray()
        # Of equally probable ones, the cluster is the one from which the vertex would have moved.
        assert (probabilities[np.arange(300), labels] >= (1 - 1e-6) * probabilities.max(axis=1)).all()
        assert (labels == refined(layers, labels, planted=planted)).all()


@pytest.mark.parametrize("graph", [np.eye(5), np.diag([1.0, 2, 0, 0]), nx.empty_graph(3)])
def test_loops_alone_join_no_vertices(graph):
    for method in ("directions", "gaussian"):
        with pytest.raises(
            GraphError, match=r"No two of the \d vertices are joined: the graph has no edge, or only"
        ):
            lp.VertexClustering(method=method).fit(graph)


def test_clusters_that_the_likelihood_empties_are_told():
    with pytest.warns(LpgraphWarning, match=r"n_clusters=30 but the likelihood leaves \d+ clusters with vertices"):
        model = lp.VertexClustering(n_clusters=30).fit(nx.karate_club_graph())
    assert model.n_clusters_ < 30


def unions(*graphs):
    return nx.disjoint_union_all(graphs)


def test_components_are_clusters_of_their_own_and_large_ones_are_divided():
    p = np.full((3, 3), 0.02) + 0.28 * np.eye(3)
    large = lp.stochastic_block_model([80, 70, 60], p, random_state=0)
    other = nx.barbell_graph(20, 0)
    small = [nx.path_graph(2)] * 30 + [nx.complete_graph(5)] * 6 + [nx.gnp_random_graph(16, 0.5, seed=0)]
    graph = unions(large.to_networkx(), other, *small)
    expected = np.concatenate(
        [
            large.labels,
            np.repeat([3, 4], 20),
            np.repeat(np.arange(5, 35), 2),
            np.repeat(np.arange(35, 41), 5),
            [41] * 16,
        ]
    )
    model = lp.VertexClustering().fit(graph)  # warnings are errors
    assert model.n_clusters_ == 42
    assert adjusted_rand_score(expected, model.labels_) > 0.98
    assert model.has_position_.sum() == 250  # the components with a tenth of the vertices
    assert np.bincount(model.labels_).tolist() == sorted(np.bincount(model.labels_), reverse=True)
    shares = model.cluster_distributions_
    assert np.array_equal(shares.argmax(axis=1), model.labels_)
    assert np.all(shares[250:].max(axis=1) == 1)  # no division of its component, no doubt
    # New vertices join the cluster of their neighbors, in small components as well.
    new = {"x": [250], "y": [310, 311, 312], "z": range(200, 210)}
    assert model.predict(new).tolist() == model.labels_[[250, 310, 205]].tolist()
    assert model.vertex_table()["probability"].min() > 0.3


def test_equal_components():
    for graph, count in ((unions(*[nx.complete_graph(3)] * 500), 500), (nx.empty_graph(0), 0)):
        if count:
            model = lp.VertexClustering().fit(graph)
            assert np.array_equal(model.labels_, np.repeat(np.arange(500), 3))
    blocks = unions(*[nx.gnp_random_graph(50, 0.2, seed=seed) for seed in range(20)])
    assert np.array_equal(lp.VertexClustering().fit(blocks).labels_, np.repeat(np.arange(20), 50))
    assert np.array_equal(lp.VertexClustering(n_clusters=20).fit(blocks).labels_, np.repeat(np.arange(20), 50))
    more = lp.VertexClustering(n_clusters=22).fit(blocks).labels_
    assert max(len(np.unique(np.arange(1000)[more == k] // 50)) for k in range(22)) == 1


def test_groups_that_show_in_negative_edges():
    side = np.repeat([0, 1], 60)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        positive = np.triu(rng.random((120, 120)) < 0.1, 1)
        negative = np.triu((rng.random((120, 120)) < 0.2) & (side[:, None] != side), 1)
        upper = np.where(negative, -1.0, positive)
        flipped = np.where(rng.random((120, 120)) < 0.5, upper, 0.0)
        for graph in (
            upper + upper.T,
            lp.as_adjacency(upper - flipped + flipped.T, directed=True),
            -1.0 * (negative + negative.T),
        ):
            model = lp.VertexClustering().fit(graph)
            assert model.n_clusters_ == 2
            # 6 negative edges to the other side against 6 positive ones to either: the other side is sure.
            assert adjusted_rand_score(side, model.labels_) > 0.9
        model = lp.VertexClustering().fit(upper + upper.T)
        friends = dict.fromkeys(range(0, 120, 15), 1.0)
        enemies = {"new": friends | dict.fromkeys(range(5, 60, 10), -1.0)}
        assert model.predict(enemies).tolist() == [model.labels_[60]]


def test_two_cliques_joined_by_an_edge():
    """No partition of ten vertices is shorter than one cluster, but their eigenvectors are significant."""
    model = lp.VertexClustering().fit(nx.barbell_graph(5, 0))
    assert min(model.description_lengths_.values()) == 0 == model.description_lengths_[1, 1]
    assert model.labels_.tolist() == [0] * 5 + [1] * 5


def test_the_picture_shows_dimensions_of_the_large_component():
    rng = np.random.default_rng(0)
    positions = np.zeros((200, 4))
    positions[:20, 0] = 1.0  # a small component, which owns the first dimension
    positions[20:, 1:] = rng.normal(size=(180, 3))
    side = np.r_[np.zeros(20, dtype=int), np.ones(90, dtype=int), np.full(90, 2)]
    for codes in (np.full(200, -1), side):
        assert 0 not in default_axes(positions, Scaling("none"), codes)


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
        clusters = np.unique(model.labels_[rows])
        odds = np.exp(scores[np.ix_(rows, clusters)] - scores[np.ix_(rows, clusters)].max(axis=1, keepdims=True))
        np.testing.assert_allclose(
            found[np.ix_(rows, clusters)], odds / odds.sum(axis=1, keepdims=True), atol=1e-12
        )
        others = np.setdiff1d(np.arange(6), clusters)
        assert not found[np.ix_(rows, others)].any()
