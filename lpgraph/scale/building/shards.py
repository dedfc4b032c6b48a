"""The input of a build: files or a Dask data frame, which can be read again, or a table or stream in memory."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lpgraph._articles import a_type
from lpgraph._checks import import_extra
from lpgraph._missing_file import existing, missing_file
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.files.text import DELIMITERS
from lpgraph.scale.arrow_types import Reader
from lpgraph.scale.building.blocks import Block
from lpgraph.scale.building.columns import Columns
from lpgraph.scale.building.dask_shard import PartitionShard, partition_shards
from lpgraph.scale.building.table_shard import feather_blocks, parquet_blocks, stream_blocks
from lpgraph.scale.building.text_shard import Titles, text_blocks, titles_of

__all__ = ["FileShard", "Shard", "StreamShard", "as_shards", "can_be_read_again"]

_FORMATS = {
    **{f".{form}": form for form in DELIMITERS},
    ".tab": "tsv",
    ".edges": "txt",
    ".edgelist": "txt",
    ".ncol": "txt",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
}
_ENDS = 1 << 16


class Shard(Protocol):
    """A part of the edges."""

    @property
    def name(self) -> str: ...  # noqa: D102
    def state(self) -> dict[str, object] | None:
        """Return what tells whether the shard has changed; None if it cannot be read twice."""

    def blocks(self, columns: Columns, after: dict[str, int]) -> Iterator[Block]:
        """Yield the edges from a place on."""


@dataclass(frozen=True)
class FileShard:
    """A file of edges; `first` is the first text file, whose titles the others may repeat."""

    path: Path
    form: str
    first: Path | None = None

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    def state(self) -> dict[str, object]:
        """Return size, time of change, and a checksum of the beginning and the end."""
        with existing(self.path, "edges"), open(self.path, "rb") as file:
            found = os.fstat(file.fileno())
            ends = hashlib.sha256(file.read(_ENDS))
            file.seek(max(found.st_size - _ENDS, 0))
            ends.update(file.read(_ENDS))
        facts = {"size": found.st_size, "mtime_ns": found.st_mtime_ns}
        return {"path": str(self.path), **facts, "ends": ends.hexdigest()}

    def blocks(self, columns: Columns, after: dict[str, int]) -> Iterator[Block]:
        """Yield the edges from a place on."""
        if self.form == "parquet":
            return parquet_blocks(self.path, columns, after)
        if self.form == "feather":
            return feather_blocks(self.path, columns, after)
        known: Titles = None
        if self.first is not None and self.first != self.path:
            known = titles_of(self.first, self.form, columns)
        return text_blocks(self.path, self.form, columns, after, known)


@dataclass(frozen=True)
class StreamShard:
    """A table or a stream of record batches in memory."""

    reader: Reader
    name: str = "edges"

    def state(self) -> None:
        """Return None: it cannot be read twice."""

    def blocks(self, columns: Columns, after: dict[str, int]) -> Iterator[Block]:
        """Yield the edges from a place on."""
        return stream_blocks(self.reader, self.name, columns, after)


def can_be_read_again(shards: Sequence[Shard]) -> bool:
    """Whether a build of these shards goes on after a stop."""
    return bool(shards) and not isinstance(shards[0], StreamShard)


def as_shards(
    edges: object, form: str | None
) -> list[FileShard] | list[StreamShard] | list[PartitionShard] | None:
    """Return the shards of paths, of a table or of a Dask data frame; None for what may be a graph in memory."""
    import narwhals.stable.v1 as nw

    if isinstance(edges, str | os.PathLike):
        return _files([edges], form)
    if isinstance(edges, list | tuple) and edges and all(isinstance(one, str | os.PathLike) for one in edges):
        return _files(edges, form)
    if form is not None:
        raise ArgumentError(f"format={form!r} is for files and edges is {a_type(edges)}; leave it out.")
    if nw.dependencies.is_dask_dataframe(edges):
        return partition_shards(edges)
    reader = _reader(edges)
    return None if reader is None else [StreamShard(reader)]


def _reader(edges: object) -> Reader | None:
    import narwhals.stable.v1 as nw

    if hasattr(edges, "read_next_batch") and hasattr(edges, "schema"):
        return edges  # type: ignore[return-value]  # a pyarrow.RecordBatchReader
    if type(edges).__module__.startswith("pyarrow") and hasattr(edges, "to_reader"):
        return edges.to_reader()  # type: ignore[no-any-return]  # of a pyarrow.Table
    frame: object = nw.from_native(edges, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    import_extra("pyarrow", "scale")
    reader: Reader = frame.to_arrow().to_reader()
    return reader


def _files(paths: Sequence[str | os.PathLike[str]], form: str | None) -> list[FileShard]:
    listed: list[str] = []
    for path in map(os.fsdecode, paths):
        if os.path.isdir(path):
            raise ArgumentError(
                f"edges={path!r} is a folder; pass {os.path.join(path, '*.parquet')!r}, or its files."
            )
        if os.path.exists(path) or not glob.has_magic(path):
            if not os.path.exists(path):
                raise missing_file(path, "edges")
            listed.append(path)
            continue
        found = sorted(glob.glob(path, recursive=True))
        if not found:
            raise ArgumentError(f"edges={path!r} matches no file; check its folder.")
        listed.extend(found)
    twice = (
        next((path for k, path in enumerate(listed) if path in listed[:k]), None) if len(listed) < 10_000 else None
    )
    if twice is not None:
        raise ArgumentError(f"edges has {twice!r} twice; name each file once.")
    texts = [path for path in listed if (form or _form_of(path)) in DELIMITERS]
    first = Path(texts[0]) if texts else None
    return [FileShard(Path(os.path.abspath(path)), _checked(form) or _form_of(path), first) for path in listed]


def _checked(form: str | None) -> str | None:
    if form is not None and form not in _FORMATS.values():
        raise ArgumentTypeError(f"format={form!r}; pass one of {', '.join(sorted(set(_FORMATS.values())))}.")
    return form


def _form_of(path: str) -> str:
    stem, suffix = os.path.splitext(path.lower().removesuffix(".gz"))
    del stem
    if suffix not in _FORMATS:
        raise ArgumentError(
            f"edges={path!r} has no suffix of a table of edges; pass format=, or rename it to end in "
            f"{', '.join(sorted(_FORMATS))}."
        )
    return _FORMATS[suffix]
