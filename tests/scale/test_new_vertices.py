"""New vertices in files of edges: the same results as in memory, also after a stop and with other workers."""

import os
from unittest.mock import DEFAULT, Mock, patch

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, StoreError
from lpgraph.scale import classify, extend, results, shards

BLOCKS = [[0.2, 0.02, 0.02], [0.02, 0.2, 0.05], [0.02, 0.02, 0.2]]


def named(numbers, kind):
    return [f"v{i:04d}" for i in numbers] if kind == "texts" else list(numbers)


def tables(kind, *, directed=False, weighted=False, seed=0):
    """Return the edges of a network of 150 vertices, and those of 40 new ones."""
    blocks, rng = BLOCKS if directed else np.maximum(BLOCKS, np.transpose(BLOCKS)), np.random.default_rng(seed)
    graph = lp.stochastic_block_model([60, 60, 70], blocks, directed=directed, random_state=seed)
    u, v, _ = lp.as_adjacency(graph).edge_list()
    is_known = rng.permutation(190) < 150
    table = pd.DataFrame({"source": named(u, kind), "target": named(v, kind)})
    if weighted:
        table["weight"] = rng.normal(2, 1, len(table)).round(3)
    known = is_known[u] & is_known[v]
    return table[known].reset_index(drop=True), table[~known].reset_index(drop=True)


def fitted(known, d=2, **options):
    graph = lp.from_edges(known["source"], known["target"], known.get("weight"), **options)
    return lp.AdjacencySpectralEmbedding(d).fit(graph)


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
    """Write a table to files of three kinds, a third to each."""
    folder.mkdir()
    paths = [folder / "0.parquet", folder / "1.csv", folder / "2.feather"]
    thirds = [table.iloc[k::3].reset_index(drop=True) for k in range(3)]
    thirds[0].to_parquet(paths[0])
    thirds[1].to_csv(paths[1], index=False)
    thirds[2].to_feather(paths[2])
    return paths


def read(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("part-*.parquet"))])


def compare(found, expected):
    found, expected = (t.set_index("name").sort_index() for t in (found, expected))
    pd.testing.assert_frame_equal(
        found, expected, check_dtype=False, check_index_type=False, rtol=1e-12, atol=1e-15
    )


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
    with pytest.warns(lp.errors.LpgraphWarning, match="[23] edges between known"):  # of each file
        extend(model, files(twice, tmp_path / "new"), tmp_path / "out")
    with pytest.warns(lp.errors.LpgraphWarning, match="7 edges between known"):
        expected = model.transform_table(twice)
    compare(read(tmp_path / "out"), expected)


def test_stopped_anywhere(tmp_path):
    known, new = tables("texts")
    model, paths = fitted(known), files(new, tmp_path / "new")
    whole = extend(model, paths, tmp_path / "whole")
    content = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    for stop in range(1, 10):
        folder = tmp_path / f"stopped{stop}"
        failing = Mock(wraps=os.replace, side_effect=[DEFAULT] * (stop - 1) + [KeyboardInterrupt])
        with patch.object(os, "replace", failing), pytest.raises(KeyboardInterrupt):
            extend(model, paths, folder)
        kept = {path: path.stat().st_mtime_ns for path in folder.glob("part-*")}
        assert len(kept) == max(0, stop - 5)  # the plan, and a file of each shard
        assert extend(model, paths, folder).facts == whole.facts
        assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == content


@pytest.mark.parametrize("kind", ["texts", "integers"])
@pytest.mark.parametrize(
    ("function", "model", "edges", "error", "words"),
    [
        (extend, None, pd.DataFrame(), ArgumentTypeError, "edges is"),
        (extend, lp.manifold.Isomap(2), None, ArgumentTypeError, "model is"),
        (extend, lp.AdjacencySpectralEmbedding(2), None, ValueError, "not fitted"),
        (classify, None, None, ArgumentTypeError, "VertexClassifier"),
        (extend, fitted({"source": ["a", 1, 2], "target": [1, 2, "a"]}, 1), None, ArgumentError, "texts only"),
        (extend, None, "nothing.csv", lp.errors.MissingFileError, r"nothing\.csv"),
        (extend, None, "other.csv", ArgumentError, "edges has no known vertex"),
        (extend, None, "wrong.parquet", ArgumentError, "write them as integers|edges has no known vertex"),
        (extend, None, "bad.csv", FileFormatError, r"bad\.csv.*line 2"),
    ],
)
def test_refused(function, model, edges, error, words, kind, tmp_path):
    """By default the model and files of edges are right."""
    known, new = tables(kind)
    unknown, wrong = ("901,902", "texts") if kind == "integers" else ("q,r", "integers")
    (tmp_path / "other.csv").write_text(f"source,target\n{unknown}\n")
    (tmp_path / "bad.csv").write_text("source,target\na,b,c\n")
    tables(wrong)[1].to_parquet(tmp_path / "wrong.parquet")
    if not isinstance(edges, pd.DataFrame):
        edges = files(new, tmp_path / "new") if edges is None else tmp_path / edges
    with pytest.raises(error, match=words.format(kind)):
        function(fitted(known) if model is None else model, edges, tmp_path / "out")


def test_other_models_and_files_are_refused_when_it_goes_on(kind, tmp_path):
    known, new = tables(kind)
    paths = files(new, tmp_path / "new")
    extend(fitted(known), paths, tmp_path / "out")
    with pytest.raises(StoreError, match="with model="):
        extend(fitted(known, 3), paths, tmp_path / "out")
    new[:50].to_parquet(paths[0], index=False)
    with pytest.raises(StoreError, match="with files of edges="):
        extend(fitted(known), paths, tmp_path / "out")


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
    facts = classify(model, tmp_path / "new.csv", tmp_path / "lonely").facts
    assert facts == {"vertices": 3, "edges": 1, "without a known neighbor": 2}
    found = read(tmp_path / "lonely").set_index("name")["has_known_neighbor"]
    assert found.to_dict() == {"x": True, "y": False, "z": False}
