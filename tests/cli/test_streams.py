"""Standard streams that are closed, full or not read, interruptions, and what a terminal shows."""

import os
import signal
import subprocess
import sys
import time

import pytest

import lpgraph as lp
from lpgraph.cli.streams import visible

pty = pytest.importorskip("pty", reason="needs a POSIX shell and terminal")

COMMAND = [sys.executable, "-m", "lpgraph"]
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


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a device")
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
    process = subprocess.Popen([*COMMAND, "info", str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(fifo, "wb") as pipe:  # opens once the command has begun to read
        pipe.write(b"a,b\n")
        pipe.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err) == (130, b"", b"")


#: Sets the title of the window, clears the screen, and C1's start of a sequence.
NAMES = "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\u202ereversed", "plain"
EDGES = "source,target\n" + "".join(f"{a},{b}\n" for a in NAMES for b in NAMES if a < b)
HARMFUL = "\x1b]0", "\x1b[2J", "\x07", "\x9b", "\u202e"


def shown(folder, *arguments):
    """Return what a terminal receives as standard output and standard error."""
    outer, inner = pty.openpty()
    environment = os.environ | {"TERM": "dumb", "COLUMNS": "200", "NO_COLOR": "1"}
    streams = {"stdout": inner, "stderr": inner, "stdin": subprocess.DEVNULL}
    process = subprocess.Popen([*COMMAND, *arguments], **streams, cwd=folder, env=environment)
    os.close(inner)
    found = b""
    while True:  # a full terminal would stop the command
        try:
            part = os.read(outer, 65536)
        except OSError:  # the end of a terminal is an error on Linux
            break
        if not part:
            break
        found += part
    os.close(outer)
    return process.wait(600), found.decode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "graph.csv").write_text(EDGES, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ("embed graph.csv -d 1 -o -", 0, r"\x1b]0;title\x07,"),
        ("info graph.csv --json", 0, "u001b[2J"),
        ("convert graph.csv -", 0, r"\u202ereversed"),
        ("info \x1b[2J.csv", 2, r"\x1b[2J.csv': there is no such file"),
    ],
)
def test_a_terminal_receives_no_control_characters_of_names(folder, arguments, code, expected):
    returned, text = shown(folder, *arguments.split(" "))
    assert returned == code, text
    assert expected in text
    assert not any(part in text for part in HARMFUL)


def test_a_pipe_receives_names_unchanged(folder):
    command = [*COMMAND, "convert", "graph.csv", "-", "--to", "csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    assert all(name.encode() in done.stdout for name in NAMES)
    text = "tab\tline\nα 名 \U0001f600 \\x1b"
    assert visible(f"{text}\x1b") == f"{text}\\x1b"
