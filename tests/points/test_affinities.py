from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.points.affinities import binary_affinity, gaussian_affinity, with_diagonal

POINTS = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [60.0, 0.0]])


def test_gaussian_of_every_edge():
    graph = lp.neighbor_graph(POINTS, n_neighbors=2)
    before = graph.copy()
    affinity = gaussian_affinity(graph, 1.5)
    expected = np.exp(-(cdist(POINTS, POINTS) ** 2) / 1.5**2)
    i, j = graph.tocoo().coords
    np.testing.assert_allclose(affinity.toarray()[i, j], expected[i, j], rtol=1e-14)
    assert affinity[0, 1] == 1.0  # points at the same place are neighbours
    assert affinity.nnz == graph.nnz  # also where the affinity is 0 in floating point
    assert (affinity.data == 0).any()
    np.testing.assert_array_equal(graph.data, before.data)


def test_binary_of_every_edge():
    graph = lp.neighbor_graph(POINTS, n_neighbors=2)
    np.testing.assert_array_equal(
        binary_affinity(graph).toarray(), lp.neighbor_graph(POINTS, n_neighbors=2, mode="connectivity").toarray()
    )
    assert binary_affinity(graph)[0, 1] == 1.0


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_the_diagonal_is_set(value):
    matrix = sparse.csr_array([[5.0, 1.0, 0.0], [1.0, 0.0, 4.0], [0.0, 4.0, 0.0]])
    result = with_diagonal(matrix, value)
    np.testing.assert_array_equal(result.toarray(), matrix.toarray() - np.diag([5.0, 0, 0]) + value * np.eye(3))
    assert result.nnz == 7
    assert matrix[0, 0] == 5.0


def test_extreme_widths_stay_finite():
    graph = lp.neighbor_graph(POINTS, n_neighbors=2)
    assert np.isfinite(gaussian_affinity(graph, 1e-300).data).all()
    assert (gaussian_affinity(graph, 1e300).data == 1).all()


def test_what_cannot_work_says_so():
    graph = lp.neighbor_graph(POINTS, n_neighbors=2)
    with pytest.raises(ArgumentError, match=r"sigma=0\.0; pass"):
        gaussian_affinity(graph, 0.0)
    with pytest.raises(ArgumentTypeError, match="distances is an ndarray; pass a sparse array"):
        gaussian_affinity(graph.toarray(), 1.0)
    with pytest.raises(ArgumentTypeError, match="distances is an ndarray"):
        binary_affinity(graph.toarray())
    with pytest.raises(GraphError, match=r"matrix has shape \(2, 5\)"):
        with_diagonal(graph[:2], 1.0)
