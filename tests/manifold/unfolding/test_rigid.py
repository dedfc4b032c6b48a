import numpy as np
import pytest

from lpgraph.manifold.unfolding.rigid import rigid_pairs
from lpgraph.points.neighborhood import Neighborhood


def as_set(pairs):
    return set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))


def by_definition(X, k):
    """Weinberger, Packer & Saul (2005), Section 2, literally (these points have no ties)."""
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    near = [set(np.argsort(row)[1 : k + 1].tolist()) for row in distances]
    n = len(X)
    return {
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if j in near[i] or i in near[j] or any({i, j} <= near[a] for a in range(n))
    }


@pytest.mark.parametrize("k", [1, 3, 4])
def test_pairs_are_neighbours_or_neighbours_of_a_third(k):
    X = np.random.default_rng(k).standard_normal((60, 3))
    pairs = rigid_pairs(Neighborhood.of(X, n_neighbors=k))
    assert as_set(pairs) == by_definition(X, k)
    np.testing.assert_allclose(pairs.distance, np.linalg.norm(X[pairs.first] - X[pairs.second], axis=1))


def test_a_closed_loop_of_400_views_has_1600_pairs():
    # Table 2 has 1599 for the teapots: four steps along the loop in either direction.
    angle = 2 * np.pi * np.arange(400) / 400
    pairs = rigid_pairs(Neighborhood.of(np.column_stack([np.cos(angle), np.sin(angle)]), n_neighbors=4))
    assert len(pairs.distance) == 1600


def test_ties_do_not_hang_on_the_order_of_points():
    grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    order = np.random.default_rng(0).permutation(len(grid))
    one = rigid_pairs(Neighborhood.of(grid, n_neighbors=3))
    two = rigid_pairs(Neighborhood.of(grid[order], n_neighbors=3))
    back = {tuple(sorted((order[i], order[j]))) for i, j in as_set(two)}
    assert back == as_set(one)


def test_components_and_graph():
    X = np.concatenate([np.arange(6.0), 100 + np.arange(6.0)])[:, None]
    pairs = rigid_pairs(Neighborhood.of(X, n_neighbors=2))
    count, labels = pairs.components()
    assert count == 2
    assert labels.tolist() == [0] * 6 + [1] * 6
    graph = pairs.graph()
    assert (graph != graph.T).nnz == 0
    assert graph.nnz == 2 * len(pairs.distance)
