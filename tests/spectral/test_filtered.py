"""Chebyshev filter: the polynomial, and agreement with LAPACK."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev
from scipy import sparse

import lpgraph.spectral.filtered as filtered
from lpgraph._compiled import available
from lpgraph.linalg import matvec
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.filtered import Filtered, filter_below
from lpgraph.spectral.operators import Matrix, Rescaled
from lpgraph.spectral.order import wanted


def random_graph(n, degree, seed, *, twice=False, signed=False):
    """A sparse random matrix; with two equal halves, every eigenvalue is double."""
    rng = np.random.default_rng(seed)
    m = int(n * degree / 2)
    values = rng.choice([-1.0, 1.0], m) if signed else np.ones(m)
    a = sparse.coo_array((values, (rng.integers(0, n, m), rng.integers(0, n, m))), shape=(n, n)).tocsr()
    a = sparse.csr_array(a + a.T)
    return sparse.csr_array(sparse.block_diag([a, a])) if twice else a


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


@needs_numba
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_scaled_matrix_is_multiplied_in_one_pass(monkeypatch, weighted, dtype):
    a = random_graph(300, 6, 0)
    if weighted:
        a.data[:] = np.random.default_rng(2).exponential(size=a.nnz)
        a = sparse.csr_array(a + a.T)
    scale = np.random.default_rng(3).uniform(0.1, 1.0, 300)
    scale[:5] = 0.0
    dense = scale[:, None] * a.toarray() * scale
    monkeypatch.setattr(matvec, "WORTHWHILE", 1)
    operator = Rescaled(Matrix(a), scale)
    assert operator.takes_single
    assert not operator.exact_in_single
    assert operator.operator.exact_in_single
    block = np.random.default_rng(1).standard_normal((300, 5)).astype(dtype)
    eps = np.finfo(dtype).eps
    for width in 1, 2, 3, 4, 5:
        for order in "C", "F":
            part = np.array(block[:, :width], order=order)
            bound = 4 * eps * (np.abs(dense) @ np.abs(part)) + 1e-15
            assert (np.abs(operator @ part - dense @ part) <= bound).all()
    identity = np.eye(300)
    polynomial = 4 * np.linalg.matrix_power((dense - 0.5 * identity) / 2, 3) - 3 * (dense - 0.5 * identity) / 2
    lifted = Filtered(operator, 3, 0.5, 2.0)
    pair = np.ascontiguousarray(block[:, :2])
    assert np.allclose(lifted @ pair, polynomial @ pair, atol=100 * eps * np.abs(polynomial).sum(axis=1).max())


@pytest.mark.parametrize("which", ["LM", "LA", "SA"])
def test_the_wanted_are_lifted_above_three_in_their_order_and_nothing_else_is(which):
    values = np.concatenate([np.linspace(-9, 9, 500), [12.0, 11.0, 10.5, -12.5, -11.5, -10.2]])
    ordered = values[wanted(values, which)]
    last = {"LM": 10.2, "LA": 10.5, "SA": -10.2}[which]
    k = {"LM": 6, "LA": 3, "SA": 3}[which]
    lifted = filter_below(Matrix(sparse.diags_array(values)), which, abs(last) if which == "LM" else last, ordered)
    image = np.array(
        [chebyshev.chebval((v - lifted.centre) / lifted.half, [0] * lifted.degree + [1]) for v in ordered]
    )
    height = np.abs(image) if which == "LM" else image
    assert height[k - 1] == pytest.approx(3.0)
    assert (np.diff(height[:k]) < 0).all()
    assert height[k:].max() < 3.0
    if which == "LM":
        assert np.array_equal(np.sign(image[:k]), np.sign(ordered[:k]))


def test_a_filter_that_would_tower_is_of_lower_degree_or_none():
    matrix = Matrix(sparse.eye_array(10, format="csr"))
    degrees = [
        getattr(filter_below(matrix, "LM", 1.0, np.array([top, 1.0])), "degree", 0) for top in (2, 5, 30, 1e4)
    ]
    assert degrees[0] == 7
    assert degrees == sorted(degrees, reverse=True)
    assert degrees[-1] == 0


# The count of what the first cycle sees is misled by the two equal halves: the filter is in vain, and given up.
@example(n=488, degree=2.2, k=11, which="LM", twice=True, signed=False, seed=314, tol=1e-10)
@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(600, 900),
    degree=st.floats(1.5, 8.0),
    k=st.integers(5, 40),
    which=st.sampled_from(["LM", "LA", "SA"]),
    twice=st.booleans(),
    signed=st.booleans(),
    seed=st.integers(0, 10**6),
    tol=st.sampled_from([1e-4, 1e-6, 1e-9]),
)
def test_many_pairs_agree_with_lapack(n, degree, k, which, twice, signed, seed, tol):
    a = random_graph(n // 2 if twice else n, degree, seed, twice=twice, signed=signed)
    values = scipy.linalg.eigvalsh(a.toarray())
    key = {"LM": np.abs, "LA": np.asarray, "SA": np.negative}[which]
    pairs = eigenpairs(a, k, which, solver="lanczos", tol=tol, random_state=seed)
    expected = np.sort(key(values))[::-1][:k]
    # A Ritz value is as far from an eigenvalue as its residual at most, and none of the wanted is overlooked.
    assert np.abs(np.sort(key(pairs.values))[::-1] - expected).max() <= 2 * tol * np.abs(values).max()
    assert pairs.residuals.max() <= tol
    assert np.allclose(pairs.vectors.T @ pairs.vectors, np.eye(k), atol=1e-10)


def test_the_filter_is_used_where_a_pass_over_the_basis_is_dear_and_only_there(monkeypatch):
    used = []
    make = filtered.filter_below
    monkeypatch.setattr(filtered, "filter_below", lambda *a: used.append(make(*a)) or used[-1])
    thin, thick = random_graph(3000, 4, 0), random_graph(3000, 60, 0)
    pairs = eigenpairs(thin, 40)
    assert len(used) == 1
    assert pairs.residuals.max() <= 1e-6
    eigenpairs(thick, 5, tol=1e-3)
    assert len(used) == 1


@pytest.mark.parametrize(("which", "centre", "half"), [("LM", 0.0, 100.0), ("LA", 0.0, 100.0), ("LA", 40.0, 3.0)])
def test_a_filter_in_vain_is_given_up(monkeypatch, which, centre, half):
    a = random_graph(2000, 4, 1)
    expected = eigenpairs(a, 30, which).values
    # One far too high: nothing is beyond its interval; one beside the spectrum: all is beyond its lower end.
    monkeypatch.setattr(filtered, "filter_below", lambda operator, *rest: Filtered(operator, 5, centre, half))
    pairs = eigenpairs(a, 30, which)
    assert np.allclose(pairs.values, expected, atol=1e-9)
    assert pairs.residuals.max() <= 1e-6
