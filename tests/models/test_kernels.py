import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lpgraph as lp
from lpgraph.errors import ArgumentError

K = lp.kernels
B = [[0.9, 0.2, 0.05], [0.2, 0.6, 0.1], [0.05, 0.1, 0.3]]
KERNELS = [
    K.DotProduct(),
    K.IndefiniteDotProduct(1, 2),
    K.Exponential(),
    K.Binomial(0.7),
    K.Gaussian(1.3),
    K.InverseMultiquadric(0.5, 0.8),
    K.BlockMatrix(B),
    K.DegreeCorrectedBlockMatrix(B),
]


def draw_boxes(kernel, k, rng):
    """k pairs of boxes, some of zero extent, that make sense for the kernel."""
    if isinstance(kernel, K.DegreeCorrectedBlockMatrix):
        ends = np.concatenate([rng.integers(0, 3, (4, k, 1)), rng.random((4, k, 1))], axis=2)
    elif isinstance(kernel, K.BlockMatrix):
        ends = rng.integers(0, 3, (4, k, 1)).astype(float) if rng.random() < 0.5 else rng.random((4, k, 3))
    else:
        ends = rng.normal(scale=0.6, size=(4, k, 3))
    ends[1, ::3], ends[3, ::2] = ends[0, ::3], ends[2, ::2]
    return [side(*ends[first : first + 2]) for first in (0, 2) for side in (np.minimum, np.maximum)]


def draw_inside(kernel, lo, hi, rng):
    x = lo + (hi - lo) * rng.choice([rng.random(lo.shape), rng.integers(0, 2, lo.shape)])
    if isinstance(kernel, K.DegreeCorrectedBlockMatrix) or lo.shape[1] == 1:
        x[:, 0] = np.round(x[:, 0])
    return x


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_values_lie_within_bounds(kernel, seed):
    rng = np.random.default_rng(seed)
    boxes = draw_boxes(kernel, 60, rng)
    lower, upper = kernel.bounds(*boxes)
    # sums of products of size 10 at most carry a relative error of 1e-14 or so; Binomial amplifies it near 1
    slack = 1e-10
    for _ in range(5):
        x, y = draw_inside(kernel, *boxes[:2], rng), draw_inside(kernel, *boxes[2:], rng)
        values = kernel.pairs(x, y)
        finite = values < 1e4
        assert (values >= lower - slack * np.abs(lower).clip(1, 1e4))[finite].all()
        assert (values <= upper + slack * np.abs(upper).clip(1, 1e4))[finite].all()
        assert (upper[~finite] > 9e3).all()
    # Boxes that are points have the value as both bounds.
    values = kernel.pairs(boxes[0], boxes[2])
    for bound in kernel.bounds(boxes[0], boxes[0], boxes[2], boxes[2]):
        np.testing.assert_allclose(bound[values < 1e4], values[values < 1e4], rtol=1e-9, atol=1e-12)


def test_pairs_symmetry_and_factors(case):
    kernel, x, _ = case(40, np.random.default_rng(0))
    y = x[::-1]
    assert kernel.symmetric
    np.testing.assert_allclose(kernel(x, x[:7]), kernel(x[:7], x).T, rtol=1e-13)
    if isinstance(kernel, K.FunctionKernel):
        return
    np.testing.assert_allclose(kernel.pairs(x, y), kernel(x, y).diagonal(), rtol=1e-13, atol=1e-15)
    factors = kernel.factors(x, x[:9])
    assert (factors is None) != (
        isinstance(kernel, K.DotProduct | K.BlockMatrix) and x.min() >= 0 and x.shape[1] > 1
    )
    if factors is not None:
        assert min(f.min() for f in factors) >= 0
        np.testing.assert_allclose(factors[0] @ factors[1].T, kernel(x, x[:9]), rtol=1e-13)


def test_formulas():
    x, y = np.array([[0.3, -0.4]]), np.array([[0.5, 0.1]])
    dot, squared = 0.11, 0.29
    for kernel, value in [
        (K.DotProduct(), dot),
        (K.IndefiniteDotProduct(1, 1), 0.19),
        (K.Exponential(), np.exp(dot)),
        (K.Binomial(2.5), (1 - dot) ** -2.5),
        (K.Gaussian(0.7), np.exp(-squared / 0.49)),
        (K.InverseMultiquadric(1.5, 0.7), (2.25 + squared) ** -0.7),
    ]:
        np.testing.assert_allclose(kernel(x, y), [[value]], rtol=1e-14)
    m, w = np.array([[0.2, 0.3, 0.5]]), np.array([[1.0, 0.5, 0.0]])
    np.testing.assert_allclose(K.BlockMatrix(B)(m, w), m @ np.array(B) @ w.T)
    np.testing.assert_allclose(K.DegreeCorrectedBlockMatrix(B)([[0, 0.5]], [[2, 0.4]]), [[0.5 * 0.4 * 0.05]])
    # The binomial kernel diverges at 1.
    assert K.Binomial(2.0)([[1.0]], [[1.0], [3.0]]).tolist() == [[np.inf, np.inf]]
    one = np.ones((1, 1))
    assert K.Binomial(0.5).bounds(0 * one, one, one, 2 * one)[1].tolist() == [np.inf]


def test_distances_of_near_points_are_exact():
    # |x|^2 + |y|^2 - 2 <x, y> would lose all digits here
    x, y = np.array([[1e8, 0.0]]), np.array([[1e8, 1e-4]])
    np.testing.assert_allclose(K.Gaussian(1e-4)(x, y), [[np.exp(-1.0)]], rtol=1e-12)
    np.testing.assert_allclose(K.Gaussian(1e-4).pairs(x, y), [np.exp(-1.0)], rtol=1e-12)


RATES = np.array([[0.9, 0.2], [0.1, 0.6]])


def rate(x, y):
    return RATES[int(x[0]), int(y[0])] * x[1] * y[2]


SIDES = {
    "degree-corrected": (K.DegreeCorrectedBlockMatrix(RATES), 1.0, rate),
    "poisson": (K.PoissonBlockMatrix(RATES), 2.0, lambda x, y: 1 - np.exp(-rate(x, y))),
    "clipped": (
        K.ClippedDotProduct(1, 1, high=0.7, two_sided=True),
        None,
        lambda x, y: min(max(x[0] * y[3] - x[1] * y[4], x[2] * y[5]), 0.7),
    ),
}


@pytest.mark.parametrize("name", SIDES)
def test_kernels_with_different_sources_and_targets(name):
    # 200 directed graphs: the mean of each cell is within 5.5 standard errors; 3 x 3540 cells, each exceeds them
    # with probability 4e-8
    (kernel, largest, value), rng = SIDES[name], np.random.default_rng(0)
    if largest is None:
        x = rng.uniform([-1, -1, 0] * 2, [1, 1, 0.3] * 2, (60, 6))
    else:
        x = np.column_stack([rng.integers(0, 2, 60), rng.uniform(0, largest, (60, 2))])
    p = np.array([[value(a, b) for b in x] for a in x])
    assert np.allclose(kernel(x, x), p)
    i, j = (part.ravel() for part in np.indices((60, 60)))
    assert np.allclose(kernel.pairs(x[i], x[j]), p.ravel())
    for _ in range(50):
        rows, columns = (x[rng.choice(60, 5)] for _ in range(2))
        corners = [f(z, axis=0)[None] for z in (rows, columns) for f in (np.min, np.max)]
        low, high = kernel.bounds(*corners)
        assert low[0] - 1e-12 <= kernel(rows, columns).min() <= kernel(rows, columns).max() <= high[0] + 1e-12
    model = lp.LatentPositionModel(kernel, x, directed=True)
    found = sum(model.sample(random_state=seed).adjacency.toarray() for seed in range(200)) / 200
    np.fill_diagonal(p, 0)
    assert (np.abs(found - p) < 5.5 * np.sqrt(p * (1 - p) / 200) + 0.02).all()
    with pytest.raises(ArgumentError, match="symmetric"):
        lp.LatentPositionModel(kernel, x).sample()
    with pytest.raises(ArgumentError, match="columns"):
        kernel.prepare(np.zeros((3, 5)))


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
