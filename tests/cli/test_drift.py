"""``lpgraph drift``: results, exit codes, and messages in the words of the command line."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.cli.run import run


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a model, and new vertices without and with a change."""
    monkeypatch.chdir(tmp_path)
    graph = lp.stochastic_block_model([100, 100], [[0.4, 0.08], [0.08, 0.4]], random_state=0)
    named = replace(lp.as_adjacency(graph), names=tuple(f"k{i}" for i in range(200)))
    lp.save(lp.AdjacencySpectralEmbedding(2).fit(named), "model.lpg")
    lp.save(lp.AdjacencySpectralEmbedding(175).fit(named), "many.lpg")
    lp.write_graph(named, "graph.csv")
    rows = graph.new_vertices(60, random_state=1).adjacency.toarray()
    for name in ("same", "changed"):
        # In the order in which they came, which is not that of their names.
        lines = [f"n{99 - i},k{j}\n" for i, row in enumerate(rows) for j in np.flatnonzero(row)]
        Path(f"{name}.csv").write_text("source,target\n" + "".join(lines))
        rows[25:] = np.random.default_rng(0).random((35, 200)) < 0.24


def test_an_alarm_has_an_exit_code(here, capsys):
    assert run(["drift", "model.lpg", "same.csv"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("alarm                    no\np value")
    assert run(["drift", "model.lpg", "changed.csv", "--in-order", "--json", "-o", "table.csv"]) == 3
    facts = json.loads(capsys.readouterr().out)
    assert facts["alarm"] is True
    assert facts["by"] == "novelty"
    found = lp.infer.drift(lp.load("model.lpg"), lp.read_graph("changed.csv"), ordered=True)
    assert facts["alarm_at"] == found.alarm_vertex == f"n{100 - found.alarm_after}"
    assert facts["p_values_of_measures"] == dict(found.measure_p_values)
    rows = list(csv.DictReader(Path("table.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == [f"n{99 - i}" for i in range(60)]
    assert [float(row["p_value"]) for row in rows] == found.p_values.tolist()
    assert list(rows[0])[4:] == list(found.vertex_p_values)
    assert run(["drift", "model.lpg", "changed.csv", "--json"]) == 3
    batch = json.loads(capsys.readouterr().out)
    assert batch["by"] in found.paths
    assert "alarm_at" not in batch


def test_options_are_those_of_the_function(here, capsys):
    options = [
        "--measures",
        "degree,closure",
        "--alpha",
        "0.2",
        "--held-out",
        "0.4",
        "--draws",
        "99",
        "--seed",
        "3",
    ]
    code = run(["drift", "model.lpg", "changed.csv", "--json", *options])
    facts = json.loads(capsys.readouterr().out)
    model, new = lp.load("model.lpg"), lp.read_graph("changed.csv")
    measures = ["degree", "closure"]
    found = lp.infer.drift(model, new, 0.2, measures=measures, held_out=0.4, draws=99, random_state=3)
    assert facts["p_value"] == found.p_value
    assert code == (3 if found.alarm else 0)
    assert facts["known_vertices_compared"] == 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["model.lpg", "same.csv", "--alpha", "0.001"], "--draws=4999 or more"),
        (["model.lpg", "same.csv", "--measures", "degree,closur"], "Did you mean closure?"),
        (["model.lpg", "same.csv", "--held-out", "0"], "--held-out=0.0 holds out 0 of 200"),
        (["model.lpg", "same.csv", "--direction", "in"], "--direction"),
        (["many.lpg", "same.csv"], "pass --held-out=0.125, or a model with 150 dimensions or fewer."),
        (["model.lpg", "graph.csv"], "graph.csv: all its 200 vertices are in the model"),
        (["same.csv", "model.lpg"], "The order is: lpgraph drift model.lpg same.csv"),
        (["graph.csv", "same.csv"], "does not end in .lpg"),
        (["model.lpg", "same.csv", "-o", "-"], "name a file for the table"),
    ],
)
def test_wrong_input(here, capsys, arguments, said):
    assert run(["drift", *arguments]) == 2
    assert said in capsys.readouterr().err
