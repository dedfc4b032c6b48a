"""Threads of compiled loops and limits of BLAS: interruptions, several callers."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import weakref
from unittest.mock import patch

import numpy as np
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


def test_no_thread_keeps_an_array():
    array = np.zeros(10)
    known = weakref.ref(array)

    def work(low, high, array=array):
        time.sleep(0.001)

    in_threads(work, range(20), threads=4)
    del work, array
    gc.collect()
    assert known() is None


def test_a_caller_does_not_wait_for_the_work_of_another_one():
    leave = threading.Event()
    slow = threading.Thread(target=in_threads, args=(lambda low, high: leave.wait(10), range(4), 3))
    slow.start()
    in_threads(lambda low, high: None, range(10), threads=3)
    assert slow.is_alive()
    leave.set()
    slow.join()


SIGNAL = """
import os, signal, sys, threading, time
from lpgraph._utils.compiled import in_threads

running = []

def work(low, high):
    running.append(low)
    time.sleep(0.3)
    running.remove(low)

signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    in_threads(work, range(100), threads=4)
except KeyboardInterrupt:
    print(len(running))
else:
    sys.exit("not interrupted")
"""


@pytest.mark.posix
def test_an_interruption_waits_for_every_thread_and_begins_no_further_piece():
    run = [sys.executable, "-W", "ignore", "-c", SIGNAL]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=10)
    assert done.stdout.strip() == "1"  # that of the main thread, which was interrupted in it


def test_without_further_threads_the_caller_does_all():
    done = []
    with patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")):
        in_threads(lambda low, high: done.append(low), range(50), threads=40)
    assert sorted(done) == list(range(49))


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
