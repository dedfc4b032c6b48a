"""Compiled loops, compared with numpy and scipy: any number of threads, no numba, interruption."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lpgraph._utils.compiled import available
from lpgraph.linalg import basis as basis_module
from lpgraph.linalg import blocks, matvec
from lpgraph.linalg.basis import NOTHING, Basis
from lpgraph.linalg.matvec import Product

needs_numba = pytest.mark.skipif(not available(), reason="numba is not installed")
EPS = np.finfo(float).eps


def random_matrix(rows, columns, entries, seed, weighted):
    rng = np.random.default_rng(seed)
    where = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    matrix = sparse.coo_array((rng.standard_normal(entries), where), shape=(rows, columns)).tocsr()
    if not weighted:
        matrix.data[:] = 2.5
    return matrix


@needs_numba
@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 200),
    columns=st.integers(1, 200),
    entries=st.integers(1, 2000),
    width=st.integers(1, 4),
    weighted=st.booleans(),
    wide=st.booleans(),
    seed=st.integers(0, 999),
)
def test_the_product_is_scipys_to_rounding(rows, columns, entries, width, weighted, wide, seed):
    a = random_matrix(rows, columns, entries, seed, weighted)
    if wide:
        a.indices, a.indptr = a.indices.astype(np.int64), a.indptr.astype(np.int64)
    block = np.random.default_rng(seed).standard_normal((columns, width))
    product = Product.of(a, least=1)
    assert len(product.data) == (1 if a.data.min() == a.data.max() else a.nnz)
    # Each entry is a sum of at most `columns` terms: its rounding is below columns * eps * sum |a_ij x_j|.
    bound = 2 * columns * EPS * (abs(a) @ np.abs(block))
    assert (np.abs(product @ block - a @ block) <= bound).all()
    assert (np.abs(product @ np.asfortranarray(block) - a @ block) <= bound).all()
    if not wide:  # each combination of types is compiled by itself, for a second
        single = block.astype(np.float32)
        bound = 2 * columns * EPS * (abs(a) @ np.abs(single))
        assert (np.abs(product @ single - a @ single.astype(float)) <= bound).all()


@needs_numba
@pytest.mark.parametrize("weight", [1.0, 2.5])
def test_products_by_blocks_are_those_by_rows(monkeypatch, weight):
    monkeypatch.setattr(blocks, "_LEAST_COLUMNS", 1)
    monkeypatch.setattr(matvec, "_BEFORE_BLOCKS", 1)
    rng, n = np.random.default_rng(0), 40_000
    rows, columns = rng.integers(n, size=(2, 200_000))
    a = sparse.csr_array((np.ones(200_000), (rows, columns)), shape=(n, n))
    a = weight * ((a + a.T) > 0).astype(float)
    scale, pair = rng.random(n), rng.standard_normal((n, 2))
    for block in (pair, pair.astype(np.float32)):
        results = []
        for threads in ("1", "2", "5"):
            monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
            product = replace(Product.of(a, least=1, symmetric=True), scale=scale)
            results += [product @ block, product @ block]
            assert product._blocks is not None
        expected = scale[:, None] * (a @ (scale[:, None] * block.astype(float)))
        np.testing.assert_allclose(results[0], expected, rtol=0, atol=1e-4 if block.dtype == np.float32 else 1e-12)
        np.testing.assert_allclose(results[1], results[0], rtol=0, atol=1e-12)
        assert all(np.array_equal(result, results[1]) for result in results[1::2])


@needs_numba
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1, 3, 4, 7])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_compiled_basis_does_as_blas_does(monkeypatch, dtype, size, width):
    monkeypatch.setattr(basis_module, "WORTHWHILE", 1)
    n, rng = 5000, np.random.default_rng(size)
    columns = np.linalg.qr(rng.standard_normal((n, size)))[0].astype(dtype)
    basis = Basis(n, size + width, dtype)
    for j in range(size):
        basis.store(j, columns[:, j].astype(float)[None], np.ones((1, 1)))
    exact = columns.astype(float)
    vectors = rng.standard_normal((width, n))
    found = basis.products(0, size, vectors)
    assert np.allclose(found[0], exact.T @ vectors.T, atol=1e-12)
    assert np.allclose(found[1], vectors @ vectors.T)
    left = vectors.copy()
    coefficients, products = basis.take_out(size, left, before=np.linalg.norm(vectors, axis=1))
    assert np.allclose(left, vectors - (exact @ coefficients).T, atol=1e-12)
    assert np.allclose(products, left @ left.T)
    recent = min(3, size)
    along = rng.standard_normal((recent, width))
    shorter = vectors.copy()
    found = basis.products(0, size, shorter, less=(np.arange(size - recent, size), along))
    assert np.allclose(shorter, vectors - (exact[:, size - recent :] @ along).T, atol=1e-12)
    assert np.allclose(found[0], exact.T @ shorter.T, atol=1e-12)
    assert np.allclose(found[1], shorter @ shorter.T)
    factors = rng.standard_normal((width, width))
    for along in None, rng.standard_normal((size, width)):
        expected = factors @ (vectors if along is None else vectors - (exact @ along).T)
        basis.store(size, vectors.copy(), factors, less=NOTHING if along is None else (np.arange(size), along))
        assert np.allclose(basis.array[:, size : size + width].T, expected, atol=20 * np.finfo(dtype).eps)
    rotation = np.linalg.qr(rng.standard_normal((size, size)))[0][:, : max(1, size - 1)]
    expected = exact @ rotation
    assert np.allclose(basis.rotate(size, rotation), expected, atol=np.finfo(dtype).eps)
    assert np.allclose(basis.array[:, : rotation.shape[1]], expected, atol=np.finfo(dtype).eps)
