"""Vertex classification: Algorithm 1, steps 4 and 5."""

import warnings

import networkx as nx
import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, IsolatedVertexWarning, LpgraphWarning
from lpgraph.infer._labels import known_labels

DIRECTIONS = ("directions", "directions, squared eigenvalues", "directions, fourth powers")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

#: Three blocks, half of the labels hidden, and new vertices.
B = [[0.5, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]]
GRAPH = lp.stochastic_block_model([80, 80, 80], B, random_state=0)
Y = np.where(np.arange(240) % 2, GRAPH.labels, -1)
NEW = GRAPH.new_vertices(100, random_state=1)


@pytest.mark.parametrize(
    "classifier",
    [None, KNeighborsClassifier(5), make_pipeline(StandardScaler(), LogisticRegression()), LinearSVC(C=100.0)],
)
def test_hidden_and_new_vertices_are_classified(classifier):
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), classifier).fit(GRAPH, Y)
    assert np.array_equal(model.transduction_[1::2], Y[1::2])
    assert (model.transduction_ == GRAPH.labels).mean() >= 0.97
    found = model.predict(NEW)
    assert model.score(NEW, NEW.labels) == (found == NEW.labels).mean() >= 0.97
    if hasattr(model.classifier_, "predict_proba"):
        proba = model.predict_proba(NEW)
        assert np.allclose(proba.sum(axis=1), 1)
        assert np.array_equal(model.classes_[proba.argmax(axis=1)], found)


def test_algorithm_1_is_least_squares_for_two_classes():
    # Fisher's discriminant for two classes is least squares on labels n/n1, -n/n2: same direction.
    labels, parts = GRAPH.labels > 0, {"features": "positions", "select_features": False}
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), LinearDiscriminantAnalysis(), **parts)
    z = model.fit(GRAPH, labels).embedding_
    direction = np.linalg.lstsq(z - z.mean(axis=0), np.where(labels, 1.5, -3), rcond=None)[0]
    assert np.allclose(*(one / np.linalg.norm(one) for one in (direction, model.classifier_.coef_[0])))
    assert np.array_equal(model.predict(NEW), model.classifier_.predict(model.transform(NEW)))


def test_unknown_labels_in_every_form():
    words, known = ["red", None, "green", None, "blue"], [True, False, True, False, True]
    mapping = {i: w for i, w in enumerate(words) if w is not None}
    masked = np.ma.masked_array([w or "?" for w in words], mask=~np.array(known))
    texts = ([w or unknown for w in words] for unknown in (None, "", " ", "-1"))
    for form in (np.array([w or np.nan for w in words]), mapping, masked, *texts):
        found, which = known_labels(form, range(5))
        assert which.tolist() == known
        assert found[which].tolist() == ["red", "green", "blue"]


def test_wrong_input_is_refused():
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2))
    empty = {"user": [], "country": []}
    no_rows = (pandas.DataFrame(empty), pandas.Series([], dtype=object), polars.DataFrame(empty), {})
    no_classes = {0: 1, 33: "a"}, {0: ["a"], 33: ["b"]}
    for bad in (Y[:-1], np.full(240, -1), np.where(Y == 0, 0, -1), *no_rows, *no_classes):
        with pytest.raises(ArgumentError, match=r"^y "):
            model.fit(GRAPH, bad)
    with pytest.raises(lp.errors.UnknownVertexError, match="'nobody'"):
        model.fit(GRAPH, {0: 1, "no one": 0, "nobody": 1})
    with pytest.raises(ArgumentError, match=r"no classes, such as 1: .*pass texts or integers"):
        model.fit(GRAPH, {0: 1, 1: "two"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("features", features) for features in ((), "rows", ("positions", "unit_rows"), 3)),
        *(("among_new", "yes"), ("select_features", 1), ("unknown", "drop")),
        *(("classifier", one) for one in (np.zeros(3), LogisticRegression, StandardScaler())),
    ],
)
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=name):
        lp.VertexClassifier(**{name: value}).fit(nx.karate_club_graph(), {0: "a", 33: "b"})


@pytest.mark.parametrize("names", [("positions",), ("unit_rows", "degrees"), ("degrees", "neighbor_labels")])
def test_parts_of_the_features_can_be_switched_off(names):
    model = lp.VertexClassifier(features=names).fit(GRAPH, Y)
    assert (model.predict(NEW) == NEW.labels).mean() >= 0.95
    assert (model.n_coordinates_ == 0) == ("neighbor_labels" in names)
    expected = {*DIRECTIONS * ("unit_rows" in names), *["visits"] * ("neighbor_labels" in names)}
    assert set(model.pool_.weights) - {"features", "class shares"} == expected


def test_isolated_vertices_of_the_graph_itself():
    graph = nx.disjoint_union(nx.barbell_graph(8, 0), nx.empty_graph(3))
    labels = {0: "a", 1: "a", 2: "a", 12: "b", 13: "b", 16: "c"}
    with pytest.warns(IsolatedVertexWarning, match="2 of 13 unlabelled"):
        model = lp.VertexClassifier().fit(graph, labels)
    # The class of an isolated vertex is known, but nothing can be learnt about it.
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.transduction_.tolist() == ["a"] * 8 + ["b"] * 8 + ["c", "a", "a"]
    # The fit has warned of these vertices (warnings are errors); the third is labelled.
    assert model.vertex_table().shape[0] == len(graph)
    assert np.allclose(model.label_distributions_[17], [1 / 2, 1 / 3, 1 / 6])


def test_directed_graphs():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 60)
    # Each class points to the next: without directions all pairs of classes are alike.
    p = np.array([[0.05, 0.3, 0.05], [0.05, 0.05, 0.3], [0.3, 0.05, 0.05]])[labels][:, labels]
    matrix = (rng.random((180, 180)) < p).astype(float)
    np.fill_diagonal(matrix, 0)
    graph = lp.as_adjacency(matrix, directed=True)
    y = np.where(rng.random(180) < 0.3, labels, -1)
    assert (lp.VertexClassifier().fit(graph, y).transduction_ == labels).mean() > 0.95
    known, new = np.arange(120) * 3 // 2, np.arange(60) * 3 + 2
    model = lp.VertexClassifier().fit(lp.as_adjacency(matrix[known][:, known], directed=True), labels[known])
    arcs = matrix[new][:, known], matrix[known][:, new].T
    assert (model.predict(arcs) == labels[new]).mean() > 0.95
    with pytest.warns(LpgraphWarning, match="only the arcs from them"):
        model.predict(arcs[0])


def test_a_classifier_without_probabilities_has_no_distributions():
    known = {0: "a", 1: "a", 32: "b", 33: "b"}
    model = lp.VertexClassifier(classifier=LinearSVC()).fit(nx.karate_club_graph(), known)
    assert not hasattr(model, "label_distributions_")
    with pytest.raises(AttributeError, match="no predict_proba"):
        _ = model.label_distributions_
    with pytest.raises(ArgumentError, match="no predict_proba"):
        model.predict_proba({"new": [0]})
    assert "probability" not in model.predict_table({"new": [0]})


NUMBERS = [np.array([1, 2]), [np.int8(1), np.int8(2)], {0: 1, 1: 2.0}, pandas.Series([1, 2], dtype="Int64")]
TEXTS = [["1", "2"], np.array(["1", "2"]), pandas.Series(["1", "2"])]


@pytest.mark.parametrize(("labels", "same", "others"), [([1, 2], NUMBERS, TEXTS), (["1", "2"], TEXTS, NUMBERS)])
def test_numbers_are_scored_by_their_values_and_texts_with_texts(labels, same, others):
    # Two cliques, and a new vertex of each.
    graph, new = np.kron(np.eye(2), np.ones((8, 8))) - np.eye(16), np.kron(np.eye(2), np.ones(8))
    model = lp.VertexClassifier().fit(graph, np.repeat(labels, 8))
    assert all(model.score(new, y) == 1.0 for y in same)
    for y in [*others, {0: labels[0], 1: others[0][1]}]:  # one is enough, and unknown labels have no type
        with pytest.raises(ArgumentError, match="y has the label"):
            model.score(new, y)
    assert model.score(new, [labels[0], None]) == 1.0


def test_few_labels_of_many_classes_give_no_warning():
    graph = lp.stochastic_block_model([4] * 20, np.full((20, 20), 0.1) + 0.8 * np.eye(20), random_state=0)
    y = np.where((np.arange(80) % 4 == 0) | (np.arange(80) < 20), graph.labels, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lp.VertexClassifier().fit(graph, y)
