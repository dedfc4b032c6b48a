"""Standard output, for bytes."""

from __future__ import annotations

import sys

__all__ = ["ReaderGoneError", "Standard"]


class ReaderGoneError(Exception):
    """Whoever read the output has enough, as `head` does."""


class Standard:
    """Standard output as a binary file that takes all it is given, or says that nobody reads it."""

    def write(self, content: bytes | memoryview) -> int:
        """Write everything: under ``python -u`` a single write may stop short."""
        left = memoryview(content)
        try:
            sys.stdout.flush()
            while left:
                left = left[sys.stdout.buffer.write(left) :]
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise ReaderGoneError from None
        return len(content)
