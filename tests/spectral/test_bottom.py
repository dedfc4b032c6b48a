"""The lower end of sparse matrices, compared with dense LAPACK, and the choice of a solver."""

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse

from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.reconstruction import affine_weights
from lpgraph.spectral import bottom, inverse
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.operators import Affine, Gram, Matrix


def grid(width, height):
    """The edge-vertex factor of a grid's Laplacian."""
    index = np.arange(width * height).reshape(height, width)
    across = np.column_stack([index[:, :-1].ravel(), index[:, 1:].ravel()])
    down = np.column_stack([index[:-1].ravel(), index[1:].ravel()])
    ends = np.vstack([across, down])
    edge, ones = np.arange(len(ends)), np.ones(len(ends))
    rows, columns = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([edge, edge])
    return sparse.csr_array((np.concatenate([ones, -ones]), (rows, columns)), shape=(width * height, len(ends)))


FACTOR = grid(29, 31)
LAPLACIAN = sparse.csr_array(FACTOR @ FACTOR.T)
N = LAPLACIAN.shape[0]
CONSTANT = np.full(N, N**-0.5)
VALUES, VECTORS = scipy.linalg.eigh(LAPLACIAN.toarray())


def check(pairs, values, vectors, operator):
    assert np.allclose(pairs.values, values, rtol=1e-6, atol=1e-13)
    assert np.abs(np.abs((vectors * pairs.vectors).sum(axis=0)) - 1).max() < 1e-9
    assert np.allclose(pairs.images, operator @ pairs.vectors, atol=1e-12)
    assert pairs.residuals.max() <= 1e-8


@pytest.mark.parametrize("solver", ["auto", "lapack", "lanczos", "inverse"])
@pytest.mark.parametrize("known", [False, True])
def test_the_smallest_pairs_of_a_matrix(solver, known):
    pairs = bottom_pairs(
        Gram(FACTOR),
        5,
        inverse_of=LAPLACIAN,
        solver=solver,
        tol=1e-8,
        without=CONSTANT if known else None,
    )
    assert pairs.solver == ("inverse" if solver == "auto" else solver)
    check(pairs, VALUES[known:][:5], VECTORS[:, known:][:, :5], LAPLACIAN)
    if known:
        assert np.abs(CONSTANT @ pairs.vectors).max() < 1e-14


@pytest.mark.parametrize("solver", ["auto", "lapack", "lanczos", "inverse"])
@pytest.mark.parametrize("known", [False, True])
def test_the_largest_pairs_of_what_decreases_with_the_matrix(solver, known):
    operator = Affine(Matrix(LAPLACIAN), -1 / 8, 1.0)
    matrix = sparse.csr_array(LAPLACIAN / 8)
    without = CONSTANT if known else None
    pairs = bottom_pairs(operator, 5, "LA", inverse_of=lambda: matrix, solver=solver, tol=1e-8, without=without)
    assert pairs.solver == ("inverse" if solver == "auto" else solver)
    check(pairs, 1 - VALUES[known:][:5] / 8, VECTORS[:, known:][:, :5], operator)


def test_a_multiple_null_space_is_found_with_the_larger_shift():
    laplacian = sparse.csr_array(sparse.block_diag([LAPLACIAN] * 4))
    pairs = bottom_pairs(laplacian, 6, inverse_of=laplacian)
    assert np.allclose(pairs.values, [0, 0, 0, 0, VALUES[1], VALUES[1]], atol=1e-9)
    assert np.allclose(pairs.vectors.T @ pairs.vectors, np.eye(6), atol=1e-10)


def never():
    raise AssertionError("the matrix is not needed")


def test_the_matrix_is_made_only_if_it_is_factorised():
    small = sparse.csr_array(np.diag(np.arange(50.0)))
    assert np.allclose(bottom_pairs(small, 3, inverse_of=never).values, [0, 1, 2])
    assert bottom_pairs(LAPLACIAN, 2, inverse_of=never, solver="lapack").solver == "lapack"
    assert bottom_pairs(LAPLACIAN, 2, inverse_of=never, solver="lanczos").solver == "lanczos"


def test_large_factors_are_avoided_at_the_upper_end_only(monkeypatch):
    monkeypatch.setattr(bottom, "_MOST_FILL", 1)
    matrix = sparse.csr_array(LAPLACIAN / 8)
    operator = Affine(Matrix(matrix), -1.0, 1.0)
    pairs = bottom_pairs(operator, 5, "LA", inverse_of=matrix, tol=1e-8)
    assert pairs.solver == "lanczos"
    check(pairs, 1 - VALUES[:5] / 8, VECTORS[:, :5], operator)
    assert bottom_pairs(operator, 5, "LA", inverse_of=matrix, solver="inverse").solver == "inverse"
    assert bottom_pairs(LAPLACIAN, 5, inverse_of=LAPLACIAN).solver == "inverse"


@pytest.mark.parametrize("failure", [MemoryError(), RuntimeError("Factor is exactly singular")])
def test_lanczos_replaces_a_factorisation_that_fails(monkeypatch, failure):
    def fail(matrix, shift):
        raise failure

    monkeypatch.setattr(inverse, "factorised", fail)
    pairs = bottom_pairs(LAPLACIAN, 3, inverse_of=LAPLACIAN, tol=1e-8, without=CONSTANT)
    assert pairs.solver == "lanczos"
    check(pairs, VALUES[1:4], VECTORS[:, 1:4], LAPLACIAN)
    with pytest.raises(ConvergenceError, match=r"could not be factorised: .*Pass solver='auto'"):
        bottom_pairs(LAPLACIAN, 3, inverse_of=LAPLACIAN, solver="inverse")


def test_a_singular_factor_is_tried_again_with_a_larger_shift(monkeypatch):
    shifts, whole = [], inverse.factorised

    def fail_once(matrix, shift):
        shifts.append(shift)
        if len(shifts) == 1:
            raise RuntimeError("Factor is exactly singular")
        return whole(matrix, shift)

    monkeypatch.setattr(inverse, "factorised", fail_once)
    assert bottom_pairs(LAPLACIAN, 3, inverse_of=LAPLACIAN).solver == "inverse"
    assert shifts[1] > 1000 * shifts[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 0}, "k=0"),
        ({"k": N + 1}, f"but the operator has only {N} rows"),
        ({"which": "LM"}, "which='LM'"),
        ({"solver": "magic"}, "solver='magic'"),
        ({"solver": "inverse"}, "no sparse matrix"),
        ({"tol": 0.0}, "tol=0.0"),
    ],
)
def test_wrong_input_is_refused(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        bottom_pairs(LAPLACIAN, **{"k": 2, **arguments})


def test_factors_that_would_not_fit_into_memory_are_not_made(monkeypatch):
    rng = np.random.default_rng(0)
    half = sparse.random_array((900, 900), density=0.02, rng=rng)
    graph = sparse.csr_array(half + half.T)
    matrix = sparse.csr_array(sparse.diags_array(graph.sum(axis=1)) - graph)
    assert bottom_pairs(matrix, 2, inverse_of=matrix).solver == "inverse"
    monkeypatch.setattr(bottom, "_MOST_ENTRIES", 1000)
    pairs = bottom_pairs(matrix, 2, inverse_of=matrix)
    assert pairs.solver == "lanczos"
    assert np.allclose(pairs.values, np.linalg.eigvalsh(matrix.toarray())[:2], atol=1e-8)


def test_pairs_by_the_factors_of_a_root_are_those_of_lapack():
    n = 2000
    points = np.random.default_rng(0).uniform(size=(n, 2))
    indices = Neighborhood.of(points, n_neighbors=8).nearest_training(8)[0]
    root = sparse.csr_array(sparse.eye_array(n) - affine_weights(points, points, indices, 1e-3))
    matrix = sparse.csr_array(root.T @ root)
    without = np.full(n, n**-0.5)
    pairs = bottom_pairs(matrix, 3, inverse_of=never, root=lambda: root, without=without)
    assert pairs.solver == "inverse"
    # LAPACK on the singular values of the root: those of the matrix would lose half of the digits.
    values, vectors = scipy.linalg.svd(root.toarray())[1:]
    assert np.allclose(pairs.values, values[-2:-5:-1] ** 2, rtol=1e-5)
    assert np.abs(np.abs((vectors[-2:-5:-1].T * pairs.vectors).sum(axis=0)) - 1).max() < 1e-6


def test_a_root_with_more_null_vectors_gives_way_to_the_matrix():
    # Closed loops of vertices that follow one another: each has a null vector of its own.
    n = 700
    follows = np.append(np.arange(1, n), 0)
    loop = sparse.csr_array((np.ones(n), (np.arange(n), follows)), shape=(n, n))
    root = sparse.csr_array(sparse.eye_array(2 * n) - sparse.block_diag([loop, loop]))
    matrix = sparse.csr_array(root.T @ root)
    pairs = bottom_pairs(matrix, 2, inverse_of=matrix, root=lambda: root, without=np.full(2 * n, (2 * n) ** -0.5))
    assert pairs.values[0] == pytest.approx(0.0, abs=1e-12)
    assert pairs.values[1] == pytest.approx(4 * np.sin(np.pi / n) ** 2, rel=1e-6)
