"""Models whose network changes."""

import copy

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, NotFittedError, UnknownVertexError
from lpgraph.graph.changes import changed_network

pandas = pytest.importorskip("pandas")

EMBEDDINGS = [
    lp.AdjacencySpectralEmbedding(3),
    lp.LaplacianSpectralEmbedding(3),
    lp.ModularityEmbedding(2),
    lp.OneStepEmbedding(3),
    lp.RandomWalkEmbedding(2),
]
NAMES = [lambda i: i, lambda i: 7 * i + 3, lambda i: f"v{i}", lambda i: (i // 10, i % 10)]


def network(name=lambda i: i, directed=False, weighted=False, seed=0):
    """Three blocks of 40 vertices with names."""
    p = [[0.5, 0.05, 0.05], [0.05, 0.5, 0.05], [0.05, 0.05, 0.5]]
    drawn = lp.stochastic_block_model([40, 40, 40], p, directed=directed, random_state=seed).to_networkx()
    if weighted:
        rng = np.random.default_rng(seed)
        for u, v in drawn.edges:
            drawn.edges[u, v]["weight"] = float(rng.integers(1, 4))
    return nx.relabel_nodes(drawn, name)


def changes(graph, name=lambda i: i):
    """Edges to add, with two new vertices, and what to remove: a vertex and two edges."""
    old = [name(i) for i in range(120)]
    new = [("first", "second"), (1000, 1001)][isinstance(old[0], int)]
    added = [(new[0], old[i]) for i in range(6)] + [(old[i], new[1]) for i in range(40, 46)] + [new]
    absent = [(old[5], v) for v in old[50:80] if not graph.has_edge(old[5], v)][:4]
    kept = [(u, v) for u, v in graph.edges if old[7] not in (u, v)]
    return added + absent, [old[7], kept[3], kept[50][:: 1 if graph.is_directed() else -1]]


def by_hand(graph, added, removed):
    """The changed network by networkx."""
    result = graph.copy()
    result.remove_node(removed[0])
    result.remove_edges_from(removed[1:])
    for u, v in added:
        weight = result.get_edge_data(u, v, {}).get("weight", 0.0)
        result.add_edge(u, v, weight=weight + 1.0)
    return result


def matrix(graph, names):
    return nx.to_numpy_array(graph, nodelist=list(names))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_networks_are_changed_as_by_networkx(name, directed, weighted):
    graph = network(name, directed, weighted)
    added, removed = changes(graph, name)
    found = changed_network(lp.as_adjacency(graph), added, removed)
    assert found.directed is directed
    assert list(found.names) == list(by_hand(graph, added, removed))
    assert np.array_equal(found.matrix.toarray(), matrix(by_hand(graph, added, removed), found.names))


def test_all_forms_of_edges_agree():
    graph = lp.as_adjacency(network())
    edges = [(0, 200), (1, 200), (2, 201)]
    expected = changed_network(graph, edges)
    u, v = zip(*edges, strict=True)
    for given in (
        [(*edge, 1.0) for edge in edges],
        pandas.DataFrame({"source": u, "target": v}),
        nx.Graph(edges),
        lp.from_edges(u, v),
    ):
        found = changed_network(graph, given)
        assert list(found.names) == list(expected.names)
        assert (found.matrix != expected.matrix).nnz == 0


def test_edges_that_exist_are_kept_or_add_up():
    plain, weighted = lp.from_edges([0, 1], [1, 2]), lp.from_edges([0, 1], [1, 2], [2.0, 3.0])
    assert changed_network(plain, [(0, 1), (1, 0)]).matrix[0, 1] == 1
    assert changed_network(plain, [(0, 1, 0.5)]).matrix[0, 1] == 1.5
    assert changed_network(weighted, [(1, 0)]).matrix[0, 1] == 3
    # What is removed first gets the new weight.
    assert changed_network(weighted, [(0, 1, 9.0)], removed=[(1, 0)]).matrix[1, 0] == 9
    # In a directed network only the arc that is given.
    arcs = lp.from_edges([0, 1], [1, 0], directed=True)
    assert changed_network(arcs, removed=[(0, 1)]).matrix.toarray().tolist() == [[0, 0], [1, 0]]


def test_vertices_that_are_removed_and_added_begin_anew():
    graph = lp.from_edges(["a", "b", "c"], ["b", "c", "a"])
    found = changed_network(graph, [("b", "d")], removed=["b"])
    assert list(found.names) == ["a", "c", "b", "d"]
    assert set(found.to_networkx().edges) == {("a", "c"), ("b", "d")}


def test_names_that_are_pairs_are_vertices():
    graph = lp.as_adjacency(nx.grid_2d_graph(3, 3))
    assert (1, 1) not in changed_network(graph, removed=[(1, 1)]).index
    assert changed_network(graph, removed=[((1, 1), (1, 2))]).n_edges == 11


def test_attributes_of_vertices_stay():
    karate = nx.karate_club_graph()
    found = changed_network(lp.as_adjacency(karate), [("new", 0)], removed=[5]).vertex_attributes["club"]
    assert found == [karate.nodes[v]["club"] for v in karate if v != 5] + [None]


DIRECTED = [
    model for model in EMBEDDINGS if type(model) in (lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding)
]


@pytest.mark.parametrize(
    ("model", "directed"),
    [*((model, False) for model in EMBEDDINGS), *((model, True) for model in DIRECTED)],
    ids=repr,
)
def test_embeddings_are_those_of_a_new_fit_up_to_a_rotation(model, directed):
    graph = network(directed=directed)
    added, removed = changes(graph)
    fitted = copy.deepcopy(model).set_params(tol=1e-10).fit(graph)
    earlier = fitted.embedding_
    parameters = repr(fitted.get_params())
    table = fitted.update(added, removed)
    fresh = copy.deepcopy(model).set_params(tol=1e-10).fit(fitted.graph_)
    # The residual of 1e-10 divided by gaps of about 1, times the length of a row, is below 1e-8.
    for side in ["embedding_"] + ["embedding_in_"] * directed:
        mine, other = getattr(fitted, side), getattr(fresh, side)
        assert np.allclose(mine @ mine.T, other @ other.T, atol=1e-8)
    kept = table[table["status"] == "kept"]
    assert sorted(kept["name"]) == [i for i in range(120) if i != 7]
    rows = [fitted.vertex_index_[name] for name in kept["name"]]
    distances = np.linalg.norm(fitted.embedding_[rows] - earlier[kept["name"].tolist()], axis=1)
    if directed:
        assert (distances <= kept["distance"] + 1e-12).all()
    else:
        assert np.allclose(kept["distance"], distances, atol=1e-8)
    assert np.median(distances) < 0.2 * np.median(np.linalg.norm(earlier, axis=1))
    assert repr(fitted.get_params()) == parameters
    new = fitted.transform({"another": [0, 1, 2]})
    other = fresh.transform({"another": [0, 1, 2]})
    assert np.allclose(new @ fitted.embedding_.T, other @ fresh.embedding_.T, atol=1e-8)


def test_the_table_has_degrees_and_neighbors():
    graph = network()
    added, removed = changes(graph)
    table = lp.AdjacencySpectralEmbedding(3).fit(graph).update(added, removed).set_index("name")
    now = by_hand(graph, added, removed)
    for name, row in table.iterrows():
        ours, theirs = set(now[name]) if name in now else set(), set(graph[name]) if name in graph else set()
        assert row["degree_change"] == len(ours) - len(theirs)
        assert row["changed_neighbors"] == len(ours ^ theirs)
    assert table["status"].value_counts().to_dict() == {"kept": 119, "new": 2, "removed": 1}
    assert table.index[-3:].tolist() == [1000, 1001, 7]
    assert table["ratio"].iloc[:119].is_monotonic_decreasing
    assert table["distance"].iloc[119:].isna().all()


def test_clusters_are_those_of_a_new_fit():
    graph = network()
    added, removed = changes(graph)
    model = lp.VertexClustering().fit(graph)
    before = model.labels_
    table = model.update(added, removed).set_index("name")
    fresh = lp.VertexClustering().fit(model.graph_)
    assert np.array_equal(model.labels_, fresh.labels_)
    assert np.array_equal(model.cluster_distributions_, fresh.cluster_distributions_)
    kept = table[table["status"] == "kept"]
    rows = [model.graph_.index[name] for name in kept.index]
    assert kept["cluster"].tolist() == model.labels_[rows].tolist()
    assert kept["earlier_cluster"].tolist() == before[kept.index.tolist()].tolist()
    # As many change as the best matching of the numbers leaves.
    shared = pandas.crosstab(kept["cluster"], kept["earlier_cluster"]).to_numpy()
    best = shared[linear_sum_assignment(shared, maximize=True)].sum()
    assert kept["cluster_changed"].sum() == len(kept) - best
    assert table.loc[7, "cluster"] is None
    assert table.loc[1000, "earlier_cluster"] is None


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize("directed", [False, True])
def test_labels_are_those_of_a_new_fit(name, directed):
    graph = network(name, directed)
    added, removed = changes(graph, name)
    y = {name(i): f"block {i // 40}" for i in range(0, 120, 3)}
    model = lp.VertexClassifier().fit(graph, y)
    labels = {added[0][0]: "block 0", name(1): "block 0", name(3): None, name(6): "other", name(9): "other"}
    table = model.update(added, removed, labels)
    given = {**y, **labels}
    fresh = lp.VertexClassifier().fit(model.graph_, {v: given[v] for v in given if v != removed[0]})
    assert np.array_equal(model.transduction_, fresh.transduction_)
    assert np.array_equal(model.label_distributions_, fresh.label_distributions_)
    assert "other" in model.classes_
    shown = table.set_index(table["name"].map(str))
    assert shown.loc[str(name(6)), ["earlier_label", "label", "label_changed"]].tolist() == [
        "block 0",
        "other",
        True,
    ]
    assert pandas.isna(shown.loc[str(removed[0]), "label"])
    # The labels that were given are kept for the next update.
    model.update(labels={name(3): "block 0"})
    fresh = lp.VertexClassifier().fit(
        model.graph_, {v: given[v] for v in given if given[v]} | {name(3): "block 0"}
    )
    assert np.array_equal(model.transduction_, fresh.transduction_)


def test_labels_are_read_from_pandas_and_their_type_is_checked():
    graph = network()
    y = {i: i // 40 for i in range(0, 120, 2)}
    model = lp.VertexClassifier().fit(graph, y)
    model.update(labels=pandas.Series([1.0, 2], index=[41, 81]))
    fresh = lp.VertexClassifier().fit(graph, {**y, 41: 1, 81: 2})
    assert np.array_equal(model.transduction_, fresh.transduction_)
    before = vars(model).copy()
    for labels, error, told in (
        ({1: "1"}, ArgumentError, "label '1' .str., but the fit got labels like 0 .int."),
        ([0] * 120, ArgumentTypeError, "pass a mapping"),
        ({"Anna": 1}, UnknownVertexError, "No label in labels is for a vertex of the graph"),
    ):
        with pytest.raises(error, match=told):
            model.update(labels=labels)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("edges", "removed", "error", "told"),
    [
        (None, [(0, 119)], ArgumentError, r"removed has the edge \(0, 119\), which the network does not have"),
        (None, ["Anna"], UnknownVertexError, "1 vertex name is unknown: 'Anna'"),
        (None, [(0, "Anna")], UnknownVertexError, "1 vertex name is unknown: 'Anna'"),
        (None, "Anna", ArgumentTypeError, "pass a list of names"),
        (None, 7, ArgumentTypeError, "removed=7"),
        (None, pandas.DataFrame({"source": [0], "target": [1]}), ArgumentTypeError, "edges as tuples"),
        ([("0", "Anna")], None, UnknownVertexError, "No name in edges is known"),
        ([(0, 1, 2.0), (0, 2)], None, ArgumentError, "lengths"),
        ({"Anna": [0]}, None, ArgumentTypeError, "edges is a dict"),
        ("new.csv", None, ArgumentTypeError, "edges is a str"),
        (nx.DiGraph([(0, 200)]), None, ArgumentError, "directed=False"),
    ],
)
def test_what_cannot_be_changed_is_refused_and_changes_nothing(edges, removed, error, told):
    graph = nx.Graph(network())
    graph.remove_edges_from([(0, 119)])
    model = lp.AdjacencySpectralEmbedding(3).fit(graph)
    before = vars(model).copy()
    with pytest.raises(error, match=told):
        model.update(edges, removed)
    assert vars(model) == before


@pytest.mark.filterwarnings("ignore::lpgraph.errors.DisconnectedGraphWarning")
def test_unknown_networks_are_refused_or_warned_of():
    model = lp.AdjacencySpectralEmbedding(2)
    with pytest.raises(NotFittedError):
        model.update([(0, 1)])
    model.fit(network())
    with pytest.warns(LpgraphWarning, match="None of the 2 names in edges is known"):
        model.update([(500, 501)])


def test_saved_models_are_updated(tmp_path):
    graph = network(NAMES[2])
    added, removed = changes(graph, NAMES[2])
    for model in (
        lp.AdjacencySpectralEmbedding(3).fit(graph),
        lp.VertexClassifier().fit(graph, {f"v{i}": i // 40 for i in range(0, 120, 3)}),
        lp.VertexClustering().fit(graph),
    ):
        lp.save(model, tmp_path / "model.lpg")
        loaded = lp.load(tmp_path / "model.lpg")
        expected = model.update(added, removed)
        pandas.testing.assert_frame_equal(loaded.update(added, removed), expected)
        lp.save(loaded, tmp_path / "updated.lpg")
        again = lp.load(tmp_path / "updated.lpg")
        assert np.array_equal(again.embedding_, model.embedding_)
        pandas.testing.assert_frame_equal(again.update([("v0", "v2")]), model.update([("v0", "v2")]))


def test_pipelines_and_polars():
    polars = pytest.importorskip("polars")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    graph = network()
    added, removed = changes(graph)
    pipeline = make_pipeline(lp.AdjacencySpectralEmbedding(3), StandardScaler())
    model = lp.VertexClassifier(pipeline).fit(graph, {i: i // 40 for i in range(0, 120, 3)})
    model.set_output(transform="polars")
    table = model.update(added, removed)
    assert isinstance(table, polars.DataFrame)
    assert table["label"].null_count() == 1
    assert table["label_changed"].dtype == polars.Boolean
