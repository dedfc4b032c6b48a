"""Numbers of vertices: the distinct names of all edges in increasing order, and each end point's place there."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._checks import import_extra
from lpgraph._files import written
from lpgraph.errors import GraphError, StoreError
from lpgraph.linalg.room import gigabytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    #: End points of a batch, sources before targets: integers, or places in a dictionary of texts.
    Ends: TypeAlias = "tuple[NDArray[np.signedinteger], pa.Array | None]"

__all__ = ["coded", "number_integers", "number_texts", "write_names"]

#: Texts that are looked up or merged together.
_TOGETHER = 1 << 24
#: Names that are written at a time.
_WRITTEN = 1 << 18


def coded(source: pa.Array, target: pa.Array) -> Ends:
    """Return the ends of a batch as integers, or as places in the dictionary of their distinct texts."""
    arrow = import_extra("pyarrow", "scale")
    if source.type == target.type == arrow.int64():
        ends = np.concatenate([source.to_numpy(), target.to_numpy()])
        small = not len(ends) or (ends.min() >= -(2**31) and ends.max() < 2**31)
        return ends.astype(np.int32) if small else ends, None
    texts = arrow.chunked_array([column.cast(arrow.large_string()) for column in (source, target)])
    found = texts.combine_chunks().dictionary_encode()
    return found.indices.to_numpy(), found.dictionary


def number_integers(
    batches: Iterable[NDArray[np.signedinteger]], low: int, high: int, memory: float
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return the distinct integers in order, and the place of each from `low` on if a table of these fits."""
    if 9 * (high - low + 1) <= memory / 2:
        there = np.zeros(high - low + 1, dtype=bool)
        for ends in batches:
            there[ends - np.int64(low)] = True
        return np.flatnonzero(there) + low, np.cumsum(there) - 1
    names, waiting, count = np.empty(0, dtype=np.int64), [], 0
    for ends in batches:
        waiting.append(np.unique(ends).astype(np.int64))
        count += len(waiting[-1])
        if count > max(_TOGETHER, len(names)):
            names, waiting, count = np.unique(np.concatenate([names, *waiting])), [], 0
        if 40 * (len(names) + count) > memory:
            raise _too_many(len(names), memory)
    return np.unique(np.concatenate([names, *waiting])), None


def number_texts(dictionaries: Iterable[pa.Array], memory: float) -> tuple[pa.Array, Iterator[NDArray[np.int64]]]:
    """Return the distinct texts in the order of their code points, and each dictionary's places there.

    `dictionaries` is iterated twice.
    """
    arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
    names = arrow.array([], arrow.large_string())
    for some in _groups(dictionaries):
        names = compute.unique(arrow.concat_arrays([names, *some]))
        if 6 * names.nbytes > memory:
            raise _too_many(len(names), memory)
    names = names.take(compute.sort_indices(names))

    def places() -> Iterator[NDArray[np.int64]]:
        for some in _groups(dictionaries):
            found = compute.index_in(arrow.concat_arrays(some), value_set=names).to_numpy().astype(np.int64)
            yield from np.split(found, np.cumsum([len(one) for one in some])[:-1])

    return names, places()


def _groups(dictionaries: Iterable[pa.Array]) -> Iterator[list[pa.Array]]:
    """Yield some dictionaries at a time: a table of all names is made for each group."""
    group: list[pa.Array] = []
    for one in dictionaries:
        group.append(one)
        if sum(map(len, group)) >= _TOGETHER:
            yield group
            group = []
    if group:
        yield group


def write_names(path: Path, names: NDArray[np.int64] | pa.Array) -> bool:
    """Write the names of vertices; return false if they are 0 ... n - 1, and none are written."""
    n = len(names)
    if isinstance(names, np.ndarray):
        if n and names[0] == 0 and names[-1] == n - 1:
            return False
        with written(path) as file:
            np.save(file, names)
        return True
    compute = import_extra("pyarrow.compute", "scale")
    if compute.any(compute.ends_with(names, "\0")).as_py():
        raise GraphError("A vertex has a name that ends in the character NUL, which arrays of texts do not keep.")
    width = compute.max(compute.utf8_length(names)).as_py()
    header = {"descr": f"<U{width}", "fortran_order": False, "shape": (n,)}
    with written(path) as file:
        np.lib.format.write_array_header_1_0(file, header)
        for low in range(0, n, _WRITTEN):
            file.write(np.array(names.slice(low, _WRITTEN).to_pylist(), dtype=f"<U{width}").tobytes())
    return True


def _too_many(count: int, memory: float) -> StoreError:
    return StoreError(
        f"The names of more than {count} vertices do not fit into {gigabytes(memory)}; pass a larger memory=, or "
        "number the vertices."
    )
