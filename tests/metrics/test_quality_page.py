"""The page of qualities of embeddings: its figures, and the claims below its table."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn import manifold

import lpgraph as lp

ROOT = Path(lp.__file__).parent.parent
PAGE = ROOT / "docs" / "results" / "quality.md"
pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks").is_dir() or not PAGE.exists(), reason="the benchmarks or their results are not here"
)
needs_data = pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="LPGRAPH_DATA is not set")
K = 10


@pytest.fixture
def read(monkeypatch):
    """Return the function of a name that returns points of the benchmark."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import _image_points

    yield lambda name: _image_points.DATA[name]()
    sys.modules.pop("_image_points")


def printed():
    """Return {(data, method): {column: text}} of the page's table."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("|")]
    head, _, *rows = lines
    return {(row[0], row[1]): dict(zip(head, row, strict=True)) for row in rows}


def values(points, model):
    found = lp.metrics.neighbor_curves(points.train, model, [K])
    return np.array([found.trustworthiness[0], found.continuity[0], found.preservation[0]])


def shown(row):
    return np.array([float(row[name]) for name in ("trustworthiness", "continuity", "preservation")])


@needs_data
@pytest.mark.parametrize(
    ("name", "method"), [("faces", "Isomap"), ("rings", "Isomap"), ("digits", "diffusion map")]
)
def test_the_figures_are_those_of_a_new_run(read, name, method):
    kind = {"Isomap": lp.manifold.Isomap, "diffusion map": lp.manifold.DiffusionMap}[method]
    points = read(name)
    model = kind(2, n_neighbors=K, components="bridge").fit(points.train)
    np.testing.assert_allclose(values(points, model), shown(printed()[name, method]), atol=2e-3)


@needs_data
@pytest.mark.parametrize("name", ["faces", "digits"])
def test_isomap_and_lle_are_as_good_as_scikit_learns(read, name):
    points = read(name)
    for ours, theirs in (
        (lp.manifold.Isomap, manifold.Isomap),
        (lp.manifold.LocallyLinearEmbedding, manifold.LocallyLinearEmbedding),
    ):
        one = values(points, ours(2, n_neighbors=K, components="bridge").fit(points.train))
        other = values(points, theirs(n_components=2, n_neighbors=K).fit(points.train))
        assert (one >= other - 0.01).all()


def test_division_by_the_root_of_the_degree_keeps_more_neighbors(read):
    points = read("digits")
    kept = {
        kind: values(
            points, lp.manifold.LaplacianEigenmaps(2, n_neighbors=K, normalization=kind).fit(points.train)
        )[2]
        for kind in ("symmetric", "random_walk")
    }
    assert kept["random_walk"] > 1.5 * kept["symmetric"]
