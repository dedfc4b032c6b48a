"""Graphs drawn from a model that is fitted to a network, and the digits of positions in tables."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow.parquet
import pytest

import lpgraph as lp
from lpgraph.cli._digits import positions_for
from lpgraph.cli.run import run


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("graph.csv").write_text("".join(f"n{u},n{v}\n" for u, v in nx.karate_club_graph().edges))
    return lp.read_graph("graph.csv")


@pytest.mark.parametrize(
    ("options", "fit"),
    [
        ([], lambda graph: lp.fit_degree_corrected_block_model(graph)),
        (["-k", "2"], lambda graph: lp.fit_degree_corrected_block_model(graph, n_blocks=2)),
        (["--model", "sbm", "-k", "1-3"], lambda graph: lp.fit_block_model(graph, n_blocks=range(1, 4))),
        (["--model", "rdpg", "-d", "2"], lambda graph: lp.fit_random_dot_product_graph(graph, 2)),
        (["--model", "rdpg"], lambda graph: lp.fit_random_dot_product_graph(graph)),
        (["--model", "erdos-renyi"], lambda graph: lp.fit_erdos_renyi(graph)),
    ],
)
def test_a_graph_like_another(here, options, fit):
    assert run(["sample", "like", "graph.csv", *options, "--seed", "3", "-o", "drawn.npz"]) == 0
    drawn, expected = lp.read_graph("drawn.npz"), fit(here).sample(random_state=3)
    assert list(drawn.names) == list(here.names)
    assert (drawn.matrix != expected.matrix).nnz == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--model rdgp", "pass dcsbm, sbm, rdpg or erdos-renyi. Did you mean rdpg?"),
        ("--model rdpg -k 3", "--blocks=3 is for --model=dcsbm and --model=sbm"),
        ("-d 3", "--dimension=3 is for --model=rdpg"),
        ("-k many", "--blocks=many; pass a number such as 3"),
        ("--model rdpg -d many", "--dimension=many; pass a number"),
        ("-k 99", "--blocks"),
    ],
)
def test_wrong_options(here, capsys, options, told):
    assert run(["sample", "like", "graph.csv", *options.split()]) == 2
    assert told in capsys.readouterr().err


def test_weights_have_a_remedy(here, capsys):
    Path("weighted.csv").write_text("a,b,2\nb,c,3\nc,d,1\n")
    assert run(["sample", "like", "weighted.csv"]) == 2
    assert "pass --unweighted" in capsys.readouterr().err
    assert run(["sample", "like", "weighted.csv", "--unweighted", "-o", "drawn.npz"]) == 0


def test_digits_of_positions():
    rng = np.random.default_rng(0)
    values = rng.normal(size=4000) * 10.0 ** rng.integers(-20, 20, 4000)
    assert positions_for("x.csv", values).tolist() == [float(f"{value:.10g}") for value in values]
    np.testing.assert_array_equal(positions_for("x.parquet", values), values)
    assert positions_for("-", np.empty((0, 2))).shape == (0, 2)


def test_positions_that_are_read_again(here):
    model = lp.AdjacencySpectralEmbedding(2).fit(here)
    for output in ("e.csv", "e.parquet"):
        assert run(["embed", "graph.csv", "-d", "2", "-o", output]) == 0
    with open("e.csv") as file:
        rows = [[float(value) for value in row[1:]] for row in list(csv.reader(file))[1:]]
    np.testing.assert_allclose(rows, model.embedding_, rtol=5e-10)  # half a unit of the tenth digit, at most
    assert max(len(repr(abs(value)).replace(".", "").lstrip("0")) for row in rows for value in row) <= 10
    exact = pyarrow.parquet.read_table("e.parquet").to_pydict()
    assert exact["ase0"] == model.embedding_[:, 0].tolist()
    # A fit that is aligned to the positions in the table has them, up to the digits.
    earlier = dict(zip(here.names, map(tuple, rows), strict=True))
    again = lp.AdjacencySpectralEmbedding(2, align_to=earlier).fit(here)
    np.testing.assert_allclose(again.embedding_, model.embedding_, atol=1e-9)
