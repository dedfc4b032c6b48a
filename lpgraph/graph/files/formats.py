"""Formats of graph files: which one a file has, and the functions that read and write it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias

from lpgraph._checks import check_choice
from lpgraph._missing_file import check_path
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList
from lpgraph.graph.files import edges, gml, graphml, labels, matrix_market, npz, parquet
from lpgraph.graph.files.common import Source
from lpgraph.graph.files.foreign import READERS, remedy
from lpgraph.graph.files.text import DELIMITERS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from scipy import sparse
    from typing_extensions import TypeIs

    #: Edges, or a matrix with names and direction.
    Found: TypeAlias = EdgeList | tuple[sparse.csr_array | sparse.coo_array, Sequence[Hashable], bool | None]

__all__ = ["FORMATS", "Writable", "check_table_options", "format_of", "is_stream", "name_of"]


class Writable(Protocol):
    """What can be written to, such as a binary file."""

    def write(self, content: memoryview, /) -> int:
        """Write some or all of the bytes, and return how many."""


#: How each format is read and written.
FORMATS: dict[str, tuple[Callable[[Source], Found], Callable[[Adjacency], bytes]]] = {
    **{form: (partial(edges.read, form=form), partial(edges.write, form=form)) for form in DELIMITERS},
    "graphml": (graphml.read, graphml.write),
    "gml": (gml.read, gml.write),
    "mtx": (matrix_market.read, matrix_market.write),
    "npz": (npz.read, npz.write),
    "parquet": (parquet.read, parquet.write),
}

#: The formats of suffixes.
_SUFFIXES = {f".{name}": name for name in FORMATS} | {
    ".tab": "tsv",
    ".edges": "txt",
    ".edgelist": "txt",
    ".ncol": "txt",
    ".graphmlz": "graphml",
}


def is_stream(path: object) -> TypeIs[BinaryIO | Writable]:
    """Whether something is open for reading or writing."""
    return hasattr(path, "read") or hasattr(path, "write")


def name_of(path: str | os.PathLike[str] | BinaryIO | Writable) -> str:
    """Return what a file is called in messages."""
    return str(getattr(path, "name", "a stream")) if is_stream(path) else os.fspath(path)


def format_of(
    path: str | os.PathLike[str] | BinaryIO | Writable, name: str | None, *, labels: bool = False
) -> str:
    """Return the format's name, which is given or known by the suffix; `labels`: the file is a table of labels."""
    if not is_stream(path):
        check_path("path", path)
        if Path(path).is_dir():
            raise ArgumentError(f"path={str(path)!r} is a folder; name a file.")
    if name is not None:
        return check_choice("format", name, tuple(FORMATS))
    file = Path(name_of(path))
    suffix = (file.with_suffix("") if file.suffix == ".gz" else file).suffix.lower()
    if suffix == ".lpg":
        raise ArgumentError(f"path={str(file)!r} is a saved model, not a graph; pass it to lpgraph.load.")
    if labels and suffix in READERS and suffix != ".xlsx":
        raise ArgumentError(f"path={str(file)!r} holds no labels; pass a csv, tsv, txt or parquet table.")
    if suffix in READERS:
        raise ArgumentError(f"path={str(file)!r} has the suffix {suffix}; {remedy(READERS[suffix], str(file))}.")
    if suffix not in _SUFFIXES:
        raise ArgumentError(
            f"path={str(file)!r} has no suffix that tells the format; name a file that ends in "
            f"{', '.join(f'.{name}' for name in FORMATS)}, or pass format=."
        )
    return _SUFFIXES[suffix]


def check_table_options(source: Source, name: str) -> None:
    """Refuse options that the format has no use for."""
    given = {"vertices": source.vertices, "source": source.ends, "header": source.header}
    for option, value in given.items():
        if value is not None and (name not in DELIMITERS if option == "header" else name not in labels.TABLES):
            kind = "text tables" if option == "header" else "edge lists"
            raise ArgumentError(f"{option}= is for {kind} and {source.path} is {name}; leave it out.")
