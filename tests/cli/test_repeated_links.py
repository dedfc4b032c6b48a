"""Edges that a list without weights has more than once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lpgraph.cli.run import run

MUTUAL = "a,b\nb,a\nb,c\na,c\nc,d\na,c\na,c\n"
LISTED = (
    "lpgraph: note: mutual.csv lists 1 pair in both directions and 2 edges again, so that edges have weights of 2 "
    "and more. Pass --directed to keep directions, or --unweighted if that is not meant.\n"
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mutual.csv").write_text(MUTUAL)
    Path("again.csv").write_text("a,b\nb,c\na,c\nc,d\na,b\n")
    Path("symmetric.csv").write_text("a,b\nb,a\nb,c\nc,b\n")
    Path("weights.csv").write_text("source,target,weight\na,b,1\nb,a,2\nb,c,1\n")
    Path("labels.csv").write_text("name,label\na,x\nb,y\nc,x\n")


@pytest.mark.parametrize("words", ["embed mutual.csv -d 1", "classify mutual.csv labels.csv -d 1"])
def test_a_note_says_why_edges_have_weights(here, capsys, words):
    assert run([*words.split(), "-o", "out.csv"]) == 0
    assert capsys.readouterr().err == LISTED


def test_edges_that_are_listed_again(here, capsys):
    assert run(["embed", "again.csv", "-d", "1", "-o", "out.csv"]) == 0
    assert "again.csv lists 1 edge again, so that" in (told := capsys.readouterr().err)
    assert "Pass --unweighted if" in told


@pytest.mark.parametrize(
    "words",
    [
        "embed mutual.csv -d 1 --directed -o out.csv",
        "embed mutual.csv -d 1 --undirected -o out.csv",
        "embed mutual.csv -d 1 --unweighted -o out.csv",
        "embed symmetric.csv -d 1 -o out.csv",
        "embed weights.csv -d 1 -o out.csv",
        "info mutual.csv",
        "convert mutual.csv out.csv --multi-edges collapse",
    ],
)
def test_no_note_where_it_is_known_or_chosen(here, capsys, words):
    assert run(words.split()) == 0
    assert capsys.readouterr().err == ""


def test_models_without_weights_say_where_weights_come_from(here, capsys):
    assert run(["sample", "like", "mutual.csv", "-o", "out.csv"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(LISTED)
    assert "pass --unweighted" in told
    assert "in both directions, add up" in told


def test_the_likelihood_rule_names_unweighted(here, capsys):
    Path("new.csv").write_text("u,a\nu,b\n")
    assert run(["embed", "mutual.csv", "-d", "1", "--save", "m.lpg", "-o", "out.csv"]) == 0
    assert run(["extend", "m.lpg", "new.csv", "--rule", "likelihood"]) == 2
    assert "or fit again with --unweighted. Edges that are listed several times" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:The edges in new.csv have weights up to 2")
def test_new_edges_with_weights_under_the_likelihood_rule(here, capsys):
    Path("new.csv").write_text("u,a\nu,b\nu,b\n")
    command = ["extend", "m.lpg", "new.csv", "--rule", "likelihood"]
    assert run(["embed", "mutual.csv", "-d", "1", "--unweighted", "--save", "m.lpg", "-o", "out.csv"]) == 0
    assert run(command) == 2
    assert "those of new vertices have other weights; pass --rule=least_squares, or --unweighted." in (
        capsys.readouterr().err
    )
    assert run([*command, "--unweighted", "-o", "out.csv"]) == 0
