"""New vertices in files of edges: the same results as in memory, also after a stop."""

import os

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    FileFormatError,
    IsolatedVertexWarning,
    LpgraphWarning,
    MissingFileError,
    StoreError,
)
from lpgraph.scale import build_store, classify, exchange, extend
from lpgraph.scale import new_parts as module

BLOCKS = [[0.2, 0.02, 0.02], [0.02, 0.2, 0.05], [0.02, 0.02, 0.2]]


def named(numbers, kind):
    return [f"v{i:04d}" for i in numbers] if kind == "texts" else list(numbers)


def tables(kind, *, directed=False, weighted=False, seed=0):
    """Return the edges of a network of 150 vertices, and those of 40 new ones."""
    blocks = BLOCKS if directed else np.maximum(BLOCKS, np.transpose(BLOCKS))
    graph = lp.stochastic_block_model([60, 60, 70], blocks, directed=directed, random_state=seed)
    u, v, _ = lp.as_adjacency(graph).edge_list()
    table = pd.DataFrame({"source": u, "target": v})
    if weighted:
        table["weight"] = np.random.default_rng(seed).normal(2, 1, len(table)).round(3)
    chosen = np.random.default_rng(seed).permutation(190)[:150]
    is_known = np.zeros(190, dtype=bool)
    is_known[chosen] = True
    known = is_known[table["source"]] & is_known[table["target"]]
    for title in ("source", "target"):
        table[title] = named(table[title], kind)
    return table[known].reset_index(drop=True), table[~known].reset_index(drop=True)


@pytest.fixture(params=["texts", "integers"])
def kind(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def directed(request):
    return request.param


@pytest.fixture
def small(monkeypatch):
    """Several parts, and several row groups in each shard."""
    monkeypatch.setattr(module, "bucket_count", lambda shards: 3)
    monkeypatch.setattr(exchange, "_CHUNK", 100)


def files(table, folder, forms=("parquet", "csv", "feather")):
    folder.mkdir(exist_ok=True)
    paths = []
    for k, form in enumerate(forms):
        part, path = table.iloc[k :: len(forms)].reset_index(drop=True), folder / f"{k}.{form}"
        {
            "parquet": part.to_parquet,
            "feather": part.to_feather,
            "csv": lambda p, t=part: t.to_csv(p, index=False),
        }[form](path)
        paths.append(path)
    return paths


def read(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("part-*.parquet"))])


def compare(found, expected):
    found, expected = (t.set_index("name").sort_index() for t in (found, expected))
    assert list(found.columns) == list(expected.columns)
    assert list(found.index) == list(expected.index)
    for title in expected:
        if expected[title].dtype.kind == "f":
            np.testing.assert_allclose(found[title], expected[title], rtol=1e-12, atol=1e-15)
        else:
            assert found[title].tolist() == expected[title].tolist()


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_extend(kind, directed, weighted, small, tmp_path):
    known, new = tables(kind, directed=directed, weighted=weighted)
    store = build_store(known, tmp_path / "graph.store", directed=directed)
    model = lp.AdjacencySpectralEmbedding(3).fit(store)
    found = extend(model, files(new, tmp_path / "new"), tmp_path / "out")
    assert len(found.paths) == 3
    expected = model.transform_table(new)
    assert found.facts["vertices"] == len(expected)
    compare(read(tmp_path / "out"), expected)
    # The same model, fitted in memory.
    in_memory = lp.AdjacencySpectralEmbedding(3).fit(store.to_adjacency())
    extend(in_memory, files(new, tmp_path / "new"), tmp_path / "again")
    compare(read(tmp_path / "again")[["name"]], read(tmp_path / "out")[["name"]])


def test_repeated_edges_and_edges_between_known_vertices(kind, small, tmp_path):
    known, new = tables(kind)
    model = lp.LaplacianSpectralEmbedding(2).fit(lp.from_edges(known["source"], known["target"]))
    twice = pd.concat([new, new[::-1].rename(columns={"source": "target", "target": "source"}), known[:7]])
    with pytest.warns(LpgraphWarning, match="7 edges between known"):
        extend(model, files(twice, tmp_path / "new"), tmp_path / "out")
    with pytest.warns(LpgraphWarning, match="7 edges between known"):
        expected = model.transform_table(twice)
    compare(read(tmp_path / "out"), expected)


def digests(folder):
    return {path.name: path.read_bytes() for path in folder.glob("part-*")}


def test_stopped_anywhere(kind, small, tmp_path, monkeypatch):
    known, new = tables(kind)
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    paths = files(new, tmp_path / "new")
    extend(model, paths, tmp_path / "whole")
    real = os.replace
    for stop in range(1, 9):
        folder, left = tmp_path / f"stopped{stop}", stop

        def failing(*arguments):
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
            real(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", failing)
            with pytest.raises(KeyboardInterrupt):
                extend(model, paths, folder)
        kept = {path: path.stat().st_mtime_ns for path in folder.glob("part-*")}
        extend(model, paths, folder)
        assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
        assert digests(folder) == digests(tmp_path / "whole")
        assert not (folder / "_working").exists()
    # A finished folder is not written again.
    before = [path.stat().st_mtime_ns for path in sorted((tmp_path / "whole").iterdir())]
    extend(model, paths, tmp_path / "whole")
    assert before == [path.stat().st_mtime_ns for path in sorted((tmp_path / "whole").iterdir())]


def test_independent_of_threads(small, tmp_path, monkeypatch):
    known, new = tables("texts")
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    for threads in ("1", "4"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        extend(model, files(new, tmp_path / "new"), tmp_path / threads)
    assert digests(tmp_path / "1") == digests(tmp_path / "4")


def test_refused(kind, tmp_path):
    known, new = tables(kind)
    store = build_store(known, tmp_path / "graph.store")
    model = lp.AdjacencySpectralEmbedding(2).fit(store)
    paths = files(new, tmp_path / "new")
    with pytest.raises(ArgumentTypeError, match="edges is a DataFrame; pass paths"):
        extend(model, new, tmp_path / "out")
    with pytest.raises(ArgumentTypeError, match="model is a"):
        extend(lp.manifold.Isomap(2), paths, tmp_path / "out")
    with pytest.raises(ValueError, match="not fitted"):
        extend(lp.AdjacencySpectralEmbedding(2), paths, tmp_path / "out")
    with pytest.raises(MissingFileError):
        extend(model, tmp_path / "nothing.csv", tmp_path / "out")
    with pytest.raises(ArgumentTypeError, match="VertexClassifier"):
        classify(model, paths, tmp_path / "out")
    (tmp_path / "other.csv").write_text(
        "source,target\n901,902\n" if kind == "integers" else "source,target\nq,r\n"
    )
    with pytest.raises(ArgumentError, match="No name in the edges is known"):
        extend(model, tmp_path / "other.csv", tmp_path / "unknown")
    wrong = tmp_path / "wrong.parquet"
    tables("texts" if kind == "integers" else "integers")[1].to_parquet(wrong)
    with pytest.raises(ArgumentError, match=f"those of the model are {kind}"):
        extend(model, wrong, tmp_path / "wrong")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("")
    with pytest.raises(StoreError, match=r"has other files, such as mine\.txt"):
        extend(model, paths, tmp_path / "full")
    extend(model, paths, tmp_path / "out")
    with pytest.raises(StoreError, match="with another model"):
        extend(lp.AdjacencySpectralEmbedding(3).fit(store), paths, tmp_path / "out")
    with pytest.raises(StoreError, match="with another files of edges"):
        extend(model, paths[:2], tmp_path / "out")
    (tmp_path / "bad.csv").write_text("source,target\na,b,c\n")
    with pytest.raises(FileFormatError, match=r"bad\.csv, line 2"):
        extend(model, tmp_path / "bad.csv", tmp_path / "bad")


def test_a_shard_that_changes(tmp_path, small):
    known, new = tables("texts")
    model = lp.AdjacencySpectralEmbedding(2).fit(build_store(known, tmp_path / "graph.store"))
    paths = files(new, tmp_path / "new")
    (tmp_path / "new" / "3.csv").write_text("source,target\na,b,c\n")
    with pytest.raises(FileFormatError):
        extend(model, [*paths, tmp_path / "new" / "3.csv"], tmp_path / "out")
    new[:50].to_parquet(paths[0], index=False)
    with pytest.raises(StoreError, match="with another files of edges"):
        extend(model, [*paths, tmp_path / "new" / "3.csv"], tmp_path / "out")


@pytest.mark.parametrize("probabilities", [False, True])
def test_classify(kind, directed, probabilities, small, tmp_path):
    known, new = tables(kind, directed=directed)
    graph = lp.from_edges(known["source"], known["target"], directed=directed)
    numbers = [int(str(name).strip("v")) for name in graph.names]
    labels = {name: "abc"[(k >= 60) + (k >= 120)] for name, k in zip(graph.names, numbers, strict=True) if k % 3}
    model = lp.VertexClassifier(among_new=False).fit(graph, labels)
    classify(model, files(new, tmp_path / "new"), tmp_path / "out", probabilities=probabilities)
    found, expected = read(tmp_path / "out"), model.predict_table(new)
    compare(found[list(expected.columns)], expected)
    assert [title for title in found.columns if title.startswith("p_")] == ["p_a", "p_b", "p_c"] * probabilities
    assert model.among_new is False


def test_clusters(small, tmp_path):
    known, new = tables("integers")
    model = lp.VertexClustering(n_clusters=3).fit(lp.from_edges(known["source"], known["target"]))
    classify(model, files(new, tmp_path / "new"), tmp_path / "out")
    compare(read(tmp_path / "out"), model.predict_table(new))


def test_vertices_without_a_known_neighbor(tmp_path):
    known, _ = tables("texts")
    model = lp.VertexClustering(n_clusters=3).fit(lp.from_edges(known["source"], known["target"]))
    (tmp_path / "new.csv").write_text(f"source,target\nx,{known['source'].iloc[0]}\ny,z\n")
    with pytest.warns(IsolatedVertexWarning, match="2 of 3 new vertices"):
        classify(model, tmp_path / "new.csv", tmp_path / "out")
    assert read(tmp_path / "out")["has_known_neighbor"].tolist() == [True, False, False]
    assert pq.read_table(tmp_path / "out").num_rows == 3


def test_the_results_of_another_classifier_are_not_kept(small, tmp_path):
    known, new = tables("texts")
    store = build_store(known, tmp_path / "s.store")
    labels = {name: int(name[1:]) // 70 for name in store.names}
    embedding, paths = lp.AdjacencySpectralEmbedding(3), files(new, tmp_path / "new")
    for k, strength in enumerate((1.0, 0.01)):
        model = lp.VertexClassifier(embedding, LogisticRegression(C=strength)).fit(store, labels)
        if k:
            with pytest.raises(StoreError, match="with another model"):
                classify(model, paths, tmp_path / "out")
        else:
            classify(model, paths, tmp_path / "out")
            classify(model, paths, tmp_path / "out")  # the same one
