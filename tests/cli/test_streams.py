"""Commands as processes: readers that are gone, full disks, interruptions, and pipes."""

import os
import signal
import subprocess
import sys
import time

import pytest

import lpgraph as lp

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
COMMAND = [sys.executable, "-m", "lpgraph"]


def test_a_file_that_may_not_grow_is_not_replaced(tmp_path):
    (tmp_path / "graph.csv").write_text("a,b\nb,c\nc,d\nd,a\n")
    (tmp_path / "table.csv").write_text("old")
    words = f"ulimit -f 0; trap '' XFSZ; {sys.executable} -m lpgraph convert graph.csv table.csv"
    done = subprocess.run(["sh", "-c", words], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert "table.csv: File too large" in done.stderr
    assert (tmp_path / "table.csv").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["graph.csv", "table.csv"]


def test_whoever_reads_may_stop_reading(tmp_path):
    lp.write_graph(lp.erdos_renyi(3000, 0.02, random_state=0), tmp_path / "graph.csv")
    command = f"{sys.executable} -m lpgraph convert graph.csv - | head -n 1; echo ${{PIPESTATUS[0]}}"
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=buffered, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["source,target", "1"]
    assert done.stderr == ""


def test_interrupted(tmp_path):
    fifo = tmp_path / "graph.csv"
    os.mkfifo(fifo)
    process = subprocess.Popen([*COMMAND, "info", str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(fifo, "wb") as pipe:  # opens once the command has begun to read
        pipe.write(b"a,b\n")
        pipe.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_a_network_goes_through_a_pipe(karate, call):
    convert = [*COMMAND, "convert", "graph.csv", "-", "--to", "npz"]
    made = subprocess.run(convert, capture_output=True, check=True)
    embed = [*COMMAND, "embed", "-", "--format", "npz", "-d", "2"]
    found = subprocess.run(embed, input=made.stdout, capture_output=True, check=True)
    assert found.stderr == b""
    assert found.stdout.decode() == call("embed graph.csv -d 2").out
