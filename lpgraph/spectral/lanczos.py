"""Thick-restart block Lanczos with full reorthogonalisation, and a check for missed multiple eigenvalues.

The basis V grows block by block, each new block orthogonalised twice against all before it, so that
``H = V.T M V`` is the plain projection whatever happened before: a restart (keep the best Ritz vectors, go on
with the residual block; Wu & Simon 2000), or a replaced direction. Always

    M V = V H + Q R E.T,

with E the last block's columns, so the residual of a Ritz vector V s is ``norm(R s_last)`` at no cost.

Krylov spaces are blind to multiplicity: a block of b directions holds at most b vectors of any eigenspace. So
when all wanted pairs have converged, only they are kept and the iteration starts afresh from random directions
orthogonal to them. It goes on until the best of what is not wanted is known well enough to lie below the wanted.
If something was found that belongs among them, they must converge anew, and the next check is twice as wide.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph.linalg.basis import Basis
from lpgraph.spectral.order import relative_scale, wanted

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from lpgraph.spectral.operators import Operator

    Array = NDArray[np.float64]


#: How many blocks are added between two looks at what has converged.
_LOOK = 5

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True, eq=False)
class LanczosRun:
    """Orthonormal Ritz vectors of the wanted end, best first, and what it took to find them.

    They are orthonormal to the precision of the basis.
    """

    vectors: Array
    norm: float
    restarts: int
    products: int


def block_lanczos(
    operator: Operator,
    k: int,
    which: str,
    tol: float,
    max_restarts: int,
    start: Array | None,
    rng: np.random.Generator,
    *,
    dtype: DTypeLike = np.float64,
) -> LanczosRun:
    """Return the `k` wanted Ritz vectors, their *estimated* residuals at most `tol` or restarts used up.

    The basis is kept in `dtype`, all arithmetic is in double precision. Of several columns in `start` a random
    combination is the first vector. Memory: ``max(2 k + 4, k + 24)`` columns and an eighth more, and five vectors.
    """
    n = operator.shape[0]
    width, check_width = 1, 1
    capacity = min(n, max(2 * k + 4, k + 24))
    # Beyond the capacity there is room for the residual block, the widest of which is a check's.
    widest_check = max(1, (capacity - k) // 8)
    basis = Basis(n, capacity + max(width, widest_check), dtype)
    projection = np.zeros((capacity, capacity))
    first = rng.standard_normal((n, 1)) if start is None else start @ rng.standard_normal((start.shape[1], 1))
    add_block(basis, 0, np.asarray(first, np.float64), rng)
    size, products, norm = 0, 0, 0.0
    settled: Array | None = None

    for restart in range(1, max_restarts + 1):
        coupling, looked = np.zeros((0, 0)), size
        while size < capacity and size + width <= capacity:
            image, columns, lengths = multiply(operator, basis, size, width)
            known = size + width
            projection[:known, size:known] = columns
            projection[size:known, :known] = columns.T
            products += width
            floor = 1e-14 * max(norm, float(np.abs(columns).max()))
            size, width = known, min(width, n - known)
            if width == 0:
                break
            coupling = add_block(basis, size, image, rng, floor, width, lengths)
            if settled is not None or size < max(k + width, looked + _LOOK * width):
                continue
            looked = size
            values, _, estimate = _ritz(projection, size, coupling, which)
            scale = relative_scale(values, max(norm, float(np.abs(values).max())))
            found = (estimate[:k] <= tol * scale[:k]).all()
            # A cycle may end early once all is found; a check must run its full length to see anything.
            if found and settled is None:
                break
        values, rotation, estimate = _ritz(projection, size, coupling, which)
        norm = max(norm, float(np.abs(values).max()))
        scale = relative_scale(values, norm)
        converged = bool((estimate[:k] <= tol * scale[:k]).all())
        unchanged = settled is not None and bool((np.abs(values[:k] - settled) <= tol * scale[:k]).all())
        checked = converged and unchanged and _nothing_missed(values, estimate, tol ** (2 / 3) * scale, k, which)
        _log.info(
            "%s %d: %d of %d pairs converged, worst residual %.2g, %d products",
            "restart" if settled is None else "check",
            restart,
            int((estimate[:k] <= tol * scale[:k]).sum()),
            k,
            float((estimate[:k] / np.maximum(scale[:k], np.finfo(float).tiny)).max()),
            products,
        )
        if size == n or restart == max_restarts or checked:
            break
        if settled is not None and not unchanged:
            settled, check_width = None, min(2 * check_width, widest_check)

        if converged and settled is None:
            keep, settled = k, values[:k].copy()
            basis.rotate(size, rotation[:, :keep])
            width = min(check_width, n - k)
            block = rng.standard_normal((width, n)).T
            for i in range(width):
                basis.take_out(0, keep, block[:, i], before=float(np.linalg.norm(block[:, i])))
            add_block(basis, keep, block, rng)
        else:
            # A thick restart: the wanted vectors, a third of the room besides, then the residual block.
            keep = min(size - width, k + (capacity - k) // 3)
            basis.rotate(size, rotation[:, :keep])
            basis.array[:, keep : keep + width] = basis.array[:, size : size + width].copy()
        projection[:] = 0.0
        projection[np.arange(keep), np.arange(keep)] = values[:keep]
        size = keep

    return LanczosRun(basis.times(size, rotation[:, :k]), norm, restart, products)


def _ritz(projection: Array, size: int, coupling: Array, which: str) -> tuple[Array, Array, Array]:
    """Return the Ritz values in the wanted order, their coefficients, and estimates of their residuals."""
    square = projection[:size, :size]
    values, rotation = scipy.linalg.eigh((square + square.T) / 2, driver="evd")
    order = wanted(values, which)
    values, rotation = values[order], rotation[:, order]
    return values, rotation, np.linalg.norm(coupling @ rotation[size - coupling.shape[1] :], axis=0)


def _nothing_missed(values: Array, estimate: Array, settled: Array, k: int, which: str) -> bool:
    """Whether the best Ritz values that are not wanted, at each end in question, lie surely below the wanted.

    Surely: farther than their residual, or their residual is so small (`settled`) that they will hardly rise.
    """
    rest = np.arange(k, len(values))
    ends = [rest[values[rest] >= 0][:1], rest[values[rest] < 0][:1]] if which == "LM" else [rest[:1]]
    size = np.abs(values) if which == "LM" else values
    for end in ends:
        distance = np.abs(size[k - 1] - size[end])
        if (estimate[end] > np.maximum(distance, settled[end])).any():
            return False
    return True


def multiply(operator: Operator, basis: Basis, at: int, width: int) -> tuple[Array, Array, Array]:
    """Return the product with `width` columns less its part along all up to them, coefficients, and lengths."""
    block = basis.array[:, at : at + width]
    if width > 1 or not getattr(operator, "takes_single", False):
        block = basis.columns(at, at + width)
    image = np.asfortranarray(operator @ block, np.float64)
    known, columns, lengths = at + width, np.zeros((at + width, width)), np.zeros(width)
    # Most of the image lies along the last two blocks: taken out first, they leave the pass over the
    # whole basis so little to do that it need not be repeated.
    recent = max(0, at - width)
    for i in range(width):
        columns[recent:, i], length = basis.take_out(recent, known, image[:, i])
        along, lengths[i] = basis.take_out(0, known, image[:, i], before=length)
        columns[:, i] += along
    return image, columns, lengths


def add_block(
    basis: Basis,
    at: int,
    block: Array,
    rng: np.random.Generator,
    floor: float = 0.0,
    keep: int | None = None,
    lengths: Array | None = None,
) -> Array:
    """Store Q of ``block = Q R`` from column `at` on and return R; the block is orthogonal to what is before.

    A direction whose length is at most `floor` is noise: a random one takes its place, with nothing of the
    block along it. Only the first `keep` directions are stored. The block is written to. `lengths` are its
    columns', if they are known.
    """
    n, width = block.shape
    keep = width if keep is None else keep
    r = np.zeros((keep, width))
    for i in range(width):
        column: Array = block[:, i]
        before = float(np.linalg.norm(column) if lengths is None else lengths[i])
        length = before
        if i:
            r[: min(i, keep), i], length = basis.take_out(at, at + min(i, keep), column, before=before)
        if i >= keep:
            continue
        if length > floor:
            r[i, i] = length
            if length < 1e-3 * before:
                # What was small has lost its orthogonality to the basis among the digits that cancelled.
                column /= length
                length = basis.take_out(0, at + i, column, before=1.0)[1]
        else:
            column = np.asarray(rng.standard_normal(n))
            length = basis.take_out(0, at + i, column, before=float(np.linalg.norm(column)))[1]
        basis.store(at + i, column, 1 / length)
    return r
