"""Compiled loop that multiplies a tile of a sparse matrix by a group of columns; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled
from lpgraph.linalg.lanes import add_multiple, lanes, put

__all__ = ["tile_product"]


@compiled
def tile_product(indptr, indices, weights, source, zeros, target):  # type: ignore[no-untyped-def]  # numba infers the types
    """Add the product of a tile and a group of columns to a target.

    `source` and `target` hold a group row by row: as many numbers a row as there are `zeros`. Of unweighted tiles
    `weights` is empty.
    """
    width, one = np.uint64(len(zeros)), np.uint64(1)
    weighted = len(weights) > 0
    for i in range(len(indptr) - 1):
        p, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        if p == end:
            continue
        sums = add_multiple(lanes(zeros), 1.0, target, width * np.uint64(i))
        while p < end:
            sums = add_multiple(sums, weights[p] if weighted else 1.0, source, width * np.uint64(indices[p]))
            p += one
        put(sums, target, width * np.uint64(i))
