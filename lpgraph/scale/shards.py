"""Shards of edges: files, read batch by batch as arrays of Arrow."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from lpgraph._utils.checks import import_extra
from lpgraph._utils.files import existing, is_path, missing_file
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, LpgraphError
from lpgraph.graph.construct import choose_columns
from lpgraph.graph.files.tables import DELIMITERS
from lpgraph.graph.names import listed
from lpgraph.scale.text_edges import Columns, text_batches

if TYPE_CHECKING:
    import pyarrow as pa

    from lpgraph.graph.names import Names
    from lpgraph.scale.text_edges import Batch

    #: Titles of the columns, and a function that yields the rows of some of them.
    Rows: TypeAlias = tuple[Sequence[str], Callable[[list[str]], Iterable[pa.RecordBatch]]]

arrow, types = import_extra("pyarrow", "scale"), import_extra("pyarrow.types", "scale")
compute = import_extra("pyarrow.compute", "scale")

_FORMATS = {
    **{f".{form}": form for form in DELIMITERS},
    **dict.fromkeys((".edges", ".edgelist", ".ncol"), "txt"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "feather"),
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
#: Rows of a batch, at most.
_ROWS = 1 << 20


@dataclass(frozen=True)
class Shard:
    """A file of edges.

    Attributes
    ----------
    path : str
        Its absolute path.
    form : str
        Its format: one of text, parquet or feather.
    """

    path: str
    form: str

    def state(self) -> dict[str, str | int]:
        """Return values that change if the file does."""
        with existing(self.path, "edges"):
            found = os.stat(self.path)
        return {"path": self.path, "size": found.st_size, "mtime_ns": found.st_mtime_ns}

    def tables(self, columns: Columns) -> Iterator[Batch]:
        """Yield source, target and weight, as arrays of Arrow with at most about 2^20 rows.

        End points are of type int64 or large_string, without nulls and empty texts; weights are finite and of type
        float64, or None. The batches of a text file have integers where all names of a batch are integers in their
        usual form, within 64 bits, and texts otherwise. An error has the file and the row.
        """
        if self.form in DELIMITERS:
            return text_batches(self.path, self.form, columns)
        return _batches(self.path, _parquet_rows if self.form == "parquet" else _feather_rows, columns)


def name_column(names: Names) -> pa.Array:
    """Return names of vertices as a column; raise unless all are integers, or all are texts."""
    values = listed(names)
    kinds = set(map(type, values))
    with suppress(OverflowError, ValueError):  # of integers beyond 64 bits, and of texts that are no Unicode
        if kinds in ({int}, {str}):
            return arrow.array(values, arrow.int64() if kinds == {int} else arrow.large_string())
    remedy = "use a graph whose vertices are called by integers of 64 bits only, or by texts only"
    raise ArgumentError(f"A vertex is called {values[0]!r:.60}; {remedy}.")


def as_shards(edges: object, form: str | None = None) -> list[Shard] | None:
    """Return the files that paths and patterns name; None for what may be a graph in memory.

    Raises
    ------
    MissingFileError, ArgumentError, ArgumentTypeError
        When a file does not exist, a pattern matches none, a file is named twice, or a format is not known.
    """
    paths = [edges] if is_path(edges) else edges
    if not isinstance(paths, list | tuple) or not paths or not all(map(is_path, paths)):
        return None
    if form is not None and form not in _FORMATS.values():
        raise ArgumentTypeError(f"format={form!r}; pass one of {', '.join(sorted(set(_FORMATS.values())))}.")
    listed: dict[str, Shard] = {}
    for path in map(os.fsdecode, paths):
        if os.path.isdir(path):
            raise ArgumentError(f"edges={path!r} is a folder; pass its files, or a pattern such as '*.parquet'.")
        is_pattern = glob.has_magic(path) and not os.path.exists(path)
        found = sorted(glob.glob(path, recursive=True)) if is_pattern else [path]
        if not found:
            raise ArgumentError(f"edges={path!r} matches no file; check its folder.")
        for one in map(os.path.abspath, found):
            if not os.path.exists(one):
                raise missing_file(path, "edges")
            if one in listed:
                raise ArgumentError(f"edges has {one!r} twice; name each file once.")
            kind = form or _FORMATS.get(os.path.splitext(one.lower().removesuffix(".gz"))[1])
            if kind is None:
                raise ArgumentError(f"edges={one!r} has no suffix of {', '.join(sorted(_FORMATS))}; pass format=.")
            listed[one] = Shard(one, kind)
    return list(listed.values())


def _parquet_rows(path: str) -> Rows:
    parquet = import_extra("pyarrow.parquet", "scale")
    file = parquet.ParquetFile(path, pre_buffer=False, page_checksum_verification=True)
    return file.schema_arrow.names, lambda titles: file.iter_batches(batch_size=_ROWS, columns=titles)


def _feather_rows(path: str) -> Rows:
    file = import_extra("pyarrow.ipc", "scale").open_file(arrow.memory_map(path))
    return file.schema.names, lambda _: map(file.get_batch, range(file.num_record_batches))


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except LpgraphError:
        raise
    except (OSError, ValueError, arrow.ArrowException) as error:
        why = str(error).splitlines()[0][:200].rstrip(".")
        raise FileFormatError(f"{name}: its rows cannot be read, or it is not whole ({why}).") from None


def _batches(name: str, open_rows: Callable[[str], Rows], columns: Columns) -> Iterator[Batch]:
    """Yield the edges of record batches."""
    row = 0
    with _readable(name):
        known, rows = open_rows(name)
        chosen = choose_columns(known, columns.weight, name, columns.ends)
        titles = [known[k] for k in chosen if k is not None]
        if len(set(titles)) < len(titles):
            raise ArgumentError(f"{name} has two columns {titles[0]!r}; rename or drop one of them.")
        for batch in rows(titles):
            for start in range(0, batch.num_rows, _ROWS):
                part = batch.slice(start, _ROWS)
                found = []
                for title, read in zip(titles, (_ends, _ends, _weights), strict=False):
                    column, place = read(part.column(title), f"The column {title!r} of {name}")
                    if place >= 0:
                        shown = f"{title}={part.column(title)[place].as_py()!r}"
                        raise GraphError(f"Row {row + place} of {name} has {shown}; correct or drop that row.")
                    found.append(column)
                yield found[0], found[1], found[2] if len(found) == 3 else None
                row += part.num_rows


def _ends(column: pa.Array, what: str) -> tuple[pa.Array, int]:
    """Return end points as integers or as texts, and the place of one that is missing or empty, or -1."""
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    missing = compute.index(column.is_null(), True).as_py() if column.null_count else -1
    if types.is_integer(column.type):
        try:
            return column.cast(arrow.int64()), missing
        except arrow.ArrowInvalid:
            raise ArgumentError(f"{what} has integers beyond 2^63; write them as texts, or as int64.") from None
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    if not any(is_text(column.type) for is_text in texts):
        raise ArgumentTypeError(f"{what} has type {column.type}; cast it to integers or texts.")
    column = column.cast(arrow.large_string())
    return column, missing if missing >= 0 else compute.index(compute.binary_length(column), 0).as_py()


def _weights(column: pa.Array, what: str) -> tuple[pa.Array, int]:
    """Return weights, and the place of one that is missing or not finite, or -1."""
    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise ArgumentTypeError(f"{what} has type {kind}; make it numeric, or pass weight=None.")
    values = column.cast(arrow.float64(), safe=False)
    return values, compute.index(compute.is_finite(values).fill_null(False), False).as_py()
