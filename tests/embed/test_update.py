"""Models whose network changes; `test_every_method.py` compares the positions with those of a new fit."""

import networkx as nx
import numpy as np
import pandas
import pytest
from scipy.optimize import linear_sum_assignment

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, NotFittedError, UnknownVertexError
from lpgraph.graph.changes import changed_network

ASE = lp.AdjacencySpectralEmbedding
NAMES = [lambda i: i, lambda i: 7 * i + 3, lambda i: f"v{i}", lambda i: (i // 10, i % 10)]


def network(name=lambda i: i, directed=False, weighted=False, seed=0):
    """Three blocks of 40 vertices with names."""
    p = 0.05 + 0.45 * np.eye(3)
    drawn = lp.stochastic_block_model([40, 40, 40], p, directed=directed, random_state=seed).to_networkx()
    if weighted:
        rng = np.random.default_rng(seed)
        nx.set_edge_attributes(drawn, {edge: float(rng.integers(1, 4)) for edge in drawn.edges}, "weight")
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
        result.add_edge(u, v, weight=result.get_edge_data(u, v, {}).get("weight", 0.0) + 1.0)
    return result


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_networks_are_changed_as_by_networkx(name, directed, weighted):
    graph = network(name, directed, weighted)
    added, removed = changes(graph, name)
    found, wanted = changed_network(lp.as_adjacency(graph), added, removed), by_hand(graph, added, removed)
    assert found.directed is directed
    assert list(found.names) == list(wanted)
    assert np.array_equal(found.matrix.toarray(), nx.to_numpy_array(wanted))


def test_forms_of_edges_and_what_exists_already():
    graph, edges = lp.as_adjacency(network()), [(0, 200), (1, 200), (2, 201)]
    expected = changed_network(graph, edges)
    u, v = zip(*edges, strict=True)
    frame = pandas.DataFrame({"source": u, "target": v})
    for given in ([(*edge, 1.0) for edge in edges], frame, nx.Graph(edges), lp.from_edges(u, v)):
        found = changed_network(graph, given)
        assert list(found.names) == list(expected.names)
        assert (found.matrix != expected.matrix).nnz == 0
    plain, weighted = lp.from_edges([0, 1], [1, 2]), lp.from_edges([0, 1], [1, 2], [2.0, 3.0])
    # Weights add up, unless there are none; what is removed first gets the new weight.
    for network_, added, removed, weight in (
        (plain, [(0, 1), (1, 0)], None, 1),
        (plain, [(0, 1, 0.5)], None, 1.5),
        (weighted, [(1, 0)], None, 3),
        (weighted, [(0, 1, 9.0)], [(1, 0)], 9),
    ):
        assert changed_network(network_, added, removed).matrix[1, 0] == weight
    found = changed_network(lp.from_edges(["a", "b", "c"], ["b", "c", "a"]), [("b", "d")], removed=["b"])
    assert list(found.names) == ["a", "c", "b", "d"]
    assert set(found.to_networkx().edges) == {("a", "c"), ("b", "d")}
    # In a directed network only the arc that is given; names that are pairs are vertices.
    arcs = lp.from_edges([0, 1], [1, 0], directed=True)
    assert changed_network(arcs, removed=[(0, 1)]).matrix.toarray().tolist() == [[0, 0], [1, 0]]
    grid = lp.as_adjacency(nx.grid_2d_graph(3, 3))
    assert changed_network(grid, removed=[((1, 1), (1, 2))]).n_edges == 11


@pytest.mark.parametrize("directed", [False, True])
def test_the_table_has_degrees_and_neighbors(directed):
    graph = network(directed=directed)
    added, removed = changes(graph)
    table = ASE(3).fit(graph).update(added, removed).set_index("name")
    now = by_hand(graph, added, removed)
    for name, row in table.iterrows():
        change, both = 0, 0
        for side in ("succ", "pred") if directed else ("adj",):
            ours, theirs = (set(getattr(g, side).get(name, ())) for g in (now, graph))
            change, both = change + len(ours) - len(theirs), both + len(ours ^ theirs)
        assert (row["degree_change"], row["changed_neighbors"]) == (change, both)
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
    assert kept["cluster"].tolist() == model.labels_[[model.graph_.index[name] for name in kept.index]].tolist()
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
    titles = ["earlier_label", "label", "label_changed"]
    assert shown.loc[str(name(6)), titles].tolist() == ["block 0", "other", True]
    assert pandas.isna(shown.loc[str(removed[0]), "label"])
    # The labels that were given are kept for the next update.
    model.update(labels={name(3): "block 0"})
    kept = {v: given[v] for v in given if given[v]} | {name(3): "block 0"}
    assert np.array_equal(model.transduction_, lp.VertexClassifier().fit(model.graph_, kept).transduction_)


@pytest.mark.parametrize(
    ("edges", "removed", "error", "told"),
    [
        (None, [(0, 119)], ArgumentError, "removed"),
        (None, ["Anna"], UnknownVertexError, "'Anna'"),
        (None, [(0, "Anna")], UnknownVertexError, "'Anna'"),
        (None, "Anna", ArgumentTypeError, "list of names"),
        ([("0", "Anna")], None, UnknownVertexError, "edges"),
        (nx.DiGraph([(0, 200)]), None, ArgumentError, "directed"),
    ],
)
def test_what_cannot_be_changed_is_refused_and_changes_nothing(edges, removed, error, told):
    graph = nx.Graph(network())
    graph.remove_edges_from([(0, 119)])
    model = ASE(3).fit(graph)
    before = vars(model).copy()
    with pytest.raises(error, match=told):
        model.update(edges, removed)
    assert vars(model) == before
    with pytest.raises(NotFittedError):
        ASE(2).update([(0, 1)])


def test_saved_models(tmp_path):
    graph = network(NAMES[2])
    added, removed = changes(graph, NAMES[2])
    y = {f"v{i}": i // 40 for i in range(0, 120, 3)}
    for model in (ASE(3).fit(graph), lp.VertexClassifier().fit(graph, y), lp.VertexClustering().fit(graph)):
        lp.save(model, tmp_path / "model.lpg")
        loaded = lp.load(tmp_path / "model.lpg")
        pandas.testing.assert_frame_equal(loaded.update(added, removed), model.update(added, removed))
        pandas.testing.assert_frame_equal(loaded.update([("v0", "v2")]), model.update([("v0", "v2")]))
