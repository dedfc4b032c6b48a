"""Data frames and arrays with types that few have: long integers, weights as end points, one name in two types."""

import io

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")


def test_integers_that_numpy_does_not_have():
    large = 2**100
    table = polars.DataFrame(
        {"source": [large, large + 1], "target": [large + 1, 7], "weight": [2, 3]},
        schema=dict.fromkeys(("source", "target", "weight"), polars.Int128),
    )
    graph = lp.as_adjacency(table)
    assert list(graph.names) == [large, large + 1, 7]
    assert graph.edge_list()[2].tolist() == [2.0, 3.0]


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_beyond_floating_point_numbers(sign):
    large = sign * 10**400
    matrix = np.array([[0, large], [large, 0]], dtype=object)
    with pytest.raises(ArgumentError, match="graph has an integer beyond 1e308; divide all entries by a constant"):
        lp.as_adjacency(matrix)
    with pytest.raises(ArgumentError, match="X has an integer beyond 1e308"):
        lp.manifold.ClassicalMDS(1).fit(matrix)
    assert lp.as_adjacency(matrix // 10**350).edge_list()[2].tolist() == [sign * 1e50]


@pytest.mark.parametrize("columns", [["source"], ["source", "target"]])
def test_weights_are_no_end_points(columns):
    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "weight": [2.0, 3.0]})
    with pytest.raises(
        ArgumentError, match=r"two endpoint columns|Pass graph\.reset_index\(\) if one is the index"
    ):
        lp.as_adjacency(table.set_index(columns))
    assert lp.as_adjacency(table.set_index(columns).reset_index()).n_edges == 2
    named = pandas.DataFrame({"person": ["ann", "bob"], "weight": ["heavy", "light"]})  # texts are names
    assert lp.as_adjacency(named).n_vertices == 4


@pytest.mark.parametrize("where", ["graph", "The table of edges"])
@pytest.mark.parametrize(
    ("source", "target", "names"),
    [
        ([0, 1], ["1", "2"], {1, "1"}),
        (["a", "b"], [b"b", b"c"], {"b", b"b"}),
        ([0.5, 1.5], ["1.5", "2"], {1.5, "1.5"}),
        ([0.0, 1.0], ["1", "2"], {1.0, "1"}),
    ],
)
def test_one_name_in_two_types_is_told(source, target, names, where):
    def read():
        if where == "graph":
            return lp.as_adjacency(pandas.DataFrame({"source": source, "target": target}))
        return lp.from_edges(source, target)

    with pytest.warns(LpgraphWarning, match=f"^{where} has the vertices .*, which differ only by type") as told:
        read()
    assert all(repr(name) in str(told[0].message) for name in names)


@pytest.mark.parametrize(
    ("source", "target", "n"),
    [([0, 1], ["a", "b"], 4), ([0.0, 1.0], [1, 2], 3), ([("a", 1)], ["a"], 2), ([True, False], ["yes", "no"], 4)],
)
def test_names_of_two_types_are_not_told(source, target, n):
    assert lp.from_edges(source, target).n_vertices == n


def test_the_type_of_a_column_that_is_no_weight():
    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "weight": [1j, 2j]})
    with pytest.raises(ArgumentTypeError, match="'weight' of graph has dtype complex128; make it numeric"):
        lp.as_adjacency(table)


def test_files_have_names_of_one_type():
    graph = lp.read_graph(io.BytesIO(b"0,a\n1,b\n"), format="csv")
    assert set(map(type, graph.names)) == {str}


@pytest.mark.parametrize("titles", [[0, 1, 2], [("a", "source"), ("a", "target"), ("b", "weight")]])
def test_titles_that_are_no_texts_have_a_remedy_that_works(titles):
    table = pandas.DataFrame([[0, 1, 2.0], [1, 2, 3.0]])
    table.columns = pandas.MultiIndex.from_tuples(titles) if isinstance(titles[0], tuple) else titles
    with pytest.raises(
        ArgumentError, match=r"rename the column .* to 'weight' if it has the weights, or pass"
    ) as told:
        lp.as_adjacency(table)
    assert repr(titles[2]) in str(told.value)
    assert lp.as_adjacency(table, weight=None).n_edges == 2
    renamed = table.set_axis([*map(str, titles[:2]), "weight"], axis=1)
    assert lp.as_adjacency(renamed).highest_weight == 3
