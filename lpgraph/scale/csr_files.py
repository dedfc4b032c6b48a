"""The csr arrays of a store, from numbered edges in bounded memory: buckets of rows are sorted one by one."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph._utils.files import written
from lpgraph.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers

    Ends = NDArray[np.signedinteger]

#: Bytes that sorting takes for an entry, with its weight.
_EACH = 90


class Entries(NamedTuple):
    """What was written."""

    entries: int
    loops: int
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
    for path in chunks:
        ends = np.load(path.with_suffix(".rows.npy"))
        for rows in ends if side == "both" else ends[int(side == "in")][None]:
            counts += np.bincount(rows, minlength=n)
    before = np.concatenate([[0], np.cumsum(counts)])
    steps = np.arange(0, before[-1] + 1, max(1, int(memory / _EACH)))[1:]
    cuts = np.unique([0, *np.searchsorted(before, steps), n])
    names = [store / f"building/bucket-{k:05d}" for k in range(len(cuts) - 1)]
    with ExitStack() as stack:
        files = [stack.enter_context(name.open("wb")) for name in names]
        beside = [stack.enter_context(name.with_suffix(".weights").open("wb")) for name in names if weighted]
        for path in chunks:
            given = np.load(path.with_suffix(".weights.npy")) if weighted else None
            keys, values = _keys(np.load(path.with_suffix(".rows.npy")), given, n, side)
            place = np.searchsorted(cuts, keys // n, side="right") - 1
            order = np.argsort(place.astype(np.int16), kind="stable")  # of small integers: in linear time
            bounds = np.searchsorted(place[order], np.arange(len(cuts)))
            for k, (low, high) in enumerate(pairwise(bounds)):
                files[k].write(keys[order[low:high]].tobytes())
                if values is not None:
                    beside[k].write(values[order[low:high]].tobytes())
    prefix = "in_" if side == "in" else ""
    into = [store / f"{prefix}{name}.npy" for name in ("indptr", "indices", "weights")]
    return _sorted_buckets(names, cuts, n, into, rule, weighted)


def _keys(ends: Ends, weights: Array | None, n: int, side: str) -> tuple[NDArray[np.int64], Array | None]:
    """Return row times n plus column of the entries of some edges."""
    rows, columns = (ends[::-1] if side == "in" else ends).astype(np.int64)
    if side == "both":
        apart = rows != columns
        rows, columns = np.r_[rows, columns[apart]], np.r_[columns, rows[apart]]
        weights = None if weights is None else np.r_[weights, weights[apart]]
    return rows * n + columns, weights


def _sorted_buckets(
    names: list[Path], cuts: Integers, n: int, into: list[Path], rule: str, weighted: bool
) -> Entries:
    """Write the arrays bucket by bucket; weights are deleted again if all are 1."""
    listed = sum(name.stat().st_size for name in names) // 8
    kind = np.int32 if listed < 2**31 and n < 2**31 else np.int64
    indptr, count, loops, least, most = np.zeros(n + 1, dtype=kind), 0, 0, np.inf, -np.inf
    with _growing(into[1], kind) as add_indices, _growing(into[2], np.float64) as add_weights:
        for name, (low, high) in zip(names, pairwise(cuts), strict=True):
            keys = np.fromfile(name, dtype=np.int64)
            values = np.fromfile(name.with_suffix(".weights")) if weighted else None
            keys, values = _merged(keys, values, rule, n)
            rows, columns = keys // n, keys % n
            indptr[low + 1 : high + 1] = count + np.cumsum(np.bincount(rows - low, minlength=high - low))
            add_indices(columns)
            add_weights(values)
            count, loops = count + len(keys), loops + int((rows == columns).sum())
            least, most = min(least, values.min(initial=np.inf)), max(most, values.max(initial=-np.inf))
            name.unlink()
            name.with_suffix(".weights").unlink(missing_ok=True)
    with written(into[0]) as file:
        np.save(file, indptr)
    if count and least == most == 1.0:
        into[2].unlink()
    return Entries(count, loops, least, most) if count else Entries(0, 0, 0.0, 0.0)


def _merged(keys: NDArray[np.int64], weights: Array | None, rule: str, n: int) -> tuple[NDArray[np.int64], Array]:
    """Return distinct entries in order, with the sum or the largest of their weights, without those of 0.

    Weights of one entry are added in their order: the result does not depend on that of the edges.
    """
    if weights is None:
        keys.sort()
    else:
        order = np.lexsort((weights, keys))
        keys, weights = keys[order], weights[order]
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]][: len(keys)])
    if weights is None:
        values = np.diff(np.r_[first, len(keys)]).astype(np.float64) if rule == "sum" else np.ones(len(first))
        return keys[first], values
    last = np.r_[first[1:], len(keys)] - 1
    with np.errstate(over="ignore"):
        values = np.add.reduceat(weights, first) if rule == "sum" and len(first) else weights[last[: len(first)]]
    keys = keys[first]
    if not np.isfinite(values).all():
        wrong = int(keys[np.argmin(np.isfinite(values))])
        edge = f"between vertices {wrong // n} and {wrong % n} (in the order of names)"
        raise GraphError(f"The sum of weights {edge} is too large; divide all weights by a constant.")
    kept = values != 0
    return keys[kept], values[kept]


@contextmanager
def _growing(path: Path, kind: type[np.number]) -> Iterator[Callable[[NDArray[np.number]], object]]:
    """Yield a function that appends to an array file; the number of its items is written at the end."""
    kind_of = {"descr": np.dtype(kind).str, "fortran_order": False}
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {**kind_of, "shape": (0,)})
        start = file.tell()
        yield lambda values: file.write(values.astype(kind, copy=False).data)
        count = (file.tell() - start) // np.dtype(kind).itemsize
        file.seek(0)
        np.lib.format.write_array_header_1_0(file, {**kind_of, "shape": (count,)})  # as long, with any number
