"""``lpgraph classify`` and ``lpgraph cluster``: predictions with the names of vertices."""

import io
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow.parquet
import pytest

import lpgraph as lp

COLUMNS = ["name", "label", "probability", "has_known_neighbor", "labelled_neighbors", "reaches_label"]


@pytest.fixture
def friends(tmp_path, monkeypatch):
    """A folder with two groups of friends, labels of some, and new friends."""
    monkeypatch.chdir(tmp_path)
    graph = nx.relabel_nodes(nx.barbell_graph(12, 0), lambda i: f"friend {i}")
    names = list(graph)
    labels = [f"{name},{'left' if i < 12 else 'right'}" for i, name in enumerate(names) if i % 12 < 8]
    new = [f"Ida,{name}" for name in names[:9]] + [f"Joe,{name}" for name in names[12:21]] + ["Kay,Joe"]
    Path("edges.csv").write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in graph.edges))
    Path("labels.csv").write_text("\n".join(["name,side", *labels, "nobody,", "no one,", "stranger,left\n"]))
    Path("new.csv").write_text("source,target\n" + "\n".join(new) + "\n")
    return tmp_path


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
def test_predictions_have_the_columns_of_predict_table(friends, call):
    rows = call("classify edges.csv labels.csv new.csv").rows
    graph = lp.read_graph("edges.csv")
    model = lp.VertexClassifier().fit(graph, lp.read_labels("labels.csv", graph))
    found = model.predict_table(lp.read_graph("new.csv"))
    assert list(rows[0]) == list(found.columns) == COLUMNS
    for title in COLUMNS:
        expected = [f"{share:.6g}" for share in found[title]] if title == "probability" else found[title]
        assert [row[title] for row in rows] == list(map(str, expected))
    assert [row["label"] for row in rows] == ["left", "right", "right"]
    # Kay has an edge to Joe, who has edges to labelled ones.
    assert [row["has_known_neighbor"] for row in rows] == ["True", "True", "False"]


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning", "ignore:labels.csv has a label of 1")
def test_unlabelled_vertices_and_those_without_edges(friends, call):
    said = call("classify edges.csv labels.csv --save model.lpg --probabilities")
    assert said.err.count("have no path to a labelled vertex") == 1
    rows = {row["name"]: row for row in said.rows}
    assert set(said.rows[0]) == {*COLUMNS, "p_left", "p_right"}
    graph = lp.read_graph("edges.csv")
    labels = lp.read_labels("labels.csv", graph)
    assert set(rows) == ({*graph.names} - {*labels}) | {"nobody", "no one"}
    model = lp.load("model.lpg")
    for name, row in rows.items():
        isolated = name in ("nobody", "no one")
        assert row["has_known_neighbor"] == row["reaches_label"] == str(not isolated)
        expected = model.class_shares_ if isolated else model.label_distributions_[graph.index[name]]
        assert [float(row["p_left"]), float(row["p_right"])] == pytest.approx(expected, rel=5e-6)
        assert float(row["probability"]) == pytest.approx(max(expected), rel=5e-6)
        assert row["label"] == ["left", "right"][int(np.argmax(expected))]


@pytest.mark.parametrize("classifier", ["lda", "knn", "logistic"])
def test_a_classifier_is_saved(blocks, call, classifier):
    labels = Path("labels.csv").read_text().splitlines()
    Path("half.csv").write_text("\n".join(labels[:1] + labels[1::2]) + "\n")
    rows = call(f"classify graph.csv half.csv --classifier {classifier} --save c.lpg --probabilities").rows
    truth = {str(name): str(label) for name, label in lp.read_labels("labels.csv").items()}
    assert len(rows) == 50
    assert np.mean([row["label"] == truth[row["name"]] for row in rows]) > 0.95
    rows = call("classify c.lpg new.csv").rows
    assert {row["name"]: int(row["label"]) for row in rows} == lp.read_labels("truth.csv")


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
@pytest.mark.parametrize(
    "line", ["classify graph.csv labels.csv new.csv", "report graph.csv --labels labels.csv -k 2"]
)
def test_labels_of_other_vertices_are_counted(blocks, call, line):
    with open("labels.csv", "a") as file:
        file.write("998,0\n999,1\n")
    assert "unknown" in call(f"{line} --unknown error", 2).err
    assert call(f"{line} --unknown ignore").err == ""
    assert "labels of 2 vertices" in call(line).err


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_labels_of_new_vertices_are_in_a_column_of_their_own(karate, monkeypatch, call):
    said = call("classify graph.csv labels.csv new.csv -o out.csv")
    assert "given_label" in said.err
    model = lp.VertexClassifier().fit(
        lp.read_graph("graph.csv"), {f"n{v}": l[:1] for v, l in nx.karate_club_graph().nodes(data="club")}
    )
    predicted = model.predict_table(lp.read_graph("new.csv"))["label"].tolist()  # given labels change none
    text = Path("out.csv").read_text()
    header, *rows = [line.split(",") for line in text.splitlines()]
    assert header == [*COLUMNS, "given_label"]
    assert [row[1] for row in rows] == predicted
    assert {row[0]: row[-1] for row in rows} == {"x": "", "y": "M"}
    # The table may come from a pipe, and its result colours a picture.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("labels.csv").read_bytes())))
    call("classify graph.csv - new.csv -o piped.csv")
    assert Path("piped.csv").read_text() == text
    call("plot embedding graph.csv --new new.csv --new-labels out.csv -o picture.png")


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
def test_known_and_new_vertices_are_in_one_table(karate, call):
    # n0 to n2 have no label, x is new, and lone has neither a label nor an edge.
    text = re.sub("^(n[012]),.$", r"\1,", Path("labels.csv").read_text(), flags=re.MULTILINE)
    Path("labels.csv").write_text(f"{text}x,\nlone,\n")
    old = call("classify graph.csv labels.csv").rows
    new = call("classify graph.csv labels.csv new.csv").rows
    both = call("classify graph.csv labels.csv new.csv --known --save model.lpg").rows
    assert [row["name"] for row in old] == ["n0", "n1", "n2", "x", "lone"]
    assert both == [row | {"given_label": ""} for row in (*old[:3], old[4])] + new
    again = call("classify model.lpg new.csv --known").rows
    assert again == [{title: row[title] for title in old[0]} for row in (*old[:3], *new)]
    old = call("cluster graph.csv -k 2 --save clusters.lpg").rows
    new = call("cluster clusters.lpg new.csv").rows
    assert call("cluster clusters.lpg new.csv --known").rows == old + new
    for line in ("cluster graph.csv", "classify graph.csv labels.csv"):
        assert "known" in call(f"{line} --known", 2).err


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
@pytest.mark.parametrize("kind", ["--undirected", "--directed"])
def test_a_file_with_titles_alone_gives_an_empty_table(karate, call, kind):
    call(f"classify graph.csv labels.csv {kind} --save sides.lpg -o out.csv")
    call(f"cluster graph.csv {kind} --clusters 2 --save clusters.lpg -o out.csv")
    call(f"embed graph.csv {kind} -d 2 --save model.lpg -o out.csv")
    Path("none.csv").write_text("source,target\n")
    for line in (
        f"classify graph.csv labels.csv none.csv {kind}",
        "classify sides.lpg none.csv",
        "cluster clusters.lpg none.csv",
        "extend model.lpg none.csv",
    ):
        said = call(line)
        assert "no new vertices" in said.err
        assert (said.out[:5], said.out.count("\n")) == ("name,", 1)


def test_a_clustering_is_saved(blocks, call):
    facts = call("cluster graph.csv -k 1-4 --save k.lpg --json -o clusters.parquet").facts
    assert (facts["clusters"], facts["sizes"], facts["output"]) == (2, [60, 40], "clusters.parquet")
    found = pyarrow.parquet.read_table("clusters.parquet").to_pydict()
    assert list(found) == ["name", "cluster", "probability", "has_known_neighbor", "has_position"]
    assert found["cluster"] == [0] * 60 + [1] * 40
    facts = call("cluster k.lpg new.csv --probabilities --json").facts
    assert {row["name"]: row["cluster"] for row in facts["rows"]} == lp.read_labels("truth.csv")
    mixture = lp.VertexClustering(n_clusters=2, method="gaussian").fit(lp.read_graph("graph.csv"))
    rows = call("cluster graph.csv -k 2 --by gaussian").rows
    assert [int(row["cluster"]) for row in rows] == mixture.labels_.tolist()


def test_the_largest_component_with_labels(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    lp.write_graph(nx.disjoint_union(nx.barbell_graph(9, 0), nx.complete_graph(4)), "graph.csv")
    # Labels of vertices in other components are not unknown ones, and are not used.
    Path("labels.csv").write_text("name,label\n0,a\n1,a\n2,a\n16,b\n15,b\n14,b\n18,c\n19,c\n")
    found = call("classify graph.csv labels.csv --largest-component --json").facts
    assert (found["vertices"], found["labels_known"], found["classes"]) == (18, 6, ["a", "b"])
    assert {row["name"] for row in found["rows"]} == {*range(18)} - {0, 1, 2, 14, 15, 16}
    assert call("cluster graph.csv --largest-component -k 2 --json").facts["sizes"] == [9, 9]
    assert call("info graph.csv --largest-component --json").facts["vertices"] == 18
    call("report graph.csv --labels labels.csv --largest-component")
    # A label of a vertex that no component has is an unknown one.
    Path("labels.csv").write_text("name,label\n0,a\n16,b\n99,c\n")
    call("classify graph.csv labels.csv --largest-component --unknown error", 2)


@pytest.fixture
def clubs(tmp_path, monkeypatch):
    """A file of the karate club without the labels of three members, and tables of labels and positions."""
    monkeypatch.chdir(tmp_path)
    club = nx.karate_club_graph()
    nx.set_node_attributes(club, dict.fromkeys((3, 8, 30), ""), "club")
    nx.set_node_attributes(club, "x", "same")
    lp.write_graph(club, "karate.graphml")
    rows = [f"{vertex},{label}\n" for vertex, label in club.nodes(data="club") if label]
    Path("clubs.csv").write_text("vertex,label\n" + "".join(rows))
    np.savetxt("truth.csv", np.random.default_rng(0).random((34, 2)), delimiter=",", header="x,y", comments="")
    new = nx.Graph([(101, 0), (101, 1), (102, 33)])
    nx.set_node_attributes(new, {101: "Mr. Hi", 102: "Officer", 0: "", 1: "", 33: ""}, "club")
    lp.write_graph(new, "new.graphml")
    Path("new.csv").write_text("vertex,label\n101,Mr. Hi\n102,Officer\n")
    Path("edges.csv").write_text("a,0\na,1\n")


def test_labels_may_be_a_vertex_attribute(clubs, call):
    expected = call("classify karate.graphml clubs.csv -d 2").out
    assert len(expected.splitlines()) == 4
    assert call("classify karate.graphml club -d 2").out == expected
    for line in (
        "report karate.graphml --title Karate --labels clubs.csv -o club.html",
        "plot embedding karate.graphml --labels clubs.csv -o club.png",
        "plot truth karate.graphml truth.csv --labels clubs.csv -o club.png",
        "plot embedding karate.graphml --labels club --new new.graphml --new-labels new.csv -o club.png",
    ):
        path = Path(line.rpartition(" ")[2])
        call(line)
        expected = path.read_bytes()
        call(line.replace("clubs.csv", "club").replace("new.csv", "club"))
        assert path.read_bytes() == expected, line
    for line, said in (
        ("report karate.graphml --labels clup", "club"),
        ("classify edges.csv club", "none"),
        ("classify karate.graphml club.csv", "club.csv"),
        ("classify karate.graphml club --column x", "column"),
        ("classify karate.graphml same", "one class"),
        ("plot embedding karate.graphml --new new.graphml --new-labels clubs", "labels"),
    ):
        assert said in call(line, 2).err
