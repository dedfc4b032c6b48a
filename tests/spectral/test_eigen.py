"""Eigenpairs and singular triplets, compared with dense LAPACK, also where iterative solvers have difficulties."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.sparse.linalg import lobpcg

from lpgraph.errors import ArgumentError, ArgumentTypeError, ConvergenceError, GraphError
from lpgraph.points.neighborhood import neighbor_graph
from lpgraph.spectral.eigen import Known, eigenpairs, singular_triplets
from lpgraph.spectral.krylov import block_lanczos
from lpgraph.spectral.lanczos import Lanczos
from lpgraph.spectral.lapack import Lapack
from lpgraph.spectral.operators import Matrix
from lpgraph.spectral.problem import fix_signs, wanted
from lpgraph.spectral.ritz import Task

ENDS = ["magnitude", "largest", "smallest"]
BOTH = pytest.mark.parametrize("solver", [Lapack(), Lanczos()], ids=["lapack", "lanczos"])


def random_graph(n, degree, seed, *, directed=False, weighted=False, signed=False):
    """A sparse random matrix of a graph, of a kind given by the flags."""
    rng = np.random.default_rng(seed)
    m = max(1, int(n * degree / 2))
    rows, columns = rng.integers(0, n, m), rng.integers(0, n, m)
    values = rng.exponential(1.0, m) if weighted else np.ones(m)
    if signed:
        values = values * rng.choice([-1.0, 1.0], m)
    a = sparse.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
    return a if directed else sparse.csr_array(a + a.T)


def normalised(a):
    degrees = np.asarray(a.sum(axis=1)).ravel()
    root = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    return sparse.csr_array(sparse.diags_array(root) @ a @ sparse.diags_array(root))


def diagonal(values):
    return sparse.csr_array(sparse.diags_array(values))


# A double eigenvalue, its copies different by rounding only; twelve copies, among many zeros.
@example(n=30, degree=1.75, k=1, end="largest", weighted=False, signed=False, laplacian=True, seed=154)
@example(n=30, degree=0.9375, k=7, end="magnitude", weighted=False, signed=False, laplacian=True, seed=30)
@settings(max_examples=150, deadline=None)
@given(
    n=st.integers(30, 160),
    degree=st.floats(0.5, 12.0),
    k=st.integers(1, 8),
    end=st.sampled_from(ENDS),
    weighted=st.booleans(),
    signed=st.booleans(),
    laplacian=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_lanczos_agrees_with_lapack(n, degree, k, end, weighted, signed, laplacian, seed):
    a = random_graph(n, degree, seed, weighted=weighted, signed=signed and not laplacian)
    a = normalised(a) if laplacian else a
    values, vectors = scipy.linalg.eigh(a.toarray())
    order = wanted(values, end)
    pairs = eigenpairs(a, k, end, solver=Lanczos(), tol=1e-9)
    scale = max(np.abs(values).max(), 1e-300)
    key = np.abs if end == "magnitude" else np.asarray
    # Magnitudes: at the cut through a pair +-l either sign is right to rounding.
    assert np.abs(key(pairs.values) - key(values[order[:k]])).max() <= 1e-8 * scale
    assert np.allclose(pairs.vectors.T @ pairs.vectors, np.eye(k), atol=1e-10)
    assert np.allclose(pairs.images, a @ pairs.vectors, atol=1e-12 * scale)
    # A residual of 1e-9 turns the subspace by at most 1e-9 |M| / gap (Davis & Kahan): 1e-6 where gap > 1e-3 |M|.
    ordered = key(values[order])
    if k < n and abs(ordered[k - 1] - ordered[k]) > 2e-3 * scale:
        known = vectors[:, order[:k]]
        assert np.linalg.norm(pairs.vectors - known @ (known.T @ pairs.vectors), 2) <= 1e-6


# A filter missed two of the three largest values, since the first basis had 37 of 40 dimensions.
@example(m=20, n=20, k=3, degree=6.0, seed=3)
@settings(max_examples=50, deadline=None)
@given(
    m=st.integers(20, 120),
    n=st.integers(20, 120),
    k=st.integers(1, 6),
    degree=st.floats(1.0, 8.0),
    seed=st.integers(0, 999),
)
def test_singular_triplets_agree_with_lapack(m, n, k, degree, seed):
    a = sparse.csr_array(random_graph(max(m, n), degree, seed, directed=True, weighted=True)[:m, :n])
    expected = np.linalg.svd(a.toarray(), compute_uv=False)[:k]
    triplets = singular_triplets(a, k, solver=Lanczos(), tol=1e-9)
    assert np.allclose(triplets.values, expected, atol=1e-8 * max(expected[0], 1e-300))
    positive = triplets.values > 1e-6 * max(expected[0], 1e-300)
    for side in (triplets.left[:, positive], triplets.right[:, positive]):
        assert np.allclose(side.T @ side, np.eye(positive.sum()), atol=1e-6)
    assert np.allclose(triplets.left_images, a @ triplets.right, atol=1e-10)
    assert np.allclose(triplets.right_images, a.T @ triplets.left, atol=1e-10)


@pytest.mark.parametrize(("copies", "top"), [(2, []), (7, []), (5, [20.0])])
@pytest.mark.parametrize("end", ENDS)
def test_every_copy_of_a_value_is_found(copies, top, end):
    # Below a larger value too: a single Krylov sequence would see one copy only.
    rng = np.random.default_rng(copies)
    sign, given = -1.0 if end == "smallest" else 1.0, [*top, *[10.0] * copies]
    values = sign * np.concatenate([given, rng.uniform(-1, 1, 3000 - len(given))])
    pairs = eigenpairs(diagonal(values), len(given), end, solver=Lanczos())
    assert np.allclose(pairs.values, sign * np.array(given), atol=1e-9)
    assert np.linalg.norm(pairs.vectors[: len(given)]) ** 2 == pytest.approx(len(given), abs=1e-9)


@BOTH
def test_of_a_pair_of_opposite_eigenvalues_the_positive_one_is_first(solver):
    # A bipartite graph's spectrum is symmetric: complete bipartite K(20, 30) has +-sqrt(600).
    a = np.zeros((50, 50))
    a[:20, 20:] = a[20:, :20] = 1
    assert np.allclose(eigenpairs(a, 2, solver=solver).values, [np.sqrt(600), -np.sqrt(600)])
    assert eigenpairs(a, 1, solver=solver).values[0] > 0
    # Ritz values of a magnitude are below it: of two that are equal to rounding the smaller has not converged.
    values = np.array([-2.0 + 1e-10, 1.0, -2.0, 2.0 - 1e-10, 2.0])
    assert wanted(values, "magnitude").tolist() == [4, 3, 2, 0, 1]


def test_residuals_are_measured_and_the_seed_decides_no_more_than_rounding():
    a = random_graph(900, 10, 1)
    pairs = eigenpairs(a, 5, tol=1e-5)
    assert pairs.solver == "lanczos"
    found = np.linalg.norm(a @ pairs.vectors - pairs.vectors * pairs.values, axis=0) / np.abs(pairs.values)
    assert np.allclose(found, pairs.residuals, rtol=1e-3, atol=1e-13)
    assert found.max() <= 1e-5
    first, second, other = (eigenpairs(a, 4, tol=1e-9, random_state=seed) for seed in (None, 0, 7))
    assert np.array_equal(first.vectors, second.vectors)
    assert np.allclose(first.vectors, other.vectors, atol=1e-6)
    warm = eigenpairs(a, 4, tol=1e-8, start=first.vectors)
    assert warm.products < first.products
    assert np.allclose(warm.values, first.values)


def test_low_rank_zero_and_identity_operators():
    n = 700
    assert np.array_equal(eigenpairs(sparse.csr_array((n, n)), 3).values, np.zeros(3))
    assert np.allclose(eigenpairs(sparse.eye_array(n), 4, solver=Lanczos()).values, 1.0)
    u = np.random.default_rng(0).standard_normal((n, 2))
    pairs = eigenpairs(u @ u.T, 5, solver=Lanczos())
    assert np.allclose(pairs.values[:2], np.linalg.svd(u, compute_uv=False) ** 2)
    assert np.abs(pairs.values[2:]).max() < 1e-9


def test_signs_follow_the_largest_entry_and_ties_the_first():
    vectors = np.array([[0.1, -0.5, -0.7], [-0.9, 0.2, 0.7 * (1 + 1e-12)]])
    assert np.array_equal(fix_signs(vectors), [-1.0, -1.0, -1.0])


def test_what_does_not_converge_is_an_error_with_what_was_found():
    n = 4000
    path = sparse.diags_array([np.full(n, 2.0), *[np.full(n - 1, -1.0)] * 2], offsets=[0, 1, -1])
    with pytest.raises(ConvergenceError, match="a larger tol") as caught:
        eigenpairs(sparse.csr_array(path), 3, "smallest", solver=Lanczos(1), tol=1e-10)
    found = caught.value.result
    assert found.vectors.shape == (n, 3)
    assert found.residuals.max() > 1e-10
    assert found.iterations < 10


@pytest.mark.parametrize(
    ("operator", "arguments", "error", "words"),
    [
        (np.eye(3), {"k": 4}, ArgumentError, "k=4"),
        (np.eye(3), {"k": 1, "end": "BE"}, ArgumentError, "end='BE'"),
        (np.eye(3), {"k": 1, "known": Known(np.eye(3)[0])}, ArgumentError, "pass 'largest'"),
        (np.eye(3), {"k": 3, "end": "largest", "known": Known(np.eye(3)[0])}, ArgumentError, "k <= 2"),
        (np.triu(np.ones((3, 3))), {"k": 1}, GraphError, "not symmetric"),
        (np.full((3, 3), np.nan), {"k": 1}, GraphError, "not finite"),
        ("a graph", {"k": 1}, ArgumentTypeError, "operator"),
        (np.eye(3), {"k": 1, "start": np.ones((5, 1))}, ArgumentError, "start"),
        (np.eye(3), {"k": 1, "solver": "lapack"}, ArgumentTypeError, "solver="),
    ],
)
def test_wrong_input_is_refused_with_the_remedy(operator, arguments, error, words):
    with pytest.raises(error, match=words):
        eigenpairs(operator, **arguments)


def test_a_basis_in_single_precision_meets_the_tolerance_and_goes_on_in_double_below_it():
    # Eigenvalues 20, 19, ..., 16 above a bulk in [-1, 1]; a dense answer is known: the unit vectors.
    a = diagonal(np.concatenate([np.arange(20.0, 15, -1), np.random.default_rng(0).uniform(-1, 1, 59_995)]))
    for tol in (1e-3, 1e-6, 1e-9, 1e-13):
        pairs = eigenpairs(a, 5, tol=tol)
        assert pairs.residuals.max() <= tol
        assert np.allclose(pairs.values, [20, 19, 18, 17, 16], atol=1e-10 + tol)
        assert np.abs(pairs.vectors.T @ pairs.vectors - np.eye(5)).max() <= 1e-12
        assert np.abs(np.abs(pairs.vectors[:5]) - np.eye(5)).max() <= 100 * tol


def test_low_rank_matrices_of_many_rows_with_a_coarse_tolerance():
    """The basis in single precision is orthogonal to 1e-5 only, and the Krylov space ends after 30 directions."""
    n = 60_000
    ends = np.arange(30)
    path = sparse.csr_array((np.ones(30), (ends, ends + 1)), shape=(n, n))
    exact = 2 * np.cos(np.pi * np.arange(1, 31) / 32)
    pairs = eigenpairs(path + path.T, 50, tol=1e-3, solver=Lanczos(10))
    assert np.abs(np.sort(pairs.values)[::-1][:15] - exact[:15]).max() < 1e-5
    assert np.abs(pairs.values[30:]).max() < 1e-10
    assert np.abs(pairs.vectors.T @ pairs.vectors - np.eye(50)).max() < 1e-4


@pytest.mark.parametrize("k", [6, 20])
def test_residuals_relative_to_the_distance_from_an_origin(k):
    """The normalised affinity of points in five dimensions: values down from 1, the first at 0.97."""
    distances = neighbor_graph(np.random.default_rng(0).uniform(-1, 1, size=(3000, 5)), n_neighbors=10)
    distances.data = np.exp(-np.square(distances.data) / np.square(distances.data).mean())
    K = normalised(sparse.csr_array(distances + sparse.eye_array(3000)))
    run = block_lanczos(Task(Matrix(K), k, "largest", 1e-9, 100, np.random.default_rng(0), np.float64, 1.0))
    values = (run.vectors * (K @ run.vectors)).sum(axis=0)
    lengths = np.linalg.norm(K @ run.vectors - values * run.vectors, axis=0)
    assert run.restarts < 100
    assert (lengths <= 1e-9 * np.maximum(1 - values, 1e-5)).all()


#: The bulk of a spectrum: quantiles of a semicircle on [-1, 1].
BULK = 2 * stats.beta(1.5, 1.5).ppf((np.arange(100_000) + 0.5) / 100_000) - 1


@pytest.mark.parametrize(
    ("outliers", "k", "tol"),
    [
        # An eigenvalue's error is at most the square of the residual, 1.2e-3, divided by the gap, 0.011.
        (np.linspace(1.2, 1.1, 10), 40, 1.5e-4),
        # Values that are 0.001 apart are told apart by residuals of 0.001 and less only.
        (np.linspace(1.06, 1.03, 30), 40, 1e-3),
        # Copies, with the gap of 0.1.
        ([1.2, *[1.1] * 7], 20, 1.5e-5),
    ],
)
def test_with_a_large_tolerance_values_that_stand_out_are_found_and_the_bulk_costs_little(outliers, k, tol):
    values = BULK.copy()
    values[: len(outliers)] = outliers
    found = eigenpairs(diagonal(np.random.default_rng(0).permutation(values)), k, tol=0.1)
    assert found.residuals.max() <= 0.1
    np.testing.assert_allclose(found.values[: len(outliers)], outliers, atol=tol)
    assert np.abs(found.values[len(outliers) :]).max() <= 1.001
    assert found.products < 1000


class Lobpcg:
    """A solver that nobody planned for, by scipy: the guide's example of one file with one class."""

    def pairs(self, problem):
        start = problem.generator().standard_normal((problem.size, problem.k + 4))
        found = lobpcg(problem.operator.__matmul__, start, tol=0.1 * problem.tol, maxiter=500)[1]
        return problem.measured(np.linalg.qr(found)[0][:, : problem.k], "lobpcg")


def test_a_solver_of_ones_own():
    a = diagonal(np.concatenate([[9.0, 7.0, 5.0], np.random.default_rng(0).uniform(-1, 1, 997)]))
    pairs = eigenpairs(a, 3, "largest", solver=Lobpcg(), tol=1e-4)
    assert pairs.solver == "lobpcg"
    assert np.allclose(pairs.values, [9, 7, 5])
    assert pairs.residuals.max() <= 1e-4
