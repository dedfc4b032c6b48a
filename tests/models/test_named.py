from __future__ import annotations

import numpy as np
import pytest

import lpgraph as lp

K, P, LPM = lp.kernels, lp.positions, lp.LatentPositionModel
B = [[0.5, 0.1], [0.1, 0.3]]
X = np.random.default_rng(0).dirichlet([1, 1, 1], 50)
Y = np.column_stack([np.linspace(0.5, 0.7, 40), np.linspace(-0.5, 0.5, 40)])
W = np.linspace(0.2, 1.2, 60)

# each named model, and the latent position model it is
SAME = {
    "erdos_renyi": (lp.erdos_renyi, (50, 0.2), LPM(K.BlockMatrix([[0.2]]), np.zeros(50)), None),
    "sbm": (lp.stochastic_block_model, ([30, 20], B), LPM(K.BlockMatrix(B), P.BlockLabels([30, 20])), None),
    "dcsbm": (
        lp.degree_corrected_block_model,
        ([35, 25], B, W),
        LPM(K.DegreeCorrectedBlockMatrix(B), P.BlockWeights([35, 25], W)),
        None,
    ),
    "mixed": (
        lp.mixed_membership_block_model,
        (50, [0.3, 0.4], B),
        LPM(K.BlockMatrix(B), P.Dirichlet([0.3, 0.4])),
        50,
    ),
    "rdpg": (lp.random_dot_product_graph, (X,), LPM(K.DotProduct(), X), None),
    "grdpg": (
        lp.generalized_random_dot_product_graph,
        (Y, (1, 1)),
        LPM(K.IndefiniteDotProduct(1, 1), Y),
        None,
    ),
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("directed", [False, True])
def test_a_named_model_is_a_latent_position_model(name, directed):
    named, arguments, model, n = SAME[name]
    options = {"directed": directed} if name == "erdos_renyi" else {"directed": directed, "sparsity": 0.3}
    graph = named(*arguments, **options, random_state=7)
    model = LPM(model.kernel, model.positions, **options)
    expected = model.sample(n, random_state=7)
    assert (graph.adjacency != expected.adjacency).nnz == 0
    assert graph.directed == directed
    np.testing.assert_array_equal(graph.positions, expected.positions)
    np.testing.assert_array_equal(graph.labels, expected.labels)


def test_labels():
    assert lp.stochastic_block_model([2, 0, 1], np.full((3, 3), 0.5)).labels.tolist() == [0, 0, 2]
    mixed = lp.mixed_membership_block_model(20, [1.0, 1.0], B)
    assert (mixed.labels == mixed.positions.argmax(axis=1)).all()
    assert lp.erdos_renyi(3, 0.5).labels is None
