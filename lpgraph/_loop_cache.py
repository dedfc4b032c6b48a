"""numba's compiled functions and their cache on disk; imported on the first call of a compiled loop."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

import numba
import numpy.ma  # noqa: F401 - numba's first call imports it, which a fork would not wait for
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock as compiler_lock

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compiler_lock", "dispatcher"]

_log = logging.getLogger("lpgraph.compiled")


def dispatcher(function: Callable[..., None], *, reassociate: bool) -> Callable[..., None]:
    """Return the compiled function, with a cache on disk if a folder can be written to."""
    fastmath = {"reassoc", "contract", "nsz"} if reassociate else False
    loop = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath)(function)
    with suppress(RuntimeError, OSError):
        loop._cache = _Cache(function)
    return loop  # type: ignore[no-any-return]  # numba's types are not followed


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
