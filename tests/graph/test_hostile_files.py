"""Files made to end the process, to take more memory than they have bytes, or to pass checks."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, FileFormatError

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
    "changes",
    [
        {"data": [], "indices": np.zeros(0, "i4"), "indptr": np.array([0, 50, 0, 0], "i4")},
        {"indptr": np.array([0, 2**31 - 1, -(2**31), 3], "i4")},
        {"indptr": np.array([0, 1, 2, -1], "i4")},
        {"indptr": np.array([-1, 1, 2, 3], "i4")},
        {"indices": np.array([1, 0, 2**63], "u8")},
        {"indices": [0.5, 1.0, 2.0]},
        {"data": np.ones((3, 1))},
        {"data": np.array([1, 2, 3], "M8[s]")},
        {"data": np.array([1, 1, np.longdouble("1e4000")])},
        {"indptr": None},
        {"format": b"bsr"},
        {"format": b"bsr", "data": np.ones((3, 2, 2))},
        {"format": b"coo", "row": [0, 1], "col": [0, 1]},
        {"format": b"coo", "row": [0, 1, 2], "col": [0, 1, 3]},
        {"format": b"dia", "data": np.ones((2, 3)), "offsets": [1, 1]},
        {"format": np.array([b"csr", b"csr"])},
    ],
)
def test_npz_arrays_that_contradict_each_other(changes):
    with pytest.raises(FileFormatError, match="the stream: "):
        read(npz(**changes), "npz")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_format_of_scipy_and_a_bsr_of_larger_blocks(form):
    matrix = sparse.random_array((6, 6), density=0.4, rng=np.random.default_rng(1))
    assert (read(saved(matrix.asformat(form)), "npz").matrix != matrix.tocsr()).nnz == 0
    blocks = sparse.bsr_array(matrix.toarray(), blocksize=(2, 3))
    assert (read(saved(blocks), "npz").matrix != matrix.tocsr()).nnz == 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252", "us-ascii"])
def test_a_doctype_is_refused_in_every_encoding(encoding):
    with pytest.raises(FileFormatError, match="document type definition"):
        read(DOCTYPE.format(encoding).encode(encoding), "graphml")


def test_graphml_in_utf_16_is_read():
    text = '<?xml version="1.0" encoding="utf-16"?><graphml><graph><node id="é"/></graph></graphml>'
    assert list(read(text.encode("utf-16"), "graphml").names) == ["é"]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"<graphml>" + b"<a>" * 10**6, "damaged XML"),
        (b"<graphml " + b"".join(b"a%d='' " % k for k in range(200_000)) + b"/>", "no <graph>"),
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
        (b"graph [ node [ id 1 " + b"".join(b"a%d 1 " % k for k in range(20_000)), "gml", "it is truncated"),
        (b"1," * 20_000, "csv", "more than 10000 columns"),
        (b"1 " * 20_000, "txt", "more than 10000 columns"),
        (b"1 2 {'weight': 1" + b"0" * 400 + b"}", "txt", "is no dict of numbers"),
        (b"1 2 {'weight': 0x" + b"f" * 20_000 + b"}", "txt", "is no dict of numbers"),
        (b"1 2 {'x': " + b"[" * 60_000 + b"}", "txt", "is no dict of numbers"),
    ],
    ids=["digits", "keys", "columns", "words", "weight", "hexadecimal weight", "dict"],
)
def test_text_beyond_all_measure(content, form, match):
    with pytest.raises(FileFormatError, match=match):
        read(content, form)


def test_an_unbuffered_stream_is_read_to_its_end():
    class Slow(io.RawIOBase):
        left = b"1,2\n2,3\n3,4\n"

        def read(self, size=-1):
            piece, self.left = self.left[:5], self.left[5:]
            return piece

    assert lp.read_graph(Slow(), format="csv").n_edges == 3


def parquet(columns, names=("source", "target"), times=1, **options):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table(columns, names=list(names))
    stream = io.BytesIO()
    with pq.ParquetWriter(stream, table.schema, **options) as writer:
        for _ in range(times):
            writer.write_table(table)
    return stream.getvalue()


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
    with pytest.raises(ArgumentError, match="title of two columns"):
        lp.read_labels(io.BytesIO(content), format="csv", column="label")


def test_a_nested_column():
    pytest.importorskip("pyarrow")
    content = parquet([[[1], [2]], [1, 2]])
    with pytest.raises(FileFormatError, match="nested values in 'source'"):
        read(content, "parquet")
