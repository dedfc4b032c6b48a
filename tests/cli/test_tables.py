"""Tables of the command line: limits of memory, and cells that a spreadsheet would compute."""

import csv

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.cli._outputs import write_table
from lpgraph.cli._tables import read_numbers, read_positions
from lpgraph.cli.run import run
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
    np.testing.assert_array_equal(read_positions(str(path), NAMES).ravel(), np.arange(13) - 6.5)


def test_guarded_labels_are_read_back(tmp_path):
    path = tmp_path / "labels.csv"
    names = ["=a", "'=a", "-b", "c"]
    with pytest.warns(LpgraphWarning, match=r"would compute \(6 of them\)"):
        write_table({"name": names, "label": ["@u", "v", "=w", "'+x"]}, str(path))
    assert lp.read_labels(path) == {"=a": "@u", "'=a": "v", "-b": "=w", "c": "'+x"}
    assert lp.read_labels(path, names) == lp.read_labels(path)


def test_numbers_are_written_without_a_warning(tmp_path):
    path = tmp_path / "t.csv"
    write_table({"name": [-1, 2], "label": ["-1", "a"], "x": [-0.5, np.nan]}, str(path))
    assert rows_of(path) == [["name", "label", "x"], ["-1", "-1", "-0.5"], ["2", "a", "nan"]]


def test_other_formats_keep_cells_as_they_are(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    write_table({"name": NAMES}, str(tmp_path / "t.parquet"))
    assert pyarrow.read_table(tmp_path / "t.parquet")["name"].to_pylist() == NAMES


def test_a_graph_keeps_its_names_as_they_are(tmp_path):
    names = [name for name in NAMES if name == name.strip()]  # others are refused
    graph = lp.from_edges(names[:-1], names[1:])
    for form in ("csv", "tsv"):
        lp.write_graph(graph, tmp_path / f"g.{form}")
        assert list(lp.read_graph(tmp_path / f"g.{form}").names) == list(graph.names)


@pytest.mark.filterwarnings("default::lpgraph.errors.LpgraphWarning")
def test_a_hostile_network_brings_no_formula_into_a_table(tmp_path, capsys):
    graph, table = tmp_path / "g.csv", tmp_path / "t.csv"
    graph.write_text("source,target\n" + "".join(f"=cmd{i},@{(i + 1) % 6}\n=cmd{i},b\n" for i in range(6)))
    assert run(["embed", str(graph), "-d", "2", "-o", str(table)]) == 0
    assert "would compute (12 of them)" in capsys.readouterr().err
    assert {row[0][0] for row in rows_of(table)[1:]} == {"'", "b"}


def test_a_table_that_is_no_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'1,2\n"' + b"1" * 140_000 + b'",2\n')
    with pytest.raises(FileFormatError, match=r"it is no table \(field larger than field limit"):
        read_numbers(str(path))


@pytest.mark.parametrize(
    ("text", "place"), [("x,kind\n1,2\n3,red\n", "row 2, column 'kind'"), ("1,red\n", "row 1, column 2")]
)
def test_a_text_among_numbers_has_its_place(tmp_path, text, place):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=f"'red' in {place} is no number; correct it, or drop the column"):
        read_numbers(str(path))
