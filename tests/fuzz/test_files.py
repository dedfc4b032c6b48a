"""Mutated files: a short run, and files found by long ones."""

from pathlib import Path

import pytest
from fuzz.files import read_file, trial
from fuzz.harness import hunt

CORPUS = Path(__file__).parent / "corpus" / "files"


def test_mutated_files_bring_errors_of_lpgraph_only():
    assert hunt(trial, range(60), seconds=60.0) == []  # time for a busy machine; long runs have the limit


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_files_found_by_fuzzing(path):
    way, form = path.name.partition("-")[0], path.name.removesuffix(".gz").rpartition(".")[2]
    read_file(path.read_bytes(), form, way, {})
