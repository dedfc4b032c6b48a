"""From a solver's vectors to eigenpairs: Rayleigh-Ritz in double precision, residuals measured, signs fixed.

Long arrays of few columns are processed block by block in threads. The blocks' sums are added in their order, so
that results do not depend on the number of threads.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import scipy.linalg

from lpgraph._threads import in_threads
from lpgraph.linalg.room import empty
from lpgraph.spectral.operator_protocol import SymmetricOperator, new_product
from lpgraph.spectral.order import relative_scale, wanted
from lpgraph.spectral.pairs import EigenPairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Result = TypeVar("Result")

__all__ = ["fix_signs", "measured", "over_rows", "scaled_columns"]


def over_rows(n: int, k: int, work: Callable[[slice], Result]) -> list[Result]:
    """Call a function for blocks of rows of an (n, k) array, in threads; return its results in their order.

    The blocks stay in the cache, and their k x k products are too small for BLAS to start its own threads, which
    wait for one another on a busy machine.
    """
    step = max(256, min(65536 // k, 262144 // k**2))
    bounds = [*range(0, n, step), n]
    results: dict[int, Result] = {}

    def one(low: int, high: int) -> None:
        results[low] = work(slice(low, high))

    in_threads(one, bounds)
    return [results[low] for low in bounds[:-1]]


def fix_signs(vectors: Array) -> Array:
    """Return the sign (+1 or -1) that makes the largest entry of each column positive.

    Entries within a thousandth of the largest count as equally large and the first of them decides, so that
    structural ties, as in a graph with a symmetry, do not depend on the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.measure import fix_signs
    >>> fix_signs(np.array([[0.1, 0.7], [-0.9, -0.7]]))
    array([-1.,  1.])
    """
    n, k = vectors.shape
    largest = over_rows(n, k, lambda rows: (rows, np.abs(vectors[rows]).max(axis=0)))
    sign = np.ones(k)
    for j, most in enumerate(np.max([block for _, block in largest], axis=0)):
        rows = next(rows for rows, block in largest if block[j] >= 0.999 * most)
        column = vectors[rows, j]
        sign[j] = -1.0 if column[np.argmax(np.abs(column) >= 0.999 * most)] < 0 else 1.0
    return sign


def scaled_columns(array: Array, factors: Array, out: Array | None = None) -> Array:
    """Return an array, `out` if given, with each column multiplied by its factor."""
    result = empty(array.shape) if out is None else out
    over_rows(len(array), array.shape[1], lambda rows: np.multiply(array[rows], factors, out=result[rows]))
    return result


def measured(
    operator: SymmetricOperator,
    found: NDArray[np.floating],
    which: str,
    norm: float,
    solver: str,
    iterations: int,
    products: int,
    origin: float | None = None,
) -> EigenPairs:
    """Return the pairs of the span of nearly orthonormal vectors by Rayleigh-Ritz, their residuals measured.

    The pairs' vectors are orthonormal to rounding, whatever the precision of those that were found.
    """
    n, k = found.shape
    images = np.ascontiguousarray(new_product(operator, found, single=operator.exact_in_single))
    if operator.product is not None:
        operator.product.release_blocks()
    vectors: Array = empty((n, k))

    def project(rows: slice) -> tuple[Array, Array]:
        block = found[rows].astype(np.float64, copy=False)
        return block.T @ images[rows], block.T @ block

    parts = over_rows(n, k, project)
    small, metric = (reduce(np.add, (part[side] for part in parts)) for side in (0, 1))
    # The metric corrects for the imperfect orthogonality of a basis in single precision.
    values, rotation = scipy.linalg.eigh((small + small.T) / 2, metric)
    order = wanted(values, which)
    values, rotation = values[order], rotation[:, order]

    def rotate(rows: slice) -> Array:
        block = vectors[rows]
        block[...] = found[rows].astype(np.float64, copy=False) @ rotation
        image = images[rows]
        image[...] = image @ rotation
        return np.asarray(np.square(image - block * values).sum(axis=0))

    gap = np.sqrt(sum(over_rows(n, k, rotate)))
    sign = fix_signs(vectors)
    for array in vectors, images:
        scaled_columns(array, sign, out=array)
    scale = relative_scale(values, norm, origin)
    residuals = np.divide(gap, scale, out=np.zeros_like(gap), where=scale > 0)
    return EigenPairs(values, vectors, images, residuals, solver, iterations, products + k, norm)
