from __future__ import annotations

import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ProbabilityError

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
    graph = named(*arguments, directed=directed, random_state=7)
    model = LPM(model.kernel, model.positions, directed=directed)
    expected = model.sample(n, random_state=7)
    assert (graph.adjacency != expected.adjacency).nnz == 0
    assert graph.directed == directed
    np.testing.assert_array_equal(graph.positions, expected.positions)
    np.testing.assert_array_equal(graph.labels, expected.labels)


@pytest.mark.parametrize("name", [name for name in SAME if name != "erdos_renyi"])
def test_sparsity_is_passed_on(name):
    named, arguments, model, n = SAME[name]
    graph = named(*arguments, sparsity=0.3, random_state=7)
    expected = LPM(model.kernel, model.positions, sparsity=0.3).sample(n, random_state=7)
    assert (graph.adjacency != expected.adjacency).nnz == 0


def test_block_probabilities():
    # shares of edges in blocks of 400 and 300 vertices, each +- sqrt(p (1 - p) / cells); five of these
    B3 = np.array([[0.3, 0.05], [0.05, 0.8]])
    graph = lp.stochastic_block_model([400, 300], B3, random_state=0)
    a = graph.adjacency.toarray()
    for k, l, cells in (0, 0, 400 * 399), (0, 1, 400 * 300), (1, 1, 300 * 299):
        share = a[np.ix_(graph.labels == k, graph.labels == l)].sum() / cells
        independent = cells / 2 if k == l else cells
        assert abs(share - B3[k, l]) < 5 * np.sqrt(B3[k, l] * (1 - B3[k, l]) / independent)


def test_labels():
    assert lp.stochastic_block_model([2, 0, 1], np.full((3, 3), 0.5)).labels.tolist() == [0, 0, 2]
    mixed = lp.mixed_membership_block_model(20, [1.0, 1.0], B)
    assert (mixed.labels == mixed.positions.argmax(axis=1)).all()
    assert lp.erdos_renyi(3, 0.5).labels is None


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: lp.erdos_renyi(0, 0.5), ArgumentError, "n=0; pass n >= 1"),
        (lambda: lp.erdos_renyi(5, 1.2), ArgumentError, r"p=1\.2"),
        (lambda: lp.stochastic_block_model([5], B), ArgumentError, r"1 blocks but B is \(2, 2\)"),
        (lambda: lp.stochastic_block_model([5, 5], [[0.1, 0.2], [0.3, 0.1]]), ArgumentError, "directed=True"),
        (lambda: lp.stochastic_block_model([5, 5], [[0.1, 0.2], [0.2, 1.1]]), ProbabilityError, r"is 1\.1"),
        (lambda: lp.degree_corrected_block_model([1, 1], B, [3.0, 9.0]), ProbabilityError, r"is 2\.7"),
        (lambda: lp.degree_corrected_block_model([3], B, [1, 1, 1]), ArgumentError, "one size per row of B"),
        (lambda: lp.mixed_membership_block_model(5, [1, 1, 1], B), ArgumentError, "alpha has 3 entries"),
        (lambda: lp.random_dot_product_graph([[1.0], [-1.0]]), ProbabilityError, r"pair \(0, 1\).*is -1"),
        (lambda: lp.generalized_random_dot_product_graph(Y, (2, 1)), ArgumentError, r"pass p \+ q = 2"),
        (
            lambda: lp.generalized_random_dot_product_graph(Y, 2),
            ArgumentError,
            r"signature has 0 dimensions",
        ),
    ],
)
def test_wrong_inputs(make, error, message):
    with pytest.raises(error, match=message):
        make()
