"""Edge stores in the place of files with a graph."""

import json

import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.cli.run import run
from lpgraph.linalg import room
from lpgraph.scale import open_store


@pytest.fixture(params=["texts", "integers"])
def here(request, tmp_path, monkeypatch):
    """A folder with a network, its store, new vertices and a model."""
    monkeypatch.chdir(tmp_path)
    graph = lp.stochastic_block_model([60, 60], [[0.3, 0.05], [0.05, 0.3]], random_state=0)
    source, target, _ = lp.as_adjacency(graph).edge_list()
    table = pd.DataFrame({"source": source, "target": target})
    new = table.isin(range(55, 65)).any(axis=1)
    if request.param == "texts":
        table = "v" + table.astype(str)
    table[~new].to_csv("graph.csv", index=False)
    table[new].to_csv("new.csv", index=False)
    assert run(["store", "build", "graph.csv", "graph.store"]) == 0
    assert run(["embed", "graph.store", "-d", "2", "--save", "model.lpg", "-o", "all.parquet"]) == 0
    return tmp_path


def test_embed(here, capsys):
    capsys.readouterr()
    store = open_store("graph.store")
    expected = lp.AdjacencySpectralEmbedding(2).fit(store).vertex_table()
    pd.testing.assert_frame_equal(pd.read_parquet("all.parquet"), expected)
    assert run(["embed", "graph.store", "-d", "2", "-o", "all.csv"]) == 0
    assert pd.read_csv("all.csv")["name"].tolist() == list(store.names)
    assert run(["embed", "graph.store", "-d", "2", "--method", "laplacian", "-o", "few.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vertices"] == store.n_vertices
    assert run(["embed", "graph.store", "-d", "2", "--largest-component", "-o", "all.csv"]) == 0


def test_info(here, capsys):
    capsys.readouterr()
    assert run(["info", "graph.store", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["vertices"] == open_store("graph.store").n_vertices
    assert run(["store", "info", "graph.store", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vertices"] == facts["vertices"]


def test_extend(here, capsys):
    assert run(["extend", "model.lpg", "new.csv", "-o", "new.parquet"]) == 0
    found = pd.read_parquet("new.parquet").set_index("name").sort_index()
    assert run(["extend", "model.lpg", "new.csv", "-o", "parts/"]) == 0
    assert run(["extend", "model.lpg", "new*.csv", "-o", "parts/"]) == 0  # finished
    pd.testing.assert_frame_equal(pd.read_parquet("parts").set_index("name").sort_index(), found)
    expected = lp.load("model.lpg").transform_table(lp.read_graph("new.csv")).set_index("name").sort_index()
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)


def test_commands_that_need_memory_say_how_much(here, monkeypatch, capsys):
    for words in ("cluster graph.store -o c.csv", "convert graph.store a.csv", "report graph.store -o r.html"):
        assert run(words.split()) == 0
    monkeypatch.setattr(room, "free_memory", lambda: 1000.0)
    capsys.readouterr()
    assert run(["cluster", "graph.store"]) == 2
    assert "memory and 0.001 MB are free" in capsys.readouterr().err


def test_classes_of_a_store(here, capsys):
    store = open_store("graph.store")
    names = pd.Series(list(store.names), name="name")
    half = store.n_vertices // 2
    table = pd.DataFrame({"name": names, "label": ["low"] * half + ["high"] * (store.n_vertices - half)})
    table[::2].to_csv("labels.csv", index=False)
    assert run(["classify", "graph.store", "labels.csv", "--save", "classes.lpg", "-o", "predicted.csv"]) == 0
    predicted = pd.read_csv("predicted.csv")
    assert predicted["name"].tolist() == names[1::2].tolist()
    assert run(["classify", "graph.store", "labels.csv", "new.csv", "--known", "-o", "both.csv"]) == 0
    both = pd.read_csv("both.csv")
    pd.testing.assert_frame_equal(both[: len(predicted)], predicted)
    assert run(["classify", "classes.lpg", "new.csv", "-o", "later.csv"]) == 0
    later = pd.read_csv("later.csv")
    pd.testing.assert_frame_equal(both[len(predicted) :].reset_index(drop=True), later)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "graph.store", "again.csv", "--loops", "drop"], "leave all other parameters out"),
        (["embed", "graph.store", "-d", "2", "--directed"], "leave all other parameters out"),
        (["info", "graph.store", "--unweighted"], "leave all other parameters out"),
        (["embed", ".", "-d", "2"], "is a folder; name a file"),
        (["extend", "model.lpg", "new.csv", "-o", "parts/", "--direction", "in"], "without --direction; leave it"),
        (["extend", "model.lpg", "-", "-o", "parts/"], "without NEW=-; leave it"),
        (["extend", "model.lpg", "none*.csv", "-o", "parts/"], "NEW=none*.csv matches no file"),
        (["extend", "model.lpg", "new.csv", "-o", "no/parts/"], "there is no folder no; make it first"),
    ],
)
def test_wrong_input(here, capsys, arguments, message):
    capsys.readouterr()
    assert run(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_store_that_is_gone(here, capsys):
    (here / "graph.store").rename(here / "moved.store")
    capsys.readouterr()
    assert run(["extend", "model.lpg", "new.csv"]) == 2
    assert "which is not there" in capsys.readouterr().err
