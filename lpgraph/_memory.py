"""The memory of this machine."""

from __future__ import annotations

import os
from contextlib import suppress

__all__ = ["installed_memory"]


def installed_memory(otherwise: float) -> float:
    """Return the bytes of physical memory, or a number that is assumed where the system does not say.

    Examples
    --------
    >>> from lpgraph._memory import installed_memory
    >>> installed_memory(4e9) > 1e8
    True
    """
    with suppress(AttributeError, OSError, ValueError):  # not POSIX, or not reported
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    return otherwise
