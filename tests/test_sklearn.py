"""Compatibility with scikit-learn: estimator checks, tables, searches, pipelines, routing, plots, pickles."""

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError

manifold = lp.manifold

ESTIMATORS = [
    lp.AdjacencySpectralEmbedding(1),
    lp.LaplacianSpectralEmbedding(1),
    lp.ModularityEmbedding(1),
    lp.RandomWalkEmbedding(1),
    lp.CompletedEmbedding(lp.AdjacencySpectralEmbedding(1)),
    lp.OutOfSample(lp.AdjacencySpectralEmbedding(1)),
    lp.VertexClassifier(),
    lp.VertexClustering(n_clusters=range(1, 4)),
    manifold.ClassicalMDS(1),
    manifold.ClassicalMDS(1, metric="precomputed"),
    manifold.KernelPCA(1),
    manifold.KernelPCA(1, kernel="rbf"),
    manifold.SpectralClustering(3, n_neighbors=5),
    manifold.LaplacianEigenmaps(1, n_neighbors=4),
    manifold.DiffusionMap(1, n_neighbors=4),
    manifold.Isomap(1, n_neighbors=4),
    manifold.LocallyLinearEmbedding(1, n_neighbors=4),
    manifold.LocalTangentSpaceAlignment(1, n_neighbors=4),
    manifold.SemidefiniteEmbedding(1, n_neighbors=5, n_reconstruction_neighbors=5, landmarks=6),
]

#: Every check that cannot apply, and why. They are expected to fail: one that passes is an error.
NETWORK = {
    "check_estimators_empty_data_messages": "a (12, 0) matrix is refused because it is not square, in those words",
    "check_estimators_nan_inf": "the check's (10, 3) matrix is refused because it is not square, before that",
}
RANK_ONE = "its matrix has rank one, and nothing is left when the degrees are subtracted, which is refused"
EXCLUDED = dict.fromkeys((type(model).__name__ for model in ESTIMATORS[:8]), NETWORK) | {
    "ModularityEmbedding": NETWORK | {"check_fit2d_1feature": RANK_ONE},
    "VertexClassifier": NETWORK
    | {
        "check_classifiers_classes": "its binary labels are -1 and 1, and -1 stands for an unknown label here",
        "check_classifier_data_not_an_array": "it passes a matrix as a data frame, which is an edge list here",
    },
    "VertexClustering": NETWORK
    | {
        "check_clustering": "it passes (50, 2) points, whatever the tags say; a network is a square matrix",
    }
    | dict.fromkeys(
        ["check_estimator_sparse_array", "check_estimator_sparse_matrix"],
        "it asks a clusterer that has predict_proba for its classifier tags",
    ),
    "ClassicalMDS(metric='precomputed', n_components=1)": {
        "check_estimators_empty_data_messages": "a (12, 0) matrix is refused because it is not square",
        "check_estimators_nan_inf": "the check's rows have 3 columns and not one for each training point",
    },
}


def excluded(estimator):
    return EXCLUDED.get(repr(estimator), EXCLUDED.get(type(estimator).__name__, {}))


def test_every_public_estimator_is_checked():
    members = [getattr(home, name) for home in (lp, manifold) for name in home.__all__]
    classes = [kind for kind in members if isinstance(kind, type)]
    public = {kind.__name__ for kind in classes if issubclass(kind, sklearn.base.BaseEstimator)}
    # The checks make networks of several sizes, and covariates belong to one. These have weights, which the
    # one-step estimator refuses: tests/embed/test_covariates.py, tests/embed/test_one_step.py.
    checked = {type(estimator).__name__ for estimator in ESTIMATORS}
    assert public == checked | {"CovariateAssistedEmbedding", "OneStepEmbedding"}


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=excluded)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def karate():
    return nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"member {i}" if i else ("a", "tuple"))


@pytest.mark.parametrize(
    ("model", "prefix"),
    [
        (lp.AdjacencySpectralEmbedding(2), "ase"),
        (lp.LaplacianSpectralEmbedding(2), "lse"),
        (lp.OutOfSample(lp.AdjacencySpectralEmbedding(2), rule="batch"), "ase"),
    ],
)
def test_tables_have_the_vertices_names(karate, model, prefix):
    plain = clone(model).fit(karate)
    model = clone(model).set_output(transform="pandas")
    table = model.fit_transform(karate)
    assert list(table.index) == list(karate.nodes)
    assert not isinstance(table.index, pd.MultiIndex)
    assert list(table.columns) == [f"{prefix}0", f"{prefix}1"] == list(model.get_feature_names_out())
    assert np.array_equal(table.to_numpy(), plain.embedding_)
    new = {"new member": ["member 1", ("a", "tuple")], 7: ["member 33"]}
    placed = model.transform(new)
    assert list(placed.index) == ["new member", 7]
    assert np.array_equal(placed.to_numpy(), plain.transform(new))
    assert list(clone(model).fit(karate).transform(new).index) == ["new member", 7]
    # Edges in a table: its own index is that of edges, and must not become that of vertices.
    edges = pd.DataFrame(list(karate.edges), columns=["source", "target"], index=np.arange(78) + 1000)
    assert set(clone(model).fit_transform(edges).index) == set(karate.nodes)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_global_wish_for_tables_breaks_nothing(karate, kind):
    clubs, new = nx.get_node_attributes(karate, "club"), {"new member": ["member 1", "member 2"]}
    ase = lp.AdjacencySpectralEmbedding(2)
    for model in (lp.VertexClassifier(ase), lp.VertexClustering(ase, n_clusters=2)):
        expected = clone(model).fit(karate, clubs).predict_proba(new)
        with sklearn.config_context(transform_output=kind):
            assert np.array_equal(clone(model).fit(karate, clubs).predict_proba(new), expected)


def test_points_in_tables_keep_their_index_and_their_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((40, 2)), columns=["b", "a"], index=[f"p{i}" for i in range(40)])
    model = manifold.Isomap(1, n_neighbors=4).set_output(transform="pandas")
    found = model.fit_transform(X)
    assert list(found.index) == list(X.index)
    assert list(found.columns) == ["isomap0"]
    assert list(model.feature_names_in_) == ["b", "a"]
    assert model.transform(X[:3]).index.tolist() == ["p0", "p1", "p2"]
    with pytest.raises(ArgumentError, match="feature names"):
        model.transform(X[["a", "b"]])
    # A method that leaves points out names those that are left.
    X.iloc[:4] += 100
    kept = manifold.Isomap(1, n_neighbors=3, components="largest").set_output(transform="pandas").fit_transform(X)
    assert list(kept.index) == list(X.index[4:])


@pytest.fixture(scope="module")
def sampled():
    return lp.stochastic_block_model([40, 40, 40], 0.1 + 0.4 * np.eye(3), random_state=0)


def test_searches_run_over_dimension_rule_and_classifier(sampled):
    model = lp.VertexClassifier(
        lp.OutOfSample(lp.AdjacencySpectralEmbedding()), KNeighborsClassifier(), features="positions"
    )
    grid = {
        "embedding__embedding__n_components": [1, 3],
        "embedding__rule": ["least_squares", "likelihood"],
        "classifier": [KNeighborsClassifier(3), sklearn.linear_model.LogisticRegression()],
    }
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(sampled.adjacency, sampled.labels)
    assert search.best_params_["embedding__embedding__n_components"] == 3
    assert search.best_score_ > 0.9
    assert search.predict(sampled.new_vertices(5, random_state=1).adjacency).shape == (5,)


def test_a_pipeline_leaves_out_rows_and_columns_together(sampled):
    pipeline = make_pipeline(lp.AdjacencySpectralEmbedding(3), StandardScaler(), KNeighborsClassifier())
    fold = [(np.arange(0, 120, 2), np.arange(1, 120, 2))]
    score = cross_val_score(pipeline, sampled.adjacency, sampled.labels, cv=fold)
    train, test = fold[0]
    a = sampled.adjacency
    by_hand = clone(pipeline).fit(a[train][:, train], sampled.labels[train])
    assert score[0] == by_hand.score(a[test][:, train], sampled.labels[test]) > 0.9


@pytest.mark.parametrize("directed", [False, True])
def test_cross_validation_of_a_graph_is_the_loop_by_hand(sampled, directed):
    matrix = np.triu(sampled.adjacency.toarray()) if directed else sampled.adjacency  # arcs to later vertices
    graph = lp.as_adjacency(matrix, names=[f"v{i}" for i in range(120)])
    assert (len(graph), graph.directed) == (120, directed)
    model, y, cv = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)), sampled.labels, StratifiedKFold(5)
    tables, scores = [], []
    for train, test in cv.split(y, y):
        fitted = clone(model).fit(graph.take(train), y[train])
        edges = [
            (graph.names[i], graph.names[j])
            for i, j in zip(*graph.matrix.nonzero(), strict=True)
            if (i in test) != (j in test) and (directed or i < j)
        ]
        table = pd.DataFrame(edges, columns=["source", "target"])
        given = lp.as_adjacency(table, directed=directed)
        tables.append(fitted.predict_table(given).set_index("name")["label"][graph.names[test].tolist()])
        scores.append((tables[-1] == y[test]).mean())
    assert cross_val_score(model, graph, y, cv=cv).tolist() == scores
    predicted = cross_val_predict(model, graph, y, cv=cv)
    assert pd.Series(predicted, graph.names)[pd.concat(tables).index].tolist() == pd.concat(tables).tolist()
    train_score = cross_validate(model, graph, y, cv=cv, return_train_score=True)["train_score"]
    assert train_score.min() > 0.9


def test_searches_and_pipelines_take_a_graph(sampled):
    names = [("a", "tuple"), *map(str, range(1, 120))]
    graph, y = lp.as_adjacency(sampled.adjacency, names=names), sampled.labels
    chain = make_pipeline(lp.AdjacencySpectralEmbedding(), KNeighborsClassifier())
    grid = {"adjacencyspectralembedding__n_components": [1, 2]}
    for X in (graph, lp.pass_to_ranks(graph)):
        search = GridSearchCV(clone(chain), grid, cv=3, error_score="raise").fit(X, y)
        by_matrix = GridSearchCV(clone(chain), grid, cv=3, error_score="raise").fit(X.matrix, y)
        for key in ("mean_test_score", "std_test_score"):
            assert np.array_equal(search.cv_results_[key], by_matrix.cv_results_[key])
        assert search.predict({"new": ["1", "2"]}).shape == (1,)


def test_what_is_not_pairwise_says_so(karate):
    graph, y = lp.as_adjacency(karate), np.arange(34) % 2
    steps = make_pipeline(
        FunctionTransformer(lp.pass_to_ranks), lp.AdjacencySpectralEmbedding(2), KNeighborsClassifier()
    )
    assert steps.fit(graph, y).predict(graph).shape == (34,)
    for X, message in (graph, "numpy.ix_"), (graph.matrix, "pass a square one"):
        with pytest.raises((ArgumentError, GraphError), match=message):
            cross_val_score(steps, X, y, error_score="raise")


def test_an_out_of_sample_rule_is_fitted_or_takes_what_is(sampled):
    fitted = lp.AdjacencySpectralEmbedding(3).fit(sampled)
    new = sampled.new_vertices(7, random_state=2)
    for rule in ("least_squares", "likelihood", "batch"):
        given, own = lp.OutOfSample(fitted, rule=rule), lp.OutOfSample(lp.AdjacencySpectralEmbedding(3), rule=rule)
        assert np.array_equal(own.fit_transform(sampled), fitted.embedding_)
        assert np.array_equal(own.transform(new), given.transform(new))
        assert np.array_equal(given.embedding_, own.embedding_)
        assert "embedding_" not in vars(own.embedding)  # the parameter itself is left as it was


def test_results_go_back_on_the_graph_they_came_from(karate):
    clubs = nx.get_node_attributes(karate, "club")
    known = {name: club for k, (name, club) in enumerate(clubs.items()) if k % 2}
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(karate, known)
    graph = model.to_networkx()
    assert list(graph.nodes) == list(karate.nodes)
    edges = [{frozenset(e): w for *e, w in g.edges(data="weight")} for g in (graph, karate)]
    assert edges[0] == edges[1]
    for i, (name, data) in enumerate(graph.nodes.items()):
        assert data["club"] == clubs[name]  # what was there stays there
        assert [data["ase0"], data["ase1"]] == model.embedding_[i].tolist()
        assert data["label"] == model.transduction_[i] == known.get(name, data["label"])
        column = list(model.classes_).index(data["label"])
        assert data["probability"] == model.label_distributions_[i, column]
    assert "ase0" not in next(iter(karate.nodes.values()))  # the input is left alone


def test_results_on_igraph():
    graph = igraph.Graph.Famous("Zachary")
    graph.vs["name"] = [f"v{i}" for i in range(34)]
    model = lp.VertexClustering(lp.LaplacianSpectralEmbedding(2), n_clusters=2).fit(graph)
    result = model.to_igraph()
    assert result.vs["cluster"] == model.labels_.tolist()
    assert result.vs["lse1"] == model.embedding_[:, 1].tolist()
    assert set(result.get_edgelist()) == {tuple(sorted(e)) for e in graph.get_edgelist()}


def test_an_argument_of_another_name_is_answered_by_the_right_one():
    for kind, wrong, right in (
        (lp.AdjacencySpectralEmbedding, "diag_aug", "augment_diagonal"),
        (lp.VertexClustering, "n_cluster", "n_clusters"),
        (lp.joint.OmnibusEmbedding, "svd_seed", "random_state"),
        (manifold.SpectralClustering, "gamma", r"sigma = gamma\*\*-0.5"),
        (lp.VertexClassifier, "zzz", "embedding or classifier or .*"),
    ):
        with pytest.raises(ArgumentTypeError, match=f"{kind.__name__} has no argument {wrong}; pass {right}.$"):
            kind(**{wrong: 1})
        assert not {wrong} & set(kind().get_params())

    class Passing(lp.AdjacencySpectralEmbedding):
        def __init__(self, **given):
            super().__init__(**given)

    assert Passing(n_components=2).n_components == 2
