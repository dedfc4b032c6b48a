"""The papers' experiment: its steps computed directly, its result where theory gives it, its plot."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.metrics import Stability, stability

X = np.random.default_rng(0).standard_normal((50, 4)) * [4, 2, 1, 0.5]


def test_one_split_by_hand():
    model = lp.manifold.ClassicalMDS(2)
    found = stability(model, X, [0.1], random_state=7)
    order = np.random.default_rng(7).permutation(50)
    R1, R2, F = order[:5], order[5:10], order[10:]
    known = np.r_[F, R1]
    first = clone(model).fit_transform(X[known])
    second = clone(model).fit_transform(X[np.r_[F, R2]])[:40]
    # Linear regression of one embedding on the other, by the normal equations.
    A = np.column_stack([second, np.ones(40)])
    B = np.linalg.solve(A.T @ A, A.T @ first[:40])
    moved, missed = np.linalg.norm(A @ B - first[:40], axis=1), []
    for place, i in enumerate(F):
        without = clone(model).fit(X[known[known != i]])
        sign = np.sign((without.embedding_ * first[known != i]).sum(axis=0))
        missed.append(np.linalg.norm(without.transform(X[[i]])[0] * sign - first[place]))
    gap = moved - np.array(missed)
    assert found.variability[0] == pytest.approx(moved.mean())
    assert found.error[0] == pytest.approx(np.mean(missed))
    assert found.difference[0] == pytest.approx(gap.mean())
    assert found.half_width[0] == pytest.approx(1.96 * gap.std(ddof=1) / np.sqrt(40), rel=1e-4)
    assert not hasattr(model, "embedding_")


def test_the_more_is_exchanged_the_more_points_move_and_the_curve_crosses_zero():
    points = np.random.default_rng(1).standard_normal((120, 20)) * np.r_[5, 3, np.ones(18)]
    options = {"repeats": 4, "n_held_out": 30, "random_state": 0}
    found = stability(lp.manifold.ClassicalMDS(2), points, [0.01, 0.05, 0.25], **options)
    assert (np.diff(found.variability) > 0).all()
    assert found.difference[0] < found.difference[-1]
    assert found.difference[-1] > found.half_width[-1]
    assert 0 < found.crossing < 0.25


def test_intervals_hold_what_they_promise():
    # 30 intervals of 6 splits each, for the mean that 300 splits find. A 95 % interval misses with probability
    # 0.05; more than 5 misses in 30 have probability 0.003. Points taken as independent would miss far more often.
    mds = lp.manifold.ClassicalMDS(1)
    points = np.random.default_rng(2).standard_normal((24, 3)) * [2, 1, 1]
    drawn = partial(stability, mds, points, [0.1], n_held_out=4)
    truth = drawn(repeats=300, random_state=0).difference[0]
    found = [drawn(repeats=6, random_state=1 + i) for i in range(30)]
    assert sum(abs(f.difference[0] - truth) > f.half_width[0] for f in found) <= 5


@pytest.mark.slow
def test_distances_and_processes_change_nothing():
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    given = lp.manifold.ClassicalMDS(2, metric="precomputed")
    alone, two = (stability(given, D, [0.1, 0.2], 2, random_state=3, n_jobs=jobs) for jobs in (None, 2))
    assert np.array_equal(alone.difference, two.difference)
    points = stability(lp.manifold.ClassicalMDS(2), X, [0.1, 0.2], 2, random_state=3)
    assert np.allclose(points.error, alone.error, atol=1e-8)


@pytest.mark.parametrize(("difference", "crossing"), [([-1, 1], 0.15), ([2, 3], 0.05), ([-2, -1], None)])
def test_the_crossing_is_interpolated(difference, crossing):
    f = np.array([0.1, 0.2])
    assert Stability(f, f, np.array([2.0, 2.0]), np.array(difference), f).crossing == pytest.approx(crossing)


def test_the_picture_shows_the_curve_and_its_intervals():
    pytest.importorskip("matplotlib").use("Agg")
    found = stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.1], n_held_out=5, random_state=0)
    line = lp.plot.stability(found).containers[0].lines[0]
    assert np.allclose(line.get_xydata(), np.column_stack([found.fractions, found.difference]))
    loss = lp.metrics.reconstruction_loss(lp.manifold.ClassicalMDS(2).fit(X), X[:5])
    drawn = lp.plot.loss(loss).lines
    assert np.allclose([line.get_ydata() for line in drawn[:2]], [loss.positive, loss.magnitude])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *(("fractions", {"fractions": wrong}) for wrong in ([0.5], [0.2, 0.1], [], [0.49])),
        *((name, {name: wrong}) for name, wrong in (("repeats", 0), ("n_held_out", 41), ("n_jobs", 0))),
        ("model", {"model": lp.AdjacencySpectralEmbedding(2)}),
        ("components", {"model": lp.manifold.Isomap(2, components="largest"), "X": [*X, *(X[:20] + 1000)]}),
    ],
)
def test_wrong_arguments(name, arguments):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=name):
        stability(**{"model": lp.manifold.ClassicalMDS(2), "X": X, "fractions": [0.1]} | arguments)
