"""Each operator compared with its dense matrix, and the optional products that a solver uses."""

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse

from lpgraph.errors import ArgumentError, GraphError
from lpgraph.manifold.kernels import Centring
from lpgraph.spectral.construction import Construction, NewRows, ProductRows
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.embedding import embed
from lpgraph.spectral.inverse import Inverse
from lpgraph.spectral.operators import (
    Affine,
    Bipartite,
    Centred,
    Deflated,
    Gram,
    Matrix,
    Rescaled,
    SymmetricOperator,
    Updated,
    as_operator,
)

RNG = np.random.default_rng(0)
N = 30
M = RNG.standard_normal((N, N))
M = M + M.T
F = RNG.standard_normal((N, 4))
U = np.linalg.qr(RNG.standard_normal((N, 1)))[0][:, 0]
H = np.eye(N) - 1 / N
P = np.eye(N) - np.outer(U, U)

CASES = [
    (Gram(F), F @ F.T),
    (Gram(sparse.csr_array(F)), F @ F.T),
    (Centred(Matrix(M)), H @ M @ H),
    (Affine(Matrix(M), -2.0), -2 * M),
    (Affine(Matrix(M), 0.5, 3.0), 0.5 * M + 3 * np.eye(N)),
    (Updated(Matrix(M), U, -2.0), M - 2 * np.outer(U, U)),
    (Deflated(Matrix(M), U), P @ M @ P),
    (Deflated(Matrix(M), U, -7.0), P @ M @ P - 7 * np.outer(U, U)),
    (Inverse(sparse.csr_array(M @ M), 0.1), np.linalg.inv(M @ M + 0.1 * np.eye(N))),
]


@pytest.mark.parametrize(("operator", "dense"), CASES, ids=lambda case: type(case).__name__)
def test_an_operator_acts_as_its_matrix_and_leaves_the_block_alone(operator, dense):
    block = RNG.standard_normal((N, 3))
    before = block.copy()
    assert operator.shape == (N, N)
    assert np.allclose(operator @ block, dense @ block, rtol=1e-10, atol=1e-10 * np.abs(dense).max())
    assert np.array_equal(block, before)


@pytest.mark.parametrize("operator", [operator for operator, _ in CASES], ids=lambda each: type(each).__name__)
def test_every_operator_answers_what_a_solver_asks(operator):
    assert isinstance(operator, SymmetricOperator)
    assert as_operator(operator) is operator
    assert (operator.entries, operator.product, operator.takes_single, operator.exact_in_single) == (
        N * N if isinstance(operator, Updated) else 0,
        None,
        False,
        False,
    )


def test_only_matrices_and_what_rescales_them_know_their_entries():
    a = sparse.csr_array(np.diag(np.arange(1.0, 6)))
    assert Matrix(a).entries == Rescaled(Matrix(a), np.ones(5)).entries == 5
    assert Matrix(a.toarray()).entries == 25
    assert Bipartite(a).entries == 10
    assert Rescaled(Gram(F), np.ones(N)).entries == 0


class Whatever:
    """A user's operator: a shape, and a product that may not be float64."""

    shape = (N, N)

    def __init__(self, matrix):
        self.matrix = matrix

    def __matmul__(self, block):
        return (self.matrix @ block).astype(np.longdouble)


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
def test_a_users_operator_needs_a_shape_and_a_product_only(solver):
    mine = Whatever(M)
    assert as_operator(mine).entries == 0
    assert (as_operator(mine) @ np.eye(N)).dtype == np.float64
    pairs = eigenpairs(mine, 3, "LA", solver=solver, tol=1e-9)
    assert np.allclose(pairs.values, np.linalg.eigvalsh(M)[:-4:-1])
    assert np.allclose(eigenpairs(Deflated(mine, U), 2, "SA").values, np.linalg.eigvalsh(P @ M @ P)[:2])
    mine.shape = (N, N + 1)
    with pytest.raises(GraphError, match="square"):
        as_operator(mine)


def test_rows_of_a_product_and_of_a_centred_kernel():
    rows = ProductRows(F[:5], F)
    assert rows.shape == (5, N)
    assert np.allclose(rows @ M, (F[:5] @ F.T) @ M)
    # Bengio et al. (2004), Eq. (3): on the training items the centred rows are H K H.
    assert np.allclose(Centring.of(M).rows(M), H @ M @ H)
    # One new item: each expectation written out.
    x = RNG.standard_normal(N)
    assert np.allclose(Centring.of(M).rows(x[None])[0], x - M.mean(axis=0) - x.mean() + M.mean())


def random_walk(n, seed=0):
    """A ring with chords, its normalised affinity, and the eigenvector of the eigenvalue 1."""
    rng = np.random.default_rng(seed)
    i = np.arange(n)
    rows, columns = np.concatenate([i, i]), np.concatenate([(i + 1) % n, (i + 2 + rng.integers(0, 4, n)) % n])
    a = sparse.coo_array((rng.uniform(0.5, 1, 2 * n), (rows, columns)), shape=(n, n)).tocsr()
    a = sparse.csr_array(a + a.T)
    degrees = np.asarray(a.sum(axis=1)).ravel()
    return a, degrees, np.sqrt(degrees / degrees.sum())


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
def test_an_eigenvector_known_beforehand_is_left_out(solver):
    a, degrees, trivial = random_walk(150)
    operator = Rescaled(Matrix(a), degrees**-0.5)
    values = scipy.linalg.eigvalsh(operator @ np.eye(150))
    pairs = eigenpairs(operator, 4, "LA", solver=solver, tol=1e-9, without=trivial)
    assert values[-1] == pytest.approx(1)
    assert np.allclose(pairs.values, values[-2:-6:-1], atol=1e-10)
    assert np.abs(trivial @ pairs.vectors).max() <= 1e-14
    assert np.allclose(pairs.images, operator @ pairs.vectors, atol=1e-13)
    # Even when all are asked for, LAPACK never finds the one that is known.
    every = eigenpairs(operator, 149, "LA", solver="lapack", without=trivial)
    assert np.allclose(every.values, values[-2::-1], atol=1e-10)
    assert np.abs(trivial @ every.vectors).max() <= 1e-13


def test_an_inverse_finds_the_bottom_that_the_operator_itself_hides():
    a, degrees, _ = random_walk(2000)
    laplacian = sparse.csr_array(sparse.diags_array(degrees) - a)
    squared = sparse.csr_array(laplacian @ laplacian)
    constant = np.full(2000, 2000**-0.5)
    shift = 1e-11 * squared.diagonal().mean()
    pairs = eigenpairs(
        Affine(Gram(laplacian), -1.0),
        3,
        "LA",
        without=constant,
        transformed=Inverse(squared, shift),
        tol=1e-8,
    )
    expected, vectors = scipy.linalg.eigh(laplacian.toarray())
    # The squared Laplacian has the squares as eigenvalues: some 1e-12 of its norm, and still found to 1e-6.
    assert np.allclose(-pairs.values, expected[1:4] ** 2, rtol=1e-6)
    assert np.abs(np.abs((vectors[:, 1:4] * pairs.vectors).sum(axis=0)) - 1).max() < 1e-8


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
@pytest.mark.parametrize("power", [0.0, 0.5, 3.0])
def test_the_extension_of_training_rows_is_the_embedding_with_a_trivial_vector_too(solver, power):
    a, degrees, trivial = random_walk(200)
    scale = sparse.diags_array(degrees**-0.5)
    operator, rows = Rescaled(Matrix(a), degrees**-0.5), scale @ a @ scale
    construction = Construction(operator, NewRows(), power=power, trivial=trivial, positive=False)
    # The tolerance is loose on purpose: exactness on training rows does not depend on it.
    result = embed(construction, 3, solver=solver, tol=1e-3)
    assert np.allclose(result.extension(rows), result.coordinates, rtol=0, atol=1e-13)
    lengths = np.linalg.norm(result.coordinates, axis=0)
    assert np.allclose(lengths, result.values**power, rtol=1e-5)


def test_only_positive_eigenvalues_when_asked():
    construction = Construction(Matrix(np.diag([3.0, 1.0, 0.0, -2.0])), NewRows())
    assert embed(construction, 2).values.tolist() == [3, 1]
    with pytest.raises(ArgumentError, match="only 2 eigenvalues are positive; pass n_components <= 2"):
        embed(construction, 3)
    with pytest.raises(ArgumentError, match="no positive eigenvalue"):
        embed(Construction(Matrix(-np.eye(3)), NewRows()), 1)


def test_what_helps_the_solver_is_for_one_end_only():
    with pytest.raises(ArgumentError, match='pass which="LA"'):
        eigenpairs(np.eye(3), 1, "LM", without=np.array([1.0, 0, 0]))
    with pytest.raises(ArgumentError, match="one of them known beforehand; pass k <= 2"):
        eigenpairs(np.eye(3), 3, "LA", without=np.array([1.0, 0, 0]))
