"""Step 2: end points become numbers of vertices, in the order of their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lpgraph._checks import import_extra
from lpgraph._progress import tell
from lpgraph.errors import StoreError
from lpgraph.scale.building.chunk_file import bytes_of, count_of, read_arrays, read_facts, write_arrays
from lpgraph.scale.building.names_out import names_writer
from lpgraph.scale.building.names_sort import sorted_names
from lpgraph.scale.building.number_loops import fill, look_up, mark, ranks_of
from lpgraph.scale.building.read import Listing
from lpgraph.scale.building.work import Work, whole_file
from lpgraph.scale.layout import NAMES
from lpgraph.scale.logs import log
from lpgraph.scale.room import gigabytes

__all__ = ["CollisionError", "number_chunks"]

#: The largest range of integers that has a bitmap, of 8 bits a byte.
BITMAP = 1 << 31
#: The part of the memory for a table; a larger one is mapped from the disk.
_TABLE = 0.6
#: Slots for a key.
_ROOM = 1.4
_PIECES = 64
_BATCH = 1 << 20

Numbering: TypeAlias = Callable[[NDArray[np.number], int], NDArray[np.unsignedinteger]]


class CollisionError(Exception):
    """Two names have the same hash: the build must begin again with another seed."""


def vertex_dtype(n: int) -> type[np.uint32] | type[np.uint64]:
    """Return the type of the numbers of n vertices.

    Examples
    --------
    >>> from lpgraph.scale.building.number import vertex_dtype
    >>> vertex_dtype(10**6)
    <class 'numpy.uint32'>
    """
    return np.uint32 if n < 1 << 32 else np.uint64


def number_chunks(work: Work, store: Path, listing: Listing, memory: int) -> int:
    """Replace names by numbers in all chunks, write the names, and return how many vertices there are."""
    done = work.load("number.json")
    if done is not None:
        return count_of(done, "n")
    if listing.kind == "integers" and listing.high - listing.low < BITMAP:
        n, numbering = _by_bitmap(work, store, listing)
    else:
        n, numbering = _by_table(work, store, listing, memory)
    dtype = vertex_dtype(n)
    numbered = set(work.numbers("edges"))
    for k in work.numbers("ids"):
        if k in numbered:
            continue
        tell(log, "Numbering vertices", of=(k, listing.chunks))
        path = work.chunk(k, "ids")
        head, (source, target, *weights) = read_facts(path), read_arrays(path)
        low = count_of(head, "low") if source.dtype == np.uint32 else 0
        pair = [numbering(ends, low).astype(dtype, copy=False) for ends in (source, target)]
        write_arrays(work.chunk(k, "edges"), {"count": len(source)}, [*pair, *weights])
    work.save("number.json", {"n": n})
    return n


def drop_ids(work: Work) -> None:
    """Delete what numbering has read."""
    for suffix in ("ids", "names"):
        for k in work.numbers(suffix):
            work.chunk(k, suffix).unlink()
    for name in ("keys", "slots", "ranks"):
        work.path(name).unlink(missing_ok=True)


def _by_bitmap(work: Work, store: Path, listing: Listing) -> tuple[int, Numbering]:
    words = np.zeros((listing.high - listing.low) // 64 + 1, dtype=np.uint64)
    for k in work.numbers("ids"):
        path = work.chunk(k, "ids")
        head, (source, target, *_) = read_facts(path), read_arrays(path)
        base = count_of(head, "low") if source.dtype == np.uint32 else 0
        for ends in (source, target):
            mark(ends, base - listing.low, words)
    before = np.concatenate(([0], np.cumsum(np.bitwise_count(words), dtype=np.int64)))
    n = int(before[-1])
    if (listing.low, listing.high) != (0, n - 1) and not (store / NAMES).exists():
        _write_integers(store, words, listing.low)
    counts = before[:-1].astype(np.uint32)

    def numbering(ends: NDArray[np.number], base: int) -> NDArray[np.unsignedinteger]:
        result = np.empty(len(ends), dtype=np.uint32)
        cuts = [len(ends) * k // _PIECES for k in range(_PIECES + 1)]
        ranks_of.over(cuts, ends, base - listing.low, words, counts, result)
        return result

    return n, numbering


def _write_integers(store: Path, words: NDArray[np.uint64], low: int) -> None:
    arrow = import_extra("pyarrow", "scale")
    with names_writer(store / NAMES, texts=False) as names:
        for start in range(0, len(words), _BATCH // 64):
            bits = np.unpackbits(words[start : start + _BATCH // 64].view(np.uint8), bitorder="little")
            names.add(arrow.array(np.flatnonzero(bits).astype(np.int64) + (low + 64 * start)))


def _by_table(work: Work, store: Path, listing: Listing, memory: int) -> tuple[int, Numbering]:
    if not work.has("keys"):
        if listing.kind == "texts":
            _write_texts(work, store, memory)
        else:
            _write_distinct(work, store, memory)
    keys = np.memmap(work.path("keys"), dtype=np.uint64, mode="r")
    n = len(keys)
    dtype = vertex_dtype(n + 1)
    empty = int(np.iinfo(dtype).max)
    size = int(_ROOM * n) + 2
    if size * (8 + np.dtype(dtype).itemsize) <= _TABLE * memory:
        slots, ranks = np.zeros(size, dtype=np.uint64), np.full(size, empty, dtype=dtype)
    else:
        slots, ranks = _mapped(work.path("slots"), np.uint64, size), _mapped(work.path("ranks"), dtype, size)
        ranks[:] = empty
    slots, ranks = np.asarray(slots), np.asarray(ranks)
    twice = np.zeros(1, dtype=np.int64)
    for start in range(0, n, _BATCH):
        fill(np.array(keys[start : start + _BATCH]), start, slots, ranks, empty, twice)
        if twice[0]:
            raise CollisionError

    def numbering(ends: NDArray[np.number], base: int) -> NDArray[np.unsignedinteger]:
        keys = (ends.astype(np.int64) + base).view(np.uint64) if ends.dtype != np.uint64 else ends
        result, missing = np.empty(len(keys), dtype=dtype), np.zeros(1, dtype=np.int64)
        cuts = [len(keys) * k // _PIECES for k in range(_PIECES + 1)]
        look_up.over(cuts, keys, slots, ranks, empty, result, missing)
        if missing[0]:
            raise StoreError(f"{work.folder} is damaged; delete it and call build_store again.")
        return result

    return n, numbering


def _mapped(path: Path, dtype: type[np.unsignedinteger], size: int) -> NDArray[np.unsignedinteger]:
    """Return zeros in a file, whose space is taken now: writing to a map fails if the disk is full."""
    with open(path, "wb") as file:
        zeros = bytes(_BATCH)
        for start in range(0, size * np.dtype(dtype).itemsize, _BATCH):
            file.write(zeros[: size * np.dtype(dtype).itemsize - start])
    return np.memmap(path, dtype=dtype, mode="r+", shape=(size,))


def _write_texts(work: Work, store: Path, memory: int) -> None:
    """Write the names in order, and their keys."""
    paths = [work.chunk(k, "names") for k in work.numbers("names")]
    with whole_file(work.path("keys")) as file, names_writer(store / NAMES, texts=True) as names:
        for column, keys in sorted_names(paths, memory // 2):
            names.add(column)
            file.write(bytes_of(keys))


def _write_distinct(work: Work, store: Path, memory: int) -> None:
    """Write the different integers in order, which are their own keys."""
    arrow = import_extra("pyarrow", "scale")
    parts: list[NDArray[np.int64]] = []
    count = 0
    for k in work.numbers("ids"):
        path = work.chunk(k, "ids")
        head, (source, target, *_) = read_facts(path), read_arrays(path)
        base = count_of(head, "low") if source.dtype == np.uint32 else 0
        parts.append(np.unique(np.concatenate((source, target)).astype(np.int64) + base))
        count += len(parts[-1])
        if 24 * count > memory:
            parts = [np.unique(np.concatenate(parts))]
            count = len(parts[0])
            if 24 * count > memory:
                raise StoreError(
                    f"There are more than {count} vertices, whose integers need more memory to be sorted; call "
                    f"build_store with memory='{gigabytes(48 * count).replace(' ', '')}' or more: it goes on."
                )
    distinct = np.unique(np.concatenate(parts))
    with whole_file(work.path("keys")) as file, names_writer(store / NAMES, texts=False) as names:
        for start in range(0, len(distinct), _BATCH):
            names.add(arrow.array(distinct[start : start + _BATCH]))
        file.write(bytes_of(distinct))
