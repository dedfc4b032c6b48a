"""Tables of every library, and graphs with an `edge_index`: the same network and labels from each."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from graph.test_files import same

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.graph.vertex_values import as_covariates, in_order


def stream(columns):
    return pa.table(columns).to_reader()


class Exported:
    """A table that only exports an Arrow stream."""

    def __init__(self, columns):
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def relation(columns):
    return pytest.importorskip("duckdb").from_arrow(pa.table(columns))


TABLES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "batch": lambda columns: pa.table(columns).to_batches()[0],
    "stream": stream,
    "exported": Exported,
    "DuckDB": relation,
}
EDGES = {"Target": list("bcad"), "weight": [1, 2, 3, 4], "month": [1, 1, 2, 2], "Source": list("abcc")}
NAMES = list("abcd")
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


@every_table
def test_the_same_network_from_every_table(table):
    expected = lp.from_edges(EDGES["Source"], EDGES["Target"], EDGES["weight"])
    assert same(lp.as_adjacency(table(EDGES)), expected)
    assert same(lp.as_adjacency(table(EDGES), source="Source", target="Target"), expected)
    months = lp.as_graphs(table(EDGES), time="month")
    assert (months.keys, [graph.n_edges for graph in months]) == ((1, 2), [2, 2])
    new = as_new_edges(table(EDGES), ["e", "c"])
    assert (list(new.names), new.rows.toarray().tolist()) == (["a", "b", "d"], [[0, 3], [0, 2], [0, 4]])
    model = lp.AdjacencySpectralEmbedding(1).fit(table(EDGES))
    assert np.array_equal(model.embedding_, lp.AdjacencySpectralEmbedding(1).fit(expected).embedding_)
    with pytest.raises(ArgumentTypeError, match=r"pass time=|pass a list"):
        lp.as_graphs(table(EDGES))


@every_table
def test_the_same_labels_from_every_table(table):
    labels = {"who": NAMES[::-1], "side": [1, 0, None, 1]}
    assert in_order(table(labels), NAMES, "groups")[::2] == [1, 0]
    graph = lp.from_edges(EDGES["Source"], EDGES["Target"])
    model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(1)).fit(graph, table(labels))
    assert model.classes_.tolist() == [0, 1]
    assert as_covariates(table({"who": NAMES, "age": [3.0, 1, 4, 1]}), NAMES).matrix.tolist() == [
        [3],
        [1],
        [4],
        [1],
    ]


COLUMNS = {
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "chunked": lambda values: pa.chunked_array([values]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_columns(column):
    assert list(lp.as_adjacency(np.ones((4, 4)), names=column(NAMES)).names) == NAMES
    assert same(lp.from_edges(column(["a"]), column(["b"])), lp.from_edges(["a"], ["b"]))
    found = lp.VertexClassifier().fit(np.eye(4) + 1, column([1, 2, None, 1]))
    assert found.classes_.tolist() == [1, 2]
    equal = np.ones((4, 4)) - np.eye(4)
    groups = column(["x", "x", "y", "y"])
    assert lp.infer.two_sample_test(equal, equal, method="blocks", groups=groups).p_value == 1


def test_sums_of_integers_in_duckdb_are_weights():
    duckdb = pytest.importorskip("duckdb")
    edges = pa.table({"u": [0, 0, 1], "v": [1, 1, 2], "n": [2, 3, 4]})
    sums = duckdb.sql("select u, v, sum(n) as weight from edges group by all order by all")
    assert edges.num_rows == 3  # named in the query
    assert lp.as_adjacency(sums).matrix.toarray().tolist() == [[0, 5, 0], [5, 0, 4], [0, 4, 0]]


INDEX = np.array([[0, 1, 1, 2, 3], [1, 0, 2, 1, 3]])  # a path of three vertices, a loop, an isolated vertex
WEIGHTS = [1.0, 1.0, 0.5, 0.5, 2.0]
PATH = [[0, 1, 0, 0, 0], [1, 0, 0.5, 0, 0], [0, 0.5, 0, 0, 0], [0, 0, 0, 2, 0], [0, 0, 0, 0, 0]]


class Tensor:
    """A tensor of another library, without the methods of arrays."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape = self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __getitem__(self, row):
        return Tensor(self.values[row])

    def __iter__(self):
        return map(Tensor, self.values)

    def tolist(self):
        return self.values.tolist()


every_tensor = pytest.mark.parametrize("tensor", [np.asarray, Tensor], ids=["numpy", "tensor"])


@every_tensor
@pytest.mark.parametrize("kind", [dict, SimpleNamespace])
def test_the_same_network_from_every_edge_index(tensor, kind):
    data = kind(edge_index=tensor(INDEX), num_nodes=5, edge_weight=tensor(WEIGHTS), y=tensor([0, 1, 1, 0, -1]))
    graph = lp.as_adjacency(data)
    assert not graph.directed
    assert graph.matrix.toarray().tolist() == PATH
    assert graph.vertex_attributes == {"y": [0, 1, 1, 0, -1]}
    assert lp.as_adjacency(data, weight=None, names=list("abcde"), loops="drop").subgraph(["a", "b"]).n_edges == 1
    assert same(lp.as_adjacency(data, directed=True), lp.as_adjacency(graph, directed=True))
    arcs = kind(edge_index=tensor(INDEX[:, ::2]), num_nodes=None)
    assert lp.as_adjacency(arcs).directed
    assert lp.as_adjacency(arcs, directed=False).matrix.toarray()[:3, :3].tolist() == [
        [0, 1, 0],
        [1, 0, 1],
        [0, 1, 0],
    ]
    source, target = tensor(INDEX[:, ::2])
    assert same(lp.from_edges(source, target, vertices=4, directed=True), lp.as_adjacency(arcs))


@every_tensor
def test_labels_groups_and_new_vertices_with_tensors(tensor):
    graph, y = np.ones((4, 4)) - np.eye(4), [1, 2, -1, 1]
    index = np.stack(np.nonzero(graph))
    data = SimpleNamespace(edge_index=tensor(index), num_nodes=4, y=tensor(np.array(y)[:, np.newaxis]))
    for labels in (tensor(y), "y"):
        assert lp.VertexClassifier().fit(data, labels).classes_.tolist() == [1, 2]
    groups = tensor([0, 0, 1, 1])
    assert lp.infer.two_sample_test(graph, graph, method="blocks", groups=groups).p_value == 1
    new = {"edge_index": tensor([[4, 4, 0, 2], [0, 2, 4, 4]]), "num_nodes": 5}
    assert as_new_edges(new, range(4)).rows.toarray().tolist() == [[1, 0, 1, 0]]
    assert len(lp.as_graphs([data, data])) == 2
    with pytest.raises(GraphError, match="no names"):
        lp.as_graphs([data, new])
    assert lp.as_adjacency(tensor(graph)).n_edges == 6
    positions = (lp.manifold.ClassicalMDS(1).fit(points).embedding_ for points in (tensor(graph), graph))
    assert np.array_equal(*positions)


def index(values=INDEX, **fields):
    return {"edge_index": values} | fields


@pytest.mark.parametrize(
    ("graph", "options", "part"),
    [
        (index(INDEX.T), {}, "shape (5, 2); pass integers of shape (2, m)"),
        (index(INDEX + 0.5), {}, "float64"),
        (index(None), {}, "an object with edge_index"),
        (index(num_nodes=3), {}, "from 0 to 3 and num_nodes is 3"),
        (index(-INDEX), {}, "from -3 to 0"),
        (index(num_nodes=2.5), {}, "num_nodes=2.5"),
        (index(edge_weight=[1.0]), {}, "edge_weight has shape (1,)"),
        (index(edge_attr=np.ones((5, 2))), {"weight": "edge_attr"}, "(5, 2)"),
        (index(), {"weight": "cost"}, "weight='cost'"),
        (INDEX, {}, "{'edge_index': graph}"),
        (index([[], []]), {}, "num_nodes=0"),
    ],
)
def test_what_is_refused(graph, options, part):
    with pytest.raises((ArgumentError, ArgumentTypeError, GraphError)) as caught:
        lp.as_adjacency(graph, **options)
    assert part in str(caught.value)


def test_weights_of_an_edge_index_under_another_name():
    data = index(edge_attr=np.array(WEIGHTS)[:, np.newaxis])
    assert not lp.as_adjacency(data, loops="drop").weighted
    assert lp.as_adjacency(data, weight="edge_attr").matrix.toarray().tolist() == [row[:4] for row in PATH[:4]]
    assert lp.as_adjacency(index(weight=WEIGHTS)).weighted  # as from_networkx of PyTorch Geometric calls it
    table = pd.DataFrame({"source": [0], "target": [1], "edge_index": [7], "weight": [1]})
    assert lp.as_adjacency(table).n_edges == 1
    square = np.array([[0, 1], [1, 0]])
    assert lp.as_adjacency(square).n_edges == 1  # a matrix
    with pytest.raises(ArgumentTypeError, match="pass a list"):
        lp.as_graphs(index())
