"""Compiled loops over a tile of a sparse matrix: its product with a group of columns, and its weights."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled
from lpgraph.linalg.lanes import add_multiple, lanes, put, rounded

__all__ = ["derived_weights", "tile_product"]


@compiled
def tile_product(indptr, indices, weights, source, zeros, begun, target, first, last, single):  # type: ignore[no-untyped-def]  # numba infers the types
    """Add the product of a tile and a group of columns to a sum of some tiles, and the last such sum to a target.

    `source`, `begun` and `target` hold a group row by row: as many numbers a row as there are `zeros`. Of
    unweighted tiles `weights` is empty. The first tile begins a sum, which `begun` holds until the last one adds
    it to the target, rounded to single precision if `single`.
    """
    width, one = np.uint64(len(zeros)), np.uint64(1)
    weighted = len(weights) > 0
    for i in range(len(indptr) - 1):
        p, end, place = np.uint64(indptr[i]), np.uint64(indptr[i + 1]), width * np.uint64(i)
        if p == end and first == last:
            continue
        sums = lanes(zeros)
        if not first:
            sums = add_multiple(sums, 1.0, begun, place)
        while p < end:
            sums = add_multiple(sums, weights[p] if weighted else 1.0, source, width * np.uint64(indices[p]))
            p += one
        if not last:
            put(sums, begun, place)
            continue
        if single:
            sums = rounded(sums)
        put(add_multiple(sums, 1.0, target, place), target, place)


@compiled
def derived_weights(  # type: ignore[no-untyped-def]  # numba infers the types
    indptr, indices, weights, row, order, seed, low, high, inside, outside, squares, target
):
    """Write the weights of a tile, multiplied by factors of the edges, and squared.

    The numbers are those of `lpgraph.scale.edge_numbers.edge_numbers`, as integers below 2^32.
    """
    half, weighted = np.uint64(32), len(weights) > 0
    for i in range(len(indptr) - 1):
        own = np.uint64(row + i)
        for p in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
            first, second = own, np.uint64(indices[p])
            if order == 2 or (order == 0 and second < first):
                first, second = second, first
            x = ((first << half) | (first >> half)) ^ second
            x = (x + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            x = (x ^ (x >> np.uint64(31))) >> half
            value = inside if np.uint64(low) <= x and x < np.uint64(high) else outside
            value *= weights[p] if weighted else 1.0
            target[p] = value * value if squares else value
