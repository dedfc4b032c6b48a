"""Sparse 0/1 matrix of sampled cells: duplicates merged, pairs mirrored, indices sorted.

Many events are sorted on all cores: a counting sort distributes them to a few hundred buckets of consecutive
rows, and each bucket, which fits in a core's cache, is sorted by (row, column). Few events are sorted by scipy.
Both methods give the same matrix.

Events are drawn in pieces on all cores, each with a random number generator of its own (`run_pieces`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import available, compiled, in_threads, slices
from lpgraph.errors import ArgumentError
from lpgraph.linalg.room import installed_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    entropy = rng.integers(0, 2**32, size=8, dtype=np.uint64).tolist()
    seeds = np.random.SeedSequence(entropy).spawn(len(pieces))
    return _in_order(lambda t: pieces[t](np.random.Generator(np.random.PCG64(seeds[t]))), len(pieces))


def _in_order(work: Callable[[int], T], count: int) -> list[T]:
    """Return ``[work(0), ..., work(count - 1)]``, which are computed in threads."""
    found: dict[int, T] = {}

    def call(t: int, _: int) -> None:
        found[t] = work(t)

    in_threads(call, range(count + 1))
    return [found[t] for t in range(count)]


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
        need = f"{expected * _BYTES / 1e9:.2g} of {memory / 1e9:.2g} GB of memory"
        remedy = "pass fewer vertices, or a smaller sparsity or probability"
        raise ArgumentError(f"{expected:.2g} edges or more need {need}; {remedy}.")


#: Number of events below which importing numba would cost more time than it saves.
WORTHWHILE = 1_000_000

#: Number of events that a thread distributes at a time.
_PIECE = 2**18

#: Binary logarithm of the number of buckets, rounded up; writing to more at once would miss the cache.
_BUCKET_BITS = 9


def matrix_of(edges: list[Cells], shape: tuple[int, int], *, mirror: bool) -> sparse.csr_array:
    """Return the matrix with a 1 in every cell of `edges`.

    Parameters
    ----------
    edges : list of pairs of integer arrays
        Rows and columns of the cells, which may repeat. The list is emptied to free memory.
    shape : (int, int)
    mirror : bool
        Whether cell (i, j) also sets (j, i).
    """
    index = sparse.get_index_dtype(maxval=max(shape))

    def side(*ends: int) -> Whole:
        return np.concatenate([np.empty(0, index), *(cells[e] for e in ends for cells in edges)], dtype=index)

    rows, columns = (side(0, 1), side(1, 0)) if mirror else (side(0), side(1))
    edges.clear()
    if len(rows) >= WORTHWHILE and available():
        return _by_buckets(rows, columns, shape)
    matrix = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    matrix.data[:] = 1.0  # cells that occurred several times were added
    return matrix


def _by_buckets(rows: Whole, columns: Whole, shape: tuple[int, int]) -> sparse.csr_array:
    """Distribute events to buckets, sort each bucket, and concatenate."""
    column_bits = (shape[1] - 1).bit_length()
    row_bits = max(0, (shape[0] - 1).bit_length() - _BUCKET_BITS)
    n_buckets = ((shape[0] - 1) >> row_bits) + 1
    pieces = list(slices(len(rows), _PIECE))

    counts = np.stack([np.bincount(rows[piece] >> row_bits, minlength=n_buckets) for piece in pieces])
    # The keys of a bucket are contiguous, and within it those of each piece.
    ends = np.cumsum(counts.T.ravel()).reshape(n_buckets, len(pieces)).T
    starts = np.ascontiguousarray(ends - counts)
    cuts = np.append(starts[0], len(rows)).tolist()
    keys: Whole = np.empty(len(rows), dtype=np.uint32 if row_bits + column_bits <= 32 else np.int64)

    def deal(t: int) -> None:
        _deal(rows[pieces[t]], columns[pieces[t]], row_bits, column_bits, starts[t], keys)

    def sort(b: int) -> tuple[Whole, Whole]:
        """Return the numbers of cells in the rows of a bucket, and their columns."""
        part = keys[cuts[b] : cuts[b + 1]]
        part.sort()
        part = part[np.append(True, part[1:] != part[:-1])[: len(part)]]
        return np.bincount(part >> column_bits, minlength=1 << row_bits), part & ((1 << column_bits) - 1)

    _in_order(deal, len(pieces))
    sizes, found = zip(*_in_order(sort, n_buckets), strict=True)
    ends = np.cumsum(np.concatenate(sizes)[: shape[0]])
    index = sparse.get_index_dtype(maxval=max(*shape, int(ends[-1])))
    indices = np.concatenate(found, dtype=index, casting="unsafe")
    matrix = sparse.csr_array((np.ones(len(indices)), indices, np.append(0, ends).astype(index)), shape=shape)
    matrix.has_canonical_format = True
    return matrix


@compiled
def _deal(rows, columns, row_bits, column_bits, places, keys):  # type: ignore[no-untyped-def]  # typed by numba
    mask = (np.int64(1) << row_bits) - 1
    for t in range(len(rows)):
        i, j = np.int64(rows[t]), np.int64(columns[t])
        bucket = i >> row_bits
        keys[places[bucket]] = ((i & mask) << column_bits) | j
        places[bucket] += 1
