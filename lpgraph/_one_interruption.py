"""Interruptions of the command line: any number of them ends it once, with one exit code and no traceback."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType, TracebackType

__all__ = ["OneInterruption"]

#: Seconds until an interruption that was lost is raised again.
_PAUSE = 0.5


class OneInterruption:
    """Handling of SIGINT for one command: the first raises KeyboardInterrupt, and those after it do nothing.

    An exception cannot leave a finaliser, the callback of a weak reference or some code in C: Python prints it
    there, or drops it. Here it is not printed, and is raised again until `end` is called.

    Attributes
    ----------
    happened : bool
        Whether there was an interruption.

    Examples
    --------
    >>> import signal
    >>> from lpgraph._one_interruption import OneInterruption
    >>> interruption = OneInterruption()
    >>> previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    >>> interruption.begin()
    >>> try:
    ...     signal.raise_signal(signal.SIGINT)
    ... except KeyboardInterrupt:
    ...     signal.raise_signal(signal.SIGINT)
    >>> interruption.end()
    >>> interruption.happened
    True
    >>> _ = signal.signal(signal.SIGINT, previous)
    """

    def __init__(self) -> None:
        self.happened = False
        self._handles = self._due = self._over = False
        self._thread = threading.get_ident()
        self._unraisable_hook, self._hook = sys.unraisablehook, sys.excepthook

    def begin(self) -> None:
        """Handle SIGINT from now on, unless the process ignores it or handles it already."""
        # A process in the background ignores the signal, and only the main thread may handle it.
        main = threading.current_thread() is threading.main_thread()
        self._handles = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._handles:
            sys.unraisablehook, sys.excepthook = self._unraisable, self._uncaught
            signal.signal(signal.SIGINT, self._handle)

    def end(self) -> None:
        """Raise no interruption any more; after one, SIGINT is ignored for the rest of the process."""
        self._over = True
        if not self._handles:
            return
        if self.happened:  # another one would be reported while Python ends
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        else:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook, sys.excepthook = self._unraisable_hook, self._hook

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._over or (self.happened and not self._due):
            return
        first = not self.happened
        self.happened, self._due = True, False
        if first:
            self._start()
        raise KeyboardInterrupt

    def _start(self) -> None:
        try:
            # A Thread would take locks, which the interrupted code may hold.
            _thread.start_new_thread(self._repeat, ())
        except RuntimeError:  # no more threads: every further signal counts
            self._due = True

    def _repeat(self) -> None:
        """Raise the interruption again until `end`."""
        while True:
            time.sleep(_PAUSE)
            if self._over:
                return
            self._due = True
            if hasattr(signal, "pthread_kill"):  # unlike interrupt_main, it ends a wait of the system
                signal.pthread_kill(self._thread, signal.SIGINT)
            else:
                _thread.interrupt_main()

    def _unraisable(self, unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            self._unraisable_hook(unraisable)

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        # Code in C may print an exception itself, while a package is imported for example.
        if not issubclass(kind, KeyboardInterrupt):
            self._hook(kind, error, trace)
