"""Short runs of trials, files found by long ones, and the harness itself."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import pytest
from fuzz import arrays, files, parameters
from fuzz.harness import hunt

CORPUS = Path(__file__).parent / "corpus" / "files"


@pytest.mark.parametrize(
    ("module", "count"), [(files, 60), (arrays, 150), (parameters, 150)], ids=["files", "arrays", "parameters"]
)
def test_trials_bring_errors_of_lpgraph_only(module, count):
    assert hunt(module.trial, range(count), seconds=60.0) == []  # time for a busy machine


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_files_found_by_fuzzing(path):
    way, form = path.name.partition("-")[0], path.name.removesuffix(".gz").rpartition(".")[2]
    files.read_file(path.read_bytes(), form, way, {})


def hostile(seed: int) -> int:
    if seed == 1:
        os.abort()
    if seed == 2:
        raise KeyError("raw")
    if seed == 3:
        warnings.warn("something", RuntimeWarning, stacklevel=1)
    return 1000


@pytest.mark.skipif(sys.platform == "win32", reason="crashes end otherwise there")
def test_every_fault_is_reported_and_the_next_trial_runs():
    faults = hunt(hostile, range(5), seconds=30.0)
    assert [fault.seed for fault in faults] == [1, 2, 3]
    assert "code -6" in faults[0].what
