"""Progress of long computations: records of the loggers below "lpgraph", and listeners to them."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import RLock, get_ident
from typing import TYPE_CHECKING

from lpgraph._interrupts import surely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Step", "listen", "tell"]


@dataclass(frozen=True)
class Step:
    """How far a computation is: a text, and what is done of a total if that is known."""

    text: str
    done: int | None = None
    total: int | None = None


def tell(log: logging.Logger, text: str, *values: object, of: tuple[int, int] | None = None) -> None:
    """Log how far a computation is at level INFO, with the numbers that are done and the total in `of`."""
    if log.isEnabledFor(logging.INFO):
        log.info(text, *values, extra={"lpgraph_of": of}, stacklevel=2)


@contextmanager
def listen(listener: Callable[[Step], object]) -> Iterator[None]:
    """Call a listener with each step of the computations of this thread while the block runs."""
    token = object()
    try:
        surely(partial(_listeners.add, token, listener))
        yield
    finally:
        surely(partial(_listeners.remove, token))


class _Listeners(logging.Handler):
    """Handler of the logger "lpgraph", which is as it was when the last listener has left.

    If each thread restored what it had found, one that began within another's block and ended later would leave
    the other's level for good.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._guard = RLock()
        self._of: dict[object, tuple[int, Callable[[Step], object]]] = {}
        self._before: tuple[int, bool] | None = None
        self._log = logging.getLogger("lpgraph")

    def add(self, token: object, listener: Callable[[Step], object]) -> None:
        """Add a listener to the computations of this thread; may be repeated."""
        with self._guard:
            self._of[token] = get_ident(), listener
            if self._before is None:
                self._before = self._log.level, self._log.propagate
            if not self._log.isEnabledFor(logging.INFO):
                self._log.setLevel(logging.INFO)
                self._log.propagate = False  # other handlers get what they got before: nothing
            self._log.addHandler(self)

    def remove(self, token: object) -> None:
        """Remove a listener; may be repeated."""
        with self._guard:
            self._of.pop(token, None)
            if not self._of and self._before is not None:
                self._log.removeHandler(self)
                self._log.setLevel(self._before[0])
                self._log.propagate = self._before[1]
                self._before = None

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a record to the listeners of its thread."""
        done, total = getattr(record, "lpgraph_of", None) or (None, None)
        for thread, listener in tuple(self._of.values()):
            if record.thread in (None, thread):
                with suppress(Exception):  # a display must not stop the computation
                    listener(Step(record.getMessage(), done, total))


_listeners = _Listeners()
