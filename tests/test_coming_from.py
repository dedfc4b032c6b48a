"""The tables of docs/coming_from.md: what is the same is the same number, and what differs differs.

graspologic needs an older numpy, so that its formulas are written out here.
"""

import inspect
import io
import re
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn import cluster, decomposition, manifold
from sklearn.datasets import make_s_curve
from sklearn.neighbors import kneighbors_graph

import lpgraph as lp
from lpgraph.errors import ArgumentError, LpgraphWarning, ProbabilityError

PAGE = Path(lp.__file__).parent.parent / "docs" / "coming_from.md"
CLUB = nx.karate_club_graph()
PLAIN = (nx.to_numpy_array(CLUB) > 0).astype(float)
ARCS = np.random.default_rng(0).random((60, 60)) < 0.3
CURVE = make_s_curve(150, random_state=0)[0]
NEW = make_s_curve(20, random_state=1)[0]
TESTED = set()


def row(*cells):
    """Mark a test as that of the rows whose first cell begins with one of the given texts."""
    TESTED.update(cells)
    return lambda test: test


def same(ours, theirs, atol=1e-8):
    """Whether coordinates are equal up to the signs of the columns."""
    return np.allclose(ours, theirs * np.sign((ours * theirs).sum(axis=0)), atol=atol)


def truncated(matrix, d):
    """Singular vectors times the roots of the singular values, as graspologic's latent_left_ and latent_right_."""
    u, s, vt = np.linalg.svd(matrix)
    return (u[:, :d] * np.sqrt(s[:d]), vt[:d].T * np.sqrt(s[:d]), s[:d])


# graspologic


@row("`AdjacencySpectralEmbed`", "`latent_left_`", "`singular_values_`", "`transform((X_out")
def test_adjacency_spectral_embed():
    arcs = np.where(np.eye(60), 0.0, ARCS)
    left, right, values = truncated(arcs, 3)
    model = lp.AdjacencySpectralEmbedding(3)
    assert isinstance(model.fit_transform(arcs), np.ndarray)
    assert same(model.embedding_, left)
    assert same(model.embedding_in_, right)
    np.testing.assert_allclose(model.singular_values_, values)
    # The rows of training vertices give their positions; graspologic needs its two arguments in the other order.
    np.testing.assert_allclose(model.transform(arcs[:5]), model.embedding_[:5], atol=1e-8)
    np.testing.assert_allclose(model.transform(arcs.T[:5], direction="in"), model.embedding_in_[:5], atol=1e-8)


@row("`transform(rows)`", "`singular_values_`")
def test_new_vertices_are_not_mirrored():
    model = lp.AdjacencySpectralEmbedding(4).fit(PLAIN)
    assert same(model.embedding_, truncated(PLAIN, 4)[0])
    np.testing.assert_allclose(np.abs(model.eigenvalues_), truncated(PLAIN, 4)[2])
    assert set(model.signature_.tolist()) == {1, -1}
    np.testing.assert_allclose(model.transform(PLAIN[:5]), model.embedding_[:5], atol=1e-8)
    by_magnitude = PLAIN[:5] @ model.embedding_ / np.abs(model.eigenvalues_)
    assert same(by_magnitude, model.transform(PLAIN[:5]))
    assert not np.allclose(by_magnitude, model.transform(PLAIN[:5]), atol=0.1)
    assert np.allclose(model.transform(sparse.csr_array(PLAIN[:5])), model.transform(PLAIN[:5]))


@row("`n_components=None`", "`diag_aug=True`", "its `cvec`", "`embed_adjacency_matrix")
def test_diagonal():
    for matrix in (PLAIN, nx.to_numpy_array(CLUB)):
        augmented = matrix + np.diag(matrix.sum(axis=1) / 33)
        assert same(
            lp.AdjacencySpectralEmbedding(4, augment_diagonal=True).fit(matrix).embedding_,
            truncated(augmented, 4)[0],
        )
        assert not same(lp.AdjacencySpectralEmbedding(4).fit(matrix).embedding_, truncated(augmented, 4)[0])
    algebraic = lp.AdjacencySpectralEmbedding(4, which="LA").fit(PLAIN)
    np.testing.assert_allclose(algebraic.eigenvalues_, np.linalg.eigvalsh(PLAIN)[:-5:-1])
    assert len(lp.AdjacencySpectralEmbedding("second_elbow").fit(PLAIN).scree_) == 20


@row("`LaplacianSpectralEmbed", '`form="R-DAD"`', '`form="I-DAD"`', "`embed_laplacian_matrix", '`type="OAP"`')
def test_laplacian_forms():
    degree = PLAIN.sum(axis=1)
    for tau, value in ((0, 0), ("mean", degree.mean()), (2.0, 2.0)):
        normalised = PLAIN / np.sqrt(np.outer(degree + value, degree + value))
        model = lp.LaplacianSpectralEmbedding(4, regularizer=tau).fit(PLAIN)
        assert same(model.embedding_, truncated(normalised, 4)[0])
        np.testing.assert_allclose(model.transform(PLAIN[:5]), model.embedding_[:5], atol=1e-8)
    laplacian = np.array(igraph.Graph.Adjacency(PLAIN, mode="undirected").laplacian(normalized="symmetric"))
    normalised = PLAIN / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(np.eye(34) - laplacian, normalised, atol=1e-12)
    out, into = ARCS.sum(axis=1), ARCS.sum(axis=0)
    left, right, values = truncated(ARCS / np.sqrt(np.outer(out, into)), 3)
    model = lp.LaplacianSpectralEmbedding(3, regularizer=0).fit(ARCS.astype(float))
    np.testing.assert_allclose(model.singular_values_, values)
    assert same(model.embedding_, left)
    assert same(model.embedding_in_, right)


@row(
    "`align.OrthogonalProcrustes`",
    "`check_lcc=True`",
    "`largest_connected_component`",
    "`nx.connected_components`",
)
def test_alignment_and_components():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 20, 3))
    np.testing.assert_allclose(lp.procrustes(a, b), linalg.orthogonal_procrustes(a, b)[0])
    parts = nx.disjoint_union(nx.path_graph(5), nx.path_graph(3))
    assert set(lp.largest_component(parts).names) == max(nx.connected_components(parts), key=len)
    with pytest.warns(LpgraphWarning, match="2 components"):
        lp.AdjacencySpectralEmbedding(2).fit(parts)


@row(
    "`simulations.sbm",
    "`simulations.rdpg(X)`",
    "`GaussianCluster`",
    "`select_dimension`",
    "`algorithm=",
    "`svd_seed`",
)
def test_samples_and_names():
    graph = lp.stochastic_block_model([20, 30], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    assert sparse.issparse(graph.adjacency)
    assert graph.new_vertices(3, random_state=0).adjacency.shape == (3, 50)
    with pytest.raises(ProbabilityError):
        lp.random_dot_product_graph([[1.2], [0.9]])
    assert {"solver", "tol", "random_state"} <= set(inspect.signature(lp.AdjacencySpectralEmbedding).parameters)
    assert callable(lp.infer.dimension.elbows)
    assert callable(lp.infer.dimension.cross_validate)
    assert callable(lp.VertexClustering.predict)
    for name in ("erdos_renyi", "mixed_membership_block_model"):
        assert callable(getattr(lp, name))


@row("`plot.pairplot`")
def test_names_of_plots():
    pytest.importorskip("matplotlib")
    assert all(callable(getattr(lp.plot, name)) for name in ("pairs", "adjacency", "scree"))


# scikit-learn


@row("`manifold.Isomap`")
def test_isomap():
    theirs = manifold.Isomap(n_neighbors=7).fit(CURVE)
    ours = lp.manifold.Isomap(2, n_neighbors=7).fit(CURVE)
    assert same(ours.embedding_, theirs.embedding_)
    assert not same(ours.transform(NEW), theirs.transform(NEW), atol=0.01)  # the two-sided rule
    with pytest.raises(lp.errors.GraphError, match="components"):
        lp.manifold.Isomap(2, n_neighbors=2).fit(np.array([[0.0], [1], [2], [50], [51], [52]]))


@row("`manifold.LocallyLinearEmbedding`", 'its `method="ltsa"`')
def test_local_methods():
    theirs = manifold.LocallyLinearEmbedding(n_neighbors=12, eigen_solver="dense").fit(CURVE)
    ours = lp.manifold.LocallyLinearEmbedding(2, n_neighbors=12).fit(CURVE)
    assert same(ours.embedding_, theirs.embedding_, atol=1e-6)
    np.testing.assert_allclose(ours.transform(CURVE), ours.embedding_, atol=1e-12)
    assert np.abs(theirs.transform(CURVE) - theirs.embedding_).max() > 1e-4
    theirs = manifold.LocallyLinearEmbedding(n_neighbors=12, method="ltsa", eigen_solver="dense").fit(CURVE)
    ours = lp.manifold.LocalTangentSpaceAlignment(2, n_neighbors=12).fit(CURVE)
    subspace = theirs.embedding_
    np.testing.assert_allclose(subspace @ (subspace.T @ ours.embedding_), ours.embedding_, atol=1e-6)


OF_SKLEARN = {"diagonal": "drop", "normalization": "random_walk"}


@row("`manifold.SpectralEmbedding`")
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


@row("`manifold.SpectralEmbedding`")
def test_spectral_embedding_of_a_kernel():
    theirs = manifold.SpectralEmbedding(2, affinity="rbf", gamma=0.5).fit(CURVE)
    ours = lp.manifold.LaplacianEigenmaps(
        2, n_neighbors=None, affinity="gaussian", sigma=np.sqrt(2.0), **OF_SKLEARN
    ).fit(CURVE)
    assert same(ours.embedding_, theirs.embedding_)


@row("`cluster.SpectralClustering`")
def test_neighbors_of_spectral_clustering_include_the_point_itself():
    theirs = cluster.SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=10, random_state=0).fit(CURVE)
    edges = theirs.affinity_matrix_.toarray()
    np.fill_diagonal(edges, 0)
    ours = lp.manifold.SpectralClustering(3, n_neighbors=9).fit(CURVE)
    graph = sparse.csr_array(ours.graph_).toarray()
    np.fill_diagonal(graph, 0)
    assert np.array_equal(graph > 0, edges > 0)
    assert ours.predict(NEW).shape == (20,)


@row("`manifold.ClassicalMDS`")
@pytest.mark.skipif(not hasattr(manifold, "ClassicalMDS"), reason="not in this scikit-learn")
def test_classical_mds():
    theirs = manifold.ClassicalMDS(2).fit(CURVE)
    ours = lp.manifold.ClassicalMDS(2).fit(CURVE)
    assert same(ours.embedding_, theirs.embedding_)
    np.testing.assert_allclose(ours.transform(CURVE), ours.embedding_, atol=1e-8)


@row("`decomposition.KernelPCA`")
@pytest.mark.parametrize(
    "kernel",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "gamma": 0.5},
        {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
        {"kernel": "sigmoid", "gamma": 0.1, "coef0": 0.0},
        {"kernel": "cosine"},
    ],
    ids=lambda kernel: kernel["kernel"],
)
def test_kernel_pca(kernel):
    theirs = decomposition.KernelPCA(3, eigen_solver="dense", **kernel).fit(CURVE)
    ours = lp.manifold.KernelPCA(3, **kernel).fit(CURVE)
    assert same(ours.embedding_, theirs.transform(CURVE))
    assert same(ours.transform(NEW), theirs.transform(NEW))
    with pytest.raises(ArgumentError, match="n_components=4"):
        lp.manifold.KernelPCA(4, kernel="linear").fit(CURVE)


@row("`kneighbors_graph(X, k)`")
def test_neighbor_graph():
    theirs = kneighbors_graph(CURVE, 6)
    ours = lp.neighbor_graph(CURVE, n_neighbors=6)
    assert np.array_equal(ours.toarray() > 0, (theirs + theirs.T).toarray() > 0)
    assert not ours.diagonal().any()


@row("`semi_supervised`", "`eigen_solver`")
def test_labels_of_minus_one():
    known = [-1 if i % 2 else int(CLUB.nodes[i]["club"] == "Officer") for i in range(34)]
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(CLUB, known)
    assert model.transduction_[::2].tolist() == known[::2]
    assert set(model.transduction_) == {0, 1}
    assert model.fitted_embedding_.residuals_.max() <= model.fitted_embedding_.tol


# networkx


@row("a graph", "`MultiGraph`", "loops")
def test_graphs_of_networkx():
    assert lp.as_adjacency(CLUB).names == tuple(CLUB) or lp.as_adjacency(CLUB).names == range(34)
    assert np.array_equal(lp.as_adjacency(CLUB).matrix.toarray(), nx.to_numpy_array(CLUB))
    assert np.array_equal(lp.as_adjacency(CLUB, weight=None).matrix.toarray(), PLAIN)
    parallel = nx.MultiGraph([(0, 1), (0, 1), (1, 1)])
    assert np.array_equal(lp.as_adjacency(parallel).matrix.toarray(), nx.adjacency_matrix(parallel).toarray())
    assert lp.as_adjacency(parallel, multi_edges="collapse").matrix.toarray().tolist() == [[0, 1], [1, 1]]


@row("`nx.modularity_matrix`", "`nx.google_matrix`")
def test_matrices_of_networkx():
    values = np.linalg.eigvalsh(nx.modularity_matrix(CLUB, weight="weight"))
    ours = lp.ModularityEmbedding(4).fit(CLUB).eigenvalues_
    np.testing.assert_allclose(np.sort(np.abs(ours)), np.sort(np.abs(values))[-4:])
    with pytest.raises(lp.errors.GraphError, match="undirected"):
        lp.ModularityEmbedding(2).fit(nx.gnp_random_graph(20, 0.2, directed=True, seed=0))
    walk = nx.google_matrix(CLUB, alpha=1, weight="weight")
    model = lp.RandomWalkEmbedding(3).fit(CLUB)
    np.testing.assert_allclose(walk @ model.embedding_, model.embedding_ * model.eigenvalues_, atol=1e-6)
    np.testing.assert_allclose(model.eigenvalues_, np.sort(np.linalg.eigvals(walk).real)[-2:-5:-1])


@row("`nx.read_gml`", "results as node attributes", "results as vertex attributes", "`nx.stochastic_block_model")
def test_files_and_results():
    stream = io.BytesIO()
    nx.write_edgelist(CLUB, stream)
    found = lp.read_graph(io.BytesIO(stream.getvalue()), format="txt")
    assert np.array_equal(found.matrix.toarray(), nx.to_numpy_array(CLUB, nodelist=list(found.names)))
    assert all(isinstance(node, str) for node in nx.read_edgelist(io.BytesIO(stream.getvalue())))
    model = lp.AdjacencySpectralEmbedding(2).fit(CLUB)
    assert {"ase0", "ase1"} <= set(model.to_networkx().nodes[0])
    assert {"ase0", "ase1"} <= set(model.to_igraph().vs.attributes())
    graph = lp.stochastic_block_model([5, 5], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    assert graph.to_networkx().number_of_nodes() == graph.to_igraph().vcount() == 10


# igraph


@row("a graph", "loops", "`sample_sbm`")
def test_graphs_of_igraph():
    named = igraph.Graph([(0, 1), (1, 2)])
    named.vs["name"] = ["x", "y", "z"]
    assert lp.as_adjacency(named).names == ("x", "y", "z")
    loop = igraph.Graph([(0, 0), (0, 1)])
    assert np.array(loop.get_adjacency()).tolist() == [[2, 1], [1, 0]]
    assert lp.as_adjacency(loop).matrix.toarray().tolist() == [[1, 1], [1, 0]]
    assert callable(igraph.Graph.SBM)


#: Rows without anything to compare here: what does not exist, what another package has, or what other tests cover.
UNTESTED = (
    "Omnibus",
    'its `method="hessian"`',
    "`manifold.MDS`",
    "`nx.spectral_layout`",
    "`nx.random_geometric_graph`",
    "`dim_select`",
    "`sample_dot_product`",
)


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation's sources are not here")
def test_every_row_is_tested():
    cells = re.findall(r"^\| ([^|]+) \| [^|]*(?:\|[^|\n]*)?\|", PAGE.read_text(), re.MULTILINE)
    rows = [cell for cell in cells if cell not in ("---", "graspologic", "scikit-learn", "networkx", "igraph")]
    assert len(rows) > 40
    assert [cell for cell in rows if not cell.startswith((*TESTED, *UNTESTED))] == []
    stale = [text for text in (*TESTED, *UNTESTED) if not any(cell.startswith(text) for cell in rows)]
    assert stale == []
