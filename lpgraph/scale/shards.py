"""Shards of edges: files, read batch by batch as arrays of Arrow."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lpgraph._utils.checks import import_extra
from lpgraph._utils.files import existing, is_path
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, LpgraphError
from lpgraph.graph.construct import choose_columns
from lpgraph.graph.files.source import Source
from lpgraph.graph.files.tables import DELIMITERS
from lpgraph.graph.names import listed

from .text_edges import text_batches

if TYPE_CHECKING:
    import pyarrow as pa

    from lpgraph.graph.names import Names

    from .text_edges import Batch

arrow, types = import_extra("pyarrow", "scale"), import_extra("pyarrow.types", "scale")
compute, dataset = import_extra("pyarrow.compute", "scale"), import_extra("pyarrow.dataset", "scale")

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
    source : Source
        Its absolute path and how it is read, without content.
    form : str
        Its format: one of text, parquet or feather.
    """

    source: Source
    form: str

    def state(self) -> dict[str, object]:
        """Return values of JSON that change if the file does, or how it is read."""
        source = self.source
        with existing(source.path, "edges"):
            found = os.stat(source.path)
        columns = {"weight": source.weight, "ends": [*(source.ends or ())], "header": source.header}
        return {"path": source.path, "size": found.st_size, "mtime_ns": found.st_mtime_ns, **columns}

    def tables(self) -> Iterator[Batch]:
        """Yield source, target and weight, as arrays of Arrow with at most about 2^20 rows.

        End points are of type int64 or large_string, without nulls and empty texts; weights are finite and of type
        float64, or None. The batches of a text file have integers where all names of a batch are integers in their
        usual form, within 64 bits, and texts otherwise. An error has the file and the row.
        """
        read = text_batches if self.form in DELIMITERS else _batches
        return read(self.source, self.form)


def name_column(names: Names) -> pa.Array:
    """Return names of vertices as a column; raise unless all are integers, or all are texts."""
    values = listed(names)
    kinds = set(map(type, values))
    with suppress(OverflowError, ValueError):  # of integers beyond 64 bits, and of texts that are no Unicode
        if kinds in ({int}, {str}):
            return arrow.array(values, arrow.int64() if kinds == {int} else arrow.large_string())
    remedy = "use a graph whose vertices are called by integers of 64 bits only, or by texts only"
    raise ArgumentError(f"A vertex is called {values[0]!r:.60}; {remedy}.")


def as_shards(edges: object, options: Source, form: str | None = None) -> list[Shard] | None:
    """Return the files that paths and patterns name; None for what may be a graph in memory.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When a pattern matches no file, a file is named twice, or a format is not known.
    """
    paths = [edges] if is_path(edges) else edges
    if not isinstance(paths, list | tuple) or not paths or not all(map(is_path, paths)):
        return None
    if form is not None and form not in _FORMATS.values():
        raise ArgumentTypeError(f"format={form!r}; pass one of {', '.join(sorted(set(_FORMATS.values())))}.")
    shards: dict[str, Shard] = {}
    for path in map(os.fsdecode, paths):
        if os.path.isdir(path):
            raise ArgumentError(f"edges={path!r} is a folder; pass its files, or a pattern such as '*.parquet'.")
        is_pattern = glob.has_magic(path) and not os.path.exists(path)
        found = sorted(glob.glob(path, recursive=True)) if is_pattern else [path]
        if not found:
            raise ArgumentError(f"edges={path!r} matches no file; check its folder.")
        for one in map(os.path.abspath, found):
            if one in shards:
                raise ArgumentError(f"edges has {one!r} twice; name each file once.")
            kind = form or _FORMATS.get(os.path.splitext(one.lower().removesuffix(".gz"))[1])
            if kind is None:
                raise ArgumentError(f"edges={one!r} has no suffix of {', '.join(sorted(_FORMATS))}; pass format=.")
            shards[one] = Shard(replace(options, path=one), kind)
    return list(shards.values())


def _batches(source: Source, form: str) -> Iterator[Batch]:
    """Yield the edges of a file of columns."""
    row, name = 0, source.path
    try:
        checked = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
        columns = dataset.ParquetFileFormat(default_fragment_scan_options=checked) if form == "parquet" else form
        file = dataset.dataset(name, format=columns)
        chosen = choose_columns(file.schema.names, source.weight, name, source.ends)
        titles = [file.schema.names[k] for k in chosen if k is not None]
        # One batch at a time, since memory is bounded.
        for batch in file.to_batches(columns=titles, batch_size=_ROWS, batch_readahead=1, fragment_readahead=1):
            found = []
            for title, read in zip(titles, (_ends, _ends, _weights), strict=False):
                column, place = read(batch.column(title), f"The column {title!r} of {name}")
                if place >= 0:
                    shown = f"{title}={batch.column(title)[place].as_py()!r}"
                    raise GraphError(f"Row {row + place} of {name} has {shown}; correct or drop that row.")
                found.append(column)
            yield found[0], found[1], found[2] if len(found) == 3 else None
            row += batch.num_rows
    except LpgraphError:
        raise
    except (OSError, ValueError, arrow.ArrowException) as error:
        why = str(error).splitlines()[0][:200].rstrip(".")
        raise FileFormatError(f"{name}: its rows cannot be read, or it is not whole ({why}).") from None


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
