"""Standard streams that are closed, full or not read: one line and an exit code, and interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

import lpgraph as lp

pytestmark = pytest.mark.skipif(os.name != "posix", reason="streams are closed by a shell")

#: `info` and `convert` write and fail as `embed` does, and start three times as fast.
EMBED, CONVERT = "embed graph.csv -d 1", "convert graph.csv - --to csv"


@pytest.fixture
def shell(tmp_path):
    """A function that runs a command in a shell, and returns its code, output and messages."""
    (tmp_path / "graph.csv").write_text("a,b\nb,c\nc,d\nd,a\n")

    def call(words, redirections="", before=""):
        command = f"{before} {sys.executable} -m lpgraph {words} {redirections}"
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.mark.parametrize(
    "words", [EMBED, "info graph.csv", "info graph.csv --json", CONVERT, "--help", "--version"]
)
def test_closed_standard_output(shell, words):
    code, output, told = shell(words, ">&-")
    assert (code, output) == (2, "")
    assert "Bad file descriptor" in told
    assert told.count("\n") == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root to make a device")
@pytest.mark.parametrize("words", [CONVERT, "--help"])
def test_full_standard_output(shell, tmp_path, words):
    os.mknod(tmp_path / "full", 0o020666, os.makedev(1, 7))  # a node of its own, as /dev/full
    code, output, told = shell(words, "> full")
    assert (code, output) == (2, "")
    assert "No space left on device" in told
    assert told.count("\n") == 1
    assert shell("info --unknown", "2> full") == (2, "", "")


def test_closed_messages_and_a_closed_input(shell):
    assert shell("info missing.csv", "2>&-") == (2, "", "")
    code, output, _ = shell(CONVERT, "2>&-")
    assert (code, output.splitlines()[0]) == (0, "source,target")
    code, output, told = shell("info - --format csv", "<&-")
    assert (code, output) == (2, "")
    assert told.startswith("error: - is standard input")


def test_an_output_file_needs_no_stream(shell, tmp_path):
    assert shell(f"{EMBED} -o table.csv", "<&- >&- 2>&-") == (0, "", "")
    assert (tmp_path / "table.csv").read_text().startswith("name,ase0\na,")


def test_a_file_that_may_not_grow_is_not_replaced(shell, tmp_path):
    (tmp_path / "table.csv").write_text("old")
    code, output, told = shell("convert graph.csv table.csv", before="ulimit -f 0; trap '' XFSZ;")
    assert (code, output) == (2, "")
    assert "table.csv: File too large" in told
    assert (tmp_path / "table.csv").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["graph.csv", "table.csv"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_whoever_reads_may_stop_reading(tmp_path, unbuffered):
    lp.write_graph(lp.erdos_renyi(3000, 0.02, random_state=0), tmp_path / "graph.csv")
    command = f"{sys.executable} -m lpgraph {CONVERT} | head -n 1; echo ${{PIPESTATUS[0]}}"
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["source,target", "141"]
    assert done.stderr == ""


def test_interrupted(tmp_path):
    fifo = tmp_path / "graph.csv"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "lpgraph", "info", str(fifo)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(fifo, "wb") as pipe:  # opens once the command has begun to read
        pipe.write(b"a,b\n")
        pipe.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err) == (130, b"", b"")
