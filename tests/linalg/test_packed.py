"""Packed symmetric matrices against numpy."""

import numpy as np
import pytest

from lpgraph.linalg.packed import are_definite, packed, pairs, unpacked


@pytest.mark.parametrize("d", [1, 2, 5])
def test_definite_matrices_are_those_with_positive_eigenvalues(d):
    half = np.random.default_rng(1).normal(size=(300, d, d))
    # Shifts such that about half of the least eigenvalues are negative.
    matrices = half @ np.swapaxes(half, 1, 2)
    matrices -= np.median(np.linalg.eigvalsh(matrices)[:, 0]) * np.eye(d)
    np.testing.assert_array_equal(unpacked(packed(matrices)), matrices)
    rows = half[:, 0]
    np.testing.assert_array_equal(unpacked(pairs(rows.T).T), rows[:, :, None] * rows[:, None, :])
    expected = np.linalg.eigvalsh(matrices)[:, 0] > 0
    assert 100 < expected.sum() < 200
    np.testing.assert_array_equal(are_definite(packed(matrices).T), expected)
