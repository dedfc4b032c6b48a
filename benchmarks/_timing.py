"""Side by side: alternate two functions, give medians and the ratio."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version


def side_by_side(title: str, **functions: Callable[[], object]) -> None:
    """Time functions in turn, five rounds after a warm-up each, and print medians and the ratio to the first."""
    rounds = 5
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(rounds + 1):
        order = list(functions) if turn % 2 else list(functions)[::-1]
        for name in order:
            began = time.perf_counter()
            functions[name]()
            if turn:
                seconds[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    first = next(iter(medians.values()))
    made_with = f"Python {platform.python_version()}, numpy {version('numpy')}, scipy {version('scipy')}"
    print(f"{title} ({made_with})")
    for name, median in medians.items():
        spread = f"{min(seconds[name]):.3g} to {max(seconds[name]):.3g}"
        print(f"  {name:28s} {median:9.4g} s   ({spread})   {median / first:6.2f} x")
