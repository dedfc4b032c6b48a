"""Every kernel with suitable positions, and the sparsity at which its largest probability is 0.95."""

import numpy as np
import pytest

import lpgraph as lp

K = lp.kernels


def make_cases(n, rng):
    """Return kernels with n random positions for each."""
    B = np.array([[0.9, 0.2, 0.05], [0.2, 0.6, 0.1], [0.05, 0.1, 0.3]])
    labels = rng.integers(0, 3, (n, 1)).astype(float)
    return {
        "dot": (K.DotProduct(), rng.dirichlet([0.5, 0.5, 0.5], n)),
        "dot signed": (K.DotProduct(), rng.dirichlet([1, 1, 1], n) @ np.linalg.qr(rng.normal(size=(3, 3)))[0]),
        "indefinite": (
            K.IndefiniteDotProduct(1, 1),
            np.column_stack([rng.uniform(0.5, 0.7, n), rng.uniform(-0.5, 0.5, n)]),
        ),
        "gaussian": (K.Gaussian(0.7), rng.normal(size=(n, 2))),
        "function": (K.FunctionKernel(lambda x, y: K.Gaussian(0.7)(x, y)), rng.normal(size=(n, 2))),
        "exponential": (K.Exponential(), rng.uniform(-1, 1, (n, 2))),
        "binomial": (K.Binomial(1.5), 0.8 * rng.dirichlet([1, 1, 1], n)),
        "multiquadric": (K.InverseMultiquadric(1.2, 1.0), rng.normal(size=(n, 3))),
        "blocks": (K.BlockMatrix(B), labels),
        "memberships": (K.BlockMatrix(B), rng.dirichlet([0.4, 0.4, 0.4], n)),
        "degree-corrected": (K.DegreeCorrectedBlockMatrix(B), np.column_stack([labels, rng.uniform(0.1, 1.0, n)])),
        "poisson blocks": (K.PoissonBlockMatrix(B), np.column_stack([labels, rng.uniform(0.1, 1.5, n)])),
        "clipped": (
            K.ClippedDotProduct(1, 1, high=0.6),
            np.column_stack([rng.uniform(0.3, 0.9, n), rng.uniform(-0.5, 0.5, n), rng.uniform(0.05, 0.2, n)]),
        ),
    }


@pytest.fixture(params=make_cases(1, np.random.default_rng(0)))
def case(request):
    """A function (n, rng) -> (kernel, positions, largest sparsity for them)."""

    def make(n, rng):
        kernel, x = make_cases(n, rng)[request.param]
        values = kernel(x, x)
        np.fill_diagonal(values, 0.0)
        return kernel, x, min(1.0, 0.95 / values.max())

    return make
