"""npz archives and Parquet files with odd contents, whose checksums are right."""

from __future__ import annotations

import contextlib
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

#: Files have at most this size.
_MOST = 1_000_000
_LIMITS = [-1, 0, 1, 2, 50, 2**31 - 1, 2**31, 2**32, 2**62, -(2**31), -(2**63), 2**63 - 1]
_DTYPES = ["i1", "u1", "i4", ">i4", "i8", "u8", "f2", "f4", "f8", ">f8", "f16", "c16", "S3", "U2", "M8[s]", "?"]
_KINDS = ["csr", "csc", "coo", "bsr", "dia", "lil", "x"]


def npz_file(rng: np.random.Generator) -> bytes:
    """Return an archive of a sparse matrix in which arrays are changed, missing or claim other shapes."""
    n = int(rng.integers(1, 12))
    stream = io.BytesIO()
    matrix = sparse.random_array((n, n), density=0.4, rng=rng).asformat(_KINDS[rng.integers(5)])
    sparse.save_npz(stream, matrix)
    stream.seek(0)
    with np.load(stream) as loaded:
        arrays = dict(loaded)
    if rng.random() < 0.3:
        arrays |= {"names": np.array([f"v{i}" for i in range(n)]), "directed": np.array(bool(rng.integers(2)))}
    for _ in range(int(rng.integers(0, 4))):
        name = list(arrays)[rng.integers(len(arrays))]
        with contextlib.suppress(TypeError, ValueError, OverflowError), np.errstate(all="ignore"):
            arrays[name] = _changed(arrays[name], rng)
    if rng.random() < 0.2:
        arrays["format"] = np.array(_KINDS[rng.integers(7)])
    if rng.random() < 0.1:
        arrays.pop(list(arrays)[rng.integers(len(arrays))])
    return _archive(arrays, rng)


def _changed(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an array with other values, another type or another shape."""
    kind = rng.integers(6)
    if kind <= 2 and array.size and array.dtype.kind in "iuf":
        array = array.copy()
        value = _LIMITS[rng.integers(len(_LIMITS))]
        array.flat[rng.integers(array.size)] = np.nan if array.dtype.kind == "f" and rng.random() < 0.3 else value
        return array
    if kind == 3:
        return array.astype(_DTYPES[rng.integers(len(_DTYPES))])
    if kind == 4:
        return np.resize(array, [(0,), (1,), (2, 2), (0, 3), (1, 1, 1), (3, 0, 2)][rng.integers(6)])
    return np.repeat(array, int(10 ** rng.uniform(0, 6)) // max(1, array.size) + 1)


def _archive(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> bytes:
    method = zipfile.ZIP_DEFLATED if rng.random() < 0.9 else int(rng.choice([0, 12, 14]))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            claimed = b"(%d, " % _LIMITS[rng.integers(len(_LIMITS))] if rng.random() < 0.03 else b"("
            archive.writestr(f"{name}.npy", content.getvalue().replace(b"(", claimed, 1))
    return stream.getvalue()


def parquet_file(rng: np.random.Generator) -> bytes:
    """Return a table of edges with columns of odd types, written in one of the ways there are."""
    m = int(10 ** (rng.uniform(0, 2.5) if rng.random() < 0.95 else rng.uniform(3, 5)))
    pool = _columns(m, rng)
    titles = ["source", "target", "weight", "source", "label", "a.b", "x", ""]
    count = int(rng.integers(1, 5))
    names = titles[:count] if rng.random() < 0.7 else [titles[rng.integers(len(titles))] for _ in range(count)]
    table = pa.table([pool[rng.integers(len(pool))] for _ in names], names=names)
    if rng.random() < 0.1:
        metadata = b'lpgraph {"directed": true, "vertices": 50, "edges": %d}' % m
        table = table.replace_schema_metadata({"lpgraph": metadata})
    stream = io.BytesIO()
    with contextlib.suppress(pa.ArrowException, OSError, ValueError, TypeError, KeyError):
        pq.write_table(
            table,
            stream,
            row_group_size=max(1, m // int(rng.integers(1, 5))),
            compression=["none", "snappy", "gzip", "zstd", "brotli", "lz4"][rng.integers(6)],
            data_page_version=["1.0", "2.0"][rng.integers(2)],
            write_page_checksum=bool(rng.integers(2)),
            store_schema=bool(rng.integers(2)),
            use_dictionary=bool(rng.integers(2)),
        )
    return stream.getvalue()[:_MOST]


def _columns(m: int, rng: np.random.Generator) -> list[pa.Array]:
    """Return columns of m values."""
    codes = np.resize(rng.integers(0, 40, min(m, 1000)), m)
    words = pa.array(["x" * int(10 ** rng.uniform(0, 3)) + str(i) for i in range(40)])
    padded = [
        ([None, 1, 2], pa.int32()),
        ([None, "a", "b"], pa.string()),
        ([b"\xff", b"a"], pa.binary()),
        ([[1, 2], []], pa.list_(pa.int32())),
        ([{"b": 1}], pa.struct([("b", pa.int32())])),
        ([1, 2], pa.timestamp("ns", "UTC")),
        ([1, 2], pa.decimal128(20, 3)),
        ([1.0, 2.0], pa.float16()),
        (["a", "b"], pa.large_string()),
        ([None], pa.null()),
    ]
    return [
        *(pa.array(kind) for kind in (codes, codes, codes.astype(np.int8), codes * 0.5, codes > 20)),
        pa.array(codes.astype(np.uint64) << np.uint64(58)),
        pa.array(np.where(codes == 3, np.nan, codes * 4e306)),
        *(pa.DictionaryArray.from_arrays(pa.array(codes), values) for values in (words, pa.array(np.arange(40)))),
        words.take(pa.array(codes)) if m < 10_000 else pa.array(codes),
        *(pa.array((values * (m // len(values) + 1))[:m], kind) for values, kind in padded if m < 1000),
    ]
