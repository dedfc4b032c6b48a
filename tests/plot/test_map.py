"""Maps: likeness kept in the plane, components, new vertices, what is drawn, and wrong input."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb, to_rgba_array
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree
from sklearn.manifold import trustworthiness
from sklearn.metrics import silhouette_score

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, DisconnectedGraphWarning, UnknownVertexError
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.graph.preprocess import connected_components
from lpgraph.plot import layout
from lpgraph.plot.layout import network_layout
from lpgraph.plot.palette import PALE, hex_colours


def blocks(within=0.3, between=0.03, directed=False):
    p = between + (within - between) * np.eye(3)
    return lp.stochastic_block_model([60, 60, 60], p, directed=directed, random_state=0)


def xy_of(graph, **others):
    return network_layout(lp.as_adjacency(graph), **others).xy


@pytest.mark.parametrize(
    "graph", [blocks(), blocks(0.01, 0.45), blocks(directed=True)], ids=["", "negative", "arcs"]
)
def test_blocks_are_apart(graph):
    for model in (None, lp.AdjacencySpectralEmbedding(3).fit(graph)):
        assert silhouette_score(xy_of(graph, model=model), graph.labels) > 0.2


@pytest.mark.parametrize("graph", [nx.grid_2d_graph(14, 20), nx.balanced_tree(3, 4), nx.path_graph(800)])
def test_paths_are_kept(graph):
    length = shortest_path(nx.to_scipy_sparse_array(graph), unweighted=True)
    assert trustworthiness(length, xy_of(graph), n_neighbors=8, metric="precomputed") > 0.9


def test_coarse_positions_of_a_model_are_not_used():
    path = lp.as_adjacency(nx.path_graph(800))
    model = lp.LaplacianSpectralEmbedding(16, regularizer="mean", tol=0.1).fit(path)
    assert np.array_equal(xy_of(path, model=model), xy_of(path))


def test_both_sides_of_a_bipartite_network_share_their_groups():
    rng = np.random.default_rng(0)
    people, events = np.arange(120) % 3, np.arange(60) % 3
    joined = rng.random((120, 60)) < np.where(people[:, None] == events, 0.4, 0.02)
    graph = nx.Graph()
    graph.add_edges_from((int(i), 120 + int(j)) for i, j in np.argwhere(joined))
    graph = lp.as_adjacency(graph)
    group = np.array([people[v] if v < 120 else events[v - 120] for v in graph.names])
    for model in (None, lp.LaplacianSpectralEmbedding(8).fit(graph)):
        assert silhouette_score(xy_of(graph, model=model), group) > 0.7  # about 0.6 with negative eigenvalues


def test_components_do_not_overlap():
    parts = [nx.barabasi_albert_graph(200, 2, seed=0), nx.path_graph(60), *[nx.complete_graph(3)] * 40, nx.Graph()]
    graph = nx.disjoint_union_all(parts)
    graph.add_nodes_from(range(len(graph), len(graph) + 30))
    adjacency = lp.as_adjacency(graph)
    with pytest.warns(DisconnectedGraphWarning):
        fitted = lp.LaplacianSpectralEmbedding(4).fit(adjacency)
    for model in (None, fitted):
        xy = xy_of(adjacency, model=model)
        component = connected_components(adjacency)[1]
        boxes = np.array([[*xy[component == k].min(0), *xy[component == k].max(0)] for k in np.unique(component)])
        for k, (left, low, right, high) in enumerate(boxes):
            others = np.delete(boxes, k, axis=0)
            apart = (others[:, 0] > right) | (others[:, 2] < left) | (others[:, 1] > high) | (others[:, 3] < low)
            assert apart.all()
        width, height = np.ptp(xy, axis=0)
        assert 0.5 < width / height < 3


def test_a_sample_is_laid_out_and_others_are_placed_between(monkeypatch):
    monkeypatch.setattr(layout, "MOST", 100)
    assert silhouette_score(xy_of(blocks()), blocks().labels) > 0.25


def test_the_same_seed_gives_the_same_picture():
    graph = blocks()
    assert np.array_equal(xy_of(graph), xy_of(graph, random_state=0))
    assert not np.array_equal(xy_of(graph), xy_of(graph, random_state=1))


@pytest.mark.parametrize("directed", [False, True])
def test_new_vertices_are_in_their_groups(directed):
    graph = blocks(directed=directed)
    new = graph.new_vertices(30, random_state=1)
    for shown in (
        graph,
        lp.AdjacencySpectralEmbedding(3).fit(graph),
        lp.VertexClustering(n_clusters=3).fit(graph),
    ):
        axes = lp.plot.map(shown, graph.labels, new)
        dots, ring = axes.collections[-4], axes.collections[-1]
        near = cKDTree(dots.get_offsets()).query(ring.get_offsets(), 5)[1]
        majority = np.median(dots.get_facecolors()[near], axis=1)[:, :3]
        assert (abs(majority - to_rgba_array(hex_colours(3))[new.labels, :3]).max(axis=1) < 1e-9).mean() > 0.9
    assert len({tuple(face) for face in ring.get_facecolors()}) == 3  # filled with the predicted colours


def test_new_vertices_of_small_components_and_without_edges():
    graph = lp.as_adjacency(nx.disjoint_union(nx.barabasi_albert_graph(80, 2, seed=0), nx.path_graph(4)))
    new = as_new_edges({"a": [80, 82], "b": []}, graph.names)
    found = network_layout(graph, new=new)
    assert np.allclose(found.new[0], found.xy[[80, 82]].mean(axis=0))
    assert found.new[1, 1] < found.xy[:, 1].min()
    assert len(lp.plot.map(graph, new=new).collections[-3].get_segments()) == 2
    title = lp.plot.map(graph, new=new).get_title(loc="left").replace("\n", " ")
    assert title.endswith("2 new vertices (rings), 1 without a known neighbor, below")


def test_what_is_drawn(monkeypatch):
    graph = nx.Graph([(i, (i + k) % 60) for i in range(60) for k in (1, 2)])
    graph.add_edge(0, 30, weight=-1.0)
    labels = {i: "first" if i < 30 else "second" for i in range(50)}
    axes = lp.plot.map(graph, labels)
    solid, dashed, dots = axes.collections
    assert (len(solid.get_segments()), len(dashed.get_segments()), len(dots.get_offsets())) == (120, 1, 60)
    assert axes.get_title(loc="left") == "60 vertices, 121 edges, 10 without a label (grey)"
    assert sorted(text.get_text() for text in axes.texts) == ["first", "second"]
    inside = np.isclose(solid.get_colors()[:, :3], to_rgb(hex_colours(1)[0])).all(axis=1).sum()
    assert inside == 57  # edges between two of the 30 vertices of the first class
    monkeypatch.setattr(layout, "MOST_EDGES", 50)
    assert "(50 drawn)" in lp.plot.map(graph).get_title(loc="left")
    assert [bool(lines.get_linestyles()[0][1]) for lines in (solid, dashed)] == [False, True]
    assert len(lp.plot.map(nx.DiGraph([(0, 1), (1, 0), (2, 1)])).collections[0].get_segments()) == 2
    clustering = lp.VertexClustering(n_clusters=3).fit(blocks())
    assert lp.plot.map(clustering).get_title(loc="left").endswith("(50 drawn), 3 clusters")


def test_one_of_each():
    assert lp.plot.map(nx.path_graph(1)).get_title(loc="left") == "1 vertex"
    title = lp.plot.map(nx.DiGraph([(0, 1)]), new={"new": [0]}).get_title(loc="left")
    assert title == "2 vertices, 1 arc, 1 new vertex (ring)"


def test_clusters_of_a_joint_embedding_are_drawn_in_the_first_network():
    model = lp.VertexClustering(lp.joint.UnfoldedEmbedding(2), 2, method="gaussian").fit([blocks(), blocks()])
    assert lp.plot.map(model).get_title(loc="left").endswith("edges, 2 clusters")


def test_vertices_are_grey_if_no_label_is_known():
    axes = lp.plot.map(nx.path_graph(60), [None] * 60)
    assert axes.get_title(loc="left").endswith("60 without a label (grey)")
    assert {to_hex(shade).upper() for shade in axes.collections[-1].get_facecolors()} == {PALE}
    assert not axes.texts
    assert len({*axes.collections[-1].get_sizes()}) == 2  # the ends of a path have one neighbor


def test_the_title_explains_a_scale_of_colours():
    ages = [None, *range(20, 199)]
    assert "dark: 20 to 42, light: 177 to 198" in lp.plot.map(blocks(), labels=ages).get_title(loc="left")


def test_names_of_vertices(monkeypatch):
    people = nx.les_miserables_graph()
    assert {"Valjean", "Javert"} == {
        text.get_text() for text in lp.plot.map(people, names=["Javert", "Valjean"]).texts
    }
    axes = lp.plot.map(people, names=True)
    assert 50 < len(axes.texts) <= 77
    boxes = np.array([text.get_window_extent().extents for text in axes.texts])
    below, above = boxes[:, None, :2], boxes[None, :, 2:]
    overlap = (below < above).all(axis=2)
    assert (overlap & overlap.T).sum() == len(boxes)
    monkeypatch.setattr(lp.plot.network_map, "_MOST_NAMES", 1)
    assert [text.get_text() for text in lp.plot.map(people, names=True).texts] == ["Valjean"]
    with pytest.raises(UnknownVertexError, match="Zachary"):
        lp.plot.map(people, names=["Zachary"])


def test_the_name_of_a_small_class_does_not_hide_it():
    graph = lp.stochastic_block_model([500, 500, 20], 0.01 + np.diag([0.05, 0.05, 0.9]), random_state=0)
    axes = lp.plot.map(graph, np.array(["first", "second", "Vietnam"])[graph.labels])
    name = next(text for text in axes.texts if text.get_text() == "Vietnam")
    left, low, right, high = name.get_window_extent().extents
    own = axes.transData.transform(lp.plot.map_positions(graph)[graph.labels == 2])
    assert ((own > [left, low]) & (own < [right, high])).all(axis=1).mean() <= 0.25


def test_models_of_points():
    X = np.random.default_rng(0).random((120, 3))
    flat = lp.manifold.Isomap(2, n_neighbors=8).fit(X[:100])
    dots, _, ring = lp.plot.map(flat, new=X[100:]).collections
    assert {*map(tuple, dots.get_offsets().data)} == {*map(tuple, flat.embedding_)}
    np.testing.assert_allclose(ring.get_offsets(), flat.transform(X[100:]))
    deep = lp.manifold.LaplacianEigenmaps(5, n_neighbors=8).fit(X[:100])
    assert len(lp.plot.map(deep, np.arange(100) % 2, X[100:]).collections[-1].get_offsets()) == 20
    assert lp.plot.map(lp.manifold.ClassicalMDS(3).fit(X)).get_title(loc="left") == "120 points"


@pytest.mark.parametrize(
    ("arguments", "error", "names"),
    [
        ((3,), ArgumentTypeError, "graph"),
        ((lp.AdjacencySpectralEmbedding(2),), ArgumentError, "fitted"),
        ((nx.path_graph(4), [0, 1]), ArgumentError, "labels"),
        ((nx.path_graph(4), "club"), ArgumentTypeError, "labels='club'"),
        ((nx.path_graph(4), None, np.ones((1, 3))), ArgumentError, "new"),
    ],
)
def test_wrong_input(arguments, error, names):
    with pytest.raises(error, match=names):
        lp.plot.map(*arguments)


def test_notebooks_show_a_small_map_of_a_fitted_model():
    graph = lp.datasets.karate().graph
    assert "data:image/png" in lp.VertexClustering().fit(graph)._repr_html_()
    assert "data:image/png" not in lp.VertexClustering()._repr_html_()
