"""Williams (2006): extensions of the top and of the bottom eigenvectors."""

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.spectral.construction import Construction, NewRows
from lpgraph.spectral.embedding import embed
from lpgraph.spectral.operators import Matrix


def gaussian_kernel(n, seed=0):
    x = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    # A nugget keeps the inverse of the kernel within reach of double precision.
    return np.exp(-((x[:, None] - x[None]) ** 2).sum(-1) / 0.5) + 1e-3 * np.eye(n)


def test_nystrom_is_the_rayleigh_quotient_extension_of_the_top_eigenvectors():
    K, m, q = gaussian_kernel(60), 40, 5
    top = embed(Construction(Matrix(K[:m, :m]), NewRows(), power=0.0, positive=False), q)
    nystrom, vectors = top.extension(K[m:, :m]), top.coordinates
    # Eq. (9): minimise trace(V.T inv(K) V) over V_u; the harmonic form with the inverse as the matrix.
    rayleigh = lp.extend_bottom(np.linalg.inv(K), np.arange(m), vectors)
    assert np.allclose(rayleigh[m:], nystrom, rtol=1e-6, atol=1e-8)
    assert np.array_equal(rayleigh[:m], vectors)


def test_the_linear_map_has_rows_that_sum_to_one_and_any_order_of_items_gives_the_same():
    rng = np.random.default_rng(1)
    a = sparse.random_array((80, 80), density=0.1, rng=rng)
    a = a + a.T
    K = sparse.csr_array(sparse.diags_array(np.asarray(a.sum(axis=1)).ravel()) - a)
    known = np.array([50, 3, 17, 64])
    Q = lp.extend_bottom(K, known, np.eye(4))
    assert np.allclose(Q.sum(axis=1), 1)
    assert (Q >= -1e-12).all()
    assert np.array_equal(Q[known], np.eye(4))
    order = rng.permutation(80)
    place = np.argsort(order)
    shuffled = lp.extend_bottom(K.toarray()[np.ix_(order, order)], place[known], np.eye(4))
    assert np.allclose(shuffled, Q[order], atol=1e-12)
    assert np.array_equal(lp.extend_bottom(K, np.arange(80), np.eye(80)), np.eye(80))


@pytest.mark.parametrize(
    ("matrix", "known", "vectors", "error", "message"),
    [
        (np.eye(3), [0, 0], np.eye(2), ArgumentError, "each once"),
        (np.eye(3), [0, 5], np.eye(2), ArgumentError, "from 0 to 2, each once"),
        (np.eye(3), [0], np.eye(2), ArgumentError, "2 rows but known has 1 items"),
        (np.array([[1.0, 2], [0, 1]]), [0], np.eye(1), GraphError, "not symmetric"),
        (np.kron(np.eye(2), [[1.0, -1], [-1, 1]]), [0], np.eye(1), GraphError, "one of each connected component"),
    ],
)
def test_what_cannot_be_extended_says_why(matrix, known, vectors, error, message):
    with pytest.raises(error, match=message):
        lp.extend_bottom(matrix, known, vectors)
