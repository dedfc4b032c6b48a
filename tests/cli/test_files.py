"""Inputs and outputs: tables, missing files, pictures, and failures of a computation."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.cli.inputs import read_covariates, read_numbers
from lpgraph.errors import FileFormatError


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


def test_a_picture_on_standard_output(karate, capfdbinary):
    from lpgraph.cli.run import run

    assert run(["plot", "scree", "graph.csv", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"\x89PNG")
