"""Names of vertices: kinds of arrays, Python objects in results, arrays in files."""

import json

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import as_names, match_names

TEXTS = [f"v{i}" for i in range(34)]
INTEGERS = [7 * i + 3 for i in range(34)]
PAIRS = [(i, "x") for i in range(34)]
MIXED = [[i, f"v{i}", i + 0.5, (i,), b"v%d" % i][i % 5] for i in range(34)]
CLUB = nx.karate_club_graph()


def club(names):
    return lp.as_adjacency(nx.to_scipy_sparse_array(CLUB), names=names)


@pytest.mark.parametrize("names", [TEXTS, INTEGERS, PAIRS, MIXED], ids=["texts", "integers", "pairs", "mixed"])
def test_kinds_of_names(names):
    graph = club(names)
    assert graph.names.dtype == (np.int64 if names is INTEGERS else object)
    assert graph.names.shape == (34,)
    assert graph.names.tolist() == names
    assert [graph.index[name] for name in names] == list(range(34))
    with pytest.raises(ValueError, match="read-only"):
        graph.names[0] = names[1]
    assert graph.subgraph(names[:4:-1]).names.tolist() == names[:4:-1]
    assert lp.as_adjacency(graph.to_networkx()).names.tolist() == names
    assert lp.as_adjacency(graph.to_igraph()).names.tolist() == names


def test_integers_in_order_are_a_range():
    for names in (range(34), np.arange(34), list(range(34)), [np.int32(i) for i in range(34)]):
        assert club(names).names == range(34)
    assert club(range(34)).subgraph([0, 1, 2]).names == range(3)
    assert club(range(34)).subgraph([2, 1]).names.tolist() == [2, 1]


def test_names_in_files_are_compared_as_texts():
    assert match_names(["x", "3", 4], {3: 0, 4: 1}) == ["x", 3, 4]
    assert match_names([3, 7, "03"], {"3": 0}) == ["3", 7, "03"]


def test_names_are_copies_and_python_objects():
    given = np.array(INTEGERS)
    graph = club(given)
    given[0] = -1
    assert graph.names[0] == 3
    mixed = lp.from_edges([np.int64(5), np.str_("a")], [np.float64(0.5), 6])
    assert [type(name) for name in mixed.names] == [int, float, str, int]


@pytest.mark.parametrize("names", [TEXTS, INTEGERS], ids=["texts", "integers"])
def test_results_hold_python_objects(names):
    graph = club(names)
    kind = type(names[0])
    ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    new = ase.read_new([(names[0], "new"), ("new", "newer")] if kind is str else [(names[0], -1), (-1, -2)])
    model = lp.VertexClassifier().fit(graph, dict(zip(names[::3], "ab" * 6, strict=True)))
    holders = [
        *(list(graph.to_networkx()), graph.to_igraph().vs["name"], list(lp.summary(graph).largest_degrees)),
        ase.vertex_table()["name"].tolist(),
        *(table["name"].tolist() for table in (lp.infer.misfit(ase, names[:3]).table(), model.predict_table(new))),
        model.update(removed=[names[5]])["name"].tolist(),
        lp.infer.drift(ase, new).table()["name"].tolist()[:1],
    ]
    for holder in holders:
        assert {type(name) for name in holder} == {kind}
        json.dumps(holder)
    with pytest.raises(ArgumentError, match=repr(names[0])):
        club(np.array([*names[:33], names[0]]))


@pytest.mark.parametrize("names", [TEXTS, INTEGERS], ids=["texts", "integers"])
def test_arrays_in_files_are_used_as_they_are(tmp_path, names):
    np.save(tmp_path / "names.npy", np.array(names))
    mapped = np.load(tmp_path / "names.npy", mmap_mode="r")
    plain = club(names)
    for found in (mapped, np.asarray(mapped)):
        assert as_names(found, 34) is found
        graph = lp.Adjacency(plain.matrix, found)
        assert graph.names is found
        assert graph.index == plain.index
        assert {type(name) for name in graph.to_networkx()} == {type(names[0])}
        one, other = (lp.AdjacencySpectralEmbedding(2).fit(g).vertex_table() for g in (graph, plain))
        assert one.equals(other)


def test_names_in_an_array_that_numpy_refuses():
    class OnGPU(list):
        def __array__(self, dtype=None, copy=None):
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")

    with pytest.raises(ArgumentError, match=r"source is not .*cuda:0.*Tensor.cpu"):
        lp.from_edges(OnGPU([0, 1]), [1, 2])
