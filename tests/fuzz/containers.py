"""npz archives and Parquet files with odd contents, whose checksums are right."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

_LIMITS = [-1, 0, 1, 2, 50, 2**31 - 1, 2**31, 2**32, 2**62, -(2**31), -(2**63), 2**63 - 1]
_DTYPES = ["i1", "u1", "i4", ">i4", "i8", "u8", "f2", "f4", "f8", ">f8", "f16", "c16", "S3", "U2", "M8[s]", "?"]
_KINDS = ["csr", "csc", "coo", "bsr", "dia"]
_ODD: list[tuple[list[object], pa.DataType]] = [
    *(([None, 1, 2], pa.int32()), ([None, "a", "b"], pa.string()), ([b"\xff", b"a"], pa.binary())),
    *(([[1, 2], []], pa.list_(pa.int32())), ([1, 2], pa.timestamp("ns", "UTC")), ([None], pa.null())),
]


def npz_file(rng: np.random.Generator) -> bytes:
    """Return an archive of a sparse matrix in which arrays are changed."""
    n = int(rng.integers(1, 12))
    stream = io.BytesIO()
    sparse.save_npz(stream, sparse.random_array((n, n), density=0.4, rng=rng, format=str(rng.choice(_KINDS))))
    with np.load(io.BytesIO(stream.getvalue())) as loaded:
        arrays = dict(loaded)
    for name in rng.choice(list(arrays), size=rng.integers(4)):
        with contextlib.suppress(TypeError, ValueError, OverflowError), np.errstate(all="ignore"):
            arrays[name] = _changed(arrays[name], rng)
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _changed(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an array with another value, another type, another shape or more entries."""
    kind = rng.integers(6)
    if kind <= 2 and array.size and array.dtype.kind in "iuf":
        array = array.copy()
        array.flat[rng.integers(array.size)] = _LIMITS[rng.integers(len(_LIMITS))]
        return array
    if kind == 3:
        return array.astype(_DTYPES[rng.integers(len(_DTYPES))])
    if kind == 4:
        return np.resize(array, [(0,), (1,), (2, 2), (0, 3), (1, 1, 1), (3, 0, 2)][rng.integers(6)])
    return np.repeat(array, int(10 ** rng.uniform(0, 6)) // max(1, array.size) + 1)


def parquet_file(rng: np.random.Generator) -> bytes:
    """Return a table of edges with columns of odd types, some of them with one title."""
    codes = rng.integers(0, 40, int(10 ** rng.uniform(0, 4)))
    numbers = (codes, codes * 4e306, codes > 20, codes.astype(np.uint64) << np.uint64(58))
    pool = [pa.array(values) for values in numbers]
    pool += [pa.array((values * len(codes))[: len(codes)], kind) for values, kind in _ODD]
    names = ["source", "target", "weight", "source", "label", ""][: rng.integers(1, 7)]
    stream = io.BytesIO()
    pq.write_table(pa.table([pool[rng.integers(len(pool))] for _ in names], names=names), stream)
    return stream.getvalue()
