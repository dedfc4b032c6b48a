"""The csr arrays of a store, from numbered edges in bounded memory: buckets of rows are sorted one by one."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

    from lpgraph._utils.types import Array, Integers

    Ends = NDArray[np.signedinteger]

#: Bytes that sorting takes for an entry, with its weight.
_EACH = 90


class Entries(NamedTuple):
    """What was written."""

    entries: int
    least: float
    most: float


def write_csr(
    chunks: Sequence[Path], n: int, store: Path, side: str, rule: str, weighted: bool, memory: float
) -> Entries:
    """Write indptr, indices, and weights unless all are 1.

    Parameters
    ----------
    chunks : sequence of Path
        Files of edges without their suffixes: ends of shape (2, m) in ``.rows.npy``, and the weights, if there are
        any, in ``.weights.npy``. They are read twice.
    n : int
        Number of vertices.
    store : Path
        The folder; buckets are in its folder "building".
    side : {"both", "out", "in"}
        Both triangles of an undirected network; the matrix of a directed one, or its transpose.
    rule : {"sum", "largest"}
        The weight of an edge that is listed several times.
    weighted : bool
        Whether there are weights.
    memory : float
        Bytes that may be taken.
    """
    counts = np.zeros(n, dtype=np.int64)
    for rows, _, _ in _entries(chunks, side, weighted):
        counts += np.bincount(rows, minlength=n)
    before = np.concatenate([[0], np.cumsum(counts)])
    steps = np.arange(0, before[-1] + 1, max(1, int(memory / _EACH)))[1:]
    cuts = np.unique([0, *np.searchsorted(before, steps), n])
    names = [store / f"building/bucket-{k:05d}" for k in range(len(cuts) - 1)]
    _divide(_entries(chunks, side, weighted), names, cuts, n)
    kind = np.int32 if max(n, before[-1]) < 2**31 else np.int64
    indptr, count, least, most = np.zeros(n + 1, dtype=kind), 0, np.inf, -np.inf
    prefix = "in_" if side == "in" else ""
    weights = store / f"{prefix}weights.npy"
    with growing(store / f"{prefix}indices.npy", kind) as add_indices, growing(weights, np.float64) as add_weights:
        for name, (low, high) in zip(names, pairwise(cuts), strict=True):
            given = np.fromfile(name.with_suffix(".weights")) if weighted else None
            keys, values = _merged(np.fromfile(name, dtype=np.int64), given, rule, n)
            indptr[low + 1 : high + 1] = count + np.cumsum(np.bincount(keys // n - low, minlength=high - low))
            add_indices(keys % n)
            add_weights(values)
            count += len(keys)
            least, most = min(least, values.min(initial=np.inf)), max(most, values.max(initial=-np.inf))
            name.unlink()
            name.with_suffix(".weights").unlink(missing_ok=True)
    np.save(store / f"{prefix}indptr.npy", indptr)
    if least == most == 1.0:
        weights.unlink()
    return Entries(count, least, most) if count else Entries(0, 0.0, 0.0)


def _entries(chunks: Sequence[Path], side: str, weighted: bool) -> Iterator[tuple[Ends, Ends, Array | None]]:
    """Yield the rows, columns and weights of the entries of one triangle after the other."""
    for path in chunks:
        source, target = np.load(path.with_suffix(".rows.npy"))
        weights = np.load(path.with_suffix(".weights.npy")) if weighted else None
        if side != "in":
            yield source, target, weights
        if side != "out":
            chosen = source != target if side == "both" else slice(None)
            yield target[chosen], source[chosen], None if weights is None else weights[chosen]


def _divide(
    entries: Iterable[tuple[Ends, Ends, Array | None]], names: Sequence[Path], cuts: Integers, n: int
) -> None:
    """Write row times n plus column of each entry, and its weight, to the file of a bucket of rows."""
    with ExitStack() as stack:
        files = [stack.enter_context(name.open("wb")) for name in names]
        beside = [stack.enter_context(name.with_suffix(".weights").open("wb")) for name in names]
        for rows, columns, weights in entries:
            place = np.searchsorted(cuts, rows, side="right") - 1
            order = np.argsort(place.astype(np.int16), kind="stable")  # of small integers: in linear time
            keys = (rows.astype(np.int64) * n + columns)[order]
            values = None if weights is None else weights[order]
            for k, (low, high) in enumerate(pairwise(np.searchsorted(place[order], np.arange(len(cuts))))):
                files[k].write(keys[low:high].data)
                if values is not None:
                    beside[k].write(values[low:high].data)


def _merged(keys: NDArray[np.int64], weights: Array | None, rule: str, n: int) -> tuple[NDArray[np.int64], Array]:
    """Return distinct entries in order, with the sum or the largest of their weights, without those of 0.

    Weights of one entry are added in their order: the result does not depend on that of the edges.
    """
    if weights is None:
        keys, counts = np.unique(keys, return_counts=True)
        return keys, counts.astype(np.float64) if rule == "sum" else np.ones(len(keys))
    order = np.lexsort((weights, keys))
    weights = weights[order]
    keys, first = np.unique(keys[order], return_index=True)
    with np.errstate(over="ignore"):
        last = np.r_[first[1:], len(weights)] - 1
        values = np.add.reduceat(weights, first) if rule == "sum" else weights[last[: len(first)]]
    if not np.isfinite(values).all():
        wrong = int(keys[np.argmin(np.isfinite(values))])
        edge = f"between vertices {wrong // n} and {wrong % n} (in the order of names)"
        raise GraphError(f"The sum of weights {edge} is too large; divide all weights by a constant.")
    kept = values != 0
    return keys[kept], values[kept]


@contextmanager
def growing(path: Path, kind: DTypeLike) -> Iterator[Callable[[NDArray[np.generic]], object]]:
    """Yield a function that appends to an array file; the number of its items is written at the end."""
    kind_of = {"descr": np.dtype(kind).str, "fortran_order": False}
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {**kind_of, "shape": (0,)})
        start = file.tell()
        yield lambda values: file.write(values.astype(kind, copy=False).data)
        count = (file.tell() - start) // np.dtype(kind).itemsize
        file.seek(0)
        np.lib.format.write_array_header_1_0(file, {**kind_of, "shape": (count,)})  # as long, with any number
