"""Whether landmarks have enough edges for their eigenvectors to say something, and the warning if not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph.linalg.matvec import AnyMatrix

__all__ = ["warn_of_few_edges", "warn_of_few_walks"]

#: Mean number of edges of a landmark with other landmarks, over the ends of edges, and of other landmarks at the
#: end of two edges, below which the positions of nearly all models and real networks that were tried say little
#: of those by all vertices.
_EDGES, _WALKS = 4.0, 36.0

#: Of fewer landmarks these numbers say nothing.
_MANY = 50


def warn_of_few_edges(part: sparse.csr_array, n: int) -> None:
    """Warn if the landmarks' own network, of n vertices, is so sparse that it shows no structure."""
    if len(part.indptr) > n:
        return
    out, into = _counts(part)
    at_ends = float((out**2).sum() + (into**2).sum()) / (2 * part.nnz)
    if at_ends < _EDGES:
        # Without the edge itself, the number is proportional to that of landmarks.
        more = (_EDGES - 1) / max(at_ends - 1, 0.1)
        _warn(part.shape[0], n, f"few edges among themselves, {at_ends:.1f} at the end of an edge", _EDGES, more)


def warn_of_few_walks(parts: Sequence[AnyMatrix]) -> None:
    """Warn if the landmarks' rows have so few entries that they show no structure."""
    found = [_walks(part) for part in parts if isinstance(part, sparse.csr_array)]
    if found and min(found) < _WALKS:
        m, n = parts[0].shape
        what = f"few neighbors in common: two edges lead from one to {min(found):.1f} others"
        _warn(m, n, what, _WALKS, _WALKS / max(min(found), 0.1))


def _walks(part: sparse.csr_array) -> float:
    """Return to how many other rows two entries lead, the second of which is in the column of the first."""
    rows, columns = _counts(part)
    others = [(counts * (counts - 1)).sum() / max(part.nnz, 1) for counts in (rows, columns)]
    return float(others[0] * others[1]) if part.shape[0] < part.shape[1] else np.inf


def _counts(part: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return how many entries each row and each column has."""
    rows, columns = np.diff(part.indptr), np.bincount(part.indices, minlength=part.shape[1])
    return rows.astype(np.float64), columns.astype(np.float64)


def _warn(m: int, n: int, what: str, least: float, factor: float) -> None:
    if m < _MANY:
        return
    wanted = np.ceil(m * factor)
    more = f"more landmarks (about {wanted:,.0f} may do), or " if wanted < n else ""
    warn(
        f"The {m} landmarks have {what}, and below {least:g} the positions are mostly noise. Pass {more}"
        "landmarks=None to embed all vertices.",
        LpgraphWarning,
    )
