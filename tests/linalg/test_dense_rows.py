"""Products of dense rows: right, and the same bits for a row in any batch, place, order of memory and thread."""

import warnings

import numpy as np
import pytest

from lpgraph.linalg import dense_rows
from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("n", [1, 17, 257, 5000])
@pytest.mark.parametrize("d", [1, 5, 33])
@pytest.mark.parametrize("product", [rowwise_product, columnwise_product])
def test_a_row_has_the_same_bits_in_every_batch_and_place(product, n, d):
    rows, matrix = RNG.standard_normal((150, n)), RNG.standard_normal((n, d))
    if product is columnwise_product:
        rows, matrix = RNG.standard_normal((150, d)), RNG.standard_normal((d, n))
    whole = product(rows, matrix)
    assert whole.flags.c_contiguous
    # The error of a sum of n products is at most n eps times the sum of their magnitudes.
    bound = rows.shape[1] * np.finfo(float).eps * (np.abs(rows) @ np.abs(matrix))
    assert (np.abs(whole - rows @ matrix) <= 2 * bound).all()
    for size in (1, 2, 3, 15, 16, 17, 63, 64, 65):
        parts = [product(rows[low : low + size], matrix) for low in range(0, 150, size)]
        assert np.array_equal(np.concatenate(parts), whole)
    order = RNG.permutation(150)
    assert np.array_equal(product(rows[order], matrix), whole[order])
    assert np.array_equal(product(np.asfortranarray(rows), matrix), whole)
    assert np.array_equal(product(np.repeat(rows, 2, axis=1)[:, ::2], matrix), whole)


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(dense_rows, "_PIECE", 1)  # a piece is a block
    rows, matrix = RNG.standard_normal((1000, 700)), RNG.standard_normal((700, 3))
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        found.append(rowwise_product(rows, matrix).tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("shape", [(0, 3, 2), (4, 0, 2), (4, 3, 0), (0, 0, 0), (0, 3, 1)])
def test_empty_factors(shape):
    m, n, d = shape
    for product in (rowwise_product, columnwise_product):
        assert np.array_equal(product(np.ones((m, n)), np.ones((n, d))), np.zeros((m, d)))


def test_rows_that_are_not_finite_change_no_other_row_and_warn_as_numpy_is_told(monkeypatch):
    monkeypatch.setattr(dense_rows, "_PIECE", 1)
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "2")
    rows, matrix = RNG.standard_normal((200, 40)), RNG.standard_normal((40, 3))
    whole = rowwise_product(rows, matrix)
    rows[::7] = np.inf
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rowwise_product(rows, matrix)
    keep = np.arange(200) % 7 != 0
    assert np.array_equal(found[keep], whole[keep])
    assert not np.isfinite(found[~keep]).any()
