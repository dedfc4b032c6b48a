"""The standard streams: complete output, and text without control characters on a terminal."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

#: C0 but for tab and newline, DEL, C1, and the marks that change the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class ReaderGoneError(Exception):
    """The reader of the output has stopped reading, as `head` does."""


def visible(text: str) -> str:
    r"""Return a text with its control characters as escapes, for a terminal.

    Examples
    --------
    >>> from lpgraph.cli.streams import visible
    >>> print(visible("\x1b[2Jname"))
    \x1b[2Jname
    """
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


class Standard:
    """Standard output as a binary file that is written completely, or raises that nobody reads it."""

    def write(self, content: bytes | memoryview = b"") -> int:
        """Write everything, also what has been printed; under ``python -u`` one write may be incomplete."""
        size = len(content)
        if sys.stdout.isatty():  # other bytes than UTF-8 are left as they are
            text = visible(bytes(content).decode("utf-8", "surrogateescape"))
            content = text.encode("utf-8", "surrogateescape")
        left = memoryview(content)
        try:
            sys.stdout.flush()
            while left:
                left = left[sys.stdout.buffer.write(left) :]
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise ReaderGoneError from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard output") from None
        return size


def tell(text: str) -> None:
    """Print a message to standard error, if it can be written to."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        mute(sys.stderr)


def mute(stream: TextIO) -> None:
    """Direct a standard stream to nowhere: Python would report its failure again when it ends (exit code 120)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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
