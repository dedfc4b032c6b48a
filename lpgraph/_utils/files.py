"""Written files: regular files are replaced atomically; devices, pipes and open streams are written to."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from lpgraph.errors import ArgumentError, ArgumentTypeError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

#: Links to open streams, which may be regular files: their content is continued.
_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a value can be the name of a file."""
    return isinstance(value, str | bytes | os.PathLike)


def check_path(name: str, value: object) -> None:
    """Refuse what is no path."""
    if not is_path(value):
        raise ArgumentTypeError(f"{name} is of type {type(value).__name__}; pass the name of a file.")


@contextmanager
def existing(path: str | os.PathLike[str], argument: str = "path") -> Iterator[None]:
    """Raise `MissingFileError` for a file that the block does not find; `argument` is the caller's name for it."""
    try:
        yield
    except FileNotFoundError:
        raise missing_file(path, argument) from None


def missing_file(path: str | os.PathLike[str], argument: str = "path") -> MissingFileError:
    """Return the error of a missing file, or of a missing folder."""
    name = os.fsdecode(path)
    folder = Path(name).parent
    what = "there is no such file; check its path" if folder.is_dir() else f"there is no folder {str(folder)!r}"
    error = MissingFileError(f"{argument}={name!r}: {what}.")
    error.errno, error.filename = errno.ENOENT, name
    return error


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file as `written` does."""
    with written(path) as file:
        file.write(content)


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a binary file to write to, which becomes the file at `path` if the block succeeds.

    A regular file is replaced as a whole or not at all, with its mode, and with its group where the system permits
    it. A symbolic link is followed. A device, a pipe or an open stream, such as ``/dev/stdout``, is written to
    directly. Errors of the system carry the path.
    """
    check_path("path", path)
    name = os.fsdecode(path)
    if os.path.isdir(name):
        raise ArgumentError(f"path={name!r} is a folder; pass a file name.")
    is_regular = os.path.isfile(name) or not os.path.exists(name)
    as_whole = is_regular and not name.startswith(_STREAMS)
    try:
        with _draft(Path(os.path.realpath(name))) if as_whole else open(name, "ab") as file:
            yield file
    except FileNotFoundError:
        raise missing_file(name) from None
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, name) from None


@contextmanager
def _draft(target: Path) -> Iterator[IO[bytes]]:
    """Yield a hidden file in the folder of `target`, which replaces it if the block succeeds."""
    draft = target.with_name(f".lpgraph-{secrets.token_hex(8)}")
    before = target.stat() if target.exists() else None
    try:
        draft.touch(0o666 if before is None else 0o600, exist_ok=False)
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            with suppress(AttributeError, PermissionError):  # not POSIX, or not a group of the user
                os.chown(draft, -1, before.st_gid)
            draft.chmod(stat.S_IMODE(before.st_mode))
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
