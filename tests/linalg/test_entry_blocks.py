"""Products by blocks equal products by rows, and begin where they pay."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lpgraph.linalg import entry_blocks, matvec
from lpgraph.linalg.entry_blocks import Blocks
from lpgraph.linalg.matvec import Product

pytest.importorskip("numba")


@pytest.fixture
def at_once(monkeypatch):
    """Sort small matrices by blocks, before the first product."""
    monkeypatch.setattr(entry_blocks, "_LEAST_COLUMNS", 1)
    monkeypatch.setattr(entry_blocks, "_LEAST_ENTRIES", 0)
    monkeypatch.setattr(matvec, "_BEFORE_BLOCKS", 0)


def matrix(shape, seed, *, wide=False):
    rng = np.random.default_rng(seed)
    places = rng.integers(0, shape[0], 100_000), rng.integers(0, shape[1], 100_000)
    found = sparse.csr_array(sparse.coo_array((np.ones(100_000), places), shape=shape))
    found.data[:] = 2.5
    if wide:
        found.indptr, found.indices = found.indptr.astype(np.int64), found.indices.astype(np.int64)
    return found


# A block has 32768 rows: one exactly, one and a bit, several, less than one.
SHAPES = [(70_000, 40_000), (32_768, 32_768), (65_536, 100), (100, 70_000), (32_769, 32_767)]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_are_scipys_to_rounding(shape, dtype):
    for seed, (width, order) in enumerate([(2, "C"), (2, "F"), (3, "C"), (5, "F")]):
        given = matrix(shape, seed, wide=width == 3)
        product = Product.of(given, least=1)
        block = np.random.default_rng(seed).standard_normal((shape[1], width))
        block = np.asarray(block.astype(dtype), order=order)
        # Some ten products of about 1 a row, summed in double precision.
        np.testing.assert_allclose(product @ block, given @ block.astype(float), rtol=0, atol=1e-12)
        assert "_blocks" in vars(product)


@pytest.mark.usefixtures("at_once")
def test_steps_of_a_recurrence():
    given, rng = matrix((40_000, 40_000), 0), np.random.default_rng(1)
    scale, now, before = rng.random(40_000), rng.standard_normal((40_000, 2)), rng.standard_normal((40_000, 2))
    plain = Product.of(given, least=1)
    product = Product(plain.indptr, plain.indices, plain.data, plain.shape, scale)
    expected = 0.3 * (scale[:, None] * (given @ (scale[:, None] * now)) - 0.2 * now) - before
    np.testing.assert_allclose(product.recur(now, before, 0.3, 0.2), expected, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("at_once")
def test_threads_change_no_bit(monkeypatch):
    given, block = matrix((100_000, 50_000), 0), np.random.default_rng(0).standard_normal((50_000, 2))
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        results.append(Product.of(given, least=1) @ block)
    assert all(np.array_equal(results[0], other) for other in results[1:])


def test_blocks_begin_where_they_pay():
    assert Blocks.pays((10**6, 10**6), 2 * 10**7)
    assert not Blocks.pays((10**5, 10**5), 2 * 10**7)  # the vector stays in the cache
    assert not Blocks.pays((10**7, 10**7), 2 * 10**7)  # 215 entries a block
    assert not Blocks.pays((10**7, 10**7), 2**60)  # more than the memory
    block = np.ones((10, 2))
    given = sparse.csr_array(np.eye(10))
    product = Product.of(given, least=1)
    for _ in range(matvec._BEFORE_BLOCKS + 1):
        np.testing.assert_array_equal(product @ block, block)
    assert "_blocks" not in vars(product)


@pytest.mark.usefixtures("at_once")
def test_weighted_entries_are_multiplied_by_rows():
    given = sparse.diags_array(np.arange(1.0, 11)).tocsr()
    product = Product.of(given, least=1)
    np.testing.assert_array_equal(product @ np.ones((10, 2)), given @ np.ones((10, 2)))
    assert not product.by_blocks
