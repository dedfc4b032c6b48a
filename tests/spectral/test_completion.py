"""Completion of matrices with unobserved entries, against dense matrices and exact solutions."""

import numpy as np
import pytest
from scipy import sparse

from lpgraph.errors import ConvergenceError
from lpgraph.spectral import completion
from lpgraph.spectral.completion import LowRank, Partial, complete
from lpgraph.spectral.operators import Bipartite


def noisy(n, directed, seed, d=2, share=0.3):
    """A matrix of rank d with noise, and its unobserved entries."""
    rng = np.random.default_rng(seed)
    left = rng.normal(size=(n, d)) + 1
    A = left @ rng.normal(size=(d, n)) if directed else (left * [1, -1][:d]) @ left.T
    A, hidden = A + 0.3 * rng.normal(size=(n, n)), rng.random((n, n)) < share
    if not directed:
        A, hidden = (A + A.T) / 2, np.triu(hidden) | np.triu(hidden).T
    return A, hidden


def partial(A, hidden, directed, *, by_hidden=True):
    known = sparse.csr_array(np.where(hidden, 0.0, A))
    return Partial(known, sparse.csr_array((hidden == by_hidden).astype(float)), by_hidden, directed)


def dense(operator, n):
    if isinstance(operator, Bipartite):
        return (operator @ np.vstack([np.zeros((n, n)), np.eye(n)]))[:n]
    return operator @ np.eye(n)


def fitted(operator, n, d, directed, tau):
    """X by LAPACK: the leading values of W, shrunk."""
    u, s, vt = np.linalg.svd(dense(operator, n))
    shrunk = np.sqrt(np.maximum(s[:d] ** 2 - 4 * tau**2, 0))
    return (u[:, :d] * shrunk) @ vt[:d]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("by_hidden", [False, True])
def test_the_fit_is_a_fixed_point(directed, by_hidden):
    # W has A where it is observed, and the shrunk leading eigenpairs of W itself elsewhere.
    A, hidden = noisy(50, directed, 0)
    operator, found = complete(partial(A, hidden, directed, by_hidden=by_hidden), 2, tol=1e-10)
    W, X = dense(operator, 50), fitted(operator, 50, 2, directed, found.noise)
    assert np.allclose(W[~hidden], A[~hidden], atol=1e-12)
    assert np.allclose(W[hidden], X[hidden], atol=1e-7)
    assert found.change <= 1e-10
    assert found.share == 1 - hidden.mean()


@pytest.mark.parametrize("directed", [False, True])
def test_the_objective_never_increases_and_is_that_of_the_dense_matrix(directed):
    A, hidden = noisy(40, directed, 1, share=0.4)
    operator, found = complete(partial(A, hidden, directed), 2, tol=1e-9)
    assert len(found.objective) > 5
    assert (np.diff(found.objective) <= 0).all()
    X, tau = fitted(operator, 40, 2, directed, found.noise), found.noise
    x = np.linalg.svd(X)[1][:2]
    # The integral of sqrt(x^2 + 4 tau^2) - x, by a fine sum.
    penalty = sum(
        np.trapezoid(np.sqrt(t**2 + 4 * tau**2) - t, t) for t in (np.linspace(0, top, 20001) for top in x)
    )
    assert np.isclose(found.objective[-1], ((A - X)[~hidden] ** 2).sum() / 2 + penalty, rtol=1e-6)


def test_the_estimated_noise_is_that_of_the_entries():
    # 0.3 / sqrt(2) off the diagonal of a symmetric matrix; tau^2 = n variance. The estimate has the relative error
    # sqrt(2 / (n^2 / 2)) / 2 = 0.4 % for n = 250, and the shrinkage of X adds less than 1 %.
    A, hidden = noisy(250, False, 4)
    found = complete(partial(A, hidden, False), 2)[1]
    assert np.isclose(found.noise, np.sqrt(250 * 0.045), rtol=0.02)


def test_a_fit_without_a_minimum_is_an_error_with_its_best_result(monkeypatch):
    # 1, 1, 0 and an unobserved entry: the error tends to 0 as that entry tends to infinity.
    A, hidden = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[True, False], [False, False]])
    with monkeypatch.context() as patch:
        patch.setattr(completion, "MOST", 50)
        patch.setattr(completion, "_noise", lambda partial, low: 0.0)
        with pytest.raises(ConvergenceError, match="pass a larger tol") as info:
            complete(partial(A, hidden, False), 1)
    assert isinstance(info.value.result, LowRank)
    # The penalty gives it one.
    assert np.isfinite(dense(complete(partial(A, hidden, False), 1)[0], 2)).all()
