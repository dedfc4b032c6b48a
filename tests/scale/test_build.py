"""The builder: every input gives the store of the graph in memory, file by file."""

from __future__ import annotations

import gzip
import hashlib

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from scale.reference_store import write_reference

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, StoreError
from lpgraph.scale import EdgeStore, build_store
from lpgraph.scale.building import number, read, table_shard, text_shard
from lpgraph.scale.grid import ROWS


def edge_table(*, m=3000, n=700, weighted=False, names="integers", seed=0):
    """Return a table with repeated edges, loops and edges in both directions."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, m))
    ends[1, : m // 20] = ends[0, : m // 20]
    ends[:, m // 20 : m // 10] = ends[::-1, m // 10 : m // 10 + m // 10 - m // 20]
    kinds = {
        "integers": lambda v: v,
        "sparse": lambda v: 7 * v - 1000,
        "huge": lambda v: (v + 1) * 10**15 - 10**17,
        "texts": lambda v: np.array([f"n{x:x}é"[: 3 + x % 4] + f"{x}" for x in v.tolist()], dtype=object),
    }
    columns = {"source": kinds[names](ends[0]), "target": kinds[names](ends[1])}
    if weighted:
        columns["weight"] = np.round(rng.normal(size=m), 3)
        columns["weight"][:5] = 0
    return pd.DataFrame(columns)


def in_order(graph):
    """Return a graph with its vertices in the order of their names."""
    if isinstance(graph.names, range):
        return graph
    return graph.take(np.array(sorted(range(graph.n_vertices), key=graph.names.__getitem__)))


def counts_of(table, graph):
    """Return how many entries the rows of each block have, repeated ones included."""
    source, target = ([graph.index[name] for name in table[title]] for title in ("source", "target"))
    rows = np.concatenate((source, [t for s, t in zip(source, target, strict=True) if graph.directed or s != t]))
    return np.bincount(rows // ROWS, minlength=-(-graph.n_vertices // ROWS))


def digests(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.name != "manifest.json" and path.is_file()
    }


def assert_is(store, graph, tmp_path, counts=None):
    """Assert that a store is that of a graph, to the last byte; sums of weights have an order of their own."""
    graph = in_order(graph)
    expected = write_reference(graph, tmp_path / "expected", counts)
    assert list(store.names) == list(graph.names)
    found, wanted = digests(store.folder), digests(expected.folder)
    assert found.keys() == wanted.keys()
    for name in found:
        if name.endswith(".npy") and found[name] != wanted[name]:
            assert "weights" in name or "degrees" in name or "diagonal" in name
            a, b = np.load(store.folder / name), np.load(expected.folder / name)
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    for name in ("n_vertices", "n_edges", "n_entries", "directed", "weighted", "cuts", "panels"):
        assert getattr(store.manifest, name) == getattr(expected.manifest, name), name
    assert store.lowest_weight == pytest.approx(graph.lowest_weight)
    assert store.highest_weight == pytest.approx(graph.highest_weight)
    assert set(store.manifest.files) == set(found)
    store.verify()


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(read, "CHUNK", 256)
    monkeypatch.setattr(table_shard, "_ROWS", 100)
    monkeypatch.setattr(text_shard, "_READ", 1000)


@pytest.mark.parametrize("names", ["integers", "sparse", "huge", "texts"])
@pytest.mark.parametrize(("weighted", "directed"), [(False, False), (True, False), (True, True)])
@pytest.mark.usefixtures("small_chunks")
def test_parquet_shards_give_the_store_of_the_graph(names, weighted, directed, tmp_path):
    table = edge_table(names=names, weighted=weighted)
    for k in range(3):
        table[k * 1000 : (k + 1) * 1000].to_parquet(tmp_path / f"e{k}.parquet", row_group_size=170)
    graph = lp.from_edges(table.source, table.target, table.weight if weighted else None, directed=directed)
    store = build_store(str(tmp_path / "*.parquet"), tmp_path / "s", directed=directed)
    assert_is(store, graph, tmp_path, counts_of(table, in_order(graph)))
    if not directed and weighted:
        matrix = store.to_adjacency().matrix
        assert (matrix != matrix.T).nnz == 0


@pytest.mark.parametrize("form", ["csv", "tsv", "txt", "csv.gz", "parquet", "feather", "arrow"])
@pytest.mark.parametrize("names", ["integers", "texts"])
@pytest.mark.usefixtures("small_chunks")
def test_every_format_gives_the_same_store(form, names, tmp_path):
    table = edge_table(names=names, weighted=True)
    path = tmp_path / f"e.{form}"
    if form == "parquet":
        table.to_parquet(path)
    elif form == "feather":
        feather.write_feather(pa.Table.from_pandas(table), path)
    elif form == "arrow":
        arrow = pa.Table.from_pandas(table)
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, arrow.schema) as writer:
            writer.write_table(arrow, max_chunksize=500)
    else:
        delimiter = {"csv": ",", "tsv": "\t", "txt": " "}[form.removesuffix(".gz")]
        text = table.to_csv(index=False, header=form != "txt", sep=delimiter, lineterminator="\n").encode()
        path.write_bytes(gzip.compress(text) if form.endswith("gz") else text)
    graph = lp.from_edges(table.source, table.target, table.weight)
    assert_is(build_store(path, tmp_path / "s"), graph, tmp_path, counts_of(table, in_order(graph)))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "stream", "categorical", "view"])
def test_tables_in_memory(kind, tmp_path):
    table = edge_table(names="texts", weighted=True)
    arrow = pa.Table.from_pandas(table)
    categories = table.assign(source=table.source.astype("category"), target=table.target.astype("category"))
    view = pa.table({title: arrow[title].cast(pa.string_view()) for title in ("source", "target")})
    edges = {
        "pandas": table,
        "polars": pl.DataFrame(table.to_dict("list")),
        "pyarrow": arrow,
        "stream": arrow.to_reader(max_chunksize=333),
        "categorical": categories,
        "view": view.append_column("weight", arrow["weight"]),
    }[kind]
    graph = lp.from_edges(table.source, table.target, table.weight)
    assert_is(build_store(edges, tmp_path / "s"), graph, tmp_path, counts_of(table, in_order(graph)))
    assert not (tmp_path / "s" / "building").exists()


def test_text_is_read_as_read_graph_reads_it(tmp_path):
    cases = {
        "comments.txt": "# a comment\n% another one\n\n 1  2\n\t2 3 \r\n# inside\n10 1\n",
        "header.csv": "Source;Target;weight\n a ; b;1\nb;c;2e0\nc;a;-.5\n",
        "bom.csv": "﻿source,target\nx,y\ny,z\n",
        "quotes.csv": 'source,target,weight\n"a, b","c ""d""",1.25\n"c ""d""", e ,0.1\n',
        "titles.csv": "person,friend\nann,bob\nbob,cid\ncid,ann\n",
        "no_header.csv": "a,b\nb,c\nc,a\na,d\n",
        "more.csv": "weight,kind,target,source\n1,x,a,b\n2,y,c,b\n",
        "zeros.csv": "source,target\n01,2\n2,3\n",
        "wide.csv": "source,target\n9223372036854775807,-5\n-5,0\n",
        "last.tsv": "source\ttarget\na b\tc\nc\td e",
        "digits.csv": "source,target,weight\n1,2,0.1234567890123456789\n2,3,1e-7\n1,3,123456789012345678\n",
    }
    for name, text in cases.items():
        path = tmp_path / name
        path.write_bytes(text.encode())
        expected = in_order(lp.read_graph(path))
        store = build_store(path, tmp_path / f"{name}.store")
        assert list(store.names) == list(expected.names), name
        assert (store.to_adjacency().matrix != expected.matrix).nnz == 0, name


def random_lines(rng):
    """Return the text of an edge list with quotes, blanks, comments and signs, and its format."""
    form = rng.choice(["csv", "tsv", "txt"])
    delimiter = {"csv": ",", "tsv": "\t", "txt": " "}[form]
    every = ["a", "a b", "é", "1", "03", "-4", "x,y", 'q"r', "10", "-0", "nan"]
    pool = every if rng.random() < 0.5 else ["1", "2", "17"]
    weighted, padded = rng.random() < 0.5, rng.random() < 0.3

    def field(text):
        if form == "txt":
            return text.replace(" ", "_").replace('"', "")
        if set(text) & set(',"') or rng.random() < 0.1:
            return '"' + text.replace('"', '""') + '"'
        return " " * rng.integers(3) * padded + text + " " * rng.integers(3) * padded

    lines = [delimiter.join(["source", "target", "weight"][: 2 + weighted])] * int(form != "txt")
    for _ in range(rng.integers(1, 9)):
        fields = [field(rng.choice(pool)) for _ in range(2)]
        fields += [rng.choice(["1", "-1", "1e3", ".5", "0", "3.", "+2", "0.1"])] * weighted
        lines += [delimiter.join(fields), *["", "# words of comment"][: rng.integers(8) // 6 * 2]]
    return form, rng.choice(["\n", "\r\n"]).join([*lines, ""][: len(lines) + rng.integers(2)]).encode()


@pytest.mark.filterwarnings("ignore::lpgraph.errors.LpgraphWarning")
@pytest.mark.parametrize("seed", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_random_text_is_read_as_read_graph_reads_it(seed, tmp_path):
    rng = np.random.default_rng(seed)
    for trial in range(200 if seed == 2 else 20):
        form, text = random_lines(rng)
        path = tmp_path / f"{trial}.{form}"
        path.write_bytes(text)
        header = form != "txt"
        expected = in_order(lp.read_graph(path, header=header))
        store = build_store(path, tmp_path / f"s{trial}", header=header)
        assert list(store.names) == list(expected.names), text
        assert abs(store.to_adjacency().matrix - expected.matrix).max() < 1e-12, text


def test_a_header_in_every_shard_or_in_the_first(tmp_path):
    for k, text in enumerate(("mia,noa\na,b\nb,c\nc,d\nd,a\n", "mia,noa\nd,e\n", "e,f\nf,a\n")):
        (tmp_path / f"{k}.csv").write_text(text)
    with pytest.warns(lp.errors.LpgraphWarning, match="read as a header"):
        store = build_store(str(tmp_path / "*.csv"), tmp_path / "s")
    assert list(store.names) == list("abcdef")


def test_columns_weights_and_rules(tmp_path):
    table = pd.DataFrame({"p": [1, 1, 2, 2], "q": [2, 2, 1, 3], "w": [1.0, 4.0, 2.0, 0.0]})
    table.to_parquet(tmp_path / "e.parquet")

    def build(name, **options):
        store = build_store(tmp_path / "e.parquet", tmp_path / name, source="p", target="q", **options)
        return store, store.to_adjacency().matrix.toarray().tolist()

    assert build("sum", weight="w")[1] == [[0, 7, 0], [7, 0, 0], [0, 0, 0]]
    assert build("largest", weight="w", multi_edges="collapse")[1] == [[0, 4, 0], [4, 0, 0], [0, 0, 0]]
    store, matrix = build("one", weight=None)
    assert matrix == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert not store.weighted
    assert build("arcs", weight="w", directed=True)[1] == [[0, 5, 0], [2, 0, 0], [0, 0, 0]]
    with pytest.raises(ArgumentError, match="no column"):
        build("x", weight="z")


@pytest.mark.parametrize("directed", [False, True])
def test_graphs_in_memory_keep_isolated_vertices(directed, tmp_path):
    graph = lp.from_edges(["b", "c"], ["c", "b"], [1, 2], directed=directed, vertices=["z", "c", "b", "a"])
    assert_is(build_store(graph, tmp_path / "s"), graph, tmp_path)
    empty = lp.as_adjacency(np.zeros((3, 3)))
    store = build_store(empty, tmp_path / "empty")
    assert (store.n_vertices, store.n_edges) == (3, 0)
    assert store.components.tolist() == [0, 1, 2]
    big = lp.erdos_renyi(5000, 0.002, random_state=0)
    (tmp_path / "expected2").mkdir()
    assert_is(build_store(big, tmp_path / "big"), lp.as_adjacency(big), tmp_path / "expected2")


def test_many_partitions_and_panels(tmp_path, monkeypatch):
    monkeypatch.setattr("lpgraph.scale.grid._COLUMNS", 8192)
    table = edge_table(m=400_000, n=40_000, weighted=True)
    table["target"] = (40_000 * np.random.default_rng(1).random(400_000) ** 4).astype(int)
    graph = lp.from_edges(table.source, table.target, table.weight, vertices=40_000)
    if len(set(table.source) | set(table.target)) < 40_000:
        table.loc[: 40_000 - 1, "source"] = np.arange(40_000)
        graph = lp.from_edges(table.source, table.target, table.weight, vertices=40_000)
    store = build_store(table, tmp_path / "s")
    assert store.manifest.n_parts >= 8
    assert len(store.manifest.panels) > 2
    assert_is(store, graph, tmp_path, counts_of(table, graph))


@pytest.mark.usefixtures("small_chunks")
def test_little_memory_sorts_names_in_parts_and_maps_the_table(tmp_path, monkeypatch):
    from lpgraph.scale.building import name_set, names_sort

    table = edge_table(names="texts", m=4000, n=1500)
    graph = lp.from_edges(table.source, table.target)
    whole = names_sort.sorted_names
    monkeypatch.setattr(number, "sorted_names", lambda paths, memory: whole(paths, 40_000))
    monkeypatch.setattr(number, "_TABLE", 0)
    first = name_set.NameSet
    monkeypatch.setattr(read, "NameSet", lambda seed, memory: first(seed, 60_000))
    table.to_parquet(tmp_path / "e.parquet")
    assert_is(
        build_store(tmp_path / "e.parquet", tmp_path / "s"), graph, tmp_path, counts_of(table, in_order(graph))
    )


def test_two_names_with_one_hash_begin_again(tmp_path, monkeypatch):
    from lpgraph.scale.building import name_set

    table = edge_table(names="texts")
    seeds = [1, 2]
    monkeypatch.setattr(read, "new_seed", lambda: seeds.pop(0))
    honest = name_set.hashed
    monkeypatch.setattr(
        name_set, "hashed", lambda texts, seed: honest(texts, seed) % (50 if seed == 1 else 1 << 63)
    )
    graph = lp.from_edges(table.source, table.target)
    table.to_parquet(tmp_path / "e.parquet")
    assert_is(
        build_store(tmp_path / "e.parquet", tmp_path / "s"), graph, tmp_path, counts_of(table, in_order(graph))
    )
    assert not seeds


ERRORS = [
    ("csv", "source,target\na,b\n,c\n", FileFormatError, "line 3: an endpoint is empty"),
    ("csv", "source,target,weight\na,b,1\na,c,x\n", FileFormatError, "line 3: the weight 'x' is not a finite"),
    ("csv", "source,target,weight\na,b,1\na,c,inf\n", FileFormatError, "line 3: the weight 'inf'"),
    ("csv", "source,target,weight\na,b,1\na,c\n", FileFormatError, "line 3: it has another number of columns"),
    ("csv", 'source,target\na,b\n"a\nb",c\n', FileFormatError, "line 3: a quote is not closed"),
    ("csv", "a\nb\n", FileFormatError, "1 column"),
    ("csv", "5,6,7,8\n1,2,3,4\n", FileFormatError, "4 columns"),
    ("csv", "source,target\n", ArgumentError, "There are no edges"),
    ("csv", "", ArgumentError, "There are no edges"),
    ("csv", b"source,target\na\xff,b\nb,c\n", FileFormatError, "line 2: it is not UTF-8"),
    ("parquet", {"source": ["a", None], "target": ["b", "c"]}, ArgumentError, "Row 1 of .* has no 'source'"),
    ("parquet", {"source": ["a", ""], "target": ["b", "c"]}, GraphError, "row 1: an endpoint is empty"),
    ("parquet", {"source": [1, 2], "target": ["b", "c"]}, ArgumentTypeError, "names that are texts"),
    ("parquet", {"source": [1.5, 2], "target": [1, 2]}, ArgumentTypeError, "has type double"),
    (
        "parquet",
        {"source": [1, 2], "target": [1, 2], "weight": [1.0, np.nan]},
        GraphError,
        "Row 1 of .* has weight=nan",
    ),
    (
        "parquet",
        {"source": [1, 2], "target": [1, 2], "weight": [1.0, None]},
        GraphError,
        "Row 1 of .* has no 'weight'",
    ),
    ("parquet", {"source": [1], "target": [2], "weight": ["x"]}, ArgumentTypeError, "make it numeric"),
    ("parquet", {"source": [2**63], "target": [2**63]}, ArgumentError, "beyond 2\\^63"),
    ("parquet", b"PAR1 no", FileFormatError, "not a whole Parquet file"),
    ("feather", b"ARROW1 no", FileFormatError, "not a whole Arrow file"),
    ("parquet", {"source": [1, 1], "target": [2, 2], "weight": [1e308, 1e308]}, GraphError, "edge 1, 2 add up to"),
]


@pytest.mark.parametrize(("form", "content", "kind", "message"), ERRORS, ids=[str(k) for k in range(len(ERRORS))])
def test_wrong_input_is_named_and_its_correction_goes_on(form, content, kind, message, tmp_path):
    path = tmp_path / f"e.{form}"
    if isinstance(content, dict):
        kinds = {key: pa.uint64() if values[0] == 2**63 else None for key, values in content.items()}
        table = pa.table({key: pa.array(values, kinds[key]) for key, values in content.items()})
        pq.write_table(table, path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(kind, match=message):
        build_store(path, tmp_path / "s")
    path = tmp_path / "e.csv" if form == "csv" else path
    good = pd.DataFrame({"source": [1, 2], "target": [2, 3]})
    {"csv": lambda p: good.to_csv(p, index=False), "parquet": good.to_parquet, "feather": good.to_feather}[form](
        path
    )
    if "add up" in message:
        with pytest.raises(StoreError, match="has changed since it was read"):
            build_store(path, tmp_path / "s")
        return
    assert list(build_store(path, tmp_path / "s").names) == [1, 2, 3]


def test_a_vertex_that_is_called_as_a_missing_name_is_told(tmp_path):
    table = pd.DataFrame({"source": ["a", "nan"], "target": ["b", "c"]})
    with pytest.warns(lp.errors.LpgraphWarning, match="a vertex is called 'nan', as programs write"):
        assert build_store(table, tmp_path / "s").n_vertices == 4


def test_arguments(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("source,target\n1,2\n")
    with pytest.raises(ArgumentError, match="multi_edges='max'"):
        build_store(path, tmp_path / "s", multi_edges="max")
    with pytest.raises(ArgumentError, match="memory='1MB' is too little; pass 800 MB or more"):
        build_store(path, tmp_path / "s", memory="1MB")
    with pytest.raises(ArgumentError, match="no size"):
        build_store(path, tmp_path / "s", memory="much")
    with pytest.raises(lp.errors.MissingFileError, match=r"edges=.*f\.csv"):
        build_store(tmp_path / "f.csv", tmp_path / "s")
    with pytest.raises(ArgumentError, match="matches no file"):
        build_store(str(tmp_path / "*.tsv"), tmp_path / "s")
    with pytest.raises(ArgumentError, match="is a folder"):
        build_store(tmp_path, tmp_path / "s")
    with pytest.raises(ArgumentError, match="no suffix of a table"):
        build_store(path.rename(path.with_name("e.dat")), tmp_path / "s")
    assert build_store(tmp_path / "e.dat", tmp_path / "s", format="csv").n_edges == 1
    with pytest.raises(ArgumentTypeError, match="format='xls'"):
        build_store(tmp_path / "e.dat", tmp_path / "t", format="xls")
    with pytest.raises(ArgumentError, match="is for files"):
        build_store(np.eye(3), tmp_path / "t", format="csv")
    with pytest.raises(ArgumentError, match="twice"):
        build_store([tmp_path / "e.dat"] * 2, tmp_path / "t", format="csv")
    with pytest.raises(ArgumentTypeError, match="graph is a"):
        build_store(object(), tmp_path / "t")


def test_shards_of_different_kinds_are_refused(tmp_path):
    pd.DataFrame({"source": [1], "target": [2]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"source": ["x"], "target": ["y"]}).to_parquet(tmp_path / "b.parquet")
    pd.DataFrame({"source": [1], "target": [2], "weight": [3]}).to_parquet(tmp_path / "c.parquet")
    (tmp_path / "d.csv").write_text("source,target\n1,2\n")
    (tmp_path / "e.csv").write_text("source,target\n1,b\n")
    with pytest.raises(ArgumentTypeError, match=r"b\.parquet has names that are texts and others are integers"):
        build_store([tmp_path / "a.parquet", tmp_path / "b.parquet"], tmp_path / "s")
    with pytest.raises(GraphError, match=r"c\.parquet has weights and the shards before have none"):
        build_store([tmp_path / "a.parquet", tmp_path / "c.parquet"], tmp_path / "t")
    with pytest.raises(ArgumentTypeError, match=r"e\.csv has names that are texts"):
        build_store([tmp_path / "a.parquet", tmp_path / "e.csv"], tmp_path / "u")
    mixed = build_store([tmp_path / "a.parquet", tmp_path / "d.csv"], tmp_path / "v")
    assert list(mixed.names) == [1, 2]
    both = build_store([tmp_path / "d.csv", tmp_path / "e.csv"], tmp_path / "w")
    assert list(both.names) == ["1", "2", "b"]


def test_a_finished_store_is_opened_and_never_replaced(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("source,target\n1,2\n")
    store = build_store(path, tmp_path / "s")
    before = (store.folder / "manifest.json").stat().st_mtime_ns
    assert build_store(path, tmp_path / "s").n_edges == 1
    assert (store.folder / "manifest.json").stat().st_mtime_ns == before
    with pytest.raises(StoreError, match="a store of other edges"):
        build_store(path, tmp_path / "s", directed=True)
    path.write_text("source,target\n1,2\n2,3\n")
    with pytest.raises(StoreError, match="a store of other edges"):
        build_store(path, tmp_path / "s")
    with pytest.raises(StoreError, match="a store of other edges"):
        build_store(np.eye(3), tmp_path / "s")
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"other files, such as thesis\.txt"):
        build_store(path, other)
    assert (other / "thesis.txt").read_text() == "mine"
    assert isinstance(EdgeStore(tmp_path / "s"), EdgeStore)
