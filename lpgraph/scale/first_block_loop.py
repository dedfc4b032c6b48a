"""Compiled loops that take some rows and columns out of a tile; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["copy_kept", "count_kept"]


@compiled
def count_kept(indptr, indices, first, rows, numbers, counts):  # type: ignore[no-untyped-def]  # numba infers the types
    """Add to `counts` how many entries of each of some rows of a tile are in columns that have a number."""
    for i in range(len(rows)):
        for p in range(np.uint64(indptr[rows[i]]), np.uint64(indptr[rows[i] + 1])):
            counts[i] += numbers[first + np.int64(indices[p])] >= 0


@compiled
def copy_kept(indptr, indices, weights, first, rows, numbers, places, kept, weights_kept):  # type: ignore[no-untyped-def]  # numba infers the types
    """Copy these entries: the numbers of their columns, and their weights if there are any.

    `places` has where the next entry of each row goes, and is moved on.
    """
    for i in range(len(rows)):
        for p in range(np.uint64(indptr[rows[i]]), np.uint64(indptr[rows[i] + 1])):
            number = numbers[first + np.int64(indices[p])]
            if number >= 0:
                kept[places[i]] = number
                if len(weights):
                    weights_kept[places[i]] = weights[p]
                places[i] += 1
