"""Short runs of trials, and files found by long ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz import files, parameters
from fuzz.harness import hunt

CORPUS = Path(__file__).parent / "corpus" / "files"


@pytest.mark.parametrize(("module", "count"), [(files, 60), (parameters, 150)], ids=["files", "parameters"])
def test_trials_bring_errors_of_lpgraph_only(module, count):
    assert hunt(module.trial, range(count)) == []


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_files_found_by_fuzzing(path):
    way, form = path.name.partition("-")[0], path.name.removesuffix(".gz").rpartition(".")[2]
    files.read_file(path.read_bytes(), form, way, {})
