"""Which worker multiplies which tiles: rows alone for few workers, and a grid of rows and columns for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lpgraph.scale.dask_placement import Group, grouped, placed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Grid", "Share", "grid_of"]

#: Workers from which on the columns are divided as well.
_MANY = 9


@dataclass(frozen=True)
class Share:
    """Tiles that one task multiplies.

    Attributes
    ----------
    column : int
        Their group of columns.
    owner : Group
        The partitions, and the worker that adds up the products.
    at : Group
        The same partitions, and the worker that multiplies the tiles.
    """

    column: int
    owner: Group
    at: Group


@dataclass(frozen=True)
class Grid:
    """Where partitions and tiles are.

    Attributes
    ----------
    workers : list of str
        The worker that has each partition of blocks.
    groups : tuple of Group
        The same, by tasks.
    columns : dict
        The group of columns of each worker; empty if columns are not divided.
    shares : tuple of Share
        All tiles, if columns are divided.
    """

    workers: list[str]
    groups: tuple[Group, ...]
    columns: dict[str, int]
    shares: tuple[Share, ...] = ()


def grid_of(before: Grid | None, count: int, threads: Mapping[str, int], sources: Sequence[Sequence[int]]) -> Grid:
    """Return where partitions and tiles are, near to where they were.

    Parameters
    ----------
    before : Grid or None
        The grid so far.
    count : int
        Number of partitions.
    threads : mapping
        Number of threads of each worker that is there.
    sources : sequence of sequence of int
        The partitions of the rows that the tiles of each group of columns gather from.

    Examples
    --------
    >>> from lpgraph.scale.dask_grid import grid_of
    >>> grid_of(None, 4, {"a": 1, "b": 1}, [[0, 1], [2, 3]]).workers
    ['a', 'b', 'a', 'b']
    >>> many = grid_of(None, 8, {letter: 1 for letter in "abcdefghi"}, [[0, 1, 2, 3], [4, 5, 6, 7]])
    >>> many.columns["a"], many.columns["b"], many.workers
    (0, 1, ['a', 'c', 'e', 'g', 'b', 'd', 'f', 'h'])
    """
    were = before.workers if before is not None else []
    if len(threads) < _MANY or len(sources) < 2:
        workers = placed(were, count, threads)
        return Grid(workers, tuple(grouped(workers, threads)), {})
    columns = _columns({} if before is None else before.columns, threads, len(sources))
    workers = [""] * count
    for column, partitions in enumerate(sources):
        own = {worker: threads[worker] for worker in threads if columns[worker] == column}
        # A partition whose worker has another column is placed again.
        places = placed([were[p] if were else "" for p in partitions], len(partitions), own)
        for p, worker in zip(partitions, places, strict=True):
            workers[p] = worker
    groups = tuple(grouped(workers, threads))
    return Grid(workers, groups, columns, tuple(_shares(groups, columns, threads, len(sources))))


def _columns(before: Mapping[str, int], threads: Mapping[str, int], count: int) -> dict[str, int]:
    """Return a group of columns for each worker: the one it had, or the one with the fewest threads."""
    columns = {worker: before[worker] for worker in sorted(threads) if worker in before}
    loads = [sum(threads[worker] for worker in columns if columns[worker] == column) for column in range(count)]
    for worker in sorted(threads):
        if worker not in columns:
            columns[worker] = loads.index(min(loads))
            loads[columns[worker]] += threads[worker]
    while not min(loads):
        largest = loads.index(max(loads))
        worker = next(worker for worker in columns if columns[worker] == largest)
        columns[worker] = loads.index(0)
        loads[largest] -= threads[worker]
        loads[columns[worker]] += threads[worker]
    return columns


def _shares(
    groups: Sequence[Group], columns: Mapping[str, int], threads: Mapping[str, int], count: int
) -> list[Share]:
    """Divide the tiles of each group of columns among its workers; all of an owner's go to one worker."""
    shares = []
    for column in range(count):
        loads = {worker: 0.0 for worker in columns if columns[worker] == column}
        # Those that the owner multiplies are sent nowhere.
        for group in sorted(groups, key=lambda group: columns[group.worker] != column):
            size, worker = len(group.partitions), group.worker
            if columns[worker] != column:
                worker = min(loads, key=lambda one: (loads[one] + size / threads[one], one))
            loads[worker] += size / threads[worker]
            shares.append(Share(column, group, Group(worker, group.partitions)))
    return shares
