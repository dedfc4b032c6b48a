"""Missing inputs, weights of another scale or that are not positive, and outputs that are pipes or devices."""

from __future__ import annotations

import csv
import json
import os
import threading

import networkx as nx
import pytest

import lpgraph as lp
from lpgraph.cli.run import run

pytestmark = pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")  # as the command shows them


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a network with and without weights, models of both, and new vertices."""
    monkeypatch.chdir(tmp_path)
    graph = nx.karate_club_graph()
    lp.write_graph(graph, "weighted.csv")
    lp.write_graph(lp.as_adjacency(graph, weight=None), "plain.csv")
    for name in ("weighted", "plain"):
        lp.save(lp.AdjacencySpectralEmbedding(2).fit(lp.read_graph(f"{name}.csv")), f"{name}.lpg")
    rows = [f"n{k},{k},{k % 3 + 2}" for k in range(12)]
    (tmp_path / "new.csv").write_text("source,target,weight\n" + "\n".join(rows) + "\n")
    return tmp_path


def told(capsys, *words):
    """Run a command and return its exit code and messages."""
    code = run([str(word) for word in words])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "warning"),
    [
        ("extend plain.lpg new.csv", "new.csv have weights up to 4, and those of the model are unweighted"),
        ("extend plain.lpg new.csv --unweighted", None),
        ("extend weighted.lpg new.csv", None),
        (
            "extend weighted.lpg new.csv --unweighted",
            "have weight 1, and those of the model are weighted",
        ),
        ("extend weighted.lpg new.csv --unweighted --rule batch", "pass the column as --weight, or fit the model"),
        ("embed weighted.csv -d 2 --align-to plain.lpg", "is weighted, but that of --align-to was unweighted"),
        ("embed plain.csv -d 2 --align-to weighted.lpg", "is unweighted, but that of --align-to was weighted"),
        ("embed plain.csv -d 2 --align-to plain.lpg", None),
    ],
)
def test_weights_of_another_scale(here, capsys, words, warning):
    code, messages = told(capsys, *words.split(), "-o", "table.csv")
    assert code == 0
    assert ("differ in scale" in messages) is (warning is not None)
    assert warning is None or warning in messages


def test_few_new_edges_may_have_weight_1(here, capsys):
    (here / "few.csv").write_text("n,0\nn,1\n")
    assert "scale" not in told(capsys, "extend", "weighted.lpg", "few.csv", "-o", "table.csv")[1]


@pytest.mark.parametrize(
    "words",
    [
        "classify weighted.csv labels.csv missing.csv",
        "classify weighted.csv missing.csv",
        "extend weighted.lpg missing.csv",
        "plot embedding weighted.csv --new missing.csv -o picture.png",
        "plot embedding weighted.csv --labels missing.csv -o picture.png",
    ],
)
def test_missing_files_are_found_before_a_fit(here, capsys, words, monkeypatch):
    (here / "labels.csv").write_text("vertex,label\n0,a\n33,b\n")
    if words.startswith("plot"):
        pytest.importorskip("matplotlib")
    for kind in (lp.VertexClassifier, lp.LaplacianSpectralEmbedding):
        monkeypatch.setattr(kind, "fit", lambda *_: pytest.fail("it was fitted"))
    assert told(capsys, *words.split()) == (2, "lpgraph: missing.csv: there is no such file; check its path.\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a named pipe")
def test_a_pipe_gets_a_table_or_a_graph_as_csv(here, capsys):
    os.mkfifo(here / "pipe", 0o600)
    for words, first in (
        (["extend", "weighted.lpg", "new.csv", "-o", "pipe"], "name,ase0,ase1,has_known_neighbor"),
        (["convert", "weighted.csv", "pipe"], "source,target,weight\n"),
    ):
        read: list[str] = []
        reader = threading.Thread(target=lambda into=read: into.append((here / "pipe").read_text()))
        reader.start()
        assert told(capsys, *words)[0] == 0
        reader.join(60)
        assert read[0].startswith(first)
    code, messages = told(capsys, "extend", "weighted.lpg", "new.csv", "-o", "no_pipe")
    assert code == 2
    assert "--output=no_pipe has no suffix of a table" in messages


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/stdout")
def test_standard_output_by_its_path(here, capfd):
    assert run(["extend", "weighted.lpg", "new.csv", "-o", "/dev/stdout"]) == 0
    rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))
    assert [row["name"] for row in rows] == [f"n{k}" for k in range(12)]


def test_weights_that_are_not_positive_are_counted(here, capsys):
    (here / "signed.csv").write_text("source,target,weight\na,b,-3\nb,a,9\nb,c,0\nc,d,1\nd,d,2\n")
    assert run(["info", "signed.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["zero_weights"], found["negative_weights"], found["loops"]) == (1, 1, 1)
    assert found["weights"] == [1.0, 6.0]
    assert found["degree"]["least"] == 1
    assert found["largest_degrees"] == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert found["largest_strengths"] == {"a": 6.0, "b": 6.0, "c": 1.0, "d": 1.0}
    assert run(["info", "plain.csv", "--json"]) == 0
    assert not {"zero_weights", "negative_weights", "largest_strengths"} & set(json.loads(capsys.readouterr().out))


def test_spreadsheets(here, capsys):
    (here / "mails.xlsx").write_bytes(b"PK")
    call = "pandas.read_excel('mails.xlsx').to_csv('mails.csv', index=False)"
    for words in (["info", "mails.xlsx"], ["classify", "weighted.csv", "mails.xlsx"]):
        code, text = told(capsys, *words)
        assert code == 2
        assert call in text
    for read in (lp.read_graph, lp.read_labels):
        with pytest.raises(lp.errors.ArgumentError) as error:
            read("mails.xlsx")
        assert str(error.value).endswith(f"; convert it by {call}, and read that.")
    (here / "labels.json").write_text("[]")
    with pytest.raises(lp.errors.ArgumentError, match=r"'labels.json' is json, which holds no labels; pass a csv"):
        lp.read_labels("labels.json")


@pytest.mark.parametrize("column", ["weight", "n"])
def test_the_recipe_for_spreadsheets_works(here, column):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    pandas.DataFrame({"by": ["a", "b"], "to": ["b", "c"], column: [2, 3]}).to_excel("mails.xlsx", index=False)
    with pytest.raises(lp.errors.ArgumentError) as error:
        lp.read_graph("mails.xlsx")
    call = str(error.value).partition("convert it by ")[2].partition(", and read that")[0]
    eval(call, {"pandas": pandas})
    assert lp.read_graph("mails.csv", weight=column, source="by", target="to").highest_weight == 3


def complete_graph():
    return "".join(f"v{i},v{j}\n" for i in range(12) for j in range(i))


def test_new_vertices_without_known_neighbors_are_counted(here, capsys):
    (here / "complete.csv").write_text(complete_graph())
    (here / "added.csv").write_text("x,v1\nx,v2\ny,z\n")
    assert told(capsys, "embed", "complete.csv", "-d", 1, "--save", "complete.lpg", "-o", "embedding.csv")[0] == 0
    code, text = told(capsys, "extend", "complete.lpg", "added.csv")
    assert code == 0
    assert "2 of 3 new vertices have no edge to a known vertex, such as 'y'" in text


def test_labels_of_new_vertices_may_be_among_those_of_others(here, capsys):
    (here / "complete.csv").write_text(complete_graph())
    (here / "added.csv").write_text("x,v1\nx,v2\n")
    (here / "all.csv").write_text("name,label\nv1,a\nx,b\n")
    (here / "others.csv").write_text("name,label\nv1,a\nv2,b\n")
    plot = [
        "plot",
        "embedding",
        "complete.csv",
        "-d",
        2,
        "--new",
        "added.csv",
        "--output",
        "new.png",
        "--new-labels",
    ]
    assert told(capsys, *plot, "all.csv")[0] == 0
    code, text = told(capsys, *plot, "others.csv")
    assert code == 2
    assert "--new-labels=others.csv has no label of a new vertex, such as 'x'" in text
