"""Models with correct checksums whose parts do not fit, and files that change while a model is in use."""

import os
import subprocess
import sys
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from fuzz.models import stored
from fuzz.zoo import models
from sklearn.linear_model import LogisticRegression

import lpgraph as lp
import lpgraph.saved
import lpgraph.storage.read
from lpgraph.errors import ArgumentError, ModelFileError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.saved.placer import load_placer
from lpgraph.storage.read import StoredFile
from lpgraph.storage.write import write_file

ZOO = list(models())


def forged(path, name, change):
    """Write a model of the zoo with another state and correct checksums."""
    import copy

    given = stored(ZOO.index(name))
    tree, arrays = copy.deepcopy(given.tree), [array.copy() for array in given.arrays]
    change(tree["model"]["object"][1], arrays)
    write_file(path, tree, arrays)
    return path


def changed(find, make):
    """Return the change of one array."""

    def change(state, arrays):
        number = find(state)["array"]
        arrays[number] = make(arrays[number])

    return change


def entry(place, value):
    def make(array):
        array.reshape(-1)[place] = value
        return array

    return make


def rows(state):
    return state["_placement"]["object"][1]["new_rows"]["object"][1]


def basis(state):
    return state["_placement"]["object"][1]["extensions"]["dict"][0][1]["object"][1]["basis"]


def edges(state):
    return state["graph_"]["object"][1]["matrix"]["sparse"][3]


def inside(state, *keys):
    for key in keys:
        state = state[key]["object"][1]
    return state


ASE = "ASE, undirected"
LOGISTIC = "VertexClassifier(LogisticRegression(C=10.0))"
KNN = "VertexClassifier(KNeighborsClassifier(n_neighbors=3))"
LANDMARKS = "Isomap({'landmarks': [0, 3, 5, 20, 30], 'metric': 'manhattan'})"

UNFIT = {
    "a basis of NaN": (ASE, changed(basis, entry(3, np.nan)), "has entries from nan"),
    "a basis of single precision": (ASE, changed(basis, lambda a: a.astype("f4")), "dtype float32"),
    "a basis of other rows": (ASE, changed(basis, lambda a: a[:9].copy()), "has size 9 where other parts have 40"),
    "a graph that is not symmetric": (ASE, changed(lambda s: edges(s)[0], entry(3, 7.0)), "is not symmetric"),
    "an edge of weight 0": (ASE, changed(lambda s: edges(s)[0], entry(slice(None), 0.0)), "is not canonical"),
    "columns not in order": (
        ASE,
        changed(lambda s: edges(s)[1], entry(slice(0, 2), [9, 9])),
        "is not canonical",
    ),
    "a direction": (ASE, lambda s, a: s.update(directed_=True), "is not directed"),
    "an unknown attribute": (ASE, lambda s, a: s.update(more=1), "unknown attributes 'more'"),
    "names of others": (ASE, lambda s, a: s.update(vertex_names_={"names": {"range": 41}}), "has size 41"),
    "rows of another method": (
        "LSE, undirected",
        lambda s, a: s["_placement"]["object"][1].update(new_rows={"object": ["AdjacencyRows", {}]}),
        "AdjacencyRows instead of DegreeRows",
    ),
    "negative degrees": ("LSE, undirected", changed(lambda s: rows(s)["left"], entry(0, -1.0)), "out of range"),
    "landmarks": (LANDMARKS, changed(lambda s: rows(s)["landmarks"], entry(0, 10**6)), "out of range"),
    "columns of landmarks": (
        "ClassicalMDS({'landmarks': [0, 3, 5, 20, 30], 'metric': 'precomputed'})",
        changed(lambda s: rows(s)["columns"], entry(0, 10**6)),
        "out of range",
    ),
    "an infinite length": (LANDMARKS, changed(lambda s: rows(s)["lengths"], entry(0, np.inf)), "out of range"),
    "points of other columns": (
        "KernelPCA({'kernel': 'rbf', 'gamma': 0.3})",
        changed(lambda s: rows(s)["points"], lambda a: a[:, :2].copy()),
        "has size",
    ),
    "dense points said to be sparse": (
        "KernelPCA({'kernel': 'rbf', 'gamma': 0.3})",
        lambda s, a: s.update(_sparse_input=True),
        "_placement.new_rows",
    ),
    "coefficients": (
        LOGISTIC,
        changed(lambda s: inside(s, "classifier_")["coef_"], lambda a: a[:, :2].copy()),
        "has size 2",
    ),
    "other features": (LOGISTIC, lambda s, a: s.update(features="degrees"), "labels of neighbors"),
    "a penalty": (LOGISTIC, lambda s, a: inside(s, "classifier_").update(C=-1.0), "invalid parameter"),
    "classes that are not sorted": (
        LOGISTIC,
        changed(lambda s: s["classes_"], lambda a: a[::-1].copy()),
        "classes",
    ),
    "a label of no class": (LOGISTIC, changed(lambda s: s["transduction_"], entry(3, "?")), "none of its classes"),
    "more neighbors than points": (
        KNN,
        lambda s, a: inside(s, "classifier_").update(n_neighbors=99),
        "fails in use",
    ),
    "a million threads": (KNN, lambda s, a: inside(s, "classifier_").update(n_jobs=10**6), "out of range"),
    "clusters": (
        "VertexClustering, undirected",
        changed(lambda s: inside(s, "partition_")["labels"], lambda a: a - 50),
        "out of range",
    ),
    "negative degrees of clusters": (
        "VertexClustering, undirected",
        changed(lambda s: inside(s, "partition_", "positive")["degrees"], entry(0, -1.0)),
        "out of range",
    ),
    "covariances of another model": (
        "VertexClustering, diag, undirected",
        lambda s, a: inside(s, "mixture_", "mixture").update(covariance_type="spherical"),
        "another shape than its model",
    ),
    "a pipeline that stores": ("pipeline, undirected", lambda s, a: s.update(memory="cache"), "memory is a str"),
    "steps of other widths": (
        "pipeline, undirected",
        lambda s, a: s.update(steps=s["steps"][1:] + s["steps"][:1]),
        "takes 40 columns",
    ),
}


@pytest.mark.parametrize("what", UNFIT)
@pytest.mark.parametrize("size", ["small", "large"])
def test_parts_that_do_not_fit_are_refused_by_name(what, size, tmp_path, monkeypatch):
    name, change, words = UNFIT[what]
    path = forged(tmp_path / "model.lpg", name, change)
    if size == "large":
        monkeypatch.setattr(lpgraph.saved, "_SMALL", 0)

    def use():
        model = lp.load(path)
        # In a large file they are met when they are read.
        if isinstance(model, PointsEmbedding):
            model.transform(np.zeros((1, model.n_features_in_)))
        model.transform({"new": ["v0", "v1"]} if "v0" in model.vertex_names_ else {"new": [0]})
        assert model.embedding_ is not None
        assert model.graph_ is not None
        assert model.transduction_ is not None

    with pytest.raises(
        ModelFileError, match=rf"model\.lpg: its contents are no valid model.*{words}.*; use another"
    ):
        use()


def test_the_placer_refuses_the_same(tmp_path, monkeypatch):
    for small in (1 << 25, 0):
        monkeypatch.setattr(lpgraph.saved, "_SMALL", small)
        for what in ("a basis of NaN", "a basis of other rows", "a direction", "names of others"):
            path = forged(tmp_path / "model.lpg", *UNFIT[what][:2])
            with pytest.raises(ModelFileError):
                load_placer(path)({"new": ["v0", "v1"]})


def test_what_would_be_refused_is_not_saved(tmp_path):
    model = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    model.embedding_[3] = np.nan
    with pytest.raises(ArgumentError, match=r"embedding_ has entries from nan.*; fit the model again"):
        lp.save(model, tmp_path / "model.lpg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("rule", [None, "sign_flips"])
@pytest.mark.parametrize("number", [0, 99])
def test_a_choice_without_the_statistic_of_its_last_dimension_is_not_saved(rule, number, tmp_path):
    model = lp.AdjacencySpectralEmbedding(rule).fit(nx.karate_club_graph())
    model.dimension_choice_ = replace(model.dimension_choice_, n_components=number)
    with pytest.raises(ArgumentError, match=f"dimension_choice_ has {number} dimensions by"):
        lp.save(model, tmp_path / "model.lpg")


def test_a_classifier_of_other_features_is_not_saved(tmp_path):
    network = nx.karate_club_graph()
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2), LogisticRegression())
    model.fit(network, nx.get_node_attributes(network, "club")).set_params(features="degrees")
    with pytest.raises(ArgumentError, match="has labels of neighbors, which are no feature"):
        lp.save(model, tmp_path / "model.lpg")


@pytest.fixture
def large(tmp_path, monkeypatch):
    """The path of a model that stays in its file, and the model."""
    monkeypatch.setattr(lpgraph.saved, "_SMALL", 0)
    monkeypatch.setattr(lpgraph.storage.read, "_LARGE", 0)
    graph = lp.largest_component(lp.erdos_renyi(3000, 0.003, random_state=0))
    model = lp.AdjacencySpectralEmbedding(8, tol=0.1).fit(graph)
    lp.save(model, tmp_path / "model.lpg")
    return tmp_path / "model.lpg", model


def test_a_file_truncated_in_place_is_an_error(large):
    path, model = large
    loaded = lp.load(path)
    whole = loaded.embedding_
    os.truncate(path, 5000)
    assert np.array_equal(whole, model.embedding_)  # what was read is in memory
    with pytest.raises(ModelFileError, match="was truncated while it was read"):
        loaded.transform({"new": [0, 1]})
    with pytest.raises(ModelFileError, match="was truncated while it was read"):
        _ = loaded.graph_


def test_a_file_overwritten_in_place_never_gives_another_number(large):
    path, model = large
    loaded, other = lp.load(path), lp.load(path)
    whole = loaded.embedding_
    with open(path, "r+b") as file:
        file.seek(file.seek(0, os.SEEK_END) // 8)
        file.write(np.full(path.stat().st_size // 16, 1.0).tobytes())
    assert np.array_equal(whole, model.embedding_)
    with pytest.raises(ModelFileError, match="are damaged"):
        _ = other.embedding_
    with pytest.raises(ModelFileError, match="are damaged"):
        other.transform({f"new {k}": [k, k + 1] for k in range(2000)})


def test_a_model_replaced_in_place_by_another_is_an_error(large, tmp_path):
    path, _ = large
    loaded = lp.load(path)
    other = lp.AdjacencySpectralEmbedding(8, tol=0.1).fit(lp.erdos_renyi(3000, 0.004, random_state=1))
    lp.save(other, tmp_path / "other.lpg")
    with open(path, "r+b") as file:
        file.write((tmp_path / "other.lpg").read_bytes())
    with pytest.raises(ModelFileError):
        loaded.transform({"new": [0, 1]})


def test_a_model_that_is_dropped_closes_its_file(large):
    path, _ = large
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        pytest.skip("the system does not list open files")
    import gc

    gc.disable()
    try:
        before = len(os.listdir(folder))
        for _ in range(5):
            loaded = lp.load(path)
            loaded.transform({"new": [0, 1]})
            assert loaded.graph_.n_vertices == loaded.n_features_in_
            del loaded
        assert len(os.listdir(folder)) == before
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.lpg")
    code = f"import lpgraph as lp; lp.load({str(tmp_path / 'pipe.lpg')!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "is a pipe or a device; copy its content to a file first" in done.stderr
    with pytest.raises(ArgumentError, match="is a folder"):
        StoredFile(tmp_path)
