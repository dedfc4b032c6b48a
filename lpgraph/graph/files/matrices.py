"""Adjacency matrices in files: npz files of scipy, and Matrix Market."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph.graph.files.hints import read_hint
from lpgraph.graph.files.text import comment_lines, is_number, number_table
from lpgraph.linalg.csr_check import sparse_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from lpgraph.errors import FileFormatError
    from lpgraph.graph.files.source import Source

    Found = tuple[sparse.csr_array | sparse.coo_array, Sequence[Hashable], bool | None]

__all__ = ["read_mtx", "read_npz"]

#: Members of the archive that are read.
_ARRAYS = ("format", "shape", "data", "indices", "indptr", "row", "col", "offsets", "directed", "names")
_KINDS: dict[str, Callable[..., Any]] = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "bsr": sparse.bsr_array,
    "dia": sparse.dia_array,
}
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def read_npz(source: Source) -> Found:
    """Read a file of `write_graph` or `scipy.sparse.save_npz`; nothing is unpickled."""
    if not source.content.startswith(b"PK\x03\x04"):
        raise source.error("it is no npz file; write it by lpgraph convert or scipy.sparse.save_npz")
    with np.load(io.BytesIO(source.content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in _ARRAYS if name in archive}
    if missing := {"format", "shape", "data"}.difference(arrays):
        raise source.error(
            f"it has no array {min(missing)!r}; write it by lpgraph convert or scipy.sparse.save_npz"
        )
    shape, data = tuple(arrays["shape"].tolist()), arrays["data"]
    if len(shape) != 2 or shape[0] != shape[1]:
        raise source.error(f"its matrix has shape {shape}, and an adjacency matrix is square")
    n = int(shape[0])
    source.check_size(n)
    index = [arrays[name] for name in ("indices", "indptr", "row", "col", "offsets") if name in arrays]
    if data.dtype.kind not in "biuf" or any(array.dtype.kind not in "iu" for array in index):
        raise source.error(f"its entries have dtype {data.dtype}, or its indices are no integers")
    form = bytes(arrays["format"].astype("S").item()).decode("ascii")
    given = (data, (index[0], index[1])) if form == "coo" else (data, *index)
    matrix = _KINDS[form](given, shape=shape)
    fault = sparse_fault(matrix)
    if fault is not None:
        raise source.error(fault)
    with np.errstate(over="ignore"):  # what is beyond float64 becomes infinite, and is refused as that
        found = sparse.csr_array(matrix).astype(np.float64, copy=False)
    if not np.isfinite(found.data).all():
        raise source.error("an entry is not a finite number; correct it")
    names: Sequence[Hashable] = range(n)
    if "names" in arrays:
        names = arrays["names"].tolist()
        if arrays["names"].dtype.kind not in "iU" or arrays["names"].shape != (n,) or len(set(names)) < n:
            raise source.error(f"its names are not {n} different integers or texts")
    return found, names, bool(arrays["directed"].item()) if "directed" in arrays else None


def read_mtx(source: Source) -> Found:
    """Read a Matrix Market file; a matrix may be symmetric even if its banner says general.

    scipy's reader is not used: about 20 of 20,000 mutated files ended the process.
    """
    content = source.content
    banner = content[: content.find(b"\n") + 1][:1000].decode("latin-1").lower().split()
    if banner[:2] != ["%%matrixmarket", "matrix"] or len(banner) != 5:
        raise source.error("it does not begin with '%%MatrixMarket matrix ...'", 1)
    layout, field, symmetry = banner[2:]
    listed, valued = layout == "coordinate", field != "pattern"
    known = layout in ("coordinate", "array") and field in _FIELDS and symmetry in _SYMMETRIES
    if not known or not (listed or valued):
        raise source.error(f"its banner says {' '.join(banner[2:])!r}, which is no real matrix", 1)
    comments, start, line = comment_lines(content, content.find(b"\n") + 1, b"%")
    body = content.find(b"\n", start) + 1 or len(content)
    sizes = content[start:body][:1000].split()
    if len(sizes) != 2 + listed or not all(size.isdigit() and len(size) < 19 for size in sizes):
        raise source.error("the line with the matrix's size is missing or damaged", line + 1)
    n = int(sizes[0])
    if n != int(sizes[1]):
        raise source.error(f"its matrix has {n} rows and {int(sizes[1])} columns, and must be square", line + 1)
    source.check_size(n)
    whole = symmetry == "general"
    expected = int(sizes[2]) if listed else n * n if whole else n * (n + 1) // 2 - n * (symmetry[:4] == "skew")
    hint = read_hint(source, comments)
    table = number_table(content, body, "ii" * listed + "f" * valued, " ")
    if table is None or len(table) != expected or (hint is not None and not content.endswith(b"\n")):
        raise _fault(source, body, line + 1, 2 * listed + valued, expected)
    values = table.iloc[:, -1].to_numpy() if valued else np.ones(expected)
    if listed:
        row, column = table[0].to_numpy() - 1, table[1].to_numpy() - 1
    else:
        column, row = np.divmod(np.arange(n * n), n) if whole else np.triu_indices(n, int(symmetry[:4] == "skew"))
    if expected and not (min(row.min(), column.min()) >= 0 and max(row.max(), column.max()) < n):
        k = int(np.argmax((row < 0) | (row >= n) | (column < 0) | (column >= n)))
        raise source.error(f"entry {k + 1} is at {row[k] + 1}, {column[k] + 1}, outside a matrix of size {n}")
    if not np.isfinite(values).all():
        raise source.error("an entry is not a finite number; correct it")
    if not whole:
        apart = row != column
        mirrored = values[apart] if symmetry == "symmetric" else -values[apart]
        row, column = np.concatenate((row, column[apart])), np.concatenate((column, row[apart]))
        values = np.concatenate((values, mirrored))
    matrix = sparse.coo_array((values, (row, column)), shape=(n, n))
    if hint is not None:
        if len(hint.names) != n:
            raise source.error(f"its comment lines have {len(hint.names)} vertices for a matrix of size {n}")
        return matrix, hint.names, hint.directed
    return matrix, range(n), False if symmetry == "symmetric" else None


def _fault(source: Source, start: int, line: int, width: int, expected: int) -> FileFormatError:
    """Return the error of the first line that is no entry, or of their number."""
    found = 0
    for k, text in enumerate(source.content[start:].decode("latin-1").split("\n"), line + 1):
        fields = text.split()
        if fields and (len(fields) != width or not all(map(is_number, fields))):
            return source.error(f"{text.strip()[:40]!r} is no entry of this matrix", k)
        found += bool(fields)
    return source.error(f"it has {found} entries and should have {expected}; it may be truncated")
