"""`progress` shows how far fits are, and leaves loggers as they were, in any order of threads."""

import io
import logging
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import lpgraph as lp
from lpgraph import _displays
from lpgraph._progress import listen, tell
from lpgraph.errors import ArgumentTypeError

LOG = logging.getLogger("lpgraph.spectral")
GRAPH = lp.stochastic_block_model([400, 400], [[0.1, 0.02], [0.02, 0.1]], random_state=0)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def state():
    loggers = [logging.getLogger(name) for name in ("lpgraph", "lpgraph.spectral")]
    return [(logger.level, logger.propagate, logger.handlers[:]) for logger in loggers]


@pytest.fixture
def at_once(monkeypatch):
    for name in ("_FIRST", "_SCREEN", "_FILE"):
        monkeypatch.setattr(_displays, name, 0.0)
    monkeypatch.setattr(_displays._Display, "every", 0.0)
    monkeypatch.setattr(_displays._Lines, "every", 0.0)


def test_a_file_gets_a_line_for_each_step(at_once):
    file = io.StringIO()
    before = state()
    with lp.progress(file):
        lp.AdjacencySpectralEmbedding(3).fit(GRAPH)
        lp.VertexClustering(lp.AdjacencySpectralEmbedding(3), [2, 3]).fit(GRAPH)
    lines = file.getvalue().splitlines()
    assert any("3 of 3 eigenpairs converged, residual" in line for line in lines)
    assert any("2 clusters in" in line for line in lines)
    assert state() == before


def test_a_terminal_has_one_line_that_is_removed(at_once):
    file = Terminal()
    with lp.progress(file):
        lp.AdjacencySpectralEmbedding(3).fit(GRAPH)
    text = file.getvalue()
    assert "\n" not in text
    assert "[####################] 3 of 3 eigenpairs" in text
    assert text.endswith(" \r")  # overwritten by spaces
    widths = {len(part) for part in text.split("\r")}
    assert max(widths) < 80  # the size of a terminal of unknown size


def test_quick_fits_show_nothing():
    file, terminal = io.StringIO(), Terminal()
    for stream in (file, terminal):
        with lp.progress(stream):
            lp.AdjacencySpectralEmbedding(2).fit(np.ones((5, 5)) - np.eye(5))
        assert stream.getvalue() == ""


def test_a_notebook_has_a_bar(at_once, monkeypatch):
    shown = []
    handle = SimpleNamespace(update=shown.append)
    tools = SimpleNamespace(HTML=str, display=lambda html, display_id: shown.append(html) or handle)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1)))
    monkeypatch.setitem(sys.modules, "IPython.display", tools)
    with lp.progress():
        lp.AdjacencySpectralEmbedding(3).fit(GRAPH)
        tell(LOG, "a <b> & c")
    assert '<progress value="3" max="3"' in " ".join(shown)
    assert "a &lt;b&gt; &amp; c" in shown[-2]
    assert shown[-1].startswith("<div>finished after")


def test_a_fit_is_shown_to_the_thread_that_asked():
    heard = {name: [] for name in ("main", "other")}
    started, ended = threading.Event(), threading.Event()
    before = state()

    def other():
        with listen(heard["other"].append):
            started.set()
            tell(LOG, "from %s", "other", of=(1, 2))
            ended.wait(10)
        started.clear()

    thread = threading.Thread(target=other)
    with listen(heard["main"].append):
        thread.start()
        started.wait(10)
        tell(LOG, "from main")
    # The block of this thread has ended, the other's has not: records are still heard.
    assert LOG.isEnabledFor(logging.INFO)
    ended.set()
    thread.join(10)
    assert [step.text for step in heard["main"]] == ["from main"]
    assert [(step.text, step.done, step.total) for step in heard["other"]] == [("from other", 1, 2)]
    assert state() == before


def test_blocks_within_each_other_and_errors():
    before, outer, inner = state(), [], []

    def interrupted():
        with listen(outer.append):
            with listen(inner.append):
                tell(LOG, "both")
            tell(LOG, "one")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [step.text for step in outer] == ["both", "one"]
    assert [step.text for step in inner] == ["both"]
    assert state() == before
    with listen(lambda step: 1 / 0):  # a display that fails does not stop the computation
        lp.AdjacencySpectralEmbedding(3).fit(GRAPH)
    assert state() == before


def test_handlers_of_others_get_what_they_got_before():
    got = []
    handler = logging.Handler()
    handler.emit = lambda record: got.append(record.getMessage())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with listen(lambda step: None):
            tell(LOG, "not enabled for them")
        logging.getLogger("lpgraph").setLevel(logging.INFO)
        with listen(lambda step: None):
            tell(LOG, "enabled")
    finally:
        root.removeHandler(handler)
        logging.getLogger("lpgraph").setLevel(logging.NOTSET)
    assert got == ["enabled"]


def test_the_result_is_the_same_and_nothing_is_done_when_nobody_listens(at_once):
    plain = lp.AdjacencySpectralEmbedding(3).fit_transform(GRAPH)
    with lp.progress(io.StringIO()):
        shown = lp.AdjacencySpectralEmbedding(3).fit_transform(GRAPH)
    np.testing.assert_array_equal(plain, shown)
    began = time.perf_counter()
    for _ in range(10_000):
        tell(LOG, "nobody %d", 3)
    assert time.perf_counter() - began < 0.5  # 50 microseconds each would be 0.5 s; it is below one


@pytest.mark.parametrize("what", ["stage", "folds", "paths", "unfolding"])
def test_every_long_computation_tells_how_far_it_is(what):
    X = np.random.default_rng(0).normal(size=(60, 3))
    heard = []
    with listen(lambda step: heard.append(step)):
        if what == "stage":
            lp.VertexClassifier().fit(GRAPH, GRAPH.labels)
            assert any("cross-validation of a classifier" in step.text for step in heard)
        elif what == "folds":
            lp.infer.dimension.cross_validate(GRAPH, 2, folds=3)
            assert (3, 3) in {(step.done, step.total) for step in heard}
        elif what == "paths":
            lp.manifold.Isomap(2, n_neighbors=10).fit(X)
            assert {"nearest neighbors of 60 points", "shortest paths from 60 of 60 points"} <= {
                step.text for step in heard
            }
        else:
            lp.manifold.SemidefiniteEmbedding(2, n_neighbors=8).fit(X)
            assert any("interior point, step" in step.text or "unfolding" in step.text for step in heard)


def test_what_cannot_be_written_to():
    with pytest.raises(ArgumentTypeError, match="pass an open text file"), lp.progress("file.txt"):
        pass
