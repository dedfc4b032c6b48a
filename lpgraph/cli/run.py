"""Run the command line: an error in one line, an exit code for its kind, and the standard streams."""

from __future__ import annotations

import os
import re
import sys
import warnings
from typing import TYPE_CHECKING

from lpgraph.errors import ConvergenceError, LpgraphError

if TYPE_CHECKING:
    from typing import TextIO

FAILED, WRONG_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141

#: C0 but for tab and newline, DEL, C1, and the marks that change the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class ReaderGoneError(Exception):
    """The reader of the output has stopped reading, as `head` does."""


def run(arguments: list[str] | None = None) -> int:
    """Run ``lpgraph`` with the given arguments, or those of the process, and return the exit code."""
    from lpgraph.cli import app

    shown, warnings.showwarning = warnings.showwarning, _warn
    try:
        code = app(args=arguments, prog_name="lpgraph", standalone_mode=False)
        Standard().write()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (BrokenPipeError, ReaderGoneError):
        _mute(sys.stdout)
        return BROKEN_PIPE
    except ConvergenceError as error:
        return _fail(str(error), FAILED)
    except LpgraphError as error:
        return _fail(str(error), WRONG_INPUT)
    except MemoryError:
        return _fail("not enough memory; use a smaller graph, or fewer dimensions.", FAILED)
    except OSError as error:
        return _fail(_said(error), WRONG_INPUT)
    except Exception as error:
        if type(error).__name__ == "Abort":
            return INTERRUPTED
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            tell(error.format_message())
            return WRONG_INPUT
        path = getattr(getattr(error, "ctx", None), "command_path", "lpgraph")
        return _fail(f"{error.format_message().rstrip('.')}; see {path} --help.", WRONG_INPUT)
    finally:
        warnings.showwarning = shown
    return int(code or 0)


def _fail(message: str, code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        _mute(sys.stdout)
    tell(f"error: {_line(message)}")
    return code


def _said(error: OSError) -> str:
    reason = error.strerror or str(error)
    name = "the output" if error.filename is None else error.filename
    return f"{name}: {reason}; check the file, its folder and the disk."


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    tell(f"warning: {_line(str(message))}")


def _line(message: str) -> str:
    """Return a message as one line; names of files and columns may have control characters."""
    return visible(" ".join(message.split()))


def visible(text: str) -> str:
    r"""Return a text with its control characters as escapes, for a terminal.

    Examples
    --------
    >>> from lpgraph.cli.run import visible
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
        _mute(sys.stderr)


def _mute(stream: TextIO) -> None:
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
