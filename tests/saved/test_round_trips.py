"""Loaded models give the results of the saved ones, bit for bit."""

import copy
import dataclasses
import pickle

import networkx as nx
import numpy as np
import pytest
from fuzz.zoo import CLASSIFIERS, POINTS, fitted, models
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError
from lpgraph.saved.trees import SKLEARN

B = [[0.5, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]]
FOREST = RandomForestClassifier(3)
SEARCH = GridSearchCV(KNeighborsClassifier(1), {}, cv=2)
SIDES = [0] * 17 + [1] * 17
ASE, CLUB = lp.AdjacencySpectralEmbedding, nx.karate_club_graph()


@pytest.fixture
def again(tmp_path):
    """Save and load; the loaded model gives the same file."""
    path = tmp_path / "model.lpg"

    def through(model):
        lp.save(model, path)
        before = path.read_bytes()
        lp.save(lp.load(path), path)
        assert path.read_bytes() == before
        return lp.load(path)

    through.path = path
    return through


@pytest.fixture(scope="module")
def sampled():
    return lp.stochastic_block_model([40, 40, 40], B, random_state=0)


def named(names):
    return nx.relabel_nodes(CLUB, dict(enumerate(names)))


def same(a, b):
    """Whether arrays are the same to the last bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def equal(a, b):
    """Whether two values are the same: arrays to the last bit, objects by their attributes."""
    if isinstance(a, np.ndarray):
        return type(b) is np.ndarray and (same(a, b) if a.dtype != object else a.tolist() == b.tolist())
    if sparse.issparse(a):
        return type(a) is type(b) and all(
            same(getattr(a, k), getattr(b, k)) for k in ("data", "indices", "indptr")
        )
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if hasattr(a, "get_params"):
        known = [key for key in vars(a) if key.endswith("_") and not key.startswith("_")]
    elif dataclasses.is_dataclass(a):
        known = [field.name for field in dataclasses.fields(a)]
    else:
        return type(a) is type(b) and bool(a == b)
    return type(a) is type(b) and all(equal(getattr(a, key), getattr(b, key)) for key in known)


def outcome(model, method, *arguments, **options):
    """Return the result of a method, or the text of its error."""
    try:
        return getattr(model, method)(*arguments, **options)
    except (AttributeError, ValueError) as error:
        return str(error)


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")  # of an isolated new vertex
@pytest.mark.parametrize("name", models())
def test_every_model(name, again):
    model, new_items = fitted(name).model, fitted(name).new
    loaded = again(model)
    assert equal(model, loaded)
    calls = [(method, new_items, {}) for method in ("transform", "predict", "predict_proba")]
    calls.append(("transform", new_items, {"direction": "in"} if hasattr(model, "embedding_in_") else {}))
    calls.append(("inverse_transform", getattr(model, "embedding_", None), {}))
    for method, new, options in calls:
        if hasattr(model, method):
            assert equal(outcome(model, method, new, **options), outcome(loaded, method, new, **options))
    if hasattr(model, "to_networkx"):
        assert nx.utils.graphs_equal(loaded.to_networkx(), model.to_networkx())
    if hasattr(model, "get_params"):
        assert clone(loaded).get_params().keys() == model.get_params().keys()
    if hasattr(model, "sample"):  # a fitted random graph
        assert equal(loaded.probabilities(["v3", "v30"]), model.probabilities(["v3", "v30"]))
        assert equal(loaded.sample(random_state=5), model.sample(random_state=5))
        assert type(lp.load(again.path, lp.infer.ModelFit)) is type(model)


def test_the_zoo_has_every_method_and_every_class_of_scikit_learn():
    assert set(lp.manifold.__all__) <= {row[0] for row in POINTS}
    # In VertexClustering, RidgeClassifier and the default of VertexClassifier.
    inside = {"GaussianMixture", "LabelBinarizer", "FrozenEstimator"}
    for classifier in CLASSIFIERS[1:]:
        inside |= {type(part).__name__ for part in [classifier, *dict(getattr(classifier, "steps", [])).values()]}
    assert {name.partition(":")[2] for name in SKLEARN} == inside - {"str"}


def test_the_best_of_a_search_and_a_pipeline_without_its_cache(sampled, again):
    new = sampled.new_vertices(15, random_state=1).adjacency
    search = GridSearchCV(lp.VertexClassifier(), {"embedding": [ASE(3)]}, cv=2)
    search.fit(sampled.adjacency, sampled.labels)
    assert same(again(search.best_estimator_).predict(new), search.predict(new))
    ase = ASE(3, random_state=np.random.default_rng(0))
    pipeline = make_pipeline(ase, KNeighborsClassifier()).fit(sampled.adjacency, sampled.labels)
    loaded = again(pipeline.set_params(memory="cache"))
    assert loaded.get_params()["memory"] is None is loaded[0].random_state


@pytest.mark.parametrize(
    "names",
    [
        list(range(34))[::-1],
        [f"member {i} \N{SNOWMAN}\0" if i else "\ud800" for i in range(34)],
        list(range(34)),
        [("a", i) if i else "b" for i in range(34)],
    ],
)
def test_names_of_every_kind(names, again):
    model = ASE(2).fit(named(names))
    loaded = again(model)
    new = {"new": names[:3], "newer": {names[7]: 2.0, names[9]: 1.0}}
    assert same(loaded.transform(new), model.transform(new))
    with pytest.raises(UnknownVertexError):
        loaded.transform({"new": ["nobody"]})
    assert list(loaded.vertex_names_) == list(model.vertex_names_) == list(loaded.graph_.names)
    assert type(loaded.vertex_names_) is type(model.vertex_names_)
    assert loaded.graph_.vertex_attributes == model.graph_.vertex_attributes


def test_loaded_models_can_be_pickled_copied_changed_and_fitted(sampled, again):
    model = lp.VertexClassifier(lp.LaplacianSpectralEmbedding(3)).fit(sampled, sampled.labels)
    new = sampled.new_vertices(5, random_state=1)
    expected = model.predict_proba(new)
    other = ASE(2).fit(named([("a", i) for i in range(34)]))
    for copied in (lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy):
        assert same(copied(other).transform({"new": [("a", 3)]}), other.transform({"new": [("a", 3)]}))
        loaded = again(model)
        before = again.path.read_bytes()
        assert same(copied(loaded).predict_proba(new), expected)
        loaded.embedding_[:] = 0  # its own copy
        loaded.fitted_embedding_._placement.extensions["out"].basis[:] = 0
        assert again.path.read_bytes() == before
    assert same(again(model).fit(sampled, sampled.labels).predict_proba(new), expected)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: ASE(2), ArgumentError, "AdjacencySpectralEmbedding"),
        (lambda: ASE, ArgumentTypeError, "model is"),
        (lambda: ASE(lambda values: 2).fit(CLUB), ArgumentTypeError, r"Embedding\.n_components"),
        (lambda: lp.VertexClassifier(classifier=FOREST).fit(CLUB, SIDES), ArgumentTypeError, "RandomForest"),
        (lambda: SEARCH.fit(np.eye(34), SIDES), ArgumentTypeError, "GridSearchCV"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_name(make, error, words, tmp_path):
    model = make()
    with pytest.raises(error, match=words):
        lp.save(model, tmp_path / "model.lpg")
    assert not (tmp_path / "model.lpg").exists()


def test_missing_files_and_the_expected_class(tmp_path):
    path = tmp_path / "model.lpg"
    with pytest.raises(FileNotFoundError):
        lp.load(path)
    lp.save(ASE(1).fit(np.ones((4, 4)) - np.eye(4)), path)
    assert isinstance(lp.load(path, ASE), ASE)
    with pytest.raises(ArgumentTypeError, match="expected"):
        lp.load(path, lp.VertexClassifier)
