"""Cached attributes: computed once, and never under a lock that a forked child could wait for."""

from __future__ import annotations

import threading

from lpgraph._cached import cached_property


class Slow:
    def __init__(self, wait: threading.Event | None = None) -> None:
        self.wait, self.times = wait, 0

    @cached_property
    def value(self) -> int:
        """Of the class."""
        self.times += 1
        if self.wait is not None:
            self.wait.wait(60)
        return 3


def test_it_is_computed_once():
    slow = Slow()
    assert (slow.value, slow.value, slow.times) == (3, 3, 1)
    assert isinstance(Slow.value, cached_property)
    assert Slow.value.__doc__ == "Of the class."


def test_one_instance_does_not_wait_for_another():
    go = threading.Event()
    other = threading.Thread(target=lambda: Slow(go).value)
    other.start()
    done = threading.Event()
    mine = threading.Thread(target=lambda: (Slow().value, done.set()), daemon=True)
    mine.start()
    assert done.wait(30)
    go.set()
    other.join()
