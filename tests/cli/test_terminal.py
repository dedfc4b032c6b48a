"""What a terminal shows: control characters in names as escapes, and progress; a pipe gets neither."""

import os
import subprocess
import sys

import pytest

import lpgraph as lp
from lpgraph.cli.run import visible

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")

#: Sets the title of the window, clears the screen, and C1's start of a sequence.
NAMES = "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\u202ereversed", "plain"
EDGES = "source,target\n" + "".join(f"{a},{b}\n" for a in NAMES for b in NAMES if a < b)
HARMFUL = "\x1b]0", "\x1b[2J", "\x07", "\x9b", "\u202e"


def shown(folder, *arguments):
    """Return what a terminal receives as standard output and standard error."""
    outer, inner = pty.openpty()
    environment = os.environ | {"TERM": "dumb", "COLUMNS": "200", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "lpgraph", *arguments]
    process = subprocess.Popen(
        command, stdout=inner, stderr=inner, stdin=subprocess.DEVNULL, cwd=folder, env=environment
    )
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
    (tmp_path / "labels.csv").write_text("vertex,\x1b[2Jlabel\nplain,\x1b[2Ja\n\x1b[2J,b\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (("embed", "graph.csv", "-d", "1", "-o", "-"), 0, r"\x1b]0;title\x07,"),
        (("info", "graph.csv", "--json"), 0, "u001b[2J"),
        (("convert", "graph.csv", "-"), 0, r"\u202ereversed"),
        (("info", "\x1b[2J.csv"), 2, r"\x1b[2J.csv': there is no such file"),
        (("info", "graph.csv", "--weight", "\x1b[2Jw"), 2, r"\x1b[2Jw"),
    ],
)
def test_a_terminal_receives_no_control_characters_of_names(folder, arguments, code, expected):
    returned, text = shown(folder, *arguments)
    assert returned == code, text
    assert expected in text
    assert not any(part in text for part in HARMFUL)


def test_a_pipe_receives_names_unchanged(folder):
    command = [sys.executable, "-m", "lpgraph", "convert", "graph.csv", "-", "--to", "csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    assert all(name.encode() in done.stdout for name in NAMES)
    text = "tab\tline\nα 名 \U0001f600 \\x1b"
    assert visible(f"{text}\x1b") == f"{text}\\x1b"


def test_a_terminal_shows_progress(folder):
    graph = lp.stochastic_block_model([1000, 1000], [[0.1, 0.02], [0.02, 0.1]], random_state=0)
    lp.write_graph(graph, folder / "large.csv")
    code, text = shown(folder, "dimension", "large.csv")
    assert code == 0
    assert "eigenpairs converged" in text
    command = [sys.executable, "-m", "lpgraph", "dimension", "large.csv"]
    assert subprocess.run(command, cwd=folder, capture_output=True, check=True).stderr == b""
