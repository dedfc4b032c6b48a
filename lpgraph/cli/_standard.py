"""Standard streams: output in bytes, messages, and streams that the caller has closed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from lpgraph.cli._terminal import visible_bytes

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["ReaderGoneError", "Standard", "is_writable", "mute", "open_closed_streams", "tell"]


class ReaderGoneError(Exception):
    """The reader of the output has stopped reading, as `head` does."""


class Standard:
    """Standard output as a binary file that is written completely, or raises that nobody reads it."""

    def write(self, content: bytes | memoryview = b"") -> int:
        """Write everything, also what has been printed; under ``python -u`` one write may be incomplete."""
        left = memoryview(visible_bytes(content) if sys.stdout.isatty() else content)
        try:
            sys.stdout.flush()
            while left:
                left = left[sys.stdout.buffer.write(left) :]
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise ReaderGoneError from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard output") from None
        return len(content)


def is_writable() -> bool:
    """Whether all that has been printed can be written to standard output."""
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return True


def mute(stream: TextIO) -> None:
    """Direct a standard stream to nowhere: Python would report its failure again when it ends (exit code 120)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def tell(text: str) -> None:
    """Print a message to standard error, if it can be written to."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        mute(sys.stderr)


def open_closed_streams() -> None:
    """Replace standard streams that the caller has closed.

    An opened file would get the number of a closed stream, and then what libraries print. Output now fails as that
    to any closed file, and messages are dropped. `sys.stdin` stays None.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # it gets the lowest free number
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - for the rest of the process
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
