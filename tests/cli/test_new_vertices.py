"""New vertices on the command line: those with given labels, and files without any."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.cli.run import run
from lpgraph.errors import LpgraphWarning

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a graph of 35 vertices, 5 new ones, and labels of all known and two new vertices."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    edges = [(u, v) for u in range(40) for v in range(u) if rng.random() < (0.5 if u % 2 == v % 2 else 0.05)]
    Path("graph.csv").write_text("source,target\n" + "".join(f"n{u},n{v}\n" for u, v in edges if u < 35))
    Path("new.csv").write_text("source,target\n" + "".join(f"n{u},n{v}\n" for u, v in edges if u >= 35 > v))
    Path("labels.csv").write_text("name,label\n" + "".join(f"n{u},{'ab'[u % 2]}\n" for u in range(37)))


def test_labels_of_new_vertices_are_not_used_silently(here, monkeypatch, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(["classify", "graph.csv", "labels.csv", "new.csv", "-o", "out.csv"]) == 0
    said = capsys.readouterr().err
    assert "2 of the new vertices, such as 'n35', have a label in labels.csv, which is not learnt from" in said
    rows = table(Path("out.csv").read_text())
    assert list(rows[0])[-1] == "given_label"
    assert {row["name"]: row["given_label"] for row in rows} == {
        "n35": "b",
        "n36": "a",
        "n37": "",
        "n38": "",
        "n39": "",
    }
    assert f"{sum(row['given_label'] not in ('', row['label']) for row in rows)} of the predictions differ" in said
    whole = lp.read_graph("graph.csv")
    model = lp.VertexClassifier().fit(whole, {f"n{u}": "ab"[u % 2] for u in range(35)})
    predicted = model.predict_table(lp.read_graph("new.csv"))  # given labels change no prediction
    assert [row["label"] for row in rows] == predicted["label"].tolist()

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("labels.csv").read_bytes())))
    assert run(["classify", "graph.csv", "-", "new.csv", "-o", "piped.csv"]) == 0
    assert Path("piped.csv").read_bytes() == Path("out.csv").read_bytes()
    picture = [
        "plot",
        "embedding",
        "graph.csv",
        "--new",
        "new.csv",
        "--new-labels",
        "out.csv",
        "-o",
        "picture.png",
    ]
    assert run(picture) == 0


def test_labels_of_known_vertices_add_no_column(here):
    rows = Path("labels.csv").read_text().splitlines()
    Path("labels.csv").write_text("\n".join(rows[:36]) + "\n")
    assert run(["classify", "graph.csv", "labels.csv", "new.csv", "-o", "predictions.csv"]) == 0
    assert "given_label" not in Path("predictions.csv").read_text()


EMPTY = [
    ("classify graph.csv labels.csv none.csv", "name,label,probability,has_known_neighbor"),
    ("classify sides.lpg none.csv", "name,label,probability,has_known_neighbor"),
    ("cluster clusters.lpg none.csv", "name,cluster,probability,has_known_neighbor,has_position"),
    ("extend model.lpg none.csv", "name,ase0,ase1,has_known_neighbor"),
    ("extend model.lpg none.csv --rule batch", "name,ase0,ase1,has_known_neighbor"),
]


@pytest.mark.parametrize("directed", [False, True])
def test_a_file_with_titles_alone_gives_an_empty_table(here, capsys, directed):
    kind = ["--directed"] if directed else []
    assert run(["classify", "graph.csv", "labels.csv", *kind, "--save", "sides.lpg", "-o", "out.csv"]) == 0
    assert run(["cluster", "graph.csv", *kind, "--clusters", "2", "--save", "clusters.lpg", "-o", "out.csv"]) == 0
    assert run(["embed", "graph.csv", *kind, "-d", "2", "--save", "model.lpg", "-o", "out.csv"]) == 0
    Path("none.csv").write_text("source,target\n")
    for command, titles in EMPTY:
        words = command.split() + (kind if "graph.csv" in command else [])
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            assert run([*words, "-o", "out.csv"]) == 0
        assert "none.csv has titles and no edges: there are no new vertices." in capsys.readouterr().err, command
        assert Path("out.csv").read_text().startswith(titles), command
        assert Path("out.csv").read_text().count("\n") == 1, command


@pytest.mark.parametrize("content", ["", "# a comment\n"])
def test_an_empty_file_of_new_vertices_is_an_error(here, capsys, content):
    assert run(["embed", "graph.csv", "-d", "2", "--save", "model.lpg", "-o", "out.csv"]) == 0
    Path("none.csv").write_text(content)
    assert run(["extend", "model.lpg", "none.csv"]) == 2
    assert "none.csv" in capsys.readouterr().err


def test_a_file_without_a_known_name_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("graph.csv").write_text("".join(f"n{u},n{v}\n" for u, v in nx.karate_club_graph().edges))
    Path("new.csv").write_text("x,y\nx,z\n")
    Path("typo.csv").write_text("member x,member y\nmember x,n1\nmember x,N 2\n")
    assert run(["embed", "graph.csv", "-d", "2", "--save", "model.lpg", "-o", "e.csv"]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", LpgraphWarning)
        assert run(["extend", "model.lpg", "new.csv", "-o", "out.csv"]) == 0
        assert "None of the 3 names in new.csv is known." in capsys.readouterr().err
        assert run(["extend", "model.lpg", "typo.csv", "-o", "out.csv"]) == 0
        assert "1 of 2 new vertices have no edge to a known vertex, such as 'N 2'" in capsys.readouterr().err


def test_known_and_new_vertices_are_in_one_table(here, capsys):
    rows = Path("labels.csv").read_text().splitlines()
    # n0 to n3 have no label, n36 is new, and lone has neither a label nor an edge.
    unlabelled = [
        f"{row.split(',')[0]}," if row.split(",")[0] in ("n0", "n1", "n2", "n3") else row for row in rows
    ]
    Path("labels.csv").write_text("\n".join([*unlabelled[:36], "n36,", "lone,", "n35,b"]) + "\n")
    files = ["graph.csv", "labels.csv", "new.csv"]
    assert run(["classify", *files[:2], "-o", "old.csv"]) == 0
    assert run(["classify", *files, "-o", "new_only.csv"]) == 0
    assert run(["classify", *files, "--known", "--save", "model.lpg", "-o", "both.csv"]) == 0
    old, new, both = (table(Path(f"{name}.csv").read_text()) for name in ("old", "new_only", "both"))
    assert {row["name"] for row in old[:4]} == {"n0", "n1", "n2", "n3"}
    assert [row["name"] for row in old[4:]] == ["n36", "lone"]
    assert both == [row | {"given_label": ""} for row in (*old[:4], old[5])] + new
    assert run(["classify", "model.lpg", "new.csv", "--known", "-o", "both.csv"]) == 0
    assert table(Path("both.csv").read_text()) == [
        {title: row[title] for title in old[0]} for row in (*old[:4], *new)
    ]

    assert run(["cluster", "graph.csv", "-k", "2", "--save", "clusters.lpg", "-o", "old.csv"]) == 0
    assert run(["cluster", "clusters.lpg", "new.csv", "-o", "new_only.csv"]) == 0
    assert run(["cluster", "clusters.lpg", "new.csv", "--known", "-o", "both.csv"]) == 0
    old, new, both = (table(Path(f"{name}.csv").read_text()) for name in ("old", "new_only", "both"))
    assert both == old + new
    capsys.readouterr()
    for command in (["cluster", "graph.csv"], ["classify", *files[:2]]):
        assert run([*command, "--known"]) == 2
        assert "--known is for NEW" in capsys.readouterr().err
