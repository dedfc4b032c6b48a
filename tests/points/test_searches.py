"""Every way of searching finds the same pairs, to the last bit, in clouds of many kinds."""

from __future__ import annotations

import numpy as np
import pytest

from lpgraph.points import search, tiles
from lpgraph.points.metric import SLACK, coordinates_of, geometry, pair_distances
from lpgraph.points.search import Cells, NormSearch, Pairs, divide, kth_smallest

WAYS = ("_by_tree", "_by_products", "_by_tiles")


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


def special_clouds():
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(900, 20))
    close = rng.normal(size=(900, 40)) / 6
    close[:810] *= 1e-8
    close[:300] += 0.5
    return {
        "two groups within 1e-8": rng.permutation(close),
        "more coordinates than points": rng.normal(size=(300, 500)),
        "lattice, with more ties than a list holds": rng.integers(0, 3, size=(800, 7)).astype(float),
        "copies": np.repeat(normal[:90], 9, axis=0),
        "clusters that single precision does not resolve": normal[:, :12]
        + 1e5 * rng.integers(0, 2, size=(900, 1)),
        "an outlier": np.concatenate((normal, np.full((1, 20), 1e30))),
        "tiny": normal * 1e-140,
        "huge": normal * 1e90,
        "all in one place but one": np.concatenate((np.zeros((40, 6)), np.ones((1, 6)))),
    }


SPECIAL = special_clouds()


def by_the_rule(pairs, m, count, radii=None):
    """Return those candidates that are wanted."""
    own = kth_smallest(pairs, np.full(m, count)) if count else np.full(m, -1.0)
    limit = own[pairs.row] if radii is None else np.maximum(own[pairs.row], radii[pairs.column])
    return pairs.where(pairs.distance <= limit * (1 + SLACK))


def all_pairs(X, new, metric="euclidean"):
    form = geometry(X, metric)
    X, new = (coordinates_of(points, form) for points in (X, new))
    row, column = np.indices((len(new), len(X))).reshape(2, -1)
    return Pairs(row, column, form.forward(pair_distances(new, row, X, column, 2.0)))


def near_by(way, X, new, count, radii=None, metric="euclidean", cells=None):
    form = geometry(X, metric)
    one = NormSearch(form, coordinates_of(X, form), cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NormSearch, "_keys", lambda self, *arguments: getattr(self, way)(*arguments))
        return one.near(new, count, radii)


def assert_equal(one, other):
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def assert_same(way, X, new, k, radii):
    assert_equal(by_the_rule(all_pairs(X, X), len(X), k), by_the_rule(near_by(way, X, X, k), len(X), k))
    expected = all_pairs(X, new)
    for count, reach in ((k, None), (k, radii), (0, radii), (len(X), None)):
        found = near_by(way, X, new, count, reach)
        assert_equal(by_the_rule(expected, len(new), count, reach), by_the_rule(found, len(new), count, reach))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("way", WAYS)
def test_random_clouds(way, seed, monkeypatch):
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "3" if seed % 2 else "1")
    X, new, k, radii = cloud(seed)
    if way == "_by_tree":  # which is chosen for few coordinates
        X, new = X[:, :6].copy(), new[:, :6].copy()
    assert_same(way, X, new, k, radii)


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("way", ["_by_products", "_by_tiles"])
def test_special_clouds(way, name):
    X = SPECIAL[name]
    rng = np.random.default_rng(1)
    new = np.concatenate((X[::9], X[::7] * 1.01, X[:3] * 50, rng.normal(size=(20, X.shape[1])) * X.std()))
    radius = np.median(kth_smallest(all_pairs(X, X), np.full(len(X), 7))) or 1.0
    assert_same(way, X, new, 6, np.full(len(X), radius))


def test_points_close_together_beside_large_ones_give_few_pairs():
    """As positions of networks: most lie within 1e-9 of 0, where bounds about the mean tell nothing."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1500, 10)) * 10.0 ** rng.uniform(-12, 0, size=(1500, 1))
    pairs = near_by("_by_tiles", X, X, 10)
    assert len(pairs.row) < 3 * 10 * 1500
    assert_equal(by_the_rule(all_pairs(X, X), 1500, 10), by_the_rule(pairs, 1500, 10))


@pytest.mark.parametrize("kept", [0, 1 << 28])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "sqeuclidean"])
@pytest.mark.parametrize("way", WAYS)
def test_metrics_and_types(way, metric, kept, monkeypatch):
    monkeypatch.setattr(tiles, "_KEPT", kept)
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(400, 7)) + 3).astype(np.float32)
    X[100:110] = X[:10]  # ties
    new, radii = np.concatenate((X[::40], X[::40] * np.float32(1.01))), np.where(np.arange(400) % 5, 0.0, 0.3)
    expected = by_the_rule(all_pairs(X.astype(float), new.astype(float), metric), len(new), 4, radii)
    for dtype in (np.float32, np.float64):
        found = near_by(way, X.astype(dtype), new.astype(dtype), 4, radii, metric)
        assert_equal(by_the_rule(found, len(new), 4, radii), expected)


@pytest.mark.parametrize("seed", [*range(20), 1003])
def test_all_cells_are_the_exact_search_and_some_do_not_depend_on_the_batch(seed, monkeypatch):
    monkeypatch.setattr(search, "_SHARE", np.inf)
    X, new, k, radii = cloud(seed)
    if len(X) <= k:
        X = np.concatenate((X, X + X.std() * np.random.default_rng(0).normal(size=X.shape)))
        radii = np.tile(radii, 2)
    divided = divide(X, k, np.random.default_rng(1))
    every = Cells(divided.centres, divided.cell, len(divided.centres), 1.0)
    found = near_by("_by_tiles", X, new, k, radii, cells=every)
    assert_equal(by_the_rule(all_pairs(X, new), len(new), k, radii), by_the_rule(found, len(new), k, radii))
    # A point alone finds what it finds with others, also if its cells hold too few points.
    together = by_the_rule(near_by("_by_tiles", X, new, k, radii, cells=divided), len(new), k, radii)
    for i in range(0, len(new), 6):
        alone = by_the_rule(near_by("_by_tiles", X, new[[i]], k, radii, cells=divided), 1, k, radii)
        assert_equal(together.where(together.row == i)[1:], alone[1:])
