"""``lpgraph classify`` and ``lpgraph cluster``: predictions with the names of vertices."""

import io
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

import lpgraph as lp

COLUMNS = ["name", "label", "probability", "has_known_neighbor", "labelled_neighbors", "reaches_label"]


def without_labels(none="", more=""):
    """Let n0, n1 and n2 have no label in the file."""
    text = re.sub("^(n[012]),.$", rf"\1,{none}", Path("labels.csv").read_text(), flags=re.MULTILINE)
    Path("labels.csv").write_text(text + more)


@pytest.mark.filterwarnings("ignore:labels.csv has .. vertices")
def test_unlabelled_vertices(karate, call):
    without_labels(more="nobody,\nno one,\n")
    said = call("classify graph.csv labels.csv --save model.lpg --probabilities")
    assert set(said.rows[0]) == {*COLUMNS, "p_M", "p_O"}
    assert [row["name"] for row in said.rows] == ["n0", "n1", "n2"]
    model = lp.load("model.lpg")
    for row in said.rows:
        assert row["has_known_neighbor"] == row["reaches_label"] == "True"
        expected = model.label_distributions_[list(model.vertex_names_).index(row["name"])]
        assert [float(row["p_M"]), float(row["p_O"])] == pytest.approx(expected, rel=5e-6)
        assert float(row["probability"]) == pytest.approx(max(expected), rel=5e-6)
        assert row["label"] == ["M", "O"][int(np.argmax(expected))]


def test_a_classifier_is_saved(blocks, call):
    labels = Path("labels.csv").read_text().splitlines()
    Path("half.csv").write_text("\n".join(labels[:1] + labels[1::2]) + "\n")
    rows = call("classify graph.csv half.csv --save c.lpg --probabilities").rows
    truth = {str(name): str(label) for name, label in lp.read_labels("labels.csv").items()}
    assert len(rows) == 50
    assert np.mean([row["label"] == truth[row["name"]] for row in rows]) > 0.95
    rows = call("classify c.lpg new.csv").rows
    assert {row["name"]: int(row["label"]) for row in rows} == lp.read_labels("truth.csv")


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_labels_of_new_vertices_are_given_ones(karate, monkeypatch, call):
    call("classify graph.csv labels.csv new.csv -o out.csv")
    labels = {f"n{v}": label[:1] for v, label in nx.karate_club_graph().nodes(data="club")}
    model = lp.VertexClassifier().fit(lp.read_graph("graph.csv"), labels)
    expected = model.predict_table(lp.read_graph("new.csv"), labels={"y": "M"})
    assert list(expected) == [*COLUMNS, "label_given", "predicted_label"]
    assert expected.set_index("name")["label_given"].to_dict() == {"x": False, "y": True}
    pd.testing.assert_frame_equal(pd.read_csv("out.csv"), expected, rtol=5e-6, check_dtype=False)
    # The table may come from a pipe, and its result colours a picture.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("labels.csv").read_bytes())))
    call("classify graph.csv - new.csv -o piped.csv")
    assert Path("piped.csv").read_text() == Path("out.csv").read_text()
    # A class of new vertices alone is not predicted.
    Path("labels.csv").write_text(Path("labels.csv").read_text().replace("y,M", "y,X"))
    said = call("classify graph.csv labels.csv new.csv")
    assert "1 labels of new vertices are of no known vertex, such as 'X'" in said.err
    assert [row["label_given"] for row in said.rows] == ["False", "False"]
    call("plot embedding graph.csv --new new.csv --new-labels out.csv -o picture.png")


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
def test_known_and_new_vertices_are_in_one_table(karate, call):
    without_labels()
    old = call("classify graph.csv labels.csv").rows
    new = call("classify graph.csv labels.csv new.csv").rows
    both = call("classify graph.csv labels.csv new.csv --known --save model.lpg").rows
    assert [row["name"] for row in old] == ["n0", "n1", "n2"]
    assert len(both) == 36
    without = [row for row in both if row["label_given"] == "False"]
    assert [{title: row[title] for title in COLUMNS} for row in without[:3]] == old
    assert [row["name"] for row in without] == ["n0", "n1", "n2", "x"]
    assert both[-2:] == new
    assert call("classify graph.csv labels.csv --known").rows == both[:-2]
    assert call("classify model.lpg new.csv --known").rows[:-2] == both[:-2]
    old = call("cluster graph.csv -k 2 --save clusters.lpg").rows
    new = call("cluster clusters.lpg new.csv").rows
    assert call("cluster clusters.lpg new.csv --known").rows == old + new
    assert call("cluster graph.csv -k 2 --known").rows == old


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_a_file_with_titles_alone_gives_an_empty_table(karate, call):
    call("classify graph.csv labels.csv --directed --save sides.lpg -o out.csv")
    call("cluster graph.csv --clusters 2 --save clusters.lpg -o out.csv")
    Path("none.csv").write_text("source,target\n")
    for line in (
        "classify graph.csv labels.csv none.csv",
        "classify sides.lpg none.csv",
        "cluster clusters.lpg none.csv",
    ):
        said = call(line)
        assert "no new vertices" in said.err
        assert (said.out[:5], said.out.count("\n")) == ("name,", 1)


def test_a_clustering_is_saved(blocks, call):
    facts = call("cluster graph.csv -k 1-4 --save k.lpg --json -o clusters.parquet").facts
    assert (facts["clusters"], facts["sizes"]) == (2, [60, 40])
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
    call("report graph.csv --labels labels.csv --largest-component")
    # A label of a vertex that no component has is an unknown one.
    Path("labels.csv").write_text("name,label\n0,a\n16,b\n99,c\n")
    call("classify graph.csv labels.csv --largest-component --unknown error", 2)


@pytest.mark.filterwarnings("ignore:labels.csv has .. vertices")
def test_a_label_may_mean_that_there_is_none(karate, call):
    without_labels("0")
    assert [row["name"] for row in call("classify graph.csv labels.csv --missing 0").rows] == ["n0", "n1", "n2"]
