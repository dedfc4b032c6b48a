"""Points of other types and in mapped files give the same results, to the last bit."""

from __future__ import annotations

import pickle
import re
import tracemalloc

import numpy as np
import pytest
from fuzz.zoo import POINTS
from scipy import sparse

import lpgraph as lp
import lpgraph.saved
from lpgraph.errors import ArgumentError
from lpgraph.linalg import room
from lpgraph.points import checks, rows
from lpgraph.points.checks import check_points
from lpgraph.points.equal_rows import _suspects, copies, distinct
from lpgraph.points.metric import coordinates_of, geometry
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.rows import box, doubles, is_mapped, mean_of
from lpgraph.points.search import cells, chosen, lower_bounds, products, tile_search
from lpgraph.points.search.cell_search import CellSearch
from lpgraph.points.search.cells import divide
from lpgraph.points.search.neighbor_pairs import SLACK, kth_smallest
from lpgraph.points.search.products import ProductSearch
from lpgraph.points.search.tile_search import TileSearch
from lpgraph.points.search.tree import TreeSearch

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")

RNG = np.random.default_rng(0)
DTYPES = ["float16", "float32", ">f4", "uint8", "int64", "bool", "float64"]


def mapped(array, path):
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def assert_same_graph(one, other):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("where", ["memory", "file", "file, by columns", "memory, strided"])
def test_points_are_kept_in_their_own_type(dtype, where, tmp_path, monkeypatch):
    given = (RNG.normal(size=(40, 6)) * 50).clip(0).astype(dtype)
    if where.startswith("file"):
        given = mapped(np.asfortranarray(given) if "columns" in where else given, tmp_path / "X.npy")
    elif "strided" in where:
        given = np.repeat(given, 2, axis=1)[:, ::2]
    expected = np.array(given, dtype=np.float64, order="C")
    monkeypatch.setattr(checks, "_FEW", 0)
    points = check_points("X", given)
    assert is_mapped(points) == (where == "file")
    assert points.dtype == (np.dtype(dtype) if where == "file" else np.dtype(dtype).newbyteorder("="))
    np.testing.assert_array_equal(doubles(points), expected)
    for ours, theirs in zip(box(points), (expected.min(axis=0), expected.max(axis=0)), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(mean_of(points), mean_of(expected))


def test_a_change_of_the_array_that_was_passed_changes_nothing():
    given = RNG.normal(size=(30, 3)).astype(np.float32)
    hood = Neighborhood.of(given, n_neighbors=3)
    expected = hood.rows(given[:5]).toarray()
    new = given[:5].copy()
    given[:] = 0
    np.testing.assert_array_equal(hood.rows(new).toarray(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_minus_zero_in_a_file_is_zero(dtype, tmp_path):
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 3.0], [0.0, -0.0]], dtype=dtype)
    points = check_points("X", mapped(X, tmp_path / "X.npy"))
    np.testing.assert_array_equal(distinct(points)[1], [0, 0, 1, 2])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_found_in_its_piece(value, tmp_path, monkeypatch):
    monkeypatch.setattr("lpgraph.points.rows._BLOCK", 40)
    X = np.zeros((50, 4), dtype=np.float32)
    X[33, 2] = value
    with pytest.raises(ArgumentError, match=re.escape(f"X[33, 2] is {value}")):
        lp.neighbor_graph(mapped(X, tmp_path / "X.npy"), n_neighbors=2)


@pytest.mark.parametrize(("metric", "value"), [("cosine", 0.0), ("correlation", 3.0)])
def test_a_point_without_direction_is_found_in_its_piece(metric, value, monkeypatch):
    monkeypatch.setattr("lpgraph.points.rows._BLOCK", 40)
    X = RNG.normal(size=(50, 4)).astype(np.float32)
    X[33] = value
    for points in (X, X.astype(float)):
        with pytest.raises(ArgumentError, match="point 33,"):
            lp.neighbor_graph(points, n_neighbors=2, metric=metric)


def test_points_out_of_range_are_refused_in_a_file(tmp_path):
    X = np.zeros((20, 2))
    X[7] = 1e150
    with pytest.raises(ArgumentError, match="up to 1e\\+150"):
        lp.manifold.Isomap().fit(mapped(X, tmp_path / "X.npy"))


@pytest.mark.parametrize("p", [1, 3, 9])
def test_copies_are_found_by_hashes_and_compared(p):
    X = RNG.integers(0, 3, size=(500, p)).astype(np.uint8)
    _, first, place, times = np.unique(X, axis=0, return_index=True, return_inverse=True, return_counts=True)
    ours, where = distinct(X)
    np.testing.assert_array_equal(ours, np.sort(first))
    np.testing.assert_array_equal(ours[where], first[place.ravel()])
    np.testing.assert_array_equal(np.sort(copies(X)), np.sort(times[times > 1]))


def test_equal_hashes_of_different_points_do_no_harm(monkeypatch):
    monkeypatch.setattr("lpgraph.points.equal_rows._hashes", lambda rows, factors: np.zeros(len(rows), np.uint64))
    X = RNG.integers(0, 2, size=(60, 4)).astype(np.float32)
    np.testing.assert_array_equal(distinct(X)[0], np.sort(np.unique(X, axis=0, return_index=True)[1]))


def test_integers_of_hashes_differ():
    # All points with coordinates from 0 to 9, whose doubles have few bits: no two have one hash.
    X = np.stack(np.meshgrid(*[np.arange(10)] * 5), axis=-1).reshape(-1, 5).astype(np.uint8)
    assert not _suspects(X).size


@pytest.fixture
def tiles_for_few(monkeypatch):
    monkeypatch.setattr(tile_search, "_WORTHWHILE", 0)


def by_the_rule(search, new, count, radii):
    """Return the pairs that are wanted, of those that a search lists."""
    pairs = search.near(new, count, search.reach(radii))
    limit = np.maximum(kth_smallest(pairs, np.full(len(new), count))[pairs.row], radii[pairs.column])
    return pairs.where(pairs.distance <= limit * (1 + SLACK))


@pytest.mark.usefixtures("tiles_for_few")
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "seuclidean", "mahalanobis"])
@pytest.mark.parametrize("kind", [TreeSearch, ProductSearch, TileSearch, CellSearch])
def test_every_search_finds_the_same(kind, metric, kept, monkeypatch):
    if not kept:
        monkeypatch.setattr(lower_bounds, "_KEPT", 0)
    monkeypatch.setattr(cells, "_SHARE", np.inf)
    X = (RNG.normal(size=(400, 7)) + 3).astype(np.float32)
    X[100:110] = X[:10]  # ties
    new = np.concatenate((X[::40], X[::40] * np.float32(1.01)))
    radii, labels = np.where(np.arange(400) % 5, 0.0, 0.3), np.arange(400) % 3
    found = []
    for points, others in ((X, new), (X.astype(float), new.astype(float))):
        form = geometry(points, metric)
        coordinates = coordinates_of(points, form)
        more = (divide(coordinates, 5, np.random.default_rng(1)),) if kind is CellSearch else ()
        search = kind(400, form, coordinates, *more)
        foreign = search.foreign(points, labels, labels)
        found += [
            *by_the_rule(search, points, 6, np.zeros(400)),
            *by_the_rule(search, others, 4, radii),
            kth_smallest(foreign, np.ones(400, dtype=np.intp)),
        ]
    for one, other in zip(found[:7], found[7:], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("tiles_for_few")
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("where", ["memory", "file"])
@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
def test_neighbor_graphs_are_the_same(dtype, where, kept, tmp_path, monkeypatch):
    # 5000 points: searched by tiles if a tree is slow. Factors of 0 bytes are kept: all are made tile by tile.
    if not kept:
        monkeypatch.setattr(lower_bounds, "_KEPT", 0)
        monkeypatch.setattr(chosen, "_CONVERTED", 0)
    X = (RNG.normal(size=(5000, 30)) * 60 + 128).clip(0, 255).astype(dtype)
    X[4000:4100] = X[:100]
    new = X[::50] if dtype == "uint8" else X[::50] * X.dtype.type(1.001)
    given = mapped(X, tmp_path / "X.npy") if where == "file" else X
    for metric in ("euclidean", "cosine"):
        one = Neighborhood.of(given, n_neighbors=6, metric=metric)
        with monkeypatch.context() as usual:
            usual.setattr(lower_bounds, "_KEPT", 1 << 28)
            other = Neighborhood.of(X.astype(float), n_neighbors=6, metric=metric)
            expected = other.rows(new.astype(float))
        assert_same_graph(one.distances, other.distances)
        assert_same_graph(one.rows(new), expected)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_a_mapped_file_is_never_converted_whole(dtype, metric, tmp_path, monkeypatch):
    X = (RNG.normal(size=(6000, 300)) * 60 + 128).clip(0, 255).astype(dtype)
    given = mapped(X, tmp_path / "X.npy")
    lp.neighbor_graph(given[:4500], n_neighbors=10, metric=metric)  # imports and compiled loops
    for module, name in ((lower_bounds, "_KEPT"), (chosen, "_CONVERTED"), (products, "_HELD"), (room, "_SMALL")):
        monkeypatch.setattr(module, name, 0)
    for module, name in ((rows, "_BLOCK"), (lower_bounds, "_PART")):
        monkeypatch.setattr(module, name, 1 << 12)
    monkeypatch.setitem(room._limits, "memory", 1 << 22)
    tracemalloc.start()
    try:
        Neighborhood.of(given, n_neighbors=10, metric=metric).rows(X[:10])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # As doubles, the points take 14.4 MB.
    assert peak < 7e6, peak


def by_coordinates(method, settings):
    """Return whether the points are passed as coordinates."""
    return not {"precomputed"} & {settings.get(key) for key in ("metric", "affinity", "kernel")}


@pytest.mark.parametrize(
    ("method", "settings"), [case for case in POINTS if by_coordinates(*case)], ids=lambda case: str(case)[:40]
)
@pytest.mark.parametrize("where", ["float32", "file", "uint8"])
def test_every_method_gives_the_same_bits(method, settings, where, tmp_path, monkeypatch):
    t = 1.5 * np.pi * (1 + 2 * RNG.uniform(size=60))
    roll = np.column_stack([t * np.cos(t), 8 * RNG.uniform(size=60), t * np.sin(t)]).astype(np.float32)
    if where == "uint8":
        roll = np.round(3 * (roll + 20)).astype(np.uint8)
    X, new = roll[:50], roll[45:]
    given = mapped(X, tmp_path / "X.npy") if where == "file" else X
    make = getattr(lp.manifold, method)
    if settings.get("components") is None and method not in ("ClassicalMDS", "KernelPCA", "SpectralClustering"):
        settings = {**settings, "n_neighbors": 10} if method != "SemidefiniteEmbedding" else settings
    model, expected = make(**settings).fit(given), make(**settings).fit(X.astype(float))
    np.testing.assert_array_equal(model.embedding_, expected.embedding_)
    np.testing.assert_array_equal(model.eigenvalues_, expected.eigenvalues_)
    placed = expected.transform(new.astype(float))
    lp.save(model, tmp_path / "model.lpg")
    for one in (model, lp.load(tmp_path / "model.lpg"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(one.transform(new), placed)
        np.testing.assert_array_equal(one.transform(new.astype(float)), placed)
        np.testing.assert_array_equal(one.transform(new[-1:]), placed[-1:])


@pytest.mark.slow
def test_a_saved_model_holds_the_points_in_their_own_type(tmp_path):
    X = RNG.normal(size=(3000, 20))
    sizes = {}
    for dtype in ("float64", "float32", "float16"):
        lp.save(
            lp.manifold.LaplacianEigenmaps(2).fit(mapped(X.astype(dtype), tmp_path / "X.npy")), tmp_path / "m.lpg"
        )
        sizes[dtype] = (tmp_path / "m.lpg").stat().st_size
    # Lists of neighbors differ by rounding only: 3000 points of 20 coordinates, less the padding of a page or two.
    assert abs(sizes["float64"] - sizes["float32"] - 3000 * 20 * 4) < 50_000
    assert abs(sizes["float32"] - sizes["float16"] - 3000 * 20 * 2) < 50_000


def test_measures_of_points_in_other_types():
    X = RNG.normal(size=(200, 5)).astype(np.float32)
    model = lp.manifold.Isomap(2, n_neighbors=8).fit(X)
    again = lp.manifold.Isomap(2, n_neighbors=8).fit(X.astype(float))
    measure = lp.metrics.neighbor_measure
    assert measure(X, model).mean == measure(X.astype(float), again).mean


def test_dense_new_points_of_a_sparse_model_and_sparse_ones_of_a_dense_model():
    X = sparse.random_array((60, 12), density=0.5, rng=np.random.default_rng(0), format="csr")
    by_rows = lp.manifold.LaplacianEigenmaps(2).fit(X)
    dense = lp.manifold.LaplacianEigenmaps(2).fit(X.toarray().astype(np.float32))
    new = X[:9].astype(np.float32)
    np.testing.assert_array_equal(by_rows.transform(new.toarray()), by_rows.transform(new))
    np.testing.assert_array_equal(dense.transform(new.toarray()), dense.transform(new))
