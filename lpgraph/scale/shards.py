"""Shards of edges: files, tables, streams of tables and Dask partitions, read batch by batch as Arrow arrays."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from lpgraph._articles import a_type
from lpgraph._checks import import_extra
from lpgraph._missing_file import existing, missing_file
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, LpgraphError
from lpgraph.graph.convert import choose_columns
from lpgraph.graph.files.text import DELIMITERS
from lpgraph.scale.text_edges import Columns, text_batches

if TYPE_CHECKING:
    import pyarrow as pa

    from lpgraph.scale.text_edges import Batch

    #: Titles of the columns, and a function that yields the rows of some of them.
    Rows: TypeAlias = tuple[Sequence[str], Callable[[list[str]], Iterable[pa.RecordBatch]]]

__all__ = ["Columns", "Shard", "as_shards"]

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
    """A part of the edges.

    Attributes
    ----------
    name : str
        The path of a file, or what errors call a table.
    find_state : callable
        Returns `state`.
    read : callable
        Takes `Columns`, and yields batches.
    is_text : bool
        Whether it is a text file, whose integers may be meant as texts.
    """

    name: str
    find_state: Callable[[], dict[str, str | int]]
    read: Callable[[Columns], Iterator[Batch]]
    is_text: bool = False

    def state(self) -> dict[str, str | int]:
        """Return values that change if the shard does: path, size and time, or a key; empty if it is read once."""
        return self.find_state()

    def tables(self, columns: Columns) -> Iterator[Batch]:
        """Yield source, target and weight, as arrays of Arrow with at most about 2^20 rows.

        Parameters
        ----------
        columns : Columns
            Which columns of the shard these are.

        Yields
        ------
        tuple of pyarrow.Array
            End points of type int64 or large_string, without nulls and empty texts; finite weights of type
            float64, or None. The batches of a text file have integers where all names of a batch are integers in
            their usual form, within 64 bits, and texts otherwise.

        Raises
        ------
        ArgumentError, ArgumentTypeError, GraphError, FileFormatError
            When the shard is damaged, or has a missing name or weight; the message has the shard and the row.
        """
        return self.read(columns)


def as_shards(edges: object, format: str | None = None) -> list[Shard] | None:  # noqa: A002 - as in read_graph
    """Return the shards of paths, a table, a stream or a Dask data frame; None for what may be a graph in memory.

    Raises
    ------
    MissingFileError, ArgumentError, ArgumentTypeError
        When a file does not exist, a pattern matches none, a file is named twice, or a format is not known.
    """
    import narwhals.stable.v1 as nw

    if isinstance(edges, str | os.PathLike):
        edges = [edges]
    if isinstance(edges, list | tuple) and edges and all(isinstance(one, str | os.PathLike) for one in edges):
        return _files(edges, format)
    if format is not None:
        raise ArgumentError(f"format={format!r} is for files and edges is {a_type(edges)}; leave it out.")
    if nw.dependencies.is_dask_dataframe(edges):
        return _partitions(edges)
    if not _is_table(edges) and not isinstance(edges, Iterator):
        return None
    return [Shard("edges", dict, partial(_batches, "edges", partial(_table_rows, edges)))]


def _files(paths: Sequence[str | os.PathLike[str]], form: str | None) -> list[Shard]:
    if form is not None and form not in _FORMATS.values():
        raise ArgumentTypeError(f"format={form!r}; pass one of {', '.join(sorted(set(_FORMATS.values())))}.")
    listed: dict[str, str] = {}
    for path in map(os.fsdecode, paths):
        if os.path.isdir(path):
            raise ArgumentError(
                f"edges={path!r} is a folder; pass {os.path.join(path, '*.parquet')!r}, or its files."
            )
        is_pattern = glob.has_magic(path) and not os.path.exists(path)
        found = sorted(glob.glob(path, recursive=True)) if is_pattern else [path]
        if not found:
            raise ArgumentError(f"edges={path!r} matches no file; check its folder.")
        for one in map(os.path.abspath, found):
            if not os.path.exists(one):
                raise missing_file(path, "edges")
            if one in listed:
                raise ArgumentError(f"edges has {one!r} twice; name each file once.")
            listed[one] = form or _format_of(one)
    first = next((path for path, kind in listed.items() if kind in DELIMITERS), None)
    return [
        Shard(path, partial(_file_state, path), _reader(path, kind, first), kind in DELIMITERS)
        for path, kind in listed.items()
    ]


def _reader(path: str, form: str, first: str | None) -> Callable[[Columns], Iterator[Batch]]:
    if form in DELIMITERS:
        return partial(text_batches, path, form, first)
    rows = _parquet_rows if form == "parquet" else _feather_rows
    return partial(_batches, path, partial(rows, path))


def _format_of(path: str) -> str:
    suffix = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    if suffix not in _FORMATS:
        raise ArgumentError(
            f"edges={path!r} has no suffix of a table of edges; pass format=, or rename it to end in "
            f"{', '.join(sorted(_FORMATS))}."
        )
    return _FORMATS[suffix]


def _file_state(path: str) -> dict[str, str | int]:
    with existing(path, "edges"):
        found = os.stat(path)
    return {"path": path, "size": found.st_size, "mtime_ns": found.st_mtime_ns}


def _parquet_rows(path: str) -> Rows:
    file = import_extra("pyarrow.parquet", "scale").ParquetFile(
        path, pre_buffer=False, page_checksum_verification=True
    )
    return file.schema_arrow.names, lambda titles: file.iter_batches(batch_size=_ROWS, columns=titles)


def _feather_rows(path: str) -> Rows:
    arrow, ipc = import_extra("pyarrow", "scale"), import_extra("pyarrow.ipc", "scale")
    source = arrow.memory_map(path)
    try:
        file = ipc.open_file(source)
    except arrow.ArrowInvalid:
        source.seek(0)
        stream = ipc.open_stream(source)
        return stream.schema.names, lambda _: stream
    return file.schema.names, lambda _: map(file.get_batch, range(file.num_record_batches))


def _is_table(edges: object) -> bool:
    import narwhals.stable.v1 as nw

    if type(edges).__module__.startswith("pyarrow"):
        return hasattr(edges, "schema")
    return isinstance(nw.from_native(edges, eager_only=True, pass_through=True), nw.DataFrame)


def _table_rows(edges: object) -> Rows:
    """Return the rows of a table, a reader of record batches, or an iterator of such."""
    import narwhals.stable.v1 as nw

    arrow = import_extra("pyarrow", "scale")
    if isinstance(edges, arrow.RecordBatchReader):
        return edges.schema.names, lambda _: edges
    if isinstance(edges, arrow.Table):
        return edges.column_names, lambda _: edges.to_reader()
    if isinstance(edges, arrow.RecordBatch):
        return edges.schema.names, lambda _: [edges]
    if isinstance(edges, Iterator):
        first = next(edges, None)
        if first is None:
            return ("source", "target"), lambda _: []
        titles, rows = _table_rows(first)
        return titles, lambda chosen: chain(rows(chosen), *(_table_rows(one)[1](chosen) for one in edges))
    frame = nw.from_native(edges, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise ArgumentTypeError(f"edges has {a_type(edges)}; pass an iterator of data frames or Arrow tables.")
    return frame.columns, lambda titles: frame.select(titles).to_arrow().to_reader()


def _partitions(frame: Any) -> list[Shard]:
    """Return the partitions of a Dask data frame, which are computed one at a time."""
    keys = frame.__dask_keys__()
    if not keys:
        raise ArgumentError("edges is a Dask data frame without partitions; pass at least one edge.")
    shards = []
    for k, key in enumerate(keys):
        name, parts = f"edges, partition {k}", "-".join(map(str, key))
        state: dict[str, str | int] = {"path": name, "key": parts}
        shards.append(
            Shard(name, partial(dict, state), partial(_batches, name, partial(_partition_rows, frame, k)))
        )
    return shards


def _partition_rows(frame: Any, k: int) -> Rows:
    return list(frame.columns), lambda titles: _table_rows(frame[titles].partitions[k].compute())[1](titles)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    arrow = import_extra("pyarrow", "scale")
    try:
        yield
    except (OSError, arrow.ArrowException) as error:
        if isinstance(error, LpgraphError):
            raise
        why = str(error).splitlines()[0][:200].rstrip(".")
        raise FileFormatError(f"{name}: its rows cannot be read, or it is not whole ({why}).") from None


def _batches(name: str, open_rows: Callable[[], Rows], columns: Columns) -> Iterator[Batch]:
    """Yield the edges of record batches."""
    row = 0
    with _readable(name):
        known, rows = open_rows()
        chosen = choose_columns(known, columns.weight, name, columns.ends)
        titles = [known[k] for k in chosen if k is not None]
        for batch in rows(titles):
            for start in range(0, batch.num_rows, _ROWS):
                part = batch.slice(start, _ROWS)
                for title in titles:
                    if title not in part.schema.names:
                        raise ArgumentError(
                            f"A table of {name} has no column {title!r}; each needs the same ones."
                        )
                source, target = (_ends(part.column(title), title, name, row) for title in titles[:2])
                weight = _weights(part.column(titles[2]), titles[2], name, row) if len(titles) == 3 else None
                yield source, target, weight
                row += part.num_rows


def _ends(column: pa.Array, title: str, name: str, row: int) -> pa.Array:
    """Return end points as integers or as texts."""
    arrow, types = import_extra("pyarrow", "scale"), import_extra("pyarrow.types", "scale")
    compute = import_extra("pyarrow.compute", "scale")
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        place = row + compute.index(column.is_null(), True).as_py()
        raise ArgumentError(f"Row {place} of {name} has no {title!r}; drop that row.")
    if types.is_integer(column.type):
        try:
            return column.cast(arrow.int64())
        except arrow.ArrowInvalid:
            raise ArgumentError(
                f"The column {title!r} of {name} has integers beyond 2^63; write them as texts, or as int64."
            ) from None
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    if not any(is_text(column.type) for is_text in texts):
        raise ArgumentTypeError(
            f"The column {title!r} of {name} has type {column.type}; names of vertices are integers or texts, so "
            "cast it to one of them."
        )
    column = column.cast(arrow.large_string())
    empty = compute.index(compute.binary_length(column), 0).as_py()
    if empty >= 0:
        raise GraphError(f"Row {row + empty} of {name} has an empty {title!r}; correct or drop that row.")
    return column


def _weights(column: pa.Array, title: str, name: str, row: int) -> pa.Array:
    arrow, types = import_extra("pyarrow", "scale"), import_extra("pyarrow.types", "scale")
    compute = import_extra("pyarrow.compute", "scale")
    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise ArgumentTypeError(
            f"The column {title!r} of {name} has type {kind}; make it numeric, or pass weight=None."
        )
    if column.null_count:
        place = row + compute.index(column.is_null(), True).as_py()
        raise GraphError(f"Row {place} of {name} has no {title!r}; fill or drop that row.")
    values = column.cast(arrow.float64(), safe=False)
    infinite = compute.index(compute.is_finite(values), False).as_py()
    if infinite >= 0:
        raise GraphError(
            f"Row {row + infinite} of {name} has {title}={values[infinite]}; replace or drop what is not finite."
        )
    return values
