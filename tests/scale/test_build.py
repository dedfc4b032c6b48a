"""`build_store`: the matrix of every kind of input, in bounded batches, after any stop; errors that say where."""

import os
import signal
import subprocess
import sys
import time
from unittest.mock import DEFAULT, Mock, patch

import numpy as np
import pandas as pd
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, StoreError
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
        monkeypatch.setattr(csr_files, "_EACH", 450 * 10**6 // 500)


def table(names, weighted, m=5000, n=300):
    rng = np.random.default_rng(0)
    source, target = (NAMES[names](np.r_[np.arange(n), rng.integers(0, n, m)]) for _ in "st")
    found = pd.DataFrame({"source": source, "target": target[rng.permutation(m + n)]})
    if weighted:  # multiples of 1 / 64, so that sums in any order are exact
        found["weight"] = rng.integers(-64, 256, len(found)) / 64
    return found


def expected(edges, **options):
    graph = lp.from_edges(edges.source, edges.target, edges.get("weight"), **options)
    return graph.take(np.argsort(np.array(list(graph.names))))


def assert_same(store, graph):
    assert list(store.names) == list(graph.names)
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(store.matrix, part), getattr(graph.matrix, part))
    assert (store.directed, store.weighted, store.n_edges) == (graph.directed, graph.weighted, graph.n_edges)
    if graph.directed:
        assert (store.transposed != graph.matrix.T.tocsr()).nnz == 0


SEPARATORS = {"csv": ",", "tsv": "\t", "txt": " ", "csv.gz": ","}


FORMS = {
    "frame": lambda edges: edges,
    "arrow": pyarrow.Table.from_pandas,
    "stream": lambda edges: pyarrow.Table.from_pandas(edges).to_reader(700),
}


@pytest.mark.parametrize("names", ["integers", "texts"])
@pytest.mark.parametrize("form", [*SEPARATORS, "feather", *FORMS])
def test_every_form_gives_the_same(names, form, batches, tmp_path):
    edges, given = table(names, True), tmp_path / f"edges.{form}"
    if form in FORMS:
        given = FORMS[form](edges)
    elif form == "feather":
        edges.to_feather(given)
    else:
        edges.to_csv(given, index=False, sep=SEPARATORS[form])
    assert_same(build_store(given, tmp_path / "store"), expected(edges))


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


@pytest.mark.parametrize(
    ("options", "matrix"),
    [
        ({}, [[0, 0, 0], [0, 0, 0], [0, 0, 4]]),
        ({"multi_edges": "collapse"}, [[0, 2, 0], [2, 0, 0], [0, 0, 4]]),
        ({"weight": None}, [[0, 1, 1], [1, 0, 0], [1, 0, 1]]),
    ],
)
def test_rules_of_repeated_edges(options, matrix, tmp_path):
    edges = pd.DataFrame({"source": [1, 2, 1, 3, 3], "target": [2, 1, 2, 3, 1], "weight": [1.0, 2, -3, 4, 0]})
    assert build_store(edges, tmp_path / "store", **options).matrix.toarray().tolist() == matrix
    listed = build_store(edges.drop(columns="weight"), tmp_path / "listed")
    assert listed.matrix.toarray().tolist() == [[0, 3, 1], [3, 0, 0], [1, 0, 1]]


def test_graphs_keep_their_vertices_and_direction(tmp_path):
    for directed in (False, True):
        graph = lp.from_edges(["c", "a"], ["a", "b"], vertices=["z", "c", "a", "b"], directed=directed)
        store = build_store(graph, tmp_path / str(directed))
        assert_same(store, graph.take(np.argsort(list(graph.names))))
    with pytest.raises(ArgumentError, match="texts only"):
        build_store(lp.from_edges([("a", 1)], ["b"]), tmp_path / "no")


def test_names_that_differ_between_files(tmp_path):
    (tmp_path / "a.csv").write_text("source,target\n1,2\n")
    (tmp_path / "b.csv").write_text("source,target\n2,x\n")
    store = build_store([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "store")
    assert store.names.tolist() == ["1", "2", "x"]
    (tmp_path / "d.csv").write_text("u,v\n1,2\n")
    assert build_store(tmp_path / "d.csv", tmp_path / "titles").names.tolist() == [1, 2]


WRONG = [
    ("csv", "source,target\na,b\nsource,target\nb,c\n", FileFormatError, "line 3: it repeats the titles"),
    ("txt", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 3\n", FileFormatError, "another format"),
    ("csv", "source,target,weight\na,b,1\na,c,x\n", FileFormatError, "line 3.*header=True"),
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
        (path, "store", {"directed": True}, StoreError, "directed=False, not True"),
        (path, "mine", {}, StoreError, "a folder of its own"),
        (path, "e.parquet", {}, StoreError, "is a file"),
        (edges, "small", {"memory": "1MB"}, ArgumentError, "800 MB"),
        (str(tmp_path / "none*.csv"), "none", {}, ArgumentError, "edges="),
        ([path, tmp_path / "w.parquet"], "mixed", {}, GraphError, "weight=None"),
    ):
        with pytest.raises(error, match=words):
            build_store(given, tmp_path / folder, **options)
    assert (tmp_path / "mine" / "indices.npy").read_text() == "mine"


def content(store):
    return {path.name: path.read_bytes() for path in store.store.iterdir()}


@pytest.fixture
def stopped(tmp_path):
    """A function that builds a store of four files in a folder, and the bytes of such a store."""
    edges = table("texts", True)
    for k in range(4):
        edges.iloc[k::4].to_parquet(tmp_path / f"e{k}.parquet")

    def build(name, **options):
        return build_store(str(tmp_path / "e*.parquet"), tmp_path / name, directed=True, **options)

    return build, content(build("whole"))


@pytest.mark.parametrize(
    "step", ["_read 1", "_read 2", "_number 1", "_write_names 1", "write_csr 2", "checksum 1", "_finish 1"]
)
def test_a_stopped_build_goes_on(stopped, step):
    build, expected = stopped
    name, call = step.split()
    effects = [DEFAULT] * (int(call) - 1) + [OSError(28, "No space left on device")]
    stop = Mock(wraps=getattr(builder, name), side_effect=effects)
    with patch.object(builder, name, stop), pytest.raises(StoreError, match="call build_store again"):
        build("store")
    assert content(build("store")) == expected


def test_changed_files_and_options_are_refused_when_a_build_goes_on(stopped, tmp_path):
    build, _ = stopped
    with patch.object(builder, "_number", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        build("store")
    with pytest.raises(StoreError, match="read in another way"):
        build("store", weight=None)
    os.utime(tmp_path / "e2.parquet", (1, 1))
    with pytest.raises(StoreError, match=r"e2.* has changed since it was read; delete .*building"):
        build("store")


def test_a_build_goes_on_when_a_file_is_corrected(tmp_path):
    for k, line in enumerate(("a,b", "b,", "c,a")):
        (tmp_path / f"e{k}.csv").write_text(f"source,target\n{line}\n")
    with pytest.raises(FileFormatError, match="line 2"):
        build_store(str(tmp_path / "e*.csv"), tmp_path / "store")
    (tmp_path / "e1.csv").write_text("source,target\nb,c\n")
    with patch.object(shards, "text_batches", wraps=shards.text_batches) as read:
        assert build_store(str(tmp_path / "e*.csv"), tmp_path / "store").n_edges == 3
    assert read.call_count == 2  # the first file was read before


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("done", ["shard-00001.json", "bucket-00000"])
def test_a_killed_build_goes_on_and_excludes_another(done, tmp_path):
    edges, paths, folder = (
        table("texts", True, m=2_000_000, n=200_000),
        tmp_path / "e*.parquet",
        tmp_path / "store",
    )
    for k in range(4):
        edges.iloc[k::4].to_parquet(tmp_path / f"e{k}.parquet")
    code = "import sys, lpgraph as lp; lp.scale.build_store(sys.argv[1], sys.argv[2])"
    process = subprocess.Popen([sys.executable, "-c", code, str(paths), str(folder)])
    while not (folder / "building" / done).exists():
        time.sleep(0.001)
    with pytest.raises(StoreError, match="Another process"):
        build_store(str(paths), folder)
    process.send_signal(signal.SIGKILL)
    process.wait()
    store, other = build_store(str(paths), folder), build_store(str(paths), tmp_path / "other")
    for path in store.store.glob("*.npy"):
        assert path.read_bytes() == (other.store / path.name).read_bytes()
