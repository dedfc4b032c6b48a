"""Several networks: how they are read, aligned by name, and refused."""

import gzip

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError

MONDAY, TUESDAY = nx.Graph([("Ann", "Bob")]), nx.Graph([("Cem", "Bob"), ("Bob", "Eva")])
EDGES = pd.DataFrame(
    {"source": list("abcab"), "target": list("bcacd"), "weight": [1.0, 2, 3, 4, 5], "month": [2, 1, 1, 2, 2]}
)


def test_vertices_are_aligned_by_name():
    union = lp.as_graphs([MONDAY, TUESDAY])
    assert union.keys == (0, 1)
    assert union.names.tolist() == ["Ann", "Bob", "Cem", "Eva"]
    assert union.present.tolist() == [[True, True, False, False], [False, True, True, True]]
    assert union[1].matrix.toarray()[1].tolist() == [0, 0, 1, 1]
    both = lp.as_graphs({"a": MONDAY, "b": TUESDAY}, vertices="intersection")
    assert both.names.tolist() == ["Bob"]
    assert both["b"].n_edges == 0
    assert repr(union) == "GraphSequence(2 networks, 4 vertices, 3 edges, undirected)"


def test_every_container_gives_the_same_networks():
    matrices = np.random.default_rng(0).poisson(0.5, (3, 6, 6)).astype(float)
    first = lp.as_graphs(list(matrices))
    generator = (sparse.coo_array(matrix) for matrix in matrices)
    for given in (tuple(matrices), matrices, generator, dict(enumerate(matrices)), first):
        again = lp.as_graphs(given)
        assert again.keys == (0, 1, 2)
        assert all((a.matrix != b.matrix).nnz == 0 for a, b in zip(first, again, strict=True))
    assert first.directed


def test_a_table_is_divided_by_its_column_of_times():
    found = lp.as_graphs(EDGES, time="month")
    assert found.keys == (1, 2)
    assert [graph.n_edges for graph in found] == [2, 3]
    assert found[2].matrix.sum() == 2 * (1 + 4 + 5)
    assert lp.as_graphs(EDGES, time="month", weight=None)[2].matrix.sum() == 2 * 3
    assert lp.as_graphs(EDGES, time="month", directed=True)[2].directed
    times = pd.to_datetime(EDGES["month"].map({1: "2020-03-01", 2: "2020-04-01"}))
    stamped = lp.as_graphs(EDGES.assign(month=times), time="month")
    assert stamped.keys[1] == pd.Timestamp("2020-04-01")
    table = lp.joint.UnfoldedEmbedding(1).fit(stamped).trajectory_table(["d"])
    assert table["key"].tolist() == list(stamped.keys)
    assert table["present"].tolist() == [False, True]
    few = EDGES.assign(month=pd.Categorical(EDGES["month"], [1, 2, 3]))
    assert lp.as_graphs(few, time="month").keys == (1, 2)


def test_a_folder_has_a_network_in_each_file(tmp_path):
    for name, text in (
        ("b.csv", "1,2\n2,3\n"),
        ("a.tsv", "1\tx\n"),
        ("c.1.csv.gz", "7,1,2.5\n"),
        ("README.md", "x"),
    ):
        content = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
        (tmp_path / name).write_bytes(content)
    found = lp.as_graphs(tmp_path)
    assert found.keys == ("a", "b", "c.1")
    # The name 1 of the second file is the text "1" of the first, in which not all names are integers.
    assert found.names.tolist() == ["1", "x", 2, 3, 7]
    assert found["c.1"].matrix.sum() == 5.0
    assert lp.as_graphs(str(tmp_path), weight=None, directed=True).directed
    (tmp_path / "b.gml").write_text("")
    with pytest.raises(ArgumentError, match="Several files are called 'b', without suffixes; rename one"):
        lp.as_graphs(tmp_path)
    (tmp_path / "b.csv").unlink()
    with pytest.raises(FileFormatError, match=r"b\.gml"):
        lp.as_graphs(tmp_path)


SMALL = np.ones((3, 3))
WRONG = [
    (lambda: lp.as_graphs("flights.csv"), ArgumentTypeError, "graphs is of type str; pass a list"),
    (lambda: lp.as_graphs(MONDAY), ArgumentTypeError, "of type Graph; pass a list or a dict"),
    (lambda: lp.as_graphs(SMALL), ArgumentTypeError, "of type ndarray; pass a list"),
    (lambda: lp.as_graphs(EDGES), ArgumentTypeError, "time='month'"),
    (lambda: lp.as_graphs(EDGES, time="year"), ArgumentError, "time='year' is not a column"),
    (lambda: lp.as_graphs([MONDAY], time="month"), ArgumentTypeError, "pass a data frame of edges"),
    (lambda: lp.as_graphs(EDGES.assign(month=[1, 2, 3, 4, None]), time="month"), ArgumentError, "missing values"),
    (lambda: lp.as_graphs([]), ArgumentError, "graphs is empty"),
    (lambda: lp.as_graphs([MONDAY, nx.DiGraph([(1, 2)])]), GraphError, "pass directed=True or directed=False"),
    (lambda: lp.as_graphs([SMALL, np.ones((4, 4))]), GraphError, r"\[3, 4\] vertices have no names"),
    (lambda: lp.as_graphs([MONDAY, nx.path_graph(3)], vertices="intersection"), GraphError, "vertices='union'"),
    (lambda: lp.as_graphs([MONDAY, nx.path_graph(3)]), GraphError, "No vertex is in two networks"),
    (lambda: lp.as_graphs(lp.as_graphs([MONDAY]), directed=True), ArgumentError, "already a GraphSequence"),
    (lambda: lp.as_graphs([MONDAY])["Wed"], ArgumentError, "No network has the key 'Wed'; pass one of 0"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
def test_wrong_networks_are_refused_with_a_remedy(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_the_network_that_cannot_be_read_is_named():
    with pytest.raises(GraphError) as caught:
        lp.as_graphs({"Mon": MONDAY, "Tue": np.ones((2, 3))})
    assert caught.value.__notes__ == ["This is the network 'Tue'."]


def test_files_are_in_the_order_of_their_numbers(tmp_path):
    for k in (10, 9, 100):
        (tmp_path / f"As_{k}.csv").write_text(f"1,{k}\n")
    found = lp.as_graphs(tmp_path)
    assert found.keys == ("As_9", "As_10", "As_100")
    chosen = lp.as_graphs({9: tmp_path / "As_9.csv", "ten": str(tmp_path / "As_10.csv")})
    assert (chosen.keys, chosen.names.tolist()) == ((9, "ten"), [1, 9, 10])
    nx.write_graphml(nx.path_graph(["1", "9", "x"]), tmp_path / "As_1.graphml")
    assert lp.as_graphs([tmp_path / "As_1.graphml", tmp_path / "As_9.csv"]).names.tolist() == ["1", "9", "x"]
