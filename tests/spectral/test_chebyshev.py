"""Chebyshev filter: the polynomial, and agreement with LAPACK."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev
from scipy import sparse
from spectral.test_eigen import random_graph

from lpgraph._utils.compiled import available
from lpgraph.linalg import matvec
from lpgraph.spectral.chebyshev import Filtered, filter_below
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.lanczos import Lanczos
from lpgraph.spectral.operators import Matrix
from lpgraph.spectral.problem import wanted

needs_numba = pytest.mark.skipif(not available(), reason="numba is not installed")


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_numba)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centre", [0.0, 1.5])
def test_the_filter_is_the_polynomial_it_says(monkeypatch, compiled, weighted, centre):
    monkeypatch.setattr(matvec, "WORTHWHILE", 1 if compiled else 10**9)
    a = random_graph(300, 6, 0)
    if weighted:
        a = sparse.csr_array(0.25 * a + sparse.eye_array(300))
    values, vectors = scipy.linalg.eigh(a.toarray())
    half = 2.0
    expected = (vectors * chebyshev.chebval((values - centre) / half, [0] * 5 + [1])) @ vectors.T
    block = np.random.default_rng(1).standard_normal((300, 2))
    before = block.copy()
    operator = Filtered(Matrix(a), 5, centre, half)
    assert (operator.operator.product is not None) == compiled
    scale = np.abs(expected).max()
    assert np.allclose(operator @ block, expected @ block, atol=1e-12 * scale)
    assert np.allclose(operator @ np.asfortranarray(block), expected @ block, atol=1e-12 * scale)
    assert np.allclose(operator @ block[:, :1], expected @ block[:, :1], atol=1e-12 * scale)
    assert np.array_equal(block, before)


@pytest.mark.parametrize(
    ("end", "k", "last"), [("magnitude", 6, 10.2), ("largest", 3, 10.5), ("smallest", 3, -10.2)]
)
def test_the_wanted_are_lifted_above_three_in_their_order_and_nothing_else_is(end, k, last):
    values = np.concatenate([np.linspace(-9, 9, 500), [12.0, 11.0, 10.5, -12.5, -11.5, -10.2]])
    ordered = values[wanted(values, end)]
    lifted = filter_below(Matrix(sparse.diags_array(values)), end, last, ordered)
    image = chebyshev.chebval((ordered - lifted.centre) / lifted.half, [0] * lifted.degree + [1])
    height = np.abs(image) if end == "magnitude" else image
    assert height[k - 1] == pytest.approx(3.0)
    assert (np.diff(height[:k]) < 0).all()
    assert height[k:].max() < 3.0
    if end == "magnitude":
        assert np.array_equal(np.sign(image[:k]), np.sign(ordered[:k]))


# The count of what the first cycle sees is misled by the two equal halves: the filter is in vain, and given up.
@example(n=488, degree=2.2, k=11, end="magnitude", twice=True, signed=False, seed=314, tol=1e-10)
@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(600, 900),
    degree=st.floats(1.5, 8.0),
    k=st.integers(5, 40),
    end=st.sampled_from(["magnitude", "largest", "smallest"]),
    twice=st.booleans(),
    signed=st.booleans(),
    seed=st.integers(0, 10**6),
    tol=st.sampled_from([1e-4, 1e-6, 1e-9]),
)
def test_many_pairs_agree_with_lapack(n, degree, k, end, twice, signed, seed, tol):
    a = random_graph(n // 2 if twice else n, degree, seed, signed=signed)
    if twice:  # with two equal halves, every eigenvalue is double
        a = sparse.csr_array(sparse.block_diag([a, a]))
    values = scipy.linalg.eigvalsh(a.toarray())
    key = {"magnitude": np.abs, "largest": np.asarray, "smallest": np.negative}[end]
    pairs = eigenpairs(a, k, end, solver=Lanczos(), tol=tol, random_state=seed)
    expected = np.sort(key(values))[::-1][:k]
    # A Ritz value is as far from an eigenvalue as its residual at most, and none of the wanted is overlooked.
    assert np.abs(np.sort(key(pairs.values))[::-1] - expected).max() <= 2 * tol * np.abs(values).max()
    assert pairs.residuals.max() <= tol
    assert np.allclose(pairs.vectors.T @ pairs.vectors, np.eye(k), atol=1e-10)
