"""Covariate-assisted embedding against dense matrices, and covariates read by names."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from networks import connected
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    GraphError,
    IsolatedVertexWarning,
    UnknownVertexError,
)
from lpgraph.graph.covariates import as_covariates

N, R = 90, 4


def dense(A, X, alpha, *, assortative=False, standardize=True, tau=None):
    """The matrix of the paper, formed."""
    A = A.toarray() if sparse.issparse(A) else A
    d = A.sum(axis=1)
    root = 1 / np.sqrt(d + (d.mean() if tau is None else tau))
    L = root[:, None] * A * root
    Z = (X - X.mean(axis=0)) / X.std(axis=0) if standardize else X
    return L if assortative else L @ L, Z @ Z.T, alpha


@pytest.fixture
def network():
    return connected(N, 8, 3), np.random.default_rng(1).gamma(2.0, size=(N, R))


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("assortative", [False, True])
def test_the_eigenpairs_are_those_of_the_formed_matrix(network, solver, as_sparse, standardize, assortative):
    A, X = network
    X = X * (X > 1.5)  # half of the entries are 0
    M, gram, alpha = dense(A, X, 0.003, assortative=assortative, standardize=standardize)
    values, vectors = np.linalg.eigh(M + alpha * gram)
    model = lp.CovariateAssistedEmbedding(
        3,
        covariates=sparse.csc_matrix(X) if as_sparse else X,
        alpha=alpha,
        assortative=assortative,
        standardize=standardize,
        solver=solver,
        tol=1e-10,
    ).fit(A)
    assert np.allclose(model.eigenvalues_, values[::-1][:3], rtol=1e-9)
    power = 0.5 if assortative else 0.25
    expected = np.abs(vectors[:, ::-1][:, :3]) * values[::-1][:3] ** power
    assert np.allclose(np.abs(model.embedding_), expected, atol=1e-7)
    assert np.allclose(model.transform(A, covariates=X), model.embedding_, atol=1e-12)


def test_weight_zero_gives_the_laplacian_embedding(network):
    A, X = network
    alone = lp.LaplacianSpectralEmbedding(4, tol=1e-10).fit(A)
    model = lp.CovariateAssistedEmbedding(4, covariates=X, alpha=0.0, tol=1e-10).fit(A)
    assert np.allclose(model.eigenvalues_, alone.eigenvalues_**2)
    assert np.allclose(np.abs(model.embedding_), np.abs(alone.embedding_), atol=1e-6)


def test_the_balanced_weight(network):
    A, X = network
    M, gram, _ = dense(A, X, 0)
    model = lp.CovariateAssistedEmbedding(2, covariates=X).fit(A)
    assert np.isclose(model.alpha_, np.linalg.eigvalsh(M)[-1] / np.linalg.eigvalsh(gram)[-1], rtol=1e-6)


@pytest.mark.parametrize("k", [2, 5])  # fewer and more clusters than covariates
def test_the_weight_of_least_k_means_objective(network, k):
    A, X = network
    M, gram, _ = dense(A, X, 0)
    own, others = np.linalg.eigvalsh(M)[::-1], np.linalg.eigvalsh(gram)[::-1]
    low = (own[k - 1] - own[k]) / others[0]
    high = own[0] / (others[R - 1] if k >= R else others[k - 1] - others[k])
    losses, trials = [], np.geomspace(max(low, 1e-3 * own[0] / others[0]), high, 12)
    seed = int(np.random.default_rng(0).integers(2**31))
    for alpha in trials:
        vectors = np.linalg.eigh(M + alpha * gram)[1][:, -k:]
        losses.append(KMeans(k, n_init=10, random_state=seed).fit(vectors).inertia_)
    model = lp.CovariateAssistedEmbedding(k, covariates=X, alpha="kmeans", tol=1e-9).fit(A)
    assert np.isclose(model.alpha_, trials[np.argmin(losses)], rtol=1e-5)
    with pytest.raises(ArgumentError, match="needs the number of clusters"):
        lp.CovariateAssistedEmbedding(covariates=X, alpha="kmeans").fit(A)


def test_new_vertices_are_placed_by_nystroms_formula(network):
    A, X = network
    model = lp.CovariateAssistedEmbedding(2, covariates=X, tol=1e-10).fit(A)
    rng = np.random.default_rng(2)
    row, new = (rng.random((3, N)) < 0.1).astype(float), rng.gamma(2.0, size=(3, R))
    row[2] = 0  # placed by its covariates
    d, tau = A.sum(axis=1), A.sum() / N
    root = 1 / np.sqrt(d + tau)
    L = root[:, None] * A.toarray() * root
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    kernel = (row * root / np.sqrt(row.sum(axis=1, keepdims=True) + tau)) @ L
    kernel += model.alpha_ * ((new - mean) / deviation) @ ((X - mean) / deviation).T
    placed = model.transform(row, covariates=new)
    assert np.allclose(placed, kernel @ (model.embedding_ / model.eigenvalues_), atol=1e-10)
    assert np.abs(placed[2]).max() > 0.01
    # The same bits alone, and with sparse covariates.
    alone = [model.transform(row[i : i + 1], covariates=sparse.csr_array(new[i : i + 1])) for i in range(3)]
    assert np.array_equal(np.vstack(alone), placed)


@pytest.fixture
def named():
    graph = nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"m{i}")
    values = np.random.default_rng(0).random((36, 3))
    table = pd.DataFrame(values, columns=["a", "b", "c"], index=[f"m{i}" for i in range(36)])
    return graph, table


def test_covariates_are_read_by_name(named):
    graph, table = named
    expected = lp.CovariateAssistedEmbedding(2, covariates=table.to_numpy()[:34]).fit(graph)
    shuffled = table.sample(frac=1, random_state=0)
    forms = [
        shuffled,
        shuffled.reset_index(names="who"),
        {name: row.tolist() for name, row in shuffled.iterrows()},
    ]
    polars = pytest.importorskip("polars")
    forms.append(polars.DataFrame({"who": shuffled.index.tolist(), **{k: shuffled[k].tolist() for k in "abc"}}))
    for form in forms:
        model = lp.CovariateAssistedEmbedding(2, covariates=form).fit(graph)
        assert np.array_equal(model.embedding_, expected.embedding_)
    # Columns of new vertices are found by their titles.
    model = lp.CovariateAssistedEmbedding(2, covariates=table).fit(graph)
    new, values = {"new": ["m0", "m1"]}, pd.DataFrame({"c": [0.3], "a": [0.1], "b": [0.2]}, index=["new"])
    placed = model.transform(new, covariates=values)
    assert np.array_equal(placed, expected.transform(new, covariates=[[0.1, 0.2, 0.3]]))


def test_integers_as_names_are_not_taken_for_an_order():
    table = pd.DataFrame({"name": [12, 11, 10], "x": [1.0, 2.0, 3.0]})
    assert as_covariates(table, [10, 11, 12]).matrix.tolist() == [[3.0], [2.0], [1.0]]
    assert as_covariates(pd.Series({"b": 1, "a": 2}), ["a", "b"]).matrix.tolist() == [[2.0], [1.0]]


def test_a_missing_covariate_is_refused_by_the_name_of_its_vertex(named):
    graph, table = named

    def fit(covariates, **options):
        return lp.CovariateAssistedEmbedding(2, covariates=covariates, **options).fit(graph)

    with pytest.raises(ArgumentError, match="no row for 'm3' and 1 other vertices"):
        fit(table.drop(index=["m3", "m7"]))
    holes = table.copy()
    holes.loc["m5", "b"] = np.nan
    with pytest.raises(ArgumentError, match="nan in column 'b' for 'm5'; impute"):
        fit(holes)
    rows = sparse.lil_array(table.to_numpy()[:34])
    rows[6, 2] = np.inf
    with pytest.raises(ArgumentError, match="inf in column 2 for 'm6'"):
        fit(rows)
    with pytest.raises(ArgumentError, match="33 rows for 34 vertices"):
        fit(table.to_numpy()[:33])
    with pytest.raises(ArgumentError, match="two rows for 'm0'"):
        fit(pd.concat([table, table]))
    with pytest.raises(UnknownVertexError, match="rows of covariates"):
        fit(table.reset_index(drop=True))
    with pytest.raises(ArgumentTypeError, match="'club', which is not numeric"):
        fit(table.assign(club="Mr. Hi"))
    with pytest.raises(ArgumentError, match="Each column of covariates is constant"):
        fit(table * 0 + 0.1)
    with pytest.raises(ArgumentError, match="covariates is None"):
        fit(None)
    with pytest.raises(ArgumentTypeError, match="is text"):
        fit("ages.csv")
    with pytest.raises(ArgumentError, match="alpha='best'"):
        fit(table, alpha="best")
    with pytest.raises(ArgumentError, match="alpha=-1"):
        fit(table, alpha=-1)
    with pytest.raises(GraphError, match="directed, and CovariateAssistedEmbedding is for undirected"):
        lp.CovariateAssistedEmbedding(1, covariates=np.eye(2)).fit(nx.DiGraph([(0, 1)]))


def test_new_vertices_without_covariates_are_refused(named):
    graph, table = named
    model = lp.CovariateAssistedEmbedding(2, covariates=table).fit(graph)
    new = {"new": ["m0"]}
    for use in (model, lp.OutOfSample(model)):
        with pytest.raises(ArgumentError, match="new vertices have no covariates"):
            use.transform(new)
    with pytest.raises(ArgumentError, match="no column 'c'"):
        model.transform(new, covariates=pd.DataFrame({"a": [1.0], "b": [1.0]}, index=["new"]))
    with pytest.raises(ArgumentError, match="a column 'd', which is not known"):
        model.transform(new, covariates=pd.DataFrame(np.ones((1, 4)), columns=list("abcd"), index=["new"]))
    with pytest.raises(ArgumentError, match="2 columns, and those of the known vertices have 3"):
        model.transform(new, covariates=[[1.0, 2.0]])
    assert model.transform({}, covariates=np.empty((0, 3))).shape == (0, 2)


def test_estimators_that_use_it_take_covariates_of_new_vertices(named, tmp_path):
    graph, table = named
    clubs = nx.get_node_attributes(graph, "club")
    model = lp.CovariateAssistedEmbedding(2, covariates=table)
    classifier, clusters = (
        lp.VertexClassifier(clone(model)).fit(graph, clubs),
        lp.VertexClustering(model).fit(graph),
    )
    embedding = classifier.fitted_embedding_
    new = embedding.read_new({"new": ["m0", "m1"]}, covariates=[[0.1, 0.2, 0.3]])
    assert np.array_equal(lp.OutOfSample(embedding).transform(new), embedding.transform(new))
    assert classifier.predict(new).tolist() == ["Mr. Hi"]
    assert clusters.predict(new).shape == (1,)
    for fitted in (embedding, classifier, clusters):
        vertices = fitted.read_new({"new": ["m0", "m1"]}, covariates=[[0.1, 0.2, 0.3]])
        table = fitted.transform_table(vertices)
        assert np.array_equal(table[["case0", "case1"]].to_numpy(), embedding.transform(new))
    for fitted in (embedding, classifier):
        lp.save(fitted, tmp_path / "model.lpg")
        loaded = lp.load(tmp_path / "model.lpg")
        part = getattr(loaded, "fitted_embedding_", loaded)
        assert part.covariates is None
        assert part.covariate_names_.tolist() == ["a", "b", "c"]
        assert np.array_equal(part.transform(new), embedding.transform(new))
    with pytest.raises(ArgumentError, match="covariates is None"):
        clone(part).fit(graph)


def test_the_report_takes_covariates_of_new_vertices(named):
    graph, frame = named
    model = lp.CovariateAssistedEmbedding(2, covariates=frame)
    new, values = {"new": ["m0", "m1"], "alone": []}, [[0.1, 0.2, 0.3], [1.0, 0.5, 0.0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsolatedVertexWarning)
        page = lp.report(graph, embedding=model, n_clusters=2, new=new, new_covariates=values)
    fitted = lp.CovariateAssistedEmbedding(2, covariates=frame).fit(graph)
    found = page._findings.new
    # A vertex without edges is placed by its covariates.
    assert np.array_equal(found.positions, fitted.transform(new, covariates=values))
    for given, message in (
        ({"embedding": model, "new": new}, "pass new_covariates=VALUES"),
        ({"embedding": model, "new_covariates": values}, "pass new=EDGES"),
        ({"new": new, "new_covariates": values}, "LaplacianSpectralEmbedding has none"),
    ):
        with pytest.raises(ArgumentError, match=message):
            lp.report(graph, n_clusters=2, **given)


def test_edges_and_covariates_together_find_more_than_either():
    """Four groups: the edges tell two pairs of groups apart, and the covariates the groups within a pair."""
    labels = np.repeat(np.arange(4), 75)
    rates = np.where(np.arange(4)[:, None] // 2 == np.arange(4) // 2, 0.2, 0.05)
    found = []
    for seed in range(3):
        graph = lp.stochastic_block_model([75] * 4, rates, random_state=seed)
        X = np.random.default_rng(seed).standard_normal((300, 6)) + 1.5 * (labels % 2)[:, None]
        model = lp.CovariateAssistedEmbedding(3, covariates=X).fit(graph)
        alone = lp.LaplacianSpectralEmbedding(2).fit(graph).embedding_
        clusters = [KMeans(4, n_init=10, random_state=0).fit(P).labels_ for P in (model.embedding_, alone, X)]
        found.append([adjusted_rand_score(labels, part) for part in clusters])
    together, edges, covariates = np.mean(found, axis=0)
    # Either alone finds two pairs at best, and divides them at random: the index of pairs against groups is
    # 1/2, that of pairs divided at random 1/3. Together: two groups of one pair are 1.5 sqrt(6) = 3.7 standard
    # deviations apart, so that Phi(-3.7 / 2) = 3 % of the vertices are nearer to the other: an index above 0.9.
    assert edges < 0.5
    assert covariates < 0.5
    assert together > 0.8
