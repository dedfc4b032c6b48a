"""Some trials of `fuzz.arrays`; thousands are a command."""

from fuzz.arrays import trial
from fuzz.harness import hunt


def test_changed_sparse_matrices_are_refused_or_used():
    assert hunt(trial, range(150), seconds=30.0) == []
