"""Standard streams that are closed, full or not read: one line and an exit code, and interruptions."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="streams are closed by a shell")

#: `info` and `convert` write and fail as `embed` does, and start three times as fast.
EMBED, CONVERT = "embed graph.csv -d 1", "convert graph.csv - --to csv"
NOWHERE = "check the disk, and where standard output goes."
CLOSED = "standard output: Bad file descriptor; redirect it, or name a file."


@pytest.fixture
def shell(tmp_path):
    """A function that runs a command in a shell, and returns its code, output and messages."""
    (tmp_path / "graph.csv").write_text("a,b\nb,c\nc,d\nd,a\n")

    def call(words, redirections="", before=""):
        command = f"{before} {sys.executable} -m lpgraph {words} {redirections}"
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.mark.parametrize("words", [EMBED, "info graph.csv", "info graph.csv --json", CONVERT])
def test_closed_standard_output(shell, words):
    assert shell(words, ">&-") == (2, "", f"lpgraph: {CLOSED}\n")


@pytest.mark.parametrize("words", ["--help", "--version", "demo --picture picture.png"])
def test_text_for_a_closed_standard_output(shell, words):
    assert shell(words, ">&-") == (2, "", f"lpgraph: Bad file descriptor; {NOWHERE}\n")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root to make a device")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (CONVERT, "standard output: No space left on device; redirect it, or name a file."),
        ("--help", f"No space left on device; {NOWHERE}"),
    ],
)
def test_full_standard_output(shell, tmp_path, words, told):
    os.mknod(tmp_path / "full", 0o020666, os.makedev(1, 7))  # a node of its own, as /dev/full
    assert shell(words, "> full") == (2, "", f"lpgraph: {told}\n")
    assert shell("info --unknown", "2> full") == (2, "", "")


def test_closed_messages_are_not_written_to_the_output(shell):
    assert shell("info missing.csv", "2>&-") == (2, "", "")
    code, output, _ = shell(CONVERT, "2>&-")
    assert code == 0
    assert output.startswith("source,target\n")


def test_closed_standard_input(shell):
    told = "lpgraph: - is standard input, which is closed; pipe a file into it, or name one.\n"
    assert shell("info - --format csv", "<&-") == (2, "", told)


def test_an_output_file_needs_no_stream(shell, tmp_path):
    assert shell(f"{EMBED} -o table.csv", "<&- >&- 2>&-") == (0, "", "")
    assert (tmp_path / "table.csv").read_text().startswith("name,ase0\na,")


def test_a_file_that_may_not_grow_is_not_replaced(shell, tmp_path):
    (tmp_path / "table.csv").write_text("old")
    code, output, told = shell("convert graph.csv table.csv", before="ulimit -f 0; trap '' XFSZ;")
    assert (code, output) == (2, "")
    assert told.splitlines()[-1] == "lpgraph: table.csv: File too large; check the file and the disk."
    assert (tmp_path / "table.csv").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["graph.csv", "table.csv"]


def test_errors_without_an_interruption_are_raised():
    program = "import lpgraph.__main__ as program\nprogram._run = lambda: 1 / 0\nprogram.main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
