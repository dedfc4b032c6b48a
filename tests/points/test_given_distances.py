"""Neighbor graphs of sparse points, of sparse distances, by metrics with parameters; limits on their size."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.points import edge_limit
from lpgraph.points.bridges import shortest_bridges
from lpgraph.points.metric_params import MetricWithParams, with_params
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.sparse_points import euclidean_distances

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
NEW = RNG.normal(size=(20, 3))


def rows_of(n=100, p=40, seed=0):
    """Sparse rows, some of them equal, one of them zero."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, p)) * (rng.uniform(size=(n, p)) < 0.2)
    rows[10:14] = rows[9]
    rows[15] = 0
    return rows


def same(a, b, atol=0.0):
    """Whether two graphs have the same entries, including stored zeros."""
    a, b = (sparse.csr_array(graph) for graph in (a, b))
    a.sort_indices()
    b.sort_indices()
    pattern = np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)
    return pattern and np.allclose(a.data, b.data, rtol=1e-12, atol=atol)


# Sparse points


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "l1", "chebyshev", "canberra", "correlation"])
@pytest.mark.parametrize("rule", [{"n_neighbors": 6}, {"radius": 2.0}], ids=str)
def test_the_graph_of_sparse_points_is_that_of_dense_ones(metric, rule):
    dense, new = rows_of(), rows_of(20, seed=1)
    if metric == "correlation":  # which is not defined for zero
        dense[15, 3] = new[15, 3] = 1
    points = sparse.csr_array(dense)
    one, other = Neighborhood.of(points, metric=metric, **rule), Neighborhood.of(dense, metric=metric, **rule)
    assert same(one.distances, other.distances, atol=1e-13)
    assert same(one.rows(sparse.csr_array(new)), other.rows(new), atol=1e-13)
    # New points may be dense and training points sparse, and the other way round.
    assert same(one.rows(new), one.rows(sparse.csr_array(new)))
    assert same(other.rows(points), other.rows(dense))
    # Training rows, all at once and alone, are training rows to the last bit.
    rows = one.rows(points)
    assert np.array_equal(rows.toarray(), one.distances.toarray())
    assert np.array_equal(np.vstack([one.rows(points[[i]]).toarray() for i in range(100)]), rows.toarray())
    assert np.array_equal(np.diff(rows.indptr), np.diff(one.distances.indptr) + 1)


def test_nearest_bridges_and_weights_of_sparse_points():
    dense = rows_of()
    points = sparse.csc_array(dense)
    one, other = Neighborhood.of(points, n_neighbors=5), Neighborhood.of(dense, n_neighbors=5)
    assert np.array_equal(one.nearest(points, 4)[0], other.nearest(dense, 4)[0])
    indices = other.nearest_training(7)[0]
    assert np.array_equal(one.nearest_training(7)[0], indices)
    expected = lp.reconstruction_weights(dense, dense, indices)
    assert same(lp.reconstruction_weights(points, points, indices), expected, atol=1e-12)
    labels = np.repeat([0, 1, 2, 3], 25)
    assert np.array_equal(shortest_bridges(points, labels)[0], shortest_bridges(dense, labels)[0])


def test_distances_of_near_sparse_points_are_not_lost_in_products():
    base = rows_of(30)
    near = base + 1e-9 * (base != 0)
    found = euclidean_distances(sparse.csr_array(base), sparse.csr_array(near))
    assert np.allclose(found, cdist(base, near), rtol=1e-6, atol=0)
    assert (np.diagonal(euclidean_distances(sparse.csr_array(base), sparse.csr_array(base))) == 0).all()


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
    # Without weights, all edges count, including those between equal points.
    assert lp.as_adjacency(graph).n_edges == graph.nnz // 2 - 6
    for form in ("csr", "csc", "coo", "lil", "dok"):
        assert lp.as_adjacency(graph.asformat(form), weight=None).n_edges == graph.nnz // 2
    # Blocks are stored with zeros that are no edges.
    blocks = sparse.bsr_array(np.array([[0.0, 1.0], [0.0, 0.0]]), blocksize=(2, 2))
    assert lp.as_adjacency(blocks, weight=None).n_edges == 1


@pytest.mark.parametrize(
    ("graph", "rule", "error", "match"),
    [
        (
            sparse.csr_array(cdist(X, X)),
            {"n_neighbors": 120},
            ArgumentError,
            "n_neighbors=120 but only 120 points",
        ),
        (
            kneighbors_graph(X, 3, mode="distance"),
            {"n_neighbors": 8},
            ArgumentError,
            r"Point \d+ lists \d distances",
        ),
        (sparse.csr_array(X), {"n_neighbors": 2}, ArgumentError, r"\(n, n\) graph of distances"),
        (sparse.csr_array(-cdist(X, X)), {"n_neighbors": 2}, ArgumentError, "not negative"),
        (sparse.csr_array(np.eye(5)), {"n_neighbors": 2}, ArgumentError, r"X\[0, 0\] is not 0"),
        (sparse.csr_array([[0.0, 1], [2, 0]]), {"radius": 9}, ArgumentError, "two different distances"),
        (sparse.dia_array(np.eye(5)), {"radius": 9}, ArgumentTypeError, "format 'dia'"),
        (sparse.csr_array(np.eye(5) * 1j), {"radius": 9}, ArgumentTypeError, "dtype complex"),
        (sparse.coo_array(([1.0, 2], ([0, 0], [1, 1])), shape=(3, 3)), {"radius": 9}, ArgumentError, "twice"),
    ],
)
def test_what_lists_no_distances_is_refused(graph, rule, error, match):
    with pytest.raises(error, match=match):
        Neighborhood.of(graph, metric="precomputed", **rule)


def test_new_lists_that_do_not_fit():
    listed = Neighborhood.of(kneighbors_graph(X, 8, mode="distance"), n_neighbors=8, metric="precomputed")
    with pytest.raises(ArgumentError, match="rows of 3 distances but there are 120 training points"):
        listed.rows(sparse.csr_array(X))
    with pytest.raises(ArgumentError, match="Point 0 lists 2 distances but 8 are needed"):
        listed.rows(sparse.csr_array(([1.0, 2.0], ([0, 0], [3, 4])), shape=(1, 120)))
    with pytest.raises(ArgumentTypeError, match="pass every distance"):
        Neighborhood.of(cdist(X, X), n_neighbors=8, metric="precomputed").rows(sparse.csr_array(cdist(NEW, X)))


# Metrics with parameters


@pytest.mark.parametrize(
    ("metric", "params", "cdist_params"),
    [
        ("minkowski", {"p": 1}, None),
        ("minkowski", {"p": np.inf}, None),
        ("minkowski", {"p": 2.5}, None),
        ("minkowski", {"p": 1, "w": [1.0, 2, 3]}, None),
        ("minkowski", {"p": 2, "w": [1.0, 2, 3]}, None),
        ("minkowski", {"p": 3, "w": [1.0, 2, 3]}, None),
        ("seuclidean", {"V": [1.0, 2, 3]}, None),
        ("mahalanobis", {"VI": [[2.0, 1, 0], [1, 3, 0], [0, 0, 1]]}, None),
        (
            "mahalanobis",
            {"V": [[2.0, 1, 0], [1, 3, 0], [0, 0, 1]]},
            {"VI": np.linalg.inv([[2.0, 1, 0], [1, 3, 0], [0, 0, 1]])},
        ),
    ],
    ids=str,
)
def test_metrics_with_parameters_are_scipys(metric, params, cdist_params):
    chosen = with_params(metric, params)
    hood = Neighborhood.of(X, n_neighbors=6, metric=chosen)
    D = cdist(X, X, metric, **(cdist_params or params))
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
    assert with_params("minkowski", {"p": np.inf}) == "chebyshev"
    assert with_params("minkowski", {"p": 3}) == MetricWithParams("minkowski", 3.0)


@pytest.mark.parametrize(
    ("metric", "params", "match"),
    [
        ("minkowski", {"p": 0.5}, r"metric_params\['p'\]=0.5"),
        ("minkowski", {"q": 2}, "'q', which metric='minkowski' does not take; pass 'p' or 'w'"),
        ("minkowski", {"w": [1.0, 0.0, 1.0]}, "positive"),
        ("seuclidean", {"V": [1.0, 2.0]}, "for 2 coordinates but the points have 3"),
        ("cosine", {"p": 2}, "does not take; pass None"),
        ("mahalanobis", {"V": np.eye(3), "VI": np.eye(3)}, "only one"),
        ("mahalanobis", {"V": np.ones((3, 3))}, "definite"),
        ("mahalanobis", {"V": np.triu(np.ones((3, 3)))}, "symmetric"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(metric, params, match):
    with pytest.raises(ArgumentError, match=match):
        lp.neighbor_graph(X, n_neighbors=3, metric=with_params(metric, params))


# Too many edges


def test_a_radius_that_would_fill_the_graph_is_refused(monkeypatch):
    wide = {"radius": 2.0}
    assert Neighborhood.of(X, **wide).distances.nnz > 2000
    monkeypatch.setattr(edge_limit, "_MOST", 2000)
    for points in (X, sparse.csr_array(X), np.hstack([X, np.zeros((120, 30))])):
        with pytest.raises(
            ArgumentError, match=r"radius=2\.0 with 120 points gives about .* pass a smaller radius"
        ):
            Neighborhood.of(points, **wide)
        with pytest.raises(ArgumentError, match="radius=inf with 120 points"):
            Neighborhood.of(points, radius=np.inf)
        assert Neighborhood.of(points, radius=0.3).distances.nnz < 2000
    with pytest.raises(ArgumentError, match=r"about 1\.4e"):
        Neighborhood.of(np.zeros((120, 3)), radius=0.0)  # duplicates count as well
