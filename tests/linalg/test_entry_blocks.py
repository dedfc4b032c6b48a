"""Products by blocks equal products by rows, and begin where they pay."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lpgraph.linalg import entry_blocks, matvec
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


#: Rows of a block.
SIZE = 1 << entry_blocks._BITS[0]

# One block exactly, one and a bit, several, less than one.
SHAPES = [(70_000, 40_000), (SIZE, SIZE), (4 * SIZE, 100), (100, 70_000), (SIZE + 1, SIZE - 1)]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("bits", entry_blocks._BITS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_are_scipys_to_rounding(shape, dtype, bits, monkeypatch):
    monkeypatch.setattr(entry_blocks, "_BITS", (bits,))
    for seed, (width, order) in enumerate([(2, "C"), (2, "F"), (3, "C"), (5, "F")]):
        given = matrix(shape, seed, wide=width == 3)
        product = Product.of(given, least=1)
        block = np.random.default_rng(seed).standard_normal((shape[1], width))
        block = np.asarray(block.astype(dtype), order=order)
        # Some ten products of about 1 a row, summed in double precision.
        np.testing.assert_allclose(product @ block, given @ block.astype(float), rtol=0, atol=1e-12)
        assert "_blocks" in vars(product)


def symmetric(n, entries, seed):
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, n, entries), (n * rng.random(entries) ** 2).astype(int)
    found = sparse.coo_array((np.ones(entries), (i, j)), shape=(n, n)).tocsr()
    found = sparse.csr_array(found + found.T + sparse.diags_array((rng.random(n) < 0.1).astype(float)))
    found.eliminate_zeros()
    found.data[:] = 2.5
    return found


@pytest.mark.usefixtures("at_once")
def test_steps_of_a_recurrence():
    given, rng = matrix((40_000, 40_000), 0), np.random.default_rng(1)
    scale, now, before = rng.random(40_000), rng.standard_normal((40_000, 2)), rng.standard_normal((40_000, 2))
    plain = Product.of(given, least=1)
    product = Product(plain.indptr, plain.indices, plain.data, plain.shape, scale)
    expected = 0.3 * (scale[:, None] * (given @ (scale[:, None] * now)) - 0.2 * now) - before
    np.testing.assert_allclose(product.recur(now, before, 0.3, 0.2), expected, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("half", [False, True])
def test_threads_change_no_bit(monkeypatch, half):
    given = symmetric(100_000, 300_000, 0) if half else matrix((100_000, 50_000), 0)
    block = np.random.default_rng(0).standard_normal((given.shape[1], 2))
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
        results.append((Product.of(given, symmetric=half, least=1) @ block).tobytes())
    assert len(set(results)) == 1


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("n", "entries"),
    [(100_000, 300_000), (200_000, 150), (2 * SIZE, 100_000), (SIZE + 1, 40_000), (500, 3000), (1, 1)],
)
def test_products_of_symmetric_matrices_stored_by_half(n, entries):
    given = symmetric(n, entries, n)
    block = np.random.default_rng(1).standard_normal((n, 2)).astype(np.float32)
    product = Product.of(given, symmetric=True, least=1)
    np.testing.assert_allclose(product @ block, given @ block.astype(float), rtol=0, atol=1e-11)
    assert n < 2 * SIZE or len(product._blocks.entries) < given.nnz
