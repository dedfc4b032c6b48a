"""Short runs of signals, kills, limits of memory and workers; each long run is a command of its module."""

from __future__ import annotations

import os
import random
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("needs POSIX signals and limits", allow_module_level=True)

from fuzz import kills, memory_limits, processes, signals


@pytest.mark.parametrize("operation", ["fit", "save"])
def test_bursts_of_signals(operation):
    endings, fault = signals.run(operation, 1, 4, 6000)
    assert not fault
    assert endings.total() == 4


def test_killed_writers(tmp_path):
    all_writers = kills.writers(tmp_path)
    for name in ("graph.csv", "page.html"):
        kills.kills(name, all_writers[name], tmp_path, 4, random.Random(0))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_little_memory(tmp_path):
    for size, name in (1280, "small"), (100_000, "large"):
        memory_limits.prepare(tmp_path / name, size)
    for spare in (3, 60):
        ended, told = memory_limits.run("transform", tmp_path, spare)
        assert ended in memory_limits.GOOD, told


def test_workers_while_others_fit():
    assert processes.run("fork", 0, 3) == ""
