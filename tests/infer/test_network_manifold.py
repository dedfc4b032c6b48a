"""Curves of latent positions: their order, the chain of both embeddings, names, directions, bad input."""

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning

manifold = lp.manifold


def curve(n, kernel, place, sparsity):
    """Return the positions on a curve, and a graph of them."""
    t = np.random.default_rng(0).uniform(size=n)
    model = lp.LatentPositionModel(kernel, lp.positions.Fixed(place(t)), sparsity=sparsity)
    return t, model.sample(n, random_state=0)


def line(n=400):
    return curve(n, lp.kernels.Gaussian(0.3), lambda t: t[:, None], 0.8)[1]


def information_limit(t, place, kernel, sparsity):
    """Return the rank correlation if each t were estimated with the variance of the Cramer-Rao bound."""
    x, h = place(t), 1e-4
    slopes = sparsity * (kernel(place(t + h), x) - kernel(place(t - h), x)) / (2 * h)
    p = sparsity * kernel(x, x)
    information = (slopes**2 / (p * (1 - p)).clip(1e-12)).sum(axis=1)
    return spearmanr(t, t + np.random.default_rng(9).standard_normal(len(t)) / np.sqrt(information))[0]


def circle(t):
    """Return points on most of a circle: the ends are nearer to each other than points a sixth of it apart."""
    return np.column_stack([np.cos(2 * np.pi * 0.85 * t), np.sin(2 * np.pi * 0.85 * t)])


def hardy_weinberg(t):
    return np.column_stack([t**2, np.sqrt(2) * t * (1 - t), (1 - t) ** 2])


@pytest.mark.parametrize(
    ("kernel", "place", "sparsity"),
    [(lp.kernels.Gaussian(0.8), circle, 0.7), (lp.kernels.DotProduct(), hardy_weinberg, 0.8)],
)
def test_the_order_along_a_curve_is_recovered_also_of_new_vertices(kernel, place, sparsity):
    t, graph = curve(1800, kernel, place, sparsity)
    A, known = graph.adjacency, np.arange(1500)
    model = lp.NetworkManifold().fit(A[known][:, known])
    placed = model.transform(A[1500:][:, known])
    # The error is that of an efficient estimator (variance of rank errors 1 - limit), up to a factor of 4: the
    # embedding truncates the feature map, and weights edges as if their variances were equal.
    limit = information_limit(t[known], place, kernel, sparsity)
    found = [spearmanr(model.embedding_[:, 0], t[known])[0], spearmanr(placed[:, 0], t[1500:])[0]]
    assert (1 - np.abs(found) < 4 * (1 - limit)).all()
    # A new vertex is placed on the same side.
    assert found[0] * found[1] > 0


@pytest.mark.parametrize("unit_rows", [None, True, False])
def test_it_is_the_chain_of_its_steps(unit_rows):
    graph = line()
    A, new = graph.adjacency, graph.new_vertices(7, random_state=1).adjacency
    model = lp.NetworkManifold(unit_rows=unit_rows).fit(A)
    scaled = "passthrough" if unit_rows is False else Normalizer()
    isomap = manifold.Isomap(1, n_neighbors=10, components="bridge")
    pipeline = make_pipeline(lp.AdjacencySpectralEmbedding(), scaled, isomap)
    assert np.allclose(pipeline.fit_transform(A), model.embedding_, atol=1e-12)
    assert np.allclose(pipeline.transform(new), model.transform(new), atol=1e-12)
    # Known vertices come out where they are, and landmarks are used from 500 vertices on.
    assert np.allclose(model.transform(A), model.embedding_, atol=1e-8 * np.abs(model.embedding_).max())
    assert len(model.manifold_.landmarks_) == 400
    assert len(lp.NetworkManifold().fit(line(900)).manifold_.landmarks_) == 500


def test_vertices_keep_their_names():
    named = lp.as_adjacency(line().adjacency, names=[f"v{i}" for i in range(400)])
    model = lp.NetworkManifold().fit(named)
    table = model.vertex_table()
    assert table["name"].tolist()[:2] == ["v0", "v1"]
    assert np.array_equal(table["isomap0"], model.embedding_[:, 0])
    new = {"left": ["v0", "v1", "v2"], "nowhere": []}
    found = model.transform_table(new)
    assert found["name"].tolist() == ["left", "nowhere"]
    assert found["has_known_neighbor"].tolist() == [True, False]
    assert np.array_equal(found["isomap0"], model.transform(new)[:, 0])
    assert list(model.set_output(transform="pandas").transform(new).index) == ["left", "nowhere"]


def test_both_directions_of_arcs_are_used():
    # Only targets depend on the position, so that sources alone would say nothing of the order.
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(size=500))
    P = 0.5 * np.exp(-((rng.uniform(size=500)[:, None] - t) ** 2) / 0.09)
    A = (rng.uniform(size=(500, 500)) < P) & ~np.eye(500, dtype=bool)
    graph = lp.as_adjacency(A.astype(float), directed=True)
    model = lp.NetworkManifold(2).fit(graph)
    assert model.manifold_.n_features_in_ == 2 * model.network_embedding_.embedding_.shape[1]
    # A linear function of both coordinates explains nearly all of the variance of the position as a target.
    design = np.column_stack([model.embedding_, np.ones(500)])
    rest = t - design @ np.linalg.lstsq(design, t)[0]
    assert rest.var() < 0.1 * t.var()
    pair = (graph.matrix[:4], graph.matrix.T.tocsr()[:4])
    assert np.allclose(model.transform(pair), model.embedding_[:4], atol=1e-8)
    with pytest.warns(LpgraphWarning, match="only the arcs from them"):
        model.transform({"x": [0, 1, 2]})


def test_any_method_of_points_and_any_embedding():
    graph = line()
    new = graph.new_vertices(5, random_state=1)
    eigenmaps, network = manifold.LaplacianEigenmaps(1, n_neighbors=10), lp.LaplacianSpectralEmbedding(3)
    for method in (eigenmaps, PCA(2), make_pipeline(StandardScaler(), manifold.KernelPCA(2, kernel="rbf"))):
        model = lp.NetworkManifold(network_embedding=network, manifold=method).fit(graph)
        assert model.transform(new).shape == (5, model.embedding_.shape[1])
        assert len(model.get_feature_names_out()) == model.embedding_.shape[1]


def test_parts_of_the_neighbor_graph_are_joined():
    # Two blocks without noise: all vertices of a block have one position, and the blocks are far apart.
    A = np.kron(np.array([[0.9, 0.1], [0.1, 0.8]]), np.ones((15, 15)))
    model = lp.NetworkManifold(network_embedding=lp.AdjacencySpectralEmbedding(2)).fit(A)
    first, second = model.embedding_[:15], model.embedding_[15:]
    assert np.ptp(first) < 1e-6 * abs(first.mean() - second.mean())


@pytest.mark.parametrize(("graph", "size"), [(nx.path_graph(200), 1), (nx.grid_2d_graph(12, 15), 2)])
def test_the_sides_of_a_bipartite_network_are_together(graph, size):
    places = np.array(list(graph)).reshape(len(graph), -1)
    found = lp.NetworkManifold(size).fit(graph).embedding_
    assert spearmanr(pdist(found), pdist(places))[0] > 0.9


def test_one_dimension_and_few_vertices():
    karate = lp.NetworkManifold(network_embedding=lp.AdjacencySpectralEmbedding(1)).fit(nx.karate_club_graph())
    assert karate.embedding_.shape == (34, 1)
    # The default rule finds one dimension, which describes degrees; an order needs at least two.
    graph = lp.erdos_renyi(60, 0.2, random_state=0)
    assert lp.AdjacencySpectralEmbedding().fit(graph).embedding_.shape == (60, 1)
    for size in (1, 2):
        assert lp.NetworkManifold(size).fit(graph).network_embedding_.embedding_.shape == (60, size + 1)
    weights = np.outer(np.arange(1.0, 31), np.arange(1.0, 31))  # of rank one
    assert lp.NetworkManifold().fit(weights).network_embedding_.embedding_.shape == (30, 1)
    assert lp.NetworkManifold().fit(nx.path_graph(3)).embedding_.shape == (3, 1)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        *(({"n_components": size}, "n_components") for size in (0, 400)),
        ({"n_components": 2, "manifold": manifold.Isomap(1)}, "manifold"),
        *(({"manifold": method}, "manifold") for method in (manifold.Isomap, TSNE())),
        ({"manifold": RandomTreesEmbedding(2)}, "The result of manifold"),
        *(({"network_embedding": "ase"}, "network_embedding"), ({"unit_rows": 1}, "unit_rows")),
        ({"unit_rows": True, "network_embedding": lp.AdjacencySpectralEmbedding(1)}, "unit_rows"),
    ],
)
def test_wrong_settings_are_refused(settings, name):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=name):
        lp.NetworkManifold(**settings).fit(line())


def test_wrong_input_is_refused():
    with pytest.raises(ArgumentError, match="400"):
        lp.NetworkManifold().fit(line()).transform(np.zeros((2, 7)))
    graph = lp.stochastic_block_model([60, 40], [[0.9, 0.02], [0.02, 0.9]], random_state=0)
    parts = manifold.Isomap(1, n_neighbors=8, components="largest")
    with pytest.raises(ArgumentError, match=r"leaves out \d+ vertices; set components='bridge'"):
        lp.NetworkManifold(network_embedding=lp.AdjacencySpectralEmbedding(2), manifold=parts).fit(graph)
