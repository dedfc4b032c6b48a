"""numba's compiled functions and their cache on disk; imported on the first call of a compiled loop.

numba's cache files are pickles: anyone who can write them can run code in a process that reads them. They are read
and written only in a folder that belongs to the current user (or root), and that others can neither write to nor
replace.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numba
import numpy.ma  # noqa: F401 - numba's first call imports it, which a fork would not wait for
from numba.core import caching
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler_lock import global_compiler_lock as compiler_lock

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compiler_lock", "dispatcher", "is_private"]

#: Suffixes of numba's index and data files.
_SUFFIXES = (".nbi", ".nbc")

_log = logging.getLogger("lpgraph.compiled")


def dispatcher(function: Callable[..., None], *, reassociate: bool) -> Callable[..., None]:
    """Return the compiled function, with a cache on disk if there is a private folder for it."""
    fastmath = {"reassoc", "contract", "nsz"} if reassociate else False
    loop = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath)(function)
    named = [numba.config.CACHE_DIR] if numba.config.CACHE_DIR else []
    # A folder that the user has named is not replaced by another one.
    for kind in (_Cache,) if named else (_Cache, _CacheInUserFolder):
        with suppress(RuntimeError, OSError):  # no folder can be written to
            cache = kind(function)
            if is_private(cache.cache_path, *named):
                loop._cache = cache
                break
            _log.info("no cache for %s: others can write to %s", function.__qualname__, cache.cache_path)
    return loop  # type: ignore[no-any-return]  # numba's types are not followed


def is_private(*folders: str) -> bool:
    """Whether only this user (or root) can write to or replace some folders, and numba's files in the first.

    An empty folder of this user is made private: numba has just made it, with the process's umask. Always true
    where permissions are not POSIX's.
    """
    if os.name != "posix":
        return True
    first = folders[0]
    os.makedirs(first, mode=0o700, exist_ok=True)
    is_own = os.stat(first).st_uid == os.geteuid()
    if os.path.basename(first) != "__pycache__" and is_own and not os.listdir(first):
        os.chmod(first, 0o700)
    if not all(_only_ours(os.stat(folder)) and _is_kept(folder) for folder in folders):
        return False
    # Not followed: the target of a link may be in a folder of others, and opening a pipe would wait.
    files = [entry.stat(follow_symlinks=False) for entry in os.scandir(first) if entry.name.endswith(_SUFFIXES)]
    reachable = os.stat(first).st_mode & (stat.S_IXGRP | stat.S_IXOTH)
    return all(stat.S_ISREG(one.st_mode) and _only_ours(one, others=bool(reachable)) for one in files)


def _only_ours(found: os.stat_result, *, others: bool = True) -> bool:
    """Whether a file belongs to this user or root, and `others` have no right to write to it."""
    writable = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) if others else 0
    return found.st_uid in (os.geteuid(), 0) and not writable


def _is_kept(folder: str) -> bool:
    """Whether nobody else can put another folder or link in the place of this one."""
    for path in (os.path.abspath(folder), os.path.realpath(folder)):
        above = path
        while above != os.path.dirname(above):
            found = os.lstat(above)
            if stat.S_ISLNK(found.st_mode) and not _only_ours(found, others=False):
                return False
            above = os.path.dirname(above)
            found = os.stat(above)
            # In a folder with the sticky bit, such as /tmp, only its owner can rename an entry.
            if not _only_ours(found, others=not found.st_mode & stat.S_ISVTX):
                return False
    return True


class _Cache(FunctionCache):  # type: ignore[misc]  # numba's types are not followed
    """numba's cache; where its files are damaged or cannot be written, the function is compiled again."""

    def load_overload(self, sig: object, target_context: object) -> object:
        try:
            found = super().load_overload(sig, target_context)
            # Two processes that compile at the same time may give one name to the code of two signatures.
            if found is None or self._is_code_of(found, sig):
                return found
            raise ValueError(f"it has the code of {found.fndesc.qualname}{found.signature}")
        except Exception as error:
            _log.info("%s is compiled again, its cache cannot be read: %r", self._name, error)
            with suppress(OSError):
                self.flush()
            return None

    def _is_code_of(self, found: Any, arguments: Any) -> bool:
        """Whether code is that of this function, for arguments of these types."""
        name = self._py_func.__module__, self._py_func.__qualname__
        return (found.fndesc.modname, found.fndesc.qualname) == name and found.signature.args == tuple(arguments)

    def save_overload(self, sig: object, data: object) -> None:
        with suppress(Exception):  # a full disk, a folder that has gone
            super().save_overload(sig, data)


class _InUserFolder(CompileResultCacheImpl):  # type: ignore[misc]  # numba's types are not followed
    # Older versions of numba call it by a private name.
    _locator_classes = (getattr(caching, "UserWideCacheLocator", None) or caching._UserWideCacheLocator,)


class _CacheInUserFolder(_Cache):
    _impl_class = _InUserFolder
