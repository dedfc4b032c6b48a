"""Vertex classification: Algorithm 1, steps 4 and 5."""

import networkx as nx
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lpgraph as lp
from lpgraph.errors import ArgumentError, NotFittedError, UnknownVertexError

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
    if classifier is None:
        proba = model.predict_proba(new)
        assert proba.shape == (100, 3)
        assert np.allclose(proba.sum(axis=1), 1)
        assert np.array_equal(model.classes_[proba.argmax(axis=1)], model.predict(new))


def test_default_for_two_classes_is_least_squares(sampled):
    # Fisher's discriminant for two classes is least squares on labels n/n1, -n/n2: same direction.
    graph = lp.stochastic_block_model([60, 90], [[0.5, 0.1], [0.1, 0.5]], random_state=1)
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(graph, graph.labels)
    z = model.embedding_
    coded = np.where(graph.labels == 1, 150 / 90, -150 / 60)
    direction = np.linalg.lstsq(z - z.mean(axis=0), coded, rcond=None)[0]
    cosine = (
        direction
        @ model.classifier_.coef_[0]
        / np.linalg.norm(direction)
        / np.linalg.norm(model.classifier_.coef_)
    )
    assert cosine == pytest.approx(1.0, abs=1e-9)


def test_labels_in_every_form(sampled):
    graph, y, _ = sampled
    expected = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3)).fit(graph, y).transduction_
    words = np.array(["red", "green", "blue"])
    as_words = [None if k < 0 else words[k] for k in y]
    forms = {
        "None": as_words,
        "-1 among texts": np.array(["-1" if w is None else w for w in as_words]),
        "mapping": {i: w for i, w in enumerate(as_words) if w is not None},
    }
    for name, form in forms.items():
        found = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3)).fit(graph, form)
        assert np.array_equal(found.transduction_, words[expected]), name
        assert found.classes_.tolist() == sorted(words)
    floats = np.where(y < 0, np.nan, y)
    assert np.array_equal(
        lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3)).fit(graph, floats).transduction_, expected
    )


def test_names_are_carried_through():
    network = nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"member {i}")
    clubs = nx.get_node_attributes(network, "club")
    known = {name: club for name, club in clubs.items() if name.endswith(("1", "3", "5", "7", "9", " 0"))}
    graph = lp.as_adjacency(network, weight=None)
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(graph, known)
    assert list(model.vertex_names_) == list(network.nodes)
    right = [model.transduction_[i] == clubs[name] for i, name in enumerate(model.vertex_names_)]
    assert np.mean(right) > 0.9
    newcomers = {
        "friend of the instructor": ["member 0", "member 1", "member 2"],
        "other": ["member 33", "member 32"],
    }
    assert model.predict(newcomers).tolist() == ["Mr. Hi", "Officer"]


def test_grid_search_over_dimension_and_classifier_embeds_held_out_vertices(sampled):
    graph, _, _ = sampled
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2), KNeighborsClassifier())
    search = GridSearchCV(
        model, {"embedding__n_components": [1, 3], "classifier__n_neighbors": [3, 7]}, cv=3, error_score="raise"
    ).fit(graph.adjacency, graph.labels)
    assert search.best_params_["embedding__n_components"] == 3
    assert search.best_score_ > 0.95
    # The held-out score is what out-of-sample embedding by hand gives.
    train, test = np.arange(240) % 3 != 0, np.arange(240) % 3 == 0
    a = graph.adjacency
    by_hand = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3)).fit(a[train][:, train], graph.labels[train])
    score = cross_val_score(
        lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3)),
        a,
        graph.labels,
        cv=[(np.flatnonzero(train), np.flatnonzero(test))],
    )
    assert score[0] == by_hand.score(a[test][:, train], graph.labels[test])


def test_wrong_labels_are_refused(sampled):
    graph, y, new = sampled
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2))
    with pytest.raises(NotFittedError):
        model.predict(new)
    for bad, words in (
        (y[:-1], "239.*240"),
        (np.full(240, -1), "no known label"),
        (np.where(y == 0, 0, -1), "one class, 0"),
        ([0, 1] + [-1] * 238, "2 known labels of 2 classes"),
    ):
        with pytest.raises(ArgumentError, match=words):
            model.fit(graph, bad)
    with pytest.raises(UnknownVertexError, match="'nobody'"):
        model.fit(graph, {0: 1, 1: 0, "nobody": 1})
    fitted = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), LinearSVC()).fit(graph, y)
    with pytest.raises(ArgumentError, match="no probabilities"):
        fitted.predict_proba(new)
