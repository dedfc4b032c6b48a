"""``python -m lpgraph``, and the entrance of the command ``lpgraph``."""

from __future__ import annotations

import importlib.util
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an error is one line on standard error, and exit code 2."""
    for package in ("typer", "rich"):
        if importlib.util.find_spec(package) is None:
            print(f"lpgraph: {package} is not installed; run: pip install 'lpgraph[cli]'.", file=sys.stderr)
            raise SystemExit(2)
    from lpgraph.cli.run import run

    raise SystemExit(run())


if __name__ == "__main__":
    main()
