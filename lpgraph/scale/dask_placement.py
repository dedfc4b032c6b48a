"""Which worker works on which partitions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Group", "grouped", "placed"]


@dataclass(frozen=True)
class Group:
    """Partitions that one task works on, and the address of the worker that is asked to."""

    worker: str
    partitions: tuple[int, ...]


def placed(before: Sequence[str], count: int, threads: Mapping[str, int]) -> list[str]:
    """Return the address of the worker of each partition.

    Workers get partitions in proportion to their threads. A partition stays where it was, unless that worker is
    gone or has more than its share.

    Parameters
    ----------
    before : sequence of str
        The addresses so far; empty if there are none.
    count : int
        Number of partitions.
    threads : mapping
        Number of threads of each worker that is there.

    Examples
    --------
    >>> from lpgraph.scale.dask_placement import placed
    >>> first = placed([], 4, {"a": 1, "b": 1})
    >>> first
    ['a', 'b', 'a', 'b']
    >>> placed(first, 4, {"a": 1, "c": 1})
    ['a', 'c', 'a', 'c']
    """
    total = sum(threads.values())
    loads = dict.fromkeys(sorted(threads), 0)
    result = [""] * count
    for p, worker in enumerate(before[:count]):
        if worker in loads and loads[worker] < -(-count * threads[worker] // total):
            result[p] = worker
            loads[worker] += 1
    for p in range(count):
        if not result[p]:
            result[p] = min(loads, key=lambda worker: (loads[worker] + 1) / threads[worker])
            loads[result[p]] += 1
    return result


def grouped(workers: Sequence[str], threads: Mapping[str, int]) -> list[Group]:
    """Return groups of partitions: as many for each worker as it has threads, if it has so many partitions.

    Examples
    --------
    >>> from lpgraph.scale.dask_placement import grouped
    >>> [group.partitions for group in grouped(["a", "b", "a", "b", "a"], {"a": 2, "b": 1})]
    [(0,), (2, 4), (1, 3)]
    """
    result = []
    for worker in sorted(set(workers)):
        own = [p for p, its in enumerate(workers) if its == worker]
        pieces = min(threads[worker], len(own))
        cuts = [len(own) * k // pieces for k in range(pieces + 1)]
        result += [Group(worker, tuple(own[low:high])) for low, high in pairwise(cuts)]
    return result
