"""Results of commands have the names of vertices, their labels, probabilities, and whether they have neighbors."""

import csv
import io
import json
import re
import warnings

import networkx as nx
import numpy as np
import pyarrow.parquet
import pytest

import lpgraph as lp
from lpgraph.cli.run import run
from lpgraph.errors import IsolatedVertexWarning

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")

NAMES = ["Ann", "Bob", "Cem", "Dea", "Eva", "Fay", "Gus", "Hal"]


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with two groups of friends, labels of some, and new friends."""
    monkeypatch.chdir(tmp_path)
    graph = nx.relabel_nodes(nx.barbell_graph(12, 0), lambda i: f"{NAMES[i % 8]} {i}")
    names = list(graph)
    known = {name: "left" if i < 12 else "right" for i, name in enumerate(names) if i % 12 < 8}
    rows = [f"{u},{v}" for u, v in graph.edges]
    (tmp_path / "edges.csv").write_text("who,whom\n" + "\n".join(rows) + "\n")
    labels = [f"{name},{label}" for name, label in known.items()] + ["nobody,", "no one,", "stranger,left"]
    (tmp_path / "labels.csv").write_text("name,side\n" + "\n".join(labels) + "\n")
    friends = [f"Ida,{name}" for name in names[:9]] + [f"Joe,{name}" for name in names[12:21]] + ["Kay,Joe"]
    (tmp_path / "new.csv").write_text("who,whom\n" + "\n".join(friends) + "\n")
    return tmp_path


COLUMNS = ["name", "label", "probability", "has_known_neighbor", "labelled_neighbors", "reaches_label"]


def test_a_stranger_with_text_ids(here, capsys):
    # One command ...
    assert run(["classify", "edges.csv", "labels.csv", "new.csv", "--header"]) == 0
    rows = table(capsys.readouterr().out)
    assert list(rows[0]) == COLUMNS
    # ... and four lines of Python.
    graph = lp.read_graph("edges.csv", header=True)
    labels = lp.read_labels("labels.csv", graph)
    model = lp.VertexClassifier().fit(graph, labels)
    found = model.predict_table(lp.read_graph("new.csv", header=True))
    assert [row["name"] for row in rows] == found["name"].tolist() == ["Ida", "Joe", "Kay"]
    assert [row["label"] for row in rows] == found["label"].tolist()
    assert [float(row["probability"]) for row in rows] == [float(f"{share:.6g}") for share in found["probability"]]
    assert [row["has_known_neighbor"] for row in rows] == ["True", "True", "False"]
    assert [row["labelled_neighbors"] for row in rows] == ["8", "8", "0"]
    # Kay has an edge to Joe, who has edges to labelled ones.
    assert [row["reaches_label"] for row in rows] == ["True", "True", "True"]
    assert [row["label"] for row in rows] == ["left", "right", "right"]


def test_unlabelled_vertices_and_those_without_edges(here, capsys):
    command = ["classify", "edges.csv", "labels.csv", "--header", "--save", "model.lpg"]
    assert run([*command, "--probabilities"]) == 0
    rows = {row["name"]: row for row in table(capsys.readouterr().out)}
    assert set(next(iter(rows.values()))) == {*COLUMNS, "p_left", "p_right"}
    graph = lp.read_graph("edges.csv", header=True)
    labels = lp.read_labels("labels.csv", graph)
    assert set(rows) == ({*graph.names} - {*labels}) | {"nobody", "no one"}
    model, network = lp.load("model.lpg"), graph.to_networkx()
    for name, row in rows.items():
        isolated = name in ("nobody", "no one")
        assert row["has_known_neighbor"] == row["reaches_label"] == str(not isolated)
        known = 0 if isolated else sum(friend in labels for friend in network[name])
        assert row["labelled_neighbors"] == str(known)
        expected = model.class_shares_ if isolated else model.label_distributions_[graph.index[name]]
        assert [float(row["p_left"]), float(row["p_right"])] == pytest.approx(expected, rel=5e-6)
        assert float(row["probability"]) == pytest.approx(max(expected), rel=5e-6)
        assert row["label"] == ["left", "right"][int(np.argmax(expected))]


@pytest.mark.parametrize("direction", ["--directed", "--undirected"])
def test_vertices_without_edges_are_counted_once(here, capsys, direction):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        command = ["classify", "edges.csv", "labels.csv", "--header", "--probabilities"]
        assert run([*command, direction]) == 0
    counted = [str(one.message) for one in caught if issubclass(one.category, IsolatedVertexWarning)]
    err = capsys.readouterr().err
    assert "arcs from them" not in err + "".join(str(one.message) for one in caught)
    assert (err + "".join(counted)).count("have no path to a labelled vertex") == 1
    assert "a label of 1 vertex that the graph does not have, such as 'stranger'" in err + "".join(
        map(str, caught)
    )


def test_clusters(here, capsys):
    assert run(["cluster", "edges.csv", "--header", "-k", "2", "--save", "clusters.lpg", "-o", "c.parquet"]) == 0
    found = pyarrow.parquet.read_table("c.parquet").to_pydict()
    assert list(found) == ["name", "cluster", "probability", "has_known_neighbor", "has_position"]
    assert set(found["has_known_neighbor"]) == set(found["has_position"]) == {True}
    assert len(set(found["cluster"][:12])) == len(set(found["cluster"][12:])) == 1
    assert run(["cluster", "clusters.lpg", "new.csv", "--header", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in rows] == ["Ida", "Joe", "Kay"]
    assert [row["has_known_neighbor"] for row in rows] == [True, True, False]
    assert [row["has_position"] for row in rows] == [True, True, False]
    assert rows[0]["cluster"] == found["cluster"][0]
    assert rows[1]["cluster"] == found["cluster"][-1]


def test_extended_vertices_and_isolated_ones_of_a_graph_file(here, capsys):
    assert run(["embed", "edges.csv", "--header", "-d", "2", "--save", "model.lpg", "-o", "e.csv"]) == 0
    first = lp.load("model.lpg").vertex_names_[0]
    graph = nx.Graph([("Ida", first)])
    graph.add_node("solo")
    nx.write_graphml(graph, "new.graphml")
    for rule in ("least_squares", "batch"):
        assert run(["extend", "model.lpg", "new.graphml", "--rule", rule]) == 0
        rows = table(capsys.readouterr().out)
        assert [row["name"] for row in rows] == ["Ida", "solo"]
        assert [row["has_known_neighbor"] for row in rows] == ["True", "False"]
        assert [float(rows[1]["ase0"]), float(rows[1]["ase1"])] == [0.0, 0.0]


def test_the_largest_component_with_labels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    graph = nx.disjoint_union(nx.barbell_graph(9, 0), nx.complete_graph(4))
    lp.write_graph(graph, "graph.csv")
    # Labels of vertices in other components are not unknown ones, and are not used.
    (tmp_path / "labels.csv").write_text("name,label\n0,a\n1,a\n2,a\n16,b\n15,b\n14,b\n18,c\n19,c\n")
    assert run(["classify", "graph.csv", "labels.csv", "--largest-component", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["vertices"], found["labels_known"], found["classes"]) == (18, 6, ["a", "b"])
    assert {row["name"] for row in found["rows"]} == {*range(18)} - {0, 1, 2, 14, 15, 16}
    assert run(["cluster", "graph.csv", "--largest-component", "-k", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"] == [9, 9]
    assert run(["info", "graph.csv", "--largest-component", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vertices"] == 18
    for picture in ("embedding", "adjacency"):
        command = ["plot", picture, "graph.csv", "--labels", "labels.csv", "--largest-component"]
        assert run([*command, "-o", "p.png"]) == 0
    assert run(["report", "graph.csv", "--labels", "labels.csv", "--largest-component"]) == 0
    assert "18" in (tmp_path / "report.html").read_text()
    # A label of a vertex that no component has is an unknown one.
    (tmp_path / "labels.csv").write_text("name,label\n0,a\n16,b\n99,c\n")
    assert run(["classify", "graph.csv", "labels.csv", "--largest-component", "--unknown", "error"]) == 2


def test_info_counts_what_is_merged(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arcs.csv").write_text("a,b\nb,a\nb,a\nb,c\nb,c\nb,c\nc,c\nd,a\n")

    def facts(*options):
        assert run(["info", "arcs.csv", "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    found = facts()
    assert (found["edges"], found["repeated_edges"], found["merged_arcs"], found["loops"]) == (4, 3, 1, 1)
    assert found["weights"] == [1.0, 3.0]
    found = facts("--directed")
    assert (found["edges"], found["repeated_edges"], found["loops"]) == (5, 3, 1)
    assert "merged_arcs" not in found
    assert run(["info", "arcs.csv"]) == 0
    assert re.search("^merged arcs +1$", capsys.readouterr().out, re.MULTILINE)
    arcs = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    nx.write_graphml(arcs, "arcs.graphml")
    assert run(["info", "arcs.graphml", "--undirected", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["edges"], found["repeated_edges"], found["merged_arcs"]) == (2, 0, 1)
    lp.write_graph(nx.path_graph(3), "path.npz")  # a matrix lists no edge twice
    assert run(["info", "path.npz", "--json"]) == 0
    assert "repeated_edges" not in json.loads(capsys.readouterr().out)


def test_pictures_and_reports_have_the_same_embedding(here, monkeypatch):
    seen = []
    draw = lp.plot.positions
    monkeypatch.setattr(lp.plot, "positions", lambda *given, **more: seen.append(given) or draw(*given, **more))
    assert run(["plot", "embedding", "edges.csv", "--header"]) == 0
    expected = lp.VertexClustering().fit(lp.read_graph("edges.csv", header=True)).embedding_
    np.testing.assert_array_equal(seen[0][0], expected)


def test_align_to_what_is_no_model(here, capsys):
    assert run(["embed", "edges.csv", "--header", "--align-to", "edges.csv"]) == 2
    assert "--align-to is edges.csv, which does not end in .lpg" in capsys.readouterr().err
