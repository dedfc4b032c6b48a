"""Exact neighbor search by tiles of lower bounds: always the result of a look at all distances."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from lpgraph.points.bridges import shortest_bridges
from lpgraph.points.metric import geometry
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.search import chosen, make_search, tile_search
from lpgraph.points.search.chosen import ChosenSearch
from lpgraph.points.search.lower_bounds import Frame
from lpgraph.points.search.products import ProductSearch
from lpgraph.points.search.tile_search import TileSearch
from lpgraph.points.search.tiles import _rounds
from lpgraph.points.search.tree import TreeSearch


def very_close(rng, n):
    """Return two groups of points within 1e-8 of each other, and a tenth of the points far away."""
    X = rng.normal(size=(n, 40)) / 6
    X[: 9 * n // 10] *= 1e-8
    X[: n // 3] += 0.5
    X[n // 3 : 9 * n // 10] -= 0.2
    return rng.permutation(X)


def clouds():
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(900, 20))
    far = normal[:, :12] + 1e5 * rng.integers(0, 2, size=(900, 1))
    return {
        # Double precision cannot tell them apart, unless bounds are about one of them.
        "very close together": very_close(rng, 900),
        "normal": normal,
        "low": rng.normal(size=(700, 4)),
        "more coordinates than points": rng.normal(size=(300, 500)),
        # Nearly every distance is tied, with more points than a list holds.
        "lattice": rng.integers(0, 3, size=(800, 7)).astype(float),
        "copies": np.repeat(normal[:90], 9, axis=0),
        # Single precision cannot tell the points of a cluster apart.
        "clusters far apart": far,
        "one wide column": normal * np.array([1e7] + 19 * [1.0]),
        "an outlier": np.concatenate((normal, np.full((1, 20), 1e30))),
        "tiny": normal * 1e-140,
        "huge": normal * 1e140,
        "shifted": normal + 1e6,
        "sorted": np.sort(rng.normal(size=(900, 5)), axis=0),
        "all in one place but one": np.concatenate((np.zeros((40, 6)), np.ones((1, 6)))),
    }


CLOUDS = clouds()


@pytest.fixture(autouse=True)
def tiles_for_few(monkeypatch):
    monkeypatch.setattr(tile_search, "_WORTHWHILE", 0)


def by_coordinates(kind, points, metric):
    form = geometry(points, metric)
    return kind(len(points), form, form.coordinates(points))


def hood_by(kind, X, monkeypatch, **options):
    monkeypatch.setattr(
        "lpgraph.points.find_neighbors.make_search",
        lambda points, metric, cells: by_coordinates(kind, points, metric),
    )
    return Neighborhood.of(X, **options)


def assert_same_graph(one, other):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_same_bits_as_by_blocks_of_double_precision(cloud, monkeypatch):
    X = CLOUDS[cloud]
    rng = np.random.default_rng(1)
    new = np.concatenate((X[::9], X[::7] * 1.01, X[:3] * 50, rng.normal(size=(20, X.shape[1])) * X.std()))
    one = hood_by(ProductSearch, X, monkeypatch, n_neighbors=6)
    other = hood_by(TileSearch, X, monkeypatch, n_neighbors=6)
    np.testing.assert_array_equal(one.radii, other.radii)
    assert_same_graph(one.distances, other.distances)
    assert_same_graph(one.rows(new), other.rows(new))
    for ours, theirs in zip(one.nearest(new, 4), other.nearest(new, 4), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    radius = float(np.median(one.radii)) or 1.0
    one = hood_by(ProductSearch, X, monkeypatch, radius=radius)
    other = hood_by(TileSearch, X, monkeypatch, radius=radius)
    assert_same_graph(one.distances, other.distances)
    assert_same_graph(one.rows(new), other.rows(new))


def test_points_very_close_together_are_not_compared_one_by_one():
    X = CLOUDS["very close together"]
    pairs = by_coordinates(TileSearch, X, "euclidean").near(X, 11)
    # The most that a list of 11 + 7 bounds gives; all pairs of the groups would be more than 250 a point.
    assert len(pairs.row) <= 18 * len(X)


@pytest.mark.parametrize("cloud", ["normal", "lattice", "clusters far apart", "copies"])
@pytest.mark.parametrize("labels", [2, 40])
def test_bridges_are_the_same(cloud, labels, monkeypatch):
    X = CLOUDS[cloud]
    label = np.random.default_rng(2).integers(0, labels, size=len(X))
    results = []
    for kind in (ProductSearch, TileSearch):
        monkeypatch.setattr(
            "lpgraph.points.bridges.make_search",
            lambda points, metric, kind=kind: by_coordinates(kind, points, metric),
        )
        results.append(shortest_bridges(X, label))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1], results[1][1])


@pytest.mark.parametrize("metric", ["cosine", "correlation", "seuclidean", "mahalanobis", "sqeuclidean"])
def test_other_euclidean_metrics(metric, monkeypatch):
    X = CLOUDS["normal"]
    one = hood_by(ProductSearch, X, monkeypatch, n_neighbors=5, metric=metric)
    other = hood_by(TileSearch, X, monkeypatch, n_neighbors=5, metric=metric)
    assert_same_graph(one.distances, other.distances)
    assert_same_graph(one.rows(X[:50] + 0.1), other.rows(X[:50] + 0.1))


@pytest.mark.parametrize("cloud", ["normal", "lattice"])
def test_the_number_of_threads_does_not_matter(cloud, monkeypatch):
    X = np.concatenate((CLOUDS[cloud], CLOUDS[cloud][:, ::-1] + 0.5))
    graphs = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        graphs.append(hood_by(TileSearch, X, monkeypatch, n_neighbors=7).distances)
    assert_same_graph(graphs[0], graphs[1])
    assert_same_graph(graphs[0], graphs[2])


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    p=st.integers(1, 60),
    scale=st.floats(-30, 30),
    shift=st.floats(0, 1e4),
    precision=st.sampled_from([np.float32, np.float64]),
)
def test_products_are_bounds_of_squared_distances(seed, p, scale, shift, precision):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(30, p)) * np.exp(rng.normal(size=(30, 1))) + shift) * 10**scale
    new = (rng.normal(size=(20, p)) * 3 + shift) * 10**scale
    frame = Frame(X, np.dtype(precision), rng.permutation(30))
    rows = frame.rows(new)
    lower = (rows.left(np.arange(20)) @ frame.right(slice(0, 30)).T).astype(np.float64)
    true = cdist(new, X[frame.order]) ** 2 / frame.unit
    upper = lower + 2 * frame.gamma * (rows.squares[:, None] + frame.squares) + frame._tiny
    assert (lower <= true * (1 + 1e-13) + frame._tiny).all()
    assert (upper >= true * (1 - 1e-13)).all()


@pytest.mark.parametrize("many", [2, 4, 10, 16])
def test_in_a_tournament_every_two_meet_once_and_nobody_is_in_two_places(many):
    met = []
    for pairs in _rounds(many):
        assert sorted(sum(pairs, ())) == list(range(many))
        met += [tuple(sorted(pair)) for pair in pairs]
    assert sorted(met) == list(combinations(range(many), 2))


def test_the_choice_of_a_search():
    rng = np.random.default_rng(0)
    low, high = rng.normal(size=(6000, 2)), rng.normal(size=(6000, 60))
    # With 60 coordinates a tree visits nearly all points and takes many times as long.
    for X, kind in ((low, TreeSearch), (high, TileSearch)):
        search = make_search(X, "euclidean")
        assert isinstance(search, ChosenSearch)
        assert isinstance(search._for(1), ProductSearch)
        search.near(X[:4], 3)
        assert "_best" not in vars(search)
        assert isinstance(search._for(chosen._FEW_NEW), kind)


def test_one_point_at_a_time_is_blocks_first_and_a_tree_later_with_the_same_result():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(500, 3)), rng.normal(size=(60, 3))
    hood = Neighborhood.of(X, n_neighbors=4)
    again = Neighborhood(hood.points, "euclidean", 4, None, hood.radii, hood.distances)
    alone = [again.rows(one[None]) for one in new]
    together = hood.rows(new)
    for i, row in enumerate(alone):
        np.testing.assert_array_equal(row.toarray()[0], together[[i]].toarray()[0])


def test_without_numba(monkeypatch):
    X = CLOUDS["normal"]
    expected = Neighborhood.of(X, n_neighbors=5).distances
    monkeypatch.setattr(chosen, "available", lambda: False)
    assert_same_graph(Neighborhood.of(X, n_neighbors=5).distances, expected)
