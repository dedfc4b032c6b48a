"""The npz files of scipy's sparse matrices, with names and direction."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.files.common import file_names

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.common import Source

__all__ = ["read", "write"]


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


def read(source: Source) -> tuple[sparse.csr_array, Sequence[Hashable], bool | None]:
    """Read a file of `write_graph` or `scipy.sparse.save_npz`; nothing is unpickled."""
    try:
        with np.load(io.BytesIO(source.content), allow_pickle=False) as archive:
            shape = archive["shape"]
            if shape.shape != (2,) or shape.dtype.kind not in "iu":
                raise ValueError("its shape is no pair of integers")
            names = _names(archive["names"]) if "names" in archive else None
            directed = bool(archive["directed"]) if "directed" in archive else None
        if int(shape[0]) != int(shape[1]):
            raise ValueError(f"its matrix has shape {shape.tolist()}, and an adjacency matrix is square")
        source.check_size(int(shape[0]))
        matrix: Any = sparse.load_npz(io.BytesIO(source.content))
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)  # indices out of range would be read past the arrays' ends
    except FileFormatError:
        raise
    except Exception as error:  # a damaged archive raises errors of zip, zlib, struct, numpy and scipy
        raise source.error(
            f"it is no npz file of a sparse matrix ({error}); write it by lpgraph convert or scipy.sparse.save_npz"
        ) from None
    n = matrix.shape[0]
    if names is None:
        names = range(n)
    elif not isinstance(names, list) or len(names) != n or len(set(map(str, names))) != n:
        raise source.error(f"it does not have {n} different names")
    return _checked(source, matrix), names, directed


def _names(array: NDArray[np.generic]) -> object:
    if array.dtype.kind not in "iU":
        raise ValueError(f"its names have dtype {array.dtype}")
    return array.tolist()


def _checked(source: Source, matrix: Any) -> Any:
    """Return a matrix; refuse entries that are not finite real numbers."""
    if getattr(matrix, "format", "dense") not in ("dense", "csr", "csc"):
        matrix = matrix.tocoo()
    if matrix.dtype.kind not in "biuf":
        raise source.error(f"its entries have dtype {matrix.dtype}; a graph's weights are real")
    if not np.isfinite(matrix if isinstance(matrix, np.ndarray) else matrix.data).all():
        raise source.error("an entry is not a finite number; correct it")
    return matrix
