"""Written files: regular files are replaced atomically; devices, pipes and open descriptors are written to."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from lpgraph.errors import ArgumentError, ArgumentTypeError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

_BINARY = getattr(os, "O_BINARY", 0)
_DESCRIPTOR = re.compile(rf"/dev/(stdout|stderr|fd/(\d+))|/proc/(?:self|{os.getpid()})/fd/(\d+)")


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

    A regular file is replaced as a whole or not at all, with its mode and owner. A symbolic link is followed. A
    device, a pipe or an open descriptor, such as ``/dev/stdout``, is written to directly. Errors of the system
    carry the path.
    """
    check_path("path", path)
    name = os.fsdecode(path)
    try:
        if is_replaced(name):
            with _draft(Path(os.path.realpath(name))) as file:
                yield file
        else:
            number = _descriptor(name)
            # A duplicate continues at the place of the descriptor; opening its path could truncate the file.
            with open(name if number is None else os.dup(number), "wb") as file:
                yield file
    except OSError as error:
        if error.errno == errno.ENOENT and not Path(name).parent.is_dir():
            raise missing_file(name) from None
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, name) from None


def is_replaced(path: str | os.PathLike[str]) -> bool:
    """Whether `written` replaces or makes a file there; False for a device, a pipe or an open descriptor."""
    name = os.path.abspath(os.fsdecode(path))
    if os.path.isdir(name):
        raise ArgumentError(f"path={name!r} is a folder; pass a file name.")
    return _descriptor(name) is None and (not os.path.exists(name) or os.path.isfile(name))


def _descriptor(name: str) -> int | None:
    """Return the open descriptor that a path names, if it does: its link may lead to a regular file."""
    found = _DESCRIPTOR.fullmatch(name)
    if found is None:
        return None
    return {"stdout": 1, "stderr": 2}.get(found[1]) or int(found[2] or found[3])


@contextmanager
def _draft(target: Path) -> Iterator[IO[bytes]]:
    """Yield a hidden file in the folder of `target`, which replaces it if the block succeeds."""
    draft = target.with_name(f".lpgraph-{secrets.token_hex(8)}")
    before = target.stat() if target.exists() else None
    mode = 0o666 if before is None else 0o600
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode), "wb") as file:
            yield file
            if before is not None:
                _become_like(draft, before)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    if os.name == "posix":  # the renaming is durable too
        with suppress(OSError):
            number = os.open(target.parent, os.O_RDONLY)
            os.fsync(number)
            os.close(number)


def _become_like(path: Path, other: os.stat_result) -> None:
    """Give a file the mode of another one, and its owner and group where the system allows that."""
    mode = stat.S_IMODE(other.st_mode)
    try:
        if os.name == "posix":
            os.chown(path, other.st_uid, other.st_gid)
    except PermissionError:
        mode &= ~stat.S_IRWXG  # the rights of its group are not for another group
    path.chmod(mode)


def open_regular(path: str | os.PathLike[str]) -> int:
    """Return a descriptor for reading a regular file; opening never waits for the other end of a pipe."""
    name = os.fsdecode(path)
    number = os.open(name, os.O_RDONLY | _BINARY | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(number).st_mode
    if stat.S_ISREG(mode):
        return number
    os.close(number)
    if stat.S_ISDIR(mode):
        raise ArgumentError(f"path={name!r} is a folder; pass a file name.")
    raise ArgumentError(f"path={name!r} is a pipe or a device; copy its content to a file first.")
