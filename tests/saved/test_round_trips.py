"""Loaded models give the results of the saved ones, bit for bit."""

import copy
import dataclasses
import os
import pickle
import re
from functools import cache

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
from sklearn.preprocessing import StandardScaler

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, ModelFileError, UnknownVertexError
from lpgraph.saved.classes import SKLEARN_NAMES

B = [[0.5, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.4]]


@pytest.fixture
def again(tmp_path):
    """Save and load."""
    path = tmp_path / "model.lpg"

    def through(model):
        lp.save(model, path)
        loaded = lp.load(path)
        # Any form of positions or pairs there, named positions and graphs here.
        if getattr(model, "align_to", None) is None and getattr(model, "unobserved", None) is None:
            assert re.sub("0x[0-9A-F]+", "", repr(loaded)) == re.sub("0x[0-9A-F]+", "", repr(model))
        lp.save(loaded, tmp_path / "again.lpg")
        assert (tmp_path / "again.lpg").read_bytes() == path.read_bytes()
        return lp.load(path)

    through.path = path
    return through


def same(a, b):
    """Whether arrays are the same to the last bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.fixture(scope="module")
def sampled():
    return lp.stochastic_block_model([40, 40, 40], B, random_state=0)


@pytest.fixture(scope="module")
def directed():
    blocks = [[0.5, 0.1, 0.3], [0.1, 0.5, 0.1], [0.1, 0.2, 0.4]]
    return lp.stochastic_block_model([40, 40, 40], blocks, directed=True, random_state=0)


def equal(a, b):
    """Whether two values are the same: arrays to the last bit, objects by their attributes."""
    if isinstance(a, np.ndarray):
        return type(b) is np.ndarray and (same(a, b) if a.dtype != object else a.tolist() == b.tolist())
    if sparse.issparse(a):
        parts = ("data", "indices", "indptr")
        return type(a) is type(b) and all(same(getattr(a, name), getattr(b, name)) for name in parts)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, np.random.Generator):
        return a.bit_generator.state == b.bit_generator.state
    if hasattr(a, "get_params"):
        fitted = [key for key in vars(a) if key.endswith("_") and not key.startswith("_")]
        # An index is another mapping if it is in a file.
        known = [key for key in fitted if key != "vertex_index_"]
        return type(a) is type(b) and all(equal(getattr(a, key), getattr(b, key)) for key in known)
    if dataclasses.is_dataclass(a):
        known = [field.name for field in dataclasses.fields(a)]
        return type(a) is type(b) and all(equal(getattr(a, key), getattr(b, key)) for key in known)
    return bool(a == b) and type(a) is type(b)


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


@pytest.mark.parametrize("name", [name for name in models() if name.startswith("fit of ")])
def test_fitted_random_graphs(name, again):
    fit = fitted(name).model
    loaded = again(fit)
    assert loaded.bic == fit.bic
    assert same(loaded.probabilities(["v3", "v30"]), fit.probabilities(["v3", "v30"]))
    assert equal(loaded.sample(random_state=5), fit.sample(random_state=5))
    assert type(lp.load(again.path, lp.infer.ModelFit)) is type(fit)


def test_the_base_of_fits_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        lp.infer.ModelFit(
            graph=lp.as_adjacency([[0, 1], [1, 0]]), loops=False, log_likelihood=-1.0, n_parameters=1, penalty=0.0
        )


@pytest.mark.parametrize(
    "model",
    [
        lp.manifold.ClassicalMDS(2),
        lp.manifold.ClassicalMDS(2, metric="mahalanobis", metric_params={"V": np.eye(9)}),
        lp.manifold.KernelPCA(2),
        lp.manifold.KernelPCA(2, kernel="rbf"),
        lp.manifold.Isomap(2, n_neighbors=20),
        lp.manifold.LocallyLinearEmbedding(2, n_neighbors=12),
        lp.manifold.LaplacianEigenmaps(2, n_neighbors=20),
    ],
)
def test_embeddings_of_sparse_points(model, again):
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 9), density=0.5, format="csr", rng=rng)
    loaded = again(model.fit(X))
    assert same(loaded.transform(X[:20]), model.transform(X[:20]))
    assert same(loaded.transform(X[:20].toarray()), model.transform(X[:20]))
    assert same(loaded.embedding_, model.embedding_)


def test_an_embedding_of_listed_distances(again):
    points = np.random.default_rng(0).uniform(size=(60, 2))
    lists = lp.neighbor_graph(points, radius=0.5)
    model = lp.manifold.Isomap(2, n_neighbors=None, radius=np.inf, metric="precomputed").fit(lists)
    loaded = again(model)
    assert same(loaded.transform(lists[:9]), model.transform(lists[:9]))
    assert loaded.reconstruction_error() == model.reconstruction_error()


@pytest.mark.parametrize("name", lp.manifold.__all__)
def test_every_method_stands_in_the_table(name):
    assert name in {row[0] for row in POINTS}


@pytest.fixture(scope="module")
def classified(sampled):
    """A function that fits each classifier once."""

    @cache
    def fit(classifier, words):
        y = np.array(["red", "green", "blue"])[sampled.labels] if words else sampled.labels.copy()
        hidden = np.where(np.arange(120) % 3 == 0, "-1" if words else -1, y)
        return lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3), classifier).fit(sampled, hidden)

    return fit


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("words", [False, True])
def test_classifiers(classifier, words, sampled, classified, again):
    model = classified(classifier, words)
    loaded = again(model)
    new = sampled.new_vertices(15, random_state=1)
    assert same(loaded.predict(new), model.predict(new))
    assert same(loaded.transduction_, model.transduction_)
    assert same(loaded.classes_, model.classes_)
    if hasattr(model.classifier_, "predict_proba"):
        assert same(loaded.predict_proba(new), model.predict_proba(new))


def test_every_listed_class_of_scikit_learn_was_stored():
    # In VertexClustering, RidgeClassifier and the default of VertexClassifier.
    inside = {"GaussianMixture", "LabelBinarizer", "FrozenEstimator"}
    for classifier in CLASSIFIERS[1:]:
        inside |= {type(part).__name__ for part in [classifier, *dict(getattr(classifier, "steps", [])).values()]}
    assert set(SKLEARN_NAMES) == inside - {"str"}


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "spherical", None])
def test_clusterings(covariance, sampled, again):
    embedding = lp.LaplacianSpectralEmbedding(3)
    model = lp.VertexClustering(embedding, range(2, 5), method="gaussian", covariance=covariance).fit(sampled)
    loaded = again(model)
    new = sampled.new_vertices(15, random_state=1)
    assert same(loaded.predict_proba(new), model.predict_proba(new))
    assert same(loaded.labels_, model.labels_)
    assert loaded.bic_ == model.bic_
    assert loaded.n_clusters == range(2, 5)
    assert loaded.to_networkx().nodes[7] == model.to_networkx().nodes[7]


def test_pipelines_and_labels_of_mixed_kinds(sampled, again):
    pipeline = make_pipeline(lp.AdjacencySpectralEmbedding(3), StandardScaler(), KNeighborsClassifier())
    pipeline.fit(sampled.adjacency, sampled.labels)
    new = sampled.new_vertices(15, random_state=1).adjacency
    assert same(again(pipeline).predict_proba(new), pipeline.predict_proba(new))
    search = GridSearchCV(lp.VertexClassifier(), {"embedding": [lp.AdjacencySpectralEmbedding(3)]}, cv=2)
    search.fit(sampled.adjacency, sampled.labels)
    assert same(again(search.best_estimator_).predict(new), search.predict(new))


NAMES = {
    "numbers": list(range(34))[::-1],
    "texts": [f"member {i} \N{SNOWMAN}\0" if i else "\ud800" for i in range(34)],
    "range": list(range(34)),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_every_kind(kind, again):
    names = NAMES[kind]
    network = nx.relabel_nodes(nx.karate_club_graph(), dict(enumerate(names)))
    model = lp.AdjacencySpectralEmbedding(2).fit(network)
    loaded = again(model)
    new = {"new": names[:3], "newer": {names[7]: 2.0, names[9]: 1.0}}
    assert same(loaded.transform(new), model.transform(new))
    with pytest.raises(UnknownVertexError):
        loaded.transform({"new": ["nobody"]})
    assert list(loaded.vertex_names_) == list(model.vertex_names_) == list(loaded.graph_.names)
    assert type(loaded.vertex_names_) is type(model.vertex_names_)
    assert loaded.graph_.vertex_attributes == model.graph_.vertex_attributes


@pytest.mark.parametrize("names", [[("a", i) for i in range(34)], ["a", 1, *range(100, 132)]])
def test_other_names_are_refused_with_the_remedy(names, tmp_path):
    network = nx.relabel_nodes(nx.karate_club_graph(), dict(enumerate(names)))
    with pytest.raises(ArgumentTypeError, match=r"rename the vertices, as by names=list\(map\(str, names\)\)"):
        lp.save(lp.AdjacencySpectralEmbedding(2).fit(network), tmp_path / "model.lpg")


def test_loaded_models_can_be_pickled_copied_changed_and_fitted(sampled, again, tmp_path):
    model = lp.VertexClassifier(lp.LaplacianSpectralEmbedding(3)).fit(sampled, sampled.labels)
    new = sampled.new_vertices(5, random_state=1)
    expected = model.predict_proba(new)
    before = None
    for copied in (lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy):
        loaded = again(model)
        before = (tmp_path / "model.lpg").read_bytes()
        assert same(copied(loaded).predict_proba(new), expected)
        loaded.embedding_[:] = 0  # one's own copy
        loaded.fitted_embedding_._placement.extensions["out"].basis[:] = 0
    assert (tmp_path / "model.lpg").read_bytes() == before
    assert same(again(model).fit(sampled, sampled.labels).predict_proba(new), expected)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: lp.AdjacencySpectralEmbedding(2), ArgumentError, "not fitted yet"),
        (lambda: lp.OutOfSample(lp.AdjacencySpectralEmbedding(2)), ArgumentError, "not fitted yet"),
        (lambda: lp.AdjacencySpectralEmbedding, ArgumentTypeError, "pass a fitted estimator"),
        (lambda: {"a": 1}, ArgumentTypeError, "pass a fitted estimator"),
        (
            lambda: lp.AdjacencySpectralEmbedding(lambda values: 2).fit(nx.karate_club_graph()),
            ArgumentTypeError,
            r"AdjacencySpectralEmbedding\.n_components is the function '<lambda>'",
        ),
        (
            lambda: lp.AdjacencySpectralEmbedding(1, random_state=np.random.Generator(np.random.MT19937(1))).fit(
                nx.karate_club_graph()
            ),
            ArgumentTypeError,
            "random_state is of type numpy.random.*Generator",
        ),
        (
            lambda: lp.manifold.KernelPCA(1, kernel=lambda a, b: a @ b).fit(np.eye(5)),
            ArgumentTypeError,
            "the function",
        ),
        (
            lambda: lp.VertexClassifier(classifier=RandomForestClassifier(3)).fit(
                nx.karate_club_graph(), [0] * 17 + [1] * 17
            ),
            ArgumentTypeError,
            "RandomForestClassifier.*LogisticRegression",
        ),
        (
            lambda: GridSearchCV(lp.VertexClassifier(lp.AdjacencySpectralEmbedding(1)), {}, cv=2).fit(
                np.add.outer(np.arange(1.0, 21), np.arange(1.0, 21)), [0, 1] * 10
            ),
            ArgumentTypeError,
            "save its best_estimator_",
        ),
        (
            lambda: make_pipeline(lp.AdjacencySpectralEmbedding(1), KNeighborsClassifier(1), memory="cache").fit(
                np.ones((4, 4)), [0, 1, 0, 1]
            ),
            ArgumentError,
            "memory='cache'",
        ),
    ],
)
def test_what_cannot_be_stored_is_refused_by_name(make, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = make()
    with pytest.raises(error, match=words):
        lp.save(model, tmp_path / "model.lpg")
    assert not (tmp_path / "model.lpg").exists()


def test_other_versions_of_scikit_learn_are_told_of(tmp_path, sampled, monkeypatch):
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(sampled, sampled.labels)
    path = tmp_path / "model.lpg"
    with monkeypatch.context() as patch:
        patch.setattr("sklearn.__version__", "0.99.1")
        lp.save(model, path)
        lp.save(model.fitted_embedding_, tmp_path / "embedding.lpg")
    with pytest.warns(LpgraphWarning, match=r"The file has Froz.* of scikit-learn 0\.99\.1"):
        lp.load(path)
    lp.load(tmp_path / "embedding.lpg")  # nothing of scikit-learn in it, nothing to warn of


def test_files_are_small_and_the_same_each_time(tmp_path, sampled):
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3)).fit(sampled, sampled.labels)
    a, b = tmp_path / "a.lpg", tmp_path / "b.lpg"
    lp.save(model, a)
    lp.save(model, b)
    assert a.read_bytes() == b.read_bytes()
    # Positions, basis, labels, visits and the graph, once each, and headers.
    labels = model.neighbor_labels_.labels.nnz * 12 + model.neighbor_labels_.visits.nbytes
    content = 2 * 120 * 3 * 8 + 120 * 8 + labels + (model.graph_.matrix.nnz * 12 + 3 * 121 * 4)
    assert os.path.getsize(a) <= content + 10 * 4096


def test_a_missing_file_is_the_systems_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        lp.load(tmp_path / "nothing.lpg")
    (tmp_path / "text.lpg").write_text("source,target\n1,2\n" * 50)
    with pytest.raises(ModelFileError, match=r"text\.lpg: it is no whole"):
        lp.load(tmp_path / "text.lpg")


def test_load_with_the_expected_class(tmp_path):
    path = tmp_path / "model.lpg"
    lp.save(lp.AdjacencySpectralEmbedding(1).fit(np.ones((4, 4)) - np.eye(4)), path)
    assert isinstance(lp.load(path, lp.AdjacencySpectralEmbedding), lp.AdjacencySpectralEmbedding)
    with pytest.raises(
        ArgumentTypeError, match=r"model.lpg has a model of type AdjacencySpectralEmbedding; pass expected="
    ):
        lp.load(path, lp.VertexClassifier)
