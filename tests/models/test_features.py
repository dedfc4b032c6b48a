from __future__ import annotations

import numpy as np
import pytest

import lpgraph as lp

K = lp.kernels


def legendre(n):
    """Nodes and weights of Gauss-Legendre quadrature for the uniform distribution on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


@pytest.mark.parametrize("weighted", [False, True])
def test_full_rank_map_reproduces_the_kernel(weighted):
    rng = np.random.default_rng(0)
    x, kernel = rng.random((12, 2)), K.Gaussian(0.3)
    weights = rng.dirichlet(np.full(12, 5.0)) if weighted else None
    phi = lp.feature_map(kernel, x, 12, weights=weights)
    np.testing.assert_allclose(phi @ phi.T, kernel(x, x), atol=1e-10)
    # Phi at other points against Phi at the support is Mercer's series, exact on the support
    y = rng.random((5, 2))
    at = lp.feature_map(kernel, x, 12, weights=weights, at=y)
    np.testing.assert_allclose(at @ phi.T, kernel(y, x), atol=1e-8)


def test_map_is_orthogonal_with_the_eigenvalues_as_norms():
    # integral of Phi Phi^T dF = diag(l): equations (2) and (3) with orthonormal eigenfunctions
    x, w = legendre(40)
    found = lp.FeatureMap.of(K.Gaussian(0.5), x, 5, weights=w)
    phi = found(x)
    np.testing.assert_allclose(phi.T @ (w[:, None] * phi), np.diag(found.values), atol=1e-13)
    assert (np.diff(found.values) < 0).all()


def test_dot_product_map_is_the_position_up_to_rotation():
    x = np.random.default_rng(0).dirichlet([1, 2, 3], 60)
    phi = lp.feature_map(K.DotProduct(), x, 3)
    rotation = np.linalg.lstsq(x, phi, rcond=None)[0]
    np.testing.assert_allclose(x @ rotation, phi, atol=1e-12)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-10)


def test_quadrature_gives_the_population_map():
    # a smooth kernel: 30 and 80 nodes agree to rounding; a midpoint grid of 800 points to O(1e-6)
    at = np.linspace(0, 1, 21)
    coarse, fine = (
        lp.feature_map(K.Gaussian(0.5), legendre(n)[0], 6, weights=legendre(n)[1], at=at) for n in (30, 80)
    )
    grid = lp.feature_map(K.Gaussian(0.5), (np.arange(800) + 0.5) / 800, 6, at=at)
    signs = np.sign((coarse * grid).sum(axis=0))
    np.testing.assert_allclose(coarse * np.sign((coarse * fine).sum(axis=0)), fine, atol=1e-9)
    np.testing.assert_allclose(coarse * signs, grid, atol=1e-5)


def test_known_eigenvalues_and_eigenfunctions():
    # min(x, y) on [0, 1]: l_k = 1 / ((k - 1/2) pi)^2, psi_k = sqrt(2) sin((k - 1/2) pi x)
    x = (np.arange(400) + 0.5) / 400
    found = lp.FeatureMap.of(lambda x, y: np.minimum(x, y.T), x, 3)
    rate = (np.arange(3) + 0.5) * np.pi
    np.testing.assert_allclose(found.values, rate**-2.0, rtol=1e-4)
    expected = np.sqrt(2) * np.sin(np.multiply.outer(x, rate)) / rate
    np.testing.assert_allclose(np.abs(found(x)), np.abs(expected), atol=1e-3)


def test_points_without_weight_count_for_nothing():
    rng = np.random.default_rng(0)
    x = rng.random(10)
    weights = np.concatenate([np.full(6, 1 / 6), np.zeros(4)])
    with_them = lp.feature_map(K.Gaussian(0.4), x, 3, weights=weights)
    np.testing.assert_allclose(with_them, lp.feature_map(K.Gaussian(0.4), x[:6], 3, at=x), atol=1e-12)
