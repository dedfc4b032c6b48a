"""Check that the expected number of edges fits in memory."""

from __future__ import annotations

from lpgraph._memory import installed_memory
from lpgraph.errors import ArgumentError

__all__ = ["refuse_too_many"]

#: Minimum bytes per edge during sampling: its event, its key, and two entries of the matrix.
_BYTES = 32

#: Bytes of memory assumed where the system does not report it.
_ASSUMED = 2**40


def refuse_too_many(expected: float) -> None:
    """Raise if `expected` edges, a lower bound, need more memory than this machine has.

    Raises
    ------
    ArgumentError
        Before anything is drawn, since the system may end a process that runs out of memory without a message.
    """
    memory = installed_memory(_ASSUMED)
    if expected * _BYTES > memory:
        raise ArgumentError(
            f"At least {expected:.2g} edges are expected, which need more than {expected * _BYTES / 1e9:.2g} GB; "
            f"this machine has {memory / 1e9:.2g} GB. Pass fewer vertices, or a smaller sparsity or probability."
        )
