"""Short runs of signals, kills, limits of memory and workers."""

from __future__ import annotations

import os
import random
import sys

import networkx as nx
import pytest

import lpgraph as lp

if sys.platform == "win32":
    pytest.skip("needs POSIX signals and limits", allow_module_level=True)

from fuzz import processes

GRAPHS = [lp.erdos_renyi(3000, 0.003, random_state=k) for k in range(2)]
PLAIN = [nx.karate_club_graph(), nx.les_miserables_graph()]


@pytest.mark.parametrize("operation", ["fit", "save"])
def test_bursts_of_signals(operation):
    assert processes.run("signals", operation, 1) == "done"


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("graph.csv", lambda path, k: lp.write_graph(GRAPHS[k], path)),
        ("page.html", lambda path, k: lp.report(PLAIN[k], path, n_clusters=2)),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of vertices without edges, and of a fork while BLAS has idle threads
def test_killed_writers(tmp_path, name, write):
    processes.kills(write, tmp_path / name, 4, random.Random(0))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_little_memory():
    assert processes.run("memory", "transform", 0) == "done"


def test_forked_workers():
    assert processes.run("workers", "fork", 3) == "done"
