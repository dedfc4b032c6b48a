"""`build_store`: the matrix of every kind of input, in bounded batches, after any stop; errors that say where."""

import gzip
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    FileFormatError,
    GraphError,
    LpgraphWarning,
    StoreError,
)
from lpgraph.scale import build as builder
from lpgraph.scale import build_store, csr_files, open_store, shards

pyarrow = pytest.importorskip("pyarrow")
NAMES = {
    "range": lambda i: i,
    "integers": lambda i: i * 3 - 50,
    "wide": lambda i: i * 10**15 - 7,
    "texts": lambda i: np.array([f"v{one}" if one % 3 else f"ä{one:06d}" for one in i.tolist()]),
}


@pytest.fixture(params=["one batch", "many batches"])
def batches(request, monkeypatch):
    if request.param == "many batches":
        monkeypatch.setattr(shards, "_ROWS", 700)
        monkeypatch.setattr(builder, "_TOGETHER", 300)
        monkeypatch.setattr(csr_files, "_EACH", 450 * 10**6 // 500)


def table(names, weighted, m=5000, n=300):
    rng = np.random.default_rng(0)
    source, target = (NAMES[names](np.r_[np.arange(n), rng.integers(0, n, m)][: m + n]) for _ in "st")
    target = target[rng.permutation(len(target))]
    found = pd.DataFrame({"source": source, "target": target})
    if weighted:  # multiples of 1 / 64, so that sums in any order are exact
        found["weight"] = rng.integers(-64, 256, len(found)) / 64
    return found


def expected(edges, **options):
    weight = edges.get("weight")
    graph = lp.from_edges(edges.source, edges.target, weight, **options)
    return graph.take(np.argsort(np.array(list(graph.names))))


def assert_same(store, graph):
    assert list(store.names) == list(graph.names)
    np.testing.assert_array_equal(store.matrix.indptr, graph.matrix.indptr)
    np.testing.assert_array_equal(store.matrix.indices, graph.matrix.indices)
    np.testing.assert_array_equal(store.matrix.data, graph.matrix.data)
    assert (store.directed, store.weighted, store.n_edges) == (graph.directed, graph.weighted, graph.n_edges)
    if graph.directed:
        assert (store.transposed != graph.matrix.T.tocsr()).nnz == 0


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_parquet_gives_the_graph(names, weighted, directed, batches, tmp_path):
    edges = table(names, weighted)
    for k in range(3):
        edges.iloc[k::3].to_parquet(tmp_path / f"e{k}.parquet")
    store = build_store(str(tmp_path / "e*.parquet"), tmp_path / "store", directed=directed, memory="800MB")
    assert_same(store, expected(edges, directed=directed))
    assert_same(open_store(tmp_path / "store", verify=True), expected(edges, directed=directed))
    assert not (tmp_path / "store" / "building").exists()


@pytest.mark.parametrize("names", ["integers", "texts"])
@pytest.mark.parametrize("form", ["csv", "tsv", "txt", "csv.gz", "feather", "frame", "arrow", "stream", "dask"])
def test_every_form_gives_the_same(names, form, batches, tmp_path):
    edges = table(names, True)
    path = tmp_path / f"edges.{form}"
    if form in ("csv", "tsv", "txt", "csv.gz"):
        separator = {"csv": ",", "tsv": "\t", "txt": " "}[form[:3]]
        text = edges.to_csv(index=False, sep=separator).encode()
        path.write_bytes(gzip.compress(text) if form.endswith("gz") else text)
    elif form == "feather":
        edges.to_feather(path)
    given = {
        "frame": lambda: edges,
        "arrow": lambda: pyarrow.Table.from_pandas(edges),
        "stream": lambda: pyarrow.Table.from_pandas(edges).to_reader(700),
        "dask": lambda: pytest.importorskip("dask.dataframe").from_pandas(edges, npartitions=3),
    }.get(form, lambda: path)()
    assert_same(build_store(given, tmp_path / "store"), expected(edges))


def test_rules_of_repeated_edges(tmp_path):
    edges = pd.DataFrame({"source": [1, 2, 1, 3, 3], "target": [2, 1, 2, 3, 1], "weight": [1.0, 2, -3, 4, 0]})
    for rule, options in (("sum", {}), ("largest", {"multi_edges": "collapse"}), ("ones", {"weight": None})):
        store = build_store(edges, tmp_path / rule, **options)
        found = {"sum": [[0, 0, 0], [0, 0, 0], [0, 0, 4]], "largest": [[0, 2, 0], [2, 0, 0], [0, 0, 4]]}
        ones = [[0, 1, 1], [1, 0, 0], [1, 0, 1]]
        assert store.matrix.toarray().tolist() == found.get(rule, ones)
    listed = build_store(edges.drop(columns="weight"), tmp_path / "listed")
    assert listed.matrix.toarray().tolist() == [[0, 3, 1], [3, 0, 0], [1, 0, 1]]


def test_graphs_keep_their_vertices_and_direction(tmp_path):
    for directed in (False, True):
        graph = lp.from_edges(["c", "a"], ["a", "b"], vertices=["z", "c", "a", "b"], directed=directed)
        store = build_store(graph, tmp_path / str(directed))
        assert_same(store, graph.take(np.argsort(list(graph.names))))
    with pytest.raises(GraphError, match="rename"):
        build_store(lp.from_edges([("a", 1)], ["b"]), tmp_path / "no")


def test_names_that_differ_between_files(tmp_path):
    (tmp_path / "a.csv").write_text("source,target\n1,2\n")
    (tmp_path / "b.csv").write_text("source,target\n2,x\n")
    store = build_store([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "store")
    assert store.names.tolist() == ["1", "2", "x"]
    (tmp_path / "c.csv").write_text("source,target\nNA,x\n")
    with pytest.warns(LpgraphWarning, match="'NA'"):
        build_store(tmp_path / "c.csv", tmp_path / "na")


WRONG = [
    ("csv", "source,target,weight\na,b,1\na,c,x\n", FileFormatError, "line 3"),
    ("csv", "source,target,weight\na,b,1\na,c,inf\n", FileFormatError, "line 3"),
    ("csv", "source,target\na,b\na,\n", FileFormatError, "line 3"),
    ("parquet", {"source": [1, 2], "target": [1, None]}, GraphError, "Row 1 of"),
    ("parquet", {"source": ["a", ""], "target": ["b", "c"]}, GraphError, "Row 1 of"),
    ("parquet", {"source": [1, 2], "target": [1, 2], "weight": [1.0, np.nan]}, GraphError, "Row 1 of"),
    ("parquet", {"source": [1.5], "target": [2.5]}, ArgumentTypeError, "cast it"),
    ("parquet", {"source": [1, 1], "target": [2, 2], "weight": [1e308, 1e308]}, GraphError, "too large"),
    ("parquet", {"source": ["a\0"], "target": ["b"]}, GraphError, "NUL"),
]


@pytest.mark.parametrize(("form", "content", "error", "words"), WRONG)
def test_errors_say_where(form, content, error, words, tmp_path):
    path = tmp_path / f"edges.{form}"
    if isinstance(content, str):
        path.write_text(content)
    else:
        columns = {key: pyarrow.array(values, from_pandas=False) for key, values in content.items()}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(error, match=words):
        build_store(path, tmp_path / "store")


def test_wrong_folders_and_options(tmp_path):
    edges, path = table("range", False), tmp_path / "e.parquet"
    edges.to_parquet(path)
    edges.assign(weight=1.5).to_parquet(tmp_path / "w.parquet")
    store = build_store(path, tmp_path / "store")
    assert build_store(path, tmp_path / "store").n_edges == store.n_edges  # opened
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "indices.npy").write_text("mine")
    for given, folder, options, error, words in (
        (path, "store", {"directed": True}, StoreError, "other options"),
        (path, "mine", {}, StoreError, "a folder of its own"),
        (path, "e.parquet", {}, StoreError, "is a file"),
        (edges, "small", {"memory": "1MB"}, ArgumentError, "800 MB"),
        (str(tmp_path / "none*.csv"), "none", {}, ArgumentError, "edges="),
        ([path, tmp_path / "w.parquet"], "mixed", {}, GraphError, "weight=None"),
    ):
        with pytest.raises(error, match=words):
            build_store(given, tmp_path / folder, **options)
    assert (tmp_path / "mine" / "indices.npy").read_text() == "mine"


@pytest.fixture
def stopped(tmp_path):
    """Files of edges, and the bytes of their store."""
    edges = table("texts", True)
    for k in range(4):
        edges.iloc[k::4].to_parquet(tmp_path / f"e{k}.parquet")
    whole = build_store(str(tmp_path / "e*.parquet"), tmp_path / "whole", directed=True)
    return tmp_path, {path.name: path.read_bytes() for path in whole.store.iterdir()}


@pytest.mark.parametrize(
    ("step", "call"),
    [
        ("_read", 1),
        ("_read", 2),
        ("_number", 1),
        ("_write_names", 1),
        ("_written", 2),
        ("checksum", 1),
        ("_finish", 1),
    ],
)
def test_a_stopped_build_goes_on(stopped, step, call, monkeypatch):
    folder, expected = stopped
    calls, work = [], getattr(builder, step)

    def stop(*given, **options):
        calls.append(given)
        if len(calls) == call:
            raise OSError(28, "No space left on device")
        return work(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(builder, step, stop)
        with pytest.raises(StoreError, match="call build_store again"):
            build_store(str(folder / "e*.parquet"), folder / "store", directed=True)
    store = build_store(str(folder / "e*.parquet"), folder / "store", directed=True)
    assert {path.name: path.read_bytes() for path in store.store.iterdir()} == expected


def test_changed_files_and_options_are_refused_when_a_build_goes_on(stopped, monkeypatch):
    folder, _ = stopped
    with monkeypatch.context() as patch:
        patch.setattr(builder, "_number", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            build_store(str(folder / "e*.parquet"), folder / "store")
    with pytest.raises(StoreError, match="directed="):
        build_store(str(folder / "e*.parquet"), folder / "store", directed=True)
    os.utime(folder / "e2.parquet", (1, 1))
    with pytest.raises(StoreError, match="shards="):
        build_store(str(folder / "e*.parquet"), folder / "store")


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("done", ["plan.json", "shard-00001.json", "numbered.json"])
def test_a_killed_build_goes_on_and_excludes_another(done, tmp_path):
    edges = table("texts", True, m=2_000_000, n=200_000)
    for k in range(4):
        edges.iloc[k::4].to_parquet(tmp_path / f"e{k}.parquet")
    code = (
        "import lpgraph as lp, sys; print('begun', flush=True)\n"
        f"lp.scale.build_store({str(tmp_path / 'e*.parquet')!r}, {str(tmp_path / 'store')!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    process.stdout.readline()
    while not (tmp_path / "store" / "building" / done).exists():
        time.sleep(0.001)
    with pytest.raises(StoreError, match="Another process"):
        build_store(str(tmp_path / "e*.parquet"), tmp_path / "store")
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    store = build_store(str(tmp_path / "e*.parquet"), tmp_path / "store")
    other = build_store(str(tmp_path / "e*.parquet"), tmp_path / "other")
    for path in store.store.glob("*.npy"):
        assert path.read_bytes() == (other.store / path.name).read_bytes()
