"""Vertex classification: Algorithm 1, steps 4 and 5."""

import warnings

import networkx as nx
import numpy as np
import pytest
from networks import COINCIDING
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    IsolatedVertexWarning,
    LpgraphWarning,
    NotFittedError,
    UnknownVertexError,
)
from lpgraph.graph.new_edges import NewEdges

DIRECTIONS = ("directions", "directions, squared eigenvalues", "directions, fourth powers")
pandas = pytest.importorskip("pandas")

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


def test_labels_in_every_form(sampled):
    graph, y, _ = sampled
    expected = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3)).fit(graph, y).transduction_
    words = np.array(["red", "green", "blue"])
    as_words = [None if k < 0 else words[k] for k in y]
    forms = {
        "None": as_words,
        "-1 among texts": np.array(["-1" if w is None else w for w in as_words]),
        "NaN among texts": np.array([np.nan if w is None else str(w) for w in as_words]),
        "empty": ["" if w is None else w for w in as_words],
        "blank": {i: " " if w is None else w for i, w in enumerate(as_words)},
        "masked": np.ma.masked_array(["?" if w is None else w for w in as_words], mask=y < 0),
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
    new = {
        "friend of the instructor": ["member 0", "member 1", "member 2"],
        "other": ["member 33", "member 32"],
    }
    assert model.predict(new).tolist() == ["Mr. Hi", "Officer"]


def test_grid_search_over_dimension_and_classifier_embeds_held_out_vertices(sampled):
    graph, _, _ = sampled
    model = algorithm_1(2, KNeighborsClassifier())
    search = GridSearchCV(
        model, {"embedding__n_components": [1, 3], "classifier__n_neighbors": [3, 7]}, cv=3, error_score="raise"
    ).fit(graph.adjacency, graph.labels)
    assert search.best_params_["embedding__n_components"] == 3
    assert search.best_score_ > 0.95
    # The held-out score is what out-of-sample embedding by hand gives.
    train, test = np.arange(240) % 3 != 0, np.arange(240) % 3 == 0
    a = graph.adjacency
    by_hand = lp.VertexClassifier().fit(a[train][:, train], graph.labels[train])
    score = cross_val_score(
        lp.VertexClassifier(),
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
    ):
        with pytest.raises(ArgumentError, match=words):
            model.fit(graph, bad)
    with pytest.raises(UnknownVertexError, match="'nobody'"):
        model.fit(graph, {0: 1, 1: 0, "nobody": 1})
    fitted = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), LinearSVC()).fit(graph, y)
    with pytest.raises(ArgumentError, match="no probabilities"):
        fitted.predict_proba(new)


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


@pytest.mark.parametrize("features", [(), "rows", ("positions", "unit_rows"), 3])
def test_wrong_features_are_refused(sampled, features):
    graph, y, _ = sampled
    with pytest.raises((ArgumentError, ArgumentTypeError), match="features="):
        lp.VertexClassifier(features=features).fit(graph, y)


def test_vertices_without_edges_get_the_class_shares(sampled):
    graph, y, _ = sampled
    model = lp.VertexClassifier().fit(graph, y)
    shares = np.bincount(y[y >= 0]) / (y >= 0).sum()
    rows = np.zeros((3, 240))
    rows[1] = graph.adjacency[[0]].toarray()
    with pytest.warns(IsolatedVertexWarning, match="2 of 3 new vertices"):
        proba = model.predict_proba(rows)
    assert np.allclose(proba[[0, 2]], shares)
    assert proba[1].max() > 0.9
    with pytest.warns(IsolatedVertexWarning, match="2 of 3 new vertices"):
        assert model.predict(rows)[0] == shares.argmax()


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


@pytest.mark.parametrize("network", COINCIDING, ids=str)
def test_small_graphs_with_vertices_that_coincide(network):
    n = len(network)
    labels = np.arange(n) * 2 // n
    model = lp.VertexClassifier().fit(network, labels)
    assert model.predict({"new": [0, 1]}).tolist()[0] in (0, 1)
    one_each = {0: "first", n - 1: "last"}
    with warnings.catch_warnings():  # some have components without a label
        warnings.simplefilter("ignore", IsolatedVertexWarning)
        transduction = lp.VertexClassifier().fit(network, one_each).transduction_
    assert set(transduction) <= {"first", "last"}


def test_classes_with_one_member(sampled):
    graph, y, new = sampled
    rare = np.where(y < 0, -1, y)
    rare[1], rare[3] = 7, 8
    model = lp.VertexClassifier().fit(graph, rare)
    assert model.classes_.tolist() == [0, 1, 2, 7, 8]
    assert (model.predict(new) == new.labels).mean() > 0.9


def test_ids_in_the_place_of_classes_are_refused_before_anything_is_computed(monkeypatch):
    graph = lp.from_edges(range(202), [*range(1, 202), 0])
    few = np.arange(202) // 2  # 101 classes of two
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2), KNeighborsClassifier(), features="degrees")
    assert len(model.set_params(select_features=False).fit(graph, few).classes_) == 101
    monkeypatch.setattr(lp.AdjacencySpectralEmbedding, "fit", None)
    hidden = np.where(np.arange(202) == 0, -1, few)
    with pytest.raises(ArgumentError, match=r"101 different labels for 201 labelled vertices; .* not of ids"):
        model.fit(graph, hidden)
    with pytest.raises(ArgumentError, match="202 different labels for 202 labelled vertices"):
        lp.VertexClassifier().fit(graph, {v: f"user{v}" for v in range(202)})


def test_labels_without_rows_are_refused():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    graph = nx.karate_club_graph()
    empty = {"user": [], "country": []}
    for table in (pandas.DataFrame(empty), pandas.Series([], dtype=object), polars.DataFrame(empty)):
        with pytest.raises(
            ArgumentError, match=r"^y has no rows; pass a table with the values of the vertices\.$"
        ):
            lp.VertexClassifier().fit(graph, table)
    with pytest.raises(ArgumentError, match=r"^y is an empty mapping; pass the labels of some vertices\.$"):
        lp.VertexClassifier().fit(graph, {})


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
    with pytest.warns(
        LpgraphWarning, match="only the arcs from them.* label held-out vertices -1 and look up their"
    ):
        model.predict(matrix[new][:, known])
    # Friends within a side and enemies between them: the shares of both kinds of edges tell the side.
    side = np.repeat([0, 1], 60)
    joined = np.triu(rng.random((120, 120)) < 0.1, 1)
    weights = np.where(side[:, None] == side, 1.0, -1.0) * joined
    y = np.where(rng.random(120) < 0.3, side, -1)
    signed = lp.VertexClassifier().fit(weights + weights.T, y)
    assert (signed.transduction_ == side).mean() > 0.95


def test_same_seed_same_result_and_saved_models(sampled, tmp_path):
    graph, y, new = sampled
    model = lp.VertexClassifier().fit(graph, y)
    again = lp.VertexClassifier().fit(graph, y)
    assert np.array_equal(model.predict_proba(new), again.predict_proba(new))
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    assert np.array_equal(model.predict_proba(new), loaded.predict_proba(new))
    assert np.array_equal(model.label_distributions_, loaded.label_distributions_)
    assert np.allclose(model.label_distributions_.sum(axis=1), 1)


def test_new_vertices_of_a_directed_model_in_other_forms_agree():
    graph = nx.gnp_random_graph(40, 0.2, seed=1, directed=True)
    labels = np.arange(40) % 2
    model = lp.VertexClassifier().fit(graph, labels)
    both = nx.DiGraph([("new", 0), ("new", 5), (7, "new")])
    table = model.predict_proba([("new", 0), ("new", 5), (7, "new")])
    assert np.allclose(table, model.predict_proba(both))


def test_threads_do_not_change_classes_or_clusters(sampled):
    graph, y, new = sampled
    with threadpool_limits(1):
        proba = lp.VertexClassifier().fit(graph, y).predict_proba(new)
        labels = lp.VertexClustering().fit(graph).labels_
    # Sums of the embedding may differ by rounding.
    assert np.allclose(lp.VertexClassifier().fit(graph, y).predict_proba(new), proba, atol=1e-10)
    assert np.array_equal(lp.VertexClustering().fit(graph).labels_, labels)


class Misfit(ClassifierMixin, BaseEstimator):
    """A classifier that fails in the given step."""

    def __init__(self, step="fit"):
        self.step = step

    def fit(self, X, y):
        if self.step == "fit":
            raise NotImplementedError("no fit")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (
            self.classes_.take(np.full(len(X), 9)) if self.step == "predict" else self.classes_[:1].repeat(len(X))
        )

    def predict_proba(self, X):
        return np.full((len(X) + 1, len(self.classes_)), 0.5)


@pytest.mark.parametrize(
    ("step", "says"),
    [("fit", "NotImplementedError: no fit"), ("predict", "(IndexError|shape mismatch)"), ("predict_proba", "")],
)
@pytest.mark.parametrize("select_features", [False, True])
def test_an_error_of_the_classifier_names_it(step, says, select_features):
    network = nx.karate_club_graph()
    known = {member: network.nodes[member]["club"] for member in range(0, 34, 2)}
    model = lp.VertexClassifier(classifier=Misfit(step), select_features=select_features)
    with pytest.raises(ArgumentError, match=rf"classifier=Misfit\(.*\) failed in (fit|predict).*{says}.*Change"):
        model.fit(network, known).predict_proba({"new": [0, 1]})


@pytest.mark.parametrize(
    "classifier", ["logistic", np.zeros(3), {"C": 1}, LogisticRegression, 3, StandardScaler()]
)
def test_what_is_no_classifier_is_refused(classifier):
    with pytest.raises(
        ArgumentTypeError, match=r"classifier=.* is no classifier; pass (LogisticRegression\(\)|a class)"
    ):
        lp.VertexClassifier(classifier=classifier).fit(nx.karate_club_graph(), {0: "a", 33: "b"})


def test_a_classifier_without_probabilities_has_no_distributions():
    known = {0: "a", 1: "a", 32: "b", 33: "b"}
    model = lp.VertexClassifier(classifier=LinearSVC()).fit(nx.karate_club_graph(), known)
    assert not hasattr(model, "label_distributions_")
    with pytest.raises(AttributeError, match="no predict_proba"):
        _ = model.label_distributions_
    assert {"fit", "predict", "label_distributions_"} <= set(dir(model))


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({0: 1, 33: "a"}, "y has labels of the types int and str; pass all of them as texts"),
        ({0: "a", 33: 1}, "y has labels of the types int and str; pass all of them as texts"),
        ({0: ["a"], 33: ["b"]}, "such as \\['a'\\]; pass one text or integer for each vertex"),
        ({0: 1.5, 33: 2.0}, "such as 1.5: Unknown label type: continuous; pass texts or integers"),
    ],
)
def test_labels_that_are_no_classes_have_a_remedy(labels, told):
    with pytest.raises(ArgumentError, match=told):
        lp.VertexClassifier().fit(nx.karate_club_graph(), labels)


def test_warnings_of_blas_about_finite_numbers_are_not_shown(monkeypatch):
    from lpgraph.infer import selection

    scores, called = selection._scores, []

    def spurious(*given):
        called.append(bool(np.isnan(np.array([np.inf]) - np.inf)[0]))  # sets the flag, as some kernels of BLAS do
        return scores(*given)

    monkeypatch.setattr(selection, "_scores", spurious)
    karate = nx.karate_club_graph()
    clubs = nx.get_node_attributes(karate, "club")
    lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(karate, clubs)
    assert all(called)
    assert called
    own = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2), classifier=KNeighborsClassifier(3))
    with pytest.warns(RuntimeWarning, match="invalid value"):
        own.fit(karate, clubs)


SAME = [
    np.array([1, 2]),
    np.array([1.0, 2.0]),
    [np.int8(1), np.int8(2)],
    {0: 1, 1: 2.0},
    pandas.Series([1.0, 2.0]),
    pandas.Series([1, 2], dtype="Int64"),
]


@pytest.mark.parametrize("y", SAME, ids=lambda y: type(y).__name__)
def test_numbers_are_scored_by_their_values(y):
    model, new = of_labels([1, 2])
    assert model.score(new, y) == 1.0


@pytest.mark.parametrize(
    "y", [["1", "2"], np.array(["1", "2"]), list(np.array(["1", "2"])), pandas.Series(["1", "2"])]
)
def test_texts_are_scored_with_texts_and_refused_with_numbers(y):
    model, new = of_labels(["1", "2"])
    assert model.score(new, y) == 1.0
    with pytest.raises(ArgumentError, match=r"label 1 \(int\), but the fit got labels like '1' \(str\)"):
        model.score(new, [1, 2])
    model, new = of_labels([1, 2])
    with pytest.raises(ArgumentError, match=r"label '1' \(str\), but the fit got labels like 1 \(int\)"):
        model.score(new, y)
    # One of them is enough, and unknown labels have no type.
    with pytest.raises(ArgumentError, match="label '2'"):
        model.score(new, {0: 1, 1: "2"})
    assert model.score(new, [1, None]) == 1.0


def of_labels(labels):
    """Return a classifier of two cliques, and a new vertex of each."""
    graph = np.kron(np.eye(2), np.ones((8, 8))) - np.eye(16)
    rows = np.kron(np.eye(2), np.ones(8))
    return lp.VertexClassifier().fit(graph, np.repeat(labels, 8)), rows
