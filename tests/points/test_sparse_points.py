"""Neighbors of sparse rows: as of dense rows, and as by scikit-learn; vectors of texts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.points.connect import shortest_bridges
from lpgraph.points.metric import geometry
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.rows import are_all_equal


def words(n=500, p=200, seed=0):
    """Return rows with few entries in columns of different frequency, some of them equal."""
    rng = np.random.default_rng(seed)
    dense = rng.exponential(size=(n, p)) * (rng.uniform(size=(n, p)) < 2 / (1 + np.arange(p)))
    dense[:, 0] += 0.1
    dense[n // 2 : n // 2 + 20] = dense[:20]
    return sparse.csr_array(dense)


def rows_of(n=100, p=40, seed=0):
    """Return dense rows with few entries, some of them equal, one of them zero."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, p)) * (rng.uniform(size=(n, p)) < 0.2)
    rows[10:14] = rows[9]
    rows[15] = 0
    return rows


def assert_same_graph(one, other, atol=0.0):
    np.testing.assert_array_equal(one.indptr, other.indptr)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_allclose(one.data, other.data, rtol=1e-12 if atol else 0, atol=atol)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "l1", "chebyshev", "canberra", "correlation"])
@pytest.mark.parametrize("rule", [{"n_neighbors": 6}, {"radius": 2.0}], ids=str)
def test_the_graph_of_sparse_points_is_that_of_dense_ones(metric, rule):
    dense, new = rows_of(), rows_of(20, seed=1)
    if metric == "correlation":  # which is not defined for zero
        dense[15, 3] = new[15, 3] = 1
    points = sparse.csr_array(dense)
    one, other = Neighborhood.of(points, metric=metric, **rule), Neighborhood.of(dense, metric=metric, **rule)
    assert_same_graph(one.distances, other.distances, 1e-13)
    assert_same_graph(one.rows(sparse.csr_array(new)), other.rows(new), 1e-13)
    # New points may be dense and training points sparse, and the other way round.
    assert_same_graph(one.rows(new), one.rows(sparse.csr_array(new)))
    assert_same_graph(other.rows(points), other.rows(dense))
    # Training rows, all at once and alone, are training rows to the last bit.
    rows = one.rows(points)
    assert np.array_equal(rows.toarray(), one.distances.toarray())
    assert np.array_equal(np.vstack([one.rows(points[[i]]).toarray() for i in range(100)]), rows.toarray())
    assert np.array_equal(np.diff(rows.indptr), np.diff(one.distances.indptr) + 1)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_nearest_as_scikit_learn_finds_them(metric):
    X, new = words(), words(60, seed=5)
    ours = Neighborhood.of(X, n_neighbors=5, metric=metric).nearest(new, 5)[1]
    theirs = NearestNeighbors(n_neighbors=5, metric=metric, algorithm="brute").fit(X).kneighbors(new)[0]
    # scikit-learn's distances are differences of numbers near 1: errors near the root of 1e-16 for small ones.
    np.testing.assert_allclose(ours, theirs, atol=1e-7)
    np.testing.assert_allclose(ours, np.sort(cdist(new.toarray(), X.toarray(), metric))[:, :5], atol=1e-9)


def test_nearest_bridges_and_weights_of_sparse_points():
    dense = rows_of()
    points = sparse.csc_array(dense)
    one, other = Neighborhood.of(points, n_neighbors=5), Neighborhood.of(dense, n_neighbors=5)
    assert np.array_equal(one.nearest(points, 4)[0], other.nearest(dense, 4)[0])
    indices = other.nearest_training(7)[0]
    assert np.array_equal(one.nearest_training(7)[0], indices)
    expected = lp.reconstruction_weights(dense, dense, indices)
    assert_same_graph(lp.reconstruction_weights(points, points, indices), expected, 1e-12)
    labels = np.repeat([0, 1, 2, 3], 25)
    assert np.array_equal(shortest_bridges(points.tocsr(), labels)[0], shortest_bridges(dense, labels)[0])


def test_distances_of_blocks():
    base = rows_of(30)
    near = base + 1e-9 * (base != 0)  # products cancel
    between = geometry(sparse.csr_array(base), "euclidean").between
    np.testing.assert_allclose(between(*map(sparse.csr_array, (base, near))), cdist(base, near), rtol=1e-6, atol=0)
    assert (np.diagonal(between(sparse.csr_array(base), sparse.csr_array(base))) == 0).all()


def test_rows_that_are_all_equal():
    Y = np.zeros((5, 4))
    for other in (0.0, 1.0):
        Y[4, 3] = other
        for points in (Y, Y.astype(np.float32), sparse.csr_array(Y)):
            assert are_all_equal(points) == (other == 0.0)


def test_texts_without_known_words_are_refused_by_number():
    X = sparse.csr_array(sparse.vstack([words(), sparse.csr_array((3, 200))]))
    with pytest.raises(ArgumentError, match="point 500"):
        lp.manifold.LaplacianEigenmaps(2, metric="cosine").fit(X)
    model = lp.manifold.LaplacianEigenmaps(2, metric="cosine").fit(X[np.diff(X.indptr) > 0])
    with pytest.raises(ArgumentError, match="point 1"):
        model.transform(sparse.csr_array(sparse.vstack([X[:1], X[-1:]])))
