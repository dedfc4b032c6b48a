from __future__ import annotations

import gzip
import json
import re
import tempfile
import warnings
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import io, sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, LpgraphWarning
from lpgraph.graph.names import listed, names_at

#: Random names differ by blanks.
pytestmark = pytest.mark.filterwarnings("ignore:.*which are probably one")

#: Formats that keep all of a graph.
WHOLE = ["npz", "parquet"]

BANNER = "%%MatrixMarket matrix coordinate real general\n"
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
word = st.text(st.sampled_from("abc,;\"&<>'\\é中😀01.-_[]"), min_size=1, max_size=4)
digits = st.integers(-3, 99).map(str)
NAMES = {
    **dict.fromkeys(
        ["csv", "tsv"], anything.filter(lambda name: name.splitlines() == [name] and name == name.strip())
    ),
    "txt": word | digits,
    "npz": (anything | digits).filter(lambda name: not name.endswith("\0")),
    "parquet": anything | digits,
}
WEIGHTS = st.one_of(st.just(1.0), st.integers(-3, 3).map(float), st.floats(-1e300, 1e300))

PARTS = ("indptr", "indices", "data")


def same(a, b):
    return (
        list(a.names) == list(b.names)
        and list(map(type, a.names)) == list(map(type, b.names))
        and a.directed == b.directed
        and all(np.array_equal(getattr(a.matrix, part), getattr(b.matrix, part)) for part in PARTS)
    )


@st.composite
def graphs(draw, names):
    kinds = (st.lists(kind, min_size=1, max_size=7, unique=True) for kind in (names, st.integers(-(2**62), 2**62)))
    vertices = draw(st.one_of(*kinds, st.integers(1, 7).map(range)))
    vertex = st.sampled_from(vertices)
    edges = draw(st.lists(st.tuples(vertex, vertex, WEIGHTS), max_size=15))
    source, target, weight = map(list, zip(*edges, strict=True)) if edges else ([], [], [])
    options = {"directed": draw(st.booleans()), "vertices": vertices, "multi_edges": "collapse"}
    return lp.from_edges(source, target, weight if draw(st.booleans()) else None, **options)


@pytest.mark.parametrize("form", WHOLE)
@settings(deadline=None, max_examples=40)
@given(data=st.data(), zipped=st.booleans())
def test_round_trip(form, data, zipped):
    with tempfile.TemporaryDirectory() as folder:
        graph = data.draw(graphs(NAMES[form]))
        path = Path(folder) / f"graph.{form}{'.gz' if zipped else ''}"
        lp.write_graph(graph, path)
        assert same(lp.read_graph(path), graph)


@pytest.mark.parametrize("form", ["csv", "tsv", "txt"])
@settings(deadline=None, max_examples=80)
@given(data=st.data(), zipped=st.booleans())
def test_tables_of_edges_keep_all_that_is_not_warned_of(form, data, zipped):
    graph = data.draw(graphs(NAMES[form]))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path = Path(folder) / f"graph.{form}{'.gz' if zipped else ''}"
        lp.write_graph(graph, path)
        said = "".join(str(warning.message) for warning in caught)
        source, target, _ = graph.edge_list()
        alone = graph.n_vertices - len(np.union1d(source, target))
        assert (f"{alone} of {graph.n_vertices} vertices have no edge and are left out" in said) == (alone > 0)
        if len(source) == 0:
            with pytest.raises(FileFormatError, match="no edges"):
                lp.read_graph(path)
            return
        # Texts that are integers come back as integers if there are no others among the end points.
        ends = listed(names_at(graph.names, np.union1d(source, target)))
        assume(isinstance(ends[0], int) or not all(re.fullmatch("0|-?[1-9][0-9]*", name) for name in ends))
        # With the vertices in their order the graph is the same.
        assert same(lp.read_graph(path, directed=graph.directed, vertices=list(graph.names)), graph)


@pytest.mark.filterwarnings("ignore:.*1 of 4 vertices", "ignore:.*no names")
def test_others_read_what_is_written(tmp_path):
    names = ["z é中", 'd"e', "<c>", "a&b"]
    example = lp.from_edges(["a&b", "<c>", 'd"e'], ["<c>", 'd"e', 'd"e'], [1.5, 2.0, 3.0], vertices=names)
    for form in ("csv", "tsv", "npz"):
        lp.write_graph(example, tmp_path / f"g.{form}")
    assert (sparse.load_npz(tmp_path / "g.npz") != example.matrix).nnz == 0
    for form, separator in (("csv", ","), ("tsv", "\t")):
        frame = pd.read_csv(tmp_path / f"g.{form}", sep=separator)
        columns = (frame[title].tolist() for title in ("source", "target", "weight"))
        assert same(lp.from_edges(*columns, vertices=names), example)


def read_text(tmp_path, suffix, text, **options):
    path = tmp_path / f"file{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return lp.read_graph(path, **options)


@pytest.mark.parametrize(
    ("suffix", "text", "names", "edges"),
    [
        (".txt", "# SNAP\n0 1\n1\t2\r\n\n  5 0\n", [0, 1, 2, 5], [[0, 1, 1], [1, 2, 1], [0, 3, 1]]),
        (".csv", "\ufeff1,2\n", [1, 2], [[0, 1, 1]]),
        (".csv", "01,2\n", ["01", "2"], [[0, 1, 1]]),
        (".csv", "1.0,TRUE\n", ["1.0", "TRUE"], [[0, 1, 1]]),
        (".csv", "1,2\n+3,2\n", ["1", "2", "+3"], [[0, 1, 1], [2, 1, 1]]),
        (".csv", "# c\na,b\nb,c\n# d\nc,d\n", ["a", "b", "c", "d"], [[0, 1, 1], [1, 2, 1], [2, 3, 1]]),
        (".csv", '"[a]",b\n', ["[a]", "b"], [[0, 1, 1]]),
        (".csv", '"a\nb",c\n"say ""hi""",c\n', ["a\nb", "c", 'say "hi"'], [[0, 1, 1], [1, 2, 1]]),
        (".csv", "weight,kind,to,from\n2,k,a,b\n", ["b", "a"], [[0, 1, 2]]),
        (".txt", "123456789012345678901234567890 1\n", [1, 123456789012345678901234567890], [[0, 1, 1]]),
        (".txt", "-5 0\n-0 1\n", ["-5", "0", "-0", "1"], [[0, 1, 1], [2, 3, 1]]),
        (".gml", "graph [ node [ id 3 ] node [ id 1 ] edge [ source 3 target 1 note 1 ] ]", [3, 1], [[0, 1, 1]]),
        (
            ".gml",
            b'graph\n[ directed 0 # c\n node [ id 0 label "\xe9&eacute;&#233;&unknown; &" x [ y 1 ] ]'
            b' node [ id 1 label "b" ] edge [ source 0 target 1 weight -1.5e0 ] edge [ source 1 target 0 ] ]',
            ["ééé&unknown; &", "b"],
            [[0, 1, -0.5]],
        ),
        (
            ".graphml",
            '<graphml><key id="w" for="edge" attr.name="weight" attr.type="int"><default>4</default></key>'
            '<graph edgedefault="undirected"><edge source="a" target="b"/><node id="a"/><node id="b"/>'
            '<edge source="b" target="b"><data key="w">7</data></edge></graph></graphml>',
            ["a", "b"],
            [[0, 1, 4], [1, 1, 7]],
        ),
        (".mtx", "%%MatrixMarket matrix coordinate integer symmetric\n% c\n2 2 1\n2 1 3\n", [0, 1], [[0, 1, 3]]),
    ],
)
def test_other_peoples_files(tmp_path, suffix, text, names, edges):
    graph = read_text(tmp_path, suffix, text)
    assert list(graph.names) == names
    assert not graph.directed
    expected = np.zeros((len(names), len(names)))
    for i, j, w in edges:
        expected[i, j] = expected[j, i] = w
    np.testing.assert_allclose(graph.matrix.toarray(), expected)


def test_options_of_reading(tmp_path):
    text = "src,dst,synapses\n0,1,3\n1,0,2\n1,1,1\n"
    read = lambda **options: read_text(tmp_path, ".csv", text, **options).matrix.toarray().tolist()  # noqa: E731
    assert read(weight="synapses", directed=True) == [[0, 3], [2, 1]]
    assert read(weight=None, directed=True, loops="drop") == [[0, 1], [1, 0]]
    assert read(weight="synapses", multi_edges="collapse") == [[0, 3], [3, 1]]
    assert read(weight=None, multi_edges="collapse", vertices=3) == [[0, 1, 0], [1, 1, 0], [0, 0, 0]]
    assert read(weight=None, multi_edges="collapse", vertices=[1, 0]) == [[1, 1], [1, 0]]
    for suffix, content, options, error, part in (
        (".csv", text, {}, ArgumentError, "'synapses'"),
        (".xyz", text, {}, ArgumentError, "format="),
        (".csv", text, {"format": "xml"}, ArgumentError, "format='xml'"),
        (".gml", "graph [ node [ id 0 ] ]", {"vertices": 3}, ArgumentError, "vertices= is for tables"),
        (".mtx", BANNER + "2 2 1\n1 2 1\n", {"directed": False}, GraphError, "directed=False but graph"),
    ):
        with pytest.raises(error, match=part):
            read_text(tmp_path, suffix, content, **options)


@pytest.mark.parametrize(
    ("suffix", "text", "part"),
    [
        (".csv", "source,target\n", "no edges"),
        (".csv", "a\nb\n", "line 1"),
        (".csv", "# c\na,b\n\na,b,3\n", "line 4"),
        (".csv", "1,2,3\n1,2,nan\n", "line 2: the weight 'nan'"),
        (".csv", "a;b;1,5\nb;c;2,5\n", "line 1: the weight '1,5'"),
        (".csv", "a,b\n\nb,\n", "line 3"),
        (".csv", 'a,"b\nc,d\n', "EOF inside string"),
        (".csv", b"\xff\xfea", "UTF-8"),
        (".csv", "1," * 20_000, "line 1"),
        (".txt", "0 1 2\n3\n", "line 2"),
        (".txt", b"# c\n0 \xe9\n", "line 2: it is not UTF-8"),
        (".txt", "1 2 {'x': 3}", "networkx"),
        (".gml", "", "no graph"),
        (".gml", "graph [ ]", "no vertices"),
        (".gml", "graph [ node [ id 0 ] node [ id 0 ] ]", "id 0 is duplicated"),
        (".gml", "graph [ node [ id 0 ]", "found EOF"),
        (".gml", "graph [\n node [ label 0 ] ]", "no 'id'"),
        (".gml", "graph [ node [ id 0 ] edge [ source 0 target 1 ] ]", "target 1"),
        (".gml", 'graph [ node [ id 0 ] edge [ source 0 target 0 weight "x" ] ]', "weight='x'"),
        (".gml", "graph " + "[ a " * 100_000, "recursion"),
        (".graphml", '<graphml>\n<graph><node id="a"></graph></graphml>', "line 2"),
        (".graphml", '<graphml><graph><node id="a"/><edge source="a" target="b"/></graph></graphml>', "no node"),
        (".graphml", "<graphml><graph><node/></graph></graphml>", "node id"),
        (".graphml", "<graphml/>", "0 graphs"),
        (".graphml", "<graphml><graph><hyperedge/></graph></graphml>", "hyperedge"),
        (".json", "[1, 2]", "json"),
        (".json", '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "no node"),
        (".net", "*Vertices 1\n1 a\n*Edges\n*Vertices 1\n1 b\n", "line 4"),
        (".net", "*Vertices 1\n0 a\n", "line 2"),
        (".net", "*Vertices 2\n1 a\n*Edges\n1 x\n", "line 4"),
        (".net", "*Vertices 99999999999\n", "claims"),
        (".mtx", BANNER + "2 3 1\n1 1 1\n", "2 x 3"),
        (".mtx", BANNER + "999999999999 999999999999 0\n", "claims"),
        (".mtx", BANNER + "2 2 1\n1 2 nan\n", "mtx"),
        (".mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 1\n", "complex"),
        (".mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n3\n3\n0\n", "array layout"),
        (".mtx", BANNER + "3 3 2\n1 2 1\n", "truncated"),
        (".mtx", BANNER + "3 3 1\n1 2.5 1\n", "mtx"),
        (".mtx", BANNER + "3 3 1\n1 4 1\n", "mtx"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_broken_files(tmp_path, suffix, text, part):
    # GraphError is for weights, which have no line in these formats.
    with pytest.raises((FileFormatError, GraphError)) as error:
        read_text(tmp_path, suffix, text)
    assert f"file{suffix}" in str(error.value)
    assert part.lower() in str(error.value).lower()


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": [0, 1, 99]},
        {"indices": np.array([1, 0, 2**63], "u8")},
        {"indptr": np.array([0, 2**31 - 1, -(2**31), 3], "i4")},
        {"data": [], "indices": np.zeros(0, "i4"), "indptr": np.array([0, 50, 0, 0], "i4")},
        {"shape": [3, 4]},
        {"shape": [10**15, 10**15]},
        {"data": [1.0, np.nan, 1.0]},
        {"names": ["a", "b", "b"]},
        {"directed": [True, False]},
        {"format": b"coo", "row": [0, 1, 2], "col": [0, 1, 3]},
    ],
    ids=lambda changes: json.dumps(changes, default=repr),
)
def test_hostile_npz(changes):
    stream = BytesIO()
    indices = {"indices": np.array([1, 0, 2], "i4"), "indptr": np.arange(4, dtype="i4")}
    np.savez(stream, **({"format": b"csr", "shape": [3, 3], "data": np.ones(3)} | indices | changes))
    with pytest.raises((FileFormatError, GraphError, ArgumentError), match="the stream"):
        lp.read_graph(BytesIO(stream.getvalue()), format="npz")


def test_a_file_that_is_open_as_text_is_refused():
    with pytest.raises(ArgumentTypeError, match="bytes"):
        lp.read_graph(StringIO("a,b"), format="csv")


@pytest.mark.parametrize(
    ("columns", "error"),
    [({"a": [[1], [2]], "b": [1, 2]}, ArgumentTypeError), ({"u": [1, None], "v": [1, 2]}, ArgumentError)],
)
def test_parquet_files_that_are_no_edges(columns, error):
    stream = BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), stream)
    with pytest.raises(error):
        lp.read_graph(BytesIO(stream.getvalue()), format="parquet")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_scipys_own_npz_files(tmp_path, form):
    matrix = sparse.random_array((6, 6), density=0.4, rng=np.random.default_rng(0)).asformat(form)
    sparse.save_npz(tmp_path / "x.npz", matrix)
    np.testing.assert_array_equal(lp.read_graph(tmp_path / "x.npz").matrix.toarray(), matrix.toarray())


@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
def test_scipys_matrix_market_files(tmp_path, field, symmetry):
    values = np.random.default_rng(5).integers(-2, 3, (6, 6)).astype(float)
    mirror = {"general": 0, "symmetric": values.T, "skew-symmetric": -values.T}[symmetry]
    matrix = values + mirror
    if field == "pattern":
        if symmetry == "skew-symmetric":
            pytest.skip("the format has no such files")
        matrix = (matrix != 0).astype(float)
    path = tmp_path / "x.mtx"
    matrix = matrix.astype(int if field == "integer" else float)
    io.mmwrite(path, sparse.coo_array(matrix), field=field, symmetry=symmetry)
    np.testing.assert_array_equal(lp.read_graph(path).matrix.toarray(), matrix)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("form", WHOLE)
@pytest.mark.parametrize("named", [False, True])
def test_no_truncation_passes_for_a_graph(tmp_path, form, zipped, named):
    matrix = sparse.random_array((12, 12), density=0.15, rng=np.random.default_rng(1))
    graph = lp.as_adjacency(matrix + matrix.T, names=[f"vertex{i}" for i in range(12)] if named else None)
    path = tmp_path / f"whole.{form}{'.gz' if zipped else ''}"
    lp.write_graph(graph, path)
    content = path.read_bytes()
    for length in sorted({*range(0, len(content) - 1, max(1, len(content) // 80)), len(content) - 2}):
        path.write_bytes(content[:length])
        with pytest.raises(FileFormatError):
            lp.read_graph(path)


def test_gzip_is_the_same_bytes_every_time(tmp_path):
    graph = lp.from_edges([0, 1], [1, 2])
    for name in ("a.csv.gz", "b.csv.gz"):
        lp.write_graph(graph, tmp_path / name)
    content = (tmp_path / "a.csv.gz").read_bytes()
    assert content == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress(content) == b"source,target\n0,1\n1,2\n"
    assert same(read_text(tmp_path, ".csv", content), graph)


@pytest.mark.parametrize(
    ("names", "form", "error"),
    [
        ([(1, 2), "b"], "csv", ArgumentTypeError),
        ([1, "b"], "npz", ArgumentTypeError),
        (["\ud800", "b"], "csv", ArgumentError),
        (["a\0", "b"], "npz", ArgumentError),
        ([2**70, 1], "npz", ArgumentError),
        (["", "b"], "txt", ArgumentError),
        (["a ", "b"], "csv", ArgumentError),
        (["a\nb", "b"], "csv", ArgumentError),
    ],
)
def test_names_a_file_cannot_hold(tmp_path, names, form, error):
    graph = lp.from_edges([names[0]], [names[1]])
    with pytest.raises(error):
        lp.write_graph(graph, tmp_path / f"g.{form}")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_graph(tmp_path):
    for call in (lp.read_graph, lp.read_labels, partial(lp.write_graph, nx.path_graph(3))):
        with pytest.raises(ArgumentError, match="is a folder"):
            call(tmp_path)


@pytest.mark.parametrize("name", ["nan", "NA"])
def test_a_vertex_called_as_a_missing_value_is_told(tmp_path, name):
    path = tmp_path / "graph.csv"
    path.write_text(f"source,target\na,b\nb,{name}\n")
    with pytest.warns(LpgraphWarning, match=f"graph.csv: a vertex is called '{name}'"):
        assert lp.read_graph(path).names[-1] == name
