"""`progress` shows how far fits are, and leaves loggers as they were."""

import io
import logging

import numpy as np
import pytest

import lpgraph as lp
from lpgraph._utils import progress

ASE = lp.AdjacencySpectralEmbedding(3)
LOG = logging.getLogger("lpgraph.spectral")
GRAPH = lp.stochastic_block_model([400, 400], [[0.1, 0.02], [0.02, 0.1]], random_state=0)


def state():
    loggers = [logging.getLogger(name) for name in ("lpgraph", "lpgraph.spectral")]
    return [(logger.level, logger.propagate, logger.handlers[:]) for logger in loggers]


@pytest.fixture
def at_once(monkeypatch):
    for name in ("_FIRST", "_BETWEEN"):
        monkeypatch.setattr(progress, name, 0.0)


def shown(work, file=None):
    file = io.StringIO() if file is None else file
    with lp.progress(file):
        work()
    return file.getvalue()


@pytest.mark.usefixtures("at_once")
def test_results_and_loggers_are_as_before():
    before, plain = state(), ASE.fit_transform(GRAPH)
    found = []
    assert "3 of 3 eigenpairs converged" in shown(lambda: found.append(ASE.fit_transform(GRAPH)))
    np.testing.assert_array_equal(found[0], plain)
    assert state() == before


def test_quick_fits_show_nothing():
    assert shown(lambda: lp.AdjacencySpectralEmbedding(2).fit(np.ones((5, 5)) - np.eye(5))) == ""


@pytest.mark.usefixtures("at_once")
def test_errors():
    before = state()
    with pytest.raises(KeyboardInterrupt), lp.progress(io.StringIO()):
        raise KeyboardInterrupt
    assert state() == before


X = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda: lp.VertexClassifier().fit(GRAPH, GRAPH.labels), "cross-validation of a classifier"),
        (lambda: lp.VertexClustering(ASE, [2, 3]).fit(GRAPH), "2 clusters in"),
        (lambda: lp.infer.dimension.cross_validate(GRAPH, 2, folds=3), "3 of 3 folds"),
        (lambda: lp.manifold.Isomap(2, n_neighbors=10).fit(X), "shortest paths from 60 of 60 points"),
        (lambda: lp.manifold.SemidefiniteEmbedding(2, n_neighbors=8).fit(X), "unfolding"),
    ],
)
def test_every_long_computation_tells_how_far_it_is(work, said):
    assert said in shown(work)
