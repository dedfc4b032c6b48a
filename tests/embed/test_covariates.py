"""Covariate-assisted embedding against dense matrices, and covariates read by names."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from networks import connected
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.vertex_values import as_covariates

CASE = lp.CovariateAssistedEmbedding
N, R = 90, 4
A = connected(N, 8, 3)
X = np.random.default_rng(1).gamma(2.0, size=(N, R))


def laplacian(a):
    degrees = a.sum(axis=1)
    root = 1 / np.sqrt(degrees + degrees.mean())
    return root[:, None] * a.toarray() * root


def terms(given=X, *, assortative=False, standardize=True):
    """The two matrices of the paper, formed."""
    Z = (given - given.mean(axis=0)) / given.std(axis=0) if standardize else given
    L = laplacian(A)
    return L if assortative else L @ L, Z @ Z.T


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("options", [{}, {"standardize": False}, {"assortative": True}], ids=str)
def test_the_eigenpairs_are_those_of_the_formed_matrix(solver, as_sparse, options):
    given = X * (X > 1.5)  # half of the entries are 0
    M, gram = terms(given, **options)
    values, vectors = np.linalg.eigh(M + 0.003 * gram)
    covariates = sparse.csc_matrix(given) if as_sparse else given
    model = CASE(3, covariates=covariates, alpha=0.003, solver=solver, tol=1e-10, **options).fit(A)
    assert np.allclose(model.eigenvalues_, values[::-1][:3], rtol=1e-9)
    power = 0.5 if model.assortative else 0.25
    expected = np.abs(vectors[:, ::-1][:, :3]) * values[::-1][:3] ** power
    assert np.allclose(np.abs(model.embedding_), expected, atol=1e-7)
    assert np.allclose(model.transform(A, covariates=given), model.embedding_, atol=1e-12)


def test_weights_zero_and_balance():
    alone = lp.LaplacianSpectralEmbedding(4, tol=1e-10).fit(A)
    model = CASE(4, covariates=X, alpha=0.0, tol=1e-10).fit(A)
    assert np.allclose(model.eigenvalues_, alone.eigenvalues_**2)
    assert np.allclose(np.abs(model.embedding_), np.abs(alone.embedding_), atol=1e-6)
    M, gram = terms()
    wanted = np.linalg.eigvalsh(M)[-1] / np.linalg.eigvalsh(gram)[-1]
    assert np.isclose(CASE(2, covariates=X).fit(A).alpha_, wanted, rtol=1e-6)


@pytest.mark.parametrize("k", [2, 5])  # fewer and more clusters than covariates
def test_the_weight_of_least_k_means_objective(k):
    M, gram = terms()
    own, others = np.linalg.eigvalsh(M)[::-1], np.linalg.eigvalsh(gram)[::-1]
    low = (own[k - 1] - own[k]) / others[0]
    high = own[0] / (others[R - 1] if k >= R else others[k - 1] - others[k])
    losses, trials = [], np.geomspace(max(low, 1e-3 * own[0] / others[0]), high, 12)
    seed = int(np.random.default_rng(0).integers(2**31))
    for alpha in trials:
        vectors = np.linalg.eigh(M + alpha * gram)[1][:, -k:]
        losses.append(KMeans(k, n_init=10, random_state=seed).fit(vectors).inertia_)
    model = CASE(k, covariates=X, alpha="kmeans", tol=1e-9).fit(A)
    assert np.isclose(model.alpha_, trials[np.argmin(losses)], rtol=1e-5)


def test_new_vertices_are_placed_by_nystroms_formula():
    model, rng = CASE(2, covariates=X, tol=1e-10).fit(A), np.random.default_rng(2)
    row, new = (rng.random((3, N)) < 0.1).astype(float), rng.gamma(2.0, size=(3, R))
    row[2] = 0  # placed by its covariates
    degrees, mean, deviation = A.sum(axis=1), X.mean(axis=0), X.std(axis=0)
    tau = degrees.mean()
    kernel = (row / np.sqrt(degrees + tau) / np.sqrt(row.sum(axis=1, keepdims=True) + tau)) @ laplacian(A)
    kernel += model.alpha_ * ((new - mean) / deviation) @ ((X - mean) / deviation).T
    placed = model.transform(row, covariates=new)
    assert np.allclose(placed, kernel @ (model.embedding_ / model.eigenvalues_), atol=1e-10)
    assert np.abs(placed[2]).max() > 0.01
    # The same bits alone, and with sparse covariates.
    alone = [model.transform(row[i : i + 1], covariates=sparse.csr_array(new[i : i + 1])) for i in range(3)]
    assert np.array_equal(np.vstack(alone), placed)


GRAPH = nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"m{i}")
VALUES = np.random.default_rng(0).random((36, 3))
TABLE = pd.DataFrame(VALUES, columns=["a", "b", "c"], index=[f"m{i}" for i in range(36)])


def test_covariates_are_read_by_name():
    expected = CASE(2, covariates=TABLE.to_numpy()[:34]).fit(GRAPH)
    shuffled = TABLE.sample(frac=1, random_state=0)
    columns = {"who": shuffled.index.tolist(), **{k: shuffled[k].tolist() for k in "abc"}}
    rows = {name: row.tolist() for name, row in shuffled.iterrows()}
    for form in (shuffled, pd.DataFrame(columns), pytest.importorskip("polars").DataFrame(columns), rows):
        model = CASE(2, covariates=form).fit(GRAPH)
        assert np.array_equal(model.embedding_, expected.embedding_)
    # Columns of new vertices are found by their titles, and integers as names are not taken for an order.
    model, new = CASE(2, covariates=TABLE).fit(GRAPH), {"new": ["m0", "m1"]}
    values = pd.DataFrame({"c": [0.3], "a": [0.1], "b": [0.2]}, index=["new"])
    placed = model.transform(new, covariates=values)
    assert np.array_equal(placed, expected.transform(new, covariates=[[0.1, 0.2, 0.3]]))
    numbered = pd.DataFrame({"name": [12, 11, 10], "x": [1.0, 2.0, 3.0]})
    assert as_covariates(numbered, [10, 11, 12]).matrix.tolist() == [[3.0], [2.0], [1.0]]


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    ("make", "error", "word"),
    [
        (lambda t: t.drop(index=["m3", "m7"]), ArgumentError, "'m3'"),
        (lambda t: t.assign(a=t["a"].where(t.index != "m5")), ArgumentError, "'m5'"),
        (lambda t: sparse.csr_array(t.to_numpy()[:34] / (np.arange(34) != 6)[:, None]), ArgumentError, "'m6'"),
        (lambda t: t.assign(club="Mr. Hi"), ArgumentTypeError, "'club'"),
        (lambda t: t * 0 + 0.1, ArgumentError, "constant"),
        (lambda t: "ages.csv", ArgumentTypeError, "covariates"),
    ],
)
def test_wrong_covariates_are_refused_by_the_name_of_the_vertex(make, error, word):
    with pytest.raises(error, match=word):
        CASE(2, covariates=make(TABLE)).fit(GRAPH)


def test_wrong_parameters_and_new_vertices_are_refused():
    model, new = CASE(2, covariates=TABLE).fit(GRAPH), {"new": ["m0"]}
    cases = [
        (lambda: CASE(2, covariates=TABLE, alpha="best").fit(GRAPH), "alpha"),
        (lambda: CASE(covariates=TABLE, alpha="kmeans").fit(GRAPH), "n_components"),
        (lambda: model.transform(new), "no covariates"),
        (lambda: lp.OutOfSample(model).transform(new), "no covariates"),
        (lambda: model.transform(new, covariates=pd.DataFrame(np.ones((1, 2)), ["new"], ["a", "b"])), "a, b, c"),
        (lambda: model.transform(new, covariates=[[1.0, 2.0]]), "columns 0, 1"),
    ]
    for use, word in cases:
        with pytest.raises(ArgumentError, match=word):
            use()
    assert model.transform({}, covariates=np.empty((0, 3))).shape == (0, 2)


@pytest.mark.filterwarnings("ignore::lpgraph.errors.IsolatedVertexWarning")
def test_estimators_take_covariates_of_new_vertices(tmp_path):
    model = CASE(2, covariates=TABLE)
    classifier = lp.VertexClassifier(clone(model)).fit(GRAPH, nx.get_node_attributes(GRAPH, "club"))
    clusters, embedding = lp.VertexClustering(clone(model)).fit(GRAPH), classifier.fitted_embedding_
    new, values = {"new": ["m0", "m1"], "alone": []}, [[0.1, 0.2, 0.3], [1.0, 0.5, 0.0]]
    wanted = embedding.transform(new, covariates=values)
    for fitted in (embedding, classifier, clusters, lp.OutOfSample(embedding)):
        vertices = fitted.read_new(new, covariates=values)
        assert np.array_equal(fitted.transform(vertices), wanted)
        assert np.array_equal(fitted.transform_table(vertices)[["case0", "case1"]].to_numpy(), wanted)
    lp.save(classifier, tmp_path / "model.lpg")
    part = lp.load(tmp_path / "model.lpg").fitted_embedding_
    assert part.covariates is None  # they may be confidential
    assert part.covariate_names_.tolist() == ["a", "b", "c"]
    with pytest.raises(ArgumentError, match="covariates"):
        clone(part).fit(GRAPH)
