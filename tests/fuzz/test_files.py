"""Mutated files: a short run, files found by long ones, and files made to take memory or time."""

from pathlib import Path

import pytest
from fuzz.bombs import BOMBS, FOLDER, read_bomb, write_bombs
from fuzz.files import read_file, trial
from fuzz.harness import hunt

CORPUS = Path(__file__).parent / "corpus" / "files"


def test_mutated_files_bring_errors_of_lpgraph_only():
    assert hunt(trial, range(60), seconds=60.0) == []  # time for a busy machine; long runs have the limit


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_files_found_by_fuzzing(path):
    way, form = path.name.partition("-")[0], path.name.removesuffix(".gz").rpartition(".")[2]
    read_file(path.read_bytes(), form, way, {})


@pytest.mark.slow
def test_small_files_take_little(tmp_path, monkeypatch):
    names = list(write_bombs(tmp_path))
    monkeypatch.setenv(FOLDER, str(tmp_path))
    found = hunt(read_bomb, range(len(names)), jobs=2, seconds=60.0)
    assert [(names[fault.seed], fault.what) for fault in found] == []
    assert names == list(BOMBS)
