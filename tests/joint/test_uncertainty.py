"""Standard errors of positions in joint embeddings cover the noise-free positions as often as they should."""

import numpy as np
import pytest
from scipy import sparse

import lpgraph as lp
from lpgraph.errors import ArgumentTypeError

JOINT = lp.joint
#: Probabilities in three networks of two blocks: assortative, then sparser, then disassortative.
BLOCKS = [[[0.5, 0.1], [0.1, 0.4]], [[0.3, 0.1], [0.1, 0.4]], [[0.2, 0.5], [0.5, 0.2]]]


def drawn(probabilities, rng, *, directed, weighted):
    """Return a network without loops; weights have the mean 1."""
    edges = (rng.random(probabilities.shape) < probabilities).astype(float)
    if weighted:
        edges *= rng.gamma(2.0, 0.5, edges.shape)
    return np.triu(edges, 1) + (np.tril(edges, -1) if directed else np.triu(edges, 1).T)


@pytest.mark.parametrize(
    ("model", "directed", "weighted"),
    [
        (JOINT.UnfoldedEmbedding(2), False, False),
        (JOINT.UnfoldedEmbedding(2), True, False),
        (JOINT.UnfoldedEmbedding(2), False, True),
        (JOINT.UnfoldedEmbedding(2, matrix="laplacian"), False, False),
        (JOINT.OmnibusEmbedding(2), False, False),
        (JOINT.OmnibusEmbedding(2), True, True),
        (JOINT.MultipleEmbedding(2), False, False),
    ],
    ids=str,
)
def test_intervals_of_95_percent_cover_the_noise_free_positions(model, directed, weighted):
    n, shares = 240, []
    expected = [np.array(b)[np.arange(n) % 2][:, np.arange(n) % 2] for b in BLOCKS]
    for matrix in expected:
        np.fill_diagonal(matrix, 0.0)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        graphs = [drawn(matrix, rng, directed=directed, weighted=weighted) for matrix in expected]
        model.fit([lp.as_adjacency(graph, directed=directed) for graph in graphs])
        for side in ("out", "in") if directed else ("out",):
            found = model.embeddings_ if side == "out" else model.embeddings_in_
            true = model._placers[side].new([sparse.csr_array(p if side == "out" else p.T) for p in expected])
            shares.append(abs(found - true) <= 1.96 * JOINT.standard_errors(model, range(n), direction=side))
    assert 0.93 <= np.mean(shares) <= 0.97
    assert np.mean(shares, axis=(0, 2)).min() > 0.92  # in each network and dimension


def test_squares_of_standard_errors_are_unbiased_in_small_networks():
    n, m = 20, 30
    rng = np.random.default_rng(0)
    blocks = np.kron([[40.0, 10.0], [10.0, 30.0]], np.ones((n // 2, n // 2)))
    model = JOINT.UnfoldedEmbedding(2).fit([blocks + rng.standard_normal((n, n)) for _ in range(m)])
    expected = (model._placers["out"].basis ** 2).sum(axis=0)
    ratio = (JOINT.standard_errors(model, range(n)) ** 2 / expected).mean()
    assert ratio == pytest.approx(1.0, abs=0.03)  # without the leverages .90


def test_isolated_vertices_and_stars_have_finite_errors():
    graphs = [lp.from_edges([0] * 5, range(1, 6), vertices=7), lp.from_edges([0] * 4, range(1, 5), vertices=7)]
    for model in (JOINT.UnfoldedEmbedding(1), JOINT.UnfoldedEmbedding(1, matrix="laplacian", regularizer=0)):
        errors = JOINT.standard_errors(model.fit(graphs), range(7))
        assert np.isfinite(errors).all()
        assert (errors[:, 6] == 0).all()


def test_standard_errors_are_those_of_a_fitted_joint_embedding():
    with pytest.raises(ArgumentTypeError, match="model is of type int; pass a fitted embedding"):
        JOINT.standard_errors(3, [0])
