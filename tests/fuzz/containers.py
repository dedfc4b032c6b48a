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
_KINDS = ["csr", "csc", "coo", "bsr", "dia"]
_ODD: list[tuple[list[object], pa.DataType]] = [
    *(([None, 1, 2], pa.int32()), ([None, "a", "b"], pa.string()), ([b"\xff", b"a"], pa.binary())),
    *(([[1, 2], []], pa.list_(pa.int32())), ([1, 2], pa.timestamp("ns", "UTC")), ([None], pa.null())),
]


def npz_file(rng: np.random.Generator) -> bytes:
    """Return an archive of a sparse matrix in which arrays are changed, missing or claim other shapes."""
    n = int(rng.integers(1, 12))
    stream = io.BytesIO()
    sparse.save_npz(stream, sparse.random_array((n, n), density=0.4, rng=rng, format=str(rng.choice(_KINDS))))
    with np.load(io.BytesIO(stream.getvalue())) as loaded:
        arrays = dict(loaded)
    if rng.random() < 0.3:
        arrays |= {"names": np.array([f"v{i}" for i in range(n)]), "directed": np.array(bool(rng.integers(2)))}
    for _ in range(rng.integers(4)):
        name = list(arrays)[rng.integers(len(arrays))]
        with contextlib.suppress(TypeError, ValueError, OverflowError), np.errstate(all="ignore"):
            arrays[name] = _changed(arrays[name], rng)
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
    """Return a table of edges with columns of odd types, some of them with one title."""
    m = int(10 ** rng.uniform(0, 4))
    codes = rng.integers(0, 40, m)
    words = pa.array(["x" * int(10 ** rng.uniform(0, 3)) + str(i) for i in range(40)])
    pool = [
        *(pa.array(kind) for kind in (codes, codes * 4e306, codes > 20, codes.astype(np.uint64) << np.uint64(58))),
        pa.DictionaryArray.from_arrays(pa.array(codes), words),
        *(pa.array((values * m)[:m], kind) for values, kind in _ODD),
    ]
    names = ["source", "target", "weight", "source", "label", ""][: rng.integers(1, 7)]
    table = pa.table([pool[rng.integers(len(pool))] for _ in names], names=names)
    packed, version = str(rng.choice(["none", "snappy", "gzip", "zstd"])), str(rng.choice(["1.0", "2.0"]))
    stream = io.BytesIO()
    with contextlib.suppress(pa.ArrowException, OSError):
        pq.write_table(table, stream, row_group_size=m // 2 + 1, compression=packed, data_page_version=version)
    return stream.getvalue()[:_MOST]
