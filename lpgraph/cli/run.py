"""Run the command line: an error in one line, and an exit code for its kind."""

from __future__ import annotations

import sys
import warnings

from lpgraph.cli import app
from lpgraph.cli.streams import ReaderGoneError, Standard, mute, tell, visible
from lpgraph.errors import ConvergenceError, LpgraphError

FAILED, WRONG_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


def run(arguments: list[str] | None = None) -> int:
    """Run ``lpgraph`` with the given arguments, or those of the process, and return the exit code."""
    shown, warnings.showwarning = warnings.showwarning, _warn
    try:
        code = app(args=arguments, prog_name="lpgraph", standalone_mode=False)
        Standard().write()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (BrokenPipeError, ReaderGoneError):
        mute(sys.stdout)
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
        mute(sys.stdout)
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
