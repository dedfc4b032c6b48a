"""Products and orthonormalisation of the blocks of a Krylov basis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.linalg.basis import NOTHING, REPEAT
from lpgraph.spectral.tolerances import APART, CANCELLED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.linalg.basis import Basis, Parts
    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["add_block", "multiply"]


def multiply(
    operator: SymmetricOperator, basis: Basis, at: int, width: int, slack: float
) -> tuple[Array, Array, Parts, Array]:
    """Multiply `width` columns, and take out of the product, as far as it has to be done now, what is known.

    Returns
    -------
    image : ndarray of shape (width, n)
        The product's rows, of which `left` has yet to be taken off.
    coefficients : ndarray of shape (at + width, width)
        Of the columns in what was and will be taken off.
    left : tuple
        Some columns and their coefficients: where more than `slack` of a row's length is along them.
    mutual : ndarray of shape (width, width)
        The rows' scalar products with one another when that is done.
    """
    block = basis.block(at, at + width)
    if not operator.takes_single:
        block = basis.columns(at, at + width)
    product = operator @ block  # type: ignore[operator]  # it was asked whether it takes single precision
    image = np.ascontiguousarray(product.T, np.float64)
    if not image.flags.writeable or np.shares_memory(image, block):
        image = image.copy()
    # Most of the image lies along the last two blocks: taken out first, they leave the pass over the
    # whole basis so little to do that it need not be repeated, and that what is left is known before it is done.
    known, recent = at + width, max(0, at - width)
    coefficients = np.zeros((known, width))
    coefficients[recent:] = basis.products(recent, known, image)[0]
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

    A direction whose length is at most `floor` is noise: a random one takes its place, with nothing of the
    block along it. Only the first `keep` directions are stored. The block is written to. `products` are its rows'
    scalar products with one another, if they are known, and `left` has yet to be taken off them.
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
    """Do as `add_block` does where the block's rows hardly differ in direction, or vanish: one after the other."""
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
                # What was small has lost its orthogonality to the basis among the digits that cancelled.
                column /= length
                length = _freed(basis, at + i, column)
        else:
            column = np.asarray(rng.standard_normal((1, n)))
            length = _freed(basis, at + i, column)
        basis.store(at + i, column, np.array([[1 / length]]))
    return r


def _freed(basis: Basis, at: int, row: Array) -> float:
    """Take all columns before `at` out of a row, in place; return the length of what is left."""
    return float(np.sqrt(basis.take_out(at, row, before=np.linalg.norm(row, axis=1))[1][0, 0]))
