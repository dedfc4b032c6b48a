"""Inputs and outputs: tables, pipes and devices, missing files, and cells that a spreadsheet would compute."""

import csv
import os
import subprocess
import sys
import threading
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

import lpgraph as lp
from lpgraph.cli.inputs import read_covariates, read_numbers
from lpgraph.cli.outputs import write_table
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
    with pytest.warns(LpgraphWarning, match=r"8 of them"):
        write_table({"name": NAMES, "x": np.arange(13) - 6.5}, str(path))
    header, *rows = rows_of(path)
    assert header == ["name", "x"]
    assert [row[0] for row in rows] == [f"'{name}" for name in FORMULAS] + OTHERS
    assert [float(row[1]) for row in rows] == [k - 6.5 for k in range(13)]  # numbers stay
    names = [name for name in NAMES if name == name.strip()]
    assert set(names) <= set(read_covariates(str(path)).index)
    with pytest.warns(LpgraphWarning, match=r"6 of them"):
        write_table({"name": ["=a", "'=a", "-b", "c"], "label": ["@u", "v", "=w", "'+x"]}, str(path))
    assert lp.read_labels(path) == {"=a": "@u", "'=a": "v", "-b": "=w", "c": "'+x"}
    graph = lp.from_edges(names[:-1], names[1:])
    lp.write_graph(graph, path)  # graphs are not changed
    assert list(lp.read_graph(path).names) == list(graph.names)
    write_table({"name": NAMES}, str(tmp_path / "t.parquet"))
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet")["name"].to_pylist() == NAMES


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
def test_tables_of_numbers(tmp_path, suffix):
    X, path = np.random.default_rng(0).normal(size=(5, 2)), tmp_path / f"t.{suffix}"
    frame = pd.DataFrame({"Vertex": list("abcde"), "x": X[:, 0], "y": X[:, 1]})
    if suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    np.testing.assert_array_equal(read_numbers(str(path)), X)
    assert read_covariates(str(path)).T.to_dict("list") == dict(zip("abcde", X.tolist(), strict=True))


def test_help_and_a_missing_file_are_told_before_a_fit_and_before_slow_imports(karate, call):
    call("embed graph.csv -d 2 --save model.lpg -o e.csv")
    lines = [
        "info missing.csv",
        "report missing.csv",
        "plot loss missing.csv",
        "classify graph.csv labels.csv missing.csv",
        "classify graph.csv missing.csv",
        "extend model.lpg missing.csv",
        "plot embedding graph.csv --new missing.csv",
        "plot embedding graph.csv --labels missing.csv",
        "embed graph.csv --align-to missing.csv",
    ]
    code = (
        "import sys; from lpgraph.cli.run import run\n"
        "run(['--help'])\n"
        "assert not {'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib', 'rich'} & {*sys.modules}\n"
        f"for line in {lines}:\n"
        "    code = run(line.split())\n"
        "    heavy = [m for m in ('scipy.stats', 'sklearn', 'matplotlib.pyplot') if m in sys.modules]\n"
        "    assert (code, heavy) == (2, []), (line, code, heavy)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("'missing.csv': there is no such file") == len(lines)


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


def test_a_network_goes_through_a_pipe(karate, call):
    command = [sys.executable, "-m", "lpgraph"]
    convert = [*command, "convert", "graph.csv", "-", "--to", "graphml"]
    made = subprocess.run(convert, capture_output=True, check=True)
    embed = [*command, "embed", "-", "--format", "graphml", "-d", "2"]
    found = subprocess.run(embed, input=made.stdout, capture_output=True, check=True)
    assert found.stderr == b""
    assert found.stdout.decode() == call("embed graph.csv -d 2").out


def test_a_computation_that_fails_is_no_wrong_input(karate, monkeypatch, call):
    def fail(*_, **__):
        raise lp.errors.ConvergenceError("it did not converge;\n  raise tol.")

    monkeypatch.setattr(lp.AdjacencySpectralEmbedding, "fit", fail)
    assert call("embed graph.csv", 1).err == "error: it did not converge; raise tol.\n"
    monkeypatch.setattr(lp.AdjacencySpectralEmbedding, "fit", lambda *_: nx.Graph().nothing)
    with pytest.raises(AttributeError):  # a fault of the program is no wrong input
        call("embed graph.csv")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x,kind\n1,2\n3,red\n", "column kind"),
        (b"1,red\n", "column 1"),
        (b"1,2\n3,4,5\n", "line 2"),
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


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/stdout")
@pytest.mark.parametrize(
    ("line", "start"),
    [("plot scree graph.csv -o -", b"\x89PNG"), ("embed graph.csv -o /dev/stdout", b"name,ase0")],
)
def test_pictures_and_paths_of_standard_output(karate, capfdbinary, line, start):
    from lpgraph.cli.run import run

    assert run(line.split()) == 0
    assert capfdbinary.readouterr().out.startswith(start)
