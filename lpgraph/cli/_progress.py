"""Progress on standard error, shown only if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lpgraph._progress import Step, listen
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
    """Show how far the computations in the block are, from their logs."""
    if not _is_watched():
        yield
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(20),
        TextColumn("{task.fields[told]}", markup=False),
        TimeElapsedColumn(),
    )
    with _progress(SpinnerColumn(), *columns) as progress:
        task = progress.add_task(text, total=None, told="")

        def show(step: Step) -> None:
            progress.update(task, completed=step.done, total=step.total, told=step.text)

        with listen(show):
            yield


def _progress(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)
