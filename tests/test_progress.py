"""`progress` shows how far fits are, and leaves loggers as they were."""

import io
import logging
import time
from types import SimpleNamespace

import numpy as np
import pytest

import lpgraph as lp
from lpgraph._utils import progress
from lpgraph._utils.progress import tell
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
        monkeypatch.setattr(progress, name, 0.0)


def lines_of(work):
    file = io.StringIO()
    with lp.progress(file):
        work()
    return file.getvalue()


@pytest.mark.usefixtures("at_once")
def test_a_file_gets_a_line_for_each_step_and_loggers_are_as_before():
    before = state()
    plain = lp.AdjacencySpectralEmbedding(3).fit_transform(GRAPH)
    text = lines_of(
        lambda: np.testing.assert_array_equal(lp.AdjacencySpectralEmbedding(3).fit_transform(GRAPH), plain)
    )
    assert "3 of 3 eigenpairs converged, residual" in text
    assert state() == before


@pytest.mark.usefixtures("at_once")
def test_a_terminal_has_one_line_that_is_removed():
    file = Terminal()
    with lp.progress(file):
        lp.AdjacencySpectralEmbedding(3).fit(GRAPH)
    text = file.getvalue()
    assert "\n" not in text
    assert "3 of 3 eigenpairs" in text
    assert text.endswith(" \r")  # overwritten by spaces


def test_quick_fits_show_nothing():
    assert lines_of(lambda: lp.AdjacencySpectralEmbedding(2).fit(np.ones((5, 5)) - np.eye(5))) == ""


@pytest.mark.usefixtures("at_once")
def test_blocks_within_each_other_and_errors():
    before, outer, inner = state(), io.StringIO(), io.StringIO()

    def interrupted():
        with lp.progress(outer):
            with lp.progress(inner):
                tell(LOG, "both")
            tell(LOG, "one")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [line.split(" s ")[1] for line in outer.getvalue().splitlines()] == ["both", "one"]
    assert "one" not in inner.getvalue()
    assert state() == before
    broken = SimpleNamespace(write=None, flush=None)
    with lp.progress(broken):  # a display that fails does not stop the computation
        lp.AdjacencySpectralEmbedding(3).fit(GRAPH)


def test_handlers_of_others_get_what_they_got_before(caplog):
    with lp.progress(io.StringIO()):
        tell(LOG, "not enabled for them")
    with caplog.at_level(logging.INFO, "lpgraph"), lp.progress(io.StringIO()):
        tell(LOG, "enabled")
    assert [record.getMessage() for record in caplog.records] == ["enabled"]


def test_nothing_is_done_when_nobody_listens():
    began = time.perf_counter()
    for _ in range(10_000):
        tell(LOG, "nobody %d", 3)
    assert time.perf_counter() - began < 0.5  # 50 microseconds each would be 0.5 s; it is below one


X = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda: lp.VertexClassifier().fit(GRAPH, GRAPH.labels), "cross-validation of a classifier"),
        (lambda: lp.VertexClustering(lp.AdjacencySpectralEmbedding(3), [2, 3]).fit(GRAPH), "2 clusters in"),
        (lambda: lp.infer.dimension.cross_validate(GRAPH, 2, folds=3), "3 of 3 folds"),
        (lambda: lp.manifold.Isomap(2, n_neighbors=10).fit(X), "shortest paths from 60 of 60 points"),
        (lambda: lp.manifold.SemidefiniteEmbedding(2, n_neighbors=8).fit(X), "unfolding"),
    ],
)
def test_every_long_computation_tells_how_far_it_is(work, said):
    assert said in lines_of(work)


def test_what_cannot_be_written_to():
    with pytest.raises(ArgumentTypeError, match="file"), lp.progress("file.txt"):
        pass
