"""Each operator compared with its dense matrix, and the optional products that a solver uses."""

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse

from lpgraph.errors import GraphError
from lpgraph.manifold.kernels import Centring
from lpgraph.spectral import operators as op
from lpgraph.spectral.construction import Construction, NewRows, ProductRows
from lpgraph.spectral.eigen import Known, eigenpairs
from lpgraph.spectral.embedding import Settings, embed
from lpgraph.spectral.lanczos import Lanczos
from lpgraph.spectral.lapack import Lapack
from lpgraph.spectral.shift_invert import Inverse, factorised

RNG = np.random.default_rng(0)
N = 30
M = RNG.standard_normal((N, N))
M = M + M.T
F = RNG.standard_normal((N, 4))
U = np.linalg.qr(RNG.standard_normal((N, 1)))[0][:, 0]
H = np.eye(N) - 1 / N
P = np.eye(N) - np.outer(U, U)
K, WEIGHTS = RNG.standard_normal((N, 4)), np.arange(1.0, 5)


def sides(matrix):
    m, n = matrix.shape
    return np.block([[np.zeros((m, m)), matrix], [matrix.T, np.zeros((n, n))]])


CASES = [
    (op.Matrix(M, U), np.outer(U, U) * M),
    (op.Bipartite(F[:26], None, WEIGHTS), sides(F[:26] * WEIGHTS)),
    (op.PlusLowRank(sparse.csr_array(M), F, K), M + F @ K.T),
    (op.PlusLowRank(sparse.csr_array(M), F, K).T, M + K @ F.T),
    (
        op.Bipartite(op.PlusLowRank(sparse.csr_array(F[:26]), M[:26, :2], F[:4, :2])),
        sides(F[:26] + M[:26, :2] @ F[:4, :2].T),
    ),
    (op.Gram(F), F @ F.T),
    (op.Gram(sparse.csr_array(F)), F @ F.T),
    (op.Centred(op.Matrix(M)), H @ M @ H),
    (op.Affine(op.Matrix(M), -2.0), -2 * M),
    (op.Affine(op.Matrix(M), 0.5, 3.0), 0.5 * M + 3 * np.eye(N)),
    (op.Updated(op.Matrix(M), U, -2.0), M - 2 * np.outer(U, U)),
    (op.Deflated(op.Matrix(M), U), P @ M @ P),
    (op.Deflated(op.Matrix(M), U, -7.0), P @ M @ P - 7 * np.outer(U, U)),
    (Inverse(factorised(sparse.csr_array(M @ M), 0.1)), np.linalg.inv(M @ M + 0.1 * np.eye(N))),
]


@pytest.mark.parametrize(("operator", "dense"), CASES, ids=lambda case: type(case).__name__)
def test_an_operator_acts_as_its_matrix_and_leaves_the_block_alone(operator, dense):
    block = RNG.standard_normal((N, 3))
    before = block.copy()
    assert operator.shape == (N, N)
    assert np.allclose(operator @ block, dense @ block, rtol=1e-10, atol=1e-10 * np.abs(dense).max())
    assert np.array_equal(block, before)


class Whatever:
    """A user's operator: a shape, and a product that may not be float64."""

    shape = (N, N)

    def __init__(self, matrix):
        self.matrix = matrix

    def __matmul__(self, block):
        return (self.matrix @ block).astype(np.longdouble)


@pytest.mark.parametrize("solver", [Lapack(), Lanczos()])
def test_a_users_operator_needs_a_shape_and_a_product_only(solver):
    mine = Whatever(M)
    assert op.as_operator(mine).entries == 0
    assert (op.as_operator(mine) @ np.eye(N)).dtype == np.float64
    pairs = eigenpairs(mine, 3, "largest", solver=solver, tol=1e-9)
    assert np.allclose(pairs.values, np.linalg.eigvalsh(M)[:-4:-1])
    assert np.allclose(eigenpairs(op.Deflated(mine, U), 2, "smallest").values, np.linalg.eigvalsh(P @ M @ P)[:2])
    mine.shape = (N, N + 1)
    with pytest.raises(GraphError, match="square"):
        op.as_operator(mine)


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


@pytest.mark.parametrize("solver", [Lapack(), Lanczos()])
def test_an_eigenvector_known_beforehand_is_left_out(solver):
    a, degrees, trivial = random_walk(150)
    operator = op.Matrix(a, degrees**-0.5)
    values = scipy.linalg.eigvalsh(operator @ np.eye(150))
    pairs = eigenpairs(operator, 4, "largest", solver=solver, tol=1e-9, known=Known(trivial))
    assert values[-1] == pytest.approx(1)
    assert np.allclose(pairs.values, values[-2:-6:-1], atol=1e-10)
    assert np.abs(trivial @ pairs.vectors).max() <= 1e-14
    assert np.allclose(pairs.images, operator @ pairs.vectors, atol=1e-13)
    # Even when all are asked for, LAPACK never finds the one that is known.
    every = eigenpairs(operator, 149, "largest", solver=Lapack(), known=Known(trivial))
    assert np.allclose(every.values, values[-2::-1], atol=1e-10)
    assert np.abs(trivial @ every.vectors).max() <= 1e-13


@pytest.mark.parametrize("solver", [Lapack(), Lanczos()])
@pytest.mark.parametrize("power", [0.0, 0.5, 3.0])
def test_the_extension_of_training_rows_is_the_embedding_with_a_trivial_vector_too(solver, power):
    a, degrees, trivial = random_walk(200)
    scale = sparse.diags_array(degrees**-0.5)
    operator, rows = op.Matrix(a, degrees**-0.5), scale @ a @ scale
    construction = Construction(operator, NewRows(), power=power, known=Known(trivial), positive=False)
    # The tolerance is loose on purpose: exactness on training rows does not depend on it.
    result = embed(construction, 3, Settings(solver=solver, tol=1e-3))
    assert np.allclose(result.extension(rows), result.coordinates, rtol=0, atol=1e-13)
    lengths = np.linalg.norm(result.coordinates, axis=0)
    assert np.allclose(lengths, result.values**power, rtol=1e-5)
