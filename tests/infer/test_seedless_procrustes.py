"""Alignment of positions without known correspondence."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning


def skewed(n, d, seed):
    """Return positions whose distribution no rotation or sign change keeps."""
    return np.random.default_rng(seed).dirichlet(np.arange(1.0, d + 1), n)


def random_rotation(d, seed):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def exact_cost(x, y):
    """Return the least mean squared distance over all one-to-one correspondences."""
    squares = ((x[:, None] - y) ** 2).sum(axis=2)
    return squares[linear_sum_assignment(squares)].mean()


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_permuted_and_rotated_copy_is_found(d):
    x = skewed(120, d, 0) if d > 1 else np.random.default_rng(0).exponential(size=(120, 1))
    turn, order = random_rotation(d, 0), np.random.default_rng(0).permutation(120)
    found, again = (lp.seedless_procrustes(x, (x @ turn)[order]) for _ in range(2))
    assert np.array_equal(found.rotation, again.rotation)
    # The plan is blurred by the regularisation, which shrinks it towards the mean; 1e-2 is that of the lengths.
    assert np.abs(found.rotation - turn).max() < 0.05
    assert np.allclose(found.rotation @ found.rotation.T, np.eye(d))
    assert exact_cost(x @ found.rotation, x @ turn) < 1e-3
    assert found.converged


def test_the_exact_cost_is_that_of_the_true_rotation():
    # two samples of one distribution: no larger cost than that of the rotation that generated them
    for seed in range(4):
        turn = random_rotation(3, seed)
        x, y = skewed(200, 3, 2 * seed), skewed(200, 3, 2 * seed + 1) @ turn
        assert exact_cost(x @ lp.seedless_procrustes(x, y).rotation, y) < 1.02 * exact_cost(x @ turn, y)


@pytest.mark.parametrize("signature", [(2, 1), [1, -1, 1]])
def test_signs_are_not_mixed(signature):
    signs = np.array([1, 1, -1] if signature == (2, 1) else signature)
    x, turn = skewed(150, 3, 0), -np.eye(3)
    turn[np.ix_(signs > 0, signs > 0)] = random_rotation(2, 5)
    found = lp.seedless_procrustes(x, (x @ turn)[::-1], signature=signature)
    assert np.allclose(found.rotation[signs[:, None] != signs], 0)
    assert np.abs(found.rotation - turn).max() < 0.05
    aligned = x @ found.rotation
    assert np.allclose((aligned * signs) @ aligned.T, (x * signs) @ x.T)


def test_the_plan_has_its_masses_and_is_that_of_sinkhorn():
    x, y = skewed(90, 3, 0), skewed(60, 3, 1)
    found = lp.seedless_procrustes(x, y)
    plan = found.plan()
    assert np.allclose(plan.sum(axis=1), 1 / 90)
    assert np.allclose(plan.sum(axis=0), 1 / 60, rtol=1e-3)
    squares = (((x @ found.rotation)[:, None] - y) ** 2).sum(axis=2)
    assert found.objective == pytest.approx((plan * squares).sum(), rel=1e-3)
    assert np.allclose(found.plan([5, 2]), plan[[5, 2]])
    with pytest.raises(ArgumentError, match="rows"):
        found.plan([90])
    # Sinkhorn's algorithm with 2000 updates in plain numpy, at the same rotation and regularisation
    expected = np.exp(-squares / found.transport.epsilon)
    for _ in range(2000):
        expected /= 90 * expected.sum(axis=1, keepdims=True)
        expected /= 60 * expected.sum(axis=0)
    assert np.allclose(plan, expected, atol=1e-3 / (90 * 60))


def test_far_and_scaled_points():
    # the kernel exp(-cost / epsilon) of the far points underflows
    x = np.vstack([skewed(100, 2, 0), [[60.0, 1.0]]])
    for scale in (1e-8, 1.0, 1e8):
        found = lp.seedless_procrustes(scale * x, scale * x[::-1])
        assert np.abs(found.rotation - np.eye(2)).max() < 0.05
        assert np.isfinite(found.objective)
    assert np.isfinite(lp.seedless_procrustes(np.zeros((3, 2)), np.zeros((4, 2))).objective)


def test_too_few_steps():
    with pytest.warns(LpgraphWarning, match="max_iter=1 steps; pass a larger max_iter"):
        lp.seedless_procrustes(skewed(50, 3, 0), skewed(40, 3, 1), max_iter=1)


X = skewed(20, 3, 0)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        *(({"Y": y}, "Y") for y in (X[:, :2], X[:0], np.full((4, 3), np.nan), X[0])),
        ({"X": np.ones((5, 11)), "Y": np.ones((5, 11))}, "X has 11 columns"),
        *(({"signature": (2, 2)}, "signature"), ({"regularization": 0}, "regularization")),
        ({"X": np.zeros((20_000, 1)), "Y": np.zeros((20_000, 1))}, "20000 rows"),
        *(({"max_iter": 0}, "max_iter"), ({"random_state": "a"}, "random_state")),
    ],
)
def test_wrong_inputs(arguments, name):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=name):
        lp.seedless_procrustes(**{"X": X, "Y": X} | arguments)
