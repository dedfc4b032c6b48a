"""Compiled loops that put edges into buckets: one for each partition of rows."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["count_blocks", "count_buckets", "put"]


def _count_blocks(source, target, both, shift, counts):  # type: ignore[no-untyped-def]  # numba infers the types
    """Count the entries of each block of rows; a loop of an undirected network is one."""
    by = np.uint64(shift)
    for k in range(len(source)):
        counts[np.uint64(source[k]) >> by] += 1
        if both or source[k] != target[k]:
            counts[np.uint64(target[k]) >> by] += 1


count_blocks = compiled(_count_blocks)


def _count_buckets(source, target, parts, both, back, shift, counts):  # type: ignore[no-untyped-def]  # numba infers the types
    """Count the entries of each bucket; `parts` has the partition of each block of rows."""
    by = np.uint64(shift)
    for k in range(len(source)):
        counts[parts[np.uint64(source[k]) >> by]] += 1
        if both or source[k] != target[k]:
            counts[back + parts[np.uint64(target[k]) >> by]] += 1


count_buckets = compiled(_count_buckets)


def _put(  # type: ignore[no-untyped-def]  # numba infers the types
    source, target, weight, parts, lows, both, back, shift, places, rows, columns, weights
):
    """Put entries at the places of their buckets: row in the partition, column, weight."""
    by = np.uint64(shift)
    weighted = len(weight) > 0
    for k in range(len(source)):
        part = parts[np.uint64(source[k]) >> by]
        place = places[part]
        places[part] = place + 1
        rows[place] = np.int64(source[k]) - lows[part]
        columns[place] = target[k]
        if weighted:
            weights[place] = weight[k]
        if both or source[k] != target[k]:
            part = parts[np.uint64(target[k]) >> by]
            place = places[back + part]
            places[back + part] = place + 1
            rows[place] = np.int64(target[k]) - lows[part]
            columns[place] = source[k]
            if weighted:
                weights[place] = weight[k]


put = compiled(_put)
