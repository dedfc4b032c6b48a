"""A few seconds of placing against a model that is replaced."""

import pytest
from fuzz.soak import soak


@pytest.mark.slow
def test_placing_while_the_model_is_replaced():
    for seconds in (6.0, 15.0, 60.0):  # on a busy machine processes start slowly
        samples, faults = soak(seconds, every=1.5, processes=2, n=600, d=4)
        assert faults == []
        if {sample.process for sample in samples} == {0, 1}:
            break
    assert {sample.process for sample in samples} == {0, 1}
    assert sum(max(s.placed for s in samples if s.process == k) for k in (0, 1)) > 100
