"""Threads of compiled loops and limits of BLAS: interruptions, several callers, forks."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import scipy.linalg  # noqa: F401 - it has a BLAS of its own
from threadpoolctl import threadpool_info, threadpool_limits

from lpgraph._interrupts import surely
from lpgraph._threads import blas_alone, in_threads, one_thread

needs_signals = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


def run(code, *arguments, seconds=120, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


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
    slow = threading.Thread(
        target=in_threads, args=(lambda low, high: time.sleep(2), range(4)), kwargs={"threads": 3}
    )
    slow.start()
    time.sleep(0.2)
    began = time.perf_counter()
    in_threads(lambda low, high: None, range(10), threads=3)
    assert time.perf_counter() - began < 1
    slow.join()


def test_surely_runs_to_the_end_and_raises_once():
    tries = []

    def action():
        tries.append(1)
        if len(tries) < 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        surely(action)
    assert len(tries) == 4
    surely(action)

    def fails():
        raise ValueError("always")

    with pytest.raises(ValueError, match="always"):
        surely(fails)


BURST = """
import os, signal, sys, threading, time
from lpgraph._threads import in_threads

running = []

def work(low, high):
    running.append(low)
    began = time.monotonic()
    while time.monotonic() - began < 0.3:
        time.sleep(0.01)
    running.remove(low)

def send():
    for _ in range(5):
        time.sleep(0.04)
        os.kill(os.getpid(), signal.SIGINT)

def handler(*_):
    raise RuntimeError("from the handler")

# A process started in the background of a shell ignores the signal.
signal.signal(signal.SIGINT, handler if sys.argv[1] == "any error" else signal.default_int_handler)
threading.Thread(target=send).start()
began = time.monotonic()
try:
    in_threads(work, range(100), threads=4)
except (KeyboardInterrupt, RuntimeError):
    print(len(running), time.monotonic() - began)
else:
    sys.exit("not interrupted")
"""


@needs_signals
@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "any error"])
def test_a_burst_of_signals_waits_for_every_thread(kind):
    left, took = run(BURST, kind).split()
    assert int(left) == 1  # that of the main thread, which was interrupted in it
    assert float(took) < 2


STARTED = """
import os, signal, sys, threading, time
from lpgraph import _threads

start = threading.Thread.start

def interrupted(self):
    start(self)
    if self.name.startswith(("lpgraph", "ThreadPool")):
        raise KeyboardInterrupt

threading.Thread.start = interrupted
try:
    _threads.in_threads(lambda low, high: None, range(9), threads=2)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interruption_while_a_thread_starts_does_not_hang_the_end():
    assert run(STARTED, seconds=30) == "interrupted"


def test_without_further_threads_the_caller_does_all(monkeypatch):
    def fails(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fails)
    done = []
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


LIMITS = """
import os, threading
from threadpoolctl import threadpool_info
from lpgraph._threads import blas_alone

def numbers():
    return [entry["num_threads"] for entry in threadpool_info() if entry["user_api"] == "blas"]

with blas_alone():
    pass
before, entered = numbers(), threading.Event()
def hold():
    with blas_alone():
        entered.set()
        threading.Event().wait()
threading.Thread(target=hold, daemon=True).start()
entered.wait()
child = os.fork()
if child == 0:
    with blas_alone():
        assert numbers() == [1] * len(before)
    os._exit(0 if numbers() == before else 1)
assert os.waitpid(child, 0)[1] == 0, "the limit of a thread of the parent stays in the child"
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_forgets_the_limits_of_other_threads():
    run(LIMITS, OPENBLAS_NUM_THREADS="2")


NEIGHBORS = """
import os, signal, sys, threading, time
import numpy as np
from lpgraph.points.search import tree

signal.signal(signal.SIGINT, signal.default_int_handler)
points = np.random.default_rng(0).standard_normal((300_000, 3))
index = tree._kd_tree(points)

def send():
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=send, name="lpgraph-sender").start()
try:
    tree._query(index, points, np.arange(1, 12), 2.0)
except KeyboardInterrupt:
    print([thread.name for thread in threading.enumerate() if not thread.name.startswith(("lpgraph", "Main"))])
    sys.stdout.flush()
    os._exit(0)
"""


@needs_signals
def test_no_thread_of_scipy_writes_on_after_an_interruption():
    assert run(NEIGHBORS, LPGRAPH_NUM_THREADS="2") == "[]"
