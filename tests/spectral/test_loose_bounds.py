"""Eigenpairs with a tolerance above 0.01, which applies to the bulk of a spectrum."""

import numpy as np
import pytest
from scipy import sparse, stats

from lpgraph.spectral.eigen import eigenpairs

N = 200_000
#: The bulk: quantiles of a semicircle on [-1, 1].
BULK = 2 * stats.beta(1.5, 1.5).ppf((np.arange(N) + 0.5) / N) - 1


def with_outliers(outliers):
    values = BULK.copy()
    values[: len(outliers)] = outliers
    return sparse.csr_array(sparse.diags_array(np.random.default_rng(0).permutation(values)))


@pytest.mark.parametrize("which", ["LM", "LA"])
def test_values_that_stand_out_are_found_and_the_bulk_costs_little(which):
    outliers = np.linspace(1.2, 1.1, 10)
    matrix = with_outliers(outliers)
    found = eigenpairs(matrix, 40, which, tol=0.1)
    assert found.residuals.max() <= 0.1
    assert found.residuals[:10].max() <= 1e-3
    # An eigenvalue's error is at most the square of the residual, 1.2e-3, divided by the gap, 0.011.
    np.testing.assert_allclose(found.values[:10], outliers, atol=1.5e-4)
    assert np.abs(found.values[10:]).max() <= 1
    # Measured: 1318 and 1472 products with 0.01.
    assert found.products < 400


def test_many_values_close_to_the_bulk_are_all_found():
    # Values that are 0.001 apart are told apart by residuals of 0.001 and less only.
    outliers = np.linspace(1.06, 1.03, 30)
    found = eigenpairs(with_outliers(outliers), 40, tol=0.1)
    assert (np.abs(found.values) > 1.02).sum() == 30
    np.testing.assert_allclose(found.values[:30], outliers, atol=1e-3)


@pytest.mark.parametrize("copies", [3, 7])
def test_copies_of_a_value_that_stands_out_are_all_found(copies):
    outliers = [1.2, *[1.1] * copies]
    found = eigenpairs(with_outliers(outliers), 20, tol=0.1)
    # As above, with the gap of 0.1.
    np.testing.assert_allclose(found.values[: len(outliers)], outliers, atol=1.5e-5)
    assert np.abs(found.values[len(outliers) :]).max() <= 1
