"""What is passed: points of any type, mapped files, lists of distances, parameters of metrics, and wrong input."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from fuzz.zoo import POINTS
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

import lpgraph as lp
import lpgraph.saved
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.linalg import room
from lpgraph.points import checks, neighborhood, rows, search, tiles
from lpgraph.points.checks import check_points
from lpgraph.points.connect import connect
from lpgraph.points.metric import with_params
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.rows import distinct, doubles, is_mapped

pytestmark = pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
NEW = RNG.normal(size=(20, 3))
D = cdist(X, X)


def mapped(array, path):
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def same(a, b):
    """Whether two graphs have the same entries, including stored zeros."""
    a, b = (sparse.csr_array(graph) for graph in (a, b))
    a.sort_indices()
    b.sort_indices()
    pattern = np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)
    return pattern and np.allclose(a.data, b.data, rtol=1e-12, atol=0)


def assert_same_graph(one, other):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# Types and files


@pytest.mark.parametrize("dtype", ["float16", "float32", ">f4", "uint8", "int64", "bool", "float64"])
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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_minus_zero_is_zero(dtype, tmp_path):
    Y = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 3.0], [0.0, -0.0]], dtype=dtype)
    np.testing.assert_array_equal(distinct(check_points("X", mapped(Y, tmp_path / "X.npy")))[1], [0, 0, 1, 2])
    assert Neighborhood.of(Y[:3], n_neighbors=1, metric="hamming").radii.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("value", [np.nan, -np.inf, 0.0])
def test_a_number_or_a_point_that_is_refused_is_found_in_its_piece(value, tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "_BLOCK", 40)
    Y = RNG.normal(size=(50, 4)).astype(np.float32)
    Y[33] = value
    with pytest.raises(ArgumentError, match="33"):
        lp.neighbor_graph(mapped(Y, tmp_path / "X.npy"), n_neighbors=2, metric="cosine")


@pytest.mark.parametrize("p", [1, 3, 9])
@pytest.mark.parametrize("factor", [0, 1])
def test_copies_are_found_by_products_and_compared(p, factor, monkeypatch):
    class Draw:
        def normal(self, size):
            return factor * np.random.RandomState(0).normal(size=size)  # all products are equal, or few

    monkeypatch.setattr(rows.np.random, "default_rng", lambda seed: Draw())
    Y = np.random.RandomState(1).randint(0, 3, size=(500, p)).astype(np.uint8)
    _, first, place = np.unique(Y, axis=0, return_index=True, return_inverse=True)
    ours, where = distinct(Y)
    np.testing.assert_array_equal(ours, np.sort(first))
    np.testing.assert_array_equal(ours[where], first[place.ravel()])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
def test_neighbor_graphs_are_the_same(dtype, kept, metric, tmp_path, monkeypatch):
    Y = (RNG.normal(size=(5000, 30)) * 60 + 128).clip(0, 255).astype(dtype)
    Y[4000:4100] = Y[:100]
    new = Y[::50] if dtype == "uint8" else Y[::50] * Y.dtype.type(1.001)
    other = Neighborhood.of(Y.astype(float), n_neighbors=6, metric=metric)
    expected = other.rows(new.astype(float))
    if not kept:  # factors are made tile by tile
        monkeypatch.setattr(tiles, "_KEPT", 0)
    for given in (Y, mapped(Y, tmp_path / "X.npy")):
        one = Neighborhood.of(given, n_neighbors=6, metric=metric)
        assert_same_graph(one.distances, other.distances)
        assert_same_graph(one.rows(new), expected)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_a_mapped_file_is_never_converted_whole(dtype, metric, tmp_path, monkeypatch):
    Y = (RNG.normal(size=(16000, 300)) * 60 + 128).clip(0, 255).astype(dtype)
    given = mapped(Y, tmp_path / "X.npy")
    for module, name in ((tiles, "_KEPT"), (search, "_FEW_PAIRS"), (room, "_SMALL")):
        monkeypatch.setattr(module, name, 0)
    monkeypatch.setattr(rows, "_BLOCK", 1 << 12)
    monkeypatch.setitem(room._limits, "memory", 1 << 22)
    Neighborhood.of(given[:4500], n_neighbors=10, metric=metric).rows(Y[:10])  # imports and compiled loops
    tracemalloc.start()
    try:
        Neighborhood.of(given, n_neighbors=10, metric=metric).rows(Y[:10])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # As doubles, the points take 38 MB. Each thread has some copies of 1024 of them.
    assert peak < 30e6, peak


BY_COORDINATES = [
    case for case in POINTS if "precomputed" not in [case[1].get(key) for key in ("metric", "affinity", "kernel")]
]


@pytest.mark.parametrize(("method", "settings"), BY_COORDINATES, ids=lambda case: str(case)[:40])
@pytest.mark.parametrize("where", ["float32", "file", "uint8"])
def test_every_method_gives_the_same_bits(method, settings, where, tmp_path):
    t = 1.5 * np.pi * (1 + 2 * RNG.uniform(size=60))
    roll = np.column_stack([t * np.cos(t), 8 * RNG.uniform(size=60), t * np.sin(t)]).astype(np.float32)
    if where == "uint8":
        roll = np.round(3 * (roll + 20)).astype(np.uint8)
    points, new = roll[:50], roll[45:]
    given = mapped(points, tmp_path / "X.npy") if where == "file" else points
    model = getattr(lp.manifold, method)(**settings)
    if "n_neighbors" in model.get_params() and "components" not in settings and model.n_neighbors is not None:
        model.set_params(n_neighbors=max(10, model.n_neighbors))
    expected = clone(model).fit(points.astype(float))
    model.fit(given)
    np.testing.assert_array_equal(model.embedding_, expected.embedding_)
    np.testing.assert_array_equal(model.eigenvalues_, expected.eigenvalues_)
    placed = expected.transform(new.astype(float))
    lp.save(model, tmp_path / "model.lpg")
    for one in (model, lp.load(tmp_path / "model.lpg")):
        for form in (new, new.astype(float)):
            np.testing.assert_array_equal(one.transform(form), placed)


# Listed distances


def test_listed_neighbours_give_the_points_graph():
    full = Neighborhood.of(X, n_neighbors=6)
    for more in (0, 5, 113):
        listed = Neighborhood.of(
            kneighbors_graph(X, 6 + more, mode="distance"), n_neighbors=6, metric="precomputed"
        )
        assert same(listed.distances, full.distances)
        assert np.allclose(listed.radii, full.radii)
    one_way = sparse.triu(full.distances)  # a pair may be listed from one end only
    assert same(Neighborhood.of(one_way, radius=np.inf, metric="precomputed").distances, full.distances)
    by_radius = radius_neighbors_graph(X, 1.2, mode="distance")
    assert same(lp.neighbor_graph(by_radius, radius=0.9, metric="precomputed"), lp.neighbor_graph(X, radius=0.9))


def test_listed_rows_follow_the_rule_as_far_as_they_list():
    full = Neighborhood.of(X, n_neighbors=6)
    listed = Neighborhood.of(full.distances, n_neighbors=6, metric="precomputed")
    D = cdist(NEW, X)
    assert same(listed.rows(D), full.rows(NEW))  # dense rows list all
    # Who lists all that are within reach, of its own or of training points, lists enough.
    reach = np.maximum(np.sort(D, axis=1)[:, 5], full.radii.max())
    assert same(listed.rows(sparse.csr_array(np.where(reach[:, None] >= D, D, 0))), full.rows(NEW))
    # A training point that lists no more than itself still has its training row.
    alone = sparse.csr_array((np.zeros(3), ([0, 1, 2], [5, 70, 71])), shape=(3, 120))
    assert same(listed.rows(alone), full.rows(X[[5, 70, 71]]))


def test_stored_zeros_are_distances():
    points = np.vstack([X, X[:2], X[:2]])
    graph = lp.neighbor_graph(points, n_neighbors=4)
    listed = Neighborhood.of(graph, n_neighbors=4, metric="precomputed")
    assert same(listed.distances, graph)
    assert same(listed.rows(listed.points), Neighborhood.of(points, n_neighbors=4).rows(points))
    assert (graph.data == 0).sum() == 12  # three copies of two points, each joined to two others
    assert lp.as_adjacency(graph, weight=None).n_edges == graph.nnz // 2


# Metrics with parameters


V = [[2.0, 1, 0], [1, 3, 0], [0, 0, 1]]
METRICS = [
    ("minkowski", {"p": 1}),
    ("minkowski", {"p": np.inf}),
    ("minkowski", {"p": 2.5}),
    ("minkowski", {"p": 1, "w": [1.0, 2, 3]}),
    ("minkowski", {"p": 2, "w": [1.0, 2, 3]}),
    ("minkowski", {"p": 3, "w": [1.0, 2, 3]}),
    ("seuclidean", {"V": [1.0, 2, 3]}),
    ("mahalanobis", {"VI": V}),
    ("mahalanobis", {"V": V}),
]


@pytest.mark.parametrize(("metric", "params"), METRICS, ids=str)
def test_metrics_with_parameters_are_scipys(metric, params):
    chosen = with_params(metric, params)
    hood = Neighborhood.of(X, n_neighbors=6, metric=chosen)
    if metric == "mahalanobis" and "V" in params:
        params = {"VI": np.linalg.inv(params["V"])}
    D = cdist(X, X, metric, **params)
    assert np.allclose(hood.radii, np.sort(D, axis=1)[:, 6])
    assert np.allclose(hood.distances.data, D[hood.distances.tocoo().coords])
    assert np.array_equal(hood.rows(X).toarray(), hood.distances.toarray())
    listed = Neighborhood.of(sparse.csr_array(X), n_neighbors=6, metric=chosen)
    assert same(listed.distances, hood.distances)


def test_parameters_of_functions_and_of_none():
    power = with_params(lambda a, b, p: float((np.abs(a - b) ** p).sum()), {"p": 2})
    expected = lp.neighbor_graph(X, n_neighbors=4, metric="sqeuclidean")
    assert same(lp.neighbor_graph(X, n_neighbors=4, metric=power), expected)
    assert with_params("cosine", None) == with_params("cosine", {}) == "cosine"


# Wrong input


GIVEN = {"radius": 9, "metric": "precomputed"}
#: Points, the rule, and the argument that the error names.
WRONG = [
    (X[:20], {"n_neighbors": 20}, "n_neighbors=20"),
    (X, {"n_neighbors": 0}, "n_neighbors=0"),
    (X, {"n_neighbors": 2.0}, "n_neighbors=2.0"),
    (X, {"n_neighbors": 2, "radius": 1.0}, "n_neighbors=2 and radius=1.0"),
    (X, {"radius": -1.0}, "radius=-1.0"),
    (X, {"n_neighbors": 3, "mode": "weights"}, "mode"),
    (np.empty((0, 3)), {"radius": 1.0}, "X"),
    (X.astype(str), {"n_neighbors": 2}, "X"),
    (X * 1e200, {"n_neighbors": 2}, "overflow"),
    (np.zeros((3000, 2)), {"n_neighbors": 2}, "n_neighbors=2"),
    (X, {"n_neighbors": 2, "metric": "euclid"}, "metric='euclid'"),
    (X, {"n_neighbors": 2, "metric": "haversine"}, "metric='haversine'"),
    (X, {"n_neighbors": 2, "metric": "seuclidean"}, "metric_params"),
    (X, {"n_neighbors": 2, "metric": "mahalanobis"}, "metric_params"),
    (X, {"n_neighbors": 2, "metric": lambda u, v: u[0] - v[0]}, "metric"),
    (X, {"n_neighbors": 119, "metric": lambda u, v: 2.0 if u[0] < v[0] else 1.0}, "metric"),
    (D - 1, GIVEN, "X"),
    (D + 1, GIVEN, "X"),
    (D * np.triu(np.full(D.shape, 2.0)), GIVEN, "X"),
    (1.0 - np.eye(1200), {"n_neighbors": 2, "metric": "precomputed"}, "n_neighbors=2"),
    (sparse.csr_array(D), {"n_neighbors": 120, "metric": "precomputed"}, "n_neighbors=120"),
    (kneighbors_graph(X, 3, mode="distance"), {"n_neighbors": 8, "metric": "precomputed"}, "n_neighbors"),
    (sparse.csr_array(X), GIVEN, "X"),
    (sparse.csr_array(-D), GIVEN, "X"),
    (sparse.csr_array(np.eye(5)), GIVEN, "X"),
    (sparse.csr_array([[0.0, 1], [2, 0]]), GIVEN, "X"),
    (sparse.dia_array(np.eye(5)), GIVEN, "X"),
    (sparse.csr_array(np.eye(5) * 1j), GIVEN, "X"),
    (sparse.coo_array(([1.0, 2], ([0, 0], [1, 1])), (3, 3)), GIVEN, "X"),
]


@pytest.mark.parametrize(("points", "rule", "argument"), WRONG, ids=range(len(WRONG)))
def test_wrong_points_and_rules(points, rule, argument):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=argument):
        lp.neighbor_graph(points, **rule)


HOOD = Neighborhood.of(X, n_neighbors=5)
BY_DISTANCES = Neighborhood.of(D, n_neighbors=5, metric="precomputed")
LISTED = Neighborhood.of(kneighbors_graph(X, 8, mode="distance"), n_neighbors=8, metric="precomputed")
GRAPH = lp.neighbor_graph([[0.0], [1.0], [7.0], [8.0]], n_neighbors=1)
INDICES = HOOD.nearest_training(4)[0]
CALLS = [
    (lambda: HOOD.rows(X[:, :2]), "new"),
    (lambda: HOOD.rows([[0.0, np.nan, 0.0]]), "new"),
    (lambda: HOOD.rows([[1e300, 0.0, 0.0]]), "overflow"),
    (lambda: HOOD.nearest(X, 121), "k=121"),
    (lambda: HOOD.nearest_training(120), "k=120"),
    (lambda: BY_DISTANCES.rows(X), "new"),
    (lambda: BY_DISTANCES.rows(sparse.csr_array(D)), "new"),
    (lambda: LISTED.rows(sparse.csr_array(X)), "new"),
    (lambda: LISTED.rows(sparse.csr_array(([1.0, 2.0], ([0, 0], [3, 4])), (1, 120))), "Point 0"),
    (lambda: with_params("minkowski", {"p": 0.5}), "metric_params"),
    (lambda: with_params("cosine", 2), "metric_params"),
    (lambda: with_params("cosine", {"p": 2}), "metric_params"),
    (lambda: with_params("mahalanobis", {"V": np.ones((3, 3))}), "metric_params"),
    *(
        (lambda case=case: lp.neighbor_graph(X, n_neighbors=3, metric=with_params(*case)), "metric")
        for case in (
            ("minkowski", {"q": 2}),
            ("seuclidean", {"V": [1, 2]}),
            ("mahalanobis", {"V": np.eye(3), "VI": np.eye(3)}),
            ("mahalanobis", {"VI": -np.eye(3)}),
        )
    ),
    (lambda: lp.geodesic_distances(np.eye(3)), "graph"),
    (lambda: lp.geodesic_distances(sparse.csr_array((2, 3))), "graph"),
    (lambda: lp.geodesic_distances(sparse.csr_array([[0, 2.0], [-1, 0]])), "graph"),
    (lambda: lp.geodesic_distances(sparse.csr_array([[0, np.inf], [1, 0]])), "graph"),
    (lambda: lp.geodesic_distances(GRAPH, [0, 4]), "sources"),
    (lambda: lp.geodesic_distances(GRAPH, [0.5]), "sources"),
    (lambda: connect(GRAPH, "error"), "components='largest'"),
    (lambda: connect(GRAPH, "bridge", points=sparse.csr_array(D[:4, :4]), metric="precomputed"), "bridge"),
    (lambda: lp.reconstruction_weights(X, X[:, :2], INDICES), "neighbours_of"),
    (lambda: lp.reconstruction_weights(X, X, INDICES[:, :0]), "indices"),
    (lambda: lp.reconstruction_weights(X, X, INDICES + 60), "indices"),
    (lambda: lp.reconstruction_weights(X, X, INDICES.astype(float)), "indices"),
    (lambda: lp.reconstruction_weights(X, X, INDICES, -1.0), "regularizer"),
    (lambda: lp.reconstruction_weights(X * np.nan, X, INDICES), "points"),
]


@pytest.mark.parametrize(("call", "argument"), CALLS, ids=range(len(CALLS)))
def test_wrong_arguments(call, argument):
    with pytest.raises((ArgumentError, ArgumentTypeError, GraphError), match=argument):
        call()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda X: np.hstack([X, np.zeros((120, 30))])])
def test_a_radius_that_would_fill_the_graph_is_refused(form, monkeypatch):
    points = form(X)
    assert Neighborhood.of(points, radius=2.0).distances.nnz > 2000
    monkeypatch.setattr(neighborhood, "_MOST", 2000)
    assert Neighborhood.of(points, radius=0.3).distances.nnz < 2000
    for refused, radius in ((points, 2.0), (points, np.inf), (0 * points, 0.0)):  # duplicates count as well
        with pytest.raises(ArgumentError, match=f"radius={radius}"):
            Neighborhood.of(refused, radius=radius)
