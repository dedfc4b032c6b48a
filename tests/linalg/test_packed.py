"""Packed symmetric matrices against numpy."""

import numpy as np
import pytest

from lpgraph.linalg.packed import are_definite, packed, pairs, unpacked


@pytest.mark.parametrize("d", [1, 2, 5])
def test_packing_and_unpacking_are_inverse(d):
    rng = np.random.default_rng(0)
    half = rng.normal(size=(7, d, d))
    matrices = half + np.swapaxes(half, 1, 2)
    np.testing.assert_array_equal(unpacked(packed(matrices)), matrices)
    rows = rng.normal(size=(7, d))
    np.testing.assert_array_equal(unpacked(pairs(rows.T).T), rows[:, :, None] * rows[:, None, :])


@pytest.mark.parametrize("d", [1, 2, 5])
def test_definite_matrices_are_those_with_positive_eigenvalues(d):
    rng = np.random.default_rng(1)
    half = rng.normal(size=(300, d, d))
    # Shifts such that about half of the least eigenvalues are negative.
    matrices = half @ np.swapaxes(half, 1, 2)
    least = np.linalg.eigvalsh(matrices)[:, 0]
    matrices -= (np.median(least) * np.eye(d))[None]
    expected = np.linalg.eigvalsh(matrices)[:, 0] > 0
    assert 100 < expected.sum() < 200
    np.testing.assert_array_equal(are_definite(packed(matrices).T), expected)
