"""The content of a file: read and unpacked within a limit."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lpgraph._checks import check_integer
from lpgraph._missing_file import existing
from lpgraph.errors import ArgumentTypeError
from lpgraph.graph.files.common import Source
from lpgraph.graph.files.memory import CONTENT, TEXT, default_limit

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = ["open_source"]

#: Bytes unpacked at a time, and those unpacked beyond the limit, to say how many there are.
_PIECE, _COUNTED = 1 << 20, 1 << 30


def open_source(path: str | os.PathLike[str] | BinaryIO, max_bytes: int | None) -> Source:
    """Return the content of a file, unpacked if it is gzipped, and the memory that may be taken for it."""
    limit = None if max_bytes is None else check_integer("max_bytes", max_bytes, low=1)
    if _is_binary(path):
        content, file = _read(path, limit), Path(str(getattr(path, "name", "the stream")))
    else:
        file = Path(path)
        with existing(path):
            opened = open(file, "rb")  # noqa: SIM115 - closed by the next block
        with opened:
            content = _read(opened, limit)
    source = Source(str(file), content, default_limit(len(content)) if limit is None else limit)
    if len(content) > source.max_bytes:
        raise source.error(f"it has more than max_bytes={limit} bytes; pass more if you trust the file")
    if content[:2] == b"\x1f\x8b":
        return _unpacked(source)
    if file.suffix == ".gz":
        raise source.error("it is called .gz but is not gzipped; rename it")
    source.check_bytes(CONTENT * len(content), TEXT * len(content))
    return source


def _read(file: BinaryIO, limit: int | None) -> bytes:
    """Return everything that is in a file, or a byte more than the limit."""
    content = file.read() if limit is None else file.read(limit + 1)
    if not isinstance(content, bytes):
        raise ArgumentTypeError("path is a file opened as text; open it as bytes: open(path, 'rb').")
    # An unbuffered stream, such as a pipe, may return less than it is asked for.
    while limit is not None and len(content) <= limit and (piece := file.read(limit + 1 - len(content))):
        content += piece
    return content


def _is_binary(path: object) -> TypeIs[BinaryIO]:
    return hasattr(path, "read")


def _unpacked(source: Source) -> Source:
    most = source.max_bytes // CONTENT
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(source.content)) as file:
            content = file.read(most + 1)
            if len(content) <= most:
                return replace(source, content=content)
            size = len(content)
            del content
            while size <= most + _COUNTED and (piece := file.read(_PIECE)):
                size += len(piece)
    except (EOFError, OSError, zlib.error) as error:
        raise source.error(f"its gzip data are truncated or damaged: {error}") from None
    if size > most + _COUNTED:
        raise source.error(
            f"it unpacks to more than {size} bytes and max_bytes is {source.max_bytes}; if you trust the file, "
            "unpack it by gzip first"
        )
    source.check_bytes(CONTENT * size, TEXT * size)
    return source
