"""What is done with a partition of blocks agrees with numpy, for all widths, types and numbers of rows."""

from __future__ import annotations

import numpy as np
import pytest

from lpgraph.scale import tasks

#: Rows: less than a tile, one tile, and pieces of several with a rest.
ROWS = [1, 7, tasks._SHORT, tasks._ROWS, tasks._ROWS + tasks._SHORT + 3]


def blocks_of(widths, n, dtype, rng):
    return [rng.standard_normal((width, n)).astype(dtype) for width in widths]


def whole(blocks):
    return np.concatenate(blocks).astype(np.float64)


def image(product, blocks, known, dtype):
    found = np.full(product.shape[::-1], np.nan, dtype)
    return found, *tasks.image(product, blocks, known, found)


def close(found, expected, n):
    # Sums of n products of standard normal numbers, in double precision in any order.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("widths", [[4], [1], [3, 4, 4], [31, 2], [5, 16, 16, 16]])
@pytest.mark.parametrize("width", [1, 2, 4, 7, 16])
def test_image_subtracts_and_measures(dtype, widths, width):
    rng = np.random.default_rng([width, *widths])
    for n in ROWS:
        blocks = blocks_of(widths, n, dtype, rng)
        basis, product = whole(blocks), rng.standard_normal((n, width))
        for begin in (0, sum(widths) // 2, sum(widths)):  # coefficients are known from here on
            known = rng.standard_normal((sum(widths), width))
            known[:begin] = 0
            rest = product - basis.T @ known
            found, along, mutual = image(product, blocks, known, np.float64)
            np.testing.assert_allclose(found, rest.T, rtol=0, atol=1e-12)
            close(along, basis @ rest, 60 * n)
            close(mutual, rest.T @ rest, 60 * n)
            assert np.array_equal(mutual, mutual.T)
            rounded = image(product, blocks, known, np.float32)
            assert rounded[0].dtype == np.float32
            assert np.array_equal(rounded[0], found.astype(np.float32))
            assert np.array_equal(rounded[1], along)  # measured before it is rounded


@pytest.mark.parametrize("kinds", [(np.float32, np.float64), (np.float64, np.float32), (np.float64,) * 2])
def test_scalar_products(kinds):
    rng = np.random.default_rng(1)
    for n in ROWS:
        blocks, columns = blocks_of([4, 3], n, kinds[0], rng), blocks_of([5], n, kinds[1], rng)[0]
        along, mutual = tasks.scalar_products(blocks, columns)
        close(along, whole(blocks) @ whole([columns]).T, n)
        close(mutual, whole([columns]) @ whole([columns]).T, n)
        none, alone = tasks.scalar_products([], columns)
        assert none.shape == (0, 5)
        assert np.array_equal(alone, mutual)


@pytest.mark.parametrize("width", [1, 3, 4, 31])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_combinations_of_blocks_of_several_types(width, dtype):
    rng = np.random.default_rng(2)
    single, double = np.float32, np.float64
    for kinds in ([single], [double, double], [single, single, double], [double, single, double]):
        for n in ROWS:
            blocks = [blocks_of([3 + k], n, kind, rng)[0] for k, kind in enumerate(kinds)]
            factors = rng.standard_normal((sum(map(len, blocks)), width))
            found = np.full((width, n), np.nan, dtype)
            tasks.combine_columns(blocks, factors, found)
            expected = factors.T @ whole(blocks)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 if dtype == double else 1e-5)


def test_blocks_that_are_not_contiguous_or_aligned():
    rng = np.random.default_rng(3)
    plain, product = rng.standard_normal((6, 100)), rng.standard_normal((100, 4))
    known = rng.standard_normal((6, 4))
    raw = np.empty(plain.nbytes + 1, np.uint8)
    odd = raw[1:].view(np.float64).reshape(plain.shape)
    odd[...] = plain
    assert not odd.flags.aligned
    expected = image(product, [plain], known, np.float64)
    for other in (odd, np.asfortranarray(plain), np.repeat(plain, 2, axis=1)[:, ::2]):
        found = image(product, [other], known, np.float64)
        assert all(map(np.array_equal, found, expected))


def test_a_basis_of_several_types():
    rng = np.random.default_rng(5)
    blocks = [blocks_of([3], 70, kind, rng)[0] for kind in (np.float64, np.float32)]
    product, known = rng.standard_normal((70, 4)), rng.standard_normal((6, 4))
    found = image(product, blocks, known, np.float64)
    rest = product - whole(blocks).T @ known
    np.testing.assert_allclose(found[0], rest.T, rtol=0, atol=1e-12)
    close(found[1], whole(blocks) @ rest, 60 * 70)


def test_rows_are_written_with_factors():
    rng = np.random.default_rng(4)
    columns, scale = rng.standard_normal((3, 50)), rng.standard_normal(50)
    into = np.zeros(3 * 60, np.float32)
    tasks.written_rows(columns, None, into, 10)
    assert np.array_equal(into.reshape(-1, 3)[10:], columns.T.astype(np.float32))
    assert not into[:30].any()
    tasks.written_rows(columns, scale, into, 4)
    assert np.array_equal(into.reshape(-1, 3)[4:54], (columns * scale).T.astype(np.float32))
