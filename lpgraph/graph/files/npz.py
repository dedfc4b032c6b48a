"""The npz files of scipy's sparse matrices, with names and direction."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.files.common import file_names
from lpgraph.graph.files.memory import NAME
from lpgraph.graph.files.npz_arrays import read_arrays
from lpgraph.linalg.csr_check import csr_fault

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.common import Source

    Arrays: TypeAlias = dict[str, NDArray[np.generic]]
    Matrix: TypeAlias = sparse.csr_array | sparse.coo_array

__all__ = ["read", "write"]

#: Members of the archive that are read.
_ARRAYS = ("format", "shape", "data", "indices", "indptr", "row", "col", "offsets", "directed", "names")


def write(graph: Adjacency) -> bytes:
    """Write the arrays of `scipy.sparse.save_npz`, and names and direction in addition."""
    names = file_names(graph)
    matrix = graph.matrix
    arrays: dict[str, NDArray[np.generic]] = {
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape, dtype=np.int64),
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "_is_array": np.array(True),
        "directed": np.array(bool(graph.directed)),
    }
    if not isinstance(names, range):
        try:
            arrays["names"] = np.array(names, dtype=np.int64 if isinstance(names[0], int) else np.str_)
        except OverflowError:
            raise ArgumentError("Vertex names go beyond 64 bits; write them as str.") from None
        if arrays["names"].tolist() != list(names):
            raise ArgumentError("A vertex name ends in a NUL character, which npz drops; write .csv or .gml.")
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def read(source: Source) -> tuple[Matrix, Sequence[Hashable], bool | None]:
    """Read a file of `write_graph` or `scipy.sparse.save_npz`; nothing is unpickled."""
    arrays = read_arrays(source, _ARRAYS)
    try:
        n = _size(arrays)
        source.check_size(n, _member(arrays, "data").size)
        matrix = _MATRICES[_form(arrays)](arrays, n)
        directed = bool(arrays["directed"].item()) if "directed" in arrays else None
    except FileFormatError:
        raise
    except ValueError as error:
        raise source.error(
            f"it is no npz file of a sparse matrix: {error}; write it by lpgraph convert or scipy.sparse.save_npz"
        ) from None
    if not np.isfinite(matrix.data).all():
        raise source.error("an entry is not a finite number; correct it")
    return matrix, _names(source, arrays, n), directed


def _size(arrays: Arrays) -> int:
    shape = _member(arrays, "shape")
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise ValueError("its shape is no pair of integers")
    rows, columns = map(int, shape)
    if rows != columns:
        raise ValueError(f"its matrix has shape {(rows, columns)}, and an adjacency matrix is square")
    return rows


def _form(arrays: Arrays) -> str:
    form = _member(arrays, "format").tolist()
    name = form.decode("latin-1") if isinstance(form, bytes) else str(form)
    if name not in _MATRICES:
        raise ValueError(f"its format is {name[:40]!r}, none of {', '.join(_MATRICES)}")
    return name


def _names(source: Source, arrays: Arrays, n: int) -> Sequence[Hashable]:
    if "names" not in arrays:
        return range(n)
    array = arrays["names"]
    if array.shape != (n,) or array.dtype.kind not in "iU":
        raise source.error(
            f"its names have shape {array.shape} and dtype {array.dtype}, and there are {n} vertices"
        )
    source.check_bytes(NAME * n)
    names: list[Hashable] = array.tolist()
    if len(set(names)) != n:
        raise source.error(f"it does not have {n} different names")
    return names


def _compressed(arrays: Arrays, n: int, form: str) -> Matrix:
    (indptr, indices), data = _index_pair(arrays), _entries(arrays, 1)
    fault = csr_fault(indptr, indices, n, n, data)
    if fault is not None:
        raise ValueError(fault)
    matrix = sparse.csr_array((data, indices, indptr), shape=(n, n))
    return sparse.csr_array(matrix.T) if form == "csc" else matrix


def _blocks(arrays: Arrays, n: int) -> Matrix:
    (indptr, indices), data = _index_pair(arrays), _entries(arrays, 3)
    height, width = data.shape[1:]
    if not height or not width or n % height or n % width:
        raise ValueError(f"its blocks have shape {(height, width)} in a matrix of size {n}")
    fault = csr_fault(indptr, indices, n // height, n // width, data[:, 0, 0])
    if fault is not None:
        raise ValueError(fault)
    return sparse.bsr_array((data, indices, indptr), shape=(n, n)).tocoo()


def _coordinates(arrays: Arrays, n: int) -> Matrix:
    row, column, data = _indices(arrays, "row"), _indices(arrays, "col"), _entries(arrays, 1)
    for name, index in (("row", row), ("col", column)):
        if index.shape != data.shape:
            raise ValueError(f"its {name} has shape {index.shape} and its data {data.shape}")
        if index.size and not (index.min() >= 0 and index.max() < n):
            raise ValueError(f"its {name} has {index.min()} and {index.max()}, and indices go from 0 to {n - 1}")
    return sparse.coo_array((data, (row, column)), shape=(n, n))


def _diagonals(arrays: Arrays, n: int) -> Matrix:
    offsets, data = _indices(arrays, "offsets"), _entries(arrays, 2)
    if offsets.shape != data.shape[:1] or len(np.unique(offsets)) != len(offsets):
        raise ValueError(f"it has {len(data)} diagonals, and its offsets are not as many different integers")
    place = np.arange(data.shape[1])
    row = place - offsets[:, None]
    inside = (row >= 0) & (row < n) & (place < n) & (data != 0)
    column = np.broadcast_to(place, row.shape)
    return sparse.coo_array((data[inside], (row[inside], column[inside])), shape=(n, n))


_MATRICES: dict[str, Callable[[Arrays, int], Matrix]] = {
    "csr": partial(_compressed, form="csr"),
    "csc": partial(_compressed, form="csc"),
    "coo": _coordinates,
    "bsr": _blocks,
    "dia": _diagonals,
}


def _member(arrays: Arrays, name: str) -> NDArray[np.generic]:
    if name not in arrays:
        raise ValueError(f"it has no array {name!r}")
    return arrays[name]


def _index_pair(arrays: Arrays) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return indptr and indices, of one type."""
    indptr, indices = _indices(arrays, "indptr"), _indices(arrays, "indices")
    kind = np.promote_types(indptr.dtype, indices.dtype)
    return indptr.astype(kind, copy=False), indices.astype(kind, copy=False)


def _indices(arrays: Arrays, name: str) -> NDArray[np.int32] | NDArray[np.int64]:
    array: NDArray[Any] = _member(arrays, name)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"its {name} has shape {array.shape} and dtype {array.dtype}, and is no list of integers")
    # Unsigned integers beyond 2^63 become negative, which is outside of every matrix.
    return array if array.dtype == np.int32 else array.astype(np.int64, copy=False)


def _entries(arrays: Arrays, ndim: int) -> NDArray[np.float64]:
    data = _member(arrays, "data")
    if data.dtype.kind not in "biuf":
        raise ValueError(f"its entries have dtype {data.dtype}, and a graph's weights are real")
    if data.ndim != ndim:
        raise ValueError(f"its data has shape {data.shape}, and should have {ndim} dimensions")
    with np.errstate(over="ignore"):  # what is beyond float64 becomes infinite, and is refused as that
        return data.astype(np.float64, copy=False)
