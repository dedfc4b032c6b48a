"""Sparse 0/1 matrix of sampled cells: duplicates merged, pairs mirrored, indices sorted.

Many events are sorted on all cores: a counting sort distributes them to a few hundred buckets of consecutive
rows, and each bucket, which fits in a core's cache, is radix-sorted by (row, column). Few events are sorted as
64-bit keys by numpy. Both methods give the same matrix.

Events are drawn in pieces on all cores, each with a random number generator of its own (`run_pieces`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import available, compiled, in_threads
from lpgraph.errors import ArgumentError
from lpgraph.linalg.room import installed_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Whole = NDArray[np.integer]
    #: Rows and columns of some cells.
    Cells = tuple[Whole, Whole]

T = TypeVar("T")


def run_pieces(pieces: Sequence[Callable[[np.random.Generator], T]], rng: np.random.Generator) -> list[T]:
    """Call every piece with its own generator and return the results in order.

    The generators are seeded with 256 bits of `rng` and the index of the piece, so that results do not depend on
    the number of threads.
    """
    if not pieces:
        return []
    entropy = rng.integers(0, 2**32, size=8, dtype=np.uint64).tolist()
    seeds = np.random.SeedSequence(entropy).spawn(len(pieces))
    found: dict[int, T] = {}

    def work(t: int, _: int) -> None:
        found[t] = pieces[t](np.random.Generator(np.random.PCG64(seeds[t])))

    in_threads(work, range(len(pieces) + 1))
    return [found[t] for t in range(len(pieces))]


#: Minimum bytes per edge during sampling: its event, its key, and two entries of the matrix.
_BYTES = 32


def refuse_too_many(expected: float) -> None:
    """Raise if `expected` edges, a lower bound, need more memory than this machine has.

    Raises
    ------
    ArgumentError
        Before anything is drawn, since the system may end a process that runs out of memory without a message.
    """
    memory = installed_memory(2**40)  # assumed where the system does not report it
    if expected * _BYTES > memory:
        need = (
            f"{expected:.2g} edges or more need {expected * _BYTES / 1e9:.2g} of {memory / 1e9:.2g} GB of memory"
        )
        raise ArgumentError(f"{need}; pass fewer vertices, or a smaller sparsity or probability.")


#: Number of events below which importing numba would cost more time than it saves.
WORTHWHILE = 1_000_000

#: Minimum and maximum number of events that a thread distributes at a time.
_LEAST, _MOST = 2**13, 2**18

#: Binary logarithm of the number of buckets, rounded up; writing to more at once would miss the cache.
_BUCKET_BITS = 9


def matrix_of(edges: Iterable[Cells], shape: tuple[int, int], *, hollow: bool, mirror: bool) -> sparse.csr_array:
    """Return the matrix with a 1 in every cell of `edges`.

    Parameters
    ----------
    edges : iterable of pairs of integer arrays
        Rows and columns of the cells, which may repeat.
    shape : (int, int)
    hollow : bool
        Whether to drop cells on the diagonal.
    mirror : bool
        Whether cell (i, j) also sets (j, i).
    """
    index = sparse.get_index_dtype(maxval=max(shape))
    pieces: list[Cells] = [(i.astype(index, copy=False), j.astype(index, copy=False)) for i, j in edges if len(i)]
    total = sum(len(i) for i, _ in pieces)
    bits = (shape[0] - 1).bit_length() + (shape[1] - 1).bit_length()
    if total >= WORTHWHILE and bits <= 63 and available():
        indptr, indices, ones = _by_buckets(pieces, shape, hollow, mirror)
    else:
        indptr, indices = _by_keys(pieces, shape, hollow, mirror)
        ones = np.ones(len(indices))
    wide = sparse.get_index_dtype(maxval=max(*shape, len(indices)))
    parts = ones, indices.astype(wide, copy=False), indptr.astype(wide, copy=False)
    matrix = sparse.csr_array(parts, shape=shape)
    matrix.has_canonical_format = True
    return matrix


def _by_keys(pieces: list[Cells], shape: tuple[int, int], hollow: bool, mirror: bool) -> tuple[Whole, Whole]:
    n_rows, n_columns = shape
    key = np.empty((2 if mirror else 1) * sum(len(i) for i, _ in pieces), dtype=np.int64)
    end = 0
    for i, j in pieces:
        if hollow:
            off = i != j
            i, j = i[off], j[off]
        for rows, columns in ((i, j), (j, i)) if mirror else ((i, j),):
            part = key[end : end + len(i)]
            np.multiply(rows, n_columns, out=part, dtype=np.int64)
            part += columns
            end += len(i)
    key = key[:end]
    key.sort()
    if len(key):
        key = key[np.concatenate([[True], key[1:] != key[:-1]])]
    first = np.arange(n_rows + 1) * n_columns
    indptr = key.searchsorted(first)
    key -= np.repeat(first[:-1], np.diff(indptr))
    return indptr, key


def _by_buckets(
    pieces: list[Cells], shape: tuple[int, int], hollow: bool, mirror: bool
) -> tuple[Whole, Whole, NDArray[np.float64]]:
    """Distribute events to buckets, sort each bucket, and concatenate; `pieces` is emptied to free memory."""
    column_bits = max(1, (shape[1] - 1).bit_length())
    row_bits = max(0, (shape[0] - 1).bit_length() - _BUCKET_BITS)
    n_buckets = ((shape[0] - 1) >> row_bits) + 1
    bits = row_bits, column_bits
    pieces = _even(pieces)
    cuts = range(len(pieces) + 1)

    counts = np.zeros((len(pieces), n_buckets), dtype=np.int64)
    in_threads(lambda t, _: _count(*pieces[t], row_bits, hollow, mirror, counts[t]), cuts)
    # The keys of a bucket are contiguous, and within it those of each piece.
    ends = np.cumsum(counts.T.ravel()).reshape(n_buckets, len(pieces)).T
    starts = np.ascontiguousarray(ends - counts)
    stops = ends[-1].copy() if len(pieces) else np.zeros(n_buckets, dtype=np.int64)
    keys: Whole = np.empty(int(stops[-1]), dtype=np.uint32 if sum(bits) <= 32 else np.uint64)
    in_threads(lambda t, _: _deal(pieces[t], bits, hollow, mirror, starts[t], keys), cuts)
    pieces.clear()

    begins = np.concatenate([[0], stops[:-1]])
    kept, indptr = np.zeros(n_buckets, dtype=np.int64), np.zeros(shape[0] + 1, dtype=np.int64)
    each, passes = range(n_buckets + 1), (sum(bits) + 10) // 11

    def sort(b: int, _: int) -> None:
        counts, spare = np.zeros((passes, 2048), dtype=np.int64), np.empty_like(keys[begins[b] : stops[b]])
        piece = int(begins[b]), int(stops[b])
        _sort(keys, piece, column_bits, indptr[1 + (b << row_bits) :], kept[b:], (counts, spare))

    in_threads(sort, each)
    np.cumsum(indptr, out=indptr)
    total = int(kept.sum())
    indices = np.empty(total, dtype=sparse.get_index_dtype(maxval=max(*shape, total)))
    ones = np.empty(total)
    goals = np.cumsum(kept) - kept
    mask = keys.dtype.type((1 << column_bits) - 1)
    places = np.column_stack([begins, goals, kept]).tolist()
    in_threads(lambda b, _: _join(keys, tuple(places[b]), mask, indices, ones), each)
    return indptr, indices, ones


def _even(pieces: list[Cells]) -> list[Cells]:
    """Merge small pieces and split large ones."""
    even: list[Cells] = []
    waiting: list[Cells] = []
    size, least = 0, max(_LEAST, sum(len(i) for i, _ in pieces) // 2048)
    while pieces:
        waiting.append(pieces.pop())
        size += len(waiting[-1][0])
        if size >= least or not pieces:
            i, j = map(np.concatenate, zip(*waiting, strict=True)) if len(waiting) > 1 else waiting[0]
            even += [(i[k : k + _MOST], j[k : k + _MOST]) for k in range(0, len(i), _MOST)]
            waiting, size = [], 0
    return even


@compiled
def _count(rows: Whole, columns: Whole, row_bits: int, hollow: bool, mirror: bool, counts: Whole) -> None:
    for t in range(len(rows)):
        if hollow and rows[t] == columns[t]:
            continue
        counts[rows[t] >> row_bits] += 1
        if mirror:
            counts[columns[t] >> row_bits] += 1


@compiled
def _deal(cells, bits, hollow, mirror, places, keys):  # type: ignore[no-untyped-def]  # typed by numba
    (rows, columns), (row_bits, column_bits) = cells, bits
    mask = (np.int64(1) << row_bits) - 1
    for t in range(len(rows)):
        i, j = np.int64(rows[t]), np.int64(columns[t])
        if hollow and i == j:
            continue
        bucket = i >> row_bits
        keys[places[bucket]] = ((i & mask) << column_bits) | j
        places[bucket] += 1
        if mirror:
            bucket = j >> row_bits
            keys[places[bucket]] = ((j & mask) << column_bits) | i
            places[bucket] += 1


@compiled
def _sort(keys, piece, column_bits, degrees, kept, work):  # type: ignore[no-untyped-def]  # typed by numba
    (begin, end), (counts, there) = piece, work
    # Radix sort by digits of eleven bits, lowest first; a digit equal in all keys is skipped.
    size = end - begin
    if size == 0:
        return
    passes = len(counts)
    for t in range(begin, end):
        key = np.uint64(keys[t])
        for k in range(passes):
            counts[k, np.int64((key >> np.uint64(11 * k)) & np.uint64(2047))] += 1
    here = keys[begin:end]
    for k in range(passes):
        shift = np.uint64(11 * k)
        if counts[k, np.int64((np.uint64(here[0]) >> shift) & np.uint64(2047))] == size:
            continue
        place = 0
        for value in range(2048):
            count = counts[k, value]
            counts[k, value] = place
            place += count
        for t in range(size):
            digit = np.int64((np.uint64(here[t]) >> shift) & np.uint64(2047))
            there[counts[k, digit]] = here[t]
            counts[k, digit] += 1
        here, there = there, here
    place, previous = begin, here[0]
    for t in range(size):
        key = here[t]
        if t == 0 or key != previous:
            previous = key
            degrees[np.int64(np.uint64(key) >> np.uint64(column_bits))] += 1
            keys[place] = key
            place += 1
    kept[0] = place - begin


@compiled
def _join(keys, place, mask, indices, ones):  # type: ignore[no-untyped-def]  # typed by numba
    begin, goal, size = place
    for t in range(size):
        indices[goal + t] = keys[begin + t] & mask
        ones[goal + t] = 1.0
