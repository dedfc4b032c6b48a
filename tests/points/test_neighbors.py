from __future__ import annotations

import os
import pickle
import tracemalloc
from pathlib import Path

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.points.checks import check_points
from lpgraph.points.metric import METRICS, geometry
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.search.blocks import BlockSearch
from lpgraph.points.search.products import ProductSearch
from lpgraph.points.search.tile_search import TileSearch
from lpgraph.points.search.tree import TreeSearch


def manhattan(u, v):
    return float(np.abs(u - v).sum())


def clouds():
    rng = np.random.default_rng(7)
    side = np.arange(1.0, 7.0)
    lattice = np.stack(np.meshgrid(side, side, side[:3]), axis=-1).reshape(-1, 3)
    return {
        "random": rng.normal(size=(120, 3)),
        "lattice": lattice[lattice[:, 0] > lattice[:, 1] - 4] + [0.0, 0.5, 0.0],
        "duplicates": np.concatenate((rng.normal(size=(40, 3)), np.repeat(rng.normal(size=(2, 3)), 30, axis=0))),
        "high": rng.normal(size=(120, 40)),
        "high lattice": rng.integers(0, 2, size=(150, 20)) + np.linspace(0.1, 0.2, 20),
        "high duplicates, far": np.concatenate(
            (rng.normal(size=(40, 40)), np.repeat(rng.normal(size=(2, 40)), 30, axis=0))
        )
        + 1e6,
    }


CLOUDS = clouds()
PATTERNED = ["euclidean", "sqeuclidean", "cosine", "cityblock", "chebyshev", "canberra", manhattan, "precomputed"]


def distances_of(X, metric):
    """Distances of all pairs, by subtraction."""
    if metric == "precomputed" or metric in ("euclidean", "sqeuclidean"):
        squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
        return squares if metric == "sqeuclidean" else np.sqrt(squares)
    if metric == "cosine":
        U = X / np.linalg.norm(X, axis=1, keepdims=True)
        return ((U[:, None] - U[None]) ** 2).sum(axis=-1) / 2
    return cdist(X, X, metric)


def by_the_rule(D, k=None, radius=None):
    """Radii and edges by the definition of the rule."""
    n = len(D)
    others = D[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    r = np.sort(others, axis=1)[:, k - 1] if k else np.full(n, radius)
    return r, (np.maximum(r[:, None], r) * (1 + 1e-10) >= D) & ~np.eye(n, dtype=bool)


def pattern(graph):
    dense = np.zeros(graph.shape, dtype=bool)
    dense[graph.tocoo().coords] = True
    return dense


def filled(graph):
    """Dense, with -1 for no edge, so that edges of length 0 count."""
    dense = np.full(graph.shape, -1.0)
    entries = graph.tocoo()
    dense[entries.coords] = entries.data
    return dense


def assert_training_rows(hood, new):
    """Rows of training points are rows of the graph; exact extensions depend on this."""
    rows = filled(hood.rows(new))
    training = filled(hood.distances)
    assert (np.diagonal(training) == -1).all()
    np.fill_diagonal(training, 0.0)
    np.testing.assert_array_equal(rows, training)


@pytest.mark.parametrize("metric", PATTERNED)
@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("by", ["k", "radius"])
def test_the_rule_and_its_rows(cloud, metric, by):
    X = CLOUDS[cloud]
    D = distances_of(X, metric)
    X = D if metric == "precomputed" else X
    given_ = {"k": 6} if by == "k" else {"radius": float(np.quantile(D, 0.04))}
    hood = Neighborhood.of(X, n_neighbors=given_.get("k"), radius=given_.get("radius"), metric=metric)
    radii, edges = by_the_rule(D, **given_)
    # Cosines' ties on the lattice are broken by rounding, which differs between the two ways of computing them.
    if not (metric == "cosine" and "lattice" in cloud):
        np.testing.assert_array_equal(pattern(hood.distances), edges)
    np.testing.assert_allclose(hood.radii, radii, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(hood.distances.data, D[hood.distances.tocoo().coords], rtol=1e-9, atol=1e-15)
    assert (pattern(hood.distances) == pattern(hood.distances).T).all()
    assert hood.distances.has_canonical_format
    assert_training_rows(hood, X)
    some = [5, 70, 71]
    alone = np.concatenate([filled(hood.rows(X[i : i + 1])) for i in some])
    np.testing.assert_array_equal(alone, filled(hood.rows(X))[some])


@pytest.mark.parametrize("metric", [*sorted(METRICS), manhattan])
def test_every_metric_agrees_with_scikit_learn(metric):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2 if metric == "haversine" else 5))
    if metric in ("dice", "jaccard", "rogerstanimoto", "sokalsneath", "yule"):
        X = X > 0
        X[:, 0] = True  # nor are these defined for two points that are nowhere true
    if metric == "hamming":
        X = np.round(X)
    hood = Neighborhood.of(X, n_neighbors=5, metric=metric)
    if metric == "seuclidean":
        D = pairwise_distances(X, metric=metric, V=X.var(axis=0, ddof=1))
    elif metric == "mahalanobis":
        D = pairwise_distances(X, metric=metric, VI=np.linalg.inv(np.cov(X.T)))
    else:
        D = pairwise_distances(X, metric=metric)
    np.testing.assert_allclose(hood.distances.data, D[hood.distances.tocoo().coords], rtol=1e-9, atol=1e-12)
    np.fill_diagonal(D, np.inf)
    np.testing.assert_allclose(hood.radii, np.sort(D, axis=1)[:, 4], rtol=1e-9, atol=1e-12)
    assert_training_rows(hood, X)


integers = arrays.arrays(
    np.int64,
    st.tuples(st.integers(2, 14), st.sampled_from([1, 2, 12])),
    elements=st.integers(-2, 2),
)


@settings(max_examples=150, deadline=None)
@given(points=integers, data=st.data())
def test_ties_and_duplicates_of_integers(points, data):
    X = points.astype(float)
    k = data.draw(st.integers(1, len(X) - 1))
    metric = data.draw(st.sampled_from(["euclidean", "cityblock", "chebyshev", "braycurtis"]))
    if metric == "braycurtis":
        X = X + 3
    hood = Neighborhood.of(X, n_neighbors=k, metric=metric)
    D = cdist(X, X, metric)
    radii, edges = by_the_rule(D, k)
    np.testing.assert_array_equal(pattern(hood.distances), edges)
    np.testing.assert_allclose(hood.radii, radii, rtol=1e-14)
    assert_training_rows(hood, X)
    order = data.draw(st.permutations(range(len(X))))
    again = Neighborhood.of(X[order], n_neighbors=k, metric=metric)
    np.testing.assert_array_equal(filled(again.distances), filled(hood.distances)[np.ix_(order, order)])
    indices, lengths = hood.nearest(X, len(X))
    np.testing.assert_array_equal(indices, np.lexsort((np.arange(len(X)) + 0 * D.astype(int), D), axis=1))
    np.testing.assert_allclose(lengths, np.sort(D, axis=1), rtol=1e-14)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_order_of_points_does_not_matter(cloud):
    X = CLOUDS[cloud]
    order = np.random.default_rng(0).permutation(len(X))
    one = filled(Neighborhood.of(X, n_neighbors=6).distances)
    other = filled(Neighborhood.of(X[order], n_neighbors=6).distances)
    np.testing.assert_array_equal(other, one[np.ix_(order, order)])


@pytest.mark.parametrize("cloud", CLOUDS)
def test_all_searches_give_the_same_graph(cloud, monkeypatch):
    X = CLOUDS[cloud]
    new = np.concatenate((X[::7], X[::5] + 0.01, X[:3] + 50))
    results = []
    for kind in (TreeSearch, ProductSearch, TileSearch, BlockSearch):

        def make(points, metric, cells, kind=kind):
            form = geometry(points, "cityblock" if kind is BlockSearch else metric)
            if kind is BlockSearch:
                form = type(form)(form.coordinates, None, lambda a, b: cdist(a, b))
            return kind(len(points), form, points)

        monkeypatch.setattr("lpgraph.points.find_neighbors.make_search", make)
        hood = Neighborhood.of(X, n_neighbors=6)
        results.append((filled(hood.distances), filled(hood.rows(new)), *hood.nearest(new, 4)))
    for other in results[1:]:
        np.testing.assert_allclose(other[0], results[0][0], rtol=1e-14)
        np.testing.assert_allclose(other[1], results[0][1], rtol=1e-14)
        np.testing.assert_allclose(other[3], results[0][3], rtol=1e-14)


def test_without_ties_it_is_the_union_of_both_ways():
    X = CLOUDS["random"]
    one = kneighbors_graph(X, 8, mode="connectivity").toarray() > 0
    ours = lp.neighbor_graph(X, n_neighbors=8, mode="connectivity")
    np.testing.assert_array_equal(ours.toarray(), one | one.T)


def test_fifty_copies_are_each_others_neighbours_and_not_their_own():
    X = np.concatenate((np.zeros((50, 3)), np.random.default_rng(1).normal(size=(20, 3)) + 4))
    hood = Neighborhood.of(X, n_neighbors=10)
    assert (hood.radii[:50] == 0).all()
    copies = pattern(hood.distances)[:50, :50]
    np.testing.assert_array_equal(copies, ~np.eye(50, dtype=bool))
    assert (hood.distances[:50, :50].tocoo().data == 0).all()
    beyond = pattern(hood.distances)[:50, 50:]
    assert (beyond == beyond[0]).all()  # a point with one copy among its neighbors has all copies
    indices, lengths = hood.nearest_training(10)
    np.testing.assert_array_equal(indices[0], np.arange(1, 11))
    np.testing.assert_array_equal(indices[3], [0, 1, 2, *range(4, 11)])
    assert (lengths[:50] == 0).all()
    assert_training_rows(hood, X)


@pytest.mark.parametrize("p", [3, 30])
def test_new_points_reached_by_training_points_with_large_radii(p):
    rng = np.random.default_rng(5)
    # One lonely point far off: its radius is large, and it reaches new points that have nearer ones.
    X = np.concatenate((rng.normal(size=(300, p)) * np.exp(rng.normal(size=(300, 1))), np.full((1, p), 30.0)))
    new = np.concatenate((rng.normal(size=(60, p)), rng.uniform(-3, 30, size=(60, p))))
    hood = Neighborhood.of(X, n_neighbors=5)
    D = cdist(new, X)
    own = np.sort(D, axis=1)[:, 4]
    wanted = np.maximum(own[:, None], hood.radii) * (1 + 1e-10) >= D
    np.testing.assert_array_equal(pattern(hood.rows(new)), wanted)
    assert (wanted.sum(axis=1) > (own[:, None] >= D).sum(axis=1)).any()


@pytest.mark.parametrize("p", [2, 25])
def test_nearest_is_sorted_and_leaves_oneself_out_by_index(p):
    X = np.random.default_rng(2).integers(0, 3, size=(80, p)).astype(float)
    hood = Neighborhood.of(X, n_neighbors=3)
    D = cdist(X, X)
    indices, lengths = hood.nearest(X, 7)
    everyone = np.broadcast_to(np.arange(80), D.shape)
    order = np.lexsort((everyone, D), axis=1)
    np.testing.assert_array_equal(indices, order[:, :7])
    np.testing.assert_array_equal(lengths, np.take_along_axis(D, order, axis=1)[:, :7])
    np.fill_diagonal(D, np.inf)
    order = np.lexsort((everyone, D), axis=1)
    indices, lengths = hood.nearest_training(79)
    np.testing.assert_array_equal(indices, order[:, :79])
    np.testing.assert_array_equal(lengths, np.take_along_axis(D, order, axis=1)[:, :79])


def test_precomputed_distances_give_the_points_graph():
    X, new = CLOUDS["random"], CLOUDS["random"][:9] + 0.05
    hood = Neighborhood.of(X, n_neighbors=4)
    other = Neighborhood.of(cdist(X, X), n_neighbors=4, metric="precomputed")
    np.testing.assert_allclose(filled(other.distances), filled(hood.distances), rtol=1e-14)
    np.testing.assert_allclose(filled(other.rows(cdist(new, X))), filled(hood.rows(new)), rtol=1e-14)
    np.testing.assert_array_equal(other.nearest_training(5)[0], hood.nearest_training(5)[0])


@pytest.mark.parametrize("cloud", ["random", "high"])
def test_layout_and_dtype_of_new_points_do_not_matter(cloud):
    X = CLOUDS[cloud].astype(np.float32)
    hood = Neighborhood.of(X, n_neighbors=5)
    assert_training_rows(hood, np.asfortranarray(X.astype(float)))
    assert_training_rows(hood, X[::-1][::-1].tolist())


def test_pickled_it_is_the_same():
    X = CLOUDS["random"]
    hood = Neighborhood.of(X, n_neighbors=5)
    small = len(pickle.dumps(hood))
    hood.rows(X)
    again = pickle.loads(pickle.dumps(hood))
    assert len(pickle.dumps(hood)) == small
    np.testing.assert_array_equal(filled(again.rows(X)), filled(hood.rows(X)))
    assert (again.n_neighbors, again.radius, again.n_points) == (5, None, 120)


def test_points_are_ones_own():
    X = CLOUDS["random"].copy()
    hood = Neighborhood.of(X, n_neighbors=5)
    X += 1000.0
    assert_training_rows(hood, CLOUDS["random"])


def test_coordinates_far_from_the_origin_keep_their_distances():
    X = np.random.default_rng(4).normal(size=(200, 30))
    shift = 2.0**30  # exact in float64 for coordinates of 22 bits, which these are made of
    X = np.round(X * 2**20) / 2**20
    one = filled(Neighborhood.of(X, n_neighbors=6).distances)
    np.testing.assert_array_equal(filled(Neighborhood.of(X + shift, n_neighbors=6).distances), one)


@pytest.mark.parametrize("p", [3, 20])
def test_memory_stays_below_a_square_array(p):
    n = 5000
    X = np.random.default_rng(6).normal(size=(n, p))
    tracemalloc.start()
    hood = Neighborhood.of(X, n_neighbors=10)
    hood.rows(X)
    hood.nearest(X, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.7 * 8 * n * n  # work arrays of 64 MB in all, however large n is; a square one has 200 MB


def test_no_new_points():
    hood = Neighborhood.of(CLOUDS["random"], n_neighbors=5)
    assert hood.rows(np.empty((0, 3))).shape == (0, 120)
    assert hood.nearest(np.empty((0, 3)), 2)[0].shape == (0, 2)


@pytest.mark.parametrize("metric", ["euclidean", "canberra", "precomputed"])
def test_a_radius_may_leave_points_alone(metric):
    X = np.array([[1.0], [2.0], [9.0]])
    hood = Neighborhood.of(cdist(X, X) if metric == "precomputed" else X, radius=0.0, metric=metric)
    assert hood.distances.nnz == 0
    assert (hood.n_neighbors, hood.radius) == (None, 0.0)


X = CLOUDS["random"]
D = cdist(X, X)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (
            {"X": X[:20], "n_neighbors": 30},
            ArgumentError,
            r"n_neighbors=30 but only 20 points; pass n_neighbors <= 19\.",
        ),
        (
            {"X": X[:20], "n_neighbors": 20},
            ArgumentError,
            "n_neighbors=20 but only 20 points; pass n_neighbors <= 19",
        ),
        ({"X": X[:1], "n_neighbors": 1}, ArgumentError, "only 1 points; pass more points"),
        ({"X": X, "n_neighbors": 0}, ArgumentError, "n_neighbors=0; pass n_neighbors >= 1"),
        ({"X": X, "n_neighbors": 2.0}, ArgumentTypeError, "n_neighbors=2.0"),
        ({"X": X, "n_neighbors": 2, "radius": 1.0}, ArgumentError, "pass exactly one of n_neighbors and radius"),
        ({"X": X}, ArgumentError, "pass exactly one of n_neighbors and radius"),
        ({"X": X, "radius": -1.0}, ArgumentError, "radius=-1.0"),
        ({"X": X, "radius": np.nan}, ArgumentError, "radius=nan"),
        ({"X": np.empty((0, 3)), "radius": 1.0}, ArgumentError, "X has no points"),
        ({"X": np.empty((3, 0)), "n_neighbors": 1}, ArgumentError, r"X has shape \(3, 0\)"),
        ({"X": X[:, 0], "n_neighbors": 2}, ArgumentError, r"pass X.reshape\(-1, 1\)"),
        ({"X": np.where(X > 2, np.nan, X), "n_neighbors": 2}, ArgumentError, r"X\[\d+, \d+\] is nan"),
        ({"X": np.where(X > 2, np.inf, X), "n_neighbors": 2}, ArgumentError, r"X\[\d+, \d+\] is inf"),
        ({"X": X.astype(str), "n_neighbors": 2}, ArgumentTypeError, "X has dtype"),
        ({"X": X * 1e200, "n_neighbors": 2}, ArgumentError, "distances overflow"),
        (
            {"X": X, "n_neighbors": 2, "metric": "euclid"},
            ArgumentError,
            "metric='euclid'; pass one of 'braycurtis'",
        ),
        ({"X": X, "n_neighbors": 2, "metric": 3}, ArgumentTypeError, "metric=3 is an int"),
        ({"X": X, "n_neighbors": 2, "metric": "haversine"}, ArgumentError, "latitude and longitude"),
        (
            {"X": X * [1, 1, 0], "n_neighbors": 2, "metric": "seuclidean"},
            ArgumentError,
            "column 2 of X is constant",
        ),
        (
            {"X": X * [1, 1, 0], "n_neighbors": 2, "metric": "mahalanobis"},
            ArgumentError,
            "covariance of X is singular",
        ),
        (
            {"X": np.vstack((X, 0 * X[:1])), "n_neighbors": 2, "metric": "cosine"},
            ArgumentError,
            "point 120, which is zero",
        ),
        (
            {"X": np.vstack((X, 0 * X[:1] + 0.1)), "n_neighbors": 2, "metric": "correlation"},
            ArgumentError,
            "point 120, which is constant",
        ),
        (
            {"X": X, "n_neighbors": 2, "metric": lambda u, v: u[0] - v[0]},
            ArgumentError,
            "of point 0 to training point",
        ),
        ({"X": X, "n_neighbors": 2, "metric": lambda u, v: np.nan}, ArgumentError, "is nan"),
        (
            {"X": X, "n_neighbors": 119, "metric": lambda u, v: 2.0 if u[0] < v[0] else 1.0},
            ArgumentError,
            "The metric is not symmetric",
        ),
        ({"X": D[:5], "n_neighbors": 2, "metric": "precomputed"}, ArgumentError, r"X has shape \(5, 120\)"),
        (
            {"X": D - 1, "n_neighbors": 2, "metric": "precomputed"},
            ArgumentError,
            r"X\[0, 0\] is -1.0; pass distances",
        ),
        (
            {"X": D + 1, "n_neighbors": 2, "metric": "precomputed"},
            ArgumentError,
            r"X\[0, 0\] is 1.0; the distance",
        ),
        (
            {"X": D * np.triu(np.full(D.shape, 2.0)), "n_neighbors": 2, "metric": "precomputed"},
            ArgumentError,
            r"pass \(X \+ X.T\) / 2",
        ),
        ({"X": np.zeros((3000, 2)), "n_neighbors": 2}, ArgumentError, r"3000 times; drop duplicates: np.unique"),
        (
            {"X": 1.0 - np.eye(1200), "n_neighbors": 2, "metric": "precomputed"},
            ArgumentError,
            "ties give 1438800 neighbors",
        ),
    ],
)
def test_what_cannot_work_says_so(arguments, error, match):
    with pytest.raises(error, match=match):
        Neighborhood.of(**arguments)


def test_new_points_that_do_not_fit():
    hood = Neighborhood.of(X, n_neighbors=5)
    with pytest.raises(ArgumentError, match="new has points of 2 coordinates but the training points have 3"):
        hood.rows(X[:, :2])
    with pytest.raises(ArgumentError, match=r"new.reshape\(1, -1\) for one point"):
        hood.rows(X[0])
    with pytest.raises(ArgumentError, match=r"new\[0, 1\] is nan"):
        hood.rows([[0.0, np.nan, 0.0]])
    with pytest.raises(ArgumentError, match="k=121 but only 120 points; pass k <= 120"):
        hood.nearest(X, 121)
    with pytest.raises(ArgumentError, match="k=120 but only 120 points; pass k <= 119"):
        hood.nearest_training(120)
    with pytest.raises(ArgumentError, match="Point 0 is so far from other points that distances overflow"):
        hood.rows([[1e300, 0.0, 0.0]])
    other = Neighborhood.of(D, n_neighbors=5, metric="precomputed")
    with pytest.raises(ArgumentError, match="rows of 3 distances but there are 120 training points"):
        other.rows(X)
    with pytest.raises(ArgumentError, match=r"new\[0, 2\] is -1.0"):
        other.rows(np.where(np.arange(120) == 2, -1.0, D[:1]))
    with pytest.raises(ArgumentError, match="mode='weights'; pass one of 'distance', 'connectivity'"):
        lp.neighbor_graph(X, n_neighbors=5, mode="weights")


def test_minus_zero_is_zero():
    metric = "hamming"
    hood = Neighborhood.of([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]], n_neighbors=1, metric=metric)
    assert hood.radii.tolist() == [0.0, 0.0, 1.0]
    assert check_points("X", [[-0.0]]).view(np.int64)[0, 0] == 0


@pytest.mark.skipif("LPGRAPH_DATA" not in os.environ, reason="LPGRAPH_DATA is not set")
@pytest.mark.parametrize("k", [6, 10])
def test_faces(k):
    from scipy.io import loadmat

    faces = loadmat(Path(os.environ["LPGRAPH_DATA"]) / "isomap_faces/face_1024.mat")["dataY"].T
    assert faces.shape == (698, 1024)
    hood = Neighborhood.of(faces, n_neighbors=k)
    D = cdist(faces.astype(float), faces.astype(float))
    radii, edges = by_the_rule(D, k)
    np.testing.assert_array_equal(pattern(hood.distances), edges)
    np.testing.assert_allclose(hood.radii, radii, rtol=1e-13)
    assert_training_rows(hood, faces)
    alone = np.concatenate([filled(hood.rows(faces[i : i + 1])) for i in range(0, 698, 50)])
    np.testing.assert_array_equal(alone, filled(hood.rows(faces))[::50])
