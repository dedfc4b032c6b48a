"""Size of a factor, predicted from two small parts of the graph, compared with the factor."""

import numpy as np
import pytest
import scipy.sparse.linalg
from scipy import sparse

from lpgraph.manifold import LaplacianEigenmaps
from lpgraph.points.affinities import binary_affinity
from lpgraph.points.neighborhood import neighbor_graph
from lpgraph.spectral import inverse
from lpgraph.spectral.inverse import expected_fill


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
