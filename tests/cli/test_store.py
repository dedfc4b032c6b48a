"""``lpgraph store``: what the commands print, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lpgraph.cli.run import run
from lpgraph.scale import open_store


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("source,target,w\nx,y,1\ny,z,2\n")
    Path("b.csv").write_text("source,target,w\nz,x,3\nx,y,5\n")


def test_build_info_and_verify(here, capsys):
    assert run(["store", "build", "a.csv", "b.csv", "g.store", "--weight", "w", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["vertices"], found["edges"], found["weights"]) == (3, 3, [2.0, 6.0])
    assert run(["store", "info", "g.store", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found
    assert run(["store", "verify", "g.store"]) == 0
    assert "verified        yes" in capsys.readouterr().out
    assert run(["store", "build", "a.csv", "b.csv", "h.store", "--unweighted", "--directed"]) == 0
    assert capsys.readouterr() == ("", "")
    assert open_store("h.store").n_edges == 3
    assert run(["store", "info", "h.store"]) == 0
    assert "first vertices  x, y, z" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("build a.csv", "EDGES=a.csv but there is no folder for the store; name it last"),
        ("build a.csv g --source source", "--source is passed without --target"),
        ("build a.csv g", "a.csv is called weight"),
        ("build a.csv g --weight w --multi-edges max", "--multi-edges=max"),
        ("build a.csv g --weight w --memory 1MB", "--memory=1MB is too little; pass 800 MB or more"),
        ("build c.csv g", "there is no such file"),
        ("build a.csv a.csv --weight w", "a.csv is a file, and a store is a folder; pass a path"),
        ("info a", "a is no edge store"),
        ("verify .", "no edge store"),
    ],
)
def test_wrong_input_is_told_in_the_terms_of_the_command_line(here, capsys, words, message):
    assert run(["store", *words.split()]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
    assert "=None" not in told


def test_a_damaged_store_fails(here, capsys):
    assert run(["store", "build", "a.csv", "g.store", "--unweighted"]) == 0
    path = Path("g.store/indices.npy")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    capsys.readouterr()
    assert run(["store", "verify", "g.store"]) == 2
    assert "another checksum" in capsys.readouterr().err
