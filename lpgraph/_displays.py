"""The function `progress`: how far fits are, on a terminal, in a notebook or in a log file."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from lpgraph._progress import Step, listen
from lpgraph.errors import ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["progress"]

#: Seconds before the first display, so that quick fits show nothing, and between two on a screen and in a file.
_FIRST, _SCREEN, _FILE = 0.3, 0.1, 2.0

_BAR = 20


class Stream(Protocol):
    """The methods of a text file that are used."""

    def write(self, text: str, /) -> object:
        """Write a text."""

    def flush(self) -> object:
        """Write what is buffered."""


@contextmanager
def progress(file: Stream | None = None) -> Iterator[None]:
    """Show how far the fits in a block are: eigenpairs found and their residuals, clusterings tried, and so on.

    On a terminal it is one line, which is removed at the end. A notebook shows a bar. Other files get a line
    every two seconds. Nothing is shown in the first 0.3 seconds, so that quick fits leave no trace. Only fits in
    the thread that opened the block are shown. The same texts are in the log: loggers below "lpgraph", level INFO.

    Parameters
    ----------
    file : text file, optional
        Where to write. Default: the notebook, or standard error.

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
    display = _display(file)
    try:
        with listen(display.show):
            yield
    finally:
        display.close()


def _display(file: Stream | None) -> _Display:
    if file is None and _in_notebook():
        return _Notebook()
    chosen = sys.stderr if file is None else file
    return _Line(chosen) if getattr(chosen, "isatty", lambda: False)() else _Lines(chosen)


def _in_notebook() -> bool:
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


class _Display:
    """What a block shows; a subclass writes."""

    every = _SCREEN

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._next = self._began + _FIRST
        self._last: Step | None = None

    def show(self, step: Step) -> None:
        """Show a step, unless another was shown just before."""
        now = time.monotonic()
        if now >= self._next:
            self._next, self._last = now + self.every, step
            self.write(step, now - self._began)

    def close(self) -> None:
        """Remove or complete what was shown."""
        if self._last is not None:
            self.end(self._last, time.monotonic() - self._began)

    def write(self, step: Step, seconds: float) -> None:
        """Show a step."""

    def end(self, step: Step, seconds: float) -> None:
        """Remove or complete what was shown; `step` was shown last."""


class _Line(_Display):
    """One line of a terminal, which is written again and again."""

    def __init__(self, file: Stream) -> None:
        super().__init__()
        self._file = file

    def write(self, step: Step, seconds: float) -> None:
        width = shutil.get_terminal_size().columns - 1
        text = f"{seconds:.0f} s {_bar(step)}{step.text}"
        self._file.write("\r" + text[:width].ljust(width))
        self._file.flush()

    def end(self, step: Step, seconds: float) -> None:
        self._file.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
        self._file.flush()


class _Lines(_Display):
    """Lines of a file."""

    every = _FILE

    def __init__(self, file: Stream) -> None:
        super().__init__()
        self._file = file

    def write(self, step: Step, seconds: float) -> None:
        self._file.write(f"{seconds:.0f} s {step.text}\n")
        self._file.flush()


class _Notebook(_Display):
    """A bar and a text below a cell of a notebook."""

    def __init__(self) -> None:
        super().__init__()
        self._tools: Any = import_module("IPython.display")
        self._handle: Any = None

    def write(self, step: Step, seconds: float) -> None:
        bar = ""
        if step.total:
            bar = f'<progress value="{step.done}" max="{step.total}" aria-label="progress"></progress> '
        self._update(f"{bar}{escape(step.text)} ({seconds:.0f} s)")

    def end(self, step: Step, seconds: float) -> None:
        self._update(f"finished after {seconds:.1f} s")

    def _update(self, text: str) -> None:
        shown = self._tools.HTML(f"<div>{text}</div>")
        if self._handle is None:
            self._handle = self._tools.display(shown, display_id=True)
        else:
            self._handle.update(shown)


def _bar(step: Step) -> str:
    if not step.total or step.done is None:
        return ""
    full = _BAR * min(step.done, step.total) // step.total
    return f"[{'#' * full}{'.' * (_BAR - full)}] "
