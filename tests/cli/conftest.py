"""Commands run in this process: the parser is built once, and a fixture returns what a command has printed."""

import csv
import io
import json
from dataclasses import dataclass
from functools import cache

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp

try:
    import typer.main as typer
except ImportError:  # without the command line, nothing here is run
    typer = None


@pytest.fixture(scope="session", autouse=True)
def _one_parser():
    """Keep the parser: typer builds it anew on every call, and a process calls it once."""
    with pytest.MonkeyPatch.context() as patch:
        if typer is not None:
            patch.setattr(typer, "get_command", cache(typer.get_command))
        yield


@dataclass
class Said:
    """What a command has printed."""

    out: str
    err: str

    @property
    def rows(self):
        return list(csv.DictReader(io.StringIO(self.out)))

    @property
    def facts(self):
        return json.loads(self.out)

    def positions(self, *titles):
        """Return the coordinates of each name."""
        return {row["name"]: [float(row[title]) for title in titles] for row in self.rows}


@pytest.fixture
def call(capsys):
    """A function that runs a command, checks its exit code, and returns what it has printed."""
    from lpgraph.cli.run import run

    def run_and_read(line, code=0):
        capsys.readouterr()
        found = run([str(word) for word in (line.split(" ") if isinstance(line, str) else line)])
        out, err = capsys.readouterr()
        assert found == code, err
        return Said(out, err)

    return run_and_read


@pytest.fixture
def blocks(tmp_path, monkeypatch, call):
    """A folder with a sampled network of two blocks, its labels, and 12 new vertices."""
    monkeypatch.chdir(tmp_path)
    drawn = "-o graph.csv --labels labels.csv --new 12 --new-output new.csv --new-labels truth.csv"
    call(f"sample sbm --sizes 60,40 --probabilities 0.5,0.1;0.1,0.5 {drawn}")
    return tmp_path


@pytest.fixture
def new_of_blocks():
    """The new vertices of `blocks`, drawn by the library."""
    graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    return graph.new_vertices(12, random_state=np.random.default_rng([0, 1]))


@pytest.fixture
def karate(tmp_path, monkeypatch):
    """A folder with the karate club as n0,n1,..., new vertices, and labels of all known and of one new vertex."""
    monkeypatch.chdir(tmp_path)
    club = nx.karate_club_graph()
    (tmp_path / "graph.csv").write_text("".join(f"n{u},n{v}\n" for u, v in club.edges))
    (tmp_path / "new.csv").write_text("x,n0\nx,n1\ny,n33\ny,x\n")
    (tmp_path / "labels.csv").write_text(
        "name,label\n" + "".join(f"n{v},{label[:1]}\n" for v, label in club.nodes(data="club")) + "y,M\n"
    )
    return tmp_path
