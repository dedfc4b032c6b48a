from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lpgraph as lp
from lpgraph.errors import ArgumentError

K = lp.kernels
B = [[0.9, 0.2, 0.05], [0.2, 0.6, 0.1], [0.05, 0.1, 0.3]]
VECTORS = {
    "dot": K.DotProduct(),
    "indefinite": K.IndefiniteDotProduct(1, 2),
    "exponential": K.Exponential(),
    "binomial": K.Binomial(0.7),
    "gaussian": K.Gaussian(1.3),
    "multiquadric": K.InverseMultiquadric(0.5, 0.8),
}


def draw_boxes(kernel, k, rng):
    """k pairs of boxes, some of zero extent, that make sense for the kernel."""
    if isinstance(kernel, K.DegreeCorrectedBlockMatrix):
        ends = np.concatenate([rng.integers(0, 3, (4, k, 1)), rng.random((4, k, 1))], axis=2)
    elif isinstance(kernel, K.BlockMatrix):
        ends = rng.integers(0, 3, (4, k, 1)).astype(float) if rng.random() < 0.5 else rng.random((4, k, 3))
    else:
        ends = rng.normal(scale=0.6, size=(4, k, 3))
    ends[1, ::3], ends[3, ::2] = ends[0, ::3], ends[2, ::2]
    return (
        np.minimum(ends[0], ends[1]),
        np.maximum(ends[0], ends[1]),
        np.minimum(ends[2], ends[3]),
        np.maximum(ends[2], ends[3]),
    )


def draw_inside(kernel, lo, hi, rng):
    x = lo + (hi - lo) * rng.choice([rng.random(lo.shape), rng.integers(0, 2, lo.shape)])
    if isinstance(kernel, K.DegreeCorrectedBlockMatrix) or lo.shape[1] == 1:
        x[:, 0] = np.round(x[:, 0])
    return x


@pytest.mark.parametrize(
    "kernel", [*VECTORS.values(), K.BlockMatrix(B), K.DegreeCorrectedBlockMatrix(B)], ids=repr
)
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
    lo_a, _, lo_b, _ = boxes
    point_lower, point_upper = kernel.bounds(lo_a, lo_a, lo_b, lo_b)
    values = kernel.pairs(lo_a, lo_b)
    calm = values < 1e4
    np.testing.assert_allclose(point_lower[calm], values[calm], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(point_upper[calm], values[calm], rtol=1e-9, atol=1e-12)


def test_dot_and_radial_bounds_are_attained():
    # the extreme of a function monotone in each coordinate is at corners: compare with all 4 x 4 of them
    rng = np.random.default_rng(0)
    for kernel in (K.DotProduct(), K.IndefiniteDotProduct(1, 1), K.Exponential()):
        lo_a, hi_a, lo_b, hi_b = (end[:, :2] for end in draw_boxes(kernel, 50, rng))
        corners = [
            kernel.pairs(np.column_stack([x0, x1]), np.column_stack([y0, y1]))
            for x0 in (lo_a[:, 0], hi_a[:, 0])
            for x1 in (lo_a[:, 1], hi_a[:, 1])
            for y0 in (lo_b[:, 0], hi_b[:, 0])
            for y1 in (lo_b[:, 1], hi_b[:, 1])
        ]
        lower, upper = kernel.bounds(lo_a, hi_a, lo_b, hi_b)
        np.testing.assert_allclose(lower, np.min(corners, axis=0), atol=1e-12)
        np.testing.assert_allclose(upper, np.max(corners, axis=0), atol=1e-12)
    box = np.zeros((1, 2)), np.ones((1, 2)), np.array([[0.5, 2.0]]), np.array([[3.0, 4.0]])
    lower, upper = K.Gaussian(1.0).bounds(*box)
    np.testing.assert_allclose([lower[0], upper[0]], [np.exp(-(9.0 + 16.0)), np.exp(-1.0)])


def test_pairs_symmetry_and_factors(case):
    kernel, x, _ = case(40, np.random.default_rng(0))
    y = x[::-1]
    assert kernel.symmetric
    np.testing.assert_allclose(kernel(x, x[:7]), kernel(x[:7], x).T, rtol=1e-13)
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


def test_distances_of_near_points_are_exact():
    # |x|^2 + |y|^2 - 2 <x, y> would lose all digits here
    x, y = np.array([[1e8, 0.0]]), np.array([[1e8, 1e-4]])
    np.testing.assert_allclose(K.Gaussian(1e-4)(x, y), [[np.exp(-1.0)]], rtol=1e-12)
    np.testing.assert_allclose(K.Gaussian(1e-4).pairs(x, y), [np.exp(-1.0)], rtol=1e-12)


def test_binomial_diverges_at_one():
    assert K.Binomial(2.0)([[1.0]], [[1.0], [3.0]]).tolist() == [[np.inf, np.inf]]
    one = np.ones((1, 1))
    assert K.Binomial(0.5).bounds(0 * one, one, one, 2 * one)[1].tolist() == [np.inf]


SIDES = {
    "degree-corrected": lambda rng: (
        K.DegreeCorrectedBlockMatrix([[0.9, 0.2], [0.1, 0.6]]),
        np.column_stack([rng.integers(0, 2, 60), rng.uniform(0, 1, (60, 2))]),
        lambda x, y: np.array([[0.9, 0.2], [0.1, 0.6]])[int(x[0]), int(y[0])] * x[1] * y[2],
    ),
    "poisson": lambda rng: (
        K.PoissonBlockMatrix([[0.9, 0.2], [0.1, 0.6]]),
        np.column_stack([rng.integers(0, 2, 60), rng.uniform(0, 2, (60, 2))]),
        lambda x, y: 1 - np.exp(-np.array([[0.9, 0.2], [0.1, 0.6]])[int(x[0]), int(y[0])] * x[1] * y[2]),
    ),
    "clipped": lambda rng: (
        K.ClippedDotProduct(1, 1, high=0.7, two_sided=True),
        rng.uniform([-1, -1, 0, -1, -1, 0], [1, 1, 0.3, 1, 1, 0.3], (60, 6)),
        lambda x, y: min(max(x[0] * y[3] - x[1] * y[4], x[2] * y[5]), 0.7),
    ),
}


@pytest.mark.parametrize("name", SIDES)
def test_kernels_with_different_sources_and_targets(name):
    # 200 directed graphs: the mean of each cell is within 5.5 standard errors; 3 x 3540 cells, each exceeds them
    # with probability 4e-8
    kernel, x, value = SIDES[name](np.random.default_rng(0))
    p = np.array([[value(a, b) for b in x] for a in x])
    assert np.allclose(kernel(x, x), p)
    i, j = (part.ravel() for part in np.indices((60, 60)))
    assert np.allclose(kernel.pairs(x[i], x[j]), p.ravel())
    rng = np.random.default_rng(1)
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
