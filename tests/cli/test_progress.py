"""Progress of solvers is shown on a terminal, and not elsewhere."""

import logging
import os
import subprocess
import sys

import pytest

import lpgraph as lp
from lpgraph.cli import _progress
from lpgraph.cli.run import run
from lpgraph.infer.mixture import choose_mixture

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")


def on_a_terminal(*arguments, cwd):
    """Run the command with a terminal as standard error; return its code, standard output, and standard error."""
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "lpgraph", *arguments],
        stdout=subprocess.PIPE,
        stderr=inner,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"},
    )
    os.close(inner)
    seen = b""
    # The terminal is read while the command runs: a full one would stop it. Its end is an error on Linux.
    while True:
        try:
            part = os.read(outer, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(outer)
    out = process.communicate(timeout=600)[0]
    return process.returncode, out, seen.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A graph too large for LAPACK, whose vertices have labels."""
    folder = tmp_path_factory.mktemp("progress")
    graph = lp.stochastic_block_model([400, 400], [[0.1, 0.02], [0.02, 0.1]], random_state=0)
    lp.write_graph(graph, folder / "graph.csv")
    (folder / "labels.csv").write_text("vertex,label\n" + "".join(f"{i},{i // 400}\n" for i in range(0, 800, 2)))
    return folder


COMMANDS = {
    "embed": ("embed graph.csv -d 3", "3 of 3 eigenpairs", b"name,ase0,"),
    "classify": ("classify graph.csv labels.csv -d 3", "cross-validation of a", b"name,label,"),
    "cluster": ("cluster graph.csv -d 2 -k 1-2", "2 clusters in", b"name,cluster,"),
    "dimension": ("dimension graph.csv", "eigenpairs converged", b"eigenvalue cv"),
    "report": ("report graph.csv -d 2 -k 2 -o -", "2 clusters in", b"<!doctype html>"),
}


@pytest.mark.parametrize(
    ("line", "told", "start"),
    [
        pytest.param(*values, id=name, marks=() if name == "embed" else pytest.mark.slow)
        for name, values in COMMANDS.items()
    ],
)
def test_a_terminal_sees_the_solver(folder, line, told, start):
    code, out, seen = on_a_terminal(*line.split(), cwd=folder)
    assert code == 0
    assert told in seen
    assert "residual" in seen or "nats" in seen or "penalty" in seen
    assert out.startswith(start)
    assert b"\x1b" not in out


@pytest.mark.parametrize(("line", "told", "start"), COMMANDS.values(), ids=COMMANDS)
def test_a_pipe_sees_nothing(folder, line, told, start, monkeypatch, capfdbinary):
    monkeypatch.chdir(folder)
    assert run(line.split()) == 0
    out, err = capfdbinary.readouterr()
    assert err == b""
    assert out.startswith(start)


def test_cross_validation_has_a_bar_of_its_own(folder):
    arguments = ["dimension", "graph.csv", "--cross-validation", "--max", "3", "--folds", "2"]
    code, out, seen = on_a_terminal(*arguments, cwd=folder)
    assert code == 0
    assert "Cross-validating" in seen
    assert out.startswith(b"eigenvalue cv")


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(_progress, "_is_watched", lambda: True)


def test_the_bar_is_what_was_logged(watched, monkeypatch, caplog):
    shown = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **fields: shown.append(fields))
    graph = lp.stochastic_block_model([400, 400], [[0.1, 0.02], [0.02, 0.1]], random_state=0)
    with caplog.at_level(logging.INFO, "lpgraph"), _progress.computing("Embedding"):
        lp.AdjacencySpectralEmbedding(3).fit(graph)
        choose_mixture([[0.0], [0.1], [1.0], [1.1]], [1, 2], covariance="full")
    assert [fields["told"] for fields in shown] == [record.getMessage() for record in caplog.records]
    solved = [fields for fields in shown if "eigenpairs" in fields["told"]]
    assert (solved[-1]["completed"], solved[-1]["total"]) == (3, 3)
    mixed = [fields for fields in shown if "mixture" in fields["told"]]
    assert [(fields["completed"], fields["total"]) for fields in mixed] == [(None, None)] * 2


def test_loggers_are_as_they_were(watched, capfd):
    loggers = [logging.getLogger(name) for name in ("lpgraph", "lpgraph.spectral")]
    before = [(logger.level, logger.propagate, logger.handlers[:]) for logger in loggers]

    def interrupted():
        with _progress.computing("Embedding"):
            loggers[1].info("something else altogether, %d", 3)
            loggers[1].info("nothing to fill in")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [(logger.level, logger.propagate, logger.handlers) for logger in loggers] == before
