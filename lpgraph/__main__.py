"""``python -m lpgraph``, and the entrance of the command ``lpgraph``."""

from __future__ import annotations

import sys

from lpgraph._checks import import_extra
from lpgraph.errors import LpgraphError

__all__ = ["main"]


def main() -> None:
    """Run the command line; an error is one line on standard error, and exit code 2."""
    try:
        for package in ("typer", "rich"):
            import_extra(package, "cli")
        from lpgraph.cli import app

        app()
    except (LpgraphError, OSError) as error:
        print(f"lpgraph: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
