"""Standard output, for bytes."""

from __future__ import annotations

import sys

__all__ = ["ReaderGoneError", "Standard"]


class ReaderGoneError(Exception):
    """The reader of the output has stopped reading, as `head` does."""


class Standard:
    """Standard output as a binary file that is written completely, or raises that nobody reads it."""

    def write(self, content: bytes | memoryview) -> int:
        """Write everything; under ``python -u`` one write may be incomplete."""
        left = memoryview(content)
        try:
            sys.stdout.flush()
            while left:
                left = left[sys.stdout.buffer.write(left) :]
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise ReaderGoneError from None
        return len(content)
