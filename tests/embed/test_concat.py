"""`concat=True`: positions as sources and as targets side by side."""

import warnings

import networkx as nx
import numpy as np
import pytest
from networks import connected
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError

B = [[0.5, 0.1, 0.3], [0.1, 0.5, 0.1], [0.1, 0.2, 0.4]]
METHODS = [lp.AdjacencySpectralEmbedding, lp.LaplacianSpectralEmbedding]


@pytest.fixture(scope="module")
def graph():
    return lp.stochastic_block_model([40, 40, 40], B, directed=True, random_state=0)


@pytest.fixture(scope="module")
def new(graph):
    return graph.new_vertices(9, random_state=1)


@pytest.mark.parametrize("method", METHODS)
def test_both_positions_side_by_side(method, graph, new):
    plain, both = method(3).fit(graph), method(3, concat=True)
    np.testing.assert_array_equal(both.fit_transform(graph), np.hstack([plain.embedding_, plain.embedding_in_]))
    np.testing.assert_array_equal(both.embedding_, plain.embedding_)
    np.testing.assert_array_equal(both.embedding_in_, plain.embedding_in_)
    sides = [plain.transform(new, direction=side) for side in ("out", "in")]
    np.testing.assert_array_equal(both.transform(new), np.hstack(sides))
    assert clone(both).get_params()["concat"] is True


@pytest.mark.parametrize("method", METHODS)
def test_the_known_vertices_get_their_positions(method, graph):
    model = method(3, concat=True)
    known = model.fit_transform(graph)
    a = graph.adjacency
    np.testing.assert_allclose(model.transform(graph), known, atol=1e-8)
    np.testing.assert_allclose(model.transform((a, a.T)), known, atol=1e-8)
    np.testing.assert_allclose(model.transform((a[:5].toarray(), a.T.tocsr()[:5])), known[:5], atol=1e-8)
    np.testing.assert_allclose(model.transform((a[:0], a[:0])), np.empty((0, 6)))


def test_a_pair_of_rows_without_concat(graph):
    model = lp.AdjacencySpectralEmbedding(3).fit(graph)
    pair = graph.adjacency[:4], graph.adjacency.T.tocsr()[:4]
    np.testing.assert_allclose(model.transform(pair), model.embedding_[:4], atol=1e-8)
    np.testing.assert_allclose(model.transform(pair, direction="in"), model.embedding_in_[:4], atol=1e-8)
    undirected = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    with pytest.raises(ArgumentError, match="undirected"):
        undirected.transform((np.ones((1, 34)), np.ones((1, 34))))
    with pytest.raises(ArgumentError, match="same new vertices"):
        model.transform((pair[0], pair[1][:2]))
    with pytest.raises(ArgumentError, match=r"new\[1\]"):
        model.transform((pair[0], pair[1][:, :2]))


def test_edge_lists_of_names():
    arcs = nx.relabel_nodes(nx.gnp_random_graph(30, 0.3, seed=0, directed=True), str)
    model = lp.AdjacencySpectralEmbedding(2, concat=True).fit(arcs)
    plain = lp.AdjacencySpectralEmbedding(2).fit(arcs)
    edges = [("x", "1"), ("x", "2"), ("3", "x"), ("y", "4"), ("5", "y")]
    expected = [plain.transform(edges), plain.transform(edges, direction="in")]
    np.testing.assert_array_equal(model.transform(edges), np.hstack(expected))
    with pytest.raises(ArgumentError, match="only the arcs from"):
        model.transform({"x": ["1", "2"]})
    with pytest.raises(ArgumentError, match="only the arcs from"):
        model.transform(np.ones((1, 30)))
    with pytest.raises(ArgumentError, match=r"direction='in'.*leave direction out"):
        model.transform(edges, direction="in")


def test_columns_of_data_frames(graph, new):
    model = lp.AdjacencySpectralEmbedding(2, concat=True).set_output(transform="pandas")
    columns = ["ase0", "ase1", "ase_in0", "ase_in1"]
    assert list(model.fit_transform(graph).columns) == columns
    assert list(model.transform(new).columns) == columns
    assert model.get_feature_names_out().tolist() == columns
    assert {*columns} == set(model.to_networkx().nodes[0]) - {"label"}


def test_undirected_graphs_have_one_position():
    club = nx.karate_club_graph()
    both = lp.AdjacencySpectralEmbedding(2, concat=True).fit(club)
    plain = lp.AdjacencySpectralEmbedding(2).fit(club)
    new = {"x": [0, 1], "y": [2]}
    np.testing.assert_array_equal(both.transform(new), plain.transform(new))
    np.testing.assert_array_equal(both.fit_transform(club), plain.embedding_)
    assert both.get_feature_names_out().tolist() == ["ase0", "ase1"]


def test_saved_and_loaded(graph, new, tmp_path):
    model = lp.LaplacianSpectralEmbedding(2, concat=True).fit(graph)
    lp.save(model, tmp_path / "model.lpg")
    loaded = lp.load(tmp_path / "model.lpg")
    assert loaded.concat is True
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()


def labels_of(graph):
    y = np.array(graph.labels, copy=True)
    y[::2] = -1
    return y


def test_classifier_and_clustering_use_both_sides_either_way(graph, new):
    for make in (
        lambda embedding: lp.VertexClassifier(embedding).fit(graph, labels_of(graph)),
        lambda embedding: lp.VertexClustering(embedding, 3, method="gaussian").fit(graph),
    ):
        both = make(lp.AdjacencySpectralEmbedding(3, concat=True))
        plain = make(lp.AdjacencySpectralEmbedding(3))
        np.testing.assert_array_equal(both.predict_proba(new), plain.predict_proba(new))
        both.to_networkx()
        assert both.transform(new).shape == (9, 6)
        np.testing.assert_array_equal(both.transform(new)[:, :3], plain.transform(new))
        assert len(both.get_feature_names_out()) == 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.errors.LpgraphWarning)  # arcs to the new vertices are not given
        assert both.predict(sparse.csr_array(new.adjacency)).shape == (9,)


def test_classifier_is_saved(graph, new, tmp_path):
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(3, concat=True)).fit(graph, labels_of(graph))
    lp.save(model, tmp_path / "model.lpg")
    np.testing.assert_array_equal(lp.load(tmp_path / "model.lpg").predict_proba(new), model.predict_proba(new))


def test_as_a_step_of_a_pipeline(graph, new):
    pipeline = make_pipeline(
        lp.AdjacencySpectralEmbedding(3, concat=True), StandardScaler(), LogisticRegression()
    ).fit(graph, graph.labels)
    assert pipeline[-1].n_features_in_ == 6
    assert (pipeline.predict(new) == new.labels).mean() > 0.8
    inside = make_pipeline(lp.AdjacencySpectralEmbedding(3, concat=True), StandardScaler())
    model = lp.VertexClassifier(inside).fit(graph, labels_of(graph))
    assert (model.predict(new) == new.labels).mean() > 0.8


def test_refusals(graph):
    with pytest.raises(ArgumentTypeError, match="concat='yes'"):
        lp.AdjacencySpectralEmbedding(2, concat="yes").fit(graph)
    model = lp.AdjacencySpectralEmbedding(2, concat=True).fit(graph)
    with pytest.raises(ArgumentError, match="concat=False"):
        lp.OutOfSample(model).transform(graph)
    with pytest.raises(ArgumentError, match="direction"):
        model.set_params(concat=False).transform(connected(120, 4, 0, directed=True), direction="sideways")


def test_the_command_line_has_one_direction(graph, tmp_path):
    from lpgraph.cli.run import run

    model = lp.AdjacencySpectralEmbedding(2, concat=True).fit(graph)
    lp.save(model, tmp_path / "model.lpg")
    (tmp_path / "new.csv").write_text("source,target\nx,1\nx,2\n3,x\n")
    expected = model.set_params(concat=False).transform([("x", 1), ("x", 2), (3, "x")])[0]
    for rule in ("least_squares", "likelihood"):
        path = tmp_path / f"{rule}.csv"
        files = [str(tmp_path / "model.lpg"), str(tmp_path / "new.csv")]
        assert run(["extend", *files, "--rule", rule, "-o", str(path)]) == 0
        assert path.read_text().splitlines()[0] == "name,ase0,ase1,has_known_neighbor"
    found = np.loadtxt(tmp_path / "least_squares.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_report_shows_one_side(graph, tmp_path):
    embedding = lp.AdjacencySpectralEmbedding(2, concat=True)
    lp.report(graph, tmp_path / "report.html", embedding=embedding, n_clusters=3)
    page = (tmp_path / "report.html").read_text()
    assert '"dimension 2"' in page
    assert '"dimension 3"' not in page
