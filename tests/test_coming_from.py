"""The tables of docs/coming_from.md: what is the same is the same number, and what differs differs.

graspologic needs an older numpy: its formulas are written out here, and its values are stored in tests/peers, as
those of scikit-network are.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn import manifold
from sklearn.datasets import make_s_curve

import lpgraph as lp
from lpgraph.infer.mixture import choose_mixture

STORED = Path(__file__).parent / "peers"
THEIRS = json.loads((STORED / "graspologic_values.json").read_text())
OF_NETWORK = json.loads((STORED / "scikit_network_values.json").read_text())
GIVEN = {name: np.array(value) for name, value in THEIRS["inputs"].items()}
CURVE = make_s_curve(150, random_state=0)[0]
NEW = make_s_curve(20, random_state=1)[0]


def same(ours, theirs, atol=1e-8):
    """Whether coordinates are equal up to the signs of the columns."""
    return np.allclose(ours, theirs * np.sign((ours * theirs).sum(axis=0)), atol=atol)


def dense(graph):
    """Return the matrix of an `Adjacency`."""
    return graph.matrix.toarray()


# graspologic


@pytest.mark.parametrize("key", THEIRS["helpers"])
def test_values_of_helpers(key):
    name, option, graph = key.split()
    given, theirs = GIVEN[graph], np.array(THEIRS["helpers"][key])
    if name == "to_laplacian":
        form, tau = ("R-DAD", 2.5) if option == "2.5" else (option, None)
        ours = dense(lp.to_laplacian(given, form, regularizer=tau))
        if form == "I-DAD" and graph.startswith("arcs"):  # in-degrees on both sides there, both degrees here
            assert not np.allclose(ours, theirs, atol=0.01)
            degrees = given.sum(axis=0)
            np.testing.assert_allclose(
                theirs, np.eye(len(given)) - given / np.sqrt(np.outer(degrees, degrees)), atol=1e-10
            )
            theirs = np.eye(len(given)) - given / np.sqrt(np.outer(given.sum(axis=1), degrees))
    else:
        ours = {
            "pass_to_ranks": lambda: dense(lp.pass_to_ranks(given, option)),
            "symmetrize": lambda: dense(lp.symmetrize(given, option)),
            "augment_diagonal": lambda: dense(lp.augment_diagonal(given, 2.0)),
            "binarize": lambda: dense(lp.as_adjacency(given, weight=None)),
            "remove_loops": lambda: dense(lp.as_adjacency(given, loops="drop")),
            "is_loopless": lambda: lp.summary(given).loops == 0,
            "is_symmetric": lambda: not lp.as_adjacency(given).directed,
            "is_unweighted": lambda: not lp.summary(given).weighted,
            "is_fully_connected": lambda: lp.summary(given).components == 1,
            "largest_connected_component": lambda: dense(lp.largest_component(given)),
            "remove_vertices": lambda: dense(lp.as_adjacency(given).subgraph([0, 2, 3, 5, 6, 7])),
        }[name]()
    np.testing.assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("graph", ["weighted", "arcs"])
def test_values_of_embeddings(graph):
    stored = THEIRS["embeddings"]
    models = {f"ase {flag}": lp.AdjacencySpectralEmbedding(2, augment_diagonal=flag) for flag in (False, True)}
    for text, tau in (("DAD None", 0), ("R-DAD None", "mean"), ("R-DAD 2.5", 2.5)):
        models[f"lse {text}"] = lp.LaplacianSpectralEmbedding(2, regularizer=tau)
    for key, model in models.items():
        model.fit(GIVEN[graph])
        theirs = stored[f"{key} {graph}"]
        sides = [np.array(side) for side in (theirs if graph == "arcs" else [theirs])]
        assert same(model.embedding_, sides[0])
        assert graph == "weighted" or same(model.embedding_in_, sides[1])


@pytest.mark.parametrize("assortative", [False, True])
def test_values_with_covariates(assortative):
    theirs = np.array(THEIRS["embeddings"][f"case {assortative}"])
    # Their covariates have columns of length 1, and ours of variance 1: alpha is 8 times smaller here.
    model = lp.CovariateAssistedEmbedding(
        2, covariates=GIVEN["positions"][:8], alpha=0.5 / 8, assortative=assortative
    ).fit(GIVEN["weighted"])
    # They take the root of the values of L^2 also, ours those of L.
    power = 1.0 if assortative else model.eigenvalues_**0.25
    assert same(model.embedding_ * power, theirs)


def test_values_of_both_sides():
    arcs, stored = GIVEN["arcs"], THEIRS["embeddings"]
    model = lp.AdjacencySpectralEmbedding(2, concat=True)
    assert same(model.fit_transform(arcs), np.array(stored["ase concat arcs"]))
    laplacian = lp.LaplacianSpectralEmbedding(2, regularizer=0, concat=True)
    assert same(laplacian.fit_transform(arcs), np.array(stored["lse concat arcs"]))
    # graspologic was given (X_in, X_out) of the first three vertices, and returned a tuple.
    out, inward = np.array(stored["ase concat new"])
    assert same(model.transform((arcs[:3], arcs.T[:3])), np.hstack([out, inward]))


def test_values_of_decompositions():
    stored = THEIRS["embeddings"]
    assert same(lp.manifold.ClassicalMDS().fit(GIVEN["positions"]).embedding_, np.array(stored["ClassicalMDS"]))
    found, theirs = lp.spectral.eigen.singular_triplets(GIVEN["arcs"], 3), stored["select_svd"]
    np.testing.assert_allclose(found.values, theirs["values"])
    assert same(found.left, np.array(theirs["left"]))
    assert same(found.right, np.array(theirs["right"]).T)
    assert lp.infer.dimension.elbows(GIVEN["eigenvalues"], 3) == stored["select_dimension"]


def test_values_of_clusters_and_probabilities():
    stored = THEIRS["others"]
    turned = np.array(stored["turned"])
    np.testing.assert_allclose(lp.procrustes(GIVEN["positions"], turned), stored["OrthogonalProcrustes"])
    labels = choose_mixture(GIVEN["positions"], range(2, 6)).predict(GIVEN["positions"])
    for name in ("GaussianCluster", "AutoGMMCluster"):
        assert len(set(zip(labels.tolist(), stored[name], strict=True))) == len(set(stored[name])) == 3
    graph = lp.random_dot_product_graph(GIVEN["latent"], random_state=0)
    theirs = np.array(stored["p_from_latent"])
    assert np.diag(graph.probabilities()).all()
    np.testing.assert_allclose(np.where(np.eye(6), 0, graph.probabilities()), theirs)
    blocks = lp.stochastic_block_model([1] * 6, theirs, random_state=0)
    np.testing.assert_allclose(blocks.probabilities(), theirs)


# scikit-learn


def test_isomap():
    theirs = manifold.Isomap(n_neighbors=7).fit(CURVE)
    ours = lp.manifold.Isomap(2, n_neighbors=7).fit(CURVE)
    assert same(ours.embedding_, theirs.embedding_)
    assert not same(ours.transform(NEW), theirs.transform(NEW), atol=0.01)  # the two-sided rule
    with pytest.raises(lp.errors.DisconnectedError, match="components"):
        lp.manifold.Isomap(2, n_neighbors=2, components="error").fit(np.array([[0.0], [1], [2], [50], [51], [52]]))


def test_locally_linear_embedding_is_the_same_without_ties():
    for points, equal in (CURVE, True), (CURVE.round(1), False):
        theirs = manifold.LocallyLinearEmbedding(n_neighbors=7, eigen_solver="dense").fit_transform(points)
        ours = lp.manifold.LocallyLinearEmbedding(2, n_neighbors=7, components="bridge").fit_transform(points)
        assert same(ours, theirs, atol=1e-6) == equal


OF_SKLEARN = {"diagonal": "drop"}


@pytest.mark.parametrize("k", [6, 10, 15])
def test_neighbors_of_spectral_embedding_include_the_point_itself(k):
    theirs = manifold.SpectralEmbedding(2, affinity="nearest_neighbors", n_neighbors=k).fit(CURVE)
    edges = theirs.affinity_matrix_.toarray()
    np.fill_diagonal(edges, 0)
    ours = lp.manifold.LaplacianEigenmaps(2, n_neighbors=k - 1, **OF_SKLEARN).fit(CURVE)
    graph = sparse.csr_array(ours.graph_).toarray()
    np.fill_diagonal(graph, 0)
    assert np.array_equal(graph > 0, edges > 0)
    assert set(np.unique(edges)) == {0.0, 0.5, 1.0}  # 1/2 if only one end is among the nearest of the other
    assert set(np.unique(graph)) == {0.0, 1.0}
    assert not same(ours.embedding_, theirs.embedding_, atol=1e-4)
    given = lp.manifold.LaplacianEigenmaps(2, n_neighbors=None, affinity="precomputed", **OF_SKLEARN)
    assert same(given.fit(theirs.affinity_matrix_).embedding_, theirs.embedding_)


# scikit-network


def test_values_of_scikit_network():
    given = {name: np.array(value) for name, value in OF_NETWORK["inputs"].items()}
    stored = {name: np.array(value) for name, value in OF_NETWORK["found"].items()}
    for name in ("weighted", "arcs"):
        model = lp.AdjacencySpectralEmbedding(2).fit(given[name])
        np.testing.assert_allclose(model.singular_values_, stored[f"SVD {name} values"])
        assert same(model.embedding_, stored[f"SVD {name}"])
        assert name == "weighted" or same(model.embedding_in_, stored["SVD arcs columns"])
        model = lp.LaplacianSpectralEmbedding(2, regularizer=0).fit(given[name])
        assert same(model.embedding_ / np.sqrt(given[name].sum(axis=1))[:, None], stored[f"GSVD {name}"])
    weighted = given["weighted"]
    walk = lp.RandomWalkEmbedding(2).fit(weighted)
    np.testing.assert_allclose(walk.eigenvalues_, stored["Spectral eigenvalues"], atol=1e-8)
    assert same(walk.embedding_, stored["Spectral"] * np.sqrt(weighted.sum()), atol=1e-5)
