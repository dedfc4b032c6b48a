"""Run the command line: each error in one line, with its remedy, and an exit code for its kind."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

from lpgraph.errors import ArgumentError, ConvergenceError, LpgraphError

__all__ = ["run"]

FAILED, WRONG_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


def run(arguments: list[str] | None = None) -> int:
    """Run ``lpgraph`` with the given arguments, or those of the process, and return the exit code."""
    from lpgraph.cli import app
    from lpgraph.cli._standard import ReaderGoneError

    shown, warnings.showwarning = warnings.showwarning, _warn
    try:
        code = app(args=arguments, prog_name="lpgraph", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (BrokenPipeError, ReaderGoneError):
        # Otherwise Python would report the broken pipe again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except ConvergenceError as error:
        return _fail(error, FAILED)
    except LpgraphError as error:
        return _fail(error, WRONG_INPUT)
    except OSError as error:
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
    text = " ".join(str(error).split())
    print(f"lpgraph: {text}", file=sys.stderr)
    return code


def _usage(error: Any) -> int:
    """Print an error of the parser of the command line in one line."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.ctx.get_help(), file=sys.stderr)
        return WRONG_INPUT
    context = getattr(error, "ctx", None)
    path = "lpgraph" if context is None else context.command_path
    message = " ".join(error.format_message().split()).rstrip(".")
    return _fail(f"{message}; see {path} --help.", WRONG_INPUT)


def _explain(error: OSError) -> ArgumentError:
    """Return the error with its remedy."""
    name = error.filename if error.filename is not None else "a file"
    if isinstance(error, FileNotFoundError):
        return ArgumentError(f"{name}: there is no such file; check its path.")
    if isinstance(error, IsADirectoryError):
        return ArgumentError(f"{name}: this is a folder; pass a file.")
    if isinstance(error, PermissionError):
        return ArgumentError(f"{name}: permission denied; check who may read or write it.")
    return ArgumentError(f"{name}: {error.strerror or error}; check the file and the disk.")


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    print(f"lpgraph: warning: {' '.join(str(message).split())}", file=sys.stderr)
