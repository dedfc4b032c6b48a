"""Written files: regular files are replaced atomically; devices, pipes and open descriptors are written to."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from lpgraph._interrupts import surely
from lpgraph._missing_file import check_path, missing_file
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_replaced", "open_regular", "replace_file", "written"]

#: Folders of open descriptors, with links resolved: those of Linux, and of other systems.
_DESCRIPTORS = re.compile(r"/proc/(\d+)(?:/task/\d+)?/fd|/dev/fd")
_LINKS = 40
_ACL = "system.posix_acl_access"
_BINARY = getattr(os, "O_BINARY", 0)


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file as `written` does."""
    with written(path) as file:
        file.write(content)


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a binary file to write to, which becomes the file at `path` if the block succeeds.

    A regular file is replaced as a whole or not at all, with its mode, access list and (as far as permitted) owner
    and group. A symbolic link is followed. A device, a pipe or a descriptor, such as ``/dev/stdout``, is written
    to directly. Errors of the system carry the given path.
    """
    check_path("path", path)
    name = os.fsdecode(path)
    try:
        direct = _opened_directly(name)
        if direct is not None:
            with direct:
                yield direct
        else:
            with _draft(os.path.realpath(name)) as file:
                yield file
    except OSError as error:
        if error.errno is None:
            raise
        if isinstance(error, FileNotFoundError) and not Path(name).parent.is_dir():
            raise missing_file(name, remedy="make it first") from None
        raise OSError(error.errno, error.strerror, name) from None


def is_replaced(path: str | os.PathLike[str]) -> bool:
    """Whether `written` replaces or makes a file there; False for a device, a pipe or a descriptor."""
    name = os.fsdecode(path)
    return _descriptor(name) is None and _kind(name) in (None, stat.S_IFREG, stat.S_IFDIR)


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


def _kind(path: str) -> int | None:
    """Return the type of the file that a path leads to, or None if there is none."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


def _opened_directly(path: str) -> IO[bytes] | None:
    """Return an open file that is not to be replaced; None for a regular file and for a new one."""
    place = _descriptor(path)
    if place is not None:
        process, number = place
        if process in (None, os.getpid()):
            # A duplicate continues at the place of the descriptor; opening its path could truncate the file.
            return open(os.dup(number), "wb")
        return open(path, "wb")
    kind = _kind(path)
    if kind in (None, stat.S_IFREG):
        return None
    if kind == stat.S_IFDIR:
        raise ArgumentError(f"path={path!r} is a folder; pass a file name.")
    if kind == stat.S_IFSOCK:
        raise ArgumentError(f"path={path!r} is a socket; pass the name of a file or a pipe.")
    return open(os.open(path, os.O_WRONLY | _BINARY | getattr(os, "O_NOCTTY", 0)), "wb")


def _descriptor(path: str) -> tuple[int | None, int] | None:
    """Return the process (None: this one) and the number of the descriptor that a path names, if it does.

    The links in folders of descriptors lead to files, which `os.path.realpath` would return.
    """
    current = os.path.abspath(path)
    for _ in range(_LINKS):
        folder, name = os.path.split(current)
        folder = os.path.realpath(folder)
        found = _DESCRIPTORS.fullmatch(folder)
        if found is not None and name.isdecimal():
            return None if found[1] is None else int(found[1]), int(name)
        try:
            current = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except (OSError, ValueError):  # no link
            break
    return None


@contextmanager
def _draft(target: str) -> Iterator[IO[bytes]]:
    """Yield a hidden file in the folder of `target`, which replaces it if the block succeeds."""
    draft = Path(target).with_name(f".lpgraph-{secrets.token_hex(8)}")
    try:
        with _private(draft, is_new=not os.path.exists(target)) as file:
            yield file
            file.flush()
            _take_over(target, file.fileno())
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        surely(partial(draft.unlink, missing_ok=True))
    if os.name == "posix":
        _sync(draft.parent)


def _private(draft: Path, *, is_new: bool) -> IO[bytes]:
    """Open a draft that nobody else may read; where no file is replaced, with the rights of any new file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    try:
        return open(os.open(draft, flags, 0o666 if is_new else 0o600), "wb")
    except PermissionError as error:
        if is_new:
            raise
        why = "its folder cannot be written to, but it is replaced by a new file in the same folder"
        raise PermissionError(error.errno, why) from None


def _take_over(target: str, draft: int) -> None:
    """Give a draft the owner, group, access list and mode of the file that it replaces."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return
    if not hasattr(os, "fchown"):
        return
    mode = old.st_mode & 0o777
    with contextlib.suppress(OSError):  # only root gives files away
        os.fchown(draft, old.st_uid, -1)
    try:
        os.fchown(draft, -1, old.st_gid)
    except OSError:
        mode &= ~0o070  # the rights of a group are not for another group
    if not _copy_acl(target, draft):
        mode &= ~0o070  # with a list, these bits are the most that its entries grant
    os.fchmod(draft, mode)


def _copy_acl(target: str, draft: int) -> bool:
    """Copy the access list (Linux), or remove one that the folder has given; return whether that succeeded."""
    if not hasattr(os, "getxattr"):
        return True
    try:
        value = os.getxattr(target, _ACL)
    except OSError:  # the file has none, or its file system
        with contextlib.suppress(OSError):
            os.removexattr(draft, _ACL)
        return True
    try:
        os.setxattr(draft, _ACL, value)
    except OSError:
        return False
    return True


def _sync(folder: Path) -> None:
    """Make the renaming durable, where the folder may be read and its file system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
