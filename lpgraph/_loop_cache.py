"""numba's compiled functions and their cache on disk; imported on the first call of a compiled loop.

numba's cache files are pickles: anyone who can write them can run code in a process that reads them. They are read
and written only in a folder that belongs to the current user (or root) and that nobody else can write to.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

import numba
from numba.core import caching
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler_lock import global_compiler_lock

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["dispatcher", "is_private"]

_log = logging.getLogger("lpgraph.compiled")

if hasattr(os, "register_at_fork"):
    # A fork waits until another thread has compiled: the child would find numba's lock taken forever.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )


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
    """Whether only this user (or root) owns and can write to some folders, and to numba's files in the first.

    An empty folder of this user is made private: numba has just made it, with the process's umask. Always true
    where permissions are not POSIX's.
    """
    if os.name != "posix":
        return True
    user, first = os.geteuid(), folders[0]
    os.makedirs(first, mode=0o700, exist_ok=True)
    if os.path.basename(first) != "__pycache__" and os.stat(first).st_uid == user and not os.listdir(first):
        os.chmod(first, 0o700)
    found = [os.stat(folder) for folder in folders]
    files = [os.stat(entry) for entry in os.scandir(first) if entry.name.endswith((".nbi", ".nbc"))]
    reachable = found[0].st_mode & (stat.S_IXGRP | stat.S_IXOTH)
    others_write = stat.S_IWGRP | stat.S_IWOTH
    return all(one.st_uid in (user, 0) for one in found + files) and not any(
        one.st_mode & others_write for one in (found + files if reachable else found)
    )


class _Cache(FunctionCache):  # type: ignore[misc]  # numba's types are not followed
    """numba's cache; where its files are damaged or cannot be written, the function is compiled again."""

    def load_overload(self, sig: object, target_context: object) -> object:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            _log.info("%s is compiled again, its cache cannot be read: %r", self._name, error)
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: object, data: object) -> None:
        with suppress(Exception):  # a full disk, a folder that has gone
            super().save_overload(sig, data)


class _InUserFolder(CompileResultCacheImpl):  # type: ignore[misc]  # numba's types are not followed
    # Older versions of numba call it by a private name.
    _locator_classes = (getattr(caching, "UserWideCacheLocator", None) or caching._UserWideCacheLocator,)


class _CacheInUserFolder(_Cache):
    _impl_class = _InUserFolder
