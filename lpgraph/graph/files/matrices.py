"""Matrix Market and npz: a graph as its matrix."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.files.common import compose_hint, file_names, read_hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.common import Source

__all__ = ["read_mtx", "read_npz", "write_mtx", "write_npz"]

_BANNER = "%%MatrixMarket matrix coordinate"


def write_mtx(graph: Adjacency) -> bytes:
    """Write coordinates: the lower triangle of an undirected graph, no values of an unweighted one."""
    from scipy.io import mmwrite

    matrix = graph.matrix if graph.directed else sparse.csr_array(sparse.tril(graph.matrix))
    field: Literal["real", "pattern"] = "real" if graph.weighted else "pattern"
    symmetry = "general" if graph.directed else "symmetric"
    buffer = io.BytesIO()
    mmwrite(buffer, matrix.tocoo(), field=field, symmetry="general", precision=17)
    # The banner is written here: scipy looks for symmetry in the whole matrix, and our comment follows it.
    lines = buffer.getvalue().split(b"\n", 1)[1]
    while lines.startswith(b"%"):
        lines = lines.split(b"\n", 1)[1]
    banner = f"{_BANNER} {field} {symmetry}\n" + compose_hint(graph, matrix.nnz, "%")
    return banner.encode() + lines


def read_mtx(source: Source) -> tuple[Any, Sequence[Any], bool | None]:
    """Read a Matrix Market file; what is not symmetric by its banner may be so by its entries."""
    from scipy.io import mmread

    content = source.content
    lines = content[: 1 << 16].decode("latin-1").split("\n")
    banner = lines[0].lower().split()
    if banner[:2] != ["%%matrixmarket", "matrix"] or len(banner) != 5:
        raise source.error("it does not begin with '%%MatrixMarket matrix ...'", 1)
    if banner[3] == "complex":
        raise source.error("its entries are complex; a graph's weights are real", 1)
    comments, line = [], 1
    start = content.find(b"\n") + 1
    while start and content[start : start + 1] in (b"%", b"\n", b"\r"):
        end = content.find(b"\n", start) + 1
        comments.append(
            content[start : end or len(content)].strip().lstrip(b"%").strip().decode("utf-8", "replace")
        )
        start, line = end, line + 1
    sizes = content[start:].split(b"\n", 1)[0].split() if start else []
    if not all(size.isdigit() and len(size) < 19 for size in sizes) or len(sizes) != (
        3 if banner[2] == "coordinate" else 2
    ):
        raise source.error("the line with the matrix's size is missing or damaged", line + 1)
    shape = int(sizes[0]), int(sizes[1])
    if shape[0] != shape[1]:
        raise source.error(f"its matrix has shape {shape}, and an adjacency matrix is square", line + 1)
    source.check_size(shape[0])
    entries = int(sizes[2]) if len(sizes) == 3 else shape[0] * (shape[0] - 1) // 2
    if 2 * entries > len(content):
        raise source.error(
            f"it claims {entries} entries in {len(content)} bytes, so it is truncated", line + 1
        )
    hint = read_hint(source, comments)
    if hint is not None and not content.endswith(b"\n"):
        raise source.error("its last line is cut off")
    try:
        matrix = mmread(io.BytesIO(content), spmatrix=False)
    except Exception as error:  # whatever a damaged file brings scipy to raise
        raise source.error(f"it is no Matrix Market file: {error}") from None
    matrix = _checked(source, matrix)
    if hint is not None and len(hint.names) == shape[0]:
        return matrix, hint.names, hint.directed
    return matrix, range(shape[0]), False if banner[4] == "symmetric" else None


def write_npz(graph: Adjacency) -> bytes:
    """Write what `scipy.sparse.save_npz` writes, and with it names and direction."""
    names = file_names(graph)
    matrix = graph.matrix
    arrays: dict[str, Any] = {
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
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def read_npz(source: Source) -> tuple[Any, Sequence[Any], bool | None]:
    """Read what `write_graph` or `scipy.sparse.save_npz` wrote; nothing in it is ever unpickled."""
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
        raise source.error(f"it is no npz file of a sparse matrix: {error}") from None
    n = matrix.shape[0]
    if names is None:
        names = range(n)
    elif not isinstance(names, list) or len(names) != n or len(set(map(str, names))) != n:
        raise source.error(f"it does not have {n} different names")
    return _checked(source, matrix), names, directed


def _names(array: NDArray[Any]) -> Any:
    if array.dtype.kind not in "iU":
        raise ValueError(f"its names have dtype {array.dtype}")
    return array.tolist()


def _checked(source: Source, matrix: Any) -> Any:
    """Return a matrix of finite real numbers, or say what is wrong with the file."""
    if getattr(matrix, "format", "dense") not in ("dense", "csr", "csc"):
        matrix = matrix.tocoo()
    if matrix.dtype.kind not in "biuf":
        raise source.error(f"its entries have dtype {matrix.dtype}; a graph's weights are real")
    if not np.isfinite(matrix if isinstance(matrix, np.ndarray) else matrix.data).all():
        raise source.error("an entry is not a finite number")
    return matrix
