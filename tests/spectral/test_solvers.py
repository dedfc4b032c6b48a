"""Solvers for the lower end of sparse matrices, compared with dense LAPACK, and the choice among them."""

from unittest.mock import DEFAULT, Mock, patch

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.points.neighborhood import neighbor_graph
from lpgraph.spectral import auto, cycle, shift_invert
from lpgraph.spectral.auto import Auto, solver_named
from lpgraph.spectral.cycle import Cycle
from lpgraph.spectral.eigen import Known, KnownPairs, eigenpairs
from lpgraph.spectral.multigrid import Multigrid
from lpgraph.spectral.operators import Affine, Matrix
from lpgraph.spectral.shift_invert import ShiftInvert, expected_fill, factorised

NAMES = ["auto", "lapack", "lanczos", "inverse"]


def grid(width, height=None, *, closed=False):
    """The Laplacian of a grid, or of a torus."""
    paths = []
    for side in (width, height or width):
        path = sparse.diags_array([np.ones(side - 1)] * 2, offsets=[-1, 1]).tolil()
        if closed:
            path[0, side - 1] = path[side - 1, 0] = 1.0
        paths.append(path)
    laplacian = sparse.csr_array(sparse.csgraph.laplacian(sparse.csr_array(sparse.kronsum(*paths))))
    laplacian.sort_indices()
    return laplacian


LAPLACIAN = grid(29, 31)
N = LAPLACIAN.shape[0]
CONSTANT = np.full(N, N**-0.5)
VALUES, VECTORS = scipy.linalg.eigh(LAPLACIAN.toarray())


def check(pairs, values, vectors, operator):
    assert np.allclose(pairs.values, values, rtol=1e-6, atol=1e-13)
    assert np.abs(np.abs((vectors * pairs.vectors).sum(axis=0)) - 1).max() < 1e-9
    assert np.allclose(pairs.images, operator @ pairs.vectors, atol=1e-12)
    assert pairs.residuals.max() <= 1e-8


@pytest.mark.parametrize("solver", NAMES)
@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("end", ["smallest", "largest"])
def test_pairs_at_either_end(solver, left_out, end):
    # At the upper end, of an operator that decreases with the matrix.
    matrix = sparse.csr_array(LAPLACIAN / 8)
    operator = Matrix(matrix) if end == "smallest" else Affine(Matrix(matrix), -1.0, 1.0)
    origin = None if end == "smallest" else 1.0  # without one, Lanczos's method is tried first
    known = Known(CONSTANT if left_out else None, matrix=lambda: matrix, origin=origin)
    pairs = eigenpairs(operator, 5, end, solver=solver_named(solver), known=known, tol=1e-8)
    assert pairs.solver == ("inverse" if solver == "auto" else solver)
    values = VALUES[left_out:][:5] / 8
    check(pairs, values if end == "smallest" else 1 - values, VECTORS[:, left_out:][:, :5], operator)
    if left_out:
        assert np.abs(CONSTANT @ pairs.vectors).max() < 1e-14


def test_a_multiple_null_space_is_found_with_the_larger_shift():
    laplacian = sparse.csr_array(sparse.block_diag([LAPLACIAN] * 4))
    pairs = eigenpairs(laplacian, 6, "smallest", known=Known(matrix=laplacian))
    assert pairs.solver == "inverse"
    assert np.allclose(pairs.values, [0, 0, 0, 0, VALUES[1], VALUES[1]], atol=1e-9)
    assert np.allclose(pairs.vectors.T @ pairs.vectors, np.eye(6), atol=1e-10)


@pytest.mark.parametrize("failure", [MemoryError(), RuntimeError("Factor is exactly singular")])
def test_lanczos_replaces_a_factorisation_that_fails(failure):
    known = Known(CONSTANT, matrix=LAPLACIAN)
    with patch("scipy.sparse.linalg.splu", side_effect=failure):
        pairs = eigenpairs(LAPLACIAN, 3, "smallest", known=known, tol=1e-8)
        with pytest.raises(ConvergenceError, match="solver='auto'"):
            eigenpairs(LAPLACIAN, 3, "smallest", known=known, solver=ShiftInvert())
    assert pairs.solver == "lanczos"
    check(pairs, VALUES[1:4], VECTORS[:, 1:4], LAPLACIAN)
    # A failure with the first shift alone is mended by a larger one.
    once = Mock(wraps=factorised, side_effect=[ConvergenceError("singular"), DEFAULT])
    with patch.object(shift_invert, "factorised", once):
        assert eigenpairs(LAPLACIAN, 3, "smallest", known=known).solver == "inverse"
    first, second = (call.args[1] for call in once.call_args_list)
    assert second > 1000 * first


@pytest.mark.parametrize("solver", [ShiftInvert(), Multigrid()])
def test_what_a_solver_needs(solver):
    with pytest.raises(ArgumentError, match="pass solver='auto'"):
        eigenpairs(LAPLACIAN, 1, "smallest", solver=solver)
    with pytest.raises(ArgumentError, match="solver='magic'"):
        solver_named("magic")


def test_the_forecast_of_a_factor_is_near_it():
    points = np.random.default_rng(0).uniform(size=(12_000, 2))
    neighbors = neighbor_graph(points, n_neighbors=10, mode="connectivity")
    matrix = sparse.csr_array(sparse.csgraph.laplacian(neighbors))
    assert 0.6 < expected_fill(matrix) / (factorised(matrix, 1e-6).L.nnz / 12_000) < 1.7


def levels(matrix):
    return Cycle.of(matrix, np.ones(matrix.shape[0]), np.random.default_rng(0))


@pytest.mark.parametrize("side", [40, 120])
def test_a_cycle_is_symmetric_and_reduces_every_error_whatever_the_size(side):
    matrix, rng = grid(side), np.random.default_rng(1)
    cycles = levels(matrix)
    error = rng.standard_normal((side * side, 1))
    error -= error.mean()
    energy = []
    for _ in range(21):
        energy.append(float(error[:, 0] @ (matrix @ error)[:, 0]))
        error -= cycles @ (matrix @ error)
    # Two smoothing steps on either side; unsmoothed aggregation has 0.9 and more for the larger grid.
    assert (energy[20] / energy[10]) ** (1 / 20) < 0.6
    block = rng.standard_normal((side * side, 5))
    inner = block.T @ (cycles @ block)
    assert np.allclose(inner, inner.T, atol=1e-10 * np.abs(inner).max())
    assert np.linalg.eigvalsh((inner + inner.T) / 2).min() > 0


def test_relaxation_converges_on_few_close_vertices_too():
    """Their largest eigenvalue of A / diagonal is nearly 2, which ten steps of the power method would not find."""
    matrix = sparse.lil_array(grid(60))
    for i in (100, 1700, 2345):
        for a, b, change in ((i, i, 50.0), (i + 1, i + 1, 50.0), (i, i + 1, -50.0), (i + 1, i, -50.0)):
            matrix[a, b] += change
    matrix = sparse.csr_array(matrix)
    cycles, error = levels(matrix), np.zeros((3600, 1))
    error[[100, 101], 0] = 1.0, -1.0
    for _ in range(30):
        error -= cycles @ (matrix @ error)
    # Up to a constant, 0.6 to the power of 30 would be 2e-7.
    assert np.ptp(error) < 1e-5


def test_small_matrices_are_their_own_level_and_without_edges_there_is_none():
    matrix = grid(12)
    right = np.random.default_rng(0).standard_normal((144, 2))
    right -= right.mean(axis=0)
    assert not levels(matrix).levels
    assert np.allclose(matrix @ (levels(matrix) @ right), right)
    alone = sparse.csr_array(sparse.eye_array(1000))
    assert levels(alone) is None
    assert levels(sparse.csr_array(sparse.block_diag([grid(40), sparse.csr_array((1, 1))]))) is None
    known = Known(matrix=alone, smooth=np.ones(1000), origin=0.0)
    with pytest.raises(ConvergenceError, match="pass solver='auto'"):
        eigenpairs(alone, 1, "smallest", solver=Multigrid(), known=known)


@pytest.mark.parametrize(("closed", "k"), [(False, 1), (False, 9), (True, 4), (True, 60)])
def test_multigrid_finds_pairs_with_their_multiplicity(closed, k):
    """A square has pairs of equal eigenvalues, a torus fours."""
    matrix = grid(36, closed=closed)
    n = matrix.shape[0]
    constant = np.full(n, n**-0.5)
    known = Known(constant, matrix=matrix, smooth=constant, origin=0.0)
    found = eigenpairs(matrix, k, "smallest", solver=Multigrid(), known=known)
    assert found.solver == "multigrid"
    # Residuals up to 1e-6 of a value change it by their square, or by themselves where k cuts a multiple one.
    assert np.allclose(found.values, np.linalg.eigvalsh(matrix.toarray())[1 : k + 1], rtol=1e-6)
    gap = np.linalg.norm(matrix @ found.vectors - found.vectors * found.values, axis=0)
    assert (gap <= 1e-6 * np.maximum(found.values, 1e-5)).all()
    assert np.allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-12)
    assert np.allclose(constant @ found.vectors, 0, atol=1e-12)


def roll(n):
    rng = np.random.default_rng(3)
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([angle * np.cos(angle), 21 * rng.uniform(size=n), angle * np.sin(angle)])


@pytest.mark.parametrize("options", [{"affinity": "binary"}, {"affinity": "gaussian"}])
def test_methods_agree_with_the_factorisation(options):
    X = roll(3000)
    grids = lp.manifold.LaplacianEigenmaps(3, solver="multigrid", **options).fit(X)
    direct = lp.manifold.LaplacianEigenmaps(3, solver="inverse", tol=1e-10, **options).fit(X)
    assert np.allclose(1 - grids.eigenvalues_, 1 - direct.eigenvalues_, rtol=1e-6)
    # The sine of the angle is at most the residual, 1e-6 of the value, over the gap, here at least half of it.
    assert np.allclose(grids.embedding_, direct.embedding_, atol=1e-5 * np.abs(direct.embedding_).max())


def test_auto_takes_multigrid_for_many_points_of_a_surface_with_the_same_bits_in_any_number_of_threads(
    monkeypatch,
):
    found = []
    with patch.object(cycle.Cycle, "of", wraps=Cycle.of) as used:
        for threads in ("1", "2"):
            monkeypatch.setenv("LPGRAPH_NUM_THREADS", threads)
            found.append(lp.manifold.LaplacianEigenmaps(2).fit(roll(30_000)))  # compiled and in threads
    assert used.call_count == 2
    assert np.array_equal(found[0].embedding_, found[1].embedding_)
    assert (found[0].residuals_ <= 1e-6).all()
    values = 1 - found[0].eigenvalues_
    # Neumann's eigenvalues of a strip: the first two modes run along it, so that the second value is four times
    # the first; sampling changes each by some percent.
    assert values[1] / values[0] == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize("shape", ["tree", "hubs"])
def test_auto_finds_the_lower_end_of_large_laplacians_of_networks(shape, monkeypatch):
    rng, n = np.random.default_rng(0), 20_500 if shape == "tree" else 3000
    ends = np.tile(np.arange(1, n), 1 if shape == "tree" else 6)
    earlier = (rng.random(len(ends)) ** (1 if shape == "tree" else 4) * ends).astype(int)
    upper = sparse.csr_array((np.ones(len(ends)), (earlier, ends)), shape=(n, n))
    laplacian = sparse.csr_array(sparse.csgraph.laplacian(upper + upper.T))
    top, ones = 2 * float(laplacian.diagonal().max()), np.ones(n)
    monkeypatch.setattr(auto, "_LARGE", 3000)
    monkeypatch.setattr(cycle, "_SHRINKS", 0.0)  # no smaller matrices
    known = Known(ones / np.sqrt(n), matrix=laplacian, smooth=ones, origin=top)
    operator = Affine(Matrix(laplacian), -1.0, top)
    pairs = eigenpairs(operator, 1, "largest", solver=Auto(max_restarts=20), known=known, tol=1e-8)
    assert pairs.solver == ("inverse" if shape == "tree" else "multigrid")
    expected = sparse.linalg.eigsh(laplacian.tocsc(), 2, sigma=-1e-3, return_eigenvectors=False).max()
    assert top - pairs.values[0] == pytest.approx(expected, rel=1e-6)


def test_known_first_pairs_are_completed():
    ones = [sparse.csr_array(np.full((40, 1), 40**-0.5))] * 3
    blocks = sparse.block_diag([(1 + 1e-9) * one @ one.T for one in ones] + [0.5 * sparse.eye_array(700)])
    first = sparse.csc_array(sparse.block_diag([*ones, np.zeros((700, 0))]))
    known = Known(first=lambda k: KnownPairs(np.ones(3), first))
    pairs = eigenpairs(sparse.csr_array(blocks), 5, known=known, solver=Auto(), tol=1e-6)
    assert np.allclose(pairs.values, [1, 1, 1, 0.5, 0.5])
    assert np.allclose(pairs.vectors.T @ pairs.vectors, np.eye(5), atol=1e-10)
