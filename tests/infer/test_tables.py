"""Results with the names of vertices, in data frames."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import lpgraph as lp
from lpgraph.errors import ArgumentError, IsolatedVertexWarning

CLUB = nx.relabel_nodes(nx.karate_club_graph(), {i: f"member {i}" for i in range(34)})
SIDES = nx.get_node_attributes(CLUB, "club")
NEW = {"Ann": ["member 0", "member 1", "member 2"], "Bob": ["member 33", "member 32"], "Cem": ["Ann"], "Dea": []}


def directed():
    B = [[0.5, 0.1], [0.2, 0.4]]
    graph = lp.stochastic_block_model([40, 40], B, directed=True, random_state=0)
    return nx.relabel_nodes(graph.to_networkx(), {i: f"v{i}" for i in range(80)}), graph.labels


ASE = lp.AdjacencySpectralEmbedding(2)
MODELS = {
    "classifier": (lp.VertexClassifier(), "label"),
    "of the paper": (lp.VertexClassifier(ASE, LinearDiscriminantAnalysis(), features="positions"), "label"),
    "directions": (lp.VertexClustering(n_clusters=2), "cluster"),
    "gaussian": (lp.VertexClustering(ASE, 2, method="gaussian"), "cluster"),
}


@pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")
@pytest.mark.parametrize(("model", "title"), MODELS.values(), ids=MODELS)
def test_predictions_have_names(model, title):
    model = sklearn.clone(model).fit(CLUB, SIDES)
    joint = title == "label" and model.neighbor_labels_ is not None
    unknown = "1 of 4 (new )?vertices.* such as 'Dea'" if joint else "2 of 4 (new )?vertices.* such as 'Cem'"
    with pytest.warns(IsolatedVertexWarning, match=unknown) as caught:
        table = model.predict_table(NEW)
    assert len(caught) == 1
    assert isinstance(table, pd.DataFrame)
    predicted, shares = model.predict(NEW).tolist(), model.predict_proba(NEW)
    expected = {"name": list(NEW), title: predicted, "probability": shares.max(axis=1).tolist()}
    expected["has_known_neighbor"] = [True, True, False, False]
    if title == "label":
        expected["labelled_neighbors"] = [3, 2, 0, 0]
    expected["reaches_label" if title == "label" else "has_position"] = [True, True, joint, False]
    assert {key: list(table[key]) for key in table.columns} == expected
    kinds = model.classes_ if title == "label" else np.arange(2)
    assert predicted == kinds[shares.argmax(axis=1)].tolist()
    # If nothing is known: the most frequent label or the largest cluster, with its share.
    most = model.class_shares_ if title == "label" else model.cluster_shares_
    assert ((table["probability"] == most.max()).to_numpy()[2:] == [not joint, True]).all()


def test_known_neighbors_in_either_direction():
    network, labels = directed()
    model = lp.VertexClassifier().fit(network, dict(zip(network, labels.tolist(), strict=True)))
    new = nx.DiGraph([("out", "v0"), ("v1", "in"), ("out", "far")])
    table = model.predict_table(new).set_index("name")
    assert table["has_known_neighbor"].to_dict() == {"out": True, "in": True, "far": False}
    # Labels spread over the arc from "out" to "far".
    assert table["reaches_label"].all()
    assert table["labelled_neighbors"].tolist() == [1, 1, 0]
    with pytest.warns(IsolatedVertexWarning, match="1 of 3 .* such as 'far'.*reaches_label"):
        table = model.predict_table(new, among_new=False).set_index("name")
    assert model.among_new
    with pytest.raises(ArgumentError, match="is for VertexClassifier"):
        lp.VertexClustering(n_clusters=1).fit(network).predict_table(new, labels={"out": 1})
    assert table["reaches_label"].to_dict() == {"out": True, "in": True, "far": False}


@pytest.mark.parametrize("model", [ASE, lp.OutOfSample(ASE, rule="batch"), *(one for one, _ in MODELS.values())])
def test_positions_have_names(model):
    model = sklearn.clone(model).fit(CLUB, SIDES)
    titles = list(model.get_feature_names_out())
    known = model.vertex_table(coordinates=True)
    assert list(known["name"]) == list(CLUB)
    only = known if isinstance(model, type(ASE) | lp.OutOfSample) else known.drop(columns=titles)
    pd.testing.assert_frame_equal(model.vertex_table(), only)
    np.testing.assert_array_equal(known[titles].to_numpy(), model.embedding_)
    new = model.transform_table(NEW)
    assert list(new.columns) == ["name", *titles, "has_known_neighbor"]
    assert list(new["name"]) == list(NEW)
    assert list(new["has_known_neighbor"]) == [True, True, False, False]
    np.testing.assert_array_equal(new[titles].to_numpy(), model.transform(NEW))
    # The pandas output of scikit-learn has the names as index, of classifiers and clusterings also.
    assert list(model.set_output(transform="pandas").transform(NEW).index) == list(NEW)


def test_the_table_of_the_graph_has_its_attributes_and_results():
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(CLUB, SIDES)
    table = model.vertex_table()
    evidence = ["has_known_neighbor", "labelled_neighbors", "reaches_label", "label_given", "predicted_label"]
    assert list(table.columns) == ["name", "label", "probability", *evidence, "club"]
    assert list(model.vertex_table(coordinates=True).columns) == [*table.columns, "ase0", "ase1"]
    assert table["labelled_neighbors"].tolist() == [degree for _, degree in CLUB.degree]
    assert table["club"].tolist() == table["label"].tolist() == list(SIDES.values())
    graph = nx.Graph([(0, 1), (1, 2)])
    nx.set_node_attributes(graph, "before", "label")
    nodes = lp.VertexClassifier().fit(graph, {0: "a", 1: "b"}).to_networkx().nodes
    assert (nodes[0]["label"], nodes[0]["graph_label"]) == ("a", "before")
