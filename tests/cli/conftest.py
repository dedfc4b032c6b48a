"""The parser of the command line is built once, not for every command that a test runs."""

from functools import cache

import pytest

try:
    import typer.main as typer
except ImportError:  # without the command line, nothing here is run
    typer = None


@pytest.fixture(scope="session", autouse=True)
def _one_parser():
    """Keep the parser: typer builds it anew on every call, and a process calls it once."""
    with pytest.MonkeyPatch.context() as patch:
        if typer is not None:
            patch.setattr(typer, "get_command", cache(typer.get_command))
        yield
