"""Compiled loops over texts: hashes, and a hash table of the texts seen so far."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["find", "hashes", "insert", "rebuild"]


def _hashes(content, starts, lengths, start, factor, result, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Hash texts byte by byte, then mix all bits."""
    prime = np.uint64(factor)
    for k in range(low, high):
        h = np.uint64(start) ^ np.uint64(lengths[k])
        for p in range(starts[k], starts[k] + lengths[k]):
            h = (h ^ np.uint64(content[p])) * prime
            h ^= h >> np.uint64(29)
        h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
        result[k] = h ^ (h >> np.uint64(33))


hashes = compiled(_hashes)


def _find(  # type: ignore[no-untyped-def]  # numba infers the types
    content, starts, lengths, keys, slots, known, offsets, letters, found, low, high
):
    """Mark the texts that are in the table: `slots` have the upper half of a key and a place, counted from 1."""
    one, half = np.uint64(1), np.uint64(32)
    mask, lower = np.uint64(len(slots) - 1), np.uint64(0xFFFFFFFF)
    for k in range(low, high):
        key = keys[k]
        at = key & mask
        found[k] = 0
        while slots[at] != 0:
            if slots[at] >> half == key >> half:
                entry = np.int64((slots[at] & lower) - one)
                if known[entry] == key and offsets[entry + 1] - offsets[entry] == lengths[k]:
                    same, place, first = True, offsets[entry], starts[k]
                    for p in range(lengths[k]):
                        same = same and letters[place + p] == content[first + p]
                    if same:
                        found[k] = 1
                        break
            at = (at + one) & mask


find = compiled(_find)


def _insert(  # type: ignore[no-untyped-def]  # numba infers the types
    content, starts, lengths, keys, slots, known, offsets, letters, found, count
):
    """Insert the texts that are not marked, once each; `count[0]` is the number of entries."""
    one, half = np.uint64(1), np.uint64(32)
    mask, lower = np.uint64(len(slots) - 1), np.uint64(0xFFFFFFFF)
    for k in range(len(keys)):
        if found[k]:
            continue
        key = keys[k]
        at = key & mask
        new = True
        while new and slots[at] != 0:
            if slots[at] >> half == key >> half:
                entry = np.int64((slots[at] & lower) - one)
                if known[entry] == key and offsets[entry + 1] - offsets[entry] == lengths[k]:
                    same, place, first = True, offsets[entry], starts[k]
                    for p in range(lengths[k]):
                        same = same and letters[place + p] == content[first + p]
                    if same:
                        new = False
            if new:
                at = (at + one) & mask
        if new:
            entry = count[0]
            slots[at] = ((key >> half) << half) | np.uint64(entry + 1)
            known[entry] = key
            place = offsets[entry]
            for p in range(lengths[k]):
                letters[place + p] = content[starts[k] + p]
            offsets[entry + 1] = place + lengths[k]
            count[0] = entry + 1


insert = compiled(_insert)


def _rebuild(known, count, slots):  # type: ignore[no-untyped-def]  # numba infers the types
    """Fill an empty table with the entries that are known."""
    one, half, mask = np.uint64(1), np.uint64(32), np.uint64(len(slots) - 1)
    for entry in range(count):
        key = known[entry]
        at = key & mask
        while slots[at] != 0:
            at = (at + one) & mask
        slots[at] = ((key >> half) << half) | np.uint64(entry + 1)


rebuild = compiled(_rebuild)
