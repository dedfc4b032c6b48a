"""Random-walk embedding against the transition matrix itself."""

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import DisconnectedGraphWarning, GraphError


@pytest.mark.parametrize(("n", "solver"), [(80, "auto"), (80, "lanczos"), (700, "auto")])
@pytest.mark.parametrize("weighted", [False, True])
def test_right_and_left_eigenvectors_of_the_transition_matrix(n, solver, weighted):
    A = connected(n, 8, 1, weighted=weighted)
    model = lp.RandomWalkEmbedding(3, solver=solver, tol=1e-9).fit(A)
    degrees = np.asarray(A.sum(axis=1)).ravel()
    P = A.toarray() / degrees[:, None]
    right, left, values = model.embedding_, model.left_embedding_, model.eigenvalues_
    assert np.allclose(P @ right, right * values, atol=1e-6)
    assert np.allclose(P.T @ left, left * values, atol=1e-8)
    assert np.allclose(left.T @ right, np.eye(3), atol=1e-9)
    expected = np.sort(np.linalg.eigvals(P).real)[::-1]
    assert np.allclose(values, expected[1:4], atol=1e-10)
    # Unit variance and mean zero in the stationary distribution.
    share = degrees / degrees.sum()
    assert np.allclose(share @ right, 0, atol=1e-9)
    assert np.allclose(share @ right**2, 1)
    assert np.allclose(model.transform(A), right, atol=1e-12)


def test_a_new_vertex_is_the_mean_of_its_neighbors_over_the_eigenvalue():
    A = connected(60, 6, 2)
    model = lp.RandomWalkEmbedding(2).fit(A)
    expected = model.embedding_[[0, 5, 9]].mean(axis=0) / model.eigenvalues_
    assert np.allclose(model.transform({"new": [0, 5, 9]})[0], expected)
    weighted = (model.embedding_[0] + 3 * model.embedding_[7]) / 4 / model.eigenvalues_
    assert np.allclose(model.transform({"new": {0: 1.0, 7: 3.0}, "none": []}), [weighted, [0, 0]])


def test_it_is_the_diffusion_map_of_the_same_similarities():
    A = connected(90, 8, 3, weighted=True).toarray() + np.eye(90)
    walk = lp.RandomWalkEmbedding(2).fit(A)
    eigenmaps = lp.manifold.LaplacianEigenmaps(2, affinity="precomputed", n_neighbors=None).fit(A)
    assert np.allclose(walk.eigenvalues_, eigenmaps.eigenvalues_)
    assert np.allclose(np.abs(walk.embedding_), np.abs(eigenmaps.embedding_) * np.sqrt(A.sum()))


def test_isolated_vertices_are_at_the_origin():
    A = sparse.block_diag([connected(40, 6, 4), sparse.csr_array((2, 2))], format="csr")
    with pytest.warns(DisconnectedGraphWarning, match="2 of 42 vertices, such as 40, are at the origin"):
        model = lp.RandomWalkEmbedding(2).fit(A)
    assert np.array_equal(model.embedding_[40:], np.zeros((2, 2)))
    assert np.isfinite(model.left_embedding_).all()


def test_what_it_is_not_for_is_refused():
    with pytest.raises(GraphError, match="directed, and RandomWalkEmbedding is for undirected"):
        lp.RandomWalkEmbedding(1).fit(nx.DiGraph([(0, 1), (1, 2)]))
    with pytest.raises(GraphError, match="negative weights"):
        lp.RandomWalkEmbedding(1).fit([[0, -1.0], [-1.0, 0]])
    model = lp.RandomWalkEmbedding(1).fit(nx.karate_club_graph())
    with pytest.raises(GraphError, match="a new vertex has negative weights"):
        model.transform({"new": {0: -1.0}})
