"""Threads of compiled loops and limits of BLAS: interruptions, several callers."""

from __future__ import annotations

import threading
import time

import pytest
import scipy.linalg  # noqa: F401 - it has a BLAS of its own
from threadpoolctl import threadpool_info, threadpool_limits

from lpgraph._utils.compiled import blas_alone, in_threads, one_thread


def blas_threads():
    return [entry["num_threads"] for entry in threadpool_info() if entry["user_api"] == "blas"]


def test_an_error_in_a_thread_stops_the_others_and_is_raised():
    done = []

    def work(low, high):
        time.sleep(0.001)
        if threading.current_thread() is not threading.main_thread():
            raise ValueError(f"piece {low}")
        done.append(low)

    with pytest.raises(ValueError, match="piece"):
        in_threads(work, range(1001), threads=2)
    assert len(done) < 900


def test_limits_of_blas_that_overlap_in_threads_are_lifted_by_the_last():
    entered, leave = threading.Event(), threading.Event()
    seen = []

    def second():
        with one_thread():
            entered.set()
            leave.wait(10)
            seen.append(blas_threads())

    other = threading.Thread(target=second)
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads()
        with blas_alone():
            other.start()
            assert entered.wait(10)
            with blas_alone():
                assert set(blas_threads()) == {1}
            assert set(blas_threads()) == {1}
        leave.set()
        other.join()
        assert set(seen[0]) == {1}  # the first to leave has not lifted the second's limit
        assert set(before) == {2}
        assert blas_threads() == before
