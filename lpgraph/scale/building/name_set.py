"""The texts seen so far, in bounded memory, and their hashes."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from lpgraph.scale.building.blocks import Texts
from lpgraph.scale.building.name_loops import HEAD, copy, find, hashes, insert, rebuild

__all__ = ["NameSet", "hashed", "new_seed"]

_PIECES = 16
_MASK = (1 << 64) - 1
#: Bytes for an entry: key, place and slots; and for its letters and their length, on average.
_ENTRY, _LETTERS = 48, 28


def new_seed() -> int:
    """Return a random seed of the hashes, so that nobody can choose names whose hashes agree."""
    return secrets.randbits(63)


def hashed(texts: Texts, seed: int) -> NDArray[np.uint64]:
    """Return the hashes of texts."""
    found = np.empty(len(texts), dtype=np.uint64)
    # Small enough for numba's integers; the factor is odd, and large.
    start, factor = seed, ((seed * 0x9E3779B97F4A7C15) & (_MASK >> 2)) | (1 << 61) | 1
    cuts = [len(texts) * k // _PIECES for k in range(_PIECES + 1)]
    hashes.over(cuts, texts.content, texts.starts, texts.lengths, start, factor, found)
    return found


class NameSet:
    """The texts seen so far; when its memory is used up it forgets them, and they are new once more.

    Parameters
    ----------
    seed : int
        Of the hashes.
    memory : int
        Bytes that it may take.
    """

    def __init__(self, seed: int, memory: int) -> None:
        self.seed = seed
        # What is not written to takes no memory.
        self._entries = max(memory // (_ENTRY + _LETTERS), 1 << 10)
        self._letters = np.empty(self._entries * _LETTERS, dtype=np.uint8)
        self._known = np.empty(self._entries, dtype=np.uint64)
        self._places = np.zeros(self._entries + 1, dtype=np.int64)
        self._pending: list[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64]]] = []
        self._forget()

    def _forget(self) -> None:
        self._count = np.zeros(1, dtype=np.int64)
        self._slots = np.zeros(1 << 12, dtype=np.uint64)
        self._taken = 0

    def add(self, texts: Texts) -> NDArray[np.uint64]:
        """Add texts, and return their hashes."""
        keys = hashed(texts, self.seed)
        found = np.zeros(len(keys), dtype=np.uint8)
        if self._count[0]:
            cuts = [len(texts) * k // _PIECES for k in range(_PIECES + 1)]
            find.over(cuts, *self._arguments(texts, keys), found)
        new = found == 0
        if new.any():
            entries, letters = int(np.count_nonzero(new)), int(texts.lengths[new].sum())
            if not self._has_room(entries, letters):
                self._pending.append(self._new())
                self._forget()
                found[:] = 0
                entries, letters = len(texts), int(texts.lengths.sum())
                self._make_room(entries, letters)
            self._widen(entries)
            insert(*self._arguments(texts, keys), self._places, self._known, found, self._count)
        return keys

    def _arguments(self, texts: Texts, keys: NDArray[np.uint64]) -> tuple[object, ...]:
        return texts.content, texts.starts, texts.lengths, keys, self._slots, self._letters

    def _has_room(self, entries: int, letters: int) -> bool:
        count = int(self._count[0])
        used = int(self._places[count]) + letters + HEAD * entries
        return count + entries <= self._entries and used <= len(self._letters)

    def _make_room(self, entries: int, letters: int) -> None:
        """Make room in the empty table for the texts of one block."""
        if not self._has_room(entries, letters):
            self._entries = max(entries, self._entries)
            self._letters = np.empty(max(letters + HEAD * entries, len(self._letters)), dtype=np.uint8)
            self._known = np.empty(self._entries, dtype=np.uint64)
            self._places = np.zeros(self._entries + 1, dtype=np.int64)

    def _widen(self, entries: int) -> None:
        """Make more slots if they would be too full."""
        count, size = int(self._count[0]), len(self._slots)
        while size < 2 * (count + entries):
            size *= 2
        if size > len(self._slots):
            self._slots = np.zeros(size, dtype=np.uint64)
            rebuild(self._known, self._places, count, self._slots)

    def _new(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64]]:
        count = int(self._count[0])
        lengths = np.diff(self._places[self._taken : count + 1]) - HEAD
        letters = np.empty(int(lengths.sum()), dtype=np.uint8)
        copy(self._letters, self._places, self._taken, count, letters)
        found = letters, lengths, self._known[self._taken : count].copy()
        self._taken = count
        return found

    def take(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64]]:
        """Return letters, lengths and hashes of the texts that are new since the last call."""
        parts = [*self._pending, self._new()]
        self._pending = []
        letters, lengths, keys = zip(*parts, strict=True)
        return np.concatenate(letters), np.concatenate(lengths), np.concatenate(keys)
