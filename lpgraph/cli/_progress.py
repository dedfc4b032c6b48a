"""Progress on standard error, shown only if that is a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from lpgraph.cli._terminal import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

__all__ = ["bar", "computing", "say", "working"]


def _is_watched() -> bool:
    return sys.stderr.isatty()


def say(text: str) -> None:
    """Print a line to standard error if that is a terminal."""
    if _is_watched():
        print(visible(text), file=sys.stderr)


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show `text` with a spinner while the block runs."""
    if not _is_watched():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{text} ..."):
        yield


@contextmanager
def bar(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the block runs; yield a function of the steps done and their total."""
    if not _is_watched():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with _progress(*columns) as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def computing(text: str) -> Iterator[None]:
    """Show the progress of the eigensolver and of the clustering, from their logs, while the block runs."""
    if not _is_watched():
        yield
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(20),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
    )
    with _progress(SpinnerColumn(), *columns) as progress, ExitStack() as stack:
        task = progress.add_task(text, total=None, told="")
        stack.enter_context(_heard("lpgraph.spectral", lambda args: progress.update(task, **_solved(*args))))
        stack.enter_context(_heard("lpgraph.infer", lambda args: progress.update(task, **_clustered(*args))))
        yield


def _progress(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)


def _solved(stage: str, number: int, converged: int, k: int, worst: float, products: int) -> dict[str, Any]:
    """Return what the bar shows of a record of the eigensolver."""
    return {
        "completed": converged,
        "total": k,
        "told": f"{converged}/{k} pairs, {stage} {number}, residual {worst:.0e}",
    }


def _clustered(clusters: int, model: str | int, length: float) -> dict[str, Any]:
    """Return what the bar shows of a record of the clustering."""
    return {"completed": None, "total": None, "told": f"{clusters} clusters tried"}


@contextmanager
def _heard(name: str, listen: Callable[[tuple[Any, ...]], None]) -> Iterator[None]:
    """Pass the values of the records of a logger to a listener while the block runs, and not to other loggers."""

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            # Other records have other values; the bar must not stop the computation.
            with suppress(TypeError, ValueError):
                listen(record.args if isinstance(record.args, tuple) else ())

    logger, listener = logging.getLogger(name), Listener()
    level, propagate = logger.level, logger.propagate
    if not logger.isEnabledFor(logging.INFO):
        logger.setLevel(logging.INFO)
        logger.propagate = False
    logger.addHandler(listener)
    try:
        yield
    finally:
        logger.removeHandler(listener)
        logger.setLevel(level)
        logger.propagate = propagate
