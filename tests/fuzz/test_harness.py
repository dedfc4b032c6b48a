"""The harness itself: it reports what a trial does wrong, and goes on with the next."""

from __future__ import annotations

import os
import sys
import time
import warnings

import numpy as np
import pytest
from fuzz.harness import hunt

import lpgraph as lp


def hostile(seed: int) -> int:
    if seed == 1:
        os.abort()
    if seed == 2:
        raise KeyError("raw")
    if seed == 3:
        time.sleep(60)
    if seed == 4:
        warnings.warn("something", RuntimeWarning, stacklevel=1)
    if seed == 5:
        np.ones(40 << 20)
    if seed == 6:
        warnings.warn("counted", lp.errors.LpgraphWarning, stacklevel=1)
    return 1000


@pytest.mark.slow  # it tests the trials, not lpgraph
@pytest.mark.skipif(sys.platform == "win32", reason="crashes end otherwise there")
def test_every_fault_is_reported_and_the_next_trial_runs():
    faults = hunt(hostile, range(8), jobs=2, seconds=6.0)
    assert [fault.seed for fault in faults] == ([1, 2, 3, 4, 5] if sys.platform == "linux" else [1, 2, 3, 4])
    told = {fault.seed: fault.what for fault in faults}
    assert "code -6" in told[1]
    assert "KeyError" in told[2]
    assert "Timeout" in told[3]
    assert "RuntimeWarning" in told[4]
    if sys.platform == "linux":
        assert "MB for a file of 1000 bytes" in told[5]
