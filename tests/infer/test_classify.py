"""Vertex classification: Algorithm 1, steps 4 and 5."""

import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    IsolatedVertexWarning,
    LpgraphWarning,
    NotFittedError,
    UnknownVertexError,
)
from lpgraph.graph.new_vertices import NewEdges
from lpgraph.infer._labels import known_labels

DIRECTIONS = ("directions", "directions, squared eigenvalues", "directions, fourth powers")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

B = [[0.5, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]]


@pytest.fixture(scope="module")
def sampled():
    """Three blocks, half of the labels hidden, and new vertices."""
    graph = lp.stochastic_block_model([80, 80, 80], B, random_state=0)
    y = graph.labels.copy()
    y[::2] = -1
    return graph, y, graph.new_vertices(100, random_state=1)


@pytest.mark.parametrize(
    "classifier",
    [None, KNeighborsClassifier(5), make_pipeline(StandardScaler(), LogisticRegression()), LinearSVC(C=100.0)],
)
def test_hidden_and_new_vertices_are_classified(sampled, classifier):
    graph, y, new = sampled
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), classifier).fit(graph, y)
    assert np.array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert (model.transduction_ == graph.labels).mean() >= 0.97
    assert (model.predict(new) == new.labels).mean() >= 0.97
    assert model.score(new, new.labels) == (model.predict(new) == new.labels).mean()
    if hasattr(model.classifier_, "predict_proba"):
        proba = model.predict_proba(new)
        assert proba.shape == (100, 3)
        assert np.allclose(proba.sum(axis=1), 1)
        assert np.array_equal(model.classes_[proba.argmax(axis=1)], model.predict(new))


def algorithm_1(d, classifier=None):
    """Return the classifier of the paper: a linear classifier of the positions."""
    linear = LinearDiscriminantAnalysis() if classifier is None else classifier
    return lp.VertexClassifier(
        lp.AdjacencySpectralEmbedding(d), linear, features="positions", select_features=False
    )


def test_algorithm_1_is_least_squares_for_two_classes():
    # Fisher's discriminant for two classes is least squares on labels n/n1, -n/n2: same direction.
    graph = lp.stochastic_block_model([60, 90], [[0.5, 0.1], [0.1, 0.5]], random_state=1)
    model = algorithm_1(2).fit(graph, graph.labels)
    z = model.embedding_
    coded = np.where(graph.labels == 1, 150 / 90, -150 / 60)
    direction = np.linalg.lstsq(z - z.mean(axis=0), coded, rcond=None)[0]
    found = model.classifier_.coef_[0]
    cosine = direction @ found / np.linalg.norm(direction) / np.linalg.norm(found)
    assert cosine == pytest.approx(1.0, abs=1e-9)
    new = graph.new_vertices(30, random_state=2)
    assert np.array_equal(model.predict(new), model.classifier_.predict(model.transform(new)))


def test_unknown_labels_in_every_form():
    words, known = ["red", None, "green", None, "blue"], [True, False, True, False, True]
    forms = {
        "None": words,
        "-1 among texts": np.array(["-1" if w is None else w for w in words]),
        "NaN among texts": np.array([np.nan if w is None else str(w) for w in words]),
        "empty": ["" if w is None else w for w in words],
        "blank": {i: " " if w is None else w for i, w in enumerate(words)},
        "masked": np.ma.masked_array(["?" if w is None else w for w in words], mask=~np.array(known)),
        "mapping": {i: w for i, w in enumerate(words) if w is not None},
    }
    for name, form in forms.items():
        found, which = known_labels(form, range(5))
        assert which.tolist() == known, name
        assert found[which].tolist() == ["red", "green", "blue"], name


def test_wrong_input_is_refused(sampled):
    graph, y, new = sampled
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2))
    with pytest.raises(NotFittedError):
        model.predict(new)
    empty = {"user": [], "country": []}
    no_rows = (pandas.DataFrame(empty), pandas.Series([], dtype=object), polars.DataFrame(empty), {})
    for bad in (y[:-1], np.full(240, -1), np.where(y == 0, 0, -1), *no_rows):
        with pytest.raises(ArgumentError, match=r"^y "):
            model.fit(graph, bad)
    with pytest.raises(UnknownVertexError, match="'nobody'"):
        model.fit(graph, {0: 1, 1: 0, "nobody": 1})
    fitted = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), LinearSVC()).fit(graph, y)
    with pytest.raises(ArgumentError, match="no predict_proba"):
        fitted.predict_proba(new)


@pytest.mark.parametrize(
    "parameter",
    [
        *({"features": features} for features in ((), "rows", ("positions", "unit_rows"), 3)),
        {"among_new": "yes"},
        {"select_features": 1},
        {"unknown": "drop"},
        {"embedding": "ase"},
        *(
            {"classifier": one}
            for one in ("logistic", np.zeros(3), {"C": 1}, LogisticRegression, 3, StandardScaler())
        ),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(parameter):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=next(iter(parameter))):
        lp.VertexClassifier(**parameter).fit(nx.karate_club_graph(), {0: "a", 33: "b"})


@pytest.mark.parametrize(
    "labels", [{0: 1, 33: "a"}, {0: ["a"], 33: ["b"]}, {0: 1.5, 33: 2.0}, {0: np.inf, 33: 2.0}]
)
def test_labels_that_are_no_classes_are_refused(labels):
    with pytest.raises(ArgumentError, match="y has labels"):
        lp.VertexClassifier().fit(nx.karate_club_graph(), labels)


@pytest.mark.parametrize(
    "features",
    ["positions", "unit_rows", "neighbor_labels", ("unit_rows", "degrees"), ("degrees", "neighbor_labels")],
)
def test_parts_of_the_features_can_be_switched_off(sampled, features):
    graph, y, new = sampled
    model = lp.VertexClassifier(features=features).fit(graph, y)
    assert (model.predict(new) == new.labels).mean() >= 0.95
    names = {features} if isinstance(features, str) else set(features)
    if not names & {"positions", "unit_rows"}:
        assert model.n_coordinates_ == 0
    assert set(model.pool_.weights) - {"features", "class shares"} == {
        *(DIRECTIONS if "unit_rows" in names else ()),
        *(["visits"] if "neighbor_labels" in names else ()),
    }


def test_isolated_vertices_of_the_graph_itself():
    graph = nx.disjoint_union(nx.barbell_graph(8, 0), nx.empty_graph(3))
    labels = {0: "a", 1: "a", 2: "a", 12: "b", 13: "b", 16: "c"}
    with pytest.warns(IsolatedVertexWarning, match="2 of 13 unlabelled"):
        model = lp.VertexClassifier().fit(graph, labels)
    # The class of an isolated vertex is known, but nothing can be learnt about it.
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.transduction_[:16].tolist() == ["a"] * 8 + ["b"] * 8
    assert model.transduction_[16:].tolist() == ["c", "a", "a"]
    # The fit has warned of these vertices; the third is labelled.
    with warnings.catch_warnings():
        warnings.simplefilter("error", IsolatedVertexWarning)
        proba = model.label_distributions_
        model.vertex_table()
    assert np.allclose(proba.sum(axis=1), 1)
    assert np.allclose(proba[17], [1 / 2, 1 / 3, 1 / 6])


def test_classes_with_one_member(sampled):
    graph, y, new = sampled
    rare = y.copy()
    rare[1], rare[3] = 7, 8
    model = lp.VertexClassifier().fit(graph, rare)
    assert model.classes_.tolist() == [0, 1, 2, 7, 8]
    assert (model.predict(new) == new.labels).mean() > 0.9


def test_directed_and_signed_graphs():
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
    edges = NewEdges(
        sparse.csr_array(matrix[new][:, known]), range(60), sparse.csr_array(matrix[known][:, new].T.copy())
    )
    assert (model.predict(edges) == labels[new]).mean() > 0.95
    with pytest.warns(LpgraphWarning, match="only the arcs from them"):
        model.predict(matrix[new][:, known])
    # Friends within a side and enemies between them: the shares of both kinds of edges tell the side.
    side = np.repeat([0, 1], 60)
    joined = np.triu(rng.random((120, 120)) < 0.1, 1)
    weights = np.where(side[:, None] == side, 1.0, -1.0) * joined
    y = np.where(rng.random(120) < 0.3, side, -1)
    signed = lp.VertexClassifier().fit(weights + weights.T, y)
    assert (signed.transduction_ == side).mean() > 0.95


def test_an_error_of_the_classifier_is_passed_on_and_an_earlier_fit_remains():
    club = nx.karate_club_graph()
    model = lp.VertexClassifier(classifier=KNeighborsClassifier(3)).fit(club, "club")
    before = model.predict({"new": [0, 1]})
    with pytest.raises(ValueError, match="n_neighbors"):
        model.set_params(classifier=KNeighborsClassifier(0)).fit(club, "club")
    assert np.array_equal(model.predict({"new": [0, 1]}), before)


def test_a_classifier_without_probabilities_has_no_distributions():
    known = {0: "a", 1: "a", 32: "b", 33: "b"}
    model = lp.VertexClassifier(classifier=LinearSVC()).fit(nx.karate_club_graph(), known)
    assert not hasattr(model, "label_distributions_")
    with pytest.raises(AttributeError, match="no predict_proba"):
        _ = model.label_distributions_
    assert {"fit", "predict", "label_distributions_"} <= set(dir(model))


NUMBERS = [np.array([1, 2]), [np.int8(1), np.int8(2)], {0: 1, 1: 2.0}, pandas.Series([1, 2], dtype="Int64")]
TEXTS = [["1", "2"], np.array(["1", "2"]), pandas.Series(["1", "2"])]


@pytest.mark.parametrize(("labels", "same", "others"), [([1, 2], NUMBERS, TEXTS), (["1", "2"], TEXTS, NUMBERS)])
def test_numbers_are_scored_by_their_values_and_texts_with_texts(labels, same, others):
    # Two cliques, and a new vertex of each.
    graph, new = np.kron(np.eye(2), np.ones((8, 8))) - np.eye(16), np.kron(np.eye(2), np.ones(8))
    model = lp.VertexClassifier().fit(graph, np.repeat(labels, 8))
    for y in same:
        assert model.score(new, y) == 1.0
    for y in [*others, {0: labels[0], 1: others[0][1]}]:  # one is enough, and unknown labels have no type
        with pytest.raises(ArgumentError, match="y has the label"):
            model.score(new, y)
    assert model.score(new, [labels[0], None]) == 1.0
