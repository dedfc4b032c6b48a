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

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph.spectral.order import relative_scale, wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.operators import Operator

    Array = NDArray[np.float64]


#: How many blocks are added between two looks at what has converged.
_LOOK = 5


@dataclass(frozen=True, eq=False)
class LanczosRun:
    """Orthonormal Ritz vectors of the wanted end, best first, and what it took to find them."""

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
    block_size: int = 1,
) -> LanczosRun:
    """Return the `k` wanted Ritz vectors, their *estimated* residuals at most `tol` or restarts used up."""
    n = operator.shape[0]
    block = rng.standard_normal((n, min(block_size, n))) if start is None else np.array(start, np.float64)
    width, check_width = block.shape[1], 1
    capacity = min(n, max(2 * k + 4 * width, k + 24))
    # Beyond the capacity there is room for the residual block, the widest of which is a check's.
    widest_check = max(1, (capacity - k) // 8)
    basis = np.empty((n, capacity + max(width, widest_check)), order="F")
    projection = np.zeros((capacity, capacity))
    basis[:, :width] = orthonormal_block(block, basis[:, :0], rng)[0]
    size, products, norm = 0, 0, 0.0
    settled: Array | None = None

    for restart in range(1, max_restarts + 1):
        coupling, looked = np.zeros((0, 0)), size
        while size < capacity and size + width <= capacity:
            new = slice(size, size + width)
            image = operator @ basis[:, new]
            products += width
            known = basis[:, : size + width]
            # Most of the image lies along the last two blocks: taken out first, they leave the pass over the
            # whole basis so little to do that it need not be repeated.
            recent = slice(max(0, size - width), size + width)
            column = np.zeros((size + width, width))
            column[recent] = project_once(image, basis[:, recent])
            column += project_out(image, known)
            projection[: size + width, new] = column
            projection[new, : size + width] = column.T
            size += width
            width = min(width, n - size)
            if width == 0:
                break
            floor = 1e-14 * max(norm, float(np.abs(column).max()))
            following = basis[:, size : size + width]
            following[:], coupling = orthonormal_block(image, known, rng, floor, width)
            # A cycle may end early once all is found; a check must run its full length to see anything.
            if settled is None and size >= max(k + width, looked + _LOOK * width):
                looked = size
                values, _, estimate = _ritz(projection, size, coupling, which)
                scale = relative_scale(values, max(norm, float(np.abs(values).max())))
                if (estimate[:k] <= tol * scale[:k]).all():
                    break
        values, rotation, estimate = _ritz(projection, size, coupling, which)
        norm = max(norm, float(np.abs(values).max()))
        scale = relative_scale(values, norm)
        converged = bool((estimate[:k] <= tol * scale[:k]).all())
        unchanged = settled is not None and bool((np.abs(values[:k] - settled) <= tol * scale[:k]).all())
        checked = converged and unchanged and _nothing_missed(values, estimate, tol ** (2 / 3) * scale, k, which)
        if size == n or restart == max_restarts or checked:
            break
        if settled is not None and not unchanged:
            settled, check_width = None, min(2 * check_width, widest_check)

        begin_check = converged and settled is None
        if begin_check:
            keep, settled = k, values[:k].copy()
            width = min(check_width, n - keep)
            block = rng.standard_normal((n, width))
        else:
            # A thick restart: the wanted vectors, a third of the room besides, then the residual block.
            keep = min(size - width, k + (capacity - k) // 3)
            block = basis[:, size : size + width].copy()
        basis[:, :keep] = basis[:, :size] @ rotation[:, :keep]
        if begin_check:
            project_out(block, basis[:, :keep])
            block = orthonormal_block(block, basis[:, :keep], rng)[0]
        basis[:, keep : keep + width] = block
        projection[:] = 0.0
        projection[np.arange(keep), np.arange(keep)] = values[:keep]
        size = keep

    return LanczosRun(basis[:, :size] @ rotation[:, :k], norm, restart, products)


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


def project_once(block: Array, basis: Array) -> Array:
    """Take the orthonormal `basis` out of `block`, in place; return the coefficients."""
    coefficients = basis.T @ block
    block -= basis @ coefficients
    return coefficients


def project_out(block: Array, basis: Array) -> Array:
    """Make `block` orthogonal to `basis` to rounding: a second pass where the first took much away."""
    before = np.linalg.norm(block, axis=0)
    coefficients = project_once(block, basis)
    if (np.linalg.norm(block, axis=0) < 0.7 * before).any():
        coefficients += project_once(block, basis)
    return coefficients


def orthonormal_block(
    block: Array, basis: Array, rng: np.random.Generator, floor: float = 0.0, keep: int | None = None
) -> tuple[Array, Array]:
    """Return Q and R with ``block = Q R``, Q orthonormal, for a block that is orthogonal to `basis`.

    A direction whose length is at most `floor` is noise: a random one takes its place, with nothing of the
    block along it. Only the first `keep` directions are returned.
    """
    n, width = block.shape
    keep = width if keep is None else keep
    lengths = np.linalg.norm(block, axis=0)
    q = np.empty((n, keep), order="F")
    r = np.zeros((keep, width))
    for i in range(keep):
        q[:, i] = block[:, i]
        column = q[:, i : i + 1]
        r[:i, i : i + 1] = project_out(column, q[:, :i])
        length = float(np.linalg.norm(column))
        if length > floor:
            r[i, i] = length
            column /= length
            if length < 1e-3 * lengths[i]:
                # What was small has lost its orthogonality to the basis among the digits that cancelled.
                project_out(column, basis)
                project_out(column, q[:, :i])
        else:
            column[:, 0] = rng.standard_normal(n)
            project_out(column, basis)
            project_out(column, q[:, :i])
        column /= np.linalg.norm(column)
    r[:, keep:] = q.T @ block[:, keep:]
    return q, r
