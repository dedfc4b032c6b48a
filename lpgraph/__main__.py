"""``python -m lpgraph`` is the command ``lpgraph``."""

from lpgraph.cli import main

main()
