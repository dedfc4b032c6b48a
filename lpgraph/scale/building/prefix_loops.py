"""Compiled loops over texts that follow one another: what they begin with."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["common", "prefixes"]


def _common(letters, lengths, first, found):  # type: ignore[no-untyped-def]  # numba infers the types
    """Lower `found[0]` to the number of bytes that all texts share with the first."""
    place = 0
    for k in range(len(lengths)):
        most = min(found[0], lengths[k])
        same = 0
        while same < most and letters[place + same] == first[same]:
            same += 1
        found[0] = same
        place += lengths[k]


common = compiled(_common)


def _prefixes(letters, lengths, skipped, found):  # type: ignore[no-untyped-def]  # numba infers the types
    """Return eight bytes of each text as a number, which is in the order of the texts."""
    place, eight = 0, np.uint64(8)
    for k in range(len(lengths)):
        value = np.uint64(0)
        for p in range(skipped, skipped + 8):
            letter = np.uint64(letters[place + p]) if p < lengths[k] else np.uint64(0)
            value = (value << eight) | letter
        found[k] = value
        place += lengths[k]


prefixes = compiled(_prefixes)
