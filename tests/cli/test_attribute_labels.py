"""Labels that are a vertex attribute of the graph, in every command that takes labels."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.cli.run import run


@pytest.fixture(params=["graphml", "gml"])
def graph(request, tmp_path, monkeypatch):
    """A file of the karate club without the labels of three members, and tables of the labels and positions."""
    monkeypatch.chdir(tmp_path)
    club = nx.karate_club_graph()
    for vertex in (3, 8, 30):
        club.nodes[vertex]["club"] = ""
    path = f"karate.{request.param}"
    lp.write_graph(club, path)
    rows = [f"{vertex},{label}\n" for vertex, label in club.nodes(data="club") if label]
    Path("clubs.csv").write_text("vertex,label\n" + "".join(rows))
    np.savetxt("truth.csv", np.random.default_rng(0).random((34, 2)), delimiter=",", header="x,y", comments="")
    return path


def test_classify_and_report(graph, capsys):
    assert run(["classify", graph, "clubs.csv", "-d", "2"]) == 0
    expected = capsys.readouterr().out
    assert len(expected.splitlines()) == 4
    assert run(["classify", graph, "club", "-d", "2"]) == 0
    assert capsys.readouterr().out == expected
    for labels in ("clubs.csv", "club"):
        assert run(["report", graph, "--labels", labels, "-o", f"{labels}.html", "--title", "Karate"]) == 0
    assert Path("clubs.csv.html").read_bytes() == Path("club.html").read_bytes()


@pytest.mark.parametrize("command", [["embedding"], ["adjacency"], ["truth"]])
def test_plots(graph, command):
    files = ["truth.csv"] if command == ["truth"] else []
    for labels in ("clubs.csv", "club"):
        assert run(["plot", *command, graph, *files, "--labels", labels, "-o", f"{labels}.png"]) == 0
    assert Path("clubs.csv.png").read_bytes() == Path("club.png").read_bytes()


def test_attributes_of_a_model_and_of_new_vertices(graph):
    assert run(["embed", graph, "-d", "2", "--save", "model.lpg", "-o", "e.csv"]) == 0
    new = nx.Graph([(101, 0), (101, 1), (102, 33)])
    nx.set_node_attributes(new, {101: "Mr. Hi", 102: "Officer"}, "club")
    nx.set_node_attributes(new, {0: "", 1: "", 33: ""}, "club")
    lp.write_graph(new, "new.graphml")
    Path("new.csv").write_text("vertex,label\n101,Mr. Hi\n102,Officer\n")
    for labels in ("clubs.csv", "club"):
        assert run(["plot", "truth", "model.lpg", "truth.csv", "--labels", labels, "-o", f"{labels}.png"]) == 0
    assert Path("clubs.csv.png").read_bytes() == Path("club.png").read_bytes()
    for labels in ("new.csv", "club"):
        words = ["--new", "new.graphml", "--new-labels", labels, "-o", f"{labels}.png"]
        assert run(["plot", "embedding", graph, "--labels", "club", *words]) == 0
    assert Path("new.csv.png").read_bytes() == Path("club.png").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "report GRAPH --labels clup",
            "clup: there is no such file, and GRAPH has no vertex attribute of this name; ",
        ),
        ("report GRAPH --labels clup", "pass one of club, nothing, same, or a table."),
        ("classify GRAPH folder", "folder: there is no file, and GRAPH has no vertex attribute"),
        ("classify edges.csv club", "edges.csv has no vertex attribute of this name; pass a table of labels."),
        ("classify GRAPH club.csv", "club.csv: there is no such file"),
        ("classify GRAPH club --column x", "--column=x is for a table of labels, and club is a vertex attribute"),
        ("report GRAPH --labels club --unknown error", "--unknown=error is for a table of labels"),
        (
            "classify GRAPH same",
            "The vertex attribute same of GRAPH has one class, 'x'; pass labels of at least two",
        ),
        ("classify GRAPH nothing", "the vertex attribute nothing of GRAPH has no known label"),
        ("plot embedding GRAPH --new edges.csv --new-labels club", "edges.csv has no vertex attribute"),
    ],
)
def test_what_is_neither(graph, words, said, capsys):
    Path("folder").mkdir()
    Path("edges.csv").write_text("a,0\na,1\n")
    club = nx.karate_club_graph()
    nx.set_node_attributes(club, "", "nothing")
    nx.set_node_attributes(club, "x", "same")
    lp.write_graph(club, graph)
    assert run([graph if word == "GRAPH" else word for word in words.split()]) == 2
    assert said.replace("GRAPH", graph) in capsys.readouterr().err
