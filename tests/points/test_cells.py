"""Approximate neighbors: the same for any number of threads and in any batch, and nearly all of the exact ones."""

from __future__ import annotations

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, MissingDependencyError
from lpgraph.points import find_neighbors as module
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.search import cells


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
        patch.setattr(cells, "_SHARE", np.inf)
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


def test_a_new_point_has_the_same_neighbors_alone_and_in_any_batch(hood):
    rows = hood.rows(NEW).toarray()
    order = np.random.default_rng(0).permutation(len(NEW))
    np.testing.assert_array_equal(hood.rows(NEW[order]).toarray(), rows[order])
    for i in range(0, len(NEW), 9):
        np.testing.assert_array_equal(hood.rows(NEW[[i]]).toarray()[0], rows[i])


def test_a_training_point_has_the_neighbors_it_had(hood):
    rows = hood.rows(X[:700])
    expected = hood.distances[:700]
    # Each also has itself at distance 0, which is stored.
    assert rows.nnz == expected.nnz + 700
    assert (rows != expected).nnz == 0


def test_another_seed_gives_other_cells(hood):
    other = Neighborhood.of(X, n_neighbors=10, neighbors="approximate", random_state=1)
    assert not np.array_equal(other.cells.centres, hood.cells.centres)
    assert other.recall >= 0.97


@pytest.mark.parametrize("k", [1, 200])
def test_any_number_of_neighbors(k):
    hood = Neighborhood.of(X, n_neighbors=k, neighbors="approximate")
    assert (np.diff(hood.distances.indptr) >= k).all()
    assert hood.recall >= 0.97


def test_more_neighbors_than_the_cells_hold(hood):
    nearest, distances = hood.nearest(NEW[:5], 4000)
    assert nearest.shape == (5, 4000)
    assert (np.diff(distances, axis=1) >= 0).all()


def test_cosine_distances():
    ours = lp.neighbor_graph(X, n_neighbors=5, metric="cosine", neighbors="approximate")
    exact = lp.neighbor_graph(X, n_neighbors=5, metric="cosine")
    assert (ours > 0).multiply(exact > 0).sum() >= 0.95 * (exact > 0).sum()


@pytest.mark.parametrize(
    "model",
    [
        lp.manifold.LaplacianEigenmaps(2, components="largest"),
        lp.manifold.DiffusionMap(2, components="largest"),
        lp.manifold.SpectralClustering(3),
        lp.manifold.Isomap(2, landmarks=50, components="bridge"),
        lp.manifold.LocallyLinearEmbedding(2, n_neighbors=8, components="largest"),
        lp.manifold.LocalTangentSpaceAlignment(2, components="largest"),
        lp.manifold.SemidefiniteEmbedding(2, n_neighbors=6, landmarks=20, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_all_methods_take_approximate_neighbors(model, tmp_path):
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(5200, 2)) @ rng.normal(size=(2, 6))  # a flat sheet
    model.set_params(neighbors="approximate").fit(points)
    assert 0.9 < model.recall_ <= 1
    new = points[:20] + 0.001
    positions = model.transform(new)
    assert np.isfinite(positions).all()
    lp.save(model, tmp_path / "model.lpg")
    np.testing.assert_array_equal(lp.load(tmp_path / "model.lpg").transform(new), positions)


def test_small_sets_low_dimensions_and_sizes_below_the_limit_are_exact():
    for points, neighbors in ((X[:400], "approximate"), (X[:, :3], "approximate"), (X, 6000), (X, 10**9)):
        hood = Neighborhood.of(points, n_neighbors=4, neighbors=neighbors)
        assert hood.cells is None
        assert hood.recall == 1
    assert Neighborhood.of(X, n_neighbors=4, neighbors=5999).cells is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": 1.0}, "radius; pass n_neighbors"),
        ({"n_neighbors": 3, "metric": "cityblock"}, "pass a Euclidean metric"),
        ({"n_neighbors": 3, "metric": lambda a, b: 1.0}, "pass a Euclidean metric"),
    ],
)
def test_what_it_cannot_do_is_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        Neighborhood.of(X, **options, neighbors="approximate")


@pytest.mark.parametrize("neighbors", ["nearly", -1, 2.5, None])
def test_wrong_values(neighbors):
    with pytest.raises((ArgumentError, TypeError), match="neighbors"):
        Neighborhood.of(X[:50], n_neighbors=3, neighbors=neighbors)


def test_sparse_points_distances_and_all_pairs_are_refused():
    from scipy import sparse

    with pytest.raises(ArgumentError, match="sparse points"):
        Neighborhood.of(sparse.csr_array(X), n_neighbors=3, neighbors="approximate")
    with pytest.raises(ArgumentError, match="distances"):
        Neighborhood.of(np.zeros((5, 5)), n_neighbors=3, metric="precomputed", neighbors="approximate")
    with pytest.raises(ArgumentError, match="all pairs are similar"):
        lp.manifold.DiffusionMap(2, n_neighbors=None, sigma=1.0, neighbors="approximate").fit(X[:50])
    with pytest.raises(ArgumentError, match="neighbors"):
        lp.manifold.LaplacianEigenmaps(1, n_neighbors=None, affinity="precomputed", neighbors="approximate").fit(
            np.ones((9, 9))
        )


def test_where_most_cells_are_needed_the_search_is_exact(monkeypatch):
    monkeypatch.setattr(cells, "_SHARE", 1 / 3)
    hood = Neighborhood.of(
        np.random.default_rng(0).normal(size=(6000, 15)), n_neighbors=5, neighbors="approximate"
    )
    assert hood.cells is None
    assert hood.recall == 1


def test_without_numba(monkeypatch):
    monkeypatch.setattr(module, "available", lambda: False)
    with pytest.raises(MissingDependencyError, match="neighbors='exact'"):
        Neighborhood.of(X, n_neighbors=3, neighbors="approximate")
