"""Signs of life on standard error, for people: a pipe or a log never sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar", "say", "working"]


def _is_watched() -> bool:
    return sys.stderr.isatty()


def say(text: str) -> None:
    """Tell a person what was done; when standard error is no terminal, nobody is told."""
    if _is_watched():
        print(text, file=sys.stderr)


@contextmanager
def working(text: str) -> Iterator[None]:
    """Turn a spinner beside `text` while the block runs."""
    if not _is_watched():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{text} ..."):
        yield


@contextmanager
def bar(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the block runs; it is given a function of steps done and their total."""
    if not _is_watched():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
