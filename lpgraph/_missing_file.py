"""Errors of paths: of what is no path, and of a missing file, with the similar names in its folder."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lpgraph._articles import a_type
from lpgraph._names import nearest
from lpgraph.errors import ArgumentTypeError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_path", "existing", "missing_file"]

#: Names in a folder that are compared.
_COMPARED = 10_000
#: Least similarity of a name that is proposed.
_SIMILAR = 0.75


def check_path(name: str, value: object) -> None:
    """Refuse what is no path.

    Examples
    --------
    >>> from lpgraph._missing_file import check_path
    >>> check_path("path", None)
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentTypeError: path is a NoneType; pass the name of a file.
    """
    if not isinstance(value, str | bytes | os.PathLike):
        raise ArgumentTypeError(f"{name} is {a_type(value)}; pass the name of a file.")


@contextmanager
def existing(path: str | os.PathLike[str], argument: str = "path") -> Iterator[None]:
    """Raise `MissingFileError` for a file that the block does not find; `argument` is the caller's name for it."""
    try:
        yield
    except FileNotFoundError:
        raise missing_file(path, argument) from None


def missing_file(
    path: str | os.PathLike[str], argument: str = "path", remedy: str = "check its path"
) -> MissingFileError:
    """Return the error of a missing file, which asks whether a file of a similar name was meant.

    `remedy` is what to do if its folder is missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lpgraph._missing_file import missing_file
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "routes.csv").write_text("ATL,SEA")
    >>> str(missing_file(folder / "rotues.csv")).partition(": ")[2].replace(str(folder), "")
    "there is no such file; check its path. Is '/routes.csv' meant?"
    """
    name = os.fsdecode(path)
    folder = Path(name).parent
    if folder.is_dir():
        message = f"{argument}={name!r}: there is no such file; check its path."
        # Without suffixes, which would make all csv files similar.
        names = {_stem(other): other for other in sorted(_names(folder))}
        near = nearest(_stem(Path(name).name), names, _SIMILAR)
        if near is not None:
            message += f" Is {os.path.join(os.path.dirname(name), names[near])!r} meant?"
    else:
        message = f"{argument}={name!r}: there is no folder {str(folder)!r}; {remedy}."
    error = MissingFileError(message)
    error.errno, error.filename = errno.ENOENT, name
    return error


def _stem(name: str) -> str:
    return name.partition(".")[0] or name


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, _COMPARED) if entry.is_file()]
    except OSError:  # the folder may not be readable
        return []
