"""Approximate neighbors: the same for any number of threads and in any batch, and nearly all of the exact ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.points import search
from lpgraph.points.neighborhood import Neighborhood


def sheets(n, p=12, seed=0):
    """Return points on curved sheets of four dimensions, with some copies."""
    rng = np.random.default_rng(seed)
    plane = rng.uniform(-1, 1, size=(n, 4))
    wave = np.sin(plane @ rng.normal(size=(4, p)) * 2) + 4 * rng.integers(0, 3, size=(n, 1))
    wave[::500] = wave[0]
    return wave


X = sheets(6000)
NEW = np.concatenate((X[::40], sheets(300, seed=0) + 0.01, np.full((1, 12), 40.0)))


@pytest.fixture(scope="module", autouse=True)
def cells_for_few():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_SHARE", np.inf)
        yield


@pytest.fixture(scope="module")
def hood(cells_for_few):
    return Neighborhood.of(X, n_neighbors=10, neighbors="approximate")


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("indptr", "indices", "data"))


def test_recall_is_what_is_stated(hood):
    exact = lp.neighbor_graph(X, n_neighbors=10)
    ours = hood.distances
    found = ours.multiply(exact > 0).nnz / (exact > 0).sum()
    # The estimate is from 500 points with 10 neighbors; its standard error is below 0.003 for a recall of 0.98,
    # even if the neighbors of a point are all found or all missed; mutual edges are found twice as often.
    assert hood.recall >= 0.97
    assert found >= hood.recall - 0.01
    assert found < 1  # otherwise nothing here is approximate
    # Distances are exact.
    np.testing.assert_array_equal(ours.multiply(exact > 0).tocsr().sum(), exact.multiply(ours > 0).tocsr().sum())


def test_the_number_of_threads_does_not_matter(hood, monkeypatch):
    for threads in ("1", "3"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        again = Neighborhood.of(X, n_neighbors=10, neighbors="approximate")
        assert same(again.distances, hood.distances)
        assert again.recall == hood.recall
        assert same(again.rows(NEW), hood.rows(NEW))


def test_a_training_point_has_the_neighbors_it_had(hood):
    rows = hood.rows(X[:700])
    expected = hood.distances[:700]
    # Each also has itself at distance 0, which is stored.
    assert rows.nnz == expected.nnz + 700
    assert (rows != expected).nnz == 0
    assert hood.rows(X[:0]).shape == (0, 6000)


@pytest.mark.parametrize(("k", "metric"), [(1, "euclidean"), (200, "euclidean"), (5, "cosine")])
def test_any_number_of_neighbors_and_cosine_distances(k, metric):
    hood = Neighborhood.of(X, n_neighbors=k, metric=metric, neighbors="approximate")
    exact = lp.neighbor_graph(X, n_neighbors=k, metric=metric)
    assert (np.diff(hood.distances.indptr) >= k).all()
    assert (hood.distances > 0).multiply(exact > 0).sum() >= 0.95 * (exact > 0).sum()
    nearest, distances = hood.nearest(NEW[:5], 4000)  # more than the cells hold
    assert nearest.shape == (5, 4000)
    assert (np.diff(distances, axis=1) >= 0).all()


METHODS = {
    "DiffusionMap": {"components": "largest"},
    "SpectralClustering": {"n_clusters": 3},
    "Isomap": {"landmarks": 50, "components": "bridge"},
    "LocallyLinearEmbedding": {"n_neighbors": 8, "components": "largest"},
    "LocalTangentSpaceAlignment": {"components": "largest"},
    "SemidefiniteEmbedding": {"n_neighbors": 6, "landmarks": 20},
}


@pytest.mark.parametrize("name", METHODS)
def test_all_methods_take_approximate_neighbors(name, tmp_path):
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(5200, 2)) @ rng.normal(size=(2, 6))  # a flat sheet
    model = getattr(lp.manifold, name)(**METHODS[name], neighbors="approximate").fit(points)
    assert 0.9 < model.recall_ <= 1
    positions = model.transform(points[:20] + 0.001)
    assert np.isfinite(positions).all()
    lp.save(model, tmp_path / "model.lpg")
    np.testing.assert_array_equal(lp.load(tmp_path / "model.lpg").transform(points[:20] + 0.001), positions)


def test_small_sets_low_dimensions_and_sizes_below_the_limit_are_exact():
    for points, neighbors in ((X[:400], "approximate"), (X[:, :3], "approximate"), (X, 6000), (X, 10**9)):
        hood = Neighborhood.of(points, n_neighbors=4, neighbors=neighbors)
        assert hood.cells is None
        assert hood.recall == 1
    assert Neighborhood.of(X, n_neighbors=4, neighbors=5999).cells is not None


WRONG = {
    "radius": (X, {"radius": 1.0}),
    "norm": (X, {"n_neighbors": 3, "metric": "cityblock"}),
    "function": (X, {"n_neighbors": 3, "metric": lambda a, b: 1.0}),
    "sparse": (sparse.csr_array(X), {"n_neighbors": 3}),
    "distances": (np.zeros((5, 5)), {"n_neighbors": 3, "metric": "precomputed"}),
    **{str(wrong): (X[:50], {"n_neighbors": 3, "neighbors": wrong}) for wrong in ("nearly", -1, 2.5, None)},
}


@pytest.mark.parametrize("case", WRONG)
def test_what_it_cannot_do_is_refused(case):
    points, options = WRONG[case]
    with pytest.raises((ArgumentError, TypeError), match="neighbors"):
        Neighborhood.of(points, **{"neighbors": "approximate"} | options)


def test_where_most_cells_are_needed_the_search_is_exact(monkeypatch):
    monkeypatch.setattr(search, "_SHARE", 1 / 3)
    points = np.random.default_rng(0).normal(size=(6000, 15))
    hood = Neighborhood.of(points, n_neighbors=5, neighbors="approximate")
    assert hood.cells is None
    assert hood.recall == 1
