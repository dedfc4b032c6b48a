"""Run the command line: each error in one line, with its remedy, and an exit code for its kind."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from lpgraph.cli._standard import ReaderGoneError, Standard, is_writable, mute, tell
from lpgraph.cli._terminal import visible
from lpgraph.errors import ArgumentError, ConvergenceError, LpgraphError

__all__ = ["run"]

FAILED, WRONG_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


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
        mute(sys.stdout)
        return BROKEN_PIPE
    except ConvergenceError as error:
        return _fail(error, FAILED)
    except LpgraphError as error:
        return _fail(error, WRONG_INPUT)
    except OSError as error:
        if not is_writable():
            mute(sys.stdout)
        return _fail(_explain(error), WRONG_INPUT)
    except MemoryError:
        return _fail("not enough memory; use a smaller graph, or fewer dimensions.", FAILED)
    except Exception as error:
        if type(error).__name__ == "Abort":
            return INTERRUPTED
        if not hasattr(error, "format_message"):
            raise
        return _usage(error)
    finally:
        warnings.showwarning = shown
    return code if isinstance(code, int) else 0


def _fail(error: object, code: int) -> int:
    tell(f"lpgraph: {_line(error)}")
    return code


def _usage(error: Any) -> int:
    """Print an error of the parser of the command line in one line."""
    if type(error).__name__ == "NoArgsIsHelpError":
        tell(error.ctx.get_help())
        return WRONG_INPUT
    context = getattr(error, "ctx", None)
    path = "lpgraph" if context is None else context.command_path
    message = " ".join(error.format_message().split()).rstrip(".")
    return _fail(f"{message}; see {path} --help.", WRONG_INPUT)


def _explain(error: OSError) -> ArgumentError:
    """Return the error with its remedy."""
    name = error.filename
    if name is None:
        return ArgumentError(f"{error.strerror or error}; check the disk, and where standard output goes.")
    if isinstance(error, IsADirectoryError):
        return ArgumentError(f"{name}: this is a folder; pass a file.")
    if isinstance(error, PermissionError):
        if "folder" in (error.strerror or ""):
            return ArgumentError(f"{name}: {error.strerror}; check who may write to the folder.")
        return ArgumentError(f"{name}: permission denied; check who may read or write it.")
    if name == "standard output":
        return ArgumentError(f"{name}: {error.strerror}; redirect it, or name a file.")
    return ArgumentError(f"{name}: {error.strerror or error}; check the file and the disk.")


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    tell(f"lpgraph: warning: {_line(message)}")


def _line(message: object) -> str:
    """Return a message as one line; names of files and columns may have control characters."""
    return visible(" ".join(str(message).split()))
