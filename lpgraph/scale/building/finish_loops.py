"""Compiled loops over the tiles of a store: sums of rows, loops, and connected components."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["diagonal", "join", "roots", "row_sums"]


def _row_sums(indptr, weights, sums, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Add the weights of the rows of a tile."""
    weighted = len(weights) > 0
    for i in range(low, high):
        first, last = np.int64(indptr[i]), np.int64(indptr[i + 1])
        if not weighted:
            sums[i] += last - first
            continue
        total = sums[i]
        for k in range(first, last):
            total += weights[k]
        sums[i] = total


row_sums = compiled(_row_sums)


def _diagonal(indptr, indices, weights, row, values, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Find the loops of the rows of a tile, the first of which is vertex `row`."""
    weighted = len(weights) > 0
    for i in range(low, high):
        first, last, vertex = np.int64(indptr[i]), np.int64(indptr[i + 1]), row + i
        while first < last:
            middle = (first + last) // 2
            if np.int64(indices[middle]) < vertex:
                first = middle + 1
            else:
                last = middle
        if first < np.int64(indptr[i + 1]) and np.int64(indices[first]) == vertex:
            values[i] = weights[first] if weighted else 1.0


diagonal = compiled(_diagonal)


def _join(indptr, indices, row, parent, both):  # type: ignore[no-untyped-def]  # numba infers the types
    """Join the components of neighbors; a component's root is its lowest vertex."""
    for i in range(len(indptr) - 1):
        vertex = row + i
        for k in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
            other = np.int64(indices[k])
            if other >= vertex and not both:
                break  # an undirected edge is listed from its other end
            a, b = vertex, other
            while parent[a] != a:
                parent[a] = parent[parent[a]]
                a = np.int64(parent[a])
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = np.int64(parent[b])
            if a < b:
                parent[b] = a
            elif b < a:
                parent[a] = b


join = compiled(_join)


def _roots(parent, sizes):  # type: ignore[no-untyped-def]  # numba infers the types
    """Replace each parent by the root, and count the vertices of each component at its root."""
    for v in range(len(parent)):
        parent[v] = parent[parent[v]]  # the parent is lower, so that its own parent is the root
        sizes[parent[v]] += 1


roots = compiled(_roots)
