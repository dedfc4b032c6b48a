"""Products and orthonormalisation of the blocks of a Krylov basis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.linalg.basis import NOTHING, REPEAT
from lpgraph.spectral.operator_protocol import new_product
from lpgraph.spectral.tolerances import APART, CANCELLED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.linalg.basis import Basis, Parts
    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["add_block", "multiply"]


def multiply(
    operator: SymmetricOperator, basis: Basis, at: int, width: int, slack: float, guess: Array | None
) -> tuple[Array, Array, Parts, Array]:
    """Multiply `width` columns, and orthogonalise the product against the basis as far as necessary now.

    Parameters
    ----------
    operator, basis, at, width
        Columns ``at, ..., at + width - 1`` of the basis are multiplied.
    slack : float
        As in `lpgraph.spectral.lanczos.block_lanczos`.
    guess : ndarray of shape (2 width, width), optional
        The coefficients of the last two blocks as far as they are known; measured first if absent.

    Returns
    -------
    image : ndarray of shape (width, n)
        The product's rows, before `left` is subtracted; overwritten by the next product.
    coefficients : ndarray of shape (at + width, width)
        Of the columns in what was and will be subtracted.
    left : tuple
        Some columns and their coefficients: where more than `slack` of a row's length is along them.
    mutual : ndarray of shape (width, width)
        The rows' scalar products with one another after that.
    """
    product = new_product(
        operator, basis.block(at, at + width), single=operator.takes_single, room=basis.room(width)
    )
    image = np.ascontiguousarray(product.T)
    # Most of the image lies along the last two blocks. If they are subtracted first, the pass over the whole basis
    # changes so little that it need not be repeated, and the scalar products after it are known before it. What a
    # guess is wrong by, that pass measures.
    known, recent = at + width, max(0, at - width)
    coefficients = np.zeros((known, width))
    coefficients[recent:] = basis.products(recent, known, image)[0] if guess is None else guess
    along, before = basis.products(0, known, image, along=coefficients[recent:])
    which = np.flatnonzero((np.abs(along) > slack * np.sqrt(np.diag(before))).any(axis=1))
    left = along[which]
    coefficients[which] += left
    mutual = before - left.T @ left
    if (np.diag(mutual) < REPEAT**2 * np.diag(before)).any():
        before = basis.subtract((which, left), image)
        again, mutual = basis.take_out(known, image, before=np.sqrt(np.diag(before)))
        coefficients += again
        return image, coefficients, NOTHING, mutual
    return image, coefficients, (which, left), mutual


def add_block(
    basis: Basis,
    at: int,
    block: Array,
    rng: np.random.Generator,
    floor: float = 0.0,
    keep: int | None = None,
    products: Array | None = None,
    left: Parts = NOTHING,
) -> Array:
    """Store Q of ``block.T = Q R`` from column `at` on and return R; the rows are orthogonal to what is before.

    A direction whose length is at most `floor` is noise, and is replaced by a random one with a zero row in R.
    Only the first `keep` directions are stored. The block is overwritten. `products` are its rows'
    scalar products with one another, if they are known, after `left` is subtracted, which is done here.
    """
    width = len(block)
    keep = width if keep is None else keep
    products = block @ block.T if products is None else products
    lengths = np.sqrt(np.diag(products))
    if keep == width and lengths.min() > floor and lengths.min() > 0:
        cosines = products / np.multiply.outer(lengths, lengths)
        if np.linalg.eigvalsh(cosines)[0] > APART:
            r: Array = np.asarray(np.linalg.cholesky(cosines).T * lengths, dtype=np.float64)
            basis.store(at, block, np.asarray(np.linalg.inv(r).T, dtype=np.float64), less=left)
            return r
    if len(left[0]):
        lengths = np.sqrt(np.diag(basis.subtract(left, block)))
    return _add_slowly(basis, at, block, rng, floor, keep, lengths)


def _add_slowly(
    basis: Basis, at: int, block: Array, rng: np.random.Generator, floor: float, keep: int, lengths: Array
) -> Array:
    """Do as `add_block` does, row by row: for rows that are nearly parallel, or vanish."""
    width, n = block.shape
    r = np.zeros((keep, width))
    for i in range(width):
        column: Array = block[i : i + 1]
        length, before = float(lengths[i]), lengths[i : i + 1]
        if i:
            along, mutual = basis.take_out(at + min(i, keep), column, before=before)
            r[: min(i, keep), i], length = along[at:, 0], float(np.sqrt(mutual[0, 0]))
        if i >= keep:
            continue
        if length > floor:
            r[i, i] = length
            if length < CANCELLED * before[0]:
                # Cancellation has destroyed the orthogonality to the basis.
                column /= length
                length = _freed(basis, at + i, column)
        else:
            column = np.asarray(rng.standard_normal((1, n)))
            length = _freed(basis, at + i, column)
        basis.store(at + i, column, np.array([[1 / length]]))
    return r


def _freed(basis: Basis, at: int, row: Array) -> float:
    """Subtract all columns before `at` from a row, in place; return its length then."""
    return float(np.sqrt(basis.take_out(at, row, before=np.linalg.norm(row, axis=1))[1][0, 0]))
