"""Random clouds of many kinds: every search of Euclidean neighbors finds the same pairs, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from lpgraph.points.metric import geometry
from lpgraph.points.search import cell_search, cells, tile_search
from lpgraph.points.search.cell_search import CellSearch
from lpgraph.points.search.cells import Cells, divide
from lpgraph.points.search.neighbor_pairs import SLACK, kth_smallest
from lpgraph.points.search.products import ProductSearch
from lpgraph.points.search.tile_search import TileSearch
from lpgraph.points.search.tree import TreeSearch


def cloud(seed):
    """Return points, new points, a number of neighbors and radii."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 600)), int(rng.integers(1, 40))
    X = rng.normal(size=(n, p))
    kinds = {
        0: lambda: np.round(X * rng.integers(1, 4)),
        1: lambda: X[rng.integers(0, max(1, n // 5), size=n)],
        2: lambda: X * 10.0 ** rng.integers(-6, 7, size=p),
        3: lambda: X + 10.0 ** rng.integers(0, 9) * rng.integers(0, 3, size=(n, 1)),
        4: lambda: X * np.exp(5 * rng.normal(size=(n, 1))),
        5: lambda: X * 10.0 ** rng.integers(-90, 90),
        6: lambda: X * (np.arange(p) == 0),
        7: lambda: np.cumsum(X, axis=0),
    }
    X = kinds.get(int(rng.integers(9)), lambda: X)()
    near = X[rng.integers(0, n, size=20)] * (1 + 10.0 ** -rng.integers(0, 12))
    wide = rng.normal(size=(10, p)) * X.std() * 10.0 ** rng.integers(-3, 6)
    new = np.concatenate((X[rng.integers(0, n, size=5)], near, wide))
    return X, new, int(rng.integers(1, min(n, 40) + 1)), np.abs(rng.normal(size=n)) * X.std()


def by_the_rule(search, new, count, radii=None):
    pairs = search.near(new, count, None if radii is None else search.reach(radii))
    own = kth_smallest(pairs, np.full(len(new), count)) if count else np.full(len(new), -1.0)
    limit = own[pairs.row] if radii is None else np.maximum(own[pairs.row], radii[pairs.column])
    return pairs.where(pairs.distance <= limit * (1 + SLACK))


def assert_equal(one, other):
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.fixture(autouse=True)
def fast_ways_for_few(monkeypatch):
    monkeypatch.setattr(tile_search, "_WORTHWHILE", 0)
    monkeypatch.setattr(cells, "_SHARE", np.inf)


@pytest.mark.parametrize("seed", range(40))
def test_products_in_single_precision(seed):
    X, new, k, radii = cloud(seed)
    form = geometry(X, "euclidean")
    exact, tiles = (kind(len(X), form, X) for kind in (ProductSearch, TileSearch))
    assert_equal(by_the_rule(exact, X, k), by_the_rule(tiles, X, k))
    for count, reach in ((k, None), (k, radii), (0, radii)):
        assert_equal(by_the_rule(exact, new, count, reach), by_the_rule(tiles, new, count, reach))


@pytest.mark.parametrize("seed", range(60))
def test_trees(seed, monkeypatch):
    X, new, k, radii = cloud(seed)
    X, new = X[:, :6].copy(), new[:, :6].copy()  # a tree is chosen for few coordinates
    form = geometry(X, "euclidean")
    exact, tree = (kind(len(X), form, X) for kind in (ProductSearch, TreeSearch))
    for threads in ("1", "3"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        assert_equal(by_the_rule(exact, X, k), by_the_rule(tree, X, k))
        for count, reach in ((k, None), (k, radii), (0, radii), (len(X), None)):
            assert_equal(by_the_rule(exact, new, count, reach), by_the_rule(tree, new, count, reach))


@pytest.mark.parametrize("seed", [*range(20), 1003])
@pytest.mark.parametrize("few", [0, 1000])
def test_cells(seed, few, monkeypatch):
    X, new, k, radii = cloud(seed)
    if len(X) <= k:
        X = np.concatenate((X, X + X.std() * np.random.default_rng(0).normal(size=X.shape)))
        radii = np.tile(radii, 2)
    form = geometry(X, "euclidean")
    divided = divide(X, k, np.random.default_rng(1))
    monkeypatch.setattr(cell_search, "_FEW", few)
    # All cells: the exact search.
    everything = CellSearch(len(X), form, X, Cells(divided.centres, divided.cell, len(divided.centres), 1.0))
    exact = ProductSearch(len(X), form, X)
    assert_equal(by_the_rule(exact, new, k, radii), by_the_rule(everything, new, k, radii))
    # A point alone finds what it finds with others, also if its cells hold too few points.
    search = CellSearch(len(X), form, X, divided)
    together = by_the_rule(search, new, k, radii)
    for i in range(0, len(new), 6):
        alone = by_the_rule(search, new[[i]], k, radii)
        assert_equal(together.where(together.row == i)[1:], alone[1:])


def test_points_close_together_beside_large_ones_give_few_pairs():
    """As positions of networks: most lie within 1e-9 of 0, where the bounds of products tell nothing."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1500, 10)) * 10.0 ** rng.uniform(-12, 0, size=(1500, 1))
    form = geometry(X, "euclidean")
    exact, tiles = (kind(1500, form, X) for kind in (ProductSearch, TileSearch))
    pairs = tiles.near(X, 10)
    assert len(pairs.row) < 3 * 10 * 1500
    assert_equal(by_the_rule(exact, X, 10), by_the_rule(tiles, X, 10))
