"""The content of a file with the options of the caller, and its errors."""

from __future__ import annotations

import gzip
import io
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lpgraph._missing_file import existing
from lpgraph.errors import ArgumentTypeError, FileFormatError, LpgraphError

if TYPE_CHECKING:
    import os

    from typing_extensions import TypeIs

__all__ = ["NoEdgesError", "Source", "open_source"]

#: A small file may claim this many vertices: more must have a byte each.
_VERTICES = 2_000_000


class NoEdgesError(FileFormatError):
    """A table of edges has titles and no edges."""


@dataclass(frozen=True)
class Source:
    """The content of a file and the options of the caller."""

    path: str
    content: bytes
    weight: str | None = "weight"
    vertices: int | Iterable[Hashable] | None = None
    #: Titles of the columns of end points, and whether the first line has titles; None: as the file says.
    ends: tuple[str, str] | None = None
    header: bool | None = None

    def error(
        self, why: str, line: int | None = None, kind: type[FileFormatError] = FileFormatError
    ) -> FileFormatError:
        """Return the error that names the file and, if known, the line."""
        end = "" if why.endswith("?") else "."
        return kind(f"{self.path}{'' if line is None else f', line {line}'}: {why}{end}")

    def check_size(self, n: int) -> None:
        """Raise if the graph has no vertices, or if the file claims many more than it has bytes."""
        if n < 1:
            raise self.error("the graph has no vertices")
        if n > max(_VERTICES, len(self.content)):
            raise self.error(f"it claims {n} vertices in {len(self.content)} bytes; it is damaged")

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turn whatever a reader raises into an error with the file and the reader's words."""
        try:
            yield
        except (LpgraphError, ImportError):
            raise
        except MemoryError:
            raise self.error("it takes more memory than there is") from None
        except Exception as error:
            words = (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(".")
            raise self.error(f"it is no whole {what} file ({words})") from error


def open_source(path: str | os.PathLike[str] | BinaryIO) -> Source:
    """Return the content of a file, unpacked if it is gzipped."""
    if _is_binary(path):
        content, file = path.read(), Path(str(getattr(path, "name", "the stream")))
        if not isinstance(content, bytes):
            raise ArgumentTypeError("path is a file opened as text; open it as bytes: open(path, 'rb').")
        while piece := path.read():  # an unbuffered stream, such as a pipe, may return less than there is
            content += piece
    else:
        file = Path(path)
        with existing(path):
            content = file.read_bytes()
    source = Source(str(file), content)
    if content[:2] == b"\x1f\x8b":
        with source.reading("gzip"), gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            return replace(source, content=packed.read())
    if file.suffix == ".gz":
        raise source.error("it is called .gz but is not gzipped; rename it")
    return source


def _is_binary(path: object) -> TypeIs[BinaryIO]:
    return hasattr(path, "read")
