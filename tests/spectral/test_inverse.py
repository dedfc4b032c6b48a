"""Inverses by factors, compared with dense ones, and the predicted size of factors."""

import numpy as np
import pytest
import scipy.sparse.linalg
from scipy import sparse

from lpgraph.errors import ConvergenceError
from lpgraph.manifold import LaplacianEigenmaps
from lpgraph.points.affinities import binary_affinity
from lpgraph.points.neighborhood import Neighborhood, neighbor_graph
from lpgraph.points.reconstruction import affine_weights
from lpgraph.spectral import inverse
from lpgraph.spectral.inverse import RootInverse, expected_fill, factorised


def laplacian(points):
    graph = binary_affinity(neighbor_graph(points, n_neighbors=10))
    return sparse.csr_array(sparse.csgraph.laplacian(graph))


@pytest.mark.parametrize(("dimension", "n"), [(1, 20_000), (2, 20_000), (3, 12_000)])
def test_the_forecast_is_near_the_factor(dimension, n):
    matrix = laplacian(np.random.default_rng(dimension).uniform(size=(n, dimension)))
    shifted = sparse.csc_array(matrix + 1e-6 * sparse.eye_array(n))
    factors = scipy.sparse.linalg.splu(
        shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    assert 0.6 < expected_fill(matrix, 1e-6) / (factors.L.nnz / n) < 1.7


def test_a_whole_small_matrix_is_no_forecast():
    matrix = sparse.csr_array(np.diag([2.0] * 5) - np.eye(5, k=1) - np.eye(5, k=-1))
    assert expected_fill(matrix, 0.1) == pytest.approx(9 / 5)  # bidiagonal: 5 + 4 entries


@pytest.mark.parametrize(("dimension", "factorised"), [(2, True), (6, False)])
def test_eigenmaps_factorise_only_where_the_factors_are_small(dimension, factorised, monkeypatch):
    made = []
    whole = inverse.Inverse.__init__
    monkeypatch.setattr(inverse.Inverse, "__init__", lambda self, *given: made.append(1) or whole(self, *given))
    points = np.random.default_rng(0).uniform(size=(5000, dimension))
    LaplacianEigenmaps(1, n_neighbors=10).fit(points)
    assert bool(made) == factorised


def reconstruction_root(n, dimension, seed=0):
    """Return I - W for reconstruction weights W of points in a cube: rows sum to 0, and it is not symmetric."""
    points = np.random.default_rng(seed).uniform(size=(n, dimension))
    indices = Neighborhood.of(points, n_neighbors=8).nearest_training(8)[0]
    return sparse.csr_array(sparse.eye_array(n) - affine_weights(points, points, indices, 1e-3))


@pytest.mark.parametrize("dimension", [2, 4])
def test_the_inverse_by_a_root_is_the_pseudo_inverse(dimension):
    root = reconstruction_root(400, dimension)
    null = np.full(400, 400**-0.5)
    dense = root.toarray()
    block = np.random.default_rng(1).standard_normal((400, 3))
    block -= np.outer(null, null @ block)
    # By the singular values of the root, because the product loses half of their digits.
    s, vt = np.linalg.svd(dense)[1:]
    expected = vt[:-1].T @ ((vt[:-1] @ block) / s[:-1, None] ** 2)
    found = RootInverse(root, null) @ block
    # Errors are the root's condition, at most 1e5 here, times rounding, once for each of two solutions.
    assert s[0] / s[-2] < 1e5
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()
    assert np.abs(null @ found).max() < 1e-9 * np.abs(found).max()


def test_a_row_that_no_other_row_uses_is_not_where_the_root_is_made_regular():
    # Every vertex follows the next one, the last the first; vertex 0 follows vertex 1, and none follows it.
    n = 50
    follows = np.append(np.arange(2, n), 1)
    W = sparse.csr_array((np.ones(n), (np.arange(n), np.append(1, follows))), shape=(n, n))
    root = sparse.csr_array(sparse.eye_array(n) - W)
    null = np.full(n, n**-0.5)
    b = np.random.default_rng(0).standard_normal((n, 1))
    b -= b.mean()
    x = RootInverse(root, null) @ b
    assert np.allclose(root.T @ (root @ x), b, atol=1e-9)


def test_a_root_with_two_null_vectors_is_refused():
    half = reconstruction_root(100, 2)
    both = sparse.csr_array(sparse.block_diag([half, half]))
    with pytest.raises(ConvergenceError, match=r"null vectors|could not be factorised"):
        RootInverse(both, np.full(200, 200**-0.5))


def test_factors_of_a_root_are_smaller():
    root = reconstruction_root(10_000, 2)
    product = sparse.csr_array(root.T @ root)
    inverse = RootInverse(root, np.full(10_000, 1e-2))
    assert inverse._factors.L.nnz < 0.4 * factorised(product, 1e-9).L.nnz
