"""What a computation says while it runs: progress of long ones, and warnings that point at the user's line."""

from __future__ import annotations

import logging
import sys
import threading
import time
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lpgraph.errors import ArgumentTypeError, LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

#: Seconds before the first line, so that quick fits show nothing, and between two lines.
_FIRST, _BETWEEN = 0.3, 2.0

_log = logging.getLogger("lpgraph")


def tell(log: logging.Logger, text: str, *values: object) -> None:
    """Log how far a computation is at level INFO."""
    log.info(text, *values, stacklevel=2)


@contextmanager
def progress(file: TextIO | None = None) -> Iterator[None]:
    """Show how far the fits in a block are: eigenpairs found and their residuals, clusterings tried, and so on.

    A line is written every two seconds, and none in the first 0.3 seconds, so that quick fits leave no trace. Only
    fits in the thread that opened the block are shown. The same texts are in the log: loggers below "lpgraph",
    level INFO.

    Parameters
    ----------
    file : text file, optional
        Where to write. Default: standard error.

    Raises
    ------
    ArgumentTypeError
        If `file` is no text file.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> with lp.progress():
    ...     model = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    """
    if file is not None and not (hasattr(file, "write") and hasattr(file, "flush")):
        raise ArgumentTypeError(f"file={file!r:.40} cannot be written to; pass an open text file, or None.")
    handler, before = _Paced(file), (_log.level, _log.propagate)
    _log.addHandler(handler)
    if not _log.isEnabledFor(logging.INFO):
        _log.setLevel(logging.INFO)
        _log.propagate = False  # other handlers get what they got before: nothing
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.setLevel(before[0])
        _log.propagate = before[1]


class _Paced(logging.StreamHandler["TextIO"]):
    """Handler that shows one record of the thread that made it every two seconds."""

    def __init__(self, file: TextIO | None) -> None:
        super().__init__(file)
        self._thread, self._began = threading.get_ident(), time.monotonic()
        self._next = self._began + _FIRST

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record."""
        now = time.monotonic()
        if now >= self._next and record.thread == self._thread:
            self._next = now + _BETWEEN
            super().emit(record)

    def format(self, record: logging.LogRecord) -> str:
        """Return the seconds since the block was entered, and the text."""
        return f"{time.monotonic() - self._began:.0f} s {record.getMessage()}"


def warn(message: str, category: type[Warning] = LpgraphWarning) -> None:
    """Warn with the location of the first caller outside of lpgraph and scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("lpgraph", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
