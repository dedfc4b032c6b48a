"""Small files that would take gigabytes or minutes if a reader believed them: one maker for each."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fuzz.files import read_file

__all__ = ["BOMBS", "FOLDER", "read_bomb", "write_bombs"]

#: Environment variable with the folder of the files; a maker may itself take the memory that a reader may not.
FOLDER = "LPGRAPH_BOMBS"
_COORDINATES = b"%%MatrixMarket matrix coordinate pattern general\n"


def _gz(piece: bytes, start: bytes, size: int) -> bytes:
    """Return gzipped content of about a size: the piece, again and again."""
    packer = zlib.compressobj(6, wbits=31)
    block = piece * max(1, 10**6 // len(piece))
    packed = [packer.compress(start), *(packer.compress(block) for _ in range(size // len(block))), packer.flush()]
    return b"".join(packed)


def _graphml(body: bytes) -> bytes:
    return b"<graphml>" + body + b"</graphml>"


def _defaults() -> bytes:
    keys = b"".join(b'<key id="%d" for="node"><default/></key>' % k for k in range(10_000))
    return _graphml(keys + b"<graph>" + b"".join(b'<node id="%d"/>' % k for k in range(30_000)) + b"</graph>")


def _keys_of_their_own() -> bytes:
    return b"graph [" + b"".join(b"node[id %d a%d 1]" % (k, k) for k in range(40_000)) + b"]"


def _laughs(encoding: str) -> bytes:
    entities = "".join(f'<!ENTITY x{k} "{f"&x{k - 1};" * 10}">' for k in range(1, 12))
    text = f'<!DOCTYPE a [<!ENTITY x0 "ha">{entities}]><graphml><graph><node id="&x11;"/></graph></graphml>'
    return f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)


def _npz(**members: tuple[str, str, int]) -> bytes:
    """Return an archive of zeros: type, shape and number of bytes of each member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in (("format", np.array("csr")), ("shape", np.array([3, 3]))):
            content = io.BytesIO()
            np.lib.format.write_array(content, value)
            archive.writestr(f"{name}.npy", content.getvalue())
        for name, (kind, shape, size) in members.items():
            header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
                for _ in range(size // 10**6):
                    file.write(bytes(10**6))
    return stream.getvalue()


def _parquet(groups: int, column: object, **options: object) -> bytes:
    stream = io.BytesIO()
    table = pa.table({"source": column, "target": column})
    with pq.ParquetWriter(stream, table.schema, **options) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return stream.getvalue()


#: Format, use, beginning and repeated piece of gzipped files.
_REPEATED = {
    "blank lines": ("csv", "graph", b"", b"\n"),
    "comments": ("csv", "graph", b"", b"#a\n"),
    "edges": ("csv", "graph", b"", b"1,2\n"),
    "texts": ("tsv", "graph", b"", b"ab\tcd\n"),
    "columns": ("csv", "graph", b"", b"1,"),
    "words": ("txt", "graph", b"", b"1 "),
    "dicts": ("txt", "graph", b"", b"1 2 {}\n"),
    "names": ("csv", "graph", b'# lpgraph {"directed": false}\n# names [', b'"a",'),
    "one line": ("csv", "graph", b"", "\U0001f600".encode()),
    "entries": ("mtx", "graph", _COORDINATES + b"3 3 75000000\n", b"1 1\n"),
    "lists": ("gml", "graph", b"graph [", b"a["),
    "nodes": ("gml", "graph", b"graph [", b"node[id 1]"),
    "elements": ("graphml", "graph", b"<graphml>", b"<a>"),
    "tag": ("graphml", "graph", b"<graphml ", b'a=">" '),
    "edges of graphml": ("graphml", "graph", b"<graphml><graph>", b'<edge source="1" target="2"/>'),
    "labels": ("csv", "labels", b"", b"a,b\n"),
    "numbers": ("csv", "table", b"", b"1,2\n"),
}
#: Format, use and maker of each file. Of the gzipped ones, the larger are refused before they are read.
BOMBS: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "long dict": ("txt", "graph", lambda: b"1 2 {'x': [" + b"1," * 400_000 + b"]}\n"),
    "vertices": ("mtx", "graph", lambda: _COORDINATES + b"999999999 999999999 1\n1 1\n"),
    "keys": ("gml", "graph", lambda: _keys_of_their_own()),
    "digits": ("gml", "graph", lambda: b"graph [ node [ id " + b"1" * 900_000 + b"x ] ]"),
    "defaults": ("graphml", "graph", _defaults),
    "entities": ("graphml", "graph", lambda: _laughs("utf-8")),
    "entities in UTF-16": ("graphml", "graph", lambda: _laughs("utf-16")),
    "zeros": ("npz", "graph", lambda: _npz(data=("<f8", "(100000000,)", 8 * 10**8))),
    "names of npz": ("npz", "graph", lambda: _npz(names=("<U1", "(100000000,)", 4 * 10**8))),
    "empty names": ("npz", "graph", lambda: _npz(names=("<U0", "(1000000000000,)", 0))),
    "rows": ("parquet", "graph", lambda: _parquet(300, pa.array(np.zeros(10**6, dtype=int)))),
    "long texts": ("parquet", "graph", lambda: _parquet(1, pa.array(["x" * 10**8]), compression="zstd")),
    "one text": (
        "parquet",
        "labels",
        lambda: _parquet(1, pa.DictionaryArray.from_arrays(np.zeros(10**5, dtype=int), ["x" * 10**5])),
    ),
    "prefixes": (
        "parquet",
        "graph",
        lambda: _parquet(
            *(1, pa.array(["x" * 10**5] * 10**4)),
            use_dictionary=False,
            column_encoding=dict.fromkeys(("source", "target"), "DELTA_BYTE_ARRAY"),
        ),
    ),
    "rows of numbers": ("parquet", "table", lambda: _parquet(300, pa.array(np.zeros(10**6)))),
    **{
        f"{name}, {size // 10**6} MB": (form, way, partial(_gz, piece, start, size))
        for name, (form, way, start, piece) in _REPEATED.items()
        for size in (3 * 10**7, 3 * 10**8)
    },
}


def write_bombs(folder: Path) -> Iterator[str]:
    """Write the files into a folder, and yield their names."""
    for name, (_, _, make) in BOMBS.items():
        (folder / name).write_bytes(make())
        yield name


def read_bomb(seed: int) -> int:
    """Read the file of a number; it must be refused or take little."""
    name, (form, way, _) = list(BOMBS.items())[seed]
    content = (Path(os.environ[FOLDER]) / name).read_bytes()
    read_file(content, form, way, {})
    return min(len(content), 10**6)
