"""Models that were fitted to an edge store: their files refer to it."""

import copy
import os
import pickle
import shutil

import numpy as np
import pandas as pd
import pytest

import lpgraph as lp
import lpgraph.saved
from lpgraph.errors import ArgumentError, ModelFileError, StoreError
from lpgraph.saved.placer import load_placer
from lpgraph.scale import EdgeStore, build_store
from lpgraph.storage.read import StoredFile
from lpgraph.storage.write import write_file

KINDS = ["texts", "integers", "directed"]


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """Files are verified in full on loading, or in parts on first use."""
    if request.param == "large":
        monkeypatch.setattr(lpgraph.saved, "_SMALL", 0)
    return request.param


def edges(kind):
    blocks = [[0.2, 0.02], [0.02, 0.2]]
    graph = lp.stochastic_block_model([60, 60], blocks, directed=kind == "directed", random_state=0)
    source, target, _ = lp.as_adjacency(graph).edge_list()
    if kind != "texts":
        return pd.DataFrame({"source": source, "target": target})
    return pd.DataFrame({"source": [f"v{i:03d}" for i in source], "target": [f"v{i:03d}" for i in target]})


@pytest.fixture(scope="module", params=KINDS)
def built(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "graph.store"
    build_store(edges(request.param), folder, directed=request.param == "directed")
    return request.param, folder


@pytest.fixture
def fitted(built, tmp_path):
    """Return the kind of names, a store, a model and its file."""
    kind, folder = built
    store = EdgeStore(shutil.copytree(folder, tmp_path / "graph.store"))
    model = lp.AdjacencySpectralEmbedding(2).fit(store)
    lp.save(model, tmp_path / "model.lpg")
    return kind, store, model, tmp_path / "model.lpg"


def named(kind):
    return {"new": ["v003", "v050"] if kind == "texts" else [3, 50]}


def test_without_the_store(fitted, size, tmp_path):
    kind, store, model, path = fitted
    rows, at_rest = store.rows([0, 3, 5]), model.transform(named(kind))
    os.rename(store.folder, tmp_path / "elsewhere")
    loaded = lp.load(path)
    assert (loaded.transform(rows) == model.transform(rows)).all()
    assert (loaded.embedding_ == model.embedding_).all()
    with pytest.raises(StoreError, match=r"which is not there; put it back, or load .*store=FOLDER"):
        _ = loaded.graph_
    if kind == "texts":
        for use in (lambda: loaded.transform(named(kind)), lambda: loaded.vertex_names_):
            with pytest.raises(StoreError, match="which is not there"):
                use()
    else:
        assert loaded.vertex_names_ == range(120)
        assert (loaded.transform(named(kind)) == at_rest).all()
    lp.save(loaded, tmp_path / "again.lpg")
    assert (tmp_path / "again.lpg").read_bytes() == path.read_bytes()
    assert (pickle.loads(pickle.dumps(loaded)).transform(rows) == model.transform(rows)).all()
    for place in (tmp_path / "elsewhere", EdgeStore(tmp_path / "elsewhere").using(memory="1GB")):
        found = lp.load(path, store=place)
        assert (found.transform(named(kind)) == at_rest).all()
        assert found.graph_.folder == tmp_path / "elsewhere"
        assert list(found.vertex_names_) == list(model.vertex_names_)


def test_with_the_store(fitted, size, tmp_path):
    kind, store, model, path = fitted
    loaded = lp.load(path)
    assert (loaded.transform(named(kind)) == model.transform(named(kind))).all()
    assert loaded.graph_.folder == store.folder
    lp.save(loaded, tmp_path / "again.lpg")
    assert (tmp_path / "again.lpg").read_bytes() == path.read_bytes()
    names, positions = load_placer(path)(named(kind))
    assert names == ("new",)
    assert (positions == model.transform(named(kind))).all()


def test_a_store_that_has_changed(fitted, size, tmp_path):
    kind, store, model, path = fitted
    shutil.rmtree(store.folder)
    with pytest.raises(StoreError, match="checksum is saved with the model; put it back"):
        lp.save(model, tmp_path / "other.lpg")
    build_store(edges(kind)[:-1], store.folder, directed=kind == "directed")
    loaded = lp.load(path)
    with pytest.raises(StoreError, match="is not the one that the model was fitted to"):
        _ = loaded.graph_
    with pytest.raises(StoreError, match="is not the one that the model was fitted to"):
        lp.load(path, store=store.folder)
    with pytest.raises(StoreError, match="has been built again since"):
        lp.save(model, tmp_path / "other.lpg")


def test_a_model_without_a_store(tmp_path):
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(lp.datasets.karate().graph), tmp_path / "model.lpg")
    with pytest.raises(ArgumentError, match="has no store; leave it out"):
        lp.load(tmp_path / "model.lpg", store=tmp_path)


def forged(path, change):
    """Write a model again with another reference and correct checksums."""
    file = StoredFile(path)
    tree = copy.deepcopy(file.tree)
    arrays = [file.array(k).read() for k in range(len(tree.pop("arrays")))]
    change(tree["model"]["object"][1])
    write_file(path, tree, arrays)
    return path


def referring(**facts):
    def change(state):
        content = state["graph_"]["store"]
        order = ("folder", "sha256", "n", "directed")
        state["graph_"]["store"] = [facts.get(key, value) for key, value in zip(order, content, strict=True)]

    return change


@pytest.mark.parametrize(
    ("facts", "error"),
    [
        ({"folder": 3}, "describes no edge store"),
        ({"sha256": "0" * 63}, "edge store"),
        ({"n": 119}, "other parts have"),
        ({"n": 1 << 60}, "edge store"),
        ({"n": True}, "describes no edge store"),
        ({"directed": 1}, "describes no edge store"),
        ({"folder": "a\0b"}, "edge store"),
    ],
)
def test_references_that_do_not_fit(fitted, size, facts, error):
    with pytest.raises(ModelFileError, match=error):
        lp.load(forged(fitted[3], referring(**facts)))


@pytest.mark.parametrize(
    "place", ["align_to", "observed", "embedding_", "random_state", "vertex_names_", "_placement"]
)
def test_references_in_other_places(fitted, size, place):
    def change(state):
        state[place] = state["graph_"]

    with pytest.raises(ModelFileError):
        lp.load(forged(fitted[3], change))


def test_what_a_reference_reads(fitted, size, tmp_path, monkeypatch):
    """A file of another person makes this process read nothing but a manifest, unless its checksum is known."""
    _, store, _, path = fitted
    other = shutil.copytree(store.folder, tmp_path / "other")
    (other / "manifest.json").write_bytes((other / "manifest.json").read_bytes() + b" ")
    forged(path, referring(folder=str(other)))
    opened = []
    monkeypatch.setattr(
        lpgraph.scale.reference,
        "open_regular",
        lambda name, real=lpgraph.scale.reference.open_regular: opened.append(name) or real(name),
    )
    monkeypatch.setattr(EdgeStore, "__init__", lambda *_: pytest.fail("opened"))
    loaded = lp.load(path)
    assert not opened
    with pytest.raises(StoreError, match="is not the one"):
        _ = loaded.graph_
    assert opened == [other / "manifest.json"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes")
def test_pipes_and_network_folders(fitted, size, tmp_path):
    path = fitted[3]
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "manifest.json")
    loaded = lp.load(forged(path, referring(folder=str(tmp_path / "pipe"))))
    with pytest.raises(StoreError, match="pipe or a device"):
        _ = loaded.graph_
    loaded = lp.load(forged(path, referring(folder="//host/share")))
    with pytest.raises(StoreError, match="not opened"):
        _ = loaded.graph_


def test_memory_maps_are_stored_once(fitted, tmp_path):
    """Positions that did not fit in memory are memory maps; factors of rows and columns are the same one."""
    _, store, _, _ = fitted
    if store.directed:
        pytest.skip("rows and columns differ")
    model = lp.LaplacianSpectralEmbedding(2).fit(store)
    lp.save(model, tmp_path / "laplacian.lpg")
    before = (tmp_path / "laplacian.lpg").stat().st_size
    np.save(tmp_path / "positions.npy", model.embedding_)
    model.embedding_ = np.load(tmp_path / "positions.npy", mmap_mode="r")
    lp.save(model, tmp_path / "laplacian.lpg")
    assert (tmp_path / "laplacian.lpg").stat().st_size == before
    assert (lp.load(tmp_path / "laplacian.lpg").embedding_ == model.embedding_).all()
