"""``lpgraph joint``: folders, files and tables of several networks."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lpgraph as lp


@pytest.fixture
def months(tmp_path, monkeypatch):
    """A folder with five networks as files, the fourth of which differs, and a table of all of them."""
    monkeypatch.chdir(tmp_path)
    Path("months").mkdir()
    parts, graphs = [], {}
    for t in range(5):
        blocks = [[0.3, 0.05], [0.05, 0.3 if t < 3 else 0.1]]
        graph = lp.as_adjacency(lp.stochastic_block_model([40, 40], blocks, random_state=t))
        graphs[f"2020-{t + 1}"] = graph
        source, target, _ = graph.edge_list()
        pd.DataFrame({"source": source, "target": target}).to_csv(f"months/2020-{t + 1}.csv", index=False)
        parts.append(pd.DataFrame({"a": source, "b": target, "n": 1.0, "month": t + 8}))
    pd.concat(parts).to_csv("all.csv", index=False)
    Path("months", "README").write_text("five months")
    return graphs


def test_a_folder_files_and_a_table_of_networks(months, call):
    facts = call("joint months -d 2 -o positions.csv --save months.lpg --report page.html --json").facts
    assert (facts["networks"], facts["vertices"], facts["dimension"]) == (5, 80, 2)
    assert facts["changed_at"] == ["2020-4"]
    assert facts["largest_step_to"] == "2020-4"
    page = Path("page.html").read_text()
    assert "<title>months" in page
    assert all(key in page for key in months)
    table = pd.read_csv("positions.csv")
    assert table.columns.tolist() == ["key", "name", "present", "uase0", "uase1"]
    model = lp.joint.UnfoldedEmbedding(2).fit(months)
    expected = model.trajectory_table().set_index(["key", "name"])[["uase0", "uase1"]]
    found = table.set_index(["key", "name"])[["uase0", "uase1"]]
    assert np.allclose(np.abs(found), np.abs(expected.loc[found.index]), atol=1e-6)
    assert lp.load("months.lpg").keys_ == tuple(months)
    files = call(["joint", *(f"months/{key}.csv" for key in months), "-d", "2"])
    assert [float(row["uase0"]) for row in files.rows] == pytest.approx(table["uase0"].tolist())
    line = "joint all.csv --time month --source a --target b -d 2 --method multiple --json -o -"
    facts = call([*line.split(), "--weight", "n"]).facts
    assert facts["changed_at"] == ["11"]
    assert [row["key"] for row in facts["rows"][::80]] == [8, 9, 10, 11, 12]  # as numbers


def test_the_vertices_that_changed_in_the_largest_step_are_named(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    for day in range(3):
        matrix = lp.erdos_renyi(60, 0.2, random_state=day).adjacency.toarray()
        matrix[7] = matrix[:, 7] = matrix[7] if day < 2 else np.arange(60) != 7
        lp.write_graph(matrix, f"{day}.csv")
    facts = call("joint 0.csv 1.csv 2.csv -d 2 --unweighted --json").facts
    assert (facts["largest_step_to"], facts["changed_vertices"]) == ("2", ["7"])


def test_wrong_files_of_several_networks(months, call):
    for line, remedy in (
        ("joint missing", "there is no such file"),
        ("joint months months/2020-1.csv", "Several files are called '2020-1'"),
        ("joint months all.csv --time month", "is for one table"),
        ("joint all.csv --time month --format csv", "without --format"),
        ("joint all.csv --time year", "pass one of a, b, n, month"),
        ("joint months -d 2 --save months.csv", "ends in .lpg"),
        ("joint months -d 2 --report months.pdf", "report=months.pdf; name a file that ends in .html"),
    ):
        assert remedy in call(line, 2).err
    Path("months", "2020-6.csv").write_text("")
    assert "2020-6.csv" in call("joint months", 2).err
