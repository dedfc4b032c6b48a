"""Compiled loop of `lpgraph.linalg.closed_pairs`; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["add_closed_pairs"]


@compiled
def add_closed_pairs(  # type: ignore[no-untyped-def]  # numba infers the types
    indptr, indices, data, first, columns, weights, result, low, high
):
    """Write the sums of rows low ... high - 1."""
    marks = np.zeros(len(indptr) - 1)
    for i in range(low, high):
        for p in range(first[i], first[i + 1]):
            marks[columns[p]] = weights[p]
        total = 0.0
        for p in range(first[i], first[i + 1]):
            j = columns[p]
            inside = 0.0
            for q in range(indptr[j], indptr[j + 1]):
                inside += data[q] * marks[indices[q]]
            total += weights[p] * inside
        result[i] = total
        for p in range(first[i], first[i + 1]):
            marks[columns[p]] = 0.0
