"""Cross-validated dimension: the fast loss equals the definition, and the correct number is found."""

import numpy as np
import pytest
from networks import connected
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentError
from lpgraph.infer.validation import _decompose, _loss

BLOCKS = np.full((3, 3), 0.08) + 0.3 * np.eye(3)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_is_the_expected_squared_error_over_held_out_pairs(directed, weighted):
    # Written out over the dense matrix, pair by pair.
    a = connected(30, 6, 0, directed=directed, weighted=weighted).toarray()
    np.fill_diagonal(a, 0)
    graph = lp.as_adjacency(sparse.csr_array(a), directed=directed)
    source, target, weight = graph.edge_list()
    held_out = np.random.default_rng(1).random(len(weight)) < 0.2
    kept = a.copy()
    kept[source[held_out], target[held_out]] = 0
    if not directed:
        kept[target[held_out], source[held_out]] = 0
    kept /= 0.8
    values, left, right = _decompose(
        (source[~held_out], target[~held_out], weight[~held_out] / 0.8), 30, directed, 4, "lapack"
    )
    found = _loss(values, left, right, (source, target, weight), held_out, 0.2, directed)
    pairs = ~np.eye(30, dtype=bool) if directed else np.triu(np.ones((30, 30), dtype=bool), 1)
    for d in range(5):
        if directed:
            u, s, vt = np.linalg.svd(kept)
            foretold = (u[:, :d] * s[:d]) @ vt[:d]
        else:
            w, v = np.linalg.eigh(kept)
            lead = np.argsort(-np.abs(w))[:d]
            foretold = (v[:, lead] * w[lead]) @ v[:, lead].T
        edges = ((a - foretold)[source[held_out], target[held_out]] ** 2).sum()
        gaps = (foretold[pairs & (a == 0)] ** 2).sum()
        assert found[d] == pytest.approx(edges + 0.2 * gaps)


@pytest.mark.parametrize("seed", range(5))
def test_three_blocks_have_three_dimensions(seed):
    graph = lp.stochastic_block_model([80, 80, 80], BLOCKS, random_state=seed)
    found = lp.infer.dimension.cross_validate(graph, 10, folds=5, random_state=seed)
    assert found.best == found.smallest_good == 3
    assert found.mean[0] == 1
    assert found.losses.shape == (5, 11)


def test_negative_eigenvalues_count():
    # Disassortative: the second dimension has a negative eigenvalue.
    graph = lp.stochastic_block_model([100, 100], [[0.1, 0.5], [0.5, 0.1]], random_state=0)
    assert lp.infer.dimension.cross_validate(graph, 8).smallest_good == 2


def test_no_structure_needs_one_dimension():
    graph = lp.erdos_renyi(300, 0.1, random_state=0)
    assert lp.infer.dimension.cross_validate(graph, 8).smallest_good == 1


def test_directed_and_reproducible():
    graph = lp.stochastic_block_model([90, 90], [[0.4, 0.05], [0.3, 0.2]], directed=True, random_state=3)
    done = []
    one = lp.infer.dimension.cross_validate(graph, 6, progress=lambda k, total: done.append((k, total)))
    two = lp.infer.dimension.cross_validate(graph, 6)
    np.testing.assert_array_equal(one.losses, two.losses)
    assert one.smallest_good == 2
    assert done == [(k, 10) for k in range(1, 11)]


@pytest.mark.parametrize(
    ("options", "match"),
    [({"folds": 99}, "folds <= 3"), ({"max_dimension": 9}, "max_dimension <= 2"), ({"folds": 1}, "folds >= 2")],
)
def test_what_cannot_be_validated(options, match):
    with pytest.raises(ArgumentError, match=match):
        lp.infer.dimension.cross_validate(lp.from_edges([0, 1, 2], [1, 2, 3]), **options)
