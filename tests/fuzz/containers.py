"""npz archives and Parquet files with odd contents, whose checksums are right."""

from __future__ import annotations

import contextlib
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

__all__ = ["npz_file", "parquet_file"]

#: Files have at most this size.
_MOST = 1_000_000
_LIMITS = [-1, 0, 1, 2, 50, 2**31 - 1, 2**31, 2**32, 2**62, -(2**31), -(2**63), 2**63 - 1]
_DTYPES = [
    "i1",
    "u1",
    "i4",
    "u4",
    ">i4",
    "i8",
    "u8",
    "f2",
    "f4",
    "f8",
    ">f8",
    "f16",
    "c16",
    "S3",
    "U2",
    "M8[s]",
    "?",
]


def npz_file(rng: np.random.Generator) -> bytes:
    """Return an archive of a sparse matrix in which arrays are changed, missing or claim other shapes."""
    kind = ("csr", "csc", "coo", "bsr", "dia")[rng.integers(5)]
    n = int(rng.integers(1, 12))
    matrix = sparse.random_array((n, n), density=0.4, rng=rng).asformat(kind)
    stream = io.BytesIO()
    sparse.save_npz(stream, matrix)
    stream.seek(0)
    with np.load(stream) as loaded:
        arrays = dict(loaded)
    if rng.random() < 0.3:
        arrays["names"] = np.array([f"v{i}" for i in range(n)])
        arrays["directed"] = np.array(bool(rng.integers(2)))
    for _ in range(int(rng.integers(0, 4))):
        name = list(arrays)[rng.integers(len(arrays))]
        arrays[name] = _changed(arrays[name], rng)
    if rng.random() < 0.2:
        arrays["format"] = np.array(["csr", "csc", "coo", "bsr", "dia", "lil", "x"][rng.integers(7)])
    if rng.random() < 0.1:
        arrays.pop(list(arrays)[rng.integers(len(arrays))])
    return _archive(arrays, rng)


def _changed(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an array with other values, another type or another shape."""
    kind = rng.integers(6)
    if kind <= 2 and array.size and array.dtype.kind in "iuf":
        array = array.copy()
        value = _LIMITS[rng.integers(len(_LIMITS))]
        info = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
        value = value if info is None else int(np.clip(value, info.min, info.max))
        with contextlib.suppress(ValueError, OverflowError), np.errstate(all="ignore"):
            array.flat[rng.integers(array.size)] = np.nan if info is None and rng.random() < 0.3 else value
        return array
    if kind == 3:
        with np.errstate(all="ignore"):
            try:
                return array.astype(_DTYPES[rng.integers(len(_DTYPES))])
            except (TypeError, ValueError):
                return array
    if kind == 4:
        shape = [(0,), (1,), (2, 2), (0, 3), (1, 1, 1), (3, 0, 2)][rng.integers(6)]
        return np.resize(array, shape)
    return np.repeat(array, int(10 ** rng.uniform(0, 6)) // max(1, array.size) + 1)


def _archive(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> bytes:
    method = zipfile.ZIP_DEFLATED if rng.random() < 0.9 else int(rng.choice([0, 12, 14]))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            member = content.getvalue()
            if rng.random() < 0.03:
                claimed = str(int(_LIMITS[rng.integers(len(_LIMITS))])).encode()
                member = member.replace(b"(", b"(" + claimed + b", ", 1)
            archive.writestr(f"{name}.npy", member)
    return stream.getvalue()


def parquet_file(rng: np.random.Generator) -> bytes:
    """Return a table of edges with columns of odd types, written in one of the ways there are."""
    m = int(10 ** (rng.uniform(0, 2.5) if rng.random() < 0.95 else rng.uniform(3, 5)))
    groups = 1 if rng.random() < 0.95 else int(10 ** rng.uniform(0, 3))
    pool = _columns(m, rng)
    titles = ["source", "target", "weight", "source", "label", "a.b", "x", ""]
    count = int(rng.integers(1, 5))
    names = titles[:count] if rng.random() < 0.7 else [titles[rng.integers(len(titles))] for _ in range(count)]
    columns = [pool[rng.integers(len(pool))]() for _ in names]
    metadata = {"lpgraph": b'lpgraph {"directed": true, "vertices": 50, "edges": %d}' % m}
    table = pa.table(columns, names=names)
    if rng.random() < 0.1:
        table = table.replace_schema_metadata(metadata)
    stream = io.BytesIO()
    size = max(1, m // int(rng.integers(1, 5)))
    options: dict[str, object] = {
        "compression": ["none", "snappy", "gzip", "zstd", "brotli", "lz4"][rng.integers(6)],
        "data_page_version": ["1.0", "2.0"][rng.integers(2)],
        "write_page_checksum": bool(rng.integers(2)),
        "store_schema": bool(rng.integers(2)),
        "use_dictionary": bool(rng.integers(2)),
    }
    if rng.random() < 0.2 and len(set(names)) == len(names):
        options |= {
            "use_dictionary": False,
            "column_encoding": {names[0]: _ENCODINGS[rng.integers(len(_ENCODINGS))]},
        }
    try:
        with pq.ParquetWriter(stream, table.schema, **options) as writer:
            for _ in range(groups):
                writer.write_table(table, size)
                if stream.tell() > _MOST:
                    return parquet_file(rng)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError):
        return parquet_file(rng)
    return stream.getvalue() if stream.tell() <= _MOST else parquet_file(rng)


_ENCODINGS = ["PLAIN", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"]


def _columns(m: int, rng: np.random.Generator) -> list:
    """Return makers of columns of m values."""
    few = rng.integers(0, 40, min(m, 1000))
    codes = np.resize(few, m)
    words = pa.array([f"v{i}" for i in range(40)])
    long = pa.array(["x" * int(10 ** rng.uniform(0, 5)) + str(i) for i in range(40)])
    short = few[: min(m, 300)].tolist()

    def padded(values: list, kind: pa.DataType) -> pa.Array:
        return pa.array((values * (m // len(values) + 1))[:m], kind) if m < 1000 else pa.nulls(m, kind)

    return [
        lambda: pa.array(codes),
        lambda: pa.array(codes),
        lambda: pa.array(codes.astype(np.int8)),
        lambda: pa.array(codes.astype(np.uint64) << np.uint64(58)),
        lambda: pa.array(codes * 0.5),
        lambda: pa.array(np.where(codes == 3, np.nan, codes * 4e306)),
        lambda: pa.array(codes > 20),
        lambda: pa.DictionaryArray.from_arrays(pa.array(codes), words),
        lambda: pa.DictionaryArray.from_arrays(pa.array(codes), words),
        lambda: pa.DictionaryArray.from_arrays(pa.array(codes), long if m < 300 else words),
        lambda: pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(np.arange(40))),
        lambda: words.take(pa.array(codes)) if m < 10_000 else pa.array(codes),
        lambda: long.take(pa.array(short[:m] or [0])) if m <= len(short) else pa.array(codes),
        lambda: padded([None, 1, 2], pa.int32()),
        lambda: padded([None, "a", "b"], pa.string()),
        lambda: padded([b"\xff", b"a"], pa.binary()),
        lambda: padded([b"abc"], pa.binary(3)),
        lambda: padded([[1, 2], []], pa.list_(pa.int32())),
        lambda: padded([{"b": 1}], pa.struct([("b", pa.int32())])),
        lambda: padded([1, 2], pa.timestamp("ns", "UTC")),
        lambda: padded([1, 2], pa.decimal128(20, 3)),
        lambda: padded([1, 2], pa.date32()),
        lambda: padded([1.0, 2.0], pa.float16()),
        lambda: padded([0, 1], pa.duration("s")),
        lambda: padded(["a", "b"], pa.large_string()),
        lambda: pa.nulls(m),
    ]
