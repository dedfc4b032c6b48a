"""Compiled loops over sparse rows: products with all training points by lists of each column; imports numba.

The training points with an entry in a column, and these entries, are a list. The products of a new point with all
training points are sums over the lists of its columns, in a row of n numbers, so that no product is sparse.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from lpgraph._compiled import compiled

__all__ = ["list_near", "norms_of_pairs"]

#: Bounds that are compared at a time, without branches.
_PIECE = 64


@register_jitable
def _fill_bounds(bounds, entries, values, ends, members, weights, own, squares, gamma):  # type: ignore[no-untyped-def]  # numba infers the types
    """Write lower bounds of squared distances of one point to all training points."""
    bounds[:] = 0.0
    for e in range(len(entries)):
        value = values[e]
        for q in range(ends[entries[e]], ends[entries[e] + 1]):
            bounds[members[q]] += value * weights[q]
    for j in range(np.uint64(len(bounds))):
        bounds[j] = (1.0 - gamma) * (own + squares[j]) - 2.0 * bounds[j]


@register_jitable
def _put(heap, value):  # type: ignore[no-untyped-def]  # numba infers the types
    """Replace the largest number of a heap, its first."""
    place = 0
    while True:
        below = 2 * place + 1
        if below >= len(heap):
            break
        if below + 1 < len(heap) and heap[below + 1] > heap[below]:
            below += 1
        if heap[below] <= value:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = value


@register_jitable
def _largest_of_nearest(bounds, heap, own, squares, gamma):  # type: ignore[no-untyped-def]  # numba infers the types
    """Return an upper bound of the squared distances of the nearest points, as many as `heap` holds."""
    heap[:] = np.inf
    for begin in range(0, len(bounds), _PIECE):
        piece, worst = bounds[begin : begin + _PIECE], heap[0]
        hits = 0
        for c in range(np.uint64(len(piece))):
            hits += piece[c] < worst  # an upper bound is larger
        if hits:
            for c in range(len(piece)):
                upper = piece[c] + 2.0 * gamma * (own + squares[begin + c])
                if upper < heap[0]:
                    _put(heap, upper)
    return max(heap[0], 0.0)


@compiled
def list_near(new, own, training, squares, gamma, slack, limits, mine, labels, bounds, heap, found, state):  # type: ignore[no-untyped-def]  # numba infers the types
    """List training points that may be among the nearest of new points, or that are within their own limits.

    `new` has the structure and the entries of the new points and `own` their squared norms, `training` those of
    the lists of columns, and `squares` the norms of training points. `heap` has as many numbers as nearest points
    are wanted, and `limits` are bounds of squared distances for each training point. With labels, points of the
    label in `mine` are left out. `state` has the next point, the end, and the number of pairs that were found; the
    loop stops when another point might exceed the memory for pairs.
    """
    starts, entries, values = new
    ends, members, weights = training
    n, row, count = len(bounds), state[0], state[2]
    while row < state[1] and count + n <= found.shape[1]:
        part = slice(starts[row], starts[row + 1])
        _fill_bounds(bounds, entries[part], values[part], ends, members, weights, own[row], squares, gamma)
        if len(labels):
            for j in range(n):
                if labels[j] == mine[row]:
                    bounds[j] = np.inf
        most = -np.inf
        if len(heap):
            most = _largest_of_nearest(bounds, heap, own[row], squares, gamma) * (1.0 + slack)
        for begin in range(0, n, _PIECE):
            piece, some = bounds[begin : begin + _PIECE], limits[begin : begin + _PIECE]
            hits = 0
            for c in range(np.uint64(len(piece))):
                hits += (piece[c] <= most) | (piece[c] <= some[c])
            if hits:
                for c in range(len(piece)):
                    if piece[c] <= most or piece[c] <= some[c]:
                        found[0, count], found[1, count] = row, begin + c
                        count += 1
        row += 1
    state[0], state[2] = row, count


@compiled
def norms_of_pairs(one, i, other, j, norm, result, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Write the norms of differences of sparse rows; a sum is taken in the order of the columns."""
    starts, entries, values = one
    ends, others, weights = other
    for pair in range(low, high):
        e, stop = starts[i[pair]], starts[i[pair] + 1]
        f, halt = ends[j[pair]], ends[j[pair] + 1]
        total = 0.0
        while e < stop or f < halt:
            if f == halt or (e < stop and entries[e] < others[f]):
                difference = values[e]
                e += 1
            elif e == stop or others[f] < entries[e]:
                difference = -weights[f]
                f += 1
            else:
                difference = values[e] - weights[f]
                e += 1
                f += 1
            if norm == 2.0:
                total += difference * difference
            elif norm == 1.0:
                total += abs(difference)
            else:
                total = max(total, abs(difference))
        result[pair] = np.sqrt(total) if norm == 2.0 else total
