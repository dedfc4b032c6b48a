"""Compiled loops that number end points: by a bitmap of integers, or by a hash table of keys."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["fill", "look_up", "mark", "ranks_of"]


def _mark(values, shift, words):  # type: ignore[no-untyped-def]  # numba infers the types
    """Set the bits of integers."""
    six, low, one = np.uint64(6), np.uint64(63), np.uint64(1)
    for k in range(len(values)):
        bit = np.uint64(np.int64(values[k]) + shift)
        words[bit >> six] |= one << (bit & low)


mark = compiled(_mark)


def _ranks_of(values, shift, words, before, result, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Return the number of set bits before that of each integer; `before` has those before each word."""
    six, lower, one = np.uint64(6), np.uint64(63), np.uint64(1)
    for k in range(low, high):
        bit = np.uint64(np.int64(values[k]) + shift)
        word = words[bit >> six] & ((one << (bit & lower)) - one)
        word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
        word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        result[k] = before[bit >> six] + ((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


ranks_of = compiled(_ranks_of)


def _fill(keys, first, slots, ranks, empty, twice):  # type: ignore[no-untyped-def]  # numba infers the types
    """Insert keys, whose ranks are counted from `first`; `twice` gets 1 if one is there already."""
    size = np.uint64(len(slots))
    none = np.uint64(empty)
    one, zero = np.uint64(1), np.uint64(0)
    for k in range(len(keys)):
        key = np.uint64(keys[k])
        at = ((key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)) % size
        while np.uint64(ranks[at]) != none:
            if slots[at] == key:
                twice[0] = 1
                return
            at += one
            if at == size:
                at = zero
        slots[at] = key
        ranks[at] = first + k


fill = compiled(_fill)


def _look_up(keys, slots, ranks, empty, result, missing, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Return the ranks of keys."""
    size = np.uint64(len(slots))
    none = np.uint64(empty)
    one, zero = np.uint64(1), np.uint64(0)
    for k in range(low, high):
        key = np.uint64(keys[k])
        at = ((key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)) % size
        while slots[at] != key or np.uint64(ranks[at]) == none:
            if np.uint64(ranks[at]) == none:
                missing[0] = 1
                return
            at += one
            if at == size:
                at = zero
        result[k] = ranks[at]


look_up = compiled(_look_up)
