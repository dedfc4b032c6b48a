"""Run the command line: an error in one line, and an exit code for its kind."""

from __future__ import annotations

import warnings

from typer import echo

from lpgraph.errors import ConvergenceError, LpgraphError

from . import app

FAILED, WRONG_INPUT = 1, 2


def run(arguments: list[str] | None = None) -> int:
    """Run ``lpgraph`` with the given arguments, or those of the process, and return the exit code."""
    shown, warnings.showwarning = warnings.showwarning, _warn
    try:
        code = app(args=arguments, prog_name="lpgraph", standalone_mode=False)
    except ConvergenceError as error:
        return _fail(str(error), FAILED)
    except LpgraphError as error:
        return _fail(str(error), WRONG_INPUT)
    except MemoryError:
        return _fail("not enough memory; use a smaller graph, or fewer dimensions.", FAILED)
    except OSError as error:
        name = error.filename or "the output"
        return _fail(f"{name}: {error.strerror or error}; check the file, its folder and the disk.", WRONG_INPUT)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            echo(error.format_message(), err=True)
            return WRONG_INPUT
        path = getattr(getattr(error, "ctx", None), "command_path", "lpgraph")
        return _fail(f"{error.format_message().rstrip('.')}; see {path} --help.", WRONG_INPUT)
    finally:
        warnings.showwarning = shown
    return int(code or 0)


def _fail(message: str, code: int) -> int:
    echo(f"error: {' '.join(message.split())}", err=True)
    return code


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    echo(f"warning: {' '.join(str(message).split())}", err=True)
