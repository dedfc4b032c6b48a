"""Products of dense rows with a matrix, in which no row depends on the other rows, to the last bit.

BLAS chooses its loops by the shapes of the factors, so that the last bits of a row's product depend on how many
rows are multiplied together. Here BLAS multiplies single rows if the matrix has few columns, and otherwise blocks
of a fixed number of rows, the last one filled with rows of zeros, on one thread. A row is then summed in the same
order alone, in any batch and at any place in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.compiled import blas_alone, in_threads

if TYPE_CHECKING:
    from lpgraph._utils.types import Array


#: Up to so many columns, single rows are multiplied. Many take up to twice as long as in blocks, but one takes a
#: tenth of the time of a block that it is filled up to.
_NARROW = 16
#: Rows of a block. More are hardly faster, and a single row is filled up to a block.
_BLOCK = 16
#: Multiplications of a piece that a thread takes at a time.
_PIECE = 1 << 20


def rowwise_product(rows: Array, matrix: Array) -> Array:
    """Return the (m, d) product of m dense rows with a matrix; each row of it depends on its own row only.

    The result does not depend on the number of threads, nor on the order of `rows` in memory.

    Parameters
    ----------
    rows : ndarray of shape (m, n), float64
        The rows.
    matrix : ndarray of shape (n, d), float64
        The matrix.

    Returns
    -------
    ndarray of shape (m, d)
        In C order.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.dense_rows import rowwise_product
    >>> rng = np.random.default_rng(0)
    >>> rows, matrix = rng.normal(size=(50, 300)), rng.normal(size=(300, 4))
    >>> together = rowwise_product(rows, matrix)
    >>> bool(np.allclose(together, rows @ matrix, rtol=0, atol=1e-12))
    True
    >>> all(np.array_equal(rowwise_product(rows[i : i + 1], matrix)[0], together[i]) for i in range(50))
    True
    """
    (m, n), d = rows.shape, matrix.shape[1]
    # By the shape of the matrix alone, so that all products with it are alike.
    step = 1 if d <= _NARROW else _BLOCK
    # Products of single rows would have other bits for another order in memory.
    factor = np.ascontiguousarray(matrix) if step == 1 else matrix
    result = np.empty((m, d))
    # The setting of numpy's warnings is one of the calling thread.
    warnings = np.geterr()

    def work(low: int, high: int) -> None:
        with np.errstate(**warnings):
            _multiply(np.ascontiguousarray(rows[low:high]), factor, result[low:high], step)

    piece = step * max(1, _PIECE // (step * max(1, n * d)))
    with blas_alone():
        in_threads(work, [*range(0, m, piece), m])
    return result


def _multiply(rows: Array, factor: Array, result: Array, step: int) -> None:
    """Write the products of blocks of `step` rows to `result`."""
    (m, n), d = rows.shape, factor.shape[1]
    blocks, whole = m // step, m // step * step
    np.matmul(rows[:whole].reshape(blocks, step, n), factor, out=result[:whole].reshape(blocks, step, d))
    if whole < m:
        block = np.zeros((step, n))
        block[: m - whole] = rows[whole:]
        result[whole:] = (block @ factor)[: m - whole]


def columnwise_product(rows: Array, matrix: Array) -> Array:
    """Return the (m, n) product of m short rows with a wide matrix; each row depends on its own row only.

    The sum over the columns of `rows` is taken one column at a time. With few columns this costs less than blocks
    of rows if m is small, since no row is added.

    Parameters
    ----------
    rows : ndarray of shape (m, d), float64
        The rows.
    matrix : ndarray of shape (d, n), float64
        The matrix.

    Returns
    -------
    ndarray of shape (m, n)

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.dense_rows import columnwise_product
    >>> columnwise_product(np.array([[1.0, 2.0]]), np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]]))
    array([[1., 2., 5.]])
    """
    result = np.zeros((len(rows), matrix.shape[1]))
    for column, values in zip(rows.T, matrix, strict=True):
        result += np.multiply.outer(column, values)
    return result
