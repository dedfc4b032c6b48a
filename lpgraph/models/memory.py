"""Whether the edges that a model is about to draw would fit in memory at all."""

from __future__ import annotations

import os

from lpgraph.errors import ArgumentError

__all__ = ["refuse_too_many"]

#: Bytes that an edge takes while a graph is made, at least: its event, its key, and two entries of the matrix.
_BYTES = 32

#: Where the machine does not say how much memory it has.
_ASSUMED = 2**40


def refuse_too_many(expected: float) -> None:
    """Raise if `expected` edges, a lower bound, need more memory than this machine has.

    Raises
    ------
    ArgumentError
        Before anything is drawn: a process that is killed for its memory cannot say why.
    """
    memory = _memory()
    if expected * _BYTES > memory:
        raise ArgumentError(
            f"At least {expected:.2g} edges are expected, which need more than {expected * _BYTES / 1e9:.2g} GB; "
            f"this machine has {memory / 1e9:.2g} GB. Pass fewer vertices, or a smaller sparsity or probability."
        )


def _memory() -> float:
    """Return the bytes of memory this machine has."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not a POSIX machine, or one that does not say
        return float(_ASSUMED)
