"""``python -m lpgraph``, and the entrance of the command ``lpgraph``."""

from __future__ import annotations

import importlib.util
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line; an error is one line on standard error, and exit code 2."""
    try:
        code = _run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    raise SystemExit(code)


def _run() -> int:
    for package in ("typer", "rich"):
        if importlib.util.find_spec(package) is None:
            print(f"lpgraph: {package} is not installed; run: pip install 'lpgraph[cli]'.", file=sys.stderr)
            return 2
    from lpgraph.cli.run import run

    return run()


if __name__ == "__main__":
    main()
