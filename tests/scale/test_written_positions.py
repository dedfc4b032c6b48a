"""Positions of an edge store's vertices with their names, in tables and files."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scale.test_new_parts import tables

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import code_names
from lpgraph.scale import build_store, position_parts, write_positions


@pytest.fixture(params=["texts", "integers"])
def kind(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def model(request, kind, tmp_path):
    store = build_store(tables(kind)[0], tmp_path / "graph.store", directed=request.param)
    return lp.AdjacencySpectralEmbedding(2).fit(store)


def expected(model):
    return lp.AdjacencySpectralEmbedding(2).fit(model.graph_.to_adjacency()).vertex_table()


def test_files(model, tmp_path, monkeypatch):
    monkeypatch.setattr(position_parts, "ROWS", 37)
    found = pd.read_parquet(write_positions(model, tmp_path / "positions.parquet"))
    table = model.vertex_table()
    pd.testing.assert_frame_equal(found, table, check_exact=True)
    assert found["name"].tolist() == list(model.vertex_names_)
    array = np.load(write_positions(model, tmp_path / "positions.npy"), mmap_mode="r")
    assert (array == found.drop(columns="name").to_numpy()).all()


def test_tables(model):
    table = model.vertex_table()
    assert list(table.columns) == list(expected(model).columns)
    assert table["name"].tolist() == expected(model)["name"].tolist()
    assert (table["ase0"].to_numpy() == model.embedding_[:, 0]).all()
    other = model.vertex_table(backend="polars")
    assert isinstance(other, pl.DataFrame)
    assert other["name"].to_list() == table["name"].tolist()
    assert other["ase1"].to_list() == table["ase1"].tolist()
    frame = lp.AdjacencySpectralEmbedding(2).set_output(transform="pandas").fit_transform(model.graph_)
    assert frame.index.tolist() == table["name"].tolist()
    assert lp.OutOfSample(model).vertex_table()["name"].tolist() == table["name"].tolist()


def test_graphs_in_memory_are_refused(model):
    for export in (model.to_networkx, model.to_igraph, lp.OutOfSample(model).to_networkx):
        with pytest.raises(ArgumentError, match="not in memory: EdgeStore"):
            export()


def test_refused(tmp_path):
    with pytest.raises(ArgumentError, match="no suffix of positions"):
        write_positions(lp.AdjacencySpectralEmbedding(2), tmp_path / "positions.csv")
    with pytest.raises(ValueError, match="not fitted"):
        write_positions(lp.AdjacencySpectralEmbedding(2), tmp_path / "positions.npy")
    with pytest.raises(ArgumentTypeError, match="pass a fitted embedding"):
        write_positions([1], tmp_path / "positions.npy")


def test_many_names(kind, tmp_path):
    store = build_store(tables(kind)[0], tmp_path / "graph.store")
    names = list(store.names)
    few = [*names[::-1], names[3], "v", 3.5, -7, 1 << 70, "\ud800", ("a",), None, 2.0, True]
    alone = {name: row for row, name in enumerate(names)}
    assert code_names(few, store.index, missing=-1).tolist() == [alone.get(name, -1) for name in few]
    assert code_names(np.arange(-3, 400), store.index, missing=-1).tolist() == [
        alone.get(name, -1) for name in range(-3, 400)
    ]
    with pytest.raises(ArgumentTypeError, match="is not hashable"):
        code_names([names[0], []], store.index, missing=-1)
    assert store.names.arrow(3, 11).to_pylist() == names[3:11]
