"""`concat=True`: positions as sources and as targets side by side."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.cli.run import run
from lpgraph.errors import ArgumentError, ArgumentTypeError

ASE = lp.AdjacencySpectralEmbedding
GRAPH = lp.stochastic_block_model(
    [40, 40, 40], [[0.5, 0.1, 0.3], [0.1, 0.5, 0.1], [0.1, 0.2, 0.4]], directed=True, random_state=0
)
NEW = GRAPH.new_vertices(9, random_state=1)
KNOWN = np.where(np.arange(120) % 2, GRAPH.labels, -1)
COLUMNS = ["ase0", "ase1", "ase_in0", "ase_in1"]


@pytest.mark.parametrize("method", [ASE, lp.LaplacianSpectralEmbedding])
def test_both_positions_side_by_side(method):
    plain, both, a = method(3).fit(GRAPH), method(3, concat=True), GRAPH.adjacency
    known = np.hstack([plain.embedding_, plain.embedding_in_])
    np.testing.assert_array_equal(both.fit_transform(GRAPH), known)
    sides = [plain.transform(NEW, direction=side) for side in ("out", "in")]
    np.testing.assert_array_equal(both.transform(NEW), np.hstack(sides))
    # The known vertices get their positions, in every form; without concat a pair of rows serves both directions.
    pair = a[:5].toarray(), a.T.tocsr()[:5]
    for rows in (GRAPH, (a, a.T), pair):
        np.testing.assert_allclose(both.transform(rows), known[: len(rows[0]) if rows is pair else 120], atol=1e-8)
    assert both.transform((a[:0], a[:0])).shape == (0, 6)
    for side, wanted in (("out", plain.embedding_), ("in", plain.embedding_in_)):
        np.testing.assert_allclose(plain.transform(pair, direction=side), wanted[:5], atol=1e-8)


def test_edge_lists_columns_and_undirected_graphs():
    arcs = nx.relabel_nodes(nx.gnp_random_graph(30, 0.3, seed=0, directed=True), str)
    model, plain = ASE(2, concat=True).fit(arcs), ASE(2).fit(arcs)
    edges = [("x", "1"), ("x", "2"), ("3", "x"), ("y", "4"), ("5", "y")]
    expected = [plain.transform(edges, direction=side) for side in ("out", "in")]
    np.testing.assert_array_equal(model.transform(edges), np.hstack(expected))
    model = ASE(2, concat=True).set_output(transform="pandas")
    assert list(model.fit_transform(GRAPH).columns) == list(model.transform(NEW).columns) == COLUMNS
    assert model.get_feature_names_out().tolist() == COLUMNS
    assert {*COLUMNS} == set(model.to_networkx().nodes[0]) - {"label"}
    both, plain = (ASE(2, concat=concat).fit(nx.karate_club_graph()) for concat in (True, False))
    np.testing.assert_array_equal(both.transform({"x": [0, 1]}), plain.transform({"x": [0, 1]}))
    assert both.get_feature_names_out().tolist() == COLUMNS[:2]


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
@pytest.mark.parametrize("kind", ["classifier", "clustering"])
def test_classifier_and_clustering_use_both_sides_either_way(kind):
    def make(embedding):
        if kind == "classifier":
            return lp.VertexClassifier(embedding).fit(GRAPH, KNOWN)
        return lp.VertexClustering(embedding, 3, method="gaussian").fit(GRAPH)

    both, plain = make(ASE(3, concat=True)), make(ASE(3))
    np.testing.assert_array_equal(both.predict_proba(NEW), plain.predict_proba(NEW))
    assert both.transform(NEW).shape == (9, len(both.get_feature_names_out())) == (9, 6)
    np.testing.assert_array_equal(both.transform(NEW)[:, :3], plain.transform(NEW))
    assert both.predict(sparse.csr_array(NEW.adjacency)).shape == (9,)  # without the arcs to the new vertices


def test_refusals():
    model, plain, rows = ASE(2, concat=True).fit(GRAPH), ASE(2).fit(GRAPH), GRAPH.adjacency[:4]
    undirected = ASE(2).fit(nx.karate_club_graph())
    cases = [
        (lambda: ASE(2, concat="yes").fit(GRAPH), ArgumentTypeError, "concat"),
        (lambda: model.transform({"x": [1, 2]}), ArgumentError, "only the arcs from"),
        (lambda: model.transform(NEW, direction="in"), ArgumentError, "direction"),
        (lambda: plain.transform(NEW, direction="sideways"), ArgumentError, "direction"),
        (lambda: lp.OutOfSample(model).transform(GRAPH), ArgumentError, "concat"),
        (lambda: plain.transform((rows, rows[:2])), ArgumentError, "same new vertices"),
        (lambda: plain.transform((rows, rows[:, :2])), ArgumentError, r"new\[1\]"),
        (lambda: undirected.transform((np.ones((1, 34)), np.ones((1, 34)))), ArgumentError, "undirected"),
    ]
    for use, error, word in cases:
        with pytest.raises(error, match=word):
            use()


def test_the_command_line_has_one_direction(tmp_path):
    model = ASE(2, concat=True).fit(GRAPH)
    lp.save(model, tmp_path / "model.lpg")
    (tmp_path / "new.csv").write_text("source,target\nx,1\nx,2\n3,x\n")
    expected = model.set_params(concat=False).transform([("x", 1), ("x", 2), (3, "x")])[0]
    path = tmp_path / "positions.csv"
    assert run(["extend", str(tmp_path / "model.lpg"), str(tmp_path / "new.csv"), "-o", str(path)]) == 0
    assert path.read_text().splitlines()[0] == "name,ase0,ase1,has_known_neighbor"
    found = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2))
    np.testing.assert_allclose(found, expected, atol=1e-12)
