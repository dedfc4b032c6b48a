"""Minimum and maximum of an array by the compiled loop and by numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lpgraph._compiled import available
from lpgraph.linalg import minmax as module
from lpgraph.linalg.minmax import minmax


@pytest.mark.parametrize(
    "least", [10**9, pytest.param(1, marks=pytest.mark.skipif(not available(), reason="no numba"))]
)
def test_minmax(monkeypatch, least):
    monkeypatch.setattr(module, "WORTHWHILE", least)
    rng = np.random.default_rng(0)
    for size in 1, 2, 63, 64, 65, 1000:
        values = rng.standard_normal(size)
        assert minmax(values) == (values.min(), values.max())
        for wrong in np.nan, np.inf, -np.inf:
            bad = values.copy()
            bad[size // 2] = wrong
            assert not np.isfinite(minmax(bad)).all()
    assert minmax(np.full(100, -3.0)) == (-3.0, -3.0)
    assert minmax(np.arange(5)) == (0.0, 4.0)
    assert minmax(np.arange(10.0)[::2]) == (0.0, 8.0)
