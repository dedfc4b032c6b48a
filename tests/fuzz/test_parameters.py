"""Some trials of `fuzz.parameters`; thousands are a command."""

from fuzz.harness import hunt
from fuzz.parameters import trial


def test_parameters_of_a_wrong_kind_are_refused_or_used():
    assert hunt(trial, range(150), seconds=30.0) == []
