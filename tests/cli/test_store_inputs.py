"""Edge stores in the place of files: embed, info, extend and the commands that read them into memory."""

import json

import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.cli.run import run
from lpgraph.scale import EdgeStore, room


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
    store = EdgeStore("graph.store")
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
    assert facts["vertices"] == EdgeStore("graph.store").n_vertices
    assert run(["store", "info", "graph.store", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts


def test_extend(here, capsys):
    assert run(["extend", "model.lpg", "new.csv", "-o", "new.parquet"]) == 0
    found = pd.read_parquet("new.parquet").set_index("name").sort_index()
    assert run(["extend", "model.lpg", "new.csv", "-o", "parts/"]) == 0
    assert run(["extend", "model.lpg", "new*.csv", "-o", "parts/"]) == 0  # finished
    pd.testing.assert_frame_equal(pd.read_parquet("parts").set_index("name").sort_index(), found)
    expected = lp.load("model.lpg").transform_table(lp.read_graph("new.csv")).set_index("name").sort_index()
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)


def test_commands_that_read_a_store_into_memory(here, monkeypatch, capsys):
    assert run(["cluster", "graph.store", "-k", "2", "-o", "clusters.csv"]) == 0
    assert run(["convert", "graph.store", "again.csv"]) == 0
    assert run(["report", "graph.store", "-o", "report.html"]) == 0
    assert run(["dimension", "graph.store", "--cross-validation", "--max", "2"]) == 0
    monkeypatch.setattr(room, "free_memory", lambda: 1000.0)
    capsys.readouterr()
    for command in (["report"], ["cluster"], ["convert", "more.csv"], ["embed", "--largest-component", "-d", "2"]):
        assert run([command[0], "graph.store", *command[1:]]) == 2
        told = capsys.readouterr().err
        assert "graph.store is an edge store, which this command reads into memory. Its network takes" in told
        assert "use a command that does not read it: embed, classify, dimension or cluster --by gaussian" in told


def test_commands_that_do_not_read_a_store_into_memory(here, monkeypatch, capsys):
    store = EdgeStore("graph.store")
    names = pd.Series(list(store.names), name="name")
    half = store.n_vertices // 2
    table = pd.DataFrame({"name": names, "label": ["low"] * half + ["high"] * (store.n_vertices - half)})
    table[::2].to_csv("labels.csv", index=False)
    monkeypatch.setattr(EdgeStore, "to_adjacency", lambda self: pytest.fail("the store is read"))
    assert run(["embed", "graph.store", "-o", "positions.csv"]) == 0
    assert run(["cluster", "graph.store", "--by", "gaussian", "-k", "2", "-o", "clusters.csv"]) == 0
    assert sorted(pd.read_csv("clusters.csv")["cluster"].unique()) == [0, 1]
    capsys.readouterr()
    assert run(["dimension", "graph.store", "--splits", "2", "--sign-flips", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["eigenvalue_cv"] >= 1
    assert run(["classify", "graph.store", "labels.csv", "--save", "classes.lpg", "-o", "predicted.csv"]) == 0
    predicted = pd.read_csv("predicted.csv")
    assert predicted["name"].tolist() == names[1::2].tolist()
    new = ["classify", "graph.store", "labels.csv", "new.csv", "--known", "-o", "both.csv"]
    assert run(new) == 0
    both = pd.read_csv("both.csv")
    pd.testing.assert_frame_equal(both[: len(predicted)], predicted)
    assert run(["classify", "classes.lpg", "new.csv", "-o", "later.csv"]) == 0
    later = pd.read_csv("later.csv")
    pd.testing.assert_frame_equal(both[len(predicted) :].reset_index(drop=True), later)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "graph.store", "again.csv", "--loops", "drop"], "--loops=drop is for edges that are listed"),
        (["convert", "graph.store", "a.csv", "--multi-edges", "collapse"], "--multi-edges=collapse is for edges"),
        (["embed", "graph.store", "-d", "2", "--directed", "--weight", "w"], "leave --weight, --directed out"),
        (["embed", "graph.store", "-d", "2", "--unobserved", "new.csv"], "graph.store is a store; leave it out"),
        (["embed", ".", "-d", "2"], "is a folder; name a file"),
        (["info", "graph.store", "--unweighted"], "leave --unweighted out"),
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
    assert "which is not there; put it back" in capsys.readouterr().err
