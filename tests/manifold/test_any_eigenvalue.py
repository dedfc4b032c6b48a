"""Similarity graphs with eigenvalues that are 0, negative or equal: all are embedded, only 0 does not extend."""

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.manifold import DiffusionMap, LaplacianEigenmaps, LocalTangentSpaceAlignment, SpectralClustering

NETWORKS = {
    **{f"path {n}": nx.path_graph(n) for n in range(2, 9)},
    **{f"star {n}": nx.star_graph(n) for n in range(2, 7)},
    **{f"complete {n}": nx.complete_graph(n) for n in range(2, 8)},
    **{f"cycle {n}": nx.cycle_graph(n) for n in range(3, 9)},
    **{f"bipartite {n}": nx.complete_bipartite_graph(n, n + 1) for n in range(1, 5)},
    **{f"random {s}": nx.gnp_random_graph(9, 0.5, seed=s) for s in range(20)},
    "cube": nx.hypercube_graph(3),
    "caveman": nx.connected_caveman_graph(3, 4),
}
NETWORKS = {name: graph for name, graph in NETWORKS.items() if nx.is_connected(graph)}


def normalised(K):
    root = K.sum(axis=1) ** -0.5
    return root[:, None] * K * root


def expect_pairs(model, K, vectors, leave):
    """Check unit eigenvectors of the normalised similarities against LAPACK, and return their eigenvalues."""
    matrix = normalised(K)
    values = np.linalg.eigvalsh(matrix)[::-1][leave : leave + vectors.shape[1]]
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-9)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-6)
    return values


def expect_extension(model, rows, values):
    """Check that the training rows are placed where they were, and refused if an eigenvalue is 0."""
    zero = np.abs(values) < 1e-12
    if not zero.any():
        np.testing.assert_allclose(model.transform(rows), model.embedding_, atol=1e-8)
        return
    first = int(np.argmax(zero))
    with pytest.raises(ArgumentError, match=f"Eigenvalue {first + 1} of {len(values)} is 0.*Fit with"):
        model.transform(rows)
    if first > 0:
        clone(model).set_params(**{model._size: first}).fit(rows).transform(rows)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_number_of_dimensions_of_a_small_network(name):
    K = nx.to_numpy_array(NETWORKS[name])
    for d in range(1, len(K)):
        given = {"affinity": "precomputed", "n_neighbors": None}
        model = LaplacianEigenmaps(d, normalization="symmetric", **given).fit(K)
        values = expect_pairs(model, K, model.embedding_, 1)
        expect_extension(model, K, values)
        walk = LaplacianEigenmaps(d, **given).fit(K)
        expect_pairs(walk, K, walk.embedding_ * np.sqrt(K.sum(axis=1))[:, None], 1)
        expect_extension(walk, K, values)
        network = lp.RandomWalkEmbedding(d).fit(NETWORKS[name])
        degrees = K.sum(axis=1)
        expect_pairs(network, K, network.embedding_ * np.sqrt(degrees / degrees.sum())[:, None], 1)
        expect_extension(network, K, values)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_number_of_clusters_of_a_small_network(name):
    K = nx.to_numpy_array(NETWORKS[name])
    distinct = len(np.unique(K, axis=0))
    for k in range(1, min(distinct, 5)):
        model = SpectralClustering(k, affinity="precomputed", n_neighbors=None, n_init=1).fit(K)
        values = np.linalg.eigvalsh(normalised(K))[::-1][:k]
        np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-9)
        expect_extension(model, K, values)


@pytest.mark.parametrize("n", [3, 4, 6, 11, 30])
@pytest.mark.parametrize("diagonal", ["keep", "drop"])
def test_every_number_of_neighbors_of_random_points(n, diagonal):
    for seed in range(4):
        X = np.random.default_rng(seed).standard_normal((n, 2))
        for k in {1, 2, n // 2, n - 1}:
            for d in {1, min(3, n - 1), n - 1}:
                settings = {"n_neighbors": k, "components": "bridge", "diagonal": diagonal}
                model = LaplacianEigenmaps(d, **settings).fit(X)
                K = model.graph_.toarray()
                values = expect_pairs(model, K, model.embedding_ * np.sqrt(K.sum(axis=1))[:, None], 1)
                if diagonal == "keep":
                    expect_extension_of_points(model, X, values)
                DiffusionMap(d, n_neighbors=k, time=0.0, components="bridge").fit(X)


def expect_extension_of_points(model, X, values):
    if (np.abs(values) < 1e-12).any():
        with pytest.raises(ArgumentError, match=r"is 0, so .*\. Fit with (1 dimension\.|other|\d+ dimensions or)"):
            model.transform(X)
    else:
        np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-7)


@pytest.mark.parametrize("solver", ["auto", "lapack", "lanczos", "inverse"])
@pytest.mark.parametrize("n", [7, 40, 650])
def test_a_complete_neighbor_graph(solver, n):
    # All eigenvalues but the trivial one are equal: 0 with the diagonal, -1 / (n - 1) without.
    X = np.random.default_rng(0).standard_normal((n, 3))
    for diagonal, value in (("keep", 0.0), ("drop", -1 / (n - 1))):
        settings = {"n_neighbors": n - 1, "diagonal": diagonal, "normalization": "symmetric"}
        model = LaplacianEigenmaps(3, solver=solver, **settings).fit(X)
        np.testing.assert_allclose(model.eigenvalues_, value, atol=1e-9)
        np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-6)
        np.testing.assert_allclose(model.embedding_.sum(axis=0), 0, atol=1e-6)
    assert SpectralClustering(2, n_neighbors=n - 1, affinity="binary", n_init=1).fit(X).labels_.max() == 1


@pytest.mark.parametrize("network", [nx.star_graph(700), nx.complete_bipartite_graph(300, 350)])
def test_lanczos_on_eigenvalues_that_are_0(network):
    model = lp.RandomWalkEmbedding(2).fit(network)
    np.testing.assert_allclose(model.eigenvalues_, 0, atol=1e-9)
    np.testing.assert_allclose(model.left_embedding_.T @ model.embedding_, np.eye(2), atol=1e-6)
    with pytest.raises(ArgumentError, match="Eigenvalue 1 of 2 is 0"):
        model.transform({"new": [0, 1]})


def test_a_coarse_tolerance_leaves_eigenvalues_that_extend():
    X = np.random.default_rng(0).standard_normal((800, 3))
    model = LaplacianEigenmaps(3, solver="lanczos", tol=0.01).fit(X)
    assert model.residuals_.max() > 1e-4
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)


def test_a_saved_embedding_refuses_as_well(tmp_path):
    K = nx.to_numpy_array(nx.star_graph(4))
    model = LaplacianEigenmaps(2, affinity="precomputed", n_neighbors=None).fit(K)
    lp.save(model, tmp_path / "star.lpg")
    with pytest.raises(ArgumentError, match="Eigenvalue 1 of 2 is 0"):
        lp.load(tmp_path / "star.lpg").transform(K)


def test_a_diffusion_map_with_time_needs_positive_eigenvalues():
    X = np.random.default_rng(2).standard_normal((5, 3))
    with pytest.raises(ArgumentError, match="eigenvalues are positive; pass n_components <="):
        DiffusionMap(4, n_neighbors=2, components="bridge").fit(X)


def test_tangent_spaces_that_fit_every_function():
    X = np.random.default_rng(0).standard_normal((8, 3))
    with pytest.raises(ArgumentError, match="n_neighbors=3 with 8 points, d = 2; pass n_neighbors >= 4"):
        LocalTangentSpaceAlignment(2, n_neighbors=3).fit(X)
    assert LocalTangentSpaceAlignment(2, n_neighbors=7).fit(X).embedding_.shape == (8, 2)
