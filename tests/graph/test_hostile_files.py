"""Files made to end the process, to take more memory than they have bytes, or to pass checks."""

from __future__ import annotations

import gzip
import io
import re
import zipfile

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.files.memory import default_limit

MTX = b"%%MatrixMarket matrix coordinate pattern general\n"
DOCTYPE = (
    '<?xml version="1.0" encoding="{}"?><!DOCTYPE a [<!ENTITY x "y">]>'
    '<graphml><graph><node id="&x;"/></graph></graphml>'
)


def npz(**changes):
    arrays = {
        "format": b"csr",
        "shape": [3, 3],
        "data": np.ones(3),
        "indices": np.array([1, 0, 2], "i4"),
        "indptr": np.array([0, 1, 2, 3], "i4"),
    }
    stream = io.BytesIO()
    np.savez(stream, **{name: value for name, value in (arrays | changes).items() if value is not None})
    return stream.getvalue()


def saved(matrix):
    stream = io.BytesIO()
    sparse.save_npz(stream, matrix)
    return stream.getvalue()


def read(content, form, **options):
    return lp.read_graph(io.BytesIO(content), format=form, **options)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"data": [], "indices": np.zeros(0, "i4"), "indptr": np.array([0, 50, 0, 0], "i4")}, "indptr decreases"),
        ({"indptr": np.array([0, 2**31 - 1, -(2**31), 3], "i4")}, "indptr decreases"),
        ({"indptr": np.array([0, 1, 2, -1], "i4")}, "indptr ends with -1"),
        ({"indptr": np.array([-1, 1, 2, 3], "i4")}, "indptr begins with -1"),
        ({"indices": np.array([1, 0, 2**63], "u8")}, "has the index -9223372036854775808"),
        ({"indices": [0.5, 1.0, 2.0]}, "no list of integers"),
        ({"data": np.ones((3, 1))}, "should have 1 dimensions"),
        ({"data": np.array([1, 2, 3], "M8[s]")}, "an array has shape"),
        ({"data": np.array([1, 1, np.longdouble("1e4000")])}, "not a finite number"),
        ({"indptr": None}, "has no array 'indptr'"),
        ({"format": b"bsr"}, "should have 3 dimensions"),
        ({"format": b"bsr", "data": np.ones((3, 2, 2))}, r"blocks have shape \(2, 2\)"),
        ({"format": b"coo", "row": [0, 1], "col": [0, 1]}, r"row has shape \(2,\)"),
        ({"format": b"coo", "row": [0, 1, 2], "col": [0, 1, 3]}, "col has 0 and 3"),
        ({"format": b"dia", "data": np.ones((2, 3)), "offsets": [1, 1]}, "not as many different integers"),
        ({"format": np.array([b"csr", b"csr"])}, "its format is"),
    ],
)
def test_npz_arrays_that_contradict_each_other(changes, match):
    with pytest.raises(FileFormatError, match=match):
        read(npz(**changes), "npz")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_format_of_scipy_and_a_bsr_of_larger_blocks(form):
    matrix = sparse.random_array((6, 6), density=0.4, rng=np.random.default_rng(1))
    assert (read(saved(matrix.asformat(form)), "npz").matrix != matrix.tocsr()).nnz == 0
    blocks = sparse.bsr_array(matrix.toarray(), blocksize=(2, 3))
    assert (read(saved(blocks), "npz").matrix != matrix.tocsr()).nnz == 0


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_npz_compression_that_numpy_does_not_write(method):
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(npz())) as old, zipfile.ZipFile(stream, "w", method) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with pytest.raises(FileFormatError, match="compressed by method"):
        read(stream.getvalue(), "npz")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252", "us-ascii"])
def test_a_doctype_is_refused_in_every_encoding(encoding):
    with pytest.raises(FileFormatError, match="document type definition"):
        read(DOCTYPE.format(encoding).encode(encoding), "graphml")


def test_graphml_in_utf_16_is_read():
    text = '<?xml version="1.0" encoding="utf-16"?><graphml><graph><node id="é"/></graph></graphml>'
    assert read(text.encode("utf-16"), "graphml").names == ("é",)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"<graphml>" + b"<a>" * 200, "nested more than 100 deep"),
        (b"<graphml " + b"".join(b"a%d='' " % k for k in range(200_000)) + b"/>", "a tag of more than"),
        (b"<?xml version='1.0' encoding='unicode_escape'?><graphml/>", "its encoding is 'unicode_escape'"),
    ],
)
def test_graphml_beyond_all_measure(text, match):
    with pytest.raises(FileFormatError, match=match):
        read(text, "graphml")


@pytest.mark.parametrize(
    ("content", "form", "match"),
    [
        (b"graph [ node [ id " + b"1" * 300_000 + b"x ] ]", "gml", "is not GML"),
        (b"graph [ node [ id 1 " + b"".join(b"a%d 1 " % k for k in range(20_000)), "gml", "more than 10000 keys"),
        (b"1," * 20_000, "csv", "more than 10000 columns"),
        (b"1 " * 20_000, "txt", "more than 10000 columns"),
        (b"1 2 {'weight': 1" + b"0" * 400 + b"}", "txt", "is not a finite number"),
        (b"1 2 {'weight': 0x" + b"f" * 20_000 + b"}", "txt", "the weight a large int is not a finite number"),
        (b"1 2 {'x': [" + b"1," * 60_000 + b"]}", "txt", "more than 100000 characters"),
    ],
    ids=["digits", "keys", "columns", "words", "weight", "hexadecimal weight", "dict"],
)
def test_text_beyond_all_measure(content, form, match):
    with pytest.raises(FileFormatError, match=match):
        read(content, form)


def limited():
    """Sound files of all kinds, each with a limit that is too small for it."""
    edges = b"".join(b"v%d,w%d\n" % (k, k % 97) for k in range(3000))
    graph = lp.from_edges([f"v{k}" for k in range(3000)], [f"w{k % 97}" for k in range(3000)])
    yield "csv", gzip.compress(edges), 50_000
    yield "csv", edges, len(edges)
    yield "csv", edges, 300_000
    yield "csv", b"".join(b"%d,%d\n" % (k, k + 1) for k in range(3000)), 300_000
    yield "txt", b"".join(b"v%d w%d {}\n" % (k, k) for k in range(3000)), 300_000
    yield "mtx", MTX + b"3000000 3000000 1\n1 1\n", 10**8
    yield "txt", b'# lpgraph {"directed": false, "vertices": 3000000, "edges": 1}\n0 1\n', 10**8
    for form in ("graphml", "gml", "mtx", "npz", "parquet"):
        stream = io.BytesIO()
        lp.write_graph(graph, stream, format=form)
        yield form, stream.getvalue(), 7 * len(stream.getvalue())


@pytest.mark.parametrize(("form", "content", "limit"), list(limited()))
@pytest.mark.filterwarnings("ignore:.*is it a table of labels")
def test_the_limit_that_an_error_names_suffices(form, content, limit):
    with pytest.raises(FileFormatError, match="max_bytes is") as error:
        read(content, form, max_bytes=limit)
    enough = int(re.search(r"pass max_bytes=(\d+)", str(error.value))[1])
    assert limit < enough
    assert read(content, form, max_bytes=enough).n_vertices == read(content, form).n_vertices


def test_labels_are_read_within_a_limit():
    content = gzip.compress(b"".join(b"v%d,%d\n" % (k, k % 3) for k in range(3000)))
    for limit in (20_000, 400_000):
        with pytest.raises(FileFormatError, match="max_bytes is") as error:
            lp.read_labels(io.BytesIO(content), format="csv", max_bytes=limit)
        enough = int(re.search(r"pass max_bytes=(\d+)", str(error.value))[1])
        assert len(lp.read_labels(io.BytesIO(content), format="csv", max_bytes=enough)) == 3000


def test_a_file_longer_than_the_limit_is_not_read(tmp_path):
    path = tmp_path / "g.csv"
    path.write_bytes(b"1,2\n" * 1000)
    with pytest.raises(FileFormatError, match="more than max_bytes=1000 bytes"):
        lp.read_graph(path, max_bytes=1000)
    with pytest.raises(ArgumentError, match="max_bytes=0"):
        lp.read_graph(path, max_bytes=0)


def test_an_unbuffered_stream_is_read_to_its_end():
    class Slow(io.RawIOBase):
        left = b"1,2\n2,3\n3,4\n"

        def read(self, size=-1):
            piece, self.left = self.left[:5], self.left[5:]
            return piece

    assert lp.read_graph(Slow(), format="csv", max_bytes=10**6).n_edges == 3


def test_the_default_limit():
    assert default_limit(10) == default_limit(10**6) == 200 * 10**6
    assert default_limit(10**8) == 200 * 10**8


@pytest.mark.parametrize("zeros", [3 * 10**7, 3 * 10**8])
def test_a_gzip_bomb(zeros):
    content = gzip.compress(b"1,2\n" * (zeros // 4), compresslevel=1)
    with pytest.raises(FileFormatError, match="max_bytes is"):
        read(content, "csv")


def test_a_real_gzip_of_high_ratio_is_read():
    lines = b"".join(b"customer-%05d,product-%05d\n" % (k % 5000, k // 50) for k in range(200_000))
    content = gzip.compress(lines)
    assert len(lines) > 10 * len(content)
    assert read(content, "csv", header=False).n_edges == 200_000


def test_an_archive_bomb():
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000,), }\n"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in (("format", np.array("csr")), ("shape", np.array([3, 3]))):
            array = io.BytesIO()
            np.lib.format.write_array(array, value)
            archive.writestr(f"{name}.npy", array.getvalue())
        archive.writestr("data.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(FileFormatError, match=r"takes up to 8000000\d\d bytes"):
        read(stream.getvalue(), "npz")
    with pytest.raises(FileFormatError, match="has not the 800000000 bytes"):
        read(stream.getvalue(), "npz", max_bytes=10**9)


def parquet(columns, names=("source", "target"), times=1, **options):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table(columns, names=list(names))
    stream = io.BytesIO()
    with pq.ParquetWriter(stream, table.schema, **options) as writer:
        for _ in range(times):
            writer.write_table(table)
    return stream.getvalue()


def test_parquet_that_unpacks_to_much():
    zeros = np.zeros(10**5, dtype=int)
    with pytest.raises(FileFormatError, match=r"takes up to \d{9} bytes"):
        read(parquet([zeros, zeros], times=30), "parquet", max_bytes=10**7)
    texts = ["x" * 10**7]
    with pytest.raises(FileFormatError, match=r"takes up to 40\d{6} bytes"):
        read(parquet([texts, texts], compression="zstd"), "parquet", max_bytes=10**7)
    prefixes = ["x" * 10**4] * 1000
    encoding = {
        "use_dictionary": False,
        "column_encoding": dict.fromkeys(("source", "target"), "DELTA_BYTE_ARRAY"),
    }
    with pytest.raises(FileFormatError, match=r"takes up to \d{11} bytes"):
        read(parquet([prefixes, prefixes], **encoding), "parquet", max_bytes=10**7)


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_parquet_texts_whose_pages_say_their_number_themselves(encoding):
    """pyarrow would take gigabytes if the number within a page of a few bytes is large."""
    columns = [["a", "b", "a"], ["b", "c", "c"]]
    encodings = dict.fromkeys(("source", "target"), encoding)
    content = parquet(columns, use_dictionary=False, column_encoding=encodings)
    with pytest.raises(FileFormatError, match="max_bytes is") as error:
        read(content, "parquet")
    enough = int(re.search(r"pass max_bytes=(\d+)", str(error.value))[1])
    assert read(content, "parquet", max_bytes=enough).names == ("a", "b", "c")


def test_a_long_name_repeated_in_parquet_is_one_object():
    name = "x" * 10**4
    content = parquet([[name] * 5000, ["y"] * 5000])
    graph = read(content, "parquet", max_bytes=10**7)
    assert graph.names == (name, "y")
    assert graph.matrix.sum() == 10_000


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("source", "target", "weight", "weight"), {}),
        (("a", "b", "weight", "a"), {"source": "a", "target": "b"}),
        (("a", "a"), {}),
    ],
)
def test_two_columns_of_one_title(names, options):
    columns = [[1, 2]] * len(names)
    twice = next(name for name in names if names.count(name) > 1)
    with pytest.raises(ArgumentError, match=f"'{twice}'"):
        read(parquet(columns, names), "parquet", **options)
    text = ",".join(names).encode() + b"\n" + b",".join([b"1"] * len(names)) + b"\n"
    with pytest.raises(ArgumentError, match=f"'{twice}'"):
        read(text, "csv", header=True, **options)
    for module in ("pandas", "pyarrow"):
        library = pytest.importorskip(module)
        table = (
            library.DataFrame([[1] * len(names)], columns=list(names))
            if module == "pandas"
            else library.table(columns, names=list(names))
        )
        with pytest.raises(ArgumentError, match=f"graph has two columns '{twice}'"):
            lp.as_adjacency(table)


def test_two_columns_of_labels_of_one_title():
    content = b"vertex,label,label\na,1,2\n"
    with pytest.raises(ArgumentError, match="two columns 'label'"):
        lp.read_labels(io.BytesIO(content), format="csv", column="label")


def test_a_nested_column():
    pytest.importorskip("pyarrow")
    content = parquet([[[1], [2]], [1, 2]])
    with pytest.raises(FileFormatError, match="nested values in 'source'"):
        read(content, "parquet")
