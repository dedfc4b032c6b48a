"""New vertices in files of edges: the same results as in memory, also after a stop and with other workers."""

import os

import numpy as np
import pandas as pd
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
from lpgraph.scale import classify, extend, results, shards

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


def fitted(known, d=2, **options):
    weights = known.get("weight")
    return lp.AdjacencySpectralEmbedding(d).fit(
        lp.from_edges(known["source"], known["target"], weights, **options)
    )


@pytest.fixture(params=["texts", "integers"])
def kind(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def directed(request):
    return request.param


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Several parts, and several chunks of each shard."""
    monkeypatch.setattr(results, "_BYTES", 2000)
    monkeypatch.setattr(shards, "_ROWS", 20)


def files(table, folder):
    folder.mkdir()
    forms = {
        "parquet": lambda part, path: part.to_parquet(path),
        "csv": lambda part, path: part.to_csv(path, index=False),
        "feather": lambda part, path: part.to_feather(path),
    }
    paths = []
    for k, (form, write) in enumerate(forms.items()):
        paths.append(folder / f"{k}.{form}")
        write(table.iloc[k::3].reset_index(drop=True), paths[-1])
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
def test_extend(kind, directed, weighted, tmp_path):
    known, new = tables(kind, directed=directed, weighted=weighted)
    model = fitted(known, 3, directed=directed)
    found = extend(model, files(new, tmp_path / "new"), tmp_path / "out")
    assert len(found.paths) > 3
    for path in found.paths:
        assert pd.read_parquet(path)["name"].is_monotonic_increasing
    expected = model.transform_table(new)
    assert found.facts["vertices"] == len(expected)
    compare(read(tmp_path / "out"), expected)


def test_repeated_edges_and_edges_between_known_vertices(kind, tmp_path):
    known, new = tables(kind)
    model = lp.LaplacianSpectralEmbedding(2).fit(lp.from_edges(known["source"], known["target"]))
    twice = pd.concat([new, new[::-1].rename(columns={"source": "target", "target": "source"}), known[:7]])
    with pytest.warns(LpgraphWarning, match="7 edges between known"):
        extend(model, files(twice, tmp_path / "new"), tmp_path / "out")
    with pytest.warns(LpgraphWarning, match="7 edges between known"):
        expected = model.transform_table(twice)
    compare(read(tmp_path / "out"), expected)


def test_stopped_anywhere(tmp_path, monkeypatch):
    known, new = tables("texts")
    model, paths = fitted(known), files(new, tmp_path / "new")
    whole = extend(model, paths, tmp_path / "whole")
    real = os.replace
    for stop in range(1, 13):
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
        assert len(kept) == max(0, stop - 8)  # the plan, and two files of each shard
        again = extend(model, paths, folder)
        assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
        assert again.facts == whole.facts
        assert [path.read_bytes() for path in again.paths] == [path.read_bytes() for path in whole.paths]
        assert {path.name for path in folder.iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}


def test_refused(kind, tmp_path):
    known, new = tables(kind)
    model, paths = fitted(known), files(new, tmp_path / "new")
    unknown = "901,902" if kind == "integers" else "q,r"
    (tmp_path / "other.csv").write_text(f"source,target\n{unknown}\n")
    (tmp_path / "bad.csv").write_text("source,target\na,b,c\n")
    tables("texts" if kind == "integers" else "integers")[1].to_parquet(tmp_path / "wrong.parquet")
    mixed = lp.AdjacencySpectralEmbedding(1).fit(lp.from_edges(["a", 1, 2], [1, 2, "a"]))
    for function, estimator, edges, error, words in (
        (extend, model, new, ArgumentTypeError, "edges is"),
        (extend, lp.manifold.Isomap(2), paths, ArgumentTypeError, "model is"),
        (extend, lp.AdjacencySpectralEmbedding(2), paths, ValueError, "not fitted"),
        (classify, model, paths, ArgumentTypeError, "VertexClassifier"),
        (extend, mixed, paths, ArgumentError, "model has"),
        (extend, model, tmp_path / "nothing.csv", MissingFileError, r"nothing\.csv"),
        (extend, model, tmp_path / "other.csv", ArgumentError, "edges has no known vertex"),
        (extend, model, tmp_path / "wrong.parquet", ArgumentError, f"write them as {kind}"),
        (extend, model, tmp_path / "bad.csv", FileFormatError, r"bad\.csv, line 2"),
    ):
        with pytest.raises(error, match=words):
            function(estimator, edges, tmp_path / f"out{words[:5]}")
    extend(model, paths, tmp_path / "out")
    with pytest.raises(StoreError, match="with model="):
        extend(fitted(known, 3), paths, tmp_path / "out")
    new[:50].to_parquet(paths[0], index=False)
    with pytest.raises(StoreError, match="with files of edges="):
        extend(model, paths, tmp_path / "out")


def labels_of(names):
    numbers = [int(str(name).strip("v")) for name in names]
    return {name: "abc"[(k >= 60) + (k >= 120)] for name, k in zip(names, numbers, strict=True) if k % 3}


def test_classify(kind, directed, tmp_path):
    known, new = tables(kind, directed=directed)
    graph = lp.from_edges(known["source"], known["target"], directed=directed)
    paths, labels = files(new, tmp_path / "new"), labels_of(graph.names)
    model = lp.VertexClassifier(among_new=False).fit(graph, labels)
    expected = model.predict_table(new)
    for probabilities in (False, True):
        folder = tmp_path / f"{probabilities}"
        for _ in range(2):  # the second call has nothing to do
            classify(model, paths, folder, probabilities=probabilities)
        found = read(folder)
        compare(found[list(expected.columns)], expected)
        assert [title for title in found if title.startswith("p_")] == ["p_a", "p_b", "p_c"] * probabilities
    other = lp.VertexClassifier(classifier=LogisticRegression(C=0.01)).fit(graph, labels)
    with pytest.raises(StoreError, match="with model="):
        classify(other, paths, tmp_path / "True", probabilities=True)


def test_clusters_and_vertices_without_a_known_neighbor(tmp_path):
    known, new = tables("texts")
    model = lp.VertexClustering(n_clusters=3).fit(lp.from_edges(known["source"], known["target"]))
    classify(model, files(new, tmp_path / "new"), tmp_path / "out")
    compare(read(tmp_path / "out"), model.predict_table(new))
    (tmp_path / "new.csv").write_text(f"source,target\nx,{known['source'].iloc[0]}\ny,z\n")
    with pytest.warns(IsolatedVertexWarning, match="2 of 3 new vertices"):
        classify(model, tmp_path / "new.csv", tmp_path / "lonely")
    found = read(tmp_path / "lonely").set_index("name")["has_known_neighbor"]
    assert found.to_dict() == {"x": True, "y": False, "z": False}
