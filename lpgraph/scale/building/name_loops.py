"""Compiled loops over texts: hashes, and a hash table of the texts seen so far.

A slot of the table has 24 bits of the hash and, counted from 1, the place of the text among the letters, where its
length comes first in four bytes. So a text is found by two accesses to distant memory.
"""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["HEAD", "copy", "find", "hashes", "insert", "rebuild"]

#: Bytes of the length of a text, before its letters.
HEAD = 4


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


def _find(content, starts, lengths, keys, slots, letters, found, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Mark the texts that are in the table."""
    one, tag = np.uint64(1), np.uint64(40)
    mask, lower = np.uint64(len(slots) - 1), np.uint64((1 << 40) - 1)
    for k in range(low, high):
        key = keys[k]
        at = key & mask
        found[k] = 0
        while slots[at] != 0:
            slot = slots[at]
            at = (at + one) & mask
            if slot >> tag != key >> tag:
                continue
            place, size = np.int64((slot & lower) - one), np.int64(0)
            for p in range(4):
                size |= np.int64(letters[place + p]) << (8 * p)
            if size != lengths[k]:
                continue
            same, first = 0, starts[k]
            for p in range(size):
                same |= letters[place + 4 + p] ^ content[first + p]
            if same == 0:
                found[k] = 1
                break


find = compiled(_find)


def _insert(content, starts, lengths, keys, slots, letters, places, known, found, count):  # type: ignore[no-untyped-def]  # numba infers the types
    """Insert the texts that are not marked, once each; `count[0]` is the number of entries."""
    one, tag = np.uint64(1), np.uint64(40)
    mask, lower = np.uint64(len(slots) - 1), np.uint64((1 << 40) - 1)
    for k in range(len(keys)):
        if found[k]:
            continue
        key = keys[k]
        at = key & mask
        new = True
        while slots[at] != 0:
            slot = slots[at]
            if slot >> tag == key >> tag:
                place, size = np.int64((slot & lower) - one), np.int64(0)
                for p in range(4):
                    size |= np.int64(letters[place + p]) << (8 * p)
                if size == lengths[k]:
                    same = 0
                    for p in range(size):
                        same |= letters[place + 4 + p] ^ content[starts[k] + p]
                    if same == 0:
                        new = False
                        break
            at = (at + one) & mask
        if new:
            entry = count[0]
            place = places[entry]
            slots[at] = ((key >> tag) << tag) | np.uint64(place + 1)
            known[entry] = key
            for p in range(4):
                letters[place + p] = (lengths[k] >> (8 * p)) & 255
            for p in range(lengths[k]):
                letters[place + 4 + p] = content[starts[k] + p]
            places[entry + 1] = place + 4 + lengths[k]
            count[0] = entry + 1


insert = compiled(_insert)


def _rebuild(known, places, count, slots):  # type: ignore[no-untyped-def]  # numba infers the types
    """Fill an empty table with the entries that are known."""
    one, tag, mask = np.uint64(1), np.uint64(40), np.uint64(len(slots) - 1)
    for entry in range(count):
        key = known[entry]
        at = key & mask
        while slots[at] != 0:
            at = (at + one) & mask
        slots[at] = ((key >> tag) << tag) | np.uint64(places[entry] + 1)


rebuild = compiled(_rebuild)


def _copy(letters, places, first, count, result):  # type: ignore[no-untyped-def]  # numba infers the types
    """Copy the letters of some entries, without their lengths."""
    to = 0
    for entry in range(first, count):
        for p in range(places[entry] + 4, places[entry + 1]):
            result[to] = letters[p]
            to += 1


copy = compiled(_copy)
