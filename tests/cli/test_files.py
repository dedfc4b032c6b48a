"""Inputs and outputs: tables, pipes and devices, missing files, and cells that a spreadsheet would compute."""

import csv
import os
import subprocess
import sys
import threading
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow.parquet
import pytest

import lpgraph as lp
from lpgraph.cli.inputs import read_covariates, read_numbers, read_positions
from lpgraph.cli.outputs import rounded, write_table
from lpgraph.errors import FileFormatError, LpgraphWarning

FORMULAS = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'=x", "''-x"]
OTHERS = ["y\r=x", "'x", "x", "-1.5", "+3"]
NAMES = [*FORMULAS, *OTHERS]


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_cells_that_begin_like_formulas_are_text(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    with pytest.warns(LpgraphWarning, match=r"would compute \(8 of them\)"):
        write_table({"name": NAMES, "x": np.arange(13) - 6.5}, str(path))
    header, *rows = rows_of(path)
    assert header == ["name", "x"]
    assert [row[0] for row in rows] == [f"'{name}" for name in FORMULAS] + OTHERS
    assert [float(row[1]) for row in rows] == [k - 6.5 for k in range(13)]
    names = [name for name in NAMES if name == name.strip()]
    found = read_positions(str(path), names).ravel()
    np.testing.assert_array_equal(found, [NAMES.index(name) - 6.5 for name in names])


def test_guarded_labels_are_read_back(tmp_path):
    path, names = tmp_path / "labels.csv", ["=a", "'=a", "-b", "c"]
    with pytest.warns(LpgraphWarning, match=r"would compute \(6 of them\)"):
        write_table({"name": names, "label": ["@u", "v", "=w", "'+x"]}, str(path))
    assert lp.read_labels(path) == {"=a": "@u", "'=a": "v", "-b": "=w", "c": "'+x"}
    assert lp.read_labels(path, names) == lp.read_labels(path)


def test_numbers_and_other_formats_are_written_as_they_are(tmp_path):
    path = tmp_path / "t.csv"
    write_table({"name": [-1, 2], "label": ["-1", "a"], "x": [-0.5, np.nan]}, str(path))
    assert rows_of(path) == [["name", "label", "x"], ["-1", "-1", "-0.5"], ["2", "a", "nan"]]
    write_table({"name": NAMES}, str(tmp_path / "t.parquet"))
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet")["name"].to_pylist() == NAMES
    names = [name for name in NAMES if name == name.strip()]  # others are refused
    graph = lp.from_edges(names[:-1], names[1:])
    for form in ("csv", "tsv"):
        lp.write_graph(graph, tmp_path / f"g.{form}")
        assert list(lp.read_graph(tmp_path / f"g.{form}").names) == list(graph.names)


@pytest.mark.filterwarnings("always::lpgraph.errors.LpgraphWarning")
def test_a_hostile_network_brings_no_formula_into_a_table(tmp_path, call):
    graph, table = tmp_path / "g.csv", tmp_path / "t.csv"
    graph.write_text("source,target\n" + "".join(f"=cmd{i},@{(i + 1) % 6}\n=cmd{i},b\n" for i in range(6)))
    assert "would compute (12 of them)" in call(f"embed {graph} -d 2 -o {table}").err
    assert {row[0][0] for row in rows_of(table)[1:]} == {"'", "b"}


def test_digits_of_positions():
    rng = np.random.default_rng(0)
    values = rng.normal(size=4000) * 10.0 ** rng.integers(-20, 20, 4000)
    assert rounded({"x": values}, "x.csv")["x"] == [float(f"{value:.10g}") for value in values]
    assert rounded({"x": values}, "x.parquet")["x"] is values


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
def test_tables_of_numbers(tmp_path, suffix):
    import gzip

    import pandas as pd

    X, path = np.random.default_rng(0).normal(size=(5, 2)), tmp_path / f"t.{suffix}"
    frame = pd.DataFrame({"Vertex": list("abcde"), "x": X[:, 0], "y": X[:, 1]})
    if suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    np.testing.assert_array_equal(read_numbers(str(path)), X)
    np.testing.assert_array_equal(read_positions(str(path), list("edcba")), X[::-1])
    assert read_covariates(str(path)).rows == dict(zip("abcde", X.tolist(), strict=True))
    if suffix == "csv.gz":
        assert gzip.decompress(path.read_bytes()).startswith(b"Vertex")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x,kind\n1,2\n3,red\n", "column kind"),
        (b"1,red\n", "column 1"),
        (b"1,2\n3\n", "column 1"),
        (b"1,2\n3,4,5\n", "line 2"),
        (b"", "t.csv"),
        (b"x,y\n", "no rows"),
        (b"1,\xff\n", "t.csv"),
        (b'1,2\n"3,4\n', "t.csv"),
    ],
)
def test_wrong_tables_of_numbers(tmp_path, content, said):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=said):
        read_numbers(str(path))


@pytest.mark.parametrize(
    "line",
    [
        "classify graph.csv labels.csv missing.csv",
        "classify graph.csv missing.csv",
        "extend model.lpg missing.csv",
        "plot embedding graph.csv --new missing.csv",
        "plot embedding graph.csv --labels missing.csv",
        "embed graph.csv --align-to missing.csv",
        "drift model.lpg missing.csv",
    ],
)
def test_missing_files_are_found_before_a_fit(karate, monkeypatch, call, line):
    call("embed graph.csv -d 2 --save model.lpg -o e.csv")
    for kind in (lp.VertexClassifier, lp.LaplacianSpectralEmbedding, lp.AdjacencySpectralEmbedding):
        monkeypatch.setattr(kind, "fit", lambda *_: pytest.fail("it was fitted"))
    said = call(line, 2)
    assert (said.out, said.err) == ("", "error: path='missing.csv': there is no such file; check its path.\n")


def test_a_missing_file_is_told_before_anything_heavy_is_imported(tmp_path):
    commands = ["info", "embed", "classify", "drift", "report", "sample like", "plot scree", "plot loss"]
    code = (
        "import sys; from lpgraph.cli.run import run\n"
        f"for command in {commands}:\n"
        "    two = ['other.csv'] if command in ('drift', 'classify') else []\n"
        "    code = run([*command.split(), 'missing.csv', *two])\n"
        "    heavy = [m for m in ('scipy.stats', 'sklearn', 'matplotlib.pyplot') if m in sys.modules]\n"
        "    assert (code, heavy) == (2, []), (command, code, heavy)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("there is no such file") == len(commands)


@pytest.mark.skipif(os.name != "posix", reason="needs a named pipe")
def test_a_pipe_gets_a_table_or_a_graph_as_csv(karate, call):
    call("embed graph.csv -d 2 --save model.lpg -o e.csv")
    os.mkfifo("pipe", 0o600)
    for line, first in (
        ("extend model.lpg new.csv -o pipe", "name,ase0,ase1,has_known_neighbor\n"),
        ("convert graph.csv pipe", "source,target\n"),
    ):
        read = []
        reader = threading.Thread(target=lambda into=read: into.append(Path("pipe").read_text()))
        reader.start()
        call(line)
        reader.join(60)
        assert read[0].startswith(first)
    assert "no_pipe" in call("extend model.lpg new.csv -o no_pipe", 2).err


def test_spreadsheets_have_a_recipe(karate, call):
    Path("mails.xlsx").write_bytes(b"PK")
    recipe = "pandas.read_excel('mails.xlsx').to_csv('mails.csv', index=False)"
    for line in ("info mails.xlsx", "classify graph.csv mails.xlsx"):
        assert recipe in call(line, 2).err


def test_a_network_goes_through_a_pipe(karate, call):
    command = [sys.executable, "-m", "lpgraph"]
    convert = [*command, "convert", "graph.csv", "-", "--to", "graphml"]
    made = subprocess.run(convert, capture_output=True, check=True)
    embed = [*command, "embed", "-", "--format", "graphml", "-d", "2"]
    found = subprocess.run(embed, input=made.stdout, capture_output=True, check=True)
    assert found.stderr == b""
    assert found.stdout.decode() == call("embed graph.csv -d 2").out


def test_a_picture_goes_through_a_pipe(karate, capfdbinary):
    from lpgraph.cli.run import run

    assert run(["plot", "scree", "graph.csv", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"\x89PNG")


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/stdout")
def test_standard_output_by_its_path(karate, capfd):
    from lpgraph.cli.run import run

    assert run(["embed", "graph.csv", "-d", "1", "-o", "/dev/stdout"]) == 0
    rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))
    assert [row["name"] for row in rows] == list(lp.read_graph("graph.csv").names)


def test_a_computation_that_fails_is_no_wrong_input(karate, monkeypatch, call):
    def fail(*_, **__):
        raise lp.errors.ConvergenceError("it did not converge;\n  raise tol.")

    monkeypatch.setattr(lp.AdjacencySpectralEmbedding, "fit", fail)
    assert call("embed graph.csv", 1).err == "error: it did not converge; raise tol.\n"
    monkeypatch.setattr(lp.AdjacencySpectralEmbedding, "fit", lambda *_: nx.Graph().nothing)
    with pytest.raises(AttributeError):  # a fault of the program is no wrong input
        call("embed graph.csv")
