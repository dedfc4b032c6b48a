"""Warnings that point at the user's line."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["collected", "warn"]

_collected: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("_collected", default=None)


def warn(message: str, category: type[Warning]) -> None:
    """Warn with the location of the first caller outside of lpgraph and scikit-learn."""
    found = _collected.get()
    if found is not None:
        found.append((message, category))
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("lpgraph", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def collected() -> Iterator[list[tuple[str, type[Warning]]]]:
    """Collect the warnings of `warn` in this thread, to be issued elsewhere or not at all.

    Other than `warnings.catch_warnings`, this leaves alone what other threads do.

    Examples
    --------
    >>> from lpgraph._warnings import collected, warn
    >>> with collected() as found:
    ...     warn("Few edges.", UserWarning)
    >>> found
    [('Few edges.', <class 'UserWarning'>)]
    """
    found: list[tuple[str, type[Warning]]] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)
