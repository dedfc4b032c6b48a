import numpy as np
import pytest
from scipy import stats

import lpgraph as lp
from lpgraph.models.positions import as_positions

P = lp.positions


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_used_up_array_is_drawn_from_with_its_labels():
    labels = np.array(list("abc"))
    source = P.Fixed([[0.0], [1.0], [2.0]], labels)
    drawn, names = source.more(3000, 3, rng())
    assert (labels[drawn.ravel().astype(int)] == names).all()
    # 3000 draws from 3 rows: 1000 each +- sqrt(3000 * 2/9) = 26; five of these
    assert np.abs(np.unique(names, return_counts=True)[1] - 1000).max() < 130


def test_an_array_is_kept_from_later_changes():
    rows, matrix = np.zeros((3, 1)), np.full((2, 2), 0.1)
    source, kernel = as_positions(rows), lp.kernels.BlockMatrix(matrix)
    rows[:] = matrix[:] = 7.0
    source.initial(None, rng())[0][:] = 2.0
    assert not source.initial(None, rng())[0].any()
    assert kernel([0], [1]).tolist() == [[0.1]]


def test_gaussian_mixture_has_its_moments():
    means, covariances = [[0.0, 0.0], [3.0, -1.0]], [[[1.0, 0.5], [0.5, 2.0]], [[0.3, 0.0], [0.0, 0.0]]]
    drawn, labels = P.GaussianMixture(means, covariances, [0.25, 0.75]).initial(20000, rng())
    # standard errors: share 0.003; mean sqrt(2 / 5000) = 0.02; covariance sqrt(2) * 2 / sqrt(5000) = 0.04
    assert abs(labels.mean() - 0.75) < 0.015
    for k in range(2):
        np.testing.assert_allclose(drawn[labels == k].mean(axis=0), means[k], atol=0.1)
        np.testing.assert_allclose(np.cov(drawn[labels == k].T), covariances[k], atol=0.2)


def test_blocks_later_vertices_follow_sizes_and_weights():
    weights = np.concatenate([np.full(300, 0.5), np.full(100, 2.0)])
    drawn, labels = P.BlockWeights([300, 0, 100], weights).more(4000, 400, rng())
    assert (drawn[:, 0] == labels).all()
    assert (drawn[:, 1] == np.where(labels == 0, 0.5, 2.0)).all()
    # 1000 of 4000 in the last block +- sqrt(4000 * 3 / 16) = 27; five of these
    assert abs((labels == 2).sum() - 1000) < 137
    assert abs((P.BlockLabels([300, 0, 100]).more(4000, 400, rng())[1] == 2).sum() - 1000) < 137


@pytest.mark.parametrize(
    ("distribution", "columns"),
    [
        (stats.beta(2, 3), 1),
        (stats.randint(0, 4), 1),
        (stats.multivariate_normal([0.0, 1.0]), 2),
        (stats.multivariate_normal(0.0), 1),
        (stats.dirichlet([1.0, 2.0, 3.0]), 3),
        (stats.uniform_direction(3), 3),
        (stats.Normal(mu=1.0, sigma=2.0), 1),
        (stats.Mixture([stats.Normal(mu=-1.0), stats.Normal(mu=1.0)]), 1),
        (lambda n, rng: rng.random(n), 1),
    ],
)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_distributions_of_scipy_and_functions(distribution, columns, n):
    source = as_positions(distribution)
    drawn, labels = source.initial(n, rng())
    assert drawn.shape == (n, columns)
    assert labels is None
    assert (drawn == source.more(n, 5, rng())[0]).all()
    of_function = as_positions(lambda n, rng: (drawn, np.arange(n))).initial(n, rng())
    assert [part.tolist() for part in of_function] == [drawn.tolist(), [*range(n)]]
