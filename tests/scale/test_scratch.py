"""Memory that a thread uses again: the same until a fit ends, another one in each thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lpgraph.scale import scratch as scratch_module
from lpgraph.scale.scratch import kept_memory, scratch


def test_memory_is_used_again_and_given_back():
    with kept_memory():
        first = scratch("test", 100)
        assert first.shape == (100,)
        assert first.dtype == np.float64
        assert np.shares_memory(first, scratch("test", 50))
        assert not np.shares_memory(first, scratch("other", 100))
        larger = scratch("test", 200)
        assert larger.shape == (200,)
        with ThreadPoolExecutor(1) as pool:
            assert not np.shares_memory(larger, pool.submit(scratch, "test", 200).result())
    assert not np.shares_memory(larger, scratch("test", 200))


def test_memory_is_given_back_after_an_error():
    @kept_memory()
    def failing():
        scratch("test", 10)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert not scratch_module._kept.arrays.found
