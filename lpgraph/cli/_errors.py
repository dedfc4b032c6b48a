"""The error of the command line itself."""

from __future__ import annotations

from lpgraph.errors import ArgumentError

__all__ = ["CommandError"]


class CommandError(ArgumentError):
    """Wrong input whose message is in the terms of the command line, and is not translated."""
