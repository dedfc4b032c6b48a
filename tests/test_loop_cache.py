"""Compiled loops, and numba's cache on disk: it is used only in private folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from lpgraph._utils.compiled import available, compiled

if not available():
    pytest.skip("numba is not installed", allow_module_level=True)

import numba


def add(array, weights, factor, low, high):
    for i in range(low, high):
        array[i] += factor * weights[0] + weights[1] * i


def total(array, found):
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            found[0] += array[i, j]


def allocates(array):
    array[0] = np.ones(len(array)).sum()


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A private folder, set as numba's cache folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    return tmp_path


def total_of_ones():
    """Compile `total`, or load it; return its dispatcher."""
    loop, found = compiled(total), np.zeros(1)
    loop(np.ones((2, 3)), found)
    assert found[0] == 6
    return loop._loop


def test_arrays_numbers_and_tuples_arrive(folder):
    array = np.zeros(6)
    loop = compiled(add)
    loop(array, (1.0, 2.0), 0.5, 1, 5)
    expected = np.array([0, 2.5, 4.5, 6.5, 8.5, 0])
    assert np.array_equal(array, expected)
    loop.over([1, 3, 5], array, (1.0, 2.0), np.float64(0.5))
    loop(array, (0.0, 0.0), np.float32(1.0), np.int32(0), np.True_)
    assert np.array_equal(array, 2 * expected)
    assert len(loop._loop.signatures) == 1  # numbers of other types need no other machine code
    compiled(allocates)(array)
    assert array[0] == 6


def test_arrays_of_other_types_and_strides_give_the_same(folder):
    array, loop = np.arange(24.0).reshape(4, 6), compiled(total)
    unaligned = np.frombuffer(b"x" + array.tobytes(), dtype=np.float64, offset=1).reshape(4, 6)
    others = [array[:, ::2], array.T, np.asfortranarray(array), unaligned, array[::-1]]
    for other in [*others, *(array.astype(dtype) for dtype in (np.float32, np.int64, np.uint32, np.uint8))]:
        found = np.zeros(1)
        loop(other, found)
        assert found[0] == other.sum()
    with pytest.raises(Exception, match=r"(?i)byte|endian|unsupported"):
        loop(array.astype(">f8"), np.zeros(1))


def test_loops_are_cached(folder):
    assert not total_of_ones().stats.cache_hits
    assert total_of_ones().stats.cache_hits


def test_where_nothing_can_be_written_the_loop_is_compiled_all_the_same(folder):
    place = Path(total_of_ones().stats.cache_path)
    loop, found = compiled(total), np.zeros(1)
    shutil.rmtree(place)
    place.write_text("no folder any more")
    loop(np.ones((2, 3), dtype=np.uint16), found)
    assert found[0] == 6
